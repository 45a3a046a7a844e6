"""What can be typed after ``jokejudge``: commands, options, and their help."""

from __future__ import annotations

import argparse
import difflib
import re
from collections.abc import Sequence
from typing import NoReturn, Protocol, TypeAlias

from .. import __version__
from ..errors import UsageError
from .contest_arguments import contest_options

_NUMBER = re.compile(r"-\d*\.?\d+")
_DASH_HINT = "Put -- before a text that begins with a dash."


class Parser(argparse.ArgumentParser):
    """Raises ``UsageError`` where argparse would print and exit."""

    def error(self, message: str) -> NoReturn:
        sentence = message[:1].upper() + message[1:].rstrip(".") + "."
        hint = f"See {self.prog} --help."
        raise UsageError("E_USAGE", sentence, f"{hint} {_DASH_HINT}" if _dash_trouble(message) else hint)


def _dash_trouble(message: str) -> bool:
    return "unrecognized" in message or "ignored explicit" in message


Tree: TypeAlias = "dict[str, Parser | tuple[Parser, Tree]]"


def _count(text: str) -> int:
    number = int(text)
    if number < 0:
        raise ValueError
    return number


_count.__name__ = "whole number"


def _rows(text: str) -> int:
    # More rows than any history has; the database knows no larger number either.
    return min(_count(text), 10**9)


_rows.__name__ = "whole number"


