"""Options of ``jokejudge contest``."""

from __future__ import annotations

from typing import Protocol

from .parser import Parser, count, rounds, some, words

LIST_HELP = (
    "file with the jokes: lines, a numbered or bulleted list, blocks between blank lines, a table or JSON; "
    "- reads standard input"
)
FORMATS = ("text", "csv", "jsonl", "markdown", "html", "dpo")


class _Options(Protocol):
    def add_argument(self, *names: str, metavar: str, help: str) -> object: ...


def shard_option(options: _Options) -> None:
    """The part of a run that this process does."""
    options.add_argument("--shard", metavar="K/N", help="only part K of N; jokejudge merge puts the parts together")


def text_column(options: _Options) -> None:
    """Which column of a list holds the jokes."""
    options.add_argument(
        "--text-column",
        metavar="NAME",
        help="the column of a list that holds the jokes, if it isn't named text, joke, caption or content",
    )


def merge_options(leaf: Parser) -> None:
    """The options of ``jokejudge merge``."""
    leaf.add_argument("parts", nargs="*", metavar="PART.jsonl", help="files that --shard and --out wrote")
    leaf.add_argument("--out", metavar="ALL.jsonl", help="the file that they become")


def contest_options(leaf: Parser) -> None:
    """Add them to the command's parser."""
    leaf.add_argument("lists", nargs="*", metavar="LIST", help=f"{LIST_HELP}; with --resume jokes to be added")
    text_column(leaf)
    leaf.add_argument(
        "--topic", dest="context", metavar="TEXT", type=words, default="", help="the topic or scene that all are about"
    )
    leaf.add_argument("--title", metavar="TEXT", type=words, default="", help="a name for the list")
    leaf.add_argument(
        "--generator",
        metavar="NAME",
        type=words,
        default="",
        help="the model that wrote those jokes of LIST whose columns generator and model say nothing: you are warned "
        "where the judge is of its family",
    )
    leaf.add_argument("--top", metavar="K", type=some, help="how many are to be found (3)")
    leaf.add_argument("--duels", metavar="N", type=count, help="at most so many duels; without it, what is worth it")
    leaf.add_argument(
        "--rounds",
        metavar="K",
        type=rounds,
        help="also have the model score the jokes from 1 to 10, several together, in K rounds of shuffled order",
    )
    leaf.add_argument(
        "--by", metavar="COLUMN", type=words, help="also say which group of this column of LIST has the better jokes"
    )
    leaf.add_argument("--out", metavar="RUN.jsonl", help="keep every reading; run again to go on where it stopped")
    shard_option(leaf)
    leaf.add_argument("--resume", metavar="ID|last", type=words, help="go on with a contest of the history")
    leaf.add_argument("--export", metavar="FILE", help="write the ranking to a file")
    leaf.add_argument("--format", choices=FORMATS, help="format of --export; otherwise read off the file's name")


def screen_options(leaf: Parser) -> None:
    """The options of ``jokejudge screen``."""
    leaf.add_argument("lists", nargs="*", metavar="LIST", help=LIST_HELP)
    text_column(leaf)
    leaf.add_argument(
        "--topic", dest="context", metavar="TEXT", type=words, default="", help="the topic or scene that all are about"
    )
    leaf.add_argument("--title", metavar="TEXT", type=words, default="", help="a name for the list")
    for name, default, what in (
        ("reject", 0.70, "a joke is rejected whose chance lies below it"),
        ("high", 0.85, "a joke is high from this chance on"),
        ("promote", 0.90, "a single high joke needs no vote from this chance on"),
    ):
        leaf.add_argument(f"--{name}", metavar="P", type=float, help=f"{what} ({default:.2f})")
    leaf.add_argument("--length-penalty", action="store_true", help="long texts lose .01 for each word over 50")
    leaf.add_argument("--votes", metavar="VOTES.jsonl", help="file with people's votes on those shown")
    leaf.add_argument("--vote", metavar="ID", type=words, help="add a vote for this joke among those shown to --votes")
    leaf.add_argument("--voter", metavar="NAME", type=words, default="", help="whose vote it is")
    leaf.add_argument("--more", action="store_true", help="when a vote is decided, show those next in line")
    leaf.add_argument("--propose", action="store_true", help="take limits that the list itself justifies")
    leaf.add_argument(
        "--of", metavar="ID|last", type=words, help="screen a contest of the history, which keeps the votes"
    )
    leaf.add_argument("--to-score", metavar="FILE.csv", help="write jokes for you to score from 0 to 10")
    leaf.add_argument(
        "--scores", metavar="FILE.csv", help="your own scores (columns id and score): chances become yours from 20 on"
    )
    leaf.add_argument("--good-from", metavar="N", type=_of_ten, help="the score from which a joke is good to you (6)")
    leaf.add_argument("--most-people", action="store_true", help="use most people's chances, whatever you scored")
    leaf.add_argument("--calibration", choices=("show", "forget"), help="show or forget what your own scores say")
    leaf.add_argument("--out", metavar="RUN.jsonl", help="keep every reading; run again to go on where it stopped")
    shard_option(leaf)
    leaf.set_defaults(by=None, resume=None, export=None, format=None, duels=None, rounds=None, top=3, generator="")


def _of_ten(text: str) -> int:
    """A whole number from 1 to 10."""
    number = int(text)
    if not 1 <= number <= 10:
        raise ValueError
    return number


_of_ten.__name__ = "whole number from 1 to 10"
