"""``jokejudge score``, ``best`` and ``decide``: numbers for programs that choose between jokes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..core.files import parse_json
from ..core.tables import arriving
from . import options
from .context import Context, misuse, read_text
from .options import argument, command, option
from .running import Progress, interruptible

if TYPE_CHECKING:
    from ..judge.reader import Standing
    from ..session.session import Session

_LIST = argument("source [LIST]", "A file of lines; without it, or with -, standard input.", default="-")


def _standings(context: Context, session: Session, texts: Sequence[str]) -> Iterator[Standing]:
    """Score texts; Ctrl-C stops it."""
    progress = Progress(context.console)
    with interruptible() as cancel:
        loading = session.scorer.standings([(text, context.args.context) for text in texts], cancel)
        while True:
            try:
                progress.show(next(loading))
            except StopIteration as loaded:
                progress.clear()
                yield from loaded.value
                return


@command("score", judges=True)
@_LIST
@options.context
def score(context: Context) -> int:
    """Print a number from 0 to 1 for each line, in order and as soon as it is known: the odds that people would put it
    in the upper half of such jokes; 0 where nothing works as a joke."""
    scores: list[float] = []
    with context.session() as session:
        for lines in arriving(context.args.source):
            for standing in _standings(context, session, lines):
                if context.console.json:
                    scores.append(standing.score)
                else:
                    context.console.text(f"{standing.score:.4f}")
    return context.console.answer({"scores": scores})


@command("best", judges=True)
@_LIST
@option("-n --limit N", "Print at most N (1).", default=1)
@options.context
def best(context: Context) -> int:
    """Print the best lines of a list, best first."""
    with context.session() as session:
        lines = [line for some in arriving(context.args.source) for line in some]
        standings = list(_standings(context, session, lines))
    order = sorted(range(len(lines)), key=standings.__getitem__, reverse=True)[: context.args.limit]
    if not context.console.json:
        context.console.text("\n".join(lines[place] for place in order))
    rows = [{"id": str(place + 1), "text": lines[place], "score": standings[place].score} for place in order]
    return context.console.answer({"best": rows})


@command("decide", judges=True)
@argument("source [REQUEST]", "The request's file; without it, or with -, standard input.", default="-")
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
