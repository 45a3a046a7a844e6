"""The card of a model's plan: what is read, what is asked, what each item is worth, and learning to read with it."""

from __future__ import annotations

from itertools import groupby

from PySide6.QtWidgets import QWidget

from ...runs.plan_words import MEASURED, SOURCES, TITLES, prose_test, summary, tried, unmeasured, worth_of
from ...runs.worths import ItemRow, ModelPlan
from ..widgets.button_row import ButtonRow
from ..widgets.controls import LinkButton
from ..widgets.text import Paragraph
from .learning import Learning
from .plan_table import PlanGroup, PlanRow, PlanTable
from .run_card import GO_ON, RunCard

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
        self.all_link = LinkButton(ALL)
        self.all_link.clicked.connect(self._toggle)
        self.add(self.text)
        self.add_run()
        self.add(self.table)
        self.add_layout(ButtonRow(self.all_link))
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

    def _begin(self) -> None:
        self._learning.start()

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
    return PlanRow(row.name, worth_of(row), SOURCES[row.source], cost, row.shown)
