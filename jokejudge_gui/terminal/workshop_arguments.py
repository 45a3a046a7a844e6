"""Options of ``jokejudge workshop``."""

from __future__ import annotations

from .parser import Parser, words


def workshop_options(leaf: Parser) -> None:
    """Add them to the command's parser."""
    leaf.add_argument(
        "texts", nargs="*", metavar="TEXT",
        help="the joke, and further versions of it; - reads one from standard input; with --resume more versions",
    )  # fmt: skip
    leaf.add_argument("--file", metavar="F", help="read a version from a file")
    leaf.add_argument("--resume", metavar="ID|last", type=words, help="go on with a joke of the history")
    leaf.add_argument(
        "--from", dest="parent", metavar="N", type=words,
        help="the version that the next one is made from (the last one)",
    )  # fmt: skip
    leaf.add_argument(
        "--take", metavar="N[LETTER]", type=words,
        help="with --resume: add an edit that the program proposed for version N (2b: its second one)",
    )  # fmt: skip
