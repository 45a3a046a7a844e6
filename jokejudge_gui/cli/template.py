"""``jokejudge template …``: packs of judge templates, and running them over another judge's outputs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from ..batch.batch import Tally, counted
from ..batch.lines import Shard
from ..core.errors import ErrorInfo, UsageError
from ..core.events import Event, Finished
from ..core.pages import Table
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
from .batch import same_file, tally_line, tally_object
from .console import Console
from .context import Context, given_or_piped, misuse
from .running import Last, end, noting, run_job

_RUN = "template run {} {} --out out.jsonl"


def _list(context: Context) -> int:
    packs = shipped_packs()
    if context.console.json:
        return context.console.answer({"packs": [_pack_object(pack) for pack in packs]})
    for pack in packs:
        context.console.heading(f"{pack.source}: {pack.name}, {len(pack.modules)} modules")
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
        return context.console.answer({**_pack_object(pack), "modules": found})
    console = context.console
    console.heading(f"{pack.name} (version {pack.version})")
    for module in modules:
        console.section(f"{module.id} {module.name}, {module.type}")
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
        seen: list[PowerFound] = []
        last, _ = run_job(
            context, lambda session, cancel: noting(ended(measure_powers(session, pack, cancel)), PowerFound, seen)
        )
        powers = {event.module: event.power for event in seen}
        if not isinstance(last, Finished):
            return _ended(context, last, {})
    if console.json:
        console.object(
            {
                **_pack_object(pack),
                "rows": count,
                "bad": [{"line": line, "id": id, "error": error.model_dump()} for line, id, error in bad],
                "power": {module: power.model_dump() for module, power in powers.items()},
                "told": {module: _detectable(pack, module, power) for module, power in powers.items()},
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
        named = _detectable(pack, module, power)
        console.paragraph(
            f"{module}: the model can tell {', '.join(named)}."
            if named
            else f"{module}: the model can tell none of the rules that it is asked about."
        )
    return 1 if bad else 0


def _checked(source: str, pack: Pack) -> tuple[int, list[tuple[int, str | None, ErrorInfo]]]:
    """Return the number of rows, and line, id and error of those that can't be judged."""
    with TemplateRows(source, pack) as rows:
        return len(rows), [(row.line, row.id, row.problem) for row in rows if row.problem is not None]


def _run(context: Context) -> int:
    args = context.args
    pack = find_pack(args.pack)
    data = next(iter(given_or_piped([args.data] if args.data else [])), None)
    if data is None:
        raise misuse(
            "template run needs a file of rows.", f"For instance: jokejudge {_RUN.format(args.pack, 'rows.jsonl')}"
        )
    out = _out(args.out, data, f"jokejudge {_RUN.format(args.pack, data)}")
    shard = None if args.shard is None else Shard.parse(args.shard)
    with TemplateRows(data, pack, shard) as rows:
        file = TemplateFile(out, pack, retry_errors=args.retry_errors, ids=rows.names)
        try:
            tally = counted(rows, file)
            last: Last = Finished()
            if tally.rows:
                record = context.keeps_batches
                last, _ = run_job(
                    context,
                    lambda session, cancel: judge_rows(session, rows, file, tally, record=record, cancel=cancel),
                )
        finally:
            file.close()
    summaries = summarise(pack, (line for _, line in read_results(out))) if tally.rows else []
    fields = tally_object(tally, out) | {"modules": [summary.model_dump() for summary in summaries]}
    return _ended(context, last, fields, summaries, tally)


def _stages(context: Context) -> int:
    args = context.args
    source = Path(args.readings) if args.readings else shipped_readings()
    out = _out(args.out, str(source), "jokejudge template stages --limit 50 --out stages.jsonl")
    readings = read_stage_readings(source, args.limit)
    record = context.keeps_batches
    seen: list[StageRows] = []

    def say(event: Event) -> str | None:
        return "Judging reference readings" if isinstance(event, StageRows) else None

    last, _ = run_job(
        context,
        lambda session, cancel: noting(
            stage_rows(session, readings, out, record=record, cancel=cancel), StageRows, seen
        ),
        say,
    )
    made = seen[-1].rows if seen else 0
    if isinstance(last, Finished):
        context.console.note(
            f"{made:,} rows of {len(readings):,} texts are in {out}. Judge them with: "
            f"jokejudge template run stages {out} --out OUT.jsonl"
        )
    return _ended(context, last, {"rows": made, "texts": len(readings), "out": str(out)})


def _out(name: str | None, data: str, example: str) -> Path:
    if name is None or name == "-":
        raise misuse("--out with the name of a file is needed.", f"For instance: {example}")
    if data != "-" and same_file(Path(data), Path(name)):
        raise UsageError("E_BATCH_SAME", "--out is the file that is read.", "Give --out another name.")
    if Path(name).exists() and not Path(name).is_file():  # raised before a model is loaded
        raise misuse(f"{name} isn't a plain file.", "Give --out another name.")
    return Path(name)


def _ended(
    context: Context,
    last: Last,
    value: dict[str, Any],
    summaries: Sequence[ModuleSummary] = (),
    tally: Tally | None = None,
) -> int:
    """Print the results and return the exit status."""
    console = context.console
    if tally is not None:
        console.note(tally_line(tally))
    show = partial(_table, console, summaries)
    return end(console, last, value, show, note="Run the same command again to go on from there.")


def _table(console: Console, summaries: Sequence[ModuleSummary]) -> None:
    if not summaries:
        return
    rows = []
    for each in summaries:
        points = "" if each.least is None or each.most is None else f"{each.least:.0f}–{each.most:.0f}"
        counts = map(str, (each.rows, each.passed, each.failed, each.untold, each.wrong))
        broken = "".join(f"{rule} ({times})" for rule, times in Counter(each.broken).most_common(1))
        rows.append((each.module or "(unknown)", *counts, points, broken))
    head = ("module", "rows", "pass", "fail", "not told", "wrong", "points", "broken most")
    console.table(Table("", head, tuple(rows)))


def _detectable(pack: Pack, module: str, power: Power) -> list[str]:
    found: Module | None = pack.module(module)
    rules = [rule.name for rule in asked_rules(found) if power.tells_rule(rule.name)] if found else []
    return [*rules, *(f"reasoning: {part.replace('_', ' ')}" for part in PARTS if part in power.reliable_parts())]


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
