"""Which group of a list has the better jokes: a column to choose, and its leaderboard."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from ...engine.base import CancelToken
from ...judging.contest.types import ContestResult
from ...judging.contest.words import name_of
from ...runs.leaderboard import LEAST_FOR_LENGTH, GroupStanding, columns_of, leaderboard
from ..frame.judge_worker import JobStart
from ..look.theme import theme
from ..widgets.choice import ChoiceButton
from ..widgets.text import Heading, Paragraph
from .leaderboard_table import LeaderboardTable

WHAT = (
    "How often a joke of a group, drawn at random, is found funnier than one of the others, with a 95 % interval. "
    "It holds both what is uncertain about people's opinion and which jokes the group happens to have here."
)
ONE_LENGTH = "At one length: as it would be if all jokes were as long as each other."
KIN = "A model may favour what one of its own family wrote: let a judge of another family rank this list."
NO_COLUMNS = (
    "No column of this list groups its jokes. Rank a table with a column such as model, author or prompt, "
    "and its groups are compared here."
)


@dataclass(frozen=True)
class BoardFound:
    """A leaderboard of the contest ``id`` by ``column`` is ready."""

    id: str
    column: str
    board: tuple[GroupStanding, ...]


def board_job(result: ContestResult, column: str) -> JobStart:
    """Work it out beside the window's thread: it takes up to some seconds for a long list. Yields ``BoardFound``."""

    def start(_token: CancelToken) -> Iterator[object]:
        yield BoardFound(result.id, column, leaderboard(result, column))

    return start


class LeaderboardPage(QWidget):
    """``wanted`` carries the column whose leaderboard is to be worked out (``board_job``); ``show_board`` takes it."""

    wanted = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.columns: tuple[str, ...] = ()
        self._id = ""
        self._column = ""
        self.heading = Heading("Leaderboard")
        self.about = Paragraph(NO_COLUMNS, size=13)
        self.choice = ChoiceButton("Group by")
        self.table = LeaderboardTable()
        self.kin = Paragraph("", size=13)
        self.layout_ = QVBoxLayout(self)
        for widget in (self.heading, self.choice, self.about, self.table, self.kin):
            self.layout_.addWidget(widget)
        self.layout_.addStretch(1)
        self.choice.chosen.connect(self._on_chosen)
        theme().changed.connect(self._scale)
        self._scale()
        self._update()

    def _scale(self) -> None:
        px = theme().px
        self.layout_.setContentsMargins(0, 0, 0, 0)
        self.layout_.setSpacing(px(12))

    def show_result(self, result: ContestResult) -> None:
        """Offer the columns of a ranking, and ask for the first one's leaderboard, or for that of the one shown."""
        self._id, self.columns = result.id, columns_of(result)
        self.heading.set_content(f"Leaderboard: {name_of(result)}")
        place = self.columns.index(self._column) if self._column in self.columns else 0
        self.choice.set_options(self.columns, place if self.columns else -1)
        self.table.set_board(())
        self._update()
        if self.columns:
            self._on_chosen(place)

    def show_board(self, found: BoardFound) -> None:
        """Show what was worked out; what was asked for before something else is passed over."""
        if (found.id, found.column) == (self._id, self._column):
            self.table.set_board(found.board)
            self._update()

    def _on_chosen(self, place: int) -> None:
        self._column = self.columns[place]
        self.wanted.emit(self._column)

    def _update(self) -> None:
        board = self.table.board
        self.choice.setVisible(bool(self.columns))
        alike = any(each.length_controlled for each in board)
        short = "" if alike or not board else f" With {LEAST_FOR_LENGTH} jokes and more, length is taken out as well."
        self.about.set_content(f"{WHAT} {ONE_LENGTH}" if alike else f"{WHAT}{short}" if self.columns else NO_COLUMNS)
        self.kin.set_content(KIN)
        self.kin.setVisible(any(each.same_family for each in board))
