"""Tries edits of a joke: those that may well be preferred are read again, and the ones that are get shown.

Reading an edit costs as much as reading the joke did. But most of what would be read is known: its words were read in
the joke already. So the draft heads are asked first what they would say if each word that stays meant what it meant
there, and only where that promises something is an edit read. ``python -m tests.bench.edits`` prints how well it does.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...engine.base import CancelToken
from ...verdicts import Trial
from ..reading.editor import SpanReading
from ..reading.reader import Reader
from .draft import RatingDraft
from .edits import Edit, edits

BETTER = 0.65
"""An edit is shown if an editor prefers it with this probability."""
LEAST_FORESEEN = 0.6
"""Log-odds foreseen for an edit from which on it is read: of those just above four in ten are shown, of those below
one in fifty drafts and one in ten edits of one-liners. They are higher than what reading gives, by .4 in the mean,
since no word is found missing yet."""
MOST_READ = 2
"""Edits of a joke that are read."""


def try_edits(
    reader: Reader, draft: RatingDraft, cuts: Sequence[SpanReading], cancel: CancelToken | None = None
) -> tuple[Trial, ...]:
    """Edits of the draft's text that an editor would prefer, the best first, by the head that learned from drafts; none
    without it. ``cuts``: words that could go. Raises what the engine and the heads raise."""
    trials = []
    for edit in promising(reader, draft, cuts, cancel):
        preferred = reader.compare_drafts(edit.text, draft.text, cancel)
        if preferred is not None and preferred.p_a >= BETTER:
            audience = None
            if draft.audience and draft.audience.heard:
                audience = reader.audience(reader.read(edit.text, cancel, context=draft.context))
            trials.append(
                Trial(
                    kind=edit.kind,
                    text=edit.text,
                    change=edit.change,
                    p_better=preferred.p_a,
                    percentile=audience.percentile if audience else None,
                )
            )
    trials.sort(key=lambda trial: -trial.p_better)
    return tuple(trials)


def promising(
    reader: Reader, draft: RatingDraft, cuts: Sequence[SpanReading], cancel: CancelToken | None = None
) -> list[Edit]:
    """The edits that are worth reading, the most promising first."""
    turn = (draft.turn.start, draft.turn.end) if draft.turn else None
    found = []
    for edit in edits(draft.text, turn, [(cut.start, cut.end) for cut in sorted(cuts, key=lambda cut: -cut.p)]):
        expected = reader.foresee_draft(edit.text, draft.text, cancel)
        if expected is not None and expected.log_odds_a >= LEAST_FORESEEN:
            found.append((expected.log_odds_a, edit))
    found.sort(key=lambda row: -row[0])
    return [edit for _, edit in found[:MOST_READ]]
