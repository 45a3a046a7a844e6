"""``jokejudge workshop``: reads versions of a joke."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ..core.errors import UsageError
from ..core.events import Event
from ..judge.versions import WORKSHOP, Origin, WorkshopRequest, WorkshopResult
from ..session.session import Session
from . import options
from .context import Context, given_or_piped, misuse, read_text, stored
from .options import argument, command, option
from .rate import follow_verdict, options_given

_TAKE = re.compile(r"(\d+)([a-z]?)", re.IGNORECASE)


@command("workshop", judges=True)
@argument(
    "texts [TEXT]...",
    "The joke, and further versions of it; - reads one from standard input; with --resume more versions.",
    type=str,
)
@option("-f --file F", "Read a version from a file.")
@option("--resume ID|last", "Go on with a joke of the history.")
@option("--from N", "The version that the next one is made from (the last one).", to="parent", type=options.text)
@option("--take N[LETTER]", "With --resume: add an edit that the program proposed for version N (2b: its second one).")
@options.context
@options.ask
def workshop(context: Context) -> int:
    """Read versions of a joke and print the effect of each change. Exit status 0 when all were read, 1 for a failure,
    130 when it was stopped; the results so far are printed then, too."""
    texts = _texts(context)

    def ask(session: Session, **how: Any) -> Iterator[Event]:
        return session.run(WORKSHOP, _request(context, session, texts), **how)

    status = follow_verdict(context, "workshop", (), ask)
    if status == 0 and not context.args.no_history:
        context.console.note(f'Another version: {context.with_models("jokejudge workshop --resume last")} "…"')
    return status


def _texts(context: Context) -> list[str]:
    args = context.args
    texts = list(args.texts)
    given = texts if args.resume is not None or args.file is not None else given_or_piped(texts)
    if given.count("-") + (args.file == "-") > 1:
        raise misuse("Standard input can be only one of the versions.", "Give the others in quotes.")
    texts = [read_text("-") if text == "-" else text for text in given]
    if args.file is not None:
        texts.append(read_text(args.file))
    if not texts and args.resume is None:
        raise misuse("There's no joke to work on.", "Give it in quotes, through a pipe, or with --file.")
    if args.take is not None and (args.resume is None or texts or args.parent is not None):
        raise misuse("--take adds an edit to a joke of the history, and nothing else.", "Give it with --resume alone.")
    if args.parent is not None and args.resume is None:
        raise misuse("--from belongs to --resume.", "See jokejudge workshop --help.")
    return texts


def _request(context: Context, session: Session, texts: list[str]) -> WorkshopRequest:
    args = context.args
    if args.resume is None:
        return session.request(WORKSHOP, versions=WorkshopRequest.of(*texts).versions, context=args.context)
    result = _earlier(session, args.resume)
    options = options_given(args) | ({"context": args.context} if args.context else {})
    if args.take is None:
        return WorkshopRequest.going_on(result, texts, parent=args.parent, **options)
    parent, text, change = _proposal(result, args.take)
    origin: Origin = "program"
    return WorkshopRequest.going_on(result, [text], parent=parent, origin=origin, change=change, **options)


def _earlier(session: Session, id: str) -> WorkshopResult:
    """Return the joke that ``--resume`` names."""
    sentence = "This verdict isn't a joke in versions that can be continued."
    return stored(session.store, id, WorkshopResult, "E_WORKSHOP_RESUME", sentence)


def _proposal(result: WorkshopResult, name: str) -> tuple[str, str, str]:
    """Return the version that an edit was proposed for, the edit's text, and the words that it changed."""
    found = _TAKE.fullmatch(name)
    version = next((v for v in result.versions if found and v.id == found[1]), None)
    at = ord(found[2].lower()) - ord("a") if found and found[2] else 0
    if version is None or at >= len(version.proposals):
        known = [f"{v.id}{chr(ord('a') + n)}" for v in result.versions for n in range(len(v.proposals))]
        raise UsageError(
            "E_WORKSHOP_PROPOSAL",
            f"There is no proposed edit {name}.",
            f"There are {', '.join(known)}." if known else "No edit was found that an editor would prefer.",
        )
    trial = version.proposals[at]
    return version.id, trial.text, f"{trial.kind}: {trial.change}"
