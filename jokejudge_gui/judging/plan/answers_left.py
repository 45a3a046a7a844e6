"""What is left of the worth of a model's answers, by kind of item, where something was found that moves them."""

from __future__ import annotations

from ...verdicts import Frozen
from .worth import Kind, Plan

ASKED: tuple[Kind, ...] = ("duel", "factor", "check")
"""Kinds of item whose answers are audited by themselves."""


class AnswersLeft(Frozen):
    """Shares 0…1 of the worth above chance that the model's answers keep, by kind of item."""

    duel: float = 1.0
    factor: float = 1.0
    check: float = 1.0

    def of(self, kind: Kind) -> float:
        """The share of one kind; 1 for what isn't audited by itself."""
        return float(getattr(self, kind, 1.0))

    def lowered(self, plan: Plan) -> Plan:
        """The plan with these shares of what asking is worth."""
        for kind in ASKED:
            plan = plan.lowered(kind, self.of(kind))
        return plan


NOTHING_FOUND = AnswersLeft()
