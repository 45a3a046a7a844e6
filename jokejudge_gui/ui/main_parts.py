"""Parts of the window besides its tabs: warming, garbage collection, votes, drafts, and the list of keys."""

from __future__ import annotations

import gc
import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from .. import __version__
from ..core.errors import JokeJudgeError, SettingsError
from ..core.files import atomic_write, remembered
from ..core.paths import Profile
from ..core.verdict_kinds import VoteScore
from ..learning.taste import Taste, about, agreement, progress
from ..session.session import Session
from .verdict.tab import VerdictState, VerdictTab
from .votes import VoteButtons
from .widgets.dialog import Dialog
from .widgets.layout import ColumnScroll, Grid, single_shot
from .widgets.text import Label, Paragraph

# Python's thread switching and garbage collection while jobs compute.

_TURN_S = 0.001
_COLLECT_MS = 500
_DUE = (700, 10, 10)
"""Python's own thresholds; a command sets others for its imports."""
_MOST = 25_000
"""Number of objects that the collector looks through in some 25 ms."""


class Collector(QObject):
    """Runs Python's garbage collector in the window's thread, between two events, while the program runs.

    The automatic collector runs in whichever thread has just made an object. There it would destroy widgets in a cycle
    while the window draws them or sets a style sheet, which ends the process. The interpreter's switch interval is one
    millisecond: with Python's 5 ms the window, which releases the interpreter with every call into Qt, would take
    several times as long to draw.

    A collection holds every thread, for some 80 ms where a list of 1,000 jokes is among the objects. More objects than
    ``_MOST`` are therefore set aside (frozen), and looked through while another program has the keyboard."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._set_aside = False
        sys.setswitchinterval(_TURN_S)
        gc.disable()
        gc.set_threshold(*_DUE)
        self.timer = QTimer(self)
        self.timer.timeout.connect(self.collect)
        self.timer.start(_COLLECT_MS)

    def collect(self) -> None:
        """Collect the oldest generation that is due, or set it aside where it is too large."""
        if self._set_aside and QGuiApplication.applicationState() is not Qt.ApplicationState.ApplicationActive:
            self._set_aside = False
            gc.unfreeze()
            gc.collect()
            gc.freeze()
            return
        due = [each for each in (2, 1, 0) if gc.get_count()[each] > gc.get_threshold()[each]]
        if due and sum(len(gc.get_objects(each)) for each in range(due[0] + 1)) > _MOST:
            self._set_aside = True
            gc.freeze()
        elif due:
            gc.collect(due[0])


# Votes from the tabs to the history, and the predicted taste back to the tabs.

BEFORE = "Vote now, before you see the verdict: then it doesn't sway you."
HELD = "Your vote counts once the verdict is known."


@dataclass(frozen=True)
class _Held:
    """A vote on a verdict that isn't known yet. ``blind``: no part of it had been shown."""

    state: VerdictState
    choice: str
    blind: bool


