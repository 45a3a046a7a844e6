"""The card of what Deep adds to Quick on a model, and measuring it."""

from __future__ import annotations

from itertools import groupby

from PySide6.QtWidgets import QWidget

from ...judging.plan.deep_words import TITLE, UNMEASURED, Row, lines, rows
from ...judging.plan.deep_worth import DeepWorth
from ..widgets.text import Paragraph
from .deep_measuring import DeepMeasurer
from .plan_table import PlanGroup, PlanRow, PlanTable
from .run_card import GO_ON, RunCard

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
        for widget in (self.text, self.legend, self.table):
            self.add(widget)
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
        self.text.set_content("\n".join(lines(found, mark)) if found is not None else UNMEASURED)
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
