"""How fast a long run goes."""

from __future__ import annotations


def pace(done: int, total: int, seconds: float) -> str:
    """How fast it goes and how long it still takes, with two spaces after it; empty until something is done."""
    if done == 0 or seconds <= 0:
        return ""
    rate = done / seconds
    speed = f"{rate:.1f} a second" if rate >= 1 else f"{1 / rate:.1f} s each"
    return f"{speed}, about {_duration((total - done) / rate)} left  "


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
