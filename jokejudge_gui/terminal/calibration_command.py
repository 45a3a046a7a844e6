"""``jokejudge screen --calibration``: what one's own scores say of chances, and forgetting them."""

from __future__ import annotations

from collections.abc import Generator

from ..errors import UsageError
from ..events import Event
from ..library.finder import ModelFile
from ..loading import identify
from ..runs.own_scores import ScoreShelf, calibration_object
from ..taste.own_scale import scale_told
from .console import printable
from .context import Context
from .running import interruptible


def calibration(context: Context) -> int:
    """Show or forget what was learned from the user's own scores. Exit status 0."""
    args, console, shelf = context.args, context.console, ScoreShelf(context.profile)
    if args.lists or args.of is not None or args.scores is not None:
        raise UsageError("E_USAGE", "--calibration takes no list.", "See jokejudge screen --help.")
    if args.calibration == "forget":
        count = shelf.forget(_sha256(context))
        if console.json:
            console.object({"forgotten": count, "error": None})
        else:
            scores = "1 score" if count == 1 else f"{count} scores"
            console.paragraph(f"Forgot {scores}." if count else "There was no score to forget.")
        return 0
    found = shelf.all()
    if console.json:
        console.object({"calibrations": [calibration_object(scores) for scores in found], "error": None})
        return 0
    if not found:
        console.paragraph("No joke is scored yet.")
        console.note(f"Begin with: {context.told('jokejudge screen LIST --to-score scores.csv')}")
    for each in found:
        console.paragraph(f"{printable(each.model, lines=False)}:")
        for line in scale_told(each.scale(), len(each.scores)):
            console.paragraph(line)
    return 0


def _sha256(context: Context) -> str | None:
    """The model that this call names; None: it names none."""
    if getattr(context.args, "model", None) is None:
        return None
    with interruptible() as cancel:
        return _found(identify(context.settings.model, context.profile, cancel))


def _found(steps: Generator[Event, None, tuple[ModelFile, str]]) -> str:
    while True:
        try:
            next(steps)
        except StopIteration as end:
            _, sha256 = end.value
            return str(sha256)
