"""``jokejudge models plan``: what each part of a verdict is worth on a model, and where it comes from."""

from __future__ import annotations

from itertools import groupby

from ..errors import info
from ..judging.plan.worth import Measured
from ..runs.shelf import TrustShelf
from ..runs.worths import ItemRow, ModelPlan, Section, plan_of
from .console import Console, printable, shorten
from .context import Context
from .editor_command import learn
from .fit_command import with_model
from .trust_command import named_model

UNPLANNED = "This model isn't planned yet: everything is asked, and nothing of it is marked as measured."
_TITLES: dict[Section, str] = {
    "audience": "Audience, by kind of text",
    "drafts": "Drafts",
    "check": "Checks",
    "factor": "Factors",
    "kind": "Kinds",
    "fault": "Faults",
    "turn": "Turn",
    "duel": "Duels",
    "prose": "Sentences",
}
_MEASURED: dict[Measured, str] = {
    "r": "correlation with an editor's readings; 0: chance",
    "auc": "area under the curve against an editor's readings; .50: chance",
    "share": "share that is right",
}
_NAME = 34


def plan(context: Context) -> int:
    """Print the plan of the named model, or of the one in use; with ``--measure`` measure first what asking adds. Exit
    status 0, also where there is no plan."""
    if context.args.measure:
        named = with_model(context, context.args.spec)
        status, model = learn(named, lambda session, cancel: session.measure_plan(cancel=cancel))
        if status or model is None or context.console.json:
            return status
    else:
        model = named_model(context, TrustShelf(context.profile))
    found = plan_of(model, context.profile)
    if context.console.json:
        context.console.object(_object(found))
    else:
        _show(context.console, found)
    return 0


def _object(found: ModelPlan) -> dict[str, object]:
    return {
        "model": found.model.model_dump(),
        "planned": found.planned,
        "line": None if found.planned else UNPLANNED,
        "items": [row.model_dump(mode="json") for row in found.rows],
        "tokens": found.tokens,
        "error": info(found.faults[0]).model_dump() if found.faults else None,
    }


def _show(console: Console, found: ModelPlan) -> None:
    console.text(console.style.paint(printable(found.model.name, lines=False), "bold"))
    for fault in found.faults:
        console.paragraph(f"{fault.sentence} {fault.hint}".strip(), paint="red")
    if not found.planned:
        console.paragraph(UNPLANNED)
    elif found.tokens:
        console.paragraph(f"Asking what is worth it costs {found.tokens:,} tokens beyond the reading of the joke.")
    else:
        console.paragraph("A verdict reads the joke once and asks nothing. To ask every question: --ask all")
    for (section, measured), rows in groupby(found.rows, key=lambda row: (row.section, row.measured)):
        _section(console, section, measured, list(rows))


def _section(console: Console, section: Section, measured: Measured, rows: list[ItemRow]) -> None:
    console.text("")
    console.text(console.style.paint(_TITLES[section], "bold"))
    unit = _MEASURED[measured]
    console.text(console.style.paint(f"  {unit}", "dim"))
    for row in sorted(rows, key=lambda row: (not row.shown, -row.worth)):
        console.text(_line(row))


def _line(row: ItemRow) -> str:
    interval = f" ({_figure(row.low)}–{_figure(row.high)})" if row.low is not None and row.high is not None else ""
    source = "not asked" if row.source is None else "asked and read" if row.source == "both" else row.source
    shown = "shown" if row.shown else "not shown"
    tokens = f"  {row.tokens:,} tokens" if row.tokens else ""
    name = shorten(printable(row.name, lines=False), _NAME)
    return f"  {name}  {_figure(row.worth) + interval:<16}  {source:<14}  {shown}{tokens}".rstrip()


def _figure(value: float) -> str:
    return f"{value:.2f}".replace("0.", ".", 1)
