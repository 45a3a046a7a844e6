"""The card with the measured benefit of Deep over Quick on a model, and its run."""

from __future__ import annotations

from itertools import groupby

from PySide6.QtCore import QObject

from ...core.events import Stage
from ...core.pages import Table
from ...core.verdicts import Asked
from ...engine.base import CancelToken
from ...judge.plan.deep_worth import DEEP_UNMEASURED, TITLE, DeepWorth, Row, lines, rows
from ...learning.deep_job import TEXTS
from ...measure.deep import deep_worth_of
from ...session.session import Session
from ..judge_worker import JobSteps, JudgeWorker
from ..widgets.text import Paragraph
from .long_run import GO_ON, RunCard, StagedRun
from .tables import FigureTable

BEGIN, AGAIN = "Measure Deep", "Measure it again"
OFFER = (
    "60 jokes that an editor read and 60 pairs that people voted on are judged by Quick and by Deep. That takes a "
    "small model some minutes, a large one hours. Verdicts go first."
)
LEGEND = "Quick → Deep, and the difference with its 95 % interval."


class DeepCard(RunCard):
    """Draws a ``DeepWorth`` and the run that measures it, which asks the same questions as verdicts."""

    run: StagedRun

    def __init__(self, session: Session, worker: JudgeWorker, parent: QObject) -> None:
        def steps(token: CancelToken) -> JobSteps:
            ask: Asked = "all" if session.settings.ask_everything else "plan"
            return deep_worth_of(session, ask=ask, texts=TEXTS, cancel=token)

        run = StagedRun(session, worker, parent, "deep", steps, (Stage.FITTING, Stage.CALIBRATION))
        super().__init__(
            TITLE, run, "Measuring Deep",
            first="Verdicts go first; what was judged is kept.", kept="What was judged is kept.",
        )  # fmt: skip
        self._found: DeepWorth | None = None
        self.text = Paragraph("", 14, token="text", gap=6)
        self.legend = Paragraph(LEGEND, 13)
        self.table = FigureTable(TITLE)
        self.add(self.text, self.legend, self.table)
        self.add_run()
        self.draw()

    def show_worth(self, found: DeepWorth | None, mark: str, usable: bool) -> None:
        """Show a measurement, or None. ``mark``: of the current questions; ``usable``: the model is the current one; no
        other can be measured."""
        self._found, self._usable = found, usable
        parts = groupby(rows(found) if found is not None else (), key=lambda row: row.section)
        groups = [Table(section, (), tuple(map(_row, some))) for section, some in parts]
        self.table.set_tables(groups)
        self.legend.setVisible(bool(groups))
        self.text.set_content("\n".join(lines(found, mark)) if found is not None else DEEP_UNMEASURED)
        self.draw()

    def _at_rest(self) -> str:
        return OFFER if self._usable and self._found is None else ""

    def _offer(self) -> str:
        if self.run.phase == "stopped":
            return GO_ON
        return BEGIN if self._found is None else AGAIN


def _row(row: Row) -> tuple[str, ...]:
    return row.name, f"{row.quick} → {row.deep}".replace("-", "−"), row.difference.replace("-", "−")
