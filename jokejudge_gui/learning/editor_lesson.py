"""The lesson of the editor's heads: what is learned from the readings that ship, and the files of the heads."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from ..core.events import Event
from ..core.verdicts import ModelRef
from ..engine.base import Scan
from ..heads.editor import EditorHeads, TextRow, measure
from ..heads.editor_file import EditorCard
from ..rubric.notes import parse_notes
from .editor_data import Draft, Readings
from .editor_fit import BUCKETS, fit_editor
from .editor_report import figures_of, note_figures, noted
from .teacher import Lesson, Teacher, Written, progress, today, too_few

VERSION = "1"
LEAST_READINGS = 100
NOTE = (
    "The readings were made by a large language model with the rubric in hand: an editor's view, not people's votes. "
    "Figures are out of fold over five folds of texts, calibration too; where texts lie (standardising, axes) was "
    "found on all texts without a look at the readings. Intervals: bootstrap over texts."
)


class EditorLesson(Lesson[TextRow]):
    """The editor's heads, from readings and drafts."""

    part = "editor"
    note = "reading texts that an editor read"

    def __init__(self, readings: Readings, drafts: Sequence[Draft]) -> None:
        self.readings, self.drafts = readings, drafts
        self.texts = [*readings.texts, *(draft.text for draft in drafts)]

    def row(self, text: str, scan: Scan) -> TextRow:
        row = measure(scan.states, text, scan.spans, BUCKETS, scan.logprobs)
        # Half precision halves the memory for thousands of texts, and the states' own noise is larger than the
        # rounding.
        return replace(row, pools=row.pools.astype(np.float32), states=row.states.astype(np.float16))

    def fit(self, rows: Sequence[TextRow | None], teacher: Teacher) -> Generator[Event, None, Written]:
        count = len(self.readings)
        read = np.flatnonzero([row is not None for row in rows[:count]])
        if len(read) < LEAST_READINGS:
            raise too_few(f"{len(read)} of the texts", "learn from", LEAST_READINGS)
        readings = self.readings.keep(read)
        drafts = [(row, draft) for row, draft in zip(rows[count:], self.drafts, strict=True) if row is not None]
        yield progress(len(rows), len(rows), "fitting, and measuring")
        fitted = fit_editor(
            [row for row in rows[:count] if row is not None],
            readings,
            [row for row, _ in drafts],
            [draft for _, draft in drafts],
            teacher.token.check,
        )
        info = teacher.engine.info
        notes = note_figures(parse_notes(), noted(readings, fitted))
        figures, items = figures_of(readings, fitted)
        card = EditorCard(
            model=ModelRef(name=info.name, sha256=info.sha256),
            version=VERSION,
            date=today(),
            command="jokejudge models fit --editor",
            data="an editor's readings and drafts (models/readings/README.md)",
            readings=len(readings),
            drafts=len(drafts),
            note=NOTE,
            figures=figures,
            items=items,
            notes=notes,
        )
        meta = {**fitted.meta, "version": VERSION, "model_sha256": info.sha256}
        return partial(EditorHeads.write, meta=meta, arrays=fitted.arrays), card.model_dump(mode="json")
