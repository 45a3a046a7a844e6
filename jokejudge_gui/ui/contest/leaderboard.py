"""The dialog with the leaderboard of a ranking's groups."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtWidgets import QWidget

from ...batch.export import KIN
from ...batch.leaderboard import LEAST_FOR_LENGTH, LengthControlled, RankedGroup, columns_of, leaderboard
from ...judge.contest.types import ContestResult
from ...judge.contest.words import name_of
from ..judge_worker import JudgeWorker
from ..widgets.controls import ChoiceButton
from ..widgets.dialog import Dialog
from ..widgets.layout import ColumnScroll, Grid, VBox
from ..widgets.line import Line
from ..widgets.text import Caption, Heading, Label, Paragraph


class LeaderboardTable(QWidget):
    """Groups of a list, best first: rank, name, win rate with its interval, and a second line with details."""

    def __init__(self) -> None:
        super().__init__()
        self.board: tuple[RankedGroup, ...] = ()
        self._column = VBox(parent=self)
        self.setAccessibleName("Leaderboard")

    def set_board(self, board: Sequence[RankedGroup]) -> None:
        """Show these groups."""
        self.board = tuple(board)
        self.setAccessibleDescription(" ".join(map(spoken, self.board)) or "No groups.")
        rows = QWidget()
        grid = Grid(rows, gaps=(16, 3), wide=1)
        for column, head in enumerate(("Rank", "Group", "", "wins in 100") if board else ()):
            grid.addWidget(Caption(head), 0, column)
        for row, each in enumerate(self.board):
            bar = Line(plain=True)
            bar.set_values(*(100 * share for share in (each.low, each.high, each.win_rate)), accessible=spoken(each))
            cells = Label(_rank(each), 13), Paragraph(each.name, token="text"), bar, Label(figure(each), 13)
            for column, cell in enumerate(cells):
                grid.addWidget(cell, 2 * row + 1, column)
            grid.addWidget(Paragraph(more_of(each), 12, token="text3"), 2 * row + 2, 1, 1, 3)
        self._column.show_only(rows)


def figure(found: RankedGroup | LengthControlled) -> str:
    """Return the win rate in percent, with its interval."""
    return f"{100 * found.win_rate:.0f} ({100 * found.low:.0f}–{100 * found.high:.0f})"


def more_of(each: RankedGroup) -> str:
    """Return the details of a group that are shown under its name."""
    jokes = "1 joke" if each.jokes == 1 else f"{each.jokes:,} jokes"
    alike = f"at one length {figure(each.length_controlled)}" if each.length_controlled else ""
    return " · ".join(part for part in (jokes, alike, KIN if each.same_family else "") if part)


def spoken(each: RankedGroup) -> str:
    """Return the sentence about a group for screen readers."""
    return (
        f"Rank {_rank(each)}: {each.name}, wins {100 * each.win_rate:.0f} in 100, "
        f"from {100 * each.low:.0f} to {100 * each.high:.0f}; {more_of(each)}."
    )


def _rank(each: RankedGroup) -> str:
    return f"{each.rank}" if each.rank_low == each.rank_high else f"{each.rank} ({each.rank_low}–{each.rank_high})"


# The dialog: a column to choose, and the leaderboard of its groups.

WHAT = (
    "How often a joke of a group, drawn at random, is found funnier than one of the others, with a 95 % interval. "
    "It holds both what is uncertain about people's opinion and which jokes the group happens to have here."
)
ONE_LENGTH = "At one length: as it would be if all jokes were as long as each other."
KIN_HINT = "A model may favour what one of its own family wrote: let a judge of another family rank this list."


class LeaderboardDialog(Dialog):
    """A choice among the columns of a ranking, and the leaderboard of that column, computed in ``worker``'s thread."""

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
        """Compute in the worker's thread: a long list takes up to some seconds."""
        self._column = self.columns[place]
        self._show(self._column, ())
        work = partial(leaderboard, self._result, self._column)
        self._worker.call("leaderboard", work, partial(self._show, self._column))

    def _show(self, column: str, board: Sequence[RankedGroup]) -> None:
        if column != self._column:
            return  # another column was chosen meanwhile
        self.table.set_board(board)
        alike = any(each.length_controlled for each in board)
        short = "" if alike or not board else f" With {LEAST_FOR_LENGTH} jokes and more, length is taken out as well."
        self.about.set_content(f"{WHAT} {ONE_LENGTH}" if alike else f"{WHAT}{short}")
        self.kin.show_text(KIN_HINT if any(each.same_family for each in board) else "")
