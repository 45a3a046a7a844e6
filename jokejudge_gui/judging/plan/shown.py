"""Which findings of the editor's heads are worth showing on a model: the plan's answer for what is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..reading.editor_card import EditorCard, ItemFigure

LEAST_CORRELATION = 0.35
LEAST_AREA = 0.70
_CHANCE = 0.5
LEAST_TURN = 0.60
"""Share of texts in which the span shown must overlap the reader's for the turn to be shown at all."""


@dataclass(frozen=True)
class Shown:
    """Ids of what is shown, each with its worth out of fold: correlation of a factor with the reference readings, area
    under the curve of a kind or fault. ``turn``: whether the words on which it turns are shown."""

    factors: Mapping[str, float] = field(default_factory=dict)
    kinds: Mapping[str, float] = field(default_factory=dict)
    faults: Mapping[str, float] = field(default_factory=dict)
    turn: bool = False

    @classmethod
    def of(cls, card: EditorCard) -> Shown:
        """What the heads' card shows to be worth it."""
        items = card.items
        return cls(
            factors=_worth(items.get("factor", {}), LEAST_CORRELATION, 0.0),
            kinds=_worth(items.get("kind", {}), LEAST_AREA, _CHANCE),
            faults=_worth(items.get("fault", {}), LEAST_AREA, _CHANCE),
            turn=card.figures.turn >= LEAST_TURN,
        )


def _worth(items: Mapping[str, ItemFigure], least: float, chance: float) -> dict[str, float]:
    return {name: item.worth for name, item in items.items() if item.worth >= least and item.low > chance}
