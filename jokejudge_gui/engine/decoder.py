"""Batches through a context, one after another: stopped by a token, counted and timed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from ..errors import Cancelled, EngineError
from ..verdicts import Usage
from .base import CancelToken, FloatArray
from .binding import NativeContext

_FAULTS = ("E_NOT_FINITE", "E_DECODE")


class Decoder:
    """What every call of the engine decodes with. ``usage``: running totals."""

    def __init__(self, context: NativeContext, embedding_size: int, on_fault: Callable[[], None] | None = None) -> None:
        self._context = context
        self._embedding_size = embedding_size
        self._on_fault = on_fault
        self._token: CancelToken | None = None
        self.usage = Usage()

    @contextmanager
    def metered(self, cancel: CancelToken | None, broken: Callable[[], None]) -> Iterator[None]:
        """Around a call: arms the cancel token and counts seconds; ``broken`` cleans up when the call breaks off, and
        ``on_fault`` hears of a model that failed to read or gave no numbers. Too little memory is ``EngineError``."""
        self._arm(cancel)
        begin = time.perf_counter()
        try:
            yield
        except MemoryError as error:
            broken()
            raise EngineError(
                "E_MEMORY", "There isn't enough memory to go on with this text.", "Close other programs, and try again."
            ) from error
        except BaseException as error:
            broken()
            if isinstance(error, EngineError) and error.code in _FAULTS:
                self._context.wipe()
                if self._on_fault is not None:
                    self._on_fault()
            raise
        finally:
            self._arm(None)
            self.usage += Usage(seconds=time.perf_counter() - begin)

    def reuse(self, tokens: int) -> None:
        """Count tokens that needn't be decoded."""
        self.usage += Usage(tokens_reused=tokens)

    def run(
        self, tokens: Sequence[int], start: int, *, output: bool, sequence: int = 0, last: bool = False
    ) -> FloatArray:
        """Decode consecutive tokens of one sequence in steps of the batch size; hidden states (tokens, embedding size)
        when ``output``; the logits of the last token are wanted when ``last``."""
        states = np.zeros((len(tokens) if output else 0, self._embedding_size), dtype=np.float32)
        for first in range(0, len(tokens), self._context.batch):
            part = tokens[first : first + self._context.batch]
            wanted = [output] * len(part)
            if last and first + len(part) == len(tokens):
                wanted[-1] = True
            self.step(part, list(range(start + first, start + first + len(part))), [[sequence]] * len(part), wanted)
            if output:
                states[first : first + len(part)] = self.hidden(len(part))
        return states

    def hidden(self, count: int) -> FloatArray:
        """Hidden states (count, embedding size) of the last batch's first tokens, all of which were asked for."""
        return np.stack([self._context.hidden(place) for place in range(count)])

    def step(
        self,
        tokens: Sequence[int],
        positions: Sequence[int],
        sequences: Sequence[Sequence[int]],
        outputs: Sequence[bool],
    ) -> None:
        """Decode one batch. Raises ``Cancelled``, ``EngineError``."""
        self._check()
        if not self._context.decode(tokens, positions, sequences, outputs):
            raise Cancelled()
        self.usage += Usage(tokens_evaluated=len(tokens))
        self._check()

    def _arm(self, token: CancelToken | None) -> None:
        self._token = token
        self._context.watch(token.flag if token is not None else None)

    def _check(self) -> None:
        if self._token is not None:
            self._token.check()
