"""Which findings of the editor's heads are worth showing on a model: the plan's answer for what is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class ShownFault:
    """``worth``: AUC out of fold; ``least``: the probability from which on it is shown, so that most of those that are
    shown are right."""

    worth: float
    least: float


@dataclass(frozen=True)
class Shown:
    """Ids of what is shown, each with its worth out of fold: correlation of a factor with the reference readings, AUC
    of a kind or fault. ``turn``: whether the words on which it turns are shown."""

    factors: Mapping[str, float] = field(default_factory=dict)
    kinds: Mapping[str, float] = field(default_factory=dict)
    faults: Mapping[str, ShownFault] = field(default_factory=dict)
    turn: bool = False
