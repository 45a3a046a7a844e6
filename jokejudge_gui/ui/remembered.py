"""What the window remembers across runs: typed texts that weren't judged, and the tab and verdicts that it showed."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from ..core.errors import JokeJudgeError, SettingsError
from ..core.files import atomic_write, remembered
from ..core.paths import Profile
from .verdict.tab import VerdictTab
from .widgets.layout import single_shot

_REST_MS = 500
"""The longest time that a change stays unwritten."""


def read_drafts(path: Path) -> dict[str, tuple[str, ...]]:
    """Return drafts by kind of verdict; none where the file is missing, damaged or huge."""
    return {
        kind: tuple(texts)
        for kind, texts in remembered(path).items()
        if isinstance(texts, list) and all(isinstance(text, str) for text in texts)
    }


def _write(path: Path, content: object) -> None:
    """Write a file for its owner alone."""
    atomic_write(path, json.dumps(content))
    os.chmod(path, 0o600)


def start_once(timer: QTimer) -> None:
    """Start a timer unless it runs, so that what changes all the time is written all the same."""
    if not timer.isActive():
        timer.start()


class Drafts(QObject):
    """Restores the drafts of the last run in the tabs, and stores typed texts while they are typed, except those
    already in the history. ``failed`` carries an error, once."""

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
        tab.edited.connect(lambda: start_once(self._rest))

    def keep(self) -> None:
        """Write the drafts, or remove their file where there are none."""
        self._rest.stop()
        drafts = {kind: texts for kind, texts in self._kept.items() if kind not in self._tabs}  # not restored yet
        drafts |= {kind: tab.draft() for kind, tab in self._tabs.items() if any(tab.draft()) and not tab.kept}
        if drafts == self._kept:
            return
        try:
            if drafts:
                _write(self._path, drafts)
            else:
                self._path.unlink(missing_ok=True)
            self._kept = drafts
        except (JokeJudgeError, OSError) as error:
            if not self._broken:
                self._broken = True
                lost = SettingsError("E_DRAFTS", "What you typed can't be saved for the next start.")
                self.failed.emit(error if isinstance(error, JokeJudgeError) else lost)


class LastShown(QObject):
    """The tab and the stored verdict of each kind that the window shows, stored as they change, so that they survive a
    program that is killed. What can't be written is lost in silence: it is only where to begin next time."""

    def __init__(self, profile: Profile, parent: QObject) -> None:
        super().__init__(parent)
        self._path = profile.shown
        content = remembered(self._path)
        verdicts = content.get("verdicts")
        self.tab = str(content.get("tab", ""))
        self.verdicts: dict[str, str] = {
            kind: id for kind, id in (verdicts if isinstance(verdicts, dict) else {}).items() if isinstance(id, str)
        }
        self._written = self.tab, dict(self.verdicts)
        self._rest = single_shot(self, self.keep, _REST_MS)

    def show_tab(self, key: str) -> None:
        """Note the tab that is shown."""
        self.tab = key
        start_once(self._rest)

    def show_verdict(self, kind: str, identity: str | None) -> None:
        """Note the verdict of a kind that is shown; None: none of the history."""
        if identity is None:
            self.verdicts.pop(kind, None)
        else:
            self.verdicts[kind] = identity
        start_once(self._rest)

    def keep(self) -> None:
        """Write both, if they have changed."""
        self._rest.stop()
        now = self.tab, dict(self.verdicts)
        if now != self._written:
            with contextlib.suppress(JokeJudgeError, OSError):
                _write(self._path, {"tab": self.tab, "verdicts": self.verdicts})
                self._written = now
