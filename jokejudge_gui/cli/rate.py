"""``jokejudge rate`` and ``duel``: one verdict, or one for each row of a file; ``workshop``: versions of a joke."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import options
from .context import Context, given_or_piped, options_given, read_text, read_texts, refuse, stored
from .options import argument, command, option
from .running import interruptible, judge

if TYPE_CHECKING:
    from ..core.events import Event
    from ..core.verdicts import Kind
    from ..session.session import Session


_HOW_TO_GIVE = "Give it in quotes, through a pipe, or with --file or --picture."


def asking(kind: str, texts: tuple[str, ...], **options: Any) -> Callable[..., Iterator[Event]]:
    """Return a function that starts a verdict in a session. ``options``: fields of its request beside its texts."""

    def ask(session: Session, **how: Any) -> Iterator[Event]:
        from ..judge.kinds import KINDS

        return session.ask(KINDS[kind], texts, **how, **options)

    return ask


def _rate(context: Context) -> int:
    args = context.args
    files = [given for given in (args.file, args.picture) if given is not None]
    texts = args.texts if files else given_or_piped(list(args.texts))
    count = len(texts) + len(files)
    refuse(
        (not count, "There's no joke to rate.", _HOW_TO_GIVE),
        (count > 1, f"rate takes one joke; here are {count}.", _HOW_TO_GIVE),
    )
    read = read_texts(texts) or (_in_picture(context) if args.picture is not None else read_text(args.file),)
    # Without this call's option the settings' own listeners are asked.
    listeners = {"listeners": args.listeners} if args.listeners else {}
    given = {"forced": args.anyway, "context": args.context, "generator": args.generator}
    results: list[Any] = []
    status = judge(context, "rate", asking("rate", read, **given, **listeners), read, write=results.append)
    if results and not context.console.json:
        from ..judge.rating.words import outcome

        if outcome(results[0]) in ("rejected", "no turn", "no text"):
            context.console.note("To rate it anyway, add --anyway.")
    return status


def _in_picture(context: Context) -> str:
    from ..library.pictures import UNSEEN, read_picture

    with interruptible() as cancel:
        text = read_picture(Path(context.args.picture), cancel)
    context.console.note(f"The picture says: {text}")
    context.console.note(f"{UNSEEN} Where a word is wrong, rate the corrected text, with --context for what it shows.")
    return text


def _duel(context: Context) -> int:
    args = context.args
    given = given_or_piped(list(args.texts), 2)
    how = "Give them in quotes, one of them perhaps as - for standard input."
    refuse((len(given) != 2, "duel takes exactly two jokes.", how))
    texts = read_texts(given)
    return judge(context, "duel", asking("duel", texts, context=args.context, generator=args.generator), texts)


def _or_many(context: Context, kind: Kind, one: Callable[[Context], int]) -> int:
    args = context.args
    if args.batch is not None:
        from .batch import run_batch

        return run_batch(context, kind)
    given = args.retry_errors or (args.out, args.shard, args.cluster) != (None, None, None)
    sentence = "--out, --retry-errors, --shard and --cluster belong to --batch."
    refuse((given, sentence, f"See jokejudge {kind} --help."))
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
@options.batch_of("text", ", or plain text as contest reads it")
@options.many("--edits", "Read each joke against itself, too, and offer edits.")
@options.text_column
@options.as_list
@options.batch
def rate(context: Context) -> int:
    """Rate one joke, or every row of a file."""
    return _or_many(context, "rate", _rate)


@command("duel", judges=True)
@argument("texts [A] [B]", "The jokes; - reads one from standard input, as does a missing one.", nargs=-1)
@options.context
@options.generator
@options.ask
@options.batch_of("text_a,text_b")
@options.batch
def duel(context: Context) -> int:
    """Compare two jokes, or every pair of a file."""
    return _or_many(context, "duel", _duel)


@command("workshop", judges=True)
@argument(
    "texts [TEXT]...",
    "The joke, and further versions of it; - reads one from standard input; with --resume more versions.",
    type=str,
)
@option("--resume ID|last", "Go on with a joke of the history.")
@option("--from N", "The version that the next one is made from (the last one).", to="parent", type=options.text)
@options.context
@options.ask
def workshop(context: Context) -> int:
    """Read versions of a joke and print the effect of each change. Exit status 0 when all were read, 1 for a failure,
    130 when it was stopped; the results so far are printed then, too."""
    from ..judge.versions import WORKSHOP, WorkshopRequest, WorkshopResult

    args = context.args
    texts = read_texts(args.texts if args.resume is not None else given_or_piped(list(args.texts)))
    refuse(
        (not texts and not args.resume, "There's no joke to work on.", "Give it in quotes, or through a pipe."),
        (args.parent and not args.resume, "--from belongs to --resume.", "See jokejudge workshop --help."),
    )

    def ask(session: Session, **how: Any) -> Iterator[Event]:
        if args.resume is None:
            request = session.request(WORKSHOP, versions=WorkshopRequest.of(*texts).versions, context=args.context)
        else:
            sentence = "This verdict isn't a joke in versions that can be continued."
            earlier = stored(session.store, args.resume, WorkshopResult, "E_WORKSHOP_RESUME", sentence)
            given = options_given(args) | ({"context": args.context} if args.context else {})
            request = WorkshopRequest.going_on(earlier, texts, parent=args.parent, **given)
        return session.run(WORKSHOP, request, **how)

    status = judge(context, "workshop", ask)
    if status == 0 and not args.no_history:
        context.console.note(f'Another version: {context.with_models("jokejudge workshop --resume last")} "…"')
    return status
