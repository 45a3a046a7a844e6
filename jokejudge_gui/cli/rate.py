"""``jokejudge rate`` and ``jokejudge duel`` for one verdict."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ..batch.lines import contract, failed_object, kind_named
from ..core.errors import ErrorInfo, UsageError, restore
from ..core.events import Cancelled, Event, Failed, Finished
from .context import Context, read_text
from .running import Progress, follow, interruptible
from .verdicts import show_verdict, taste_line

if TYPE_CHECKING:
    from ..session.session import Session

INTERRUPTED = 130
STOPPED = ErrorInfo(code="E_INTERRUPTED", sentence="Stopped before the verdict was whole.", hint="")


def manner_given(args: Namespace) -> dict[str, Any]:
    """What a call itself says of how to judge; the rest is as an earlier verdict has it, which it goes on with or asks
    for again."""
    given = {"mode": args.mode, "ask": getattr(args, "ask", None), "explain": False if args.no_explain else None}
    return {name: value for name, value in given.items() if value is not None}


def rate(context: Context) -> int:
    """Rate one joke."""
    args = context.args
    sources = [*args.texts, *([args.file] if args.file is not None else [])]
    if len(sources) != 1:
        raise UsageError(
            "E_USAGE",
            "There's no joke to rate." if not sources else f"rate takes one joke; here are {len(sources)}.",
            "Give it in quotes, as - for standard input, or with --file.",
        )
    text = read_text(args.file) if args.file is not None else _text(args.texts[0])
    manner = {"forced": args.anyway, "context": args.context, "generator": args.generator}
    return judge(context, "rate", (text,), **manner, **_listeners(context))


def _listeners(context: Context) -> dict[str, Any]:
    """Those of this call; without them the settings' own."""
    given = context.args.listeners
    return {} if given is None else {"listeners": tuple(given)}


def duel(context: Context) -> int:
    """Compare two jokes."""
    args = context.args
    given = list(args.texts)
    files = [args.file_a, args.file_b]
    if len(given) + sum(file is not None for file in files) != 2 or given.count("-") > 1:
        raise UsageError(
            "E_USAGE",
            "duel takes exactly two jokes." if given.count("-") < 2 else "Standard input can be only one of the jokes.",
            "Give them in quotes, one of them perhaps as - for standard input, or with --file-a and --file-b.",
        )
    text_a, text_b = (read_text(file) if file is not None else _text(given.pop(0)) for file in files)
    return judge(context, "duel", (text_a, text_b), context=args.context, generator=args.generator)


def _text(argument: str) -> str:
    return read_text("-") if argument == "-" else argument


def judge(context: Context, kind: str, texts: tuple[str, ...], /, **options: Any) -> int:
    """Run one verdict, print it, and return the exit status. ``options``: fields of the kind's request beside its
    texts."""

    def ask(session: Session, **how: Any) -> Iterator[Event]:
        return session.ask(kind_named(kind), texts, **how, **options)

    return follow_verdict(context, kind, texts, ask)


def follow_verdict(context: Context, kind: str, texts: tuple[str, ...], ask: Callable[..., Iterator[Event]]) -> int:
    """The same of a verdict that ``ask`` asks a session for. ``texts``: of a verdict with an error alone."""
    console = context.console
    record = not context.args.no_history
    with context.session() as session, interruptible() as cancel:
        events = ask(session, record=record, cancel=cancel)
        last = follow(events, Progress(console))
        line = taste_line(context, session, last.result)
    if isinstance(last, Finished):
        assert last.result is not None
        if console.json:
            console.object(contract(last.result))
        else:
            show_verdict(console, last.result, line)
        return 0
    return _unfinished(context, kind, texts, last)


def _unfinished(context: Context, kind: str, texts: tuple[str, ...], last: Failed | Cancelled) -> int:
    console = context.console
    error = last.error if isinstance(last, Failed) else STOPPED
    if console.json:
        known = contract(last.result) if last.result else failed_object(kind, texts, error)
        console.object(known | {"error": error.model_dump()})
    elif last.result is not None and last.result.stage_seconds:
        show_verdict(console, last.result)
    console.error(restore(error))
    return INTERRUPTED if isinstance(last, Cancelled) else 1


COMMANDS: dict[str, Callable[[Context], int]] = {"rate": rate, "duel": duel}
