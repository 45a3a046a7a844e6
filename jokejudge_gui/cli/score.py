"""``jokejudge score``, ``best`` and ``decide``: numbers for programs that choose between jokes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..batch.lists import Unescaping, without_mark
from ..core.errors import InputError
from ..core.files import parse_json
from ..core.tables import TABLES, arriving
from . import options
from .context import Context, misuse, read_text
from .options import argument, command, option
from .running import Progress, interruptible

if TYPE_CHECKING:
    from ..judge.reader import Standing
    from ..session.session import Session

_LIST = argument("source [LIST]", "A list of jokes; without it, or with -, standard input.", default="-")


def _standings(context: Context, session: Session, texts: Sequence[str]) -> Iterator[Standing]:
    """Score texts; Ctrl-C stops it."""
    progress, line = Progress(context.console), context.console.line
    with interruptible() as cancel:
        loading = session.scorer.standings([(text, context.args.context) for text in texts], cancel)
        try:
            while True:
                progress.show(next(loading))
        except StopIteration as loaded:
            for done, standing in enumerate(loaded.value, start=1):
                line.show("Reading the jokes", done, len(texts))
                yield standing
        finally:
            line.clear()


@command("score", judges=True)
@_LIST
@options.text_column
@options.unescape
@options.context
def score(context: Context) -> int:
    """Print a number from 0 to 1 for each line, or each row of a table or of JSON (.csv, .tsv, .json, .jsonl), in order
    and as soon as it is known: the odds that people would put it in the upper half of such jokes; 0 where nothing works
    as a joke, as on a blank line."""
    scores: list[float] = []
    source = context.args.source
    table = Path(source).name.lower().endswith(TABLES)
    unescaping = Unescaping(context.args.unescape)
    with context.session() as session:
        lines = ([without_mark(unescaping.read(line)) for line in some] for some in arriving(source))
        rows = [[item.text for item in options.read_jokes(context, source).items]] if table else lines
        for texts in rows:
            for standing in _standings(context, session, texts):
                if context.console.json:
                    scores.append(standing.score)
                else:
                    context.console.text(f"{standing.score:.4f}")
    return context.console.answer({"scores": scores})


@command("best", judges=True)
@_LIST
@option("-n --limit N", "Print at most N (1).", default=1)
@options.text_column
@options.unescape
@options.as_list
@options.context
def best(context: Context) -> int:
    """Print the best jokes of a list, which is read as contest reads it, best first."""
    items = options.read_jokes(context, context.args.source).jokes
    if not items:
        raise InputError("E_LIST_EMPTY", "There are no jokes to choose from.", "Give a list with at least one joke.")
    with context.session() as session:
        standings = list(_standings(context, session, [item.text for item in items]))
    order = sorted(range(len(items)), key=standings.__getitem__, reverse=True)[: context.args.limit]
    if not context.console.json:
        context.console.text("\n".join(items[place].text for place in order))
    rows = [{"id": items[place].id, "text": items[place].text, "score": standings[place].score} for place in order]
    return context.console.answer({"best": rows})


@command("decide", judges=True)
@argument(
    "source [REQUEST]",
    "The request's file; without it, or with -, standard input. Its form: "
    '{"state": TEXT, "questions": {NAME: {"type": "choice", "options": [TEXT, TEXT]}}}; other types: noul and score.',
    default="-",
)
def decide(context: Context) -> int:
    """Answer a System One request (JSON with state and questions) about jokes with one JSON object."""
    from ..session.decisions import answers

    try:
        request = parse_json(read_text(context.args.source))
    except ValueError as error:
        raise misuse(f"The request isn't JSON: {error}.", "See the manual's page In scripts.") from error
    with context.session() as session, interruptible() as cancel:
        context.console.object(answers(session, request, cancel) | {"error": None})
    return 0
