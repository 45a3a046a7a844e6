"""The card of what Deep adds to Quick on a model, and measuring it."""

from __future__ import annotations

from itertools import groupby

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from ...core.events import Stage
from ...core.verdicts import Asked
from ...engine.base import CancelToken
from ...judge.plan.deep_worth import DEEP_UNMEASURED, TITLE, DeepWorth, Row, lines, rows
from ...learning.deep_job import TEXTS, DeepMeasured
from ...measure.deep import deep_worth_of
from ...session.session import Session
from ..judge_worker import JobSteps, JudgeWorker
from ..widgets.text import Paragraph
from .long_run import GO_ON, Ending, RunCard, StagedRun
from .plan import PlanGroup, PlanRow, PlanTable

# Measuring Deep beside Quick on the model in use: a job in the judge's thread that lets verdicts go first.


class DeepMeasurer(StagedRun):
    """``measured``: it is written what Deep is worth, and verdicts say it from now on."""

    job_name = "deep"
    shown_stages = (Stage.FITTING, Stage.CALIBRATION)
    measured = Signal()

    def __init__(self, session: Session, worker: JudgeWorker, parent: QObject) -> None:
        super().__init__(session, worker, parent)
        self._whole = False

    def start(self) -> None:
        """Measure in the manner in which verdicts ask; what was judged before it was stopped isn't judged again."""
        if not self.live and self._session.model is not None:
            self._submit()

    def _clear(self) -> None:
        super()._clear()
        self._whole = False

    def _steps(self, token: CancelToken) -> JobSteps:
        ask: Asked = "all" if self._session.settings.ask_everything else "plan"
        return deep_worth_of(self._session, ask=ask, texts=TEXTS, cancel=token)

    def _follow(self, event: object) -> None:
        super()._follow(event)
        if isinstance(event, DeepMeasured):
            self._whole = True

    def _end(self, event: Ending) -> None:
        super()._end(event)
        if self._whole:
            self.measured.emit()


BEGIN, AGAIN = "Measure Deep", "Measure it again"
OFFER = (
    "60 jokes that an editor read and 60 pairs that people voted on are judged by Quick and by Deep. That takes a "
    "small model some minutes, a large one hours. Verdicts go first."
)
LEGEND = "Quick → Deep, and the difference with its 95 % interval."


class DeepCard(RunCard):
    """Draws a ``DeepWorth`` and a ``DeepMeasurer``."""

    def __init__(self, measurer: DeepMeasurer) -> None:
        super().__init__(
            TITLE, measurer, "Measuring Deep",
            first="Verdicts go first; what was judged is kept.", kept="What was judged is kept.",
        )  # fmt: skip
        self._measurer = measurer
        self._found: DeepWorth | None = None
        self.text = Paragraph("", 14, token="text", gap=6)
        self.legend = Paragraph(LEGEND, 13)
        self.table = PlanTable(name=TITLE)
        self.add(self.text, self.legend, self.table)
        self.add_run()
        self.draw()

    def controls(self) -> list[QWidget]:
        """What the Tab key visits."""
        return [self.button]

    def show_worth(self, found: DeepWorth | None, mark: str, usable: bool) -> None:
        """``found``: None where nothing was measured; ``mark``: today's questions; ``usable``: the model is the one in
        use, which alone can be measured."""
        self._found, self._usable = found, usable
        parts = groupby(rows(found) if found is not None else (), key=lambda row: row.section)
        groups = [PlanGroup(section, tuple(map(_row, some))) for section, some in parts]
        self.table.set_groups(groups)
        for widget in (self.legend, self.table):
            widget.setVisible(bool(groups))
        self.text.set_content("\n".join(lines(found, mark)) if found is not None else DEEP_UNMEASURED)
        self.draw()

    def _at_rest(self) -> str:
        return OFFER if self._usable and self._found is None else ""

    def _offer(self) -> str:
        if self._measurer.phase == "stopped":
            return GO_ON
        return BEGIN if self._found is None else AGAIN

    def _begin(self) -> None:
        self._measurer.start()


def _row(row: Row) -> PlanRow:
    return PlanRow(row.name, f"{row.quick} → {row.deep}".replace("-", "−"), row.difference.replace("-", "−"), "", True)
