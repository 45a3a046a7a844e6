"""``jokejudge template …``: packs of judge templates, and running them over another judge's outputs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ..batch.batch import RowBegun, Tally, counted
from ..batch.lines import Shard, pace
from ..core.errors import ErrorInfo, UsageError, restore
from ..core.events import Cancelled, Event, Failed, Finished
from ..judge.templates.power import Power, asked_rules
from ..judge.templates.types import PARTS
from ..measure.template_run import (
    ModuleSummary,
    PowerFound,
    TemplateFile,
    TemplateRows,
    judge_rows,
    measure_powers,
    read_results,
    summarise,
)
from ..measure.template_stages import StageRows, read_stage_readings, shipped_readings, stage_rows
from ..rubric.templates import Module, Pack, find_pack, shipped_packs
from ..session.recording import ended
from .batch import same_file
from .console import Console
from .context import Context
from .rate import INTERRUPTED, STOPPED
from .running import Progress, follow, interruptible
from .verdicts import heading


def _list(context: Context) -> int:
    packs = shipped_packs()
    if context.console.json:
        context.console.object({"packs": [_pack_object(pack) for pack in packs], "error": None})
        return 0
    for pack in packs:
        heading(context.console, f"{pack.source}: {pack.name}, {len(pack.modules)} modules")
        context.console.paragraph(pack.about)
    return 0


def _show(context: Context) -> int:
    pack = find_pack(context.args.pack)
    modules = [module for module in pack.modules if not context.args.modules or module.id in context.args.modules]
    if not modules:
        raise UsageError(
            "E_TEMPLATE_MODULE",
            f"The pack {pack.source} has none of these modules.",
            f"It has {', '.join(module.id for module in pack.modules)}.",
        )
    if context.console.json:
        found = [module.model_dump(mode="json") for module in modules]
        context.console.object({**_pack_object(pack), "modules": found, "error": None})
        return 0
    console = context.console
    heading(console, f"{pack.name} (version {pack.version})")
    for module in modules:
        console.text("")
        heading(console, f"{module.id} {module.name}, {module.type}")
        console.paragraph(module.task)
        for rule in module.rules:
            how = "checked by the program" if rule.check else "asked of the model"
            console.paragraph(f"· {rule.name}: {rule.says} ({how})")
    return 0


def _check(context: Context) -> int:
    args, console = context.args, context.console
    pack = find_pack(args.pack)
    count, bad = _checked(args.data, pack) if args.data else (0, [])
    powers: dict[str, Power] = {}
    if args.measure:
        last = _measure(context, pack, powers)
        if not isinstance(last, Finished):
            return _ended(context, last, {})
    if console.json:
        console.object(
            {
                **_pack_object(pack),
                "rows": count,
                "bad": [{"line": line, "id": id, "error": error.model_dump()} for line, id, error in bad],
                "power": {module: power.model_dump() for module, power in powers.items()},
                "told": {module: _told(pack, module, power) for module, power in powers.items()},
                "error": None,
            }
        )
        return 1 if bad else 0
    by_program = sum(rule.check is not None for module in pack.modules for rule in module.rules)
    asked = sum(len(asked_rules(module)) for module in pack.modules)
    console.text(
        f"{pack.name} is sound: {len(pack.modules)} modules; {by_program} rules are checked by the program, "
        f"{asked} asked of the model."
    )
    if args.data:
        console.text(f"{count:,} rows, {len(bad)} that can't be judged.")
        for _, _, error in bad[:20]:
            console.paragraph(f"{error.sentence} {error.hint}")
    for module, power in powers.items():
        told = _told(pack, module, power)
        console.paragraph(
            f"{module}: told are {', '.join(told)}." if told else f"{module}: none of its asked rules can be told."
        )
    return 1 if bad else 0


def _checked(source: str, pack: Pack) -> tuple[int, list[tuple[int, str | None, ErrorInfo]]]:
    """How many rows there are; line, id and fault of those that can't be judged."""
    with TemplateRows(source, pack) as rows:
        return len(rows), [(row.line, row.id, row.problem) for row in rows if row.problem is not None]


def _measure(context: Context, pack: Pack, powers: dict[str, Power]) -> Finished | Failed | Cancelled:
    with context.session() as session, interruptible() as cancel:

        def found() -> Iterator[Event]:
            for event in ended(measure_powers(session, pack, cancel)):
                if isinstance(event, PowerFound):
                    powers[event.module] = event.power
                yield event

        return follow(found(), Progress(context.console))


def _run(context: Context) -> int:
    args = context.args
    pack = find_pack(args.pack)
    out = _out(args.out, args.data, f"jokejudge template run {args.pack} {args.data} --out out.jsonl")
    shard = None if args.shard is None else Shard.parse(args.shard)
    with TemplateRows(args.data, pack, shard) as rows:
        file = TemplateFile(out, pack, retry_errors=args.retry_errors, ids=rows.names)
        try:
            tally = counted(rows, file)
            last = _judge(context, rows, file, tally) if tally.rows else Finished()
        finally:
            file.close()
    summaries = summarise(pack, (line for _, line in read_results(out))) if tally.rows else []
    return _ended(context, last, _run_object(out, tally, summaries), summaries, tally)


