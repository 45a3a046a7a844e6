"""The card of a model's plan: what is read, what is asked, what each item is worth, and learning to read with it."""

from __future__ import annotations

from itertools import groupby

from PySide6.QtWidgets import QHBoxLayout, QWidget

from ...runs.plan_words import MEASURED, SOURCES, TITLES, prose_test, summary, tried, unmeasured, worth_of
from ...runs.worths import ItemRow, ModelPlan
from ..look.theme import px, theme
from ..widgets.cards import Card
from ..widgets.controls import LinkButton, SecondaryButton
from ..widgets.progress import ProgressLine
from ..widgets.text import Paragraph
from .learning import Learning
from .plan_table import PlanGroup, PlanRow, PlanTable

TEACH, MEASURE, GO_ON, STOP = "Teach it to read jokes", "Measure what asking adds", "Go on", "Stop"
ALL, FEWER = "Show every item", "Show fewer items"
_MOST = {"kind": 12}
"""Items of a section that stand there before that."""
_OFFER = (
    "With this model the program can learn to read jokes as an editor does: from some 900 texts that an editor read, "
    "and from jokes in several drafts. Each is read once, in the background; a large model takes an hour or more."
)
_MEASURE_OFFER = "What its answers add to what is read off its states wasn't measured on this model yet."
_WAITING = "It goes on when nothing else is asked of the model."


class PlanCard(Card):
    """Draws a ``ModelPlan`` and a ``Learning``."""

    def __init__(self, learning: Learning) -> None:
        super().__init__("What is read, and what is asked")
        self._learning = learning
        self._found: ModelPlan | None = None
        self._usable = False
        self._all = False
        self.text = Paragraph("", 14, token="text")
        self.table = PlanTable()
        self.all_link = LinkButton(ALL)
        self.all_link.clicked.connect(self._toggle)
        self.note = Paragraph("", 13)
        self.line = ProgressLine(name="Learning to read jokes")
        self.button = SecondaryButton(TEACH)
        self.button.clicked.connect(self._act)
        for widget in (self.text, self.note, self.line):
            self.add(widget)
        self._foot = QHBoxLayout()
        self._foot.addWidget(self.button)
        self._foot.addStretch(1)
        self.add_layout(self._foot)
        self.add(self.table)
        links = QHBoxLayout()
        links.addWidget(self.all_link)
        links.addStretch(1)
        self.add_layout(links)
        learning.changed.connect(self.draw)
        theme().changed.connect(self._scale)
        self._scale()

    def _scale(self) -> None:
        self._foot.setSpacing(px(12))

    def controls(self) -> list[QWidget]:
        """What the Tab key visits."""
        return [self.button, self.all_link]

    def show_plan(self, found: ModelPlan | None, usable: bool) -> None:
        """``usable``: it is the model in use, which alone can be learned with."""
        self._found, self._usable = found, usable
        self._fill()
        self.draw()

    def draw(self) -> None:
        """Say where the learning stands."""
        learning = self._learning
        live, progress = learning.live and self._usable, learning.progress
        if self._found is not None:
            words = [summary(self._found), tried(self._found), prose_test(self._found), *unmeasured(self._found)]
            self.text.set_content(" ".join(part for part in words if part))
        self.note.set_content(self._words())
        self.note.setVisible(bool(self.note.text()))
        self.line.setVisible(live and progress is not None)
        if progress is not None:
            self.line.set_fraction(progress.done / progress.total if progress.total else 0.0)
        self.button.setVisible(self._usable and (live or learning.missing))
        reads = self._found is not None and any(row.source == "read" for row in self._found.rows)
        offer = GO_ON if learning.begun else MEASURE if reads else TEACH
        self.button.setText(STOP if live else offer)
        self.button.setEnabled(learning.phase != "stopping")

    def _words(self) -> str:
        learning = self._learning
        if not self._usable:
            return ""
        if learning.phase == "failed" and learning.error is not None:
            return f"{learning.error.sentence} {learning.error.hint}".strip()
        if learning.live:
            progress = learning.progress
            if progress is None or learning.phase == "waiting":
                return _WAITING
            words = progress.note[:1].upper() + progress.note[1:]
            count = f" · {progress.done:,} of {progress.total:,}" if progress.total else ""
            return f"{words}{count}. Verdicts go first; closing the program only pauses it."
        if learning.phase == "stopped":
            return "Stopped. What was read is kept."
        if not learning.missing:
            return ""
        reads = self._found is not None and any(row.source == "read" for row in self._found.rows)
        return _MEASURE_OFFER if reads else _OFFER

    def _act(self) -> None:
        if self._learning.live:
            self._learning.stop()
        else:
            self._learning.start()

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
