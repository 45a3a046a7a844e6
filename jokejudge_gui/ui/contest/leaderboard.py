"""The leaderboard of a ranking's groups in a dialog of its own."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ...batch.export import KIN
from ...batch.leaderboard import LEAST_FOR_LENGTH, LengthControlled, RankedGroup, columns_of, leaderboard
from ...judge.contest.types import ContestResult
from ...judge.contest.words import name_of
from ..judge_worker import JudgeWorker
from ..look.theme import theme
from ..widgets.base import RIGHT, Painted, box, elided, plain_tooltip, text_width, write
from ..widgets.controls import ChoiceButton
from ..widgets.dialog import Dialog
from ..widgets.layout import ColumnScroll
from ..widgets.text import Heading, Paragraph

# Groups of a list against one another, drawn: rank, name, jokes, and how often each wins with its interval.

_ROW = 44.0
_HEAD = 26.0
_GAP = 16.0
_TRACK = 140.0
_LEAST_NAME = 90.0


class LeaderboardTable(Painted):
    """A row for each group, best first; a second line says what a name alone doesn't."""

    LEAST = 300

    def __init__(self) -> None:
        super().__init__()
        self.board: tuple[RankedGroup, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.follow_theme()

    def set_board(self, board: Sequence[RankedGroup]) -> None:
        """Show these groups."""
        self.board = tuple(board)
        words = [spoken(each) for each in self.board]
        self.say("Leaderboard", " ".join(words) or "No groups.")
        self.setToolTip(plain_tooltip("\n".join(words)) if words else "")
        self.updateGeometry()
        self.update()

    def extent(self) -> tuple[float, float]:
        return 560, _HEAD + _ROW * len(self.board) if self.board else 0

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


def figure(found: RankedGroup | LengthControlled) -> str:
    """How often it wins, in 100, with its interval."""
    return f"{100 * found.win_rate:.0f} ({100 * found.low:.0f}–{100 * found.high:.0f})"


def more_of(each: RankedGroup) -> str:
    """What is said of a group under its name."""
    jokes = "1 joke" if each.jokes == 1 else f"{each.jokes:,} jokes"
    alike = f"at one length {figure(each.length_controlled)}" if each.length_controlled else ""
    return " · ".join(part for part in (jokes, alike, KIN if each.same_family else "") if part)


def spoken(each: RankedGroup) -> str:
    """A group as a screen reader says it."""
    return (
        f"Rank {_rank(each)}: {each.name}, wins {100 * each.win_rate:.0f} in 100, "
        f"from {100 * each.low:.0f} to {100 * each.high:.0f}; {more_of(each)}."
    )


def _rank(each: RankedGroup) -> str:
    return f"{each.rank}" if each.rank_low == each.rank_high else f"{each.rank} ({each.rank_low}–{each.rank_high})"


# Which group of a list has the better jokes: a column to choose, and its leaderboard.

WHAT = (
    "How often a joke of a group, drawn at random, is found funnier than one of the others, with a 95 % interval. "
    "It holds both what is uncertain about people's opinion and which jokes the group happens to have here."
)
ONE_LENGTH = "At one length: as it would be if all jokes were as long as each other."
KIN_HINT = "A model may favour what one of its own family wrote: let a judge of another family rank this list."


class LeaderboardDialog(Dialog):
    """A column to choose, of those that a ranking has, and its leaderboard, worked out in ``worker``'s thread."""

    def __init__(self, result: ContestResult, worker: JudgeWorker, parent: QWidget) -> None:
        super().__init__("Leaderboard", parent, (720, 560), heading=None)
        self._result, self._worker = result, worker
        self.columns = columns_of(result)
        self._column = ""
        self.choice = ChoiceButton("Group by")
        self.choice.set_options(self.columns, 0)
        self.choice.chosen.connect(self._work_out)
        self.about = Paragraph("", size=13)
        self.table = LeaderboardTable()
        self.kin = Paragraph("", size=13)
        column = ColumnScroll()
        column.add(Heading(f"Leaderboard: {name_of(result)}"), self.choice, self.about, self.table, self.kin)
        self.body.add((column, 1))
        self.close_button = self.add_foot("Done")
        self.close_button.setFocus()
        self._work_out(0)

    def _work_out(self, place: int) -> None:
        """Beside the window's thread: it takes up to some seconds for a long list."""
        self._column = self.columns[place]
        self._show(self._column, ())
        work = partial(leaderboard, self._result, self._column)
        self._worker.call("leaderboard", work, partial(self._show, self._column))

    def _show(self, column: str, board: Sequence[RankedGroup]) -> None:
        if column != self._column:
            return  # another one was asked for meanwhile
        self.table.set_board(board)
        alike = any(each.length_controlled for each in board)
        short = "" if alike or not board else f" With {LEAST_FOR_LENGTH} jokes and more, length is taken out as well."
        self.about.set_content(f"{WHAT} {ONE_LENGTH}" if alike else f"{WHAT}{short}")
        self.kin.show_text(KIN_HINT if any(each.same_family for each in board) else "")
