"""The card of what Deep adds to Quick on a model, and measuring it."""

from __future__ import annotations

from itertools import groupby

from PySide6.QtWidgets import QHBoxLayout, QWidget

from ...judging.plan.deep_words import TITLE, UNMEASURED, Row, lines, rows
from ...judging.plan.deep_worth import DeepWorth
from ..look.theme import px, theme
from ..widgets.cards import Card
from ..widgets.controls import SecondaryButton
from ..widgets.progress import ProgressLine
from ..widgets.text import Paragraph
from .deep_measuring import DeepMeasurer
from .plan_table import PlanGroup, PlanRow, PlanTable

BEGIN, AGAIN, GO_ON, STOP = "Measure Deep", "Measure it again", "Go on", "Stop"
OFFER = (
    "60 jokes that an editor read and 60 pairs that people voted on are judged by Quick and by Deep. That takes a "
    "small model some minutes, a large one hours. Verdicts go first."
)
CAPTION = "Quick → Deep, difference with its 95 % interval"
_WAITING = "It goes on when nothing else is asked of the model."


class DeepCard(Card):
    """Draws a ``DeepWorth`` and a ``DeepMeasurer``."""

    def __init__(self, measurer: DeepMeasurer) -> None:
        super().__init__(TITLE)
        self._measurer = measurer
        self._found: DeepWorth | None = None
        self._usable = False
        self.text = Paragraph("", 14, token="text")
        self.table = PlanTable(name=TITLE)
        self.note = Paragraph("", 13)
        self.line = ProgressLine(name="Measuring Deep")
        self.button = SecondaryButton(BEGIN)
        self.button.clicked.connect(self._act)
        for widget in (self.text, self.table, self.note, self.line):
            self.add(widget)
        self._foot = QHBoxLayout()
        self._foot.addWidget(self.button)
        self._foot.addStretch(1)
        self.add_layout(self._foot)
        measurer.changed.connect(self.draw)
        theme().changed.connect(self._scale)
        self._scale()
        self.draw()

    def _scale(self) -> None:
        self._foot.setSpacing(px(12))

    def controls(self) -> list[QWidget]:
        """What the Tab key visits."""
        return [self.button]

    def show_worth(self, found: DeepWorth | None, mark: str, usable: bool) -> None:
        """``found``: None where nothing was measured; ``mark``: today's questions; ``usable``: the model is the one in
        use, which alone can be measured."""
        self._found, self._usable = found, usable
        parts = groupby(rows(found) if found is not None else (), key=lambda row: row.section)
        groups = [PlanGroup(f"{section} · {CAPTION}", tuple(map(_row, some))) for section, some in parts]
        self.table.set_groups(groups)
        self.table.setVisible(bool(groups))
        self.text.set_content(" ".join(lines(found, mark)) if found is not None else UNMEASURED)
        self.draw()

    def draw(self) -> None:
        """Say where the measurement stands."""
        measurer = self._measurer
        live = measurer.live and self._usable
        self.note.set_content(self._words())
        self.note.setVisible(bool(self.note.text()))
        progress = measurer.progress
        self.line.setVisible(live and progress is not None)
        if progress is not None:
            self.line.set_fraction(progress.done / progress.total if progress.total else 0.0)
        self.button.setVisible(self._usable)
        first = BEGIN if self._found is None else AGAIN
        self.button.setText(STOP if live else GO_ON if measurer.phase == "stopped" else first)
        self.button.setEnabled(measurer.phase != "stopping")

    def _words(self) -> str:
        measurer = self._measurer
        if not self._usable:
            return ""
        if measurer.phase == "failed" and measurer.error is not None:
            return f"{measurer.error.sentence} {measurer.error.hint}".strip()
        if measurer.live:
            progress = measurer.progress
            if progress is None or measurer.phase == "waiting":
                return _WAITING
            words = progress.note[:1].upper() + progress.note[1:]
            count = f" · {progress.done:,} of {progress.total:,}" if progress.total else ""
            return f"{words}{count}. Verdicts go first; what was judged is kept."
        if measurer.phase == "stopped":
            return "Stopped. What was judged is kept."
        return OFFER if self._found is None else ""

    def _act(self) -> None:
        if self._measurer.live:
            self._measurer.stop()
        else:
            self._measurer.start()


def _row(row: Row) -> PlanRow:
    return PlanRow(row.name, f"{row.quick} → {row.deep}", row.difference, "", True)
