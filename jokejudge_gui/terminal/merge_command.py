"""``jokejudge merge``: the parts of a run put together."""

from __future__ import annotations

from pathlib import Path

from ..errors import UsageError
from ..runs.merge import merge as merge_files
from .context import Context


def merge(context: Context) -> int:
    """Put the files of ``--shard`` runs together."""
    args = context.args
    if args.out is None or args.out == "-" or not args.parts:
        raise UsageError(
            "E_USAGE",
            "merge takes the parts of a run, and --out with the name of a new file.",
            "For instance: jokejudge merge part1.jsonl part2.jsonl --out all.jsonl",
        )
    written, double = merge_files([Path(part) for part in args.parts], Path(args.out))
    if context.console.json:
        context.console.object({"rows": written, "double": double, "out": args.out, "error": None})
        return 0
    again = f"; {double:,} stood in several parts and were written once" if double else ""
    context.console.note(f"Wrote {written:,} {'line' if written == 1 else 'lines'} to {args.out}{again}.")
    return 0
