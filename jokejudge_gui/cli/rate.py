"""``jokejudge rate`` and ``jokejudge duel`` for one verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from ..core.events import Event, Finished
from ..core.verdicts import Kind
from . import options
from .context import Context, given_or_piped, misuse, read_text
from .options import argument, command, option
from .running import Last, Progress, end, failure, follow, interruptible

if TYPE_CHECKING:
    from ..session.session import Session


def options_given(args: SimpleNamespace) -> dict[str, Any]:
    """Return the options of judging that the call gives; an earlier verdict that is continued or repeated keeps its own
    for the rest."""
    given = {"mode": args.mode, "ask": getattr(args, "ask", None), "explain": False if args.no_explain else None}
    return {name: value for name, value in given.items() if value is not None}


def _rate(context: Context) -> int:
    """Rate one joke."""
    args = context.args
    files = [given for given in (args.file, args.picture) if given is not None]
    texts = args.texts if files else given_or_piped(list(args.texts))
    sources = [*texts, *files]
    if len(sources) != 1:
        raise misuse(
            "There's no joke to rate." if not sources else f"rate takes one joke; here are {len(sources)}.",
            "Give it in quotes, through a pipe, or with --file or --picture.",
        )
    if args.picture is not None:
        text = _in_picture(context)
    else:
        text = read_text(args.file) if args.file is not None else _text(texts[0])
    # Without this call's option the settings' own listeners are asked.
    listeners = {"listeners": args.listeners} if args.listeners else {}
    options = {"forced": args.anyway, "context": args.context, "generator": args.generator}
    return judge(context, "rate", (text,), **options, **listeners)


def _in_picture(context: Context) -> str:
    from ..library.pictures import UNSEEN, read_picture

    with interruptible() as cancel:
        found = read_picture(Path(context.args.picture), cancel)
    context.console.note(f"The picture says: {found.text}")
    context.console.note(f"{UNSEEN} Where a word is wrong, rate the corrected text, with --context for what it shows.")
    return found.text


def _duel(context: Context) -> int:
    """Compare two jokes."""
    args = context.args
    files = [args.file_a, args.file_b]
    given = given_or_piped(list(args.texts), 2 - sum(file is not None for file in files))
    if len(given) + sum(file is not None for file in files) != 2 or given.count("-") > 1:
        raise misuse(
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
    from ..judge.kinds import KINDS

    def ask(session: Session, **how: Any) -> Iterator[Event]:
        return session.ask(KINDS[kind], texts, **how, **options)

    return follow_verdict(context, kind, texts, ask)


def follow_verdict(context: Context, kind: str, texts: tuple[str, ...], ask: Callable[..., Iterator[Event]]) -> int:
    """Run a verdict that ``ask`` starts in a session, print it, and return the exit status. ``texts``: the texts of a
    verdict that has only an error."""
    # Imported here: errors in arguments are reported without loading the judges, and JSON without the words, and so at
    # once.
    from ..judge.kinds import KINDS

    console = context.console
    with context.session() as session, interruptible() as cancel:
        last = follow(ask(session, record=not context.args.no_history, cancel=cancel), Progress(console))
        show = None if console.json else _shown(context, session, last)
    result, error = last.result, failure(last)
    if result is None:
        assert error is not None
        return end(console, last, KINDS[kind].unread(texts, error))
    return end(console, last, KINDS[kind].contract(result), show)


def _shown(context: Context, session: Session, last: Last) -> Callable[[], None] | None:
    """Return a function that prints a verdict for people; None if nothing of it is known."""
    from .verdicts import show_verdict, taste_line

    result = last.result
    if result is None or not (isinstance(last, Finished) or result.stage_seconds):
        return None
    line = taste_line(context, lambda: session.store, result) if isinstance(last, Finished) else ""
    return lambda: show_verdict(context.console, result, line)


def _or_many(context: Context, kind: Kind, one: Callable[[Context], int]) -> int:
    args = context.args
    if args.batch is not None:
        from .batch import run_batch

        return run_batch(context, kind)
    if args.retry_errors or any(given is not None for given in (args.out, args.shard, args.cluster)):
        raise misuse("--out, --retry-errors, --shard and --cluster belong to --batch.", f"See jokejudge {kind} --help.")
    return one(context)


@command("rate", judges=True)
@argument("texts [TEXT]", "The joke; without it, or with -, standard input is read.", type=str, nargs=-1)
@option("-f --file F", "Read the joke from a file.")
@option(
    "--picture FILE",
    "Read the joke from the text in a picture (PNG, JPEG, WebP, BMP); the picture itself isn't seen, so say in "
    "--context what it shows.",
)
@option("--anyway", "Rate it even if it isn't admitted as a joke.")
@options.context
@options.generator
@option(
    "--listener NAME|all",
    "Ask whether this listener would laugh, too: Family, Workplace, Students, British, Programmers, Older people, "
    "Affiliative, Self-enhancing, Aggressive, Self-defeating, all, or your own words.",
    to="listeners",
    multiple=True,
)
@options.ask
@option("--budget N", "With --mode deep: the most further readings.", to="readings")
@option(
    "--batch IN",
    "Judge every row: a table, JSON lines or a JSON array with text and, if you like, context and generator, or "
    "plain text as contest reads it; without IN standard input is read.",
    is_flag=False,
    flag_value="-",
    heading="Many at once",
)
@option("--edits", "Read each joke against itself, too, and offer edits.", heading="Many at once")
@options.text_column
@options.as_list
@options.batch
def rate(context: Context) -> int:
    """Rate one joke, or every row of a file."""
    return _or_many(context, "rate", _rate)


@command("duel", judges=True)
@argument("texts [A] [B]", "The jokes; - reads one from standard input, as does a missing one.", nargs=-1)
@option("--file-a F", "Read joke A from a file.")
@option("--file-b F", "Read joke B from a file.")
@options.context
@options.generator
@options.ask
@option("--orders", "Also ask the model in both orders; the same as --ask all.", to="ask", flag_value="all")
@option(
    "--batch IN",
    "Judge every row: a table, JSON lines or a JSON array with text_a,text_b and, if you like, context and "
    "generator; without IN standard input is read.",
    is_flag=False,
    flag_value="-",
    heading="Many at once",
)
@options.batch
def duel(context: Context) -> int:
    """Compare two jokes, or every pair of a file."""
    return _or_many(context, "duel", _duel)
