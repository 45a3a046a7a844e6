"""What can be typed after ``jokejudge``: commands, options, and their help."""

from __future__ import annotations

import argparse
import difflib
import re
from collections.abc import Sequence
from typing import Protocol, TypeAlias

from .. import __version__
from ..core.errors import UsageError
from ..rubric.own_types import FIELDS, SECTIONS, Field
from .parser import Adder, Parser, budget, choice, count, gigabytes, rounds, rows, some, threads, words

# --------------------------------------------------------------------------------------------------------------------
# What can be typed after ``jokejudge history``, ``votes`` and ``models``.


def _filters(parser: Parser) -> None:
    kinds = ("rate", "duel", "contest", "workshop", "audit", "template")
    parser.add_argument("--kind", choices=kinds, help="only verdicts of this kind")
    parser.add_argument(
        "--status",
        choices=("finished", "failed", "cancelled", "interrupted", "running"),
        help="only rows of this status",
    )
    parser.add_argument("--starred", action="store_true", help="only starred ones")
    parser.add_argument("--tag", metavar="TAG", type=words, help="only those with this tag")
    parser.add_argument(
        "--sort", choices=("newest", "oldest", "score_high", "score_low"), default="newest", help="order"
    )


def _paging(parser: Parser) -> None:
    parser.add_argument("--limit", metavar="N", type=rows, default=20, help="show at most N (20)")
    parser.add_argument("--offset", metavar="N", type=rows, default=0, help="leave out the first N")


def history_commands(add: Adder) -> None:
    """The commands under ``jokejudge history``."""
    leaf = add("list", "the newest verdicts")
    _filters(leaf)
    _paging(leaf)
    leaf = add("search", "verdicts whose texts, note, tags or explanation hold these words")
    leaf.add_argument("words", nargs="+", metavar="WORD", type=words)
    _filters(leaf)
    _paging(leaf)
    leaf = add("show", "one verdict, whole")
    leaf.add_argument("id", metavar="ID|last", type=words)
    leaf = add("leaderboard", "which group of a contest's jokes is the funnier one: models, authors, prompts")
    leaf.add_argument("id", metavar="ID|last", type=words)
    leaf.add_argument("--by", metavar="COLUMN", type=words, help="column of the list; needed where it has several")
    leaf.add_argument("--export", metavar="FILE", help="write it to a .csv, .jsonl, .md or .html file")
    leaf = add("star", "star a verdict")
    leaf.add_argument("id", metavar="ID|last", type=words)
    leaf.add_argument("--off", action="store_true", help="take the star away")
    leaf = add("mark", "say of jokes of a contest: keep, bin, star, tag")
    leaf.add_argument("id", metavar="ID|last", type=words)
    leaf.add_argument("jokes", nargs="+", metavar="JOKE", type=words, help="ids of jokes in the contest's list")
    marks = leaf.add_mutually_exclusive_group()
    marks.add_argument("--keep", dest="mark", action="store_const", const="keep", help="keep them")
    marks.add_argument("--bin", dest="mark", action="store_const", const="bin", help="bin them")
    marks.add_argument("--undecided", dest="mark", action="store_const", const="none", help="neither keep nor bin them")
    leaf.add_argument("--star", action="store_const", const=True, help="star them")
    leaf.add_argument("--no-star", dest="star", action="store_const", const=False, help="take their stars away")
    leaf.add_argument("--tags", metavar="A,B", type=words, help="set their tags; an empty text takes them away")
    leaf = add("tag", "set a verdict's tags; without any, take them away")
    leaf.add_argument("id", metavar="ID|last", type=words)
    leaf.add_argument("tags", nargs="*", metavar="TAG", type=words)
    leaf = add("note", "set a verdict's note; an empty one takes it away")
    leaf.add_argument("id", metavar="ID|last", type=words)
    leaf.add_argument("text", metavar="TEXT", type=words)
    leaf = add("delete", "delete verdicts; undo brings them back")
    leaf.add_argument("ids", nargs="+", metavar="ID", type=words)
    add("undo", "bring the last deleted verdicts back")
    add("purge", "really remove what was deleted, and what was typed and never judged; this can't be undone")
    leaf = add("export", "write verdicts to a file")
    leaf.add_argument("out", metavar="FILE")
    leaf.add_argument(
        "--format",
        choices=("csv", "jsonl", "markdown", "html"),
        help="the format; without it the ending of the file's name says it",
    )
    leaf.add_argument("--search", metavar="WORDS", type=words, default="", help="only verdicts that hold these words")
    _filters(leaf)
    leaf = add("rerun", "judge the same text again, as a new verdict")
    leaf.add_argument("id", metavar="ID|last", type=words)


