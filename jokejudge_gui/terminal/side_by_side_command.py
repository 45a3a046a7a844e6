"""``jokejudge models compare``: two models on the same labelled rows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import UsageError, restore
from ..evaluation.comparison import Comparison
from ..events import Cancelled, Failed, Finished
from ..runs.evaluation import RowsDone
from ..runs.kept import KeptEvaluations
from ..runs.pace import pace
from ..runs.side_by_side import Beside, Lists, OneOfTwo, SideBySide
from ..session import Session
from .compare_command import show_comparison, write_comparison
from .context import Context
from .judge_commands import INTERRUPTED, STOPPED
from .running import Progress, interruptible

_SEED = 1
"""Rows are drawn as the Trust tab draws them, so that what was measured there isn't asked again."""


def side_by_side(context: Context) -> int:
    """Ask two models about the same rows and print how they compare. What each says is kept, so that the same command
    goes on where it was stopped. Exit status 0, 1 for a failure, 130 when stopped."""
    args, console = context.args, context.console
    first, second = args.specs
    if first == second:
        raise UsageError("E_COMPARE_SAME", "Both names mean the same model.", "Name two different models.")
    kept = KeptEvaluations(context.profile.evaluations)
    work = SideBySide((first, second), Lists.of(args.list or ()), args.limit, _SEED, kept)
    found, last = _followed(context, work)
    error = last.error if isinstance(last, Failed) else STOPPED if isinstance(last, Cancelled) else None
    if found is not None:
        one, two = work.runs
        write_comparison(found, one, two, work.labels, html=args.html, items=args.items)
    if console.json:
        fields = found.model_dump(mode="json") if found is not None else {}
        console.object(fields | {"error": error.model_dump() if error else None})
    elif found is not None:
        show_comparison(console, found)
    if error is None:
        return 0
    console.error(restore(error))
    if isinstance(last, Cancelled):
        console.note("What was answered is kept. Run the same command again to go on from there.")
    return INTERRUPTED if isinstance(last, Cancelled) else 1


def _followed(context: Context, work: SideBySide) -> tuple[Comparison | None, Finished | Failed | Cancelled]:
    @contextmanager
    def session_of(spec: str) -> Iterator[Session]:
        settings = context.settings.model_copy()
        settings.model = None if spec == "embedded" else spec
        settings.together = []
        session = context.open_session(context.profile, settings)
        try:
            yield session
        finally:
            session.close()

    progress, found, name = Progress(context.console), None, ""
    with interruptible() as cancel:
        try:
            for event in work.run(session_of, cancel):
                match event:
                    case OneOfTwo(spec=spec, place=place):
                        name = f"{'First' if place == 0 else 'Second'} model, {spec}: "
                    case RowsDone(done=done, total=total, seconds=seconds):
                        progress.line(f"{name}{pace(done, total, seconds)}", done, total, now=done == 0)
                    case Beside():
                        found = event.found
                    case Finished() | Failed() | Cancelled():
                        return found, event
                    case _:
                        progress.show(event)
        finally:
            progress.clear()
    raise RuntimeError("a comparison ended without a last event")
