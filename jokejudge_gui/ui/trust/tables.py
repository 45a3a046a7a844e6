"""Tables of measured figures, and bars of agreement with people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSizePolicy, QWidget

from ...core.pages import Table
from ..widgets.layout import Grid
from ..widgets.line import Line, LineLabels
from ..widgets.text import Label, Paragraph

_TOP = Qt.AlignmentFlag.AlignTop
_RIGHT = Qt.AlignmentFlag.AlignRight | _TOP
_LOOKS = {"pass": (600, "good_text"), "fail": (600, "bad_text"), "not measured": (400, "text3")}


class FigureTable(QWidget):
    """Tables under one another with small titles: names that wrap, and figures in columns."""

    def __init__(self, name: str, *tables: Table) -> None:
        super().__init__()
        self.tables: tuple[Table, ...] = ()
        self._grid = Grid(self, gaps=(14, 4), wide=0)
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._fill(tables)

    def set_tables(self, tables: Sequence[Table]) -> None:
        """Show these tables; hide the widget where they have no rows."""
        shown = tuple(table for table in tables if table.rows)
        self.setVisible(bool(shown))
        if shown != self.tables:
            self._fill(shown)

    def _fill(self, shown: tuple[Table, ...]) -> None:
        self.tables = shown
        self.setAccessibleDescription(". ".join(map(_spoken, shown)))
        self._grid.clear()
        for table in shown:
            self._add(
                Paragraph(table.title, 12, token="text3"), [Label(head, 12, 400, "text3") for head in table.head[1:]]
            )
            for name, *figures in table.rows:
                cells = [Label(text, 13, *_LOOKS.get(text, (400, "text2")), tabular=True) for text in figures]
                self._add(Paragraph(name, 13, token="text", line_height=1.3), cells)

    def _add(self, name: Paragraph, figures: Sequence[Label]) -> None:
        row = self._grid.rowCount()
        self._grid.addWidget(name, row, 0, 1, 1 if figures else -1)
        for column, label in enumerate(figures, 1):
            self._grid.addWidget(label, row, column, _RIGHT)


def _spoken(table: Table) -> str:
    return f"{table.title}: {'; '.join(' '.join(filter(None, row)) for row in table.rows)}"


@dataclass(frozen=True)
class BarRow:
    """A bar. ``value``: 0…1, with its interval, if there is one; ``mine``: it is the judge, not a baseline."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    mine: bool = False

    @property
    def figure(self) -> str:
        """The value and its interval in percent: ``71 (67–75)``."""
        spread = "" if self.low is None or self.high is None else f" ({100 * self.low:.0f}–{100 * self.high:.0f})"
        return f"{100 * self.value:.0f}{spread}"


@dataclass(frozen=True)
class BarGroup:
    """Rows under one caption."""

    caption: str
    rows: tuple[BarRow, ...]


class AgreementBars(QWidget):
    """Agreement with people, of 100 pairs, each on a line with its 95 % interval; the tick marks chance."""

    def __init__(self, groups: Sequence[BarGroup]) -> None:
        super().__init__()
        self.groups = tuple(group for group in groups if group.rows)
        self.setAccessibleName("Agreement with people, of 100 pairs; chance is 50")
        said = (
            f"{group.caption}: {'; '.join(f'{row.name} {row.figure}' for row in group.rows)}" for group in self.groups
        )
        self.setAccessibleDescription(". ".join(said))
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        grid = Grid(self, gaps=(14, 4), wide=1)
        for group in self.groups:
            grid.addWidget(Paragraph(group.caption, 12, token="text3"), grid.rowCount(), 0, 1, 3)
            for row in group.rows:
                place, line, weight = grid.rowCount(), Line(plain=not row.mine), 600 if row.mine else 400
                low, high = (None if end is None else 100 * end for end in (row.low, row.high))
                line.set_values(low, high, 100 * row.value, accessible=f"{row.name} {row.figure}")
                if row is group.rows[-1]:
                    line.set_labels(LineLabels(tick="chance"))
                grid.addWidget(Paragraph(row.name, 13, weight, "text", 1.3), place, 0, _TOP)
                grid.addWidget(line, place, 1, _TOP)
                grid.addWidget(
                    Label(row.figure, 13, weight, tabular=True), place, 2, Qt.AlignmentFlag.AlignRight | _TOP
                )
