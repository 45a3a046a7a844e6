"""What can be typed after ``jokejudge``: commands, options, and their help."""

from __future__ import annotations

import argparse
import difflib
import re
from collections.abc import Sequence
from typing import TypeAlias

from .. import __version__
from ..errors import UsageError
from .audit_arguments import audit_options
from .contest_arguments import contest_options, merge_options, screen_options, shard_option, text_column
from .criteria_arguments import criteria_commands
from .grouped_arguments import history_commands, labelled, model_commands, vote_commands
from .parser import Adder, Parser, budget, count, gigabytes, some, threads, words
from .template_arguments import template_commands
from .workshop_arguments import workshop_options

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
