"""Columns of a contest's table beside the rank: how original a joke is, and how much it is about the topic."""

from __future__ import annotations

from collections.abc import Sequence

from .types import Reading, ScaleMean

_LOWEST, _HIGHEST = 1.0, 10.0


def qualities(
    reading: Reading | None, versions: int, any_versions: bool, rounds: Sequence[ScaleMean]
) -> dict[str, object]:
    """The fields of ``RankedEntry`` for a joke that has so many other ``versions`` in the list; ``any_versions``:
    whether any joke of the list has some; ``rounds``: what shuffled rounds gave it."""
    relevance = next((each.mean for each in rounds if each.scale == "relevance"), None)
    return {
        "originality": originality(reading, versions, any_versions) if reading is not None else None,
        "relevance": None if relevance is None else _share(relevance),
        "rounds": tuple(rounds),
    }


def originality(reading: Reading, versions: int, any_versions: bool) -> float | None:
    """0…1, without a question: the share of jokes that a reader finds less original, at most the chance that it isn't
    an old one, shared among its versions in the list. None where nothing is known."""
    known = [
        value for value in (reading.fresh, None if reading.stock is None else 1.0 - reading.stock) if value is not None
    ]
    if not known and not any_versions:
        return None
    return min(known, default=1.0) / (1 + versions)


def _share(score: float) -> float:
    """A score 1…10 as a share 0…1; what places took away may have pushed it past an end."""
    return min(1.0, max(0.0, (score - _LOWEST) / (_HIGHEST - _LOWEST)))
