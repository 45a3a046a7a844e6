"""What an editor's note may speak of: what stands out in a text, by what was read in it."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal

from ...rubric.notes import NoteRules
from ..reading.editor import EditorReading

LEAST_P = 0.5
"""A kind, a fault or a turn is stated if it is likelier than not."""
_HIGH, _LOW = 0.8, 0.2
"""A factor stands out above or below this share of jokes …"""
_LEAST_HIGH, _MOST_LOW = 3.0, 2.5
"""… and its score is at that end of the scale."""


@dataclass(frozen=True)
class Findings:
    """What may be said of a text. Strengths are in 0…1: the probability of a kind or fault that is shown, or for a
    factor how far it stands out among jokes. ``suspected``: faults that may be there, shown or not; ``weak``: how
    weak the text is as a joke, 0 for one that isn't. ``turn`` and ``cut``: (start, end) in characters."""

    text: str
    kinds: Mapping[str, float] = field(default_factory=dict)
    high: Mapping[str, float] = field(default_factory=dict)
    low: Mapping[str, float] = field(default_factory=dict)
    faults: Mapping[str, float] = field(default_factory=dict)
    suspected: Collection[str] = ()
    weak: float = 0.0
    turn: tuple[int, int] | None = None
    cut: tuple[int, int] | None = None
    crowd: Literal["above", "below"] | None = None


def find(
    rules: NoteRules,
    text: str,
    found: EditorReading,
    *,
    kinds: Mapping[str, float],
    factors: Collection[str],
    faults: Mapping[str, float],
    turn: tuple[int, int] | None = None,
    cut: tuple[int, int] | None = None,
    crowd: Literal["above", "below"] | None = None,
) -> Findings:
    """What stands out in ``found``. ``kinds`` and ``faults`` that are shown, with their probabilities; ``factors``:
    ids of those that are worth showing."""
    high, low = {}, {}
    for name in factors:
        read = found.factors[name]
        if read.standing >= _HIGH and read.expected >= _LEAST_HIGH:
            high[name] = read.standing
        elif read.standing <= _LOW and read.expected <= _MOST_LOW:
            low[name] = 1.0 - read.standing
    suspected = {name for name, p in found.faults.items() if p >= rules.suspect} | set(faults)
    known = [found.factors[name].standing for name in rules.weak_factors if name in factors]
    # Half of them would be a guess about the whole.
    standing = math.fsum(known) / len(known) if len(known) == len(rules.weak_factors) else 1.0
    return Findings(
        text=text,
        kinds=kinds,
        high=high,
        low=low,
        faults=faults,
        suspected=suspected,
        weak=1.0 - standing if standing < rules.weak_below else 0.0,
        # Where nothing turns, no words are named as those on which it does.
        turn=turn if "no_turn" not in suspected else None,
        cut=cut,
        crowd=crowd,
    )
