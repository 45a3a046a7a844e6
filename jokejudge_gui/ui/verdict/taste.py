"""Votes from the tabs to the history, and the predicted taste back to the tabs."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from ...core.errors import JokeJudgeError
from ...core.verdict_kinds import VoteScore
from ...learning.taste import Taste, cast_vote, taste_of
from ...learning.words import about, agreement, progress
from ...session.session import Session
from ..changes import Changes
from .tab import VerdictState, VerdictTab


class TasteController(QObject):
    """Stores votes of the tabs and shows the predicted taste in them. ``failed`` carries an error."""

    failed = Signal(object)

    def __init__(self, session: Session, changes: Changes, window: QWidget) -> None:
        super().__init__(window)
        self._session, self._changes = session, changes
        self._tabs: dict[str, VerdictTab] = {}
        self._tastes: dict[str, tuple[Taste, int]] = {}

    def join(self, tab: VerdictTab) -> None:
        """Handle a tab's votes, and show the predicted taste in it."""
        tab.votes_changed.connect(self.refresh)
        if tab.kind.choices:
            kind = tab.kind.name
            self._tabs[kind] = tab
            tab.drawn.connect(lambda: self.show(kind))
            tab.vote.voted.connect(lambda choice: self._vote(kind, choice))

    def show(self, kind: str) -> None:
        """Show vote buttons and predicted taste for the current verdict of a tab."""
        tab, words = self._tabs[kind], None
        score = self._score(kind, tab.state) if self._session.settings.use_taste else None
        try:
            words = self._draw(tab, score) if score is not None and tab.state.id is not None else None
            tab.vote.setVisible(score is not None)
        except JokeJudgeError as error:
            tab.vote.hide()
            self.failed.emit(error)
        tab.taste_line.show_words(words)

    def _draw(self, tab: VerdictTab, score: VoteScore) -> tuple[str, str] | None:
        """Show the user's vote, and return the words about the predicted taste."""
        state = tab.state
        vote = self._session.store.votes.get(state.id or "")
        taste, others = self._taste_of(state.result.model.sha256 if state.result.model is not None else "")
        parts = [progress(taste, others), agreement(taste) if score.centred and taste.fitted else ""]
        tab.vote.show_choice(vote.choice if vote is not None else None, " ".join(filter(None, parts)))
        return about(score, taste)

    def refresh(self) -> None:
        """Read everything again, after votes or settings were changed elsewhere."""
        self._tastes.clear()
        for kind in self._tabs:
            self.show(kind)

    def words(self) -> str:
        """Return the progress of the votes on the current model, or on the one voted on last."""
        models = self._session.store.votes.models()
        model = self._session.model or (models[0] if models else None)
        taste, others = self._taste_of(model.sha256 if model is not None else "")
        return " ".join(filter(None, (progress(taste, others), agreement(taste))))

    def _vote(self, kind: str, choice: str) -> None:
        """Store a vote in place of another, or take it back if it is the same."""
        id = self._tabs[kind].state.id
        if id is None:
            return

        def put(choice: str | None, blind: bool = False) -> None:
            if choice is None:
                self._session.store.votes.remove(id)
            else:
                cast_vote(self._session.store, id, choice, blind=blind)
            self.refresh()

        try:
            before = self._session.store.votes.get(id)
        except JokeJudgeError as error:
            self.failed.emit(error)
            return
        taken = before is not None and before.choice == choice
        back = partial(put, before.choice, before.blind) if before is not None else partial(put, None)
        words = "Took a vote back" if taken else "Voted"
        if not self._changes.do(words, partial(put, None if taken else choice), back, quiet=True):
            self.refresh()

    def _score(self, kind: str, state: VerdictState) -> VoteScore | None:
        """Return the score that a vote on a verdict is compared with, if it has one."""
        return self._tabs[kind].kind.vote_score(state.result) if state.result is not None else None

    def _taste_of(self, sha256: str) -> tuple[Taste, int]:
        """Return the taste fitted with a model, and the number of votes on others. A fit takes some 10 ms at most."""
        if sha256 not in self._tastes:
            others = self._session.store.votes.count(but_for=sha256)
            self._tastes[sha256] = (taste_of(self._session.store, sha256), others)
        return self._tastes[sha256]
