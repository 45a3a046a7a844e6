"""The card of a model's plan: which items are read or asked, the worth of each, and learning to read with the model."""

from __future__ import annotations

from itertools import groupby

from PySide6.QtCore import QObject, Signal

from ...core.events import ModelReady
from ...core.pages import Table
from ...core.texts import listed
from ...engine.base import CancelToken
from ...learning.learner import Learned, in_words
from ...learning.teacher import Part
from ...measure.model_page import MEASURED, TITLES, plan_row, plan_summary, prose_test, tried, unmeasured
from ...measure.worths import ModelPlan
from ...session.session import Session
from ..judge_worker import JobEvent, JobSteps, JudgeWorker
from ..widgets.controls import LinkButton
from ..widgets.layout import HBox
from ..widgets.page import FigureTable
from ..widgets.text import Paragraph
from .long_run import GO_ON, Ending, RunCard, StagedRun

# The run that trains reading heads on the current model: it lets verdicts go first, and continues after them and after
# a restart of the program.


class Learning(StagedRun):
    """Trains reading heads. ``learned``: verdicts use a new part. The run starts only while the worker is idle."""

    learned = Signal()

    def __init__(self, session: Session, worker: JudgeWorker, parent: QObject) -> None:
        super().__init__(session, worker, parent, "learn", self._learn)
        self._wanted = False
        self.gained: list[str] = []
        """Sentences on the worth of each part learned with the current model."""
        worker.busy_changed.connect(self._when_idle)
        worker.happened.connect(self._watch)

    @property
    def live(self) -> bool:
        """Whether a run is in progress or waiting."""
        return super().live or self._wanted

    @property
    def missing(self) -> tuple[Part, ...]:
        """The parts that the current model lacks and that could be learned."""
        judge = self._session.judge
        return self._session.learner.missing(judge) if judge is not None else ()

    @property
    def begun(self) -> bool:
        """Whether a run with the current model was started and not finished."""
        judge = self._session.judge
        return judge is not None and self._session.learner.begun(judge.model.sha256)

    def stop(self) -> None:
        """Stop; the texts read so far are kept."""
        if self._wanted:
            self._wanted = False
            self._set("stopped")
        super().stop()

    def leave(self) -> None:
        """Start nothing any more, since the window closes."""
        super().leave()
        self._wanted = False

    def _watch(self, item: JobEvent) -> None:
        if isinstance(item.event, ModelReady) and self._job is None:
            self.take_up()

    def take_up(self) -> None:
        """Resume a run that was started with the current model before the program was closed, otherwise reset."""
        self._wanted = False
        self.gained = []
        if self.missing and self.begun:
            self._submit()
        else:
            self.forget()

    def _queue(self) -> None:
        self._wanted = True
        self._when_idle(self._worker.busy)

    def _when_idle(self, busy: bool) -> None:
        if self._wanted and not busy and not self._worker.busy and self._session.model is not None:
            self._wanted = False
            super()._queue()

    def _learn(self, token: CancelToken) -> JobSteps:
        return self._session.fit_editor(cancel=token)

    def _follow(self, event: object) -> None:
        super()._follow(event)
        if isinstance(event, Learned):
            self.gained.append(in_words(event))
            self.learned.emit()

    def _end(self, event: Ending) -> None:
        super()._end(event)
        self.learned.emit()


TEACH, MEASURE = "Teach it to read jokes", "Measure what asking adds"
ALL, FEWER = "Show every item", "Show fewer items"
_MOST = {"kind": 12}
"""Greatest number of items of a section that are shown before the link is pressed."""
_TEXTS: dict[Part, str] = {
    "editor": "some 900 texts that an editor read",
    "drafts": "some 280 jokes in several drafts",
    "sense": "some 1,600 texts around 150 jokes, many of which only look like one",
}
"""The training data of each part."""
_MEASURE_OFFER = "It wasn't measured yet how much asking this model adds to reading with it."


class PlanCard(RunCard):
    """The card of a ``ModelPlan`` and a ``Learning``."""

    run: Learning

    def __init__(self, learning: Learning) -> None:
        super().__init__(
            "What is read, and what is asked", learning, "Learning to read jokes",
            first="Verdicts go first; closing the program only pauses it.", kept="What was read is kept.",
        )  # fmt: skip
        self._found: ModelPlan | None = None
        self._all = False
        self.text = Paragraph("", 14, token="text")
        self.table = FigureTable("What each part of a verdict is worth")
        self.all_link = LinkButton(ALL, act=self._toggle)
        self.add(self.text)
        self.add_run()
        self.add(self.table, HBox(self.all_link, 1, gap=12))
        self.draw()

    def show_plan(self, found: ModelPlan | None, usable: bool) -> None:
        """Show a plan, or None. ``usable``: the model is the current one; no other can be trained on."""
        self._found, self._usable = found, usable
        if found is not None:
            words = [plan_summary(found), tried(found), prose_test(found), *unmeasured(found)]
            self.text.set_content(" ".join(part for part in words if part))
        self._fill()
        self.draw()

    def _at_rest(self) -> str:
        if not self._usable:
            return ""
        offer = ""
        if texts := [_TEXTS[part] for part in self.run.missing if part in _TEXTS]:
            offer = (
                f"With this model the program can learn to read jokes as an editor does, from {listed(texts)}. "
                "Each is read once, in the background; the time left is shown once that has begun. "
                "Parts that are too near to chance aren't kept."
            )
        elif self.run.missing:
            offer = _MEASURE_OFFER
        return " ".join([*self.run.gained, offer]).strip()

    def _offer(self) -> str:
        missing = self.run.missing
        if not missing:
            return ""
        return GO_ON if self.run.begun else MEASURE if missing == ("plan",) else TEACH

    def _toggle(self) -> None:
        self._all = not self._all
        self._fill()

    def _fill(self) -> None:
        rows = self._found.rows if self._found is not None else ()
        rows = tuple(row for row in rows if row.section not in ("audience",))
        groups = []
        for (section, measured), some in groupby(rows, key=lambda row: (row.section, row.measured)):
            ordered = sorted(some, key=lambda row: (not row.shown, -row.worth))
            if not self._all:
                ordered = [row for row in ordered if row.shown][: _MOST.get(section, len(ordered))]
            groups.append(Table(f"{TITLES[section]} · {MEASURED[measured]}", (), tuple(map(plan_row, ordered))))
        self.table.set_tables(groups)
        self.all_link.setText(FEWER if self._all else ALL)
        self.all_link.setVisible(any(not row.shown for row in rows))
