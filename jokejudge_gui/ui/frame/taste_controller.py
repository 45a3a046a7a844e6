"""Takes votes from the tabs to the history, and the taste that they show back to the cards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from ...errors import JokeJudgeError
from ...history.votes import Vote
from ...session import Session
from ...taste.taste import Taste
from ...taste.words import about, agreement, progress
from ...verdict_kinds import Standing
from ..taste.vote_card import VoteCard
from ..verdict.verdict_state import VerdictState
from ..verdict.verdict_tab import VerdictTab

BEFORE = "Vote now, before you see the verdict: then it doesn't sway you."
HELD = "Your vote counts once the verdict is known."


@dataclass(frozen=True)
class _Held:
    """A vote on a verdict that isn't known yet. ``blind``: nothing of it had been seen."""

    state: VerdictState
    choice: str
    blind: bool


class TasteController(QObject):
    """``failed`` carries an error."""

    failed = Signal(object)

    def __init__(self, session: Session, tabs: Mapping[str, VerdictTab], window: QWidget) -> None:
        super().__init__(window)
        self._session = session
        self._tabs = {kind: tab for kind, tab in tabs.items() if tab.kind.choices}
        self._held: dict[str, _Held | None] = dict.fromkeys(self._tabs)
        self._votes: dict[str, Vote | None] = {}
        self._tastes: dict[str, tuple[Taste, int]] = {}
        for tab in tabs.values():
            tab.votes_changed.connect(self.refresh)
        for kind, tab in self._tabs.items():
            tab.drawn.connect(lambda kind=kind: self.show(kind))
            tab.vote.voted.connect(lambda choice, kind=kind: self._vote(kind, choice))

    # What is shown

    def show(self, kind: str) -> None:
        """Show the question and the user's line for what the tab shows now."""
        tab = self._tabs[kind]
        state, card, line = tab.state, tab.vote, tab.taste_line
        self._settle(kind)
        known = self._standing(kind)
        if not self._session.settings.use_taste or not (known is not None or state.live):
            card.hide()
            line.show_words(None)
            return
        try:
            words = self._draw(kind, card, state, known)
        except JokeJudgeError as error:
            card.hide()
            words = None
            self.failed.emit(error)
        line.show_words(words)

    def _draw(self, kind: str, card: VoteCard, state: VerdictState, known: Standing | None) -> tuple[str, str] | None:
        held = self._held[kind]
        if held is not None and held.state is state:
            card.show_choice(held.choice, HELD)
            return None
        result = state.result
        if known is None or result is None or state.id is None:
            card.show_choice(None, BEFORE if state.unseen else "")
            return None
        vote = self._vote_on(state.id)
        sha256 = result.model.sha256 if result.model is not None else ""
        taste, others = self._taste_of(sha256)
        parts = [progress(taste, others), agreement(taste) if known.centred and taste.fitted else ""]
        card.show_choice(state.as_stored(vote.choice) if vote is not None else None, " ".join(filter(None, parts)))
        return about(known, taste)

    def refresh(self) -> None:
        """Read everything anew: votes or settings were changed elsewhere."""
        self._votes.clear()
        self._tastes.clear()
        for kind in self._tabs:
            self.show(kind)

    def words(self) -> str:
        """How far the votes have come with the model in use, or the one that was voted on last."""
        models = self._session.store.votes.models()
        model = self._session.model or (models[0] if models else None)
        taste, others = self._taste_of(model.sha256 if model is not None else "")
        return " ".join(filter(None, (progress(taste, others), agreement(taste))))

    # What is voted

    def _vote(self, kind: str, choice: str) -> None:
        state = self._tabs[kind].state
        held = self._held[kind]
        try:
            if self._standing(kind) is None or state.id is None:
                again = held is not None and held.state is state and held.choice == choice
                self._held[kind] = None if again else _Held(state, choice, state.unseen)
            else:
                choice = state.as_stored(choice)
                before = self._vote_on(state.id)
                if before is not None and before.choice == choice:
                    self._session.undo_vote(state.id)
                else:
                    self._session.vote(state.id, choice)
        except JokeJudgeError as error:
            self.failed.emit(error)
        self.refresh()

    def _settle(self, kind: str) -> None:
        """Count a held vote as soon as its verdict is known; drop it if there won't be any."""
        held = self._held[kind]
        if held is None:
            return
        state = held.state
        if self._standing_of(kind, state) is not None and state.id is not None:
            self._held[kind] = None
            try:
                self._session.vote(state.id, held.choice, blind=held.blind)
            except JokeJudgeError as error:
                self.failed.emit(error)
            self._votes.clear()
            self._tastes.clear()
        elif not state.live:
            self._held[kind] = None

    def _standing(self, kind: str) -> Standing | None:
        """What a vote on the verdict that a tab shows is held against."""
        return self._standing_of(kind, self._tabs[kind].state)

    def _standing_of(self, kind: str, state: VerdictState) -> Standing | None:
        return self._tabs[kind].kind.standing(state.result) if state.result is not None else None

    def _vote_on(self, id: str) -> Vote | None:
        if id not in self._votes:
            self._votes[id] = self._session.store.votes.get(id)
        return self._votes[id]

    def _taste_of(self, sha256: str) -> tuple[Taste, int]:
        """The taste beside a model, and how many votes are on others. A fit takes some ten milliseconds at most."""
        if sha256 not in self._tastes:
            others = self._session.store.votes.count(but_for=sha256)
            self._tastes[sha256] = (self._session.taste(sha256), others)
        return self._tastes[sha256]
