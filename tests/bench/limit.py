"""The machine's limits: its rates for reading and writing, measured through the program's binding."""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from pathlib import Path

from jokejudge_gui.engine.binding import NativeContext, NativeModel, llama_cpp
from jokejudge_gui.engine.loader import physical_cores

_CHUNK = 512
_WRITTEN = 12


class Limit:
    """Rates in tokens per second, one more of each with every ``measure``; ``seconds`` takes their medians."""

    def __init__(self, model: Path, *, context: int, prefix: str) -> None:
        """``prefix``: a constant prompt, for the rate behind it."""
        cores = physical_cores()
        self._model = NativeModel(str(model))
        self._context = NativeContext(
            self._model,
            context=context,
            sequences=8,
            batch=_CHUNK,
            threads=cores,
            batch_threads=cores,
        )
        tokens = self._model.tokenize(prefix, special=False)
        self._tokens = (tokens * (_CHUNK // len(tokens) + 1))[:_CHUNK]
        self._prefix = tokens[: context - 2 * _CHUNK]
        self._run(self._prefix, 0)
        self._state = self._context.save(0)
        self._cores = cores
        self.empty: list[float] = []
        self.behind: list[float] = []
        self.small: list[float] = []
        self.written: dict[int, list[float]] = {}

    @property
    def prefix_tokens(self) -> int:
        return len(self._prefix)

    def measure(self, branches: Sequence[int]) -> None:
        """Add one figure of each rate; ``branches``: numbers of texts written together."""
        self._context.clear()
        self.empty.append(_CHUNK / self._timed(self._tokens, 0))
        self._context.clear()
        self._context.load(0, self._state)
        self.behind.append(_CHUNK / self._timed(self._tokens, len(self._prefix)))
        self._context.clear()
        self._context.load(0, self._state)
        self.small.append(32 / self._timed(self._tokens[:32], len(self._prefix)))
        for count in branches:
            self._context.clear()
            self._run(self._tokens[:64], 0)
            for branch in range(1, count):
                self._context.fork(0, branch)
            best = 0.0
            for threads in sorted({1, self._cores}):
                llama_cpp.llama_set_n_threads(self._context.handle, threads, threads)
                begin = time.perf_counter()
                for step in range(_WRITTEN):
                    self._context.decode(
                        [self._tokens[step]] * count,
                        [64 + step + (threads > 1) * _WRITTEN] * count,
                        [[branch] for branch in range(count)],
                        [True] * count,
                    )
                best = max(best, count * _WRITTEN / (time.perf_counter() - begin))
            llama_cpp.llama_set_n_threads(self._context.handle, self._cores, self._cores)
            self.written.setdefault(count, []).append(best)

    def seconds(self, read: int, written: int, branches: int, *, behind: bool) -> float:
        """Least seconds for ``read`` prompt tokens (behind the constant prompt, or in an empty context) and
        ``written`` ones."""
        rate = statistics.median(self.behind if behind else self.empty)
        writing = written / statistics.median(self.written[branches]) if written else 0.0
        return read / rate + writing

    def close(self) -> None:
        self._context.close()
        self._model.close()

    def _timed(self, tokens: Sequence[int], start: int) -> float:
        begin = time.perf_counter()
        self._run(tokens, start)
        return time.perf_counter() - begin

    def _run(self, tokens: Sequence[int], start: int) -> None:
        for first in range(0, len(tokens), _CHUNK):
            part = tokens[first : first + _CHUNK]
            places = range(start + first, start + first + len(part))
            outputs = [place == start + len(tokens) - 1 for place in places]
            self._context.decode(part, list(places), [[0]] * len(part), outputs)
            if outputs[-1]:
                self._context.logits(len(part) - 1)
