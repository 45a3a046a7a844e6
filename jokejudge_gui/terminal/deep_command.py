"""``jokejudge models deep``: what Deep adds to Quick on a model."""

from __future__ import annotations

from itertools import groupby

from ..errors import restore
from ..events import Cancelled, Failed
from ..judging.plan.deep_words import TITLE, UNMEASURED, Row, lines, rows
from ..judging.plan.deep_worth import DeepWorth
from ..runs.deep import deep_worth_of
from ..runs.shelf import TrustShelf
from ..verdicts import Asked, ErrorInfo, ModelRef
from .console import Console, printable
from .context import Context
from .fit_command import with_model
from .judge_commands import INTERRUPTED
from .running import Progress, follow, interruptible
from .trust_command import named_model

_STOPPED = ErrorInfo(
    code="E_INTERRUPTED",
    sentence="Stopped. What was judged is kept.",
    hint="The same command goes on from there.",
)
_HOW = "To measure it: jokejudge models deep --measure"


def deep(context: Context) -> int:
    """Print what is known of the named model, or of the one in use; with ``--measure`` measure it first."""
    console, error, status = context.console, None, 0
    shelf = TrustShelf(context.profile)
    if context.args.measure:
        named = with_model(context, context.args.spec)
        ask: Asked = "all" if context.args.ask == "all" else "plan"
        with named.session() as session, interruptible() as cancel:
            job = deep_worth_of(session, ask=ask, texts=context.args.texts, cancel=cancel)
            last = follow(job, Progress(console))
            model = session.model
        error = last.error if isinstance(last, Failed) else _STOPPED if isinstance(last, Cancelled) else None
        status = INTERRUPTED if isinstance(last, Cancelled) else 1 if error is not None else 0
    else:
        model = named_model(context, shelf)
    found = shelf.deep.load(model.sha256) if model is not None else None
    said = lines(found, shelf.deep_mark) if found is not None else (UNMEASURED,)
    if console.json:
        console.object(
            {
                "model": model.model_dump() if model is not None else None,
                "measured": found.model_dump(mode="json") if found is not None else None,
                "sentences": list(said),
                "error": error.model_dump() if error is not None else None,
            }
        )
    elif error is None and model is not None:
        _show(console, model, found, said)
    if error is not None:
        console.error(restore(error))
    return status


def _show(console: Console, model: ModelRef, found: DeepWorth | None, said: tuple[str, ...]) -> None:
    console.text(console.style.paint(f"{printable(model.name, lines=False)}: {TITLE}", "bold"))
    for line in said:
        console.paragraph(line)
    if found is None:
        console.paragraph(_HOW, paint="dim")
        return
    for section, some in groupby(rows(found), key=lambda row: row.section):
        console.text("")
        head = Row(section, section, "Quick", "Deep", "difference (95 %)", 0)
        console.text(console.style.paint(_line(head, "n"), "dim"))
        for row in some:
            console.text(_line(row, f"{row.n:,}"))


def _line(row: Row, n: str) -> str:
    return f"  {row.name:<40}{row.quick:>7}{row.deep:>8}{row.difference:>24}{n:>6}"
