"""A model's plan as a table: every item with its worth, where it comes from, and what asking it costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ..look.theme import theme
from ..widgets.base import RIGHT, Painted, text_width, wrapped, write

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

    def __init__(self, parent: QWidget | None = None, name: str = "What each part of a verdict is worth") -> None:
        super().__init__(parent)
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