def _judge(context: Context, rows: TemplateRows, file: TemplateFile, tally: Tally) -> Finished | Failed | Cancelled:
    progress = Progress(context.console)
    record = not (context.args.no_history or context.settings.batch_no_history)

    def shown(event: Event) -> None:
        if isinstance(event, RowBegun):
            line = f"{pace(event.done, event.total, event.seconds)}{event.id or ''}"
            progress.line(line, event.done, event.total, now=event.done == 0)
        else:
            progress.show(event)

    with context.session() as session, interruptible() as cancel:
        try:
            for event in judge_rows(session, rows, file, tally, record=record, cancel=cancel):
                if isinstance(event, Finished | Failed | Cancelled):
                    return event
                shown(event)
        finally:
            progress.clear()
    raise RuntimeError("a run ended without a last event")


def _stages(context: Context) -> int:
    args = context.args
    source = Path(args.readings) if args.readings else shipped_readings()
    out = _out(args.out, str(source), "jokejudge template stages --limit 50 --out stages.jsonl")
    readings = read_stage_readings(source, args.limit)
    progress = Progress(context.console)
    record = not (args.no_history or context.settings.batch_no_history)
    made = 0
    last: Finished | Failed | Cancelled = Finished()
    with context.session() as session, interruptible() as cancel:
        try:
            for event in stage_rows(session, readings, out, record=record, cancel=cancel):
                if isinstance(event, Finished | Failed | Cancelled):
                    last = event
                elif isinstance(event, StageRows):
                    made = event.rows
                    progress.line("Judging reference readings", event.done, event.total)
        finally:
            progress.clear()
    if isinstance(last, Finished):
        context.console.note(
            f"{made:,} rows of {len(readings):,} texts are in {out}. Judge them with: "
            f"jokejudge template run stages {out} --out OUT.jsonl"
        )
    return _ended(context, last, {"rows": made, "texts": len(readings), "out": str(out)})


def _out(name: str | None, data: str, example: str) -> Path:
    if name is None or name == "-":
        raise UsageError("E_USAGE", "--out with the name of a file is needed.", f"For instance: {example}")
    if data != "-" and same_file(Path(data), Path(name)):
        raise UsageError("E_BATCH_SAME", "--out is the file that is read.", "Give --out another name.")
    return Path(name)


def _ended(
    context: Context,
    last: Finished | Failed | Cancelled,
    value: dict[str, Any],
    summaries: Sequence[ModuleSummary] = (),
    tally: Tally | None = None,
) -> int:
    """Say what came of it; the exit status."""
    console = context.console
    error: ErrorInfo | None = None
    if isinstance(last, Failed):
        error = last.error
    elif isinstance(last, Cancelled):
        error = STOPPED
    if error is not None:
        console.error(restore(error))
        console.note("Run the same command again to go on from there.")
    if console.json:
        console.object({**value, "error": error.model_dump() if error else None})
    else:
        _table(console, summaries)
    if tally is not None:
        console.note(
            f"{tally.rows:,} rows: {tally.judged:,} judged, {tally.errors:,} with an error, {tally.skipped:,} were "
            f"there already, {tally.left:,} left."
        )
    return 0 if error is None else INTERRUPTED if isinstance(last, Cancelled) else 1


def _run_object(out: Path, tally: Tally, summaries: Sequence[ModuleSummary]) -> dict[str, Any]:
    return {
        "rows": tally.rows,
        "judged": tally.judged,
        "skipped": tally.skipped,
        "errors": tally.errors,
        "out": str(out),
        "modules": [summary.model_dump() for summary in summaries],
    }


def _table(console: Console, summaries: Sequence[ModuleSummary]) -> None:
    if not summaries:
        return
    console.text(
        console.style.paint("module           rows  pass  fail  not told  wrong  points     broken most", "dim")
    )
    for each in summaries:
        points = "" if each.least is None or each.most is None else f"{each.least:.0f}–{each.most:.0f}"
        worst = Counter(each.broken).most_common(1)
        broken = f"{worst[0][0]} ({worst[0][1]})" if worst else ""
        console.text(
            f"{each.module or '(unknown)':<15}{each.rows:>6}{each.passed:>6}{each.failed:>6}{each.untold:>10}"
            f"{each.wrong:>7}  {points:<9}  {broken}"
        )


def _told(pack: Pack, module: str, power: Power) -> list[str]:
    found: Module | None = pack.module(module)
    rules = [rule.name for rule in asked_rules(found) if power.tells_rule(rule.name)] if found else []
    return [*rules, *(f"reasoning: {part.replace('_', ' ')}" for part in PARTS if part in power.told_parts())]


def _pack_object(pack: Pack) -> dict[str, Any]:
    return {
        "pack": pack.source,
        "name": pack.name,
        "about": pack.about,
        "version": pack.version,
        "modules": [{"id": module.id, "name": module.name, "type": module.type} for module in pack.modules],
    }


COMMANDS: dict[str, Callable[[Context], int]] = {
    "list": _list,
    "show": _show,
    "check": _check,
    "run": _run,
    "stages": _stages,
}
