"""``jokejudge template …``: packs of judge templates, and running them over another judge's outputs."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

from ..batch.lines import Shard, Tally, counted
from ..core.errors import UsageError
from ..core.events import Finished
from ..measure.template_run import (
    TemplateFile,
    TemplateRows,
    judge_rows,
    modules_table,
    summaries,
)
from ..rubric.templates import Pack, find_pack, shipped_packs
from . import options
from .batch import same_file, tally_line, tally_object
from .context import Context, given_or_piped, misuse
from .options import Group, argument, option
from .running import Last, end, run_job

_GO_ON = "Run the same command again to go on from there."


template = Group("template")


@template.command("list")
def show_packs(context: Context) -> int:
    """The packs of judge templates."""
    packs = shipped_packs()
    words = (f"{pack.source}: {pack.name}, {len(pack.modules)} modules\n{pack.about}" for pack in packs)
    return context.console.answer({"packs": [_pack_object(pack) for pack in packs]}, "", *words)


@template.command("show")
@options.pack
@argument("modules [MODULE]...", "Only these modules.")
def show(context: Context) -> int:
    """A pack's modules and their rules."""
    pack, console = find_pack(context.args.pack), context.console
    modules = [module for module in pack.modules if not context.args.modules or module.id in context.args.modules]
    if not modules:
        raise UsageError(
            "E_TEMPLATE_MODULE",
            f"The pack {pack.source} has none of these modules.",
            f"It has {', '.join(module.id for module in pack.modules)}.",
        )
    if console.json:
        return console.answer({**_pack_object(pack), "modules": [module.model_dump(mode="json") for module in modules]})
    console.heading(f"{pack.name} (version {pack.version})")
    for module in modules:
        console.section(f"{module.id} {module.name}, {module.type}")
        console.paragraph(module.task)
        for rule in module.rules:
            how = "checked by the program" if rule.check else "asked of the model"
            console.paragraph(f"· {rule.name}: {rule.says} ({how})")
    return 0


@template.command("check")
@options.pack
@argument("data [DATA.jsonl]", "Also check these rows.")
def check(context: Context) -> int:
    """Check a pack and rows."""
    args = context.args
    pack = find_pack(args.pack)
    rows = TemplateRows(args.data, pack) if args.data else []
    bad = [(row, row.problem) for row in rows if row.problem is not None]
    faults = [{"line": row.line, "id": row.id, "error": problem.model_dump()} for row, problem in bad]
    rules = [rule for module in pack.modules for rule in module.rules]
    by_program = sum(rule.check is not None for rule in rules)
    words = [
        f"{pack.name} is sound: {len(pack.modules)} modules; {by_program} rules are checked by the program, "
        f"{len(rules) - by_program} asked of the model."
    ]
    if args.data:
        words.append(f"{len(rows):,} rows, {len(bad)} that can't be judged.")
    words += [str(problem) for _, problem in bad[:20]]
    context.console.answer({**_pack_object(pack), "rows": len(rows), "bad": faults}, "", *words)
    return 1 if bad else 0


@template.command("run", judges=True)
@options.pack
@argument(
    "data [DATA.jsonl]",
    "Rows with id, module, input, output, expected, reasoning; without it, or with -, standard input is read.",
)
@option("-o --out OUT.jsonl", "One line for each row; run again to go on where it stopped.")
@options.shard
@options.retry_errors
@options.keep_in_history
def run(context: Context) -> int:
    """Judge rows of outputs by their modules' templates."""
    args, console = context.args, context.console
    pack = find_pack(args.pack)
    data = next(iter(given_or_piped([args.data] if args.data else [])), None)
    example = f"jokejudge template run {args.pack} {data or 'rows.jsonl'} --out out.jsonl"
    if data is None:
        raise misuse("template run needs a file of rows.", f"For instance: {example}")
    out = _out(args.out, data, example)
    rows = TemplateRows(data, pack, None if args.shard is None else Shard.parse(args.shard))
    last: Last = Finished()
    with closing(TemplateFile(out, pack, rows=rows, retry_errors=args.retry_errors)) as file:
        tally: Tally = counted(rows, file)
        if rows:
            record = context.keeps_batches
            last, _ = run_job(
                context, lambda session, cancel: judge_rows(session, rows, file, tally, record=record, cancel=cancel)
            )
    modules = summaries(pack, out) if tally.rows else []
    console.note(tally_line(tally))

    def show() -> None:
        if modules:
            console.table(modules_table(modules))

    return end(console, last, tally_object(tally, out) | {"modules": modules}, show, note=_GO_ON)


def _out(name: str | None, data: str, example: str) -> Path:
    if name is None or name == "-":
        raise misuse("--out with the name of a file is needed.", f"For instance: {example}")
    if data != "-" and same_file(Path(data), Path(name)):
        raise UsageError("E_BATCH_SAME", "--out is the file that is read.", "Give --out another name.")
    if Path(name).exists() and not Path(name).is_file():  # raised before a model is loaded
        raise misuse(f"{name} isn't a plain file.", "Give --out another name.")
    return Path(name)


def _pack_object(pack: Pack) -> dict[str, Any]:
    return {
        "pack": pack.source,
        "name": pack.name,
        "about": pack.about,
        "version": pack.version,
        "modules": [{"id": module.id, "name": module.name, "type": module.type} for module in pack.modules],
    }
