"""``jokejudge workshop``: reads versions of a joke."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..core.events import Event
from ..judge.versions import WORKSHOP, WorkshopRequest, WorkshopResult
from ..session.session import Session
from . import options
from .context import Context, given_or_piped, options_given, read_texts, refuse, stored
from .options import argument, command, option
from .running import judge


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