def vote_commands(add: Adder) -> None:
    """The commands under ``jokejudge votes``."""
    leaf = add("add", "say what you think of a verdict: up or down of a rating, A or B of a duel")
    leaf.add_argument("id", metavar="ID|last", type=words)
    leaf.add_argument("choice", metavar="up|down|A|B", type=choice)
    leaf.add_argument("--blind", action="store_true", help="you made up your mind before you saw the verdict")
    leaf.add_argument(
        "--joke", dest="jokes", action="append", metavar="JOKE", type=words, default=[],
        help="of a contest: the id of a joke (up or down), given twice for two (A is the first)",
    )  # fmt: skip
    leaf = add("undo", "take a vote back")
    leaf.add_argument(
        "id", metavar="ID|last", type=words, help="id of the vote or of its verdict; last: the newest vote"
    )
    leaf = add("list", "the newest votes")
    leaf.add_argument("--limit", metavar="N", type=rows, default=20, help="show at most N (20)")
    add("fit", "what your votes say about your taste, and how sure that is")
    leaf = add("export", "write all votes to a file")
    leaf.add_argument("out", metavar="FILE.csv|FILE.jsonl")
    leaf = add("delete", "remove all votes for good")
    leaf.add_argument("--yes", action="store_true", help="without this nothing is removed")
    add("on", "show your taste beside verdicts")
    add("off", "don't show it, and don't ask for votes in the window; votes are kept")


def model_commands(add: Adder) -> None:
    """The commands under ``jokejudge models``."""
    add("list", "models in the catalogue and on this computer")
    leaf = add("use", "judge with this model from now on")
    leaf.add_argument("spec", metavar="PATH|NAME|embedded")
    leaf = add("get", "fetch a model from the catalogue (uses the network)")
    leaf.add_argument("name", metavar="NAME", type=words)
    leaf = add(
        "panel",
        "several models that judge together, under a name: add NAME MODEL…, rename OLD NEW, list, remove NAME, "
        "memory GB",
    )
    leaf.add_argument("action", metavar="add|rename|list|remove|memory", type=words)
    leaf.add_argument("given", nargs="*", metavar="NAME MODEL|GB", type=words)
    add("find", "GGUF files that other programs keep on this computer")
    leaf = add("requantise", "make a faster copy in Q8_0 of a model whose quantisation is slow here")
    leaf.add_argument("spec", metavar="PATH|NAME")
    leaf.add_argument("--out", metavar="FILE", help="where to write it; without it, among the program's own models")
    add("warm", "load the model and prepare its prompts, so that the next verdict is quick")
    add("calibrate", "measure the model's habits now, instead of with the first verdict")
    _fit(
        add(
            "fit",
            "fit an audience estimate to people's votes; it is kept only if it does well on votes that were left out",
        )
    )
    leaf = add("trust", "how far a model can be trusted")
    leaf.add_argument("spec", metavar="NAME", nargs="?", help="path or name; without it the model in use")
    leaf = add("compare", "two models on the same rows that people judged, with a paired test")
    leaf.add_argument("specs", metavar="MODEL", nargs=2, type=words, help="path or name of each; embedded is one, too")
    leaf.add_argument(
        "--list", metavar="FILE", action="append",
        help="pairs or ratings as for evaluate, or readings (.jsonl); several may be given; without it, jokes that "
        "come with the program",
    )  # fmt: skip
    leaf.add_argument("--limit", metavar="N", type=some, help="judge at most N rows of each file, drawn at random")
    leaf.add_argument("--html", metavar="OUT.html", help="write the comparison as one web page")
    leaf.add_argument("--items", metavar="OUT.csv", help="write a table of the rows: people's word and both models'")
    leaf = add("card", "all that was measured of a model on one page, and what it is not for")
    leaf.add_argument("spec", metavar="NAME", nargs="?", help="path or name; without it the model in use")
    leaf.add_argument("--markdown", metavar="OUT.md", help="write it as Markdown")
    leaf.add_argument("--html", metavar="OUT.html", help="write it as one web page")
    leaf = add("plan", "what each part of a verdict is worth on a model, and where it comes from")
    leaf.add_argument("spec", metavar="NAME", nargs="?", help="path or name; without it the model in use")
    leaf.add_argument("--measure", action="store_true", help="measure first what asking the model adds (takes minutes)")

    leaf = add("listeners", "which listeners a model tells apart, so that it can be asked whether they would laugh")
    leaf.add_argument("spec", metavar="NAME", nargs="?", help="path or name; without it the model in use")
    leaf.add_argument("--measure", action="store_true", help="measure it first (takes minutes)")
    leaf.add_argument(
        "--listener", dest="listeners", action="append", metavar="NAME", type=words, default=[],
        help="with --measure: only this one, by name or in your own words",
    )  # fmt: skip

    leaf = add("deep", "what Deep adds to Quick on a model, and what it costs")
    leaf.add_argument("spec", metavar="NAME", nargs="?", help="path or name; without it the model in use")
    leaf.add_argument("--measure", action="store_true", help="measure it first (minutes); Ctrl+C keeps what is done")
    leaf.add_argument(
        "--texts", metavar="N", type=rows, default=60, help="judge N jokes, and N pairs, by both modes (60)"
    )
    leaf.add_argument(
        "--ask", choices=("plan", "all"), default="plan",
        help="what is asked: what the model's plan holds, or every question",
    )  # fmt: skip


