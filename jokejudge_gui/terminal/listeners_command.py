"""``jokejudge models listeners``: which listeners a model tells apart."""

from __future__ import annotations

from ..errors import UsageError, restore
from ..events import Cancelled, Failed
from ..judging.plan.listeners import (
    OWN,
    TEXTS,
    UNMEASURED,
    ListenerFiles,
    ListenerWorth,
    listener_version,
    reason_of,
    worth_of,
)
from ..judging.rating.listeners import clean_listeners, who
from ..paths import models_dir
from ..rubric.own_file import OwnFile
from ..runs.shelf import TrustShelf
from ..verdicts import ErrorInfo
from .console import printable, shorten
from .context import Context
from .fit_command import with_model
from .judge_commands import INTERRUPTED
from .running import Progress, follow, interruptible
from .trust_command import named_model

_STOPPED = ErrorInfo(
    code="E_INTERRUPTED",
    sentence="Stopped. Nothing was kept of this measurement.",
    hint="The same command begins anew.",
)


def listeners(context: Context) -> int:
    """Print what is known of the named model, or of the one in use; with ``--measure`` measure it first."""
    console, args = context.console, context.args
    if args.listeners and not args.measure:
        raise UsageError("E_USAGE", "--listener says whom to measure.", "Add --measure, or leave it out.")
    if args.measure:
        named = with_model(context, args.spec)
        with named.session() as session, interruptible() as cancel:
            last = follow(session.measure_listeners(clean_listeners(args.listeners), cancel=cancel), Progress(console))
            model = session.model
        error = last.error if isinstance(last, Failed) else _STOPPED if isinstance(last, Cancelled) else None
        if error is not None or model is None:
            error = error or _STOPPED
            if console.json:
                console.object({"model": None, "listeners": [], "error": error.model_dump()})
            console.error(restore(error))
            return INTERRUPTED if isinstance(last, Cancelled) else 1
    else:
        model = named_model(context, TrustShelf(context.profile))
    audiences = OwnFile(context.profile.criteria).in_use()[0].audiences
    files = ListenerFiles(models_dir() / "listeners", context.profile.listeners)
    found, own = files.load(model.sha256, listener_version()), files.load_own(model.sha256, listener_version())
    listed = tuple(dict.fromkeys((*audiences.listeners, *who(audiences, clean_listeners(args.listeners)))))
    why = {each: reason_of(each, found, own) for each in listed}
    worths = {each: worth for each in listed if (worth := worth_of(each, found, own)) is not None}
    if console.json:
        rows = [
            {
                "id": each.id,
                "name": each.name,
                "group": each.group,
                "own": each.own,
                "asked": not why[each],
                "reason": why[each],
                "worth": worths[each].model_dump() if each in worths else None,
            }
            for each in listed
        ]
        console.object({"model": model.model_dump(), "texts": found.texts if found else 0, "listeners": rows,
                        "own": bool(found and found.own), "error": None})  # fmt: skip
        return 0
    console.text(console.style.paint(printable(model.name, lines=False), "bold"))
    if found is None and not worths:
        console.paragraph(UNMEASURED)
        return 0
    told = sum(not reason for reason in why.values())
    console.paragraph(
        f"{told} of {len(why)} listeners are told apart, measured on {found.texts if found else TEXTS} jokes and on "
        f"{sum(len(each.likes) for each in listed)} that one listener likes."
    )
    for each in listed:
        console.text(f"  {shorten(printable(each.name, lines=False), 18)}{_figures(worths.get(each))}")
        console.paragraph(f"    {why[each] or 'asked'}", paint="dim")
    if found is not None and not found.own:
        console.paragraph(OWN)
    return 0


def _figures(worth: ListenerWorth | None) -> str:
    if worth is None:
        return ""
    direction = f"  direction {worth.area:.2f} (from {worth.low:.2f})" if worth.area is not None else ""
    return f"  spread {worth.ratio:5.2f}{direction}"
