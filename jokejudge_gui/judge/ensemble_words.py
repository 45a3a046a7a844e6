"""Sentences about the models that gave a verdict: what each of several said, and whether only models of the writer's
family judged a text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..core.pages import Row
from ..core.texts import number
from ..core.verdicts import PanelFindings, PanelMember
from ..library.catalogue import are_kin

if TYPE_CHECKING:
    from ..engine.base import EngineInfo


def kin_caution(writers: Sequence[str], judges: Sequence[EngineInfo]) -> str:
    """Return the warning that only models of the writer's own family judge a text; ``writers``: of each text, empty
    where it isn't known. Empty where there is nothing to warn of."""
    kin = [name for name in writers if name and all(are_kin(name, one.name, one.architecture) for one in judges)]
    if not kin:
        return ""
    count = f"{len(kin):,} of the jokes {'was' if len(kin) == 1 else 'were'}" if len(writers) > 1 else "The text was"
    names, whose = ", ".join(dict.fromkeys(kin)), "the judge's" if len(judges) == 1 else "all the judges'"
    favoured = "it" if len(kin) == 1 else "them"
    return (
        f"{count} written by a model of {whose} own family ({names}), which may favour {favoured}. "
        "Let a model of another family judge too (--model, given twice)."
    )


def member_line(member: PanelMember) -> str:
    """Return one model's verdict, with the figures behind its weight."""
    if member.error is not None:
        return str(member.error)
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