def _fit(leaf: Parser) -> None:
    leaf.add_argument("name", metavar="NAME", nargs="?", help="the model, as for --model; otherwise the one in use")
    labelled(leaf)
    leaf.add_argument("--only-given", action="store_true", help="don't learn from the votes that come with the program")
    leaf.add_argument("--remove", action="store_true", help="delete the estimate that was fitted on this computer")
    leaf.add_argument(
        "--editor", action="store_true", help="learn to read jokes with the model, as an editor reads them"
    )
    leaf.add_argument("--again", action="store_true", help="with --editor: learn anew what is there already")


def labelled(leaf: Parser) -> None:
    """Files that people judged."""
    leaf.add_argument(
        "--pairs", metavar="FILE.csv", action="append",
        help="columns text_a,text_b and winner (A, B or tie) or votes_a,votes_b; may be given several times",
    )  # fmt: skip
    leaf.add_argument(
        "--ratings", metavar="FILE.csv", action="append",
        help="columns text and rating (or humor_rating, mean_grade, funniness, bws_score, log_score), and is_humor if "
        "it is known; may be given several times",
    )  # fmt: skip


# --------------------------------------------------------------------------------------------------------------------
# Options of ``jokejudge audit``.


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


# --------------------------------------------------------------------------------------------------------------------
# Options of ``jokejudge contest``.

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


# --------------------------------------------------------------------------------------------------------------------
# What can be typed after ``jokejudge criteria``.


def criteria_commands(add: Adder) -> None:
    """The commands under ``jokejudge criteria``."""
    leaf = add("list", "kinds, factors, faults and notes, with what you added and changed")
    leaf.add_argument("section", nargs="?", choices=SECTIONS, help="only these")
    leaf.add_argument("--own", action="store_true", help="only what you added, changed or switched off")
    leaf.add_argument("--search", metavar="WORDS", type=words, default="", help="only those that hold these words")
    leaf = add("show", "one of them, whole, and what a model is asked about it")
    _item(leaf)
    leaf = add("add", "add a kind, a factor or a note of your own")
    _item(leaf)
    _fields(leaf)
    leaf = add("edit", "change fields of one, or switch it off or on")
    _item(leaf)
    _fields(leaf)
    switch = leaf.add_mutually_exclusive_group()
    switch.add_argument("--off", action="store_true", help="it takes no part in verdicts")
    switch.add_argument("--on", action="store_true", help="it takes part again")
    leaf = add("check", "say what is wrong with your own criteria, or with a file that you want to import")
    leaf.add_argument("file", metavar="FILE", nargs="?", help="without it, the file in use")
    leaf = add("weights", "show how much each factor counts in the weighted score, or set it")
    leaf.add_argument(
        "weights", metavar="FACTOR=SHARE", nargs="*", type=words,
        help="all weights together, such as wit=0.5 clarity=0.5; they sum to 1",
    )  # fmt: skip
    leaf.add_argument("--clear", action="store_true", help="let all factors count alike again")
    leaf = add("reset", "make one what comes with the program, or all with --all; one of your own is removed")
    leaf.add_argument("section", nargs="?", choices=SECTIONS, help="what it is")
    leaf.add_argument("id", nargs="?", metavar="ID", type=words, help="its id")
    leaf.add_argument("--all", action="store_true", help="everything; the file is kept under another name")
    add("offered", "factors that a model wrote for jokes that no known one fits, and that served three jokes")
    leaf = add("promote", "make an offered factor one of your own; fields that you give replace what was written")
    leaf.add_argument("id", metavar="ID", type=words, help="its id, as `criteria offered` shows it")
    leaf.set_defaults(section="factor")
    _fields(leaf)
    leaf = add("dismiss", "never use or offer such a factor again")
    leaf.add_argument("id", metavar="ID", type=words, help="its id, as `criteria offered` shows it")
    add("path", "where your own criteria are kept")
    leaf = add("export", "write all that is your own to one file")
    leaf.add_argument("file", metavar="FILE.xml")
    leaf = add("import", "take in a file that was exported; its items replace those of the same id")
    leaf.add_argument("file", metavar="FILE.xml")
    leaf.add_argument("--replace", action="store_true", help="remove everything of your own that isn't in the file")


