"""Sentences about the models that gave a verdict: how a panel was divided, and whether only models of the writer's
family judged a text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..core.pages import Row
from ..core.texts import number
from ..core.verdict_kinds import Draft, Fact
from ..core.verdicts import Dissent, PanelFindings, PanelMember
from ..library.catalogue import are_kin
from .main_judge import MainJudge


def caution_of_kin(draft: Draft[Any], generator: str, judge: MainJudge) -> None:
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


def side_with(dissent: Dissent) -> str:
    """ "B is funnier (two of three models)." """
    who = f"{number(dissent.agree)} of {number(dissent.of)} models"
    if dissent.agree == dissent.of:
        who = "both models" if dissent.of == 2 else f"all {number(dissent.of)} models"
    return f"{dissent.finding} ({who})."


def panel_size(panel: PanelFindings) -> str:
    """Return a panel's size with its number of independent votes."""
    judged = sum(member.error is None for member in panel.members)
    size = f"{judged} model{'' if judged == 1 else 's'}, which count as {panel.votes:.1f} independent ones"
    if panel.correlation is None:
        return size
    how = "" if panel.measured else ", as other models' do"
    return f"{size} (their errors correlate at {panel.correlation:.2f}{how})"


def member_line(member: PanelMember) -> str:
    if member.error is not None:
        return f"{member.error.sentence} {member.error.hint}".strip()
    worth = "worth not measured" if member.worth is None else f"right in {100 * member.worth:.0f} of 100 pairs"
    return f"{member.headline} ({worth}; {100 * member.weight:.0f} % of the weight)"


def panel_rows(panel: PanelFindings | None) -> Iterator[Row]:
    """Yield each model's verdict in a panel, and how they differ, below one row; nothing for a single judge."""
    if panel is None:
        return
    members = (Row(member_line(member), member.model.name) for member in panel.members)
    yield Row(
        f"{panel.name}: {panel_size(panel)}.", "By model", rows=(*members, *(Row(side_with(d)) for d in panel.dissent))
    )


def panel_facts(panel: PanelFindings | None) -> Iterator[Fact]:
    """Yield a panel's lines for exports; none for a single judge."""
    if panel is None:
        return
    yield Fact(name="Panel", text=f"{panel.name}: {panel_size(panel)}")
    for member in panel.members:
        yield Fact(name=member.model.name, text=member_line(member))
    for each in panel.dissent:
        yield Fact(name="How the models disagree", text=side_with(each))
