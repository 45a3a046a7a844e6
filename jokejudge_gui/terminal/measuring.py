"""`jokejudge doctor --measure`: the table of what is quick on this machine, and keeping the better thread counts."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..engine.tuning import CLEARLY, Timing, better_threads, measure_settings, threads_matter
from ..library.threads import keep_threads
from ..paths import Profile
from .console import Console
from .running import Progress, interruptible

_FIXED = (
    "Batch and attention stay as they are, whatever is quicker: other ones may change answers in their last bits, and "
    "the same joke must get the same verdict."
)


def measure(path: Path, sha256: str, profile: Profile, console: Console) -> dict[str, Any]:
    """Measure, print the table, keep what is clearly better; the same as fields. Raises ``JokeJudgeError`` and
    ``Cancelled``."""
    progress = Progress(console)
    timings: list[Timing] = []
    try:
        with interruptible() as cancel:
            progress.line("Measuring how fast this model is on this computer", None, None, now=True)
            for timing in measure_settings(path, cancel):
                timings.append(timing)
                progress.line(f"{timing.what}, {timing.threads} threads", None, None, now=True)
    finally:
        progress.clear()
    threads = better_threads(timings)
    keep_threads(sha256, threads, profile)
    if not console.json:
        _table(console, timings)
        console.text("")
        console.paragraph(_conclusion(timings, threads))
        console.paragraph(_FIXED)
    return {
        "timings": [asdict(timing) for timing in timings],
        "threads": {"reading": threads[0], "writing": threads[1]} if threads else None,
        "load": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
    }


def _table(console: Console, timings: list[Timing]) -> None:
    console.text("")
    console.text("          threads  batch  attention   tokens a second   answers")
    for timing in timings:
        attention = "flash" if timing.flash else "plain"
        answers = "the same" if timing.same else "differ"
        used = "  in use" if timing.used else ""
        console.text(
            f"{timing.what:<9} {timing.threads:>7}  {timing.batch:>5}  {attention:<9} {timing.rate:>17.1f}   "
            f"{answers}{used}"
        )


def _conclusion(timings: list[Timing], threads: tuple[int, int] | None) -> str:
    if threads is not None:
        return (
            f"From now on this model reads with {threads[0]} and writes with {threads[1]} threads here, more than "
            f"{CLEARLY - 1:.0%} quicker than before; a number of threads in the settings takes precedence."
        )
    if threads_matter(timings):
        return "The number of threads changes answers on this model, so the program's own stays in use."
    return "No other number of threads is clearly quicker: the program's own stays in use."
