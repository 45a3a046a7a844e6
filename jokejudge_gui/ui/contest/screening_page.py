"""A list screened: what comes of it, its limits, its jokes, the vote, and the user's own scores."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from ..frame.room import Room
from ..look.theme import px, theme
from ..verdict.state_card import StateCard
from ..widgets.cards import Card
from ..widgets.controls import LinkButton, PrimaryButton, SecondaryButton
from ..widgets.text import Heading, Paragraph
from .screening_limits import LimitsCard
from .screening_scores import OwnScoresCard, ScorePanel
from .screening_state import ScreeningState
from .screening_table import ScreeningModel, ScreeningView
from .screening_vote import VotePanel

Face = Literal["list", "vote", "score"]


class ScreeningPage(QWidget):
    """Shows a ``ScreeningState`` in one of three faces: the screened list, the vote, the scoring. The signals say what
    the buttons ask for."""

    back_asked = Signal()
    vote_asked = Signal()
    more_asked = Signal()
    export_asked = Signal()
    import_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.face: Face = "list"
        self.heading = Heading("", 4)
        self.told = Paragraph("", 14)
        self.votes = Paragraph("", 13)
        self.back_button = SecondaryButton("Back to the ranking")
        self.back_button.clicked.connect(self.back_asked)
        self.vote_button = PrimaryButton("Vote")
        self.vote_button.clicked.connect(self._on_vote)
        self._more = False
        self.card = Card()
        self._words = QVBoxLayout()
        self._words.addWidget(self.heading)
        self._words.addWidget(self.told)
        self._words.addWidget(self.votes)
        self._row = QHBoxLayout()
        self._row.addStretch(1)
        self._row.addWidget(self.back_button)
        self._row.addWidget(self.vote_button)
        self._head = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._head.addLayout(self._words, 1)
        self._head.addLayout(self._row)
        self.card.add_layout(self._head)
        self.export_link = LinkButton("Export the votes…")
        self.export_link.clicked.connect(self.export_asked)
        self.import_link = LinkButton("Add votes from a file…")
        self.import_link.clicked.connect(self.import_asked)
        self._links = QHBoxLayout()
        self._links.addWidget(self.export_link)
        self._links.addWidget(self.import_link)
        self._links.addStretch(1)
        self.card.add_layout(self._links)
        self.unknown = StateCard("warning")
        self.limits = LimitsCard()
        self.own = OwnScoresCard()
        self.model = ScreeningModel(self)
        self.view = ScreeningView(self.model)
        self.table = Card()
        self.table.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        self.table.add(self.view, 1)
        self.vote = VotePanel()
        self.score = ScorePanel()
        self._layout = QVBoxLayout(self)
        self._layout.addWidget(self.card)
        self._layout.addWidget(self.unknown)
        self._settings = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._settings.addWidget(self.limits, 3)
        self._settings.addWidget(self.own, 2)
        self._layout.addLayout(self._settings)
        self._layout.addWidget(self.vote)
        self._layout.addWidget(self.score)
        self._layout.addWidget(self.table, 1)
        self._layout.addStretch(0)
        self._scale()
        theme().changed.connect(self._scale)

    @property
    def controls(self) -> list[QWidget]:
        """In the order of the Tab key."""
        order: list[QWidget] = [self.back_button, self.vote_button, self.export_link, self.import_link]
        order += [*self.limits.controls, *self.own.controls, *self.vote.controls, *self.score.controls, self.view]
        return order

    def _scale(self) -> None:
        self._layout.setContentsMargins(0, 0, 0, px(10))
        self._layout.setSpacing(px(14))
        self._row.setSpacing(px(8))
        self._head.setSpacing(px(12))
        self._links.setSpacing(px(16))
        self._settings.setSpacing(px(14))
        self._words.setSpacing(px(4))

    def set_room(self, room: Room) -> None:
        """How much room the window has."""
        wide = room == "wide"
        self._head.setDirection(QBoxLayout.Direction.LeftToRight if wide else QBoxLayout.Direction.TopToBottom)
        self._settings.setDirection(QBoxLayout.Direction.LeftToRight if wide else QBoxLayout.Direction.TopToBottom)
        self.view.set_room(room)

    def focus_first(self) -> None:
        """Put the keyboard where this face is worked with."""
        if self.face == "vote":
            self.vote.setFocus()
        elif self.face == "score":
            self.score.setFocus()
        else:
            (self.vote_button if self.vote_button.isVisibleTo(self) else self.back_button).setFocus()

    def _on_vote(self) -> None:
        (self.more_asked if self._more else self.vote_asked).emit()

    def show_state(self, state: ScreeningState, name: str) -> None:
        """Draw the screening of a list called ``name``."""
        found, listed = state.found, self.face == "list"
        _say(self.heading, f"Screening: {name}")
        self.card.setVisible(listed)
        sentences = found.outcome() if found is not None else ["Screening the list…"] if state.error is None else []
        told = (
            [(sentences[0], "strong"), ("".join(f" {each}" for each in sentences[1:]), "normal")] if sentences else []
        )
        if self.told.text() != "".join(text for text, _ in told):
            self.told.set_content(told)  # type: ignore[arg-type]
        self.told.setVisible(bool(told))
        votes = state.votes_told()
        _say(self.votes, votes)
        self.votes.setVisible(bool(votes))
        shown = len(found.shown) if found is not None else 0
        self._more = found is not None and found.decided and found.waiting > 1
        self.vote_button.setText("Vote on the next" if self._more else "Vote")
        self.vote_button.setVisible(shown > 1 or self._more)
        self.export_link.setVisible(bool(state.ballots))
        self.import_link.setVisible(found is not None)
        self.unknown.setVisible(state.error is not None)
        if state.error is not None:
            self.unknown.set_message(state.error.sentence, "The ranking stands as it is.")
        for card in (self.limits, self.table, self.own):
            card.setVisible(listed and found is not None)
        self.vote.setVisible(self.face == "vote")
        self.score.setVisible(self.face == "score")
        if self.limits.limits != state.thresholds or self.limits.penalty.isChecked() != state.length_penalty:
            self.limits.show_limits(state.thresholds, penalty=state.length_penalty)
        self.limits.show_costs(found, state.strict)
        self.model.show_screening(found)
        self.view.share_width()
        if self.face == "vote":
            self.vote.show_ballot(state.ballot_order(), votes, votes=len(state.ballots))


def _say(paragraph: Paragraph, text: str) -> None:
    if paragraph.text() != text:
        paragraph.set_content(text)