def _item(leaf: Parser) -> None:
    leaf.add_argument("section", choices=SECTIONS, help="what it is")
    leaf.add_argument("id", metavar="ID", type=words, help="its id, as the list shows it")


def _fields(leaf: Parser) -> None:
    """An option for every field; one that several sections have stands there once."""
    found: dict[str, list[tuple[str, Field]]] = {}
    for section in SECTIONS:
        for field in FIELDS[section]:
            found.setdefault(field.name, []).append((section, field))
    for name, uses in found.items():
        first = uses[0][1]
        of = ", ".join(section for section, _ in uses)
        leaf.add_argument(
            f"--{name}", metavar="IDS" if first.form == "ids" else "TEXT", type=words, dest=f"field_{name}",
            action="append" if first.form == "lines" else "store", help=f"{first.help} ({of})",
        )  # fmt: skip


# --------------------------------------------------------------------------------------------------------------------
# What can be typed after ``jokejudge template``.

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


# --------------------------------------------------------------------------------------------------------------------
# Options of ``jokejudge workshop``.


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


_NUMBER = re.compile(r"-\d*\.?\d+")


Tree: TypeAlias = "dict[str, Parser | tuple[Parser, Tree]]"


def _global_options() -> Parser:
    options = Parser(add_help=False)
    group = options.add_argument_group("options of every command")
    group.add_argument("--data-dir", metavar="DIR", help="keep everything under this folder (a throw-away profile)")
    group.add_argument(
        "--model",
        dest="models",
        action="append",
        metavar="PATH|NAME|embedded",
        help="the model to judge with: a GGUF file, or a name from the catalogue or of a panel; given several times: "
        "these models together, as a panel",
    )
    group.add_argument(
        "--memory", metavar="GB", type=gigabytes,
        help="most memory that the models of a panel may take; those that don't fit together are loaded one after "
        "another",
    )  # fmt: skip
    group.add_argument("--mode", choices=("quick", "deep"), help="how thoroughly to judge")
    group.add_argument("--threads", metavar="N", type=threads, help="threads for the model; 0: physical cores")
    group.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    group.add_argument("--no-history", action="store_true", help="leave the history unread and unchanged")
    group.add_argument("--no-explain", action="store_true", help="write no explanation")
    group.add_argument("--debug", action="store_true", help="write more to the log, and to stderr as well")
    group.add_argument("--quiet", action="store_true", help="no progress and no notes on stderr")
    return options


def _context(parser: Parser, whom: str) -> None:
    parser.add_argument(
        "--context", metavar="TEXT", default="",
        help=f"the topic or scene that {whom} about, such as a cartoon's scene or a hashtag",
    )  # fmt: skip


def _ask(parser: Parser) -> None:
    parser.add_argument(
        "--ask", choices=("plan", "all"),
        help="plan: ask the model only what its answers are worth; all: ask every question (slower)",
    )  # fmt: skip


def _generator(parser: Parser) -> None:
    parser.add_argument(
        "--generator", metavar="NAME", default="",
        help="the model that wrote the text: you are warned where only models of its own family judge",
    )  # fmt: skip


