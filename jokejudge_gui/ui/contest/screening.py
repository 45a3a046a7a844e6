"""The screening of a list: what passes, what people vote on, and what needs no vote."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from ...core.pages import Row
from ...judge.contest.notes import Screening
from ...judge.contest.record import ContestResult
from ...judge.contest.screening import proposed, screen
from ...judge.contest.words import decision_on, screening_sentences, why_decided
from ..look import wording
from ..widgets.controls import SecondaryButton
from ..widgets.dialog import Dialog
from ..widgets.layout import ColumnScroll, HBox, VBox
from ..widgets.page import PageView
from ..widgets.text import Heading, Paragraph

_MOST = 100
"""Number of jokes whose decisions are listed."""


class ScreeningDialog(Dialog):
    """Screens a list by limits that the list itself justifies, or by those it was screened by before. ``voted`` carries
    the screening to be stored; ``kept`` the ids of the jokes that pass. Raises ``InputError``."""

    voted = Signal(object)
    kept = Signal(object)

    def __init__(self, result: ContestResult, parent: QWidget) -> None:
        before = result.screening
        self._result = result
        self._limits = before.thresholds if before is not None else proposed(result)
        self.screening = screen(result, self._limits, ballots=before.ballots if before is not None else ())
        super().__init__("Screening", parent, (620, 620))
        self.outcome, self.view, self.vote = Paragraph("", gap=4), PageView("Decisions"), QWidget()
        self._votes = VBox(parent=self.vote, gap=10)
        column = ColumnScroll()
        column.add(self.outcome, self.vote, self.view)
        self.body.add((column, 1))
        self.keep_button = SecondaryButton("Keep what passes", act=lambda: self.kept.emit(self.passing))
        self.add_foot("Done", self.keep_button, 1).setFocus()
        self._draw()

    @property
    def passing(self) -> list[str]:
        """The ids of the jokes that pass."""
        return [row.id for row in self.screening.entries if row.decision != "reject"]

    def _draw(self) -> None:
        screening = self.screening
        self.outcome.set_content("\n".join(screening_sentences(screening)))
        self.view.show_rows(_rows(screening))
        shown = screening.shown
        buttons = [
            SecondaryButton("Vote", name=f"Vote for: {row.text}", act=partial(self.cast, row.id)) for row in shown
        ]
        parts = []
        for row, button in zip(shown, buttons, strict=True):
            part = QWidget()
            HBox((Paragraph(row.text, 15, token="text"), 1), button, parent=part, gap=14)
            parts.append(part)
        heading = [Heading("The funniest of these, by each person's vote", 4)] if shown else []
        self._votes.show_only(*heading, *parts)
        self.keep_button.setEnabled(bool(self.passing))

    def cast(self, choice: str) -> None:
        """Count a person's vote for one of the jokes that are to be voted on."""
        ballots = (*self.screening.kept.ballots, self.screening.ballot(choice, datetime.now(UTC)))
        self.screening = screen(self._result, self._limits, ballots=ballots)
        self.voted.emit(self.screening.kept)
        self._draw()


def _rows(screening: Screening) -> list[Row]:
    votes = [Row(f"{wording.count_of(screening.votes, 'vote')} so far.")] if screening.votes else []
    for row in screening.entries[:_MOST]:
        why = f"{why_decided(row, screening)}: {wording.one_line(row.text)}"
        votes.append(Row(why, decision_on(row, screening), quiet=row.decision == "reject"))
    return votes
