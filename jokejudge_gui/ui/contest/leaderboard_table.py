"""Groups of a list against one another, drawn: rank, name, jokes, and how often each wins with its interval."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import QColor, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ...runs.leaderboard import GroupStanding, LengthControlled
from ...runs.leaderboard_export import KIN
from ..look.theme import theme
from ..widgets.base import RIGHT, Painted, box, elided, text_width, write

_ROW = 44.0
_HEAD = 26.0
_GAP = 16.0
_TRACK = 140.0
_LEAST_NAME = 90.0


class LeaderboardTable(Painted):
    """A row for each group, best first; a second line says what a name alone doesn't."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.board: tuple[GroupStanding, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.follow_theme()

    def set_board(self, board: Sequence[GroupStanding]) -> None:
        """Show these groups."""
        self.board = tuple(board)
        self.say("Leaderboard", " ".join(spoken(each) for each in self.board) or "No groups.")
        self.updateGeometry()
        self.update()

    def _height(self) -> int:
        return theme().px(_HEAD + _ROW * len(self.board)) if self.board else 0

    def sizeHint(self) -> QSize:
        return QSize(theme().px(560), self._height())

    def minimumSizeHint(self) -> QSize:
        return QSize(theme().px(300), self._height())

    def paintEvent(self, event: QPaintEvent) -> None:
        t = theme()
        if not self.board:
            return
        face, numbers, small = t.raw_font(14), t.raw_font(13, 400, True), t.raw_font(12)
        ranks = max(text_width("Rank", small), *(text_width(_rank(each), numbers) for each in self.board))
        wins = max(text_width("wins in 100", small), *(text_width(figure(each), numbers) for each in self.board))
        with self.painter() as (painter, width, _):
            name = ranks + _GAP
            # The bar gives way first, then the name is elided.
            track = _TRACK if width - name - wins - 2 * _GAP - _TRACK >= _LEAST_NAME else 0.0
            right = width - wins
            bar = right - (_GAP + track if track else 0.0)
            room = max(0.0, bar - _GAP - name)
            write(painter, QRectF(0, 0, ranks, _HEAD - 6), "Rank", small, t.tokens.text3)
            write(painter, QRectF(name, 0, room, _HEAD - 6), "Group", small, t.tokens.text3)
            write(painter, QRectF(right, 0, wins, _HEAD - 6), "wins in 100", small, t.tokens.text3, RIGHT)
            for place, each in enumerate(self.board):
                y = _HEAD + place * _ROW
                painter.fillRect(QRectF(0, y - 3, width, 1), QColor(t.tokens.line))
                write(painter, QRectF(0, y, ranks, 20), _rank(each), numbers, t.tokens.text)
                write(painter, QRectF(name, y, room, 20), elided(each.name, face, room), face, t.tokens.text)
                more = elided(more_of(each), small, width - name)
                write(painter, QRectF(name, y + 19, width - name, 18), more, small, t.tokens.text3)
                write(painter, QRectF(right, y, wins, 20), figure(each), numbers, t.tokens.text, RIGHT)
                if track:
                    box(painter, QRectF(bar, y + 7, track, 6), 3, t.tokens.track)
                    span = QRectF(bar + track * each.low, y + 7, max(6.0, track * (each.high - each.low)), 6)
                    box(painter, span, 3, t.tokens.accent)
                    dot = bar + track * each.win_rate
                    painter.setBrush(QColor(t.tokens.surface))
                    painter.setPen(QColor(t.tokens.accent))
                    painter.drawEllipse(QPointF(dot, y + 10), 4.5, 4.5)


def figure(found: GroupStanding | LengthControlled) -> str:
    """How often it wins, in 100, with its interval."""
    return f"{100 * found.win_rate:.0f} ({100 * found.low:.0f}–{100 * found.high:.0f})"


def more_of(each: GroupStanding) -> str:
    """What is said of a group under its name."""
    jokes = "1 joke" if each.jokes == 1 else f"{each.jokes:,} jokes"
    alike = f"at one length {figure(each.length_controlled)}" if each.length_controlled else ""
    return " · ".join(part for part in (jokes, alike, KIN if each.same_family else "") if part)


def spoken(each: GroupStanding) -> str:
    """A group as a screen reader says it."""
    return (
        f"Rank {_rank(each)}: {each.name}, wins {100 * each.win_rate:.0f} in 100, "
        f"from {100 * each.low:.0f} to {100 * each.high:.0f}; {more_of(each)}."
    )


def _rank(each: GroupStanding) -> str:
    return f"{each.rank}" if each.rank_low == each.rank_high else f"{each.rank} ({each.rank_low}–{each.rank_high})"
