"""Decoding of batches, with cancellation, token counts and times; reading of hidden states; conversion of generated
bytes to text."""

from __future__ import annotations

import codecs
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeAlias

import numpy as np

from ..core.errors import Cancelled, EngineError
from ..core.verdicts import Usage
from .base import CancelToken, FloatArray, logprob
from .binding import NativeContext
from .prompts import Tokens

_FAULTS = ("E_NOT_FINITE", "E_DECODE")
_ALIKE = 63
"""Most tokens of a batch in which each text's numbers are the same, whatever texts share it: with more, llama.cpp's
attention takes tokens in tiles."""

Numbers: TypeAlias = tuple[FloatArray, FloatArray]
"""A text's states (tokens, embedding size), and the log-probability of each token given those before it, 0 for the
first."""


class Decoder:
    """Decodes batches for every call of the engine. ``usage``: running totals."""

    def __init__(self, context: NativeContext, embedding_size: int, on_fault: Callable[[], None] | None = None) -> None:
        self._context = context
        self._embedding_size = embedding_size
        self._on_fault = on_fault
        self._token: CancelToken | None = None
        self.usage = Usage()

    @contextmanager
    def metered(self, cancel: CancelToken | None, broken: Callable[[], None]) -> Iterator[None]:
        """Run a call of the engine: check the cancel token and measure seconds; ``broken`` cleans up after any error,
        and ``on_fault`` is called if the model failed to decode or gave numbers that aren't finite. Too little memory
        raises ``EngineError``."""
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

    def run(
        self, tokens: Sequence[int], start: int, *, output: bool, sequence: int = 0, last: bool = False
    ) -> FloatArray:
        """Decode consecutive tokens of one sequence in steps of the batch size. Return the hidden states (tokens,
        embedding size) with ``output``, else an empty array; ``last``: the logits of the last token are needed."""
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
        """Return the hidden states (count, embedding size) of the last batch's first tokens, all of which must have
        been requested."""
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


# The hidden states of texts: one text at a time, independent of all others, or several in a batch, which is faster.