class TasteController(QObject):
    """Stores votes and shows the predicted taste. ``failed`` carries an error."""

    failed = Signal(object)

    def __init__(self, session: Session, window: QWidget) -> None:
        super().__init__(window)
        self._session = session
        self._tabs: dict[str, VerdictTab] = {}
        self._held: dict[str, _Held | None] = {}
        self._tastes: dict[str, tuple[Taste, int]] = {}

    def join(self, tab: VerdictTab) -> None:
        """Handle a tab's votes, and show the predicted taste in it."""
        tab.votes_changed.connect(self.refresh)
        if tab.kind.choices:
            kind = tab.kind.name
            self._tabs[kind], self._held[kind] = tab, None
            tab.drawn.connect(lambda: self.show(kind))
            tab.vote.voted.connect(lambda choice: self._vote(kind, choice))

    # Display

    def show(self, kind: str) -> None:
        """Show vote buttons and predicted taste for the current verdict of a tab."""
        tab = self._tabs[kind]
        state, card, line = tab.state, tab.vote, tab.taste_line
        self._settle(kind)
        known = self._vote_score(kind)
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

    def _draw(
        self, kind: str, card: VoteButtons, state: VerdictState, known: VoteScore | None
    ) -> tuple[str, str] | None:
        held = self._held[kind]
        if held is not None and held.state is state:
            card.show_choice(held.choice, HELD)
            return None
        result = state.result
        if known is None or result is None or state.id is None:
            card.show_choice(None, BEFORE if state.unseen else "")
            return None
        vote = self._session.store.votes.get(state.id)
        sha256 = result.model.sha256 if result.model is not None else ""
        taste, others = self._taste_of(sha256)
        parts = [progress(taste, others), agreement(taste) if known.centred and taste.fitted else ""]
        card.show_choice(state.as_stored(vote.choice) if vote is not None else None, " ".join(filter(None, parts)))
        return about(known, taste)

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

    # Votes

    def _vote(self, kind: str, choice: str) -> None:
        state = self._tabs[kind].state
        held = self._held[kind]
        try:
            if self._vote_score(kind) is None or state.id is None:
                again = held is not None and held.state is state and held.choice == choice
                self._held[kind] = None if again else _Held(state, choice, state.unseen)
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
        held = self._held[kind]
        if held is None:
            return
        state = held.state
        if self._vote_score_of(kind, state) is not None and state.id is not None:
            self._held[kind] = None
            try:
                self._session.vote(state.id, held.choice, blind=held.blind)
            except JokeJudgeError as error:
                self.failed.emit(error)
            self._tastes.clear()
        elif not state.live:
            self._held[kind] = None

    def _vote_score(self, kind: str) -> VoteScore | None:
        """Return the score that a vote on a tab's verdict is compared with, or None."""
        return self._vote_score_of(kind, self._tabs[kind].state)

    def _vote_score_of(self, kind: str, state: VerdictState) -> VoteScore | None:
        return self._tabs[kind].kind.vote_score(state.result) if state.result is not None else None

    def _taste_of(self, sha256: str) -> tuple[Taste, int]:
        """Return the taste fitted with a model, and the number of votes on others. A fit takes some 10 ms at most."""
        if sha256 not in self._tastes:
            others = self._session.store.votes.count(but_for=sha256)
            self._tastes[sha256] = (self._session.taste(sha256), others)
        return self._tastes[sha256]


_REST_MS = 1500
_PRIVATE = 0o600


def read_drafts(path: Path) -> dict[str, tuple[str, ...]]:
    """Return drafts by kind of verdict; none where the file is missing, damaged or huge."""
    return {
        kind: tuple(texts)
        for kind, texts in remembered(path).items()
        if isinstance(texts, list) and all(isinstance(text, str) for text in texts)
    }


class Drafts(QObject):
    """Restores the drafts of the last run in the tabs, and stores typed texts at each pause and at the end, except
    those already in the history. ``failed`` carries an error, once."""

    failed = Signal(object)

    def __init__(self, profile: Profile, parent: QObject) -> None:
        super().__init__(parent)
        self._path = profile.typed
        self._tabs: dict[str, VerdictTab] = {}
        self._kept = read_drafts(self._path)
        self._broken = False
        self._rest = single_shot(self, self.keep, _REST_MS)

    def join(self, tab: VerdictTab) -> None:
        """Restore a tab's draft, and store the texts typed there from now on."""
        self._tabs[tab.kind.name] = tab
        if any(texts := self._kept.get(tab.kind.name, ())):
            tab.put_draft(texts)
        tab.edited.connect(self._rest.start)

    def keep(self) -> None:
        """Write the drafts, or remove their file where there are none."""
        self._rest.stop()
        drafts = {kind: texts for kind, texts in self._kept.items() if kind not in self._tabs}  # not restored yet
        drafts |= {kind: tab.draft() for kind, tab in self._tabs.items() if any(tab.draft()) and not tab.kept}
        if drafts == self._kept:
            return
        try:
            if drafts:
                atomic_write(self._path, json.dumps(drafts))
                os.chmod(self._path, _PRIVATE)
            else:
                self._path.unlink(missing_ok=True)
            self._kept = drafts
        except JokeJudgeError as error:
            self._fail(error)
        except OSError:
            self._fail(SettingsError("E_DRAFTS", "What you typed can't be kept for the next start."))

    def _fail(self, error: JokeJudgeError) -> None:
        if not self._broken:
            self._broken = True
            self.failed.emit(error)


