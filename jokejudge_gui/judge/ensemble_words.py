"""Sentences about the models that gave a verdict: what each of several said, and whether only models of the writer's
family judged a text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..core.pages import Row
from ..core.texts import number
from ..core.verdicts import PanelFindings, PanelMember, VerdictResult
from ..library.catalogue import are_kin

if TYPE_CHECKING:
    from .main_judge import MainJudge


def caution_of_kin(draft: VerdictResult, generator: str, judge: MainJudge) -> None:
    """Warn in the draft of a verdict where the judge and the text's writer are models of one family."""
    if generator and are_kin(generator, judge.model.name, judge.engine.info.architecture):
        draft.warn(only_kin(generator, (judge.model.name,)))


def only_kin(generator: str, judges: Sequence[str]) -> str:
    """Return the warning that only models of the writer's own family judged its text."""
    who = f"the only judge, {judges[0]}, is a model" if len(judges) == 1 else "all the judges are models"
    return (
        f"The text was written by {generator}, and {who} of the same family, which may favour it. "
        "Judge it with a model of another family too (--model, given twice)."
    )


def kin_among(generators: Sequence[str], judge: str, architecture: str) -> str:
    """Return the warning that a list's only judge is of the same family as some of its writers; ``generators``: the
    writer of each text, where known; empty where there is nothing to warn of."""
    kin = [name for name in generators if are_kin(name, judge, architecture)]
    if not kin:
        return ""
    count = f"{len(kin):,} of the jokes {'was' if len(kin) == 1 else 'were'}"
    names = ", ".join(dict.fromkeys(kin))
    return (
        f"{count} written by a model of the judge's own family ({names}), which may favour them. "
        "Let a model of another family rank them too."
    )


def member_line(member: PanelMember) -> str:
    """Return one model's verdict, with the figures behind its weight."""
    if member.error is not None:
        return f"{member.error.sentence} {member.error.hint}".strip()
    worth = "worth not measured" if member.worth is None else f"right in {100 * member.worth:.0f} of 100 pairs"
    return f"{member.headline} ({worth}; {100 * member.weight:.0f} % of the weight)"


def panel_rows(panel: PanelFindings | None) -> Iterator[Row]:
    """Yield what each of several models said, and how many say the same as all together; nothing for a single
    judge."""
    if panel is None:
        return
    agree = ""
    for dissent in panel.dissent:
        everyone = "Both models" if dissent["of"] == 2 else f"All {number(dissent['of'])} models"
        some = f"{number(dissent['agree']).capitalize()} of {number(dissent['of'])} models"
        agree = f"{everyone if dissent['agree'] == dissent['of'] else some} say the same as all together."
    members = (Row(member_line(member), member.model.name) for member in panel.members)
    yield Row(agree, "By model", rows=tuple(members))
