"""Options of ``jokejudge audit``."""

from __future__ import annotations

from .parser import Parser, some, words


def audit_options(leaf: Parser) -> None:
    """Add them to the command's parser."""
    leaf.add_argument(
        "--pairs", metavar="FILE", help="pairs that people judged, as for evaluate; without it, jokes that come with it"
    )
    leaf.add_argument(
        "--probe", metavar="NAME", action="append", type=words, help="only this probe; may be given several times"
    )
    leaf.add_argument("--n", metavar="N", type=some, help="pairs to audit on (200; of a file, all)")
    leaf.add_argument(
        "--asked", metavar="N", type=some, help="pairs that the model itself is asked about, where it is asked (60)"
    )
    leaf.add_argument("--html", metavar="OUT.html", help="write the report with plots, in one file")
    leaf.add_argument(
        "--against", metavar="OLD.json", help="say what changed since an audit that --json wrote: what flipped"
    )
