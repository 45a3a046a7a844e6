"""How much each measurement weighs in a duel."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainterPath, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ..look.theme import theme
from .base import RIGHT, Painted, box, elided, text_width, write

_ROW = 24.0


@dataclass(frozen=True)
class ShareRow:
    """One measurement: its name, its share 0…1 and where it leans, in words."""

    name: str
    share: float
    leans: str = ""


class ShareBar(Painted):
    """A bar in up to three shades, and a row for each below it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows: list[ShareRow] = []
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.say("Shares of the measurements")
        self.follow_theme()

    def set_rows(self, rows: list[ShareRow]) -> None:
        """Up to three shares; they should sum to 1."""
        self.rows = list(rows)
        words = ". ".join(f"{r.name}: {round(r.share * 100)} percent{', ' + r.leans if r.leans else ''}" for r in rows)
        self.say("Shares of the measurements", words)
        self.updateGeometry()
        self.update()

    def _height(self) -> int:
        return theme().px(24 + len(self.rows) * _ROW)

    def sizeHint(self) -> QSize:
        return QSize(theme().px(300), self._height())

    def minimumSizeHint(self) -> QSize:
        return QSize(theme().px(200), self._height())

    def paintEvent(self, event: QPaintEvent) -> None:
        t = theme()
        c = t.tokens
        shades = (c.accent, c.tint2, c.tint3)
        total = sum(row.share for row in self.rows) or 1.0
        with self.painter() as (painter, width, _):
            painter.save()
            outline = QPainterPath()
            outline.addRoundedRect(QRectF(0, 0, width, 14), 4, 4)
            painter.setClipPath(outline)
            x = 0.0
            for row, shade in zip(self.rows, shades, strict=False):
                part = row.share / total * width
                painter.fillRect(QRectF(x, 0, max(part - (2 if x + part < width - 1 else 0), 0), 14), shade)
                x += part
            painter.restore()
            figures = t.raw_font(13, 600, tabular=True)
            room = max((text_width(_percent(r), figures) for r in self.rows), default=0) + 14
            for number, (row, shade) in enumerate(zip(self.rows, shades, strict=False)):
                top = 24 + number * _ROW
                box(painter, QRectF(0, top + 7, 10, 10), 2, shade)
                leans = text_width(row.leans, t.raw_font(13)) + 10
                name = elided(row.name, t.raw_font(13), width - 18 - room - leans)
                write(painter, QRectF(18, top, width, _ROW), name, t.raw_font(13), c.text)
                write(painter, QRectF(0, top, width - room, _ROW), row.leans, t.raw_font(13), c.text2, RIGHT)
                write(painter, QRectF(0, top, width, _ROW), _percent(row), figures, c.text, RIGHT)


def _percent(row: ShareRow) -> str:
    return f"{round(row.share * 100)} %"
