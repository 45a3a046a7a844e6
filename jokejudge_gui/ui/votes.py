"""Votes from the tabs to the history, and the predicted taste back to the tabs."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from ..core.errors import JokeJudgeError
from ..core.verdict_kinds import VoteScore
from ..learning.taste import Taste, cast_vote, taste_of
from ..learning.words import about, agreement, progress
from ..session.session import Session
from .changes import Changes
from .verdict.tab import VerdictTab


class TasteController(QObject):
    """Stores votes of the tabs and shows the predicted taste in them. ``failed`` carries an error."""

    failed = Signal(object)

    def __init__(self, session: Session, changes: Changes, window: QWidget) -> None:
        super().__init__(window)
        self._session, self._changes = session, changes
        self._tabs: list[VerdictTab] = []
        self._tastes: dict[str, tuple[Taste, int]] = {}

    def join(self, tab: VerdictTab) -> None:
        """Handle a tab's votes, and show the predicted taste in it."""
        if tab.kind.choices:
            self._tabs.append(tab)
            tab.drawn.connect(lambda: self.show(tab))
            tab.vote.voted.connect(lambda choice: self._vote(tab, choice))

    def refresh(self) -> None:
        """Read everything again, after votes or settings were changed elsewhere."""
        self._tastes.clear()
        for tab in self._tabs:
            self.show(tab)

    def show(self, tab: VerdictTab) -> None:
        """Show vote buttons and predicted taste for the current verdict of a tab."""
        result, taste_in_words = tab.state.result, None
        wanted = result is not None and self._session.settings.use_taste
        score = tab.kind.vote_score(result) if wanted else None
        try:
            if score is not None and tab.state.id is not None:
                taste_in_words = self._draw(tab, tab.state.id, score)
            tab.vote.setVisible(score is not None)
        except JokeJudgeError as error:
            tab.vote.hide()
            self.failed.emit(error)
        strong, rest = map(_unbroken, taste_in_words or ("", ""))
        tab.taste_line.show_text([(strong, "strong"), (rest, "normal")])

    def _draw(self, tab: VerdictTab, id: str, score: VoteScore) -> tuple[str, str] | None:
        """Show the user's vote, and return the words about the predicted taste."""
        vote, model = self._session.store.votes.get(id), tab.state.result.model
        taste, others = self._taste_of(model.sha256 if model is not None else "")
        parts = [progress(taste, others), agreement(taste) if score.centred and taste.fitted else ""]
        tab.vote.show_choice(vote.choice if vote is not None else None, _unbroken(" ".join(filter(None, parts))))
        return about(score, taste)

    def _taste_of(self, sha256: str) -> tuple[Taste, int]:
        """Return the taste fitted with a model, and the number of votes on others. A fit takes some 10 ms at most."""
        if sha256 not in self._tastes:
            others = self._session.store.votes.count(but_for=sha256)
            self._tastes[sha256] = (taste_of(self._session.store, sha256), others)
        return self._tastes[sha256]

    def _vote(self, tab: VerdictTab, choice: str) -> None:
        """Store a vote in place of another, or take it back if it is the same."""
        id = tab.state.id
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


def _unbroken(text: str) -> str:
    """Return a text with unbreakable spaces before its percent signs."""
    return text.replace(" %", "\u00a0%")
