"""The user's votes on verdicts, and the prediction of the user's own taste beside the audience's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from ..core.errors import JokeJudgeError
from ..core.verdict_kinds import VerdictKind, VoteScore
from ..history.votes import Vote, Votes, export_votes
from ..learning.taste import Taste, about, agreement, progress
from ..session.session import Session
from .judge_worker import JudgeWorker
from .look import wording
from .look.theme import px
from .widgets.base import plain_tooltip
from .widgets.controls import Button, IconButton, LinkButton, SecondaryButton
from .widgets.dialog import ask_file
from .widgets.layout import HBox, VBox
from .widgets.text import Label, Paragraph

if TYPE_CHECKING:
    from .verdict.tab import VerdictState, VerdictTab

_FACES: dict[str, tuple[str, str | None, str]] = {
    "up": ("", "thumb_up", "I find it funny"),
    "down": ("", "thumb_down", "I don't find it funny"),
    "A": ("A", None, "A is funnier to me"),
    "B": ("B", None, "B is funnier to me"),
}
TAKE_BACK = "Press again to take your vote back"


def unbroken(text: str) -> str:
    """Return a text with unbreakable spaces before its percent signs."""
    return text.replace(" %", "\u00a0%")


class VoteButton(SecondaryButton):
    """A button of a choice, checked where it is the user's."""

    PADDING = 14
    LOOK = SecondaryButton.LOOK | {"checked": ("soft", "accent", "accent")}


