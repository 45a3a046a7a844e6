"""What can be typed after ``jokejudge template``."""

from __future__ import annotations

from .contest_arguments import shard_option
from .parser import Adder, some, words

_PACK = "a shipped pack (seeds, stages), or an XML file of your own"


def template_commands(add: Adder) -> None:
    """The commands under ``jokejudge template``."""
    add("list", "the packs of judge templates")
    leaf = add("show", "a pack's modules and their rules")
    leaf.add_argument("pack", metavar="PACK", type=words, help=_PACK)
    leaf.add_argument("modules", nargs="*", metavar="MODULE", type=words, help="only these modules")
    leaf = add("check", "check a pack and rows, and what the model can tell of the pack's rules")
    leaf.add_argument("pack", metavar="PACK", type=words, help=_PACK)
    leaf.add_argument("data", nargs="?", metavar="DATA.jsonl", help="also check these rows")
    leaf.add_argument("--measure", action="store_true", help="plant violations, and say which rules the model can tell")
    leaf = add("run", "judge rows of outputs by their modules' templates")
    leaf.add_argument("pack", metavar="PACK", type=words, help=_PACK)
    leaf.add_argument(
        "data", metavar="DATA.jsonl", help="rows with id, module, input, output, expected, reasoning; - reads stdin"
    )
    leaf.add_argument("--out", metavar="OUT.jsonl", help="one line for each row; run again to go on where it stopped")
    shard_option(leaf)
    leaf.add_argument("--retry-errors", action="store_true", help="judge rows again whose line in OUT is an error")
    leaf = add("stages", "make rows of this program's own stages from reference readings, for the pack stages")
    leaf.add_argument("--readings", metavar="FILE.jsonl", help="readings of your own; without it the shipped ones")
    leaf.add_argument("--limit", metavar="N", type=some, help="judge at most N texts")
    leaf.add_argument(
        "--out", metavar="DATA.jsonl", help="the file that the rows are written to; run again to go on where it stopped"
    )
