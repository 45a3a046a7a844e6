"""Badges: a score in its colour, and the side that won."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ..look.theme import theme
from ..look.tokens import score_grade
from .base import CENTRE, Painted, box, text_width, write


def score_text(score: float | None) -> str:
    """``4`` for whole numbers given as int, ``4.1`` else, an en dash for none."""
    if score is None:
        return "–"
    return str(score) if isinstance(score, int) else f"{score:.1f}"


def paint_score_badge(painter: QPainter, rect: QRectF, score: float | None) -> None:
    """A score's badge in pixels at 100 %, for delegates and widgets alike."""
    t = theme()
    if score is None:
        fill, text = t.tokens.sunken, t.tokens.text2
    else:
        grade = score_grade(score)
        fill, text = getattr(t.tokens, f"{grade}_soft"), getattr(t.tokens, f"{grade}_text")
    box(painter, rect, 5, fill)
    write(painter, rect, score_text(score), t.raw_font(12, 600, tabular=True), text, CENTRE)


def paint_side_badge(painter: QPainter, rect: QRectF, side: str, size: float = 12) -> None:
    """The badge of joke A (accent), B (neutral) or ``=`` for a tie, in pixels at 100 %."""
    t = theme()
    c = t.tokens
    fill, text = {"A": (c.accent, c.on_accent), "B": (c.text2, c.surface)}.get(side, (c.sunken, c.text2))
    box(painter, rect, 5 if rect.height() < 22 else 6, fill)
    write(painter, rect, side, t.raw_font(size, 600), text, CENTRE)


class ScoreBadge(Painted):
    """A score 0…5 in the colour of its grade: green from 3.5, amber from 2, red below."""

    def __init__(self, score: float | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.set_score(score)
        self.follow_theme()

    def set_score(self, score: float | None) -> None:
        self.score = score
        self.say("No score" if score is None else f"Score {score_text(score)} of 5")
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        t = theme()
        wide = text_width(score_text(self.score), t.raw_font(12, 600, tabular=True)) + 13
        return QSize(t.px(max(20, wide)), t.px(20))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        with self.painter() as (painter, width, height):
            paint_score_badge(painter, QRectF(0, 0, width, height), self.score)


class SideBadge(Painted):
    """A or B; large in the titles of the duel's cards."""

    def __init__(self, side: Literal["A", "B"], large: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.side, self.large = side, large
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.say(f"Joke {side}")
        self.follow_theme()

    def sizeHint(self) -> QSize:
        t = theme()
        return QSize(t.px(26), t.px(24)) if self.large else QSize(t.px(21), t.px(20))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        with self.painter() as (painter, width, height):
            paint_side_badge(painter, QRectF(0, 0, width, height), self.side, 14 if self.large else 12)
