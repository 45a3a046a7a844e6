"""The card of a model's plan: what is read, what is asked, what each item is worth, and learning to read with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from PySide6.QtCore import QObject, QRectF, QSize, Signal
from PySide6.QtGui import QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ...core.events import ModelReady
from ...engine.base import CancelToken
from ...learning.drafts_job import DraftsFitted
from ...learning.editor_job import EditorFitted
from ...learning.plan_job import PlanMeasured
from ...measure.model_page import MEASURED, SOURCES, TITLES, prose_test, summary, tried, unmeasured, worth_in_words
from ...measure.worths import ItemRow, ModelPlan
from ...session.session import Session
from ..judge_worker import JobEvent, JobSteps, JudgeWorker
from ..look.theme import theme
from ..widgets.base import RIGHT, Painted, text_width, wrapped, write
from ..widgets.controls import LinkButton
from ..widgets.layout import HBox
from ..widgets.text import Paragraph
from .long_run import GO_ON, Ending, RunCard, StagedRun

# A model's plan as a table: every item with its worth, where it comes from, and what asking it costs.

_ROW = 24.0
_CAPTION = 34.0
_MORE = 18.0
"""A further line of a name."""
_GAP = 14.0


@dataclass(frozen=True)
class PlanRow:
    """``figure``: the worth with its interval; ``source``: read, asked, or both; ``cost``: tokens, if any."""

    name: str
    figure: str
    source: str
    cost: str
    shown: bool


@dataclass(frozen=True)
class PlanGroup:
    """Rows under one caption."""

    caption: str
    rows: tuple[PlanRow, ...]


@dataclass(frozen=True)
class _Columns:
    """Where the columns begin, and how wide the figures are, in px at 100 %."""

    figure: float
    figures: float
    source: float
    cost: float


class PlanTable(Painted):
    """Rows of 24 px, higher where a name takes more lines than one; those that aren't shown in verdicts are pale. Fixes
    its height to its width."""

    def __init__(self, name: str = "What each part of a verdict is worth") -> None:
        super().__init__()
        self._name = name
        self.groups: tuple[PlanGroup, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.follow_theme()

    def set_groups(self, groups: Sequence[PlanGroup]) -> None:
        self.groups = tuple(group for group in groups if group.rows)
        said = [
            f"{group.caption}: "
            + "; ".join(
                " ".join(part for part in (row.name, row.figure, row.source, row.cost) if part)
                + ("" if row.shown else ", not shown")
                for row in group.rows
            )
            for group in self.groups
        ]
        self.say(self._name, ". ".join(said))
        self.restyle()

    def restyle(self) -> None:
        self._arrange()
        super().restyle()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._arrange()

    def sizeHint(self) -> QSize:
        return QSize(theme().px(360), self.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(theme().px(240), self.height())

    def _arrange(self) -> None:
        height = 0.0
        if self.groups:
            width = self.width() / theme().scale
            room = self._columns(width).figure - _GAP
            for group in self.groups:
                height += _CAPTION + _MORE * (len(self._caption(group, width)) - 1)
                height += sum(_ROW + _MORE * (len(self._names(row, room)) - 1) for row in group.rows)
        wanted = max(1, theme().px(height))
        if self.minimumHeight() != wanted or self.maximumHeight() != wanted:
            self.setFixedHeight(wanted)
        self.updateGeometry()

    def _columns(self, width: float) -> _Columns:
        t = theme()
        rows = [row for group in self.groups for row in group.rows]
        face, numbers = t.raw_font(13), t.raw_font(13, 400, True)
        figures = max(text_width(row.figure, numbers) for row in rows)
        costs = max(text_width(row.cost, numbers) for row in rows)
        cost = width - costs - (_GAP if costs else 0)
        source = cost - max(text_width(row.source, face) for row in rows)
        return _Columns(source - _GAP - figures, figures, source, cost)

    def _caption(self, group: PlanGroup, width: float) -> list[str]:
        return wrapped(group.caption, theme().raw_font(12), width)

    def _names(self, row: PlanRow, room: float) -> list[str]:
        return wrapped(row.name, theme().raw_font(13), max(0.0, room))

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self.groups:
            return
        t = theme()
        face, small, numbers = t.raw_font(13), t.raw_font(12), t.raw_font(13, 400, True)
        with self.painter() as (painter, width, _):
            at = self._columns(width)
            room = at.figure - _GAP
            y = 0.0
            for group in self.groups:
                y += _CAPTION - 24
                for line in self._caption(group, width):
                    write(painter, QRectF(0, y, width, 20), line, small, t.tokens.text3)
                    y += _MORE
                y += 24 - _MORE
                for row in group.rows:
                    colour = t.tokens.text if row.shown else t.tokens.text3
                    write(painter, QRectF(at.figure, y, at.figures, _ROW), row.figure, numbers, colour, RIGHT)
                    write(painter, QRectF(at.source, y, at.cost - at.source, _ROW), row.source, face, colour)
                    write(painter, QRectF(at.cost, y, width - at.cost, _ROW), row.cost, numbers, colour, RIGHT)
                    for line in self._names(row, room):
                        write(painter, QRectF(0, y, max(0.0, room), _ROW), line, face, colour)
                        y += _MORE
                    y += _ROW - _MORE


# Teaching the program to read jokes with the model in use: it lets verdicts go first, and goes on after them and
# after the program was closed.


class Learning(StagedRun):
    """``learned``: verdicts use something new. It begins only when nobody waits for the model, the program itself
    included."""

    job_name = "learn"
    learned = Signal()

    def __init__(self, session: Session, worker: JudgeWorker, parent: QObject) -> None:
        super().__init__(session, worker, parent)
        self._wanted = False
        self._everything = False
        worker.busy_changed.connect(self._when_idle)
        worker.happened.connect(self._watch)

    @property
    def live(self) -> bool:
        """Whether it goes on or waits for its turn."""
        return super().live or self._wanted

    @property
    def missing(self) -> bool:
        """Whether there is a part that could be learned for the model in use."""
        judge = self._session.judge
        return judge is not None and self._session.learner.missing(judge)

    @property
    def begun(self) -> bool:
        """Whether it was begun with the model in use, and not finished."""
        judge = self._session.judge
        return judge is not None and self._session.learner.begun(judge.model.sha256)

    def start(self, *, again: bool = False) -> None:
        """Learn what is missing, or all of it ``again``, as soon as nobody waits for the model."""
        if not self.live and self._session.model is not None:
            self._everything = again
            self._submit()

    def stop(self) -> None:
        """Stop; what was read is kept."""
        if self._wanted:
            self._wanted = False
            self._set("stopped")
        super().stop()

    def leave(self) -> None:
        """The window closes: nothing is begun any more."""
        super().leave()
        self._wanted = False

    def _watch(self, item: JobEvent) -> None:
        if isinstance(item.event, ModelReady) and self._job is None:
            # What was begun before the program was closed goes on; with another model it doesn't.
            self._wanted = self._everything = False
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

    def _steps(self, token: CancelToken) -> JobSteps:
        return self._session.fit_editor(again=self._everything, cancel=token)

    def _follow(self, event: object) -> None:
        super()._follow(event)
        if isinstance(event, EditorFitted | DraftsFitted | PlanMeasured):
            self._everything = False  # a part that is done isn't done again after a verdict
            self.learned.emit()

    def _end(self, event: Ending) -> None:
        super()._end(event)
        self.learned.emit()


TEACH, MEASURE = "Teach it to read jokes", "Measure what asking adds"
ALL, FEWER = "Show every item", "Show fewer items"
_MOST = {"kind": 12}
"""Items of a section that stand there before that."""
_OFFER = (
    "With this model the program can learn to read jokes as an editor does: from some 900 texts that an editor read, "
    "and from jokes in several drafts. Each is read once, in the background; a large model takes an hour or more."
)
_MEASURE_OFFER = "What its answers add to what is read off its states wasn't measured on this model yet."


class PlanCard(RunCard):
    """Draws a ``ModelPlan`` and a ``Learning``."""

    def __init__(self, learning: Learning) -> None:
        super().__init__(
            "What is read, and what is asked", learning, "Learning to read jokes",
            first="Verdicts go first; closing the program only pauses it.", kept="What was read is kept.",
        )  # fmt: skip
        self._learning = learning
        self._found: ModelPlan | None = None
        self._all = False
        self.text = Paragraph("", 14, token="text")
        self.table = PlanTable()
        self.all_link = LinkButton(ALL, act=self._toggle)
        self.add(self.text)
        self.add_run()
        self.add(self.table, HBox(self.all_link, 1, gap=12))
        self.draw()

    def controls(self) -> list[QWidget]:
        """What the Tab key visits."""
        return [self.button, self.all_link]

    def show_plan(self, found: ModelPlan | None, usable: bool) -> None:
        """``usable``: it is the model in use, which alone can be learned with."""
        self._found, self._usable = found, usable
        if found is not None:
            words = [summary(found), tried(found), prose_test(found), *unmeasured(found)]
            self.text.set_content(" ".join(part for part in words if part))
        self._fill()
        self.draw()

    def _at_rest(self) -> str:
        if not self._usable or not self._learning.missing:
            return ""
        return _MEASURE_OFFER if self._reads else _OFFER

    def _offer(self) -> str:
        if not self._learning.missing:
            return ""
        return GO_ON if self._learning.begun else MEASURE if self._reads else TEACH

    @property
    def _reads(self) -> bool:
        return self._found is not None and any(row.source == "read" for row in self._found.rows)

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
            groups.append(PlanGroup(f"{TITLES[section]} · {MEASURED[measured]}", tuple(_row(row) for row in ordered)))
        self.table.set_groups(groups)
        self.table.setVisible(bool(groups))
        self.all_link.setText(FEWER if self._all else ALL)
        self.all_link.setVisible(any(not row.shown for row in rows))


def _row(row: ItemRow) -> PlanRow:
    cost = f"{row.tokens:,} tokens" if row.tokens else ""
    return PlanRow(row.name, worth_in_words(row), SOURCES[row.source], cost, row.shown)
