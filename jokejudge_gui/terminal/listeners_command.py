"""``jokejudge models listeners``: which listeners a model tells apart."""

from __future__ import annotations

from ..errors import restore
from ..events import Cancelled, Failed
from ..judging.plan.listeners import OWN, UNMEASURED, ListenerFiles, listener_version, reasons
from ..paths import models_dir
from ..rubric.audiences import parse_audiences
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
    console = context.console
    if context.args.measure:
        named = with_model(context, context.args.spec)
        with named.session() as session, interruptible() as cancel:
            last = follow(session.measure_listeners(cancel=cancel), Progress(console))
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
    audiences = parse_audiences()
    files = ListenerFiles(models_dir() / "listeners", context.profile.listeners)
    found = files.load(model.sha256, listener_version())
    why = reasons(audiences, found)
    if console.json:
        rows = [
            {
                "id": each.id,
                "name": each.name,
                "group": each.group,
                "asked": not why[each.id],
                "reason": why[each.id],
                "worth": found.worth[each.id].model_dump() if found and each.id in found.worth else None,
            }
            for each in audiences.listeners
        ]
        console.object({"model": model.model_dump(), "texts": found.texts if found else 0, "listeners": rows,
                        "own": bool(found and found.own), "error": None})  # fmt: skip
        return 0
    console.text(console.style.paint(printable(model.name, lines=False), "bold"))
    if found is None:
        console.paragraph(UNMEASURED)
        return 0
    told = sum(not reason for reason in why.values())
    console.paragraph(
        f"{told} of {len(why)} listeners are told apart, measured on {found.texts} jokes and on "
        f"{sum(len(each.likes) for each in audiences.listeners)} that one listener likes."
    )
    for each in audiences.listeners:
        worth = found.worth[each.id]
        line = (
            f"  {shorten(each.name, 18)}  spread {worth.ratio:5.2f}  direction {worth.area:.2f} (from {worth.low:.2f})"
        )
        console.text(line)
        console.paragraph(f"    {why[each.id] or 'asked'}", paint="dim")
    if not found.own:
        console.paragraph(OWN)
    return 0
