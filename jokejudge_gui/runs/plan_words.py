"""A model's plan in words, for every door."""

from __future__ import annotations

from ..judging.plan.worth import Measured, Source
from .worths import ItemRow, ModelPlan, Section

UNPLANNED = "This model isn't planned yet: everything is asked, and nothing of it is marked as measured."
TITLES: dict[Section, str] = {
    "audience": "Audience, by kind of text",
    "drafts": "Drafts",
    "check": "Checks",
    "factor": "Factors",
    "kind": "Kinds",
    "fault": "Faults",
    "turn": "Turn",
    "duel": "Duels",
    "prose": "Sentences",
    "reference": "References",
}
MEASURED: dict[Measured, str] = {
    "r": "correlation with an editor's readings; 0: chance",
    "auc": "area under the curve against an editor's readings; .50: chance",
    "share": "share that is right",
}
SOURCES: dict[Source | None, str] = {"asked": "asked", "read": "read", "both": "asked and read", None: "not asked"}


def summary(found: ModelPlan) -> str:
    """What a verdict does with this model."""
    if not found.planned:
        return UNPLANNED
    if found.tokens:
        return f"Asking what is worth it costs {found.tokens:,} tokens beyond the reading of the joke."
    return "A verdict reads the joke once and asks nothing."


def tried(found: ModelPlan) -> str:
    """On what it was measured what asking adds; empty where it wasn't."""
    return f"What asking adds was measured on {found.texts} texts that an editor read." if found.texts else ""


def prose_test(found: ModelPlan) -> str:
    """What the prose test found; empty where it wasn't made."""
    remark = next((row.remark for row in found.rows if row.remark), "")
    return f"Prose test {remark}." if remark else ""


def worth_of(row: ItemRow) -> str:
    """``.57 (.54–.60)``."""
    interval = f" ({figure(row.low)}–{figure(row.high)})" if row.low is not None and row.high is not None else ""
    return figure(row.worth) + interval


def figure(value: float) -> str:
    """``.57``, ``-.02``, ``1.00``."""
    return f"{value:.2f}".replace("0.", ".", 1)


def unmeasured(found: ModelPlan) -> tuple[str, ...]:
    """What the user added or gave another meaning, by how it takes part; a sentence each."""
    ways = ((True, "asked about in each rating"), (False, "only asked about where every question is asked"))
    named = [(how, [item.name for item in found.unmeasured if item.always is always]) for always, how in ways]
    return tuple(f"Your own, not measured, {how}: {', '.join(names)}." for how, names in named if names)
