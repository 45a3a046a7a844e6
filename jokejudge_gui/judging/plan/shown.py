"""Which findings are worth showing on a model: what follows from its plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .made import TURN
from .worth import Kind, Plan


@dataclass(frozen=True)
class Shown:
    """Ids of what is shown, each with its worth: correlation of a factor with the reference readings, area under the
    curve of a kind or fault. ``turn``: whether the words on which it turns are shown."""

    factors: Mapping[str, float] = field(default_factory=dict)
    kinds: Mapping[str, float] = field(default_factory=dict)
    faults: Mapping[str, float] = field(default_factory=dict)
    turn: bool = False

    @classmethod
    def of(cls, plan: Plan) -> Shown:
        """What the plan shows to be worth it."""
        return cls(
            factors=_worth(plan, "factor"),
            kinds=_worth(plan, "kind"),
            faults=_worth(plan, "fault"),
            turn=plan.shows("turn", TURN),
        )


def _worth(plan: Plan, kind: Kind) -> dict[str, float]:
    return {
        item.id: item.worth.value
        for item in plan.items
        if (item.kind, item.shown) == (kind, True) and item.worth is not None
    }