class LastShown:
    """The tab and the stored verdict of each kind that the window showed, remembered across runs."""

    def __init__(self, profile: Profile) -> None:
        self._path = profile.shown
        found = remembered(self._path)
        shown = found.get("verdicts")
        self.tab = str(found.get("tab", ""))
        self.verdicts: dict[str, str] = (
            {kind: identity for kind, identity in shown.items() if isinstance(identity, str)}
            if isinstance(shown, dict)
            else {}
        )

    def keep(self, tab: str, verdicts: Mapping[str, str | None]) -> None:
        """Store the tab and the verdicts by kind. Raises ``SettingsError``."""
        known = {kind: identity for kind, identity in verdicts.items() if identity is not None}
        if (tab, known) != (self.tab, self.verdicts):
            atomic_write(self._path, json.dumps({"tab": tab, "verdicts": known}))
            os.chmod(self._path, _PRIVATE)


KEYS = (
    ("Ctrl+Enter", "Rate the joke, compare the two, or rank the list"),
    ("Esc", "Stop what is running, or close the history"),
    ("Ctrl+Z", "Undo, also when another text took the place of yours"),
    ("Ctrl+1, 2, 3, 4", "Show Rate, Duel, Contest or Trust"),
    ("Up, Down", "In Versions: show another version; in the notes: go to the next note"),
    ("Enter, Delete", "In the notes: accept or dismiss the edit"),
    ("Left, Right, Shift", "While you select the turn: choose a word, or more words"),
    ("Ctrl+Shift+S", "In Duel: swap the drafts"),
    ("Alt+A, Alt+B", "In Duel: vote for A or B"),
    ("Ctrl+F", "Search the history"),
    ("Ctrl+B", "Show or fold the history"),
    ("Enter, S, Delete, Menu", "In the history: open, star, delete, or show what else can be done"),
    ("Ctrl++, Ctrl+−, Ctrl+0", "Larger, smaller, or usual text"),
    ("K, B, L, U", "In a list: keep, bin, put off for later, undo"),
    ("Space, Shift+Space", "In a list: go to the next unread joke, or one back"),
    ("Enter, D, F2, S", "In a list: open in Rate, duel, write a new version, star"),
    ("/, T, Alt+1 to Alt+5", "In a list: search, show the list in a small window, show a part of the list"),
    ("1, 2, 3, S, U", "In a vote: choose a joke, skip, undo the last vote"),
    ("0 to 9, T, S, U", "While you score jokes: 0 to 9, ten, skip, back one joke"),
    ("Ctrl+K", "Open the criteria: what jokes are judged by"),
    ("Ctrl+,", "Open the settings"),
    ("?, F1", "Show this list"),
    ("Ctrl+Q", "Close the program"),
)
"""Keys and their actions, as shown to the user."""


class HelpDialog(Dialog):
    """The keys and the program's version."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Keys and version", parent, (520, 520), heading="Keys")
        table = QWidget()
        grid = Grid(table, gaps=(24, 8), wide=1)
        for number, (keys, words) in enumerate(KEYS):
            grid.addWidget(Label(keys, 14, 600), number, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(Paragraph(words), number, 1, Qt.AlignmentFlag.AlignTop)
        column = ColumnScroll()
        column.add(table)
        python = f"{sys.version_info.major}.{sys.version_info.minor}"
        self.about = Paragraph(f"JokeJudge {__version__}, on Python {python}. Nothing is sent anywhere.", 13)
        self.body.add((column, 1), self.about)
        self.close_button = self.add_foot("Done")
        self.close_button.setFocus()
