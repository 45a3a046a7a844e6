"""How quick a model reads and writes on this machine with other settings, and whether they change its answers."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..engine import binding
from .base import CancelToken, FloatArray
from .loader import BATCH, default_threads, physical_cores

_TEXT = "A man walks into a library and asks for a book about paranoia. The librarian whispers: it's right behind you. "
_READ, _WRITE, _TRIES = 512, 24, 2
_BATCHES = (64, 128, 256)
_CONTEXT = 1024
CLEARLY = 1.1


@dataclass(frozen=True)
class Timing:
    """Tokens a second, the better of two tries. ``same``: the last token's logits are, to the last bit, those of the
    program's own batch and attention on one thread; ``used``: these are the settings that the program uses."""

    what: str
    threads: int
    batch: int
    flash: bool
    rate: float
    same: bool
    used: bool


def thread_counts(cores: int) -> list[int]:
    """1, 2, 4 … and all cores."""
    return sorted({*(2**power for power in range(cores.bit_length())), cores})


def measure_settings(path: Path, cancel: CancelToken | None = None) -> Iterator[Timing]:
    """Time reading with each number of threads, then other batches and attention, then writing; seconds to minutes.

    Raises ``ModelError``, ``EngineError``, ``Cancelled``."""
    token = cancel or CancelToken()
    cores = physical_cores()
    reading, writing = default_threads(path.stat().st_size)
    model = binding.NativeModel(str(path))
    try:
        words = model.tokenize(_TEXT * 60, special=False)[:_READ]
        known: FloatArray | None = None
        plans = [(threads, BATCH, True) for threads in thread_counts(cores)]
        plans += [(cores, batch, True) for batch in _BATCHES] + [(cores, BATCH, False)]
        for threads, batch, flash in plans:
            rate, logits = _read(model, words, threads, batch, flash, token)
            known = logits if known is None else known
            used = (threads, batch, flash) == (reading, BATCH, True)
            yield Timing("reading", threads, batch, flash, rate, np.array_equal(logits, known), used)
        known = None
        for threads in thread_counts(cores):
            rate, logits = _write(model, words[:64], threads, token)
            known = logits if known is None else known
            same = np.array_equal(logits, known)
            yield Timing("writing", threads, BATCH, True, rate, same, threads == writing)
    finally:
        model.close()


def threads_matter(timings: list[Timing]) -> bool:
    """Whether the number of threads changes answers, which on the models tried it doesn't."""
    return not all(timing.same for timing in timings if timing.batch == BATCH and timing.flash)


def better_threads(timings: list[Timing]) -> tuple[int, int] | None:
    """Threads for reading and writing where one is clearly quicker (10 %) than what is used; None where neither is, or
    where the number of threads changes answers on this model."""
    plain = [timing for timing in timings if timing.batch == BATCH and timing.flash]
    if threads_matter(timings):
        return None
    chosen = []
    gained = False
    for what in ("reading", "writing"):
        mine = [timing for timing in plain if timing.what == what]
        best, used = max(mine, key=lambda timing: timing.rate), next(timing for timing in mine if timing.used)
        clear = best.rate > CLEARLY * used.rate
        gained = gained or clear
        chosen.append(best.threads if clear else used.threads)
    return (chosen[0], chosen[1]) if gained else None


def _read(
    model: binding.NativeModel, words: tuple[int, ...], threads: int, batch: int, flash: bool, token: CancelToken
) -> tuple[float, FloatArray]:
    context = _context(model, threads, batch, flash, token)
    try:
        seconds = []
        for _ in range(_TRIES):
            context.clear()
            began = time.perf_counter()
            for first in range(0, len(words), batch):
                part = words[first : first + batch]
                wanted = [False] * (len(part) - 1) + [True]
                context.decode(part, range(first, first + len(part)), [[0]] * len(part), wanted)
                token.check()
            logits = context.logits(len(part) - 1)
            seconds.append(time.perf_counter() - began)
        return len(words) / min(seconds), logits
    finally:
        context.close()


def _write(
    model: binding.NativeModel, words: tuple[int, ...], threads: int, token: CancelToken
) -> tuple[float, FloatArray]:
    context = _context(model, threads, BATCH, True, token)
    try:
        seconds = []
        for _ in range(_TRIES):
            context.clear()
            context.decode(words, range(len(words)), [[0]] * len(words), [False] * len(words))
            began = time.perf_counter()
            for step in range(_WRITE):
                # Always the same word: what is timed doesn't depend on which.
                context.decode(words[:1], [len(words) + step], [[0]], [True])
                token.check()
            logits = context.logits(0)
            seconds.append(time.perf_counter() - began)
        return _WRITE / min(seconds), logits
    finally:
        context.close()


def _context(
    model: binding.NativeModel, threads: int, batch: int, flash: bool, token: CancelToken
) -> binding.NativeContext:
    context = binding.NativeContext(
        model, context=_CONTEXT, sequences=2, batch=batch, threads=threads, batch_threads=threads, flash=flash
    )
    context.watch(token.flag)
    return context
