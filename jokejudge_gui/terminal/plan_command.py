"""``jokejudge models plan``: what each part of a verdict is worth on a model, and where it comes from."""

from __future__ import annotations

from itertools import groupby

from ..errors import info
from ..judging.plan.worth import Measured
from ..runs.plan_words import MEASURED, SOURCES, TITLES, UNPLANNED, figure, summary, tried, unmeasured, worth_of
from ..runs.shelf import TrustShelf
from ..runs.worths import ItemRow, ModelPlan, Section, plan_of
from .console import Console, printable, shorten
from .context import Context
from .editor_command import learn
from .fit_command import with_model
from .trust_command import named_model

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
        "texts": found.texts,
        "unmeasured": [item.model_dump() for item in found.unmeasured],
        "error": info(found.faults[0]).model_dump() if found.faults else None,
    }


def _show(console: Console, found: ModelPlan) -> None:
    console.text(console.style.paint(printable(found.model.name, lines=False), "bold"))
    for fault in found.faults:
        console.paragraph(f"{fault.sentence} {fault.hint}".strip(), paint="red")
    more = "" if found.tokens or not found.planned else " To ask every question: --ask all"
    console.paragraph(summary(found) + more)
    if tried(found):
        console.paragraph(tried(found))
    for line in unmeasured(found):
        console.paragraph(printable(line, lines=False))
    for (section, measured), rows in groupby(found.rows, key=lambda row: (row.section, row.measured)):
        _section(console, section, measured, list(rows))


def _section(console: Console, section: Section, measured: Measured, rows: list[ItemRow]) -> None:
    console.text("")
    console.text(console.style.paint(TITLES[section], "bold"))
    unit = MEASURED[measured]
    console.text(console.style.paint(f"  {unit}", "dim"))
    for row in sorted(rows, key=lambda row: (not row.shown, -row.worth)):
        console.text(_line(row))
        if row.remark:
            console.paragraph(f"    Prose test {row.remark}.", paint="dim")


def _line(row: ItemRow) -> str:
    source = SOURCES[row.source]
    added = f"  asking adds {figure(row.added.value)}" if row.added is not None else ""
    shown = "shown" if row.shown else "not shown"
    tokens = f"  {row.tokens:,} tokens" if row.tokens else ""
    name = shorten(printable(row.name, lines=False), _NAME)
    return f"  {name}  {worth_of(row):<16}  {source:<14}  {shown}{tokens}{added}".rstrip()