class VoteButtons(QWidget):
    """The vote in the bar of actions: a label and the choices. ``voted`` carries the pressed choice, whether it was
    chosen before or not. The tooltips show the progress of the votes."""

    voted = Signal(str)

    def __init__(self, kind: VerdictKind[Any, Any], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Your vote")
        self.word = Label("Your vote" if "up" in kind.choices else "Your choice", 13, token="text2")
        self.by_choice: dict[str, Button] = {}
        self.caption = ""
        row = HBox(self.word, parent=self, gap=4)
        row.addSpacing(px(4))
        for choice, (text, icon, name) in _FACES.items():
            if choice not in kind.choices:
                continue
            button: Button = IconButton(icon, name) if icon is not None else VoteButton(text, name=name, tip=name)
            button.setCheckable(True)
            button.clicked.connect(lambda _on=False, choice=choice: self.voted.emit(choice))
            self.by_choice[choice] = button
            row.addWidget(button)

    def show_choice(self, choice: str | None, caption: str) -> None:
        """Show a choice. ``caption``: the progress of the votes."""
        self.caption = unbroken(caption)
        for each, button in self.by_choice.items():
            button.setChecked(each == choice)
            does = TAKE_BACK if each == choice else _FACES[each][2]
            button.setToolTip(plain_tooltip("\n".join(filter(None, (f"{does}.", self.caption)))))
            button.setAccessibleDescription(TAKE_BACK if each == choice else "")
        self.show()


class TasteLine(Paragraph):
    """The prediction of the user's own taste, beside the audience's; hidden without one."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", parent=parent)
        self.hide()

    def show_words(self, words: tuple[str, str] | None) -> None:
        """Show a prediction and its confidence; None hides the line."""
        strong, rest = map(unbroken, words or ("", ""))
        if self.text() != strong + rest:
            self.set_content([(strong, "strong"), (rest, "normal")])
        self.setVisible(bool(words))


# The votes in the settings: their number and actions on them.

FILTERS = {"CSV table (*.csv)": ".csv", "JSON lines (*.jsonl)": ".jsonl"}


class VotesStrip(QWidget):
    """All votes. ``words`` returns their progress; ``on_change`` is called after they were deleted or restored."""

    def __init__(
        self, votes: Votes, worker: JudgeWorker, words: Callable[[], str], on_change: Callable[[], None]
    ) -> None:
        super().__init__()
        self._votes, self._worker, self._words, self._on_change = votes, worker, words, on_change
        self._gone: tuple[Vote, ...] = ()
        self.text = Paragraph("", 13, token="text3")
        self.export_link = LinkButton("Export votes…", act=self._export)
        self.delete_link = LinkButton("Delete all votes", act=self._delete)
        self.undo_link = LinkButton("Undo", name="Bring the deleted votes back", act=self._undo)
        VBox(self.text, HBox(self.export_link, self.delete_link, self.undo_link, 1, gap=12), parent=self, gap=2)
        self.show_votes()

    def show_votes(self, outcome: str = "") -> None:
        """Show the progress of the votes, or instead the outcome of the last action."""
        try:
            some = self._votes.count() > 0
            text = outcome or self._words()
        except JokeJudgeError as error:
            some, text = False, str(error)
        self.text.set_content(unbroken(text))
        for link in (self.export_link, self.delete_link):
            link.setVisible(some)
        self.undo_link.setVisible(bool(self._gone))

    def _export(self) -> None:
        path = ask_file(self, "Export votes", "votes.csv", FILTERS)
        if path is not None:
            self._worker.call("export votes", partial(self._write, path), self.show_votes, self._on_failed)

    def _write(self, path: Path) -> str:
        return f"Exported {wording.count_of(export_votes(self._votes.find(), path, replace=True), 'vote')} to {path}."

    def _on_failed(self, error: JokeJudgeError) -> None:
        self.show_votes(str(error))

    def _delete(self) -> None:
        """Delete all votes, which can be undone until the dialog closes."""
        try:
            self._gone = self._votes.delete_all()
            outcome = f"Deleted {wording.count_of(len(self._gone), 'vote')}."
        except JokeJudgeError as error:
            outcome = str(error)
        self._changed(outcome, self.undo_link)

    def _undo(self) -> None:
        outcome = ""
        try:
            self._votes.restore(self._gone)
            self._gone = ()
        except JokeJudgeError as error:
            outcome = str(error)
        self._changed(outcome, self.delete_link)

    def _changed(self, outcome: str, link: LinkButton) -> None:
        self._on_change()
        self.show_votes(outcome)
        # The pressed link is hidden; the focus stays near.
        if link.isVisible():
            link.setFocus()


BEFORE = "Vote now, before you see the verdict: then it doesn't sway you."
HELD = "Your vote counts once the verdict is known."


@dataclass(frozen=True)
class _Held:
    """A vote on a verdict that isn't known yet. ``blind``: no part of it had been shown."""

    state: VerdictState
    choice: str
    blind: bool


class TasteController(QObject):
    """Stores votes of the tabs and shows the predicted taste in them. ``failed`` carries an error."""

    failed = Signal(object)

    def __init__(self, session: Session, window: QWidget) -> None:
        super().__init__(window)
        self._session = session
        self._tabs: dict[str, VerdictTab] = {}
        self._held: dict[str, _Held] = {}
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
        state, held = tab.state, self._held.get(kind)
        score = self._score(kind, state)
        if held is not None and held.state is state:
            tab.vote.show_choice(held.choice, HELD)
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
        state, held = self._tabs[kind].state, self._held.get(kind)
        try:
            if self._score(kind, state) is None or state.id is None:
                self._held.pop(kind, None)
                if held is None or held.state is not state or held.choice != choice:
                    self._held[kind] = _Held(state, choice, state.unseen)
            else:
                choice = state.as_stored(choice)
                before = self._session.store.votes.get(state.id)
                if before is not None and before.choice == choice:
                    self._session.undo_vote(state.id)
                else:
                    self._session.vote(state.id, choice)
        except JokeJudgeError as error:
            self.failed.emit(error)
        self.refresh()

    def _settle(self, kind: str) -> None:
        """Store a held vote as soon as its verdict is known; drop it if there won't be any."""
        held = self._held.get(kind)
        if held is None:
            return
        id, score = held.state.id, self._score(kind, held.state)
        if id is not None and score is not None:
            del self._held[kind]
            try:
                self._session.vote(id, held.choice, blind=held.blind)
            except JokeJudgeError as error:
                self.failed.emit(error)
            self._tastes.clear()
        elif not held.state.live:
            del self._held[kind]

    def _score(self, kind: str, state: VerdictState) -> VoteScore | None:
        """Return the score that a vote on a verdict is compared with, if it has one."""
        return self._tabs[kind].kind.vote_score(state.result) if state.result is not None else None

    def _taste_of(self, sha256: str) -> tuple[Taste, int]:
        """Return the taste fitted with a model, and the number of votes on others. A fit takes some 10 ms at most."""
        if sha256 not in self._tastes:
            others = self._session.store.votes.count(but_for=sha256)
            self._tastes[sha256] = (self._session.taste(sha256), others)
        return self._tastes[sha256]
