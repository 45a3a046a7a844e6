"""Tables of measured figures, and bars of agreement with people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSizePolicy, QWidget

from ..widgets.layout import Grid
from ..widgets.line import Line, LineLabels
from ..widgets.text import Label, Paragraph

_TOP = Qt.AlignmentFlag.AlignTop


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
