"""A model's plan as a table: every item with its worth, where it comes from, and what asking it costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ..look.theme import theme
from ..widgets.base import RIGHT, Painted, elided, text_width, write

_ROW = 24.0
_CAPTION = 34.0
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


class PlanTable(Painted):
    """Rows of 24 px; those that aren't shown in verdicts are pale."""

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
        self.updateGeometry()
        self.update()

    def _height(self) -> int:
        rows = sum(len(group.rows) for group in self.groups)
        return theme().px(rows * _ROW + len(self.groups) * _CAPTION)

    def sizeHint(self) -> QSize:
        return QSize(theme().px(360), self._height())

    def minimumSizeHint(self) -> QSize:
        return QSize(theme().px(240), self._height())

    def paintEvent(self, event: QPaintEvent) -> None:
        t = theme()
        rows = [row for group in self.groups for row in group.rows]
        if not rows:
            return
        face, numbers = t.raw_font(13), t.raw_font(13, 400, True)
        figures = max(text_width(row.figure, numbers) for row in rows)
        sources = max(text_width(row.source, face) for row in rows)
        costs = max(text_width(row.cost, numbers) for row in rows)
        with self.painter() as (painter, width, _):
            right = width - costs - (_GAP if costs else 0)
            source = right - sources
            figure = source - _GAP - figures
            y = 0.0
            for group in self.groups:
                caption = elided(group.caption, t.raw_font(12), width)
                write(painter, QRectF(0, y + _CAPTION - 24, width, 20), caption, t.raw_font(12), t.tokens.text3)
                y += _CAPTION
                for row in group.rows:
                    colour = t.tokens.text if row.shown else t.tokens.text3
                    name = elided(row.name, face, figure - _GAP)
                    write(painter, QRectF(0, y, max(0.0, figure - _GAP), _ROW), name, face, colour)
                    write(painter, QRectF(figure, y, figures, _ROW), row.figure, numbers, colour, RIGHT)
                    write(painter, QRectF(source, y, sources, _ROW), row.source, face, colour)
                    write(painter, QRectF(right, y, width - right, _ROW), row.cost, numbers, colour, RIGHT)
                    y += _ROW
