"""``jokejudge template …``: packs of judge templates, and running them over another judge's outputs."""

from __future__ import annotations

from contextlib import closing

from ..batch.lines import RowsFile, Shard, Tally, counted
from ..core.events import Finished
from ..judge.templates.words import TEMPLATE
from ..measure.template_run import TemplateRows, judge_rows, modules_table, summaries
from ..rubric.templates import find_pack, shipped_packs
from . import options
from .batch import tally_line, tally_object
from .context import Context, given_or_piped, misuse, refuse, written
from .options import Group, argument, option
from .running import GO_ON, Last, end, run_job

template = Group("template")


@template.command("list")
def show_packs(context: Context) -> int:
    """The packs of judge templates."""
    packs = shipped_packs()
    words = (f"{pack.source}: {pack.name}, {len(pack.modules)} modules\n{pack.about}" for pack in packs)
    objects = [
        {"pack": pack.source, **{name: getattr(pack, name) for name in ("name", "about", "version")},
         "modules": [{"id": module.id, "name": module.name, "type": module.type} for module in pack.modules]}
        for pack in packs
    ]  # fmt: skip
    return context.console.answer({"packs": objects}, "", *words)


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
    refuse((data is None, "template run needs a file of rows.", f"For instance: {example}"))
    out = written("out", args.out, data)
    if data is None or out is None:
        raise misuse("--out with the name of a file is needed.", f"For instance: {example}")
    rows = TemplateRows(data, pack, None if args.shard is None else Shard.parse(args.shard))
    last: Last = Finished()
    with closing(RowsFile(out, TEMPLATE.name, (), rows, retry_errors=args.retry_errors)) as file:
        tally: Tally = counted(rows, file)
        if rows:
            how = {"record": context.keeps_batches}
            last, _ = run_job(context, lambda s, cancel: judge_rows(s, rows, file, tally, pack, cancel=cancel, **how))
    modules = summaries(pack, out) if tally.rows else []
    console.note(tally_line(tally))
    show = (lambda: console.table(modules_table(modules))) if modules else None
    return end(console, last, tally_object(tally, out) | {"modules": modules}, show, note=GO_ON)
