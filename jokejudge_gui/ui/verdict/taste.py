"""Votes from the tabs to the history, and the predicted taste back to the tabs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from ...core.errors import JokeJudgeError
from ...core.verdict_kinds import VoteScore
from ...learning.taste import Taste, about, agreement, progress
from ...session.session import Session
from ..changes import Changes
from .tab import VerdictState, VerdictTab

BEFORE = "Vote now, before you see the verdict: then it doesn't sway you."
PENDING = "Your vote counts once the verdict is known."


@dataclass(frozen=True)
class _Pending:
    """A vote on a verdict that isn't known yet. ``blind``: no part of it had been shown."""

    state: VerdictState
    choice: str
    blind: bool


class TasteController(QObject):
    """Stores votes of the tabs and shows the predicted taste in them. ``failed`` carries an error."""

    failed = Signal(object)

    def __init__(self, session: Session, changes: Changes, window: QWidget) -> None:
        super().__init__(window)
        self._session, self._changes = session, changes
        self._tabs: dict[str, VerdictTab] = {}
        self._pending: dict[str, _Pending] = {}
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
        tab = self._tabs[kind]
        self._settle(kind)
        words = None
        if self._session.settings.use_taste and (tab.state.live or self._score(kind, tab.state) is not None):
            try:
                words = self._draw(kind, tab)
            except JokeJudgeError as error:
                tab.vote.hide()
                self.failed.emit(error)
        else:
            tab.vote.hide()
        tab.taste_line.show_words(words)

    def _draw(self, kind: str, tab: VerdictTab) -> tuple[str, str] | None:
        """Show the user's vote, and return the words about the predicted taste."""
        state, pending = tab.state, self._pending.get(kind)
        score = self._score(kind, state)
        if pending is not None and pending.state is state:
            tab.vote.show_choice(pending.choice, PENDING)
            return None
        if score is None or state.id is None:
            tab.vote.show_choice(None, BEFORE if state.unseen else "")
            return None
        vote = self._session.store.votes.get(state.id)
        taste, others = self._taste_of(state.result.model.sha256 if state.result.model is not None else "")
        parts = [progress(taste, others), agreement(taste) if score.centred and taste.fitted else ""]
        tab.vote.show_choice(state.as_stored(vote.choice) if vote is not None else None, " ".join(filter(None, parts)))
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
        state, pending = self._tabs[kind].state, self._pending.get(kind)
        try:
            if self._score(kind, state) is None or state.id is None:
                self._pending.pop(kind, None)
                if pending is None or pending.state is not state or pending.choice != choice:
                    self._pending[kind] = _Pending(state, choice, state.unseen)
            else:
                self._change(state.id, state.as_stored(choice))
        except JokeJudgeError as error:
            self.failed.emit(error)
        self.refresh()

    def _change(self, id: str, choice: str) -> None:
        """Store a vote in place of another, or take it back if it is the same."""
        before = self._session.store.votes.get(id)

        def put(choice: str | None, blind: bool = False) -> None:
            if choice is None:
                self._session.undo_vote(id)
            else:
                self._session.vote(id, choice, blind=blind)
            self.refresh()

        taken = before is not None and before.choice == choice
        back = partial(put, before.choice, before.blind) if before is not None else partial(put, None)
        words = "Took a vote back" if taken else "Voted"
        self._changes.do(words, partial(put, None if taken else choice), back, quiet=True)

    def _settle(self, kind: str) -> None:
        """Store a pending vote as soon as its verdict is known; drop it if there won't be any."""
        pending = self._pending.get(kind)
        if pending is None:
            return
        id, score = pending.state.id, self._score(kind, pending.state)
        if id is not None and score is not None:
            del self._pending[kind]
            try:
                self._session.vote(id, pending.choice, blind=pending.blind)
            except JokeJudgeError as error:
                self.failed.emit(error)
            self._tastes.clear()
        elif not pending.state.live:
            del self._pending[kind]

    def _score(self, kind: str, state: VerdictState) -> VoteScore | None:
        """Return the score that a vote on a verdict is compared with, if it has one."""
        return self._tabs[kind].kind.vote_score(state.result) if state.result is not None else None

    def _taste_of(self, sha256: str) -> tuple[Taste, int]:
        """Return the taste fitted with a model, and the number of votes on others. A fit takes some 10 ms at most."""
        if sha256 not in self._tastes:
            others = self._session.store.votes.count(but_for=sha256)
            self._tastes[sha256] = (self._session.taste(sha256), others)
        return self._tastes[sha256]