def _batch_options(parser: Parser, columns: str, more: str = "") -> None:
    group = parser.add_argument_group("many at once")
    group.add_argument(
        "--batch",
        metavar="IN",
        help=f"judge every row: a table, JSON lines or a JSON array with {columns} and, if you like, context and "
        f"generator{more}; - reads stdin",
    )
    group.add_argument(
        "--out", metavar="OUT.jsonl|OUT.csv|-",
        help="one line for each row, run again to go on where it stopped; as a table where the name ends in .csv; - "
        "writes the lines to standard output",
    )  # fmt: skip
    shard_option(group)
    group.add_argument(
        "--cluster", metavar="ADDRESS|local:N",
        help="let the workers of a Dask cluster judge, or N processes on this machine; leaves the history unchanged",
    )  # fmt: skip
    group.add_argument(
        "--retry-errors", action="store_true", help="judge those rows again whose line in OUT is an error"
    )


def _evaluate(leaf: Parser) -> None:
    labelled(leaf)
    leaf.add_argument(
        "--reference", metavar="READINGS.jsonl", action="append",
        help="readings of texts with the rubric in hand, as in models/readings: measures each check, kind, factor and "
        "fault, and the turn; may be given several times",
    )  # fmt: skip
    leaf.add_argument("--limit", metavar="N", type=some, help="judge at most N rows of each file, drawn at random")
    leaf.add_argument("--seed", metavar="S", type=count, default=1, help="the seed with which those rows are drawn (1)")
    leaf.add_argument("--html", metavar="OUT.html", help="write the report with plots, in one file")
    leaf.add_argument("--out", metavar="OUT.jsonl", help="keep every answer; run again to go on where it stopped")
    leaf.add_argument("--items", metavar="OUT.csv", help="write a table of the rows: people's word and the judge's")
    leaf.add_argument(
        "--compare", metavar=("RUN1.jsonl", "RUN2.jsonl"), nargs=2,
        help="compare two files that --out wrote, row by row; asks nothing",
    )  # fmt: skip


def _adder(commands: argparse._SubParsersAction[Parser], tree: Tree, shared: Parser, prefix: str) -> Adder:
    def add(name: str, help_text: str) -> Parser:
        leaf = commands.add_parser(
            name, help=help_text, description=help_text[:1].upper() + help_text[1:] + ".", parents=[shared],
            allow_abbrev=False,
        )  # fmt: skip
        leaf.set_defaults(command=f"{prefix}{name}")
        tree[name] = leaf
        return leaf

    return add


def build() -> tuple[Parser, Tree]:
    """The root parser (for its help) and the tree of commands under it."""
    shared = _global_options()
    root = Parser(
        prog="jokejudge",
        description="Judges jokes with a language model on this computer. Without a command it opens the window.",
        parents=[shared],
        allow_abbrev=False,
    )
    root.add_argument("--version", action="version", version=f"jokejudge {__version__}")
    root.set_defaults(command="window")
    tree: Tree = {}
    commands: argparse._SubParsersAction[Parser] = root.add_subparsers(
        title="commands", metavar="COMMAND", parser_class=Parser
    )
    add = _adder(commands, tree, shared, "")

    rate = add("rate", "rate one joke")
    rate.add_argument("texts", nargs="*", metavar="TEXT", help="the joke; - reads standard input")
    rate.add_argument("--file", metavar="F", help="read the joke from a file")
    rate.add_argument("--anyway", action="store_true", help="rate it even if it isn't admitted as a joke")
    _context(rate, "the joke is")
    _generator(rate)
    rate.add_argument(
        "--listener", dest="listeners", action="append", metavar="NAME|all", type=words, default=None,
        help="ask whether this listener would laugh, too: a name (jokejudge models listeners), all, or your own words",
    )  # fmt: skip
    _ask(rate)
    rate.add_argument(
        "--budget", metavar="WHAT=N,…", type=budget,
        help="with --mode deep: how far it may go, such as branches=20,tokens=30000,seconds=10",
    )  # fmt: skip
    _batch_options(rate, "text", ", or plain lines with a joke each")
    text_column(rate)

    duel = add("duel", "which of two jokes is the funnier one")
    duel.add_argument("texts", nargs="*", metavar="A B", help="the jokes; - reads one from standard input")
    duel.add_argument("--file-a", metavar="F", help="read joke A from a file")
    duel.add_argument("--file-b", metavar="F", help="read joke B from a file")
    _context(duel, "both jokes are")
    _generator(duel)
    _ask(duel)
    duel.add_argument(
        "--orders", dest="ask", action="store_const", const="all",
        help="also ask the model in both orders; the same as --ask all",
    )  # fmt: skip
    _batch_options(duel, "text_a,text_b")

    leaf = add("contest", "rank a list of jokes")
    contest_options(leaf)
    _ask(leaf)

    leaf = add("screen", "leave out what people needn't see of a list, and let them vote on the rest")
    screen_options(leaf)
    _ask(leaf)

    leaf = add("workshop", "work on a joke in versions, and see what each change does")
    workshop_options(leaf)
    _context(leaf, "the joke is")
    _ask(leaf)

    leaf = add("audit", "see what moves the judge though it shouldn't")
    audit_options(leaf)
    _ask(leaf)

    merge_options(add("merge", "put the files of a run's parts together (see --shard)"))

    _evaluate(add("evaluate", "measure the judge on jokes that people have judged"))

    for name, help_text, fill in (
        ("history", "earlier verdicts", history_commands),
        ("votes", "what you find funny yourself", vote_commands),
        ("models", "the models to judge with", model_commands),
        ("criteria", "what jokes are judged by, and what you changed in it", criteria_commands),
        ("template", "another judge's outputs, held against a template", template_commands),
    ):
        branch = commands.add_parser(
            name, help=help_text, description=help_text[:1].upper() + help_text[1:] + ".", parents=[shared],
            allow_abbrev=False,
        )  # fmt: skip
        below: Tree = {}
        inner: argparse._SubParsersAction[Parser] = branch.add_subparsers(
            title="commands", metavar="COMMAND", parser_class=Parser
        )
        fill(_adder(inner, below, shared, f"{name} "))
        tree[name] = (branch, below)

    leaf = add("doctor", "check this installation, the model and the history")
    leaf.add_argument(
        "--measure", action="store_true", help="also time the model with other settings, and keep better thread counts"
    )
    return root, tree