class StateReader:
    """Reads the hidden states of texts in an empty context, and leaves it empty."""

    def __init__(self, context: NativeContext, decoder: Decoder) -> None:
        self._context = context
        self._decoder = decoder
        self._shares: bool | None = None
        self._lead: Tokens = ()

    def behind(self, lead: Tokens, tokens: Tokens) -> FloatArray:
        """Return the states of one text after ``lead``, in a context that always gives states and is read in no other
        way: ``lead`` stays decoded for the next text, whose states are the same to the last bit as without that."""
        if lead != self._lead or not self._context.cut(0, len(lead)):
            self.forget()
            self._decoder.run(lead, 0, output=False)
            self._lead = lead
        return self._decoder.run(tokens, len(lead), output=True)

    def forget(self) -> None:
        """Remove the ``lead`` that ``behind`` keeps."""
        self._context.clear()
        self._lead = ()

    def alone(self, lead: Sequence[Tokens], tokens: Tokens, *, scored: bool = False) -> Numbers:
        """Return the numbers of one text after the pieces of ``lead``; log-probabilities only if it is ``scored``."""
        start, states, scores = 0, [], [0.0]
        with self._wanting_states():
            for piece in lead:
                self._decoder.run(piece, start, output=False)
                start += len(piece)
            for first in range(0, len(tokens), self._context.batch):
                part = tokens[first : first + self._context.batch]
                states.append(self._decoder.run(part, start + first, output=True))
                if scored:
                    scores += self._scores(range(len(part)), tokens[first + 1 : first + 1 + len(part)])
        return np.concatenate(states), np.array(scores, dtype=np.float32)

    def apart(self, lead: Tokens, texts: Sequence[Tokens], sequences: int) -> list[Numbers | None]:
        """Return what ``together`` returns for each of several texts alone, from batches that short texts share, and
        None for longer ones. What comes out depends on no other text; whether that holds for this processor and build
        of llama.cpp is tried with the first batch, and there is None for all where it doesn't."""
        sizes = {
            place: len(lead) + len(text)
            for place, text in enumerate(texts)
            if len(texts) > 1 < len(text) and len(lead) + len(text) <= _ALIKE
        }
        read: dict[int, Numbers] = {}
        for bin in _bins(sizes, sequences) if self._shares is not False else ():
            with self._wanting_states():
                read |= zip(bin, self._batch(lead, [texts[place] for place in bin], apart=True), strict=True)
            if self._shares is None:
                usage = self._decoder.usage
                alone = {place: self.together(lead, [texts[place]], sequences)[0] for place in bin}
                self._decoder.usage = usage
                self._shares = all(all(map(np.array_equal, read[place], alone[place])) for place in bin)
                if not self._shares:
                    return [None] * len(texts)
        return [read.get(place) for place in range(len(texts))]

    def together(self, lead: Tokens, texts: Sequence[Tokens], sequences: int) -> list[Numbers]:
        """Return the numbers of each text after ``lead``. A batch holds as many texts as ``sequences`` and its size
        allow; a text longer than a batch is read alone, with the results of ``alone`` to the last bit."""
        read: list[Numbers] = []
        for group in _groups([len(lead) + len(text) for text in texts], self._context.batch, sequences):
            parts = [texts[place] for place in group]
            if len(parts) == 1:
                read.append(self.alone([lead] if lead else [], parts[0], scored=True))
                continue
            with self._wanting_states():
                read += self._batch(lead, parts)
        return read

    @contextmanager
    def _wanting_states(self) -> Iterator[None]:
        self._context.clear()
        self._context.set_embeddings(True)
        try:
            yield
        finally:
            self._context.set_embeddings(False)
            self._context.clear()

    def _batch(self, lead: Tokens, texts: Sequence[Tokens], *, apart: bool = False) -> list[Numbers]:
        """Read several texts in one batch; a common beginning is decoded once, except if they are read ``apart``."""
        place_of: dict[tuple[int, Tokens], int] = {}
        rows, sequences = [(*lead, *text) for text in texts], list[list[int]]()
        places: list[list[int]] = []
        for sequence, row in enumerate(rows):
            beginnings = [(sequence * apart, row[: end + 1]) for end in range(len(row))]
            places.append([place_of.setdefault(beginning, len(place_of)) for beginning in beginnings])
            sequences += [[] for _ in range(len(place_of) - len(sequences))]
            for place in places[-1]:
                sequences[place].append(sequence)
        ends = [row for _, row in place_of]
        self._decoder.step([row[-1] for row in ends], [len(row) - 1 for row in ends], sequences, [True] * len(ends))
        states = self._decoder.hidden(len(ends))
        read = []
        for text, own in zip(texts, places, strict=True):
            mine = own[len(lead) :]
            scores = [0.0, *self._scores(mine, text[1:])]
            read.append((states[mine], np.array(scores, dtype=np.float32)))
        return read

    def _scores(self, places: Sequence[int], following: Tokens) -> list[float]:
        """Return the log-probabilities of tokens, each after the one at its place in the last batch."""
        return [logprob(self._context.logits(place), token) for place, token in zip(places, following, strict=False)]


def _bins(sizes: Mapping[int, int], most: int) -> list[list[int]]:
    """Divide texts with so many tokens among batches: at most ``most`` texts, and ``_ALIKE`` tokens."""
    bins: list[list[int]] = []
    for item in sorted(sizes, key=lambda item: -sizes[item]):
        for bin in bins:
            if len(bin) < most and sum(map(sizes.__getitem__, bin)) + sizes[item] <= _ALIKE:
                bin.append(item)
                break
        else:
            bins.append([item])
    return bins


def _groups(sizes: Sequence[int], room: int, most: int) -> Iterator[list[int]]:
    """Yield groups of consecutive indices that fit together: at most ``most`` of them, and ``room`` tokens."""
    group: list[int] = []
    total = 0
    for place, size in enumerate(sizes):
        if group and (total + size > room or len(group) == most):
            yield group
            group, total = [], 0
        group.append(place)
        total += size
    if group:
        yield group


# Conversion of generated bytes to text that can be shown.


class TextWriter:
    """Converts the bytes of one branch to text: whole characters only, cut at the first stop text."""

    def __init__(self, stops: tuple[str, ...]) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._stops = stops
        self._hold = max(map(len, stops), default=1) - 1
        self._pending = ""
        self.stopped = False

    def add(self, data: bytes) -> str:
        """Add bytes and return text that can be shown; a possible beginning of a stop text is held back."""
        self._pending += self._decoder.decode(data)
        ends = [at for stop in self._stops if (at := self._pending.find(stop)) >= 0]
        if ends:
            self.stopped = True
            text, self._pending = self._pending[: min(ends)], ""
            return text
        cut = len(self._pending) - self._hold
        text, self._pending = self._pending[: max(cut, 0)], self._pending[max(cut, 0) :]
        return text

    def finish(self) -> str:
        if self.stopped:
            return ""
        text, self._pending = self._pending + self._decoder.decode(b"", final=True), ""
        return text
