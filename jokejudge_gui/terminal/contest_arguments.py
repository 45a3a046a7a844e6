"""Options of ``jokejudge contest``."""

from __future__ import annotations

import argparse
from collections.abc import Callable

FORMATS = ("text", "csv", "jsonl", "markdown", "html", "dpo")


def contest_options(
    leaf: argparse.ArgumentParser,
    *,
    count: Callable[[str], int],
    some: Callable[[str], int],
    words: Callable[[str], str],
) -> None:
    """Add them to the command's parser; the functions read a number, one above 0, and plain text."""
    leaf.add_argument(
        "lists", nargs="*", metavar="LIST",
        help="file with the jokes: lines, a numbered or bulleted list, blocks between blank lines, CSV or JSON lines; "
        "- reads standard input; with --resume jokes to be added",
    )  # fmt: skip
    leaf.add_argument(
        "--topic", dest="context", metavar="TEXT", type=words, default="", help="the topic or scene that all are about"
    )
    leaf.add_argument("--title", metavar="TEXT", type=words, default="", help="a name for the list")
    leaf.add_argument("--top", metavar="K", type=some, default=3, help="how many are to be found (3)")
    leaf.add_argument("--duels", metavar="N", type=count, help="at most so many duels; without it, what is worth it")
    leaf.add_argument("--out", metavar="RUN.jsonl", help="keep every reading; run again to go on where it stopped")
    leaf.add_argument("--resume", metavar="ID|last", type=words, help="go on with a contest of the history")
    leaf.add_argument("--export", metavar="FILE", help="write the ranking to a file")
    leaf.add_argument("--format", choices=FORMATS, help="format of --export; otherwise read off the file's name")