def _values(parser: Parser) -> dict[str, int]:
    """How many values each option takes."""
    return {
        name: action.nargs if isinstance(action.nargs, int) else 1
        for action in parser._actions
        for name in action.option_strings
    }


def _is_option(token: str) -> bool:
    return token.startswith("-") and token != "-" and " " not in token and not _NUMBER.fullmatch(token)


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """Arguments of one command, in ``command`` its name: ``rate``, ``history list``, ``window``, …

    Options may stand anywhere, before or after the command and between texts (argparse alone doesn't allow that), and
    everything after ``--`` is text. Raises ``UsageError``; ``--help`` and ``--version`` print and raise SystemExit.
    """
    root, tree = build()
    parser, branch = root, tree
    options: list[str] = []
    texts: list[str] = []
    rest = list(argv)
    while rest:
        token = rest.pop(0)
        if token == "--":
            texts += rest
            break
        if _is_option(token):
            options.append(token)
            for _ in range(min(_values(parser).get(token, 0), len(rest))):
                options.append(rest.pop(0))
        elif branch:
            parser, branch = _step(parser, branch, token)
        else:
            texts.append(token)
    if branch and texts:
        parser.error(f"a text needs a command before it, such as rate: {texts[0]!r}")
    if texts and not parser._get_positional_actions():
        parser.error(f"unrecognized arguments: {' '.join(texts)}")
    args = parser.parse_args([*options, "--", *texts] if texts else options)
    models = args.models or []
    args.model, args.together = (models[0], []) if len(models) == 1 else (None, models)
    if branch and parser is not root:
        parser.error(f"{parser.prog} needs one of these commands: {', '.join(branch)}")
    return args


def _step(parser: Parser, branch: Tree, token: str) -> tuple[Parser, Tree]:
    found = branch.get(token)
    if found is None:
        near = difflib.get_close_matches(token, branch, n=1)
        known = f"did you mean {near[0]}?" if near else f"known are {', '.join(branch)}"
        shown = token if len(token) <= 40 else token[:39] + "…"
        raise UsageError("E_USAGE", f"There's no command {shown!r}: {known}", f"See {parser.prog} --help.")
    return found if isinstance(found, tuple) else (found, {})


def wants_json(argv: Sequence[str]) -> bool:
    """Whether ``--json`` was asked for, even if the rest makes no sense."""
    options = argv[: list(argv).index("--")] if "--" in argv else argv
    return "--json" in options