def _words(text: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise argparse.ArgumentTypeError("isn't UTF-8 text") from error
    return text


def _some(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError
    return number


_some.__name__ = "whole number above 0"


def _threads(text: str) -> int:
    number = int(text)
    if not 0 <= number <= 256:
        raise argparse.ArgumentTypeError("must be from 0 to 256")
    return number


_threads.__name__ = "whole number"


def _choice(text: str) -> str:
    choice = {"up": "up", "down": "down", "a": "A", "b": "B"}.get(text.lower())
    if choice is None:
        raise argparse.ArgumentTypeError("must be up or down for a rating, A or B for a duel")
    return choice


def _global_options() -> Parser:
    options = Parser(add_help=False)
    group = options.add_argument_group("options of every command")
    group.add_argument("--data-dir", metavar="DIR", help="keep everything under this folder (a throw-away profile)")
    group.add_argument(
        "--model",
        metavar="PATH|NAME|embedded",
        help="the model to judge with: a GGUF file, or a name from the catalogue",
    )
    group.add_argument("--mode", choices=("quick", "deep"), help="how thoroughly to judge")
    group.add_argument("--threads", metavar="N", type=_threads, help="threads for the model; 0: physical cores")
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


def _batch_options(parser: Parser, columns: str, more: str = "") -> None:
    group = parser.add_argument_group("many at once")
    group.add_argument(
        "--batch", metavar="IN", help=f"judge every row: CSV or JSON lines with {columns}{more}; - reads stdin"
    )
    group.add_argument("--out", metavar="OUT.jsonl", help="one line for each row; run again to go on where it stopped")
    group.add_argument(
        "--retry-errors", action="store_true", help="judge those rows again whose line in OUT is an error"
    )


def _filters(parser: Parser) -> None:
    parser.add_argument("--kind", choices=("rate", "duel", "contest"), help="only verdicts of this kind")
    parser.add_argument(
        "--status",
        choices=("finished", "failed", "cancelled", "interrupted", "running"),
        help="only rows of this status",
    )
    parser.add_argument("--starred", action="store_true", help="only starred ones")
    parser.add_argument("--tag", metavar="TAG", type=_words, help="only those with this tag")
    parser.add_argument(
        "--sort", choices=("newest", "oldest", "score_high", "score_low"), default="newest", help="order"
    )


def _paging(parser: Parser) -> None:
    parser.add_argument("--limit", metavar="N", type=_rows, default=20, help="show at most N (20)")
    parser.add_argument("--offset", metavar="N", type=_rows, default=0, help="leave out the first N")


def _history_commands(add: _Adder) -> None:
    leaf = add("list", "the newest verdicts")
    _filters(leaf)
    _paging(leaf)
    leaf = add("search", "verdicts whose texts, note, tags or explanation hold these words")
    leaf.add_argument("words", nargs="+", metavar="WORD", type=_words)
    _filters(leaf)
    _paging(leaf)
    leaf = add("show", "one verdict, whole")
    leaf.add_argument("id", metavar="ID|last", type=_words)
    leaf = add("star", "star a verdict")
    leaf.add_argument("id", metavar="ID|last", type=_words)
    leaf.add_argument("--off", action="store_true", help="take the star away")
    leaf = add("tag", "set a verdict's tags; without any, take them away")
    leaf.add_argument("id", metavar="ID|last", type=_words)
    leaf.add_argument("tags", nargs="*", metavar="TAG", type=_words)
    leaf = add("note", "set a verdict's note; an empty one takes it away")
    leaf.add_argument("id", metavar="ID|last", type=_words)
    leaf.add_argument("text", metavar="TEXT", type=_words)
    leaf = add("delete", "delete verdicts; undo brings them back")
    leaf.add_argument("ids", nargs="+", metavar="ID", type=_words)
    add("undo", "bring the last deleted verdicts back")
    add("purge", "really remove what was deleted, and what was typed and never judged; this can't be undone")
    leaf = add("export", "write verdicts to a file")
    leaf.add_argument("out", metavar="FILE")
    leaf.add_argument(
        "--format",
        choices=("csv", "jsonl", "markdown", "html"),
        help="the format; without it the ending of the file's name says it",
    )
    leaf.add_argument("--search", metavar="WORDS", type=_words, default="", help="only verdicts that hold these words")
    _filters(leaf)
    leaf = add("rerun", "judge the same text again, as a new verdict")
    leaf.add_argument("id", metavar="ID|last", type=_words)


def _vote_commands(add: _Adder) -> None:
    leaf = add("add", "say what you think of a verdict: up or down of a rating, A or B of a duel")
    leaf.add_argument("id", metavar="ID|last", type=_words)
    leaf.add_argument("choice", metavar="up|down|A|B", type=_choice)
    leaf.add_argument("--blind", action="store_true", help="you made up your mind before you saw the verdict")
    leaf = add("undo", "take a vote back")
    leaf.add_argument(
        "id", metavar="ID|last", type=_words, help="id of the vote or of its verdict; last: the newest vote"
    )
    leaf = add("list", "the newest votes")
    leaf.add_argument("--limit", metavar="N", type=_rows, default=20, help="show at most N (20)")
    add("fit", "what your votes say about your taste, and how sure that is")
    leaf = add("export", "write all votes to a file")
    leaf.add_argument("out", metavar="FILE.csv|FILE.jsonl")
    leaf = add("delete", "remove all votes for good")
    leaf.add_argument("--yes", action="store_true", help="without this nothing is removed")
    add("on", "show your taste beside verdicts")
    add("off", "don't show it, and don't ask for votes in the window; votes are kept")


def _model_commands(add: _Adder) -> None:
    add("list", "models in the catalogue and on this computer")
    leaf = add("use", "judge with this model from now on")
    leaf.add_argument("spec", metavar="PATH|NAME|embedded")
    leaf = add("get", "fetch a model from the catalogue (uses the network)")
    leaf.add_argument("name", metavar="NAME", type=_words)
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
    leaf = add("plan", "what each part of a verdict is worth on a model, and where it comes from")
    leaf.add_argument("spec", metavar="NAME", nargs="?", help="path or name; without it the model in use")
    leaf.add_argument("--measure", action="store_true", help="measure first what asking the model adds (takes minutes)")


def _fit(leaf: Parser) -> None:
    leaf.add_argument("name", metavar="NAME", nargs="?", help="the model, as for --model; otherwise the one in use")
    _labelled(leaf)
    leaf.add_argument("--only-given", action="store_true", help="don't learn from the votes that come with the program")
    leaf.add_argument("--remove", action="store_true", help="delete the estimate that was fitted on this computer")
    leaf.add_argument(
        "--editor", action="store_true", help="learn to read jokes with the model, as an editor reads them"
    )
    leaf.add_argument("--again", action="store_true", help="with --editor: learn anew what is there already")


def _labelled(leaf: Parser) -> None:
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


def _evaluate(leaf: Parser) -> None:
    _labelled(leaf)
    leaf.add_argument("--limit", metavar="N", type=_some, help="judge at most N rows of each file, drawn at random")
    leaf.add_argument(
        "--seed", metavar="S", type=_count, default=1, help="the seed with which those rows are drawn (1)"
    )
    leaf.add_argument("--html", metavar="OUT.html", help="write the report with plots, in one file")
    leaf.add_argument("--out", metavar="OUT.jsonl", help="keep every answer; run again to go on where it stopped")


class _Adder(Protocol):
    def __call__(self, name: str, help_text: str) -> Parser: ...


def _adder(commands: argparse._SubParsersAction[Parser], tree: Tree, shared: Parser, prefix: str) -> _Adder:
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
    _ask(rate)
    _batch_options(rate, "id,text", ", or every line of a .txt file")

    duel = add("duel", "which of two jokes is the funnier one")
    duel.add_argument("texts", nargs="*", metavar="A B", help="the jokes; - reads one from standard input")
    duel.add_argument("--file-a", metavar="F", help="read joke A from a file")
    duel.add_argument("--file-b", metavar="F", help="read joke B from a file")
    _context(duel, "both jokes are")
    _ask(duel)
    duel.add_argument(
        "--orders", dest="ask", action="store_const", const="all",
        help="also ask the model in both orders; the same as --ask all",
    )  # fmt: skip
    _batch_options(duel, "id,text_a,text_b")

    leaf = add("contest", "rank a list of jokes")
    contest_options(leaf, count=_count, some=_some, words=_words)
    _ask(leaf)

    _evaluate(add("evaluate", "measure the judge on jokes that people have judged"))

    for name, help_text, fill in (
        ("history", "earlier verdicts", _history_commands),
        ("votes", "what you find funny yourself", _vote_commands),
        ("models", "the models to judge with", _model_commands),
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


def _valued(parser: Parser) -> set[str]:
    return {name for action in parser._actions if action.nargs != 0 for name in action.option_strings}


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
            if token in _valued(parser) and rest:
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
