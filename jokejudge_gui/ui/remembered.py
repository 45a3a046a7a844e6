"""What the window remembers across runs: typed texts that weren't judged, and the tab and verdicts that it showed."""

from __future__ import annotations

import json
import os
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from ..core.errors import JokeJudgeError, SettingsError
from ..core.files import atomic_write, remembered
from ..core.paths import Profile
from .verdict.tab import VerdictTab
from .widgets.layout import single_shot

_REST_MS = 1500


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
                _write(self._path, drafts)
            else:
                self._path.unlink(missing_ok=True)
            self._kept = drafts
        except (JokeJudgeError, OSError) as error:
            if not self._broken:
                self._broken = True
                lost = SettingsError("E_DRAFTS", "What you typed can't be kept for the next start.")
                self.failed.emit(error if isinstance(error, JokeJudgeError) else lost)


class LastShown:
    """The tab and the stored verdict of each kind that the window showed."""

    def __init__(self, profile: Profile) -> None:
        self._path = profile.shown
        content = remembered(self._path)
        verdicts = content.get("verdicts")
        self.tab = str(content.get("tab", ""))
        self.verdicts: dict[str, str] = {
            kind: id for kind, id in (verdicts if isinstance(verdicts, dict) else {}).items() if isinstance(id, str)
        }

    def keep(self, tab: str, verdicts: dict[str, str]) -> None:
        """Store the tab and the verdicts by kind. Raises ``SettingsError``."""
        if (tab, verdicts) != (self.tab, self.verdicts):
            _write(self._path, {"tab": tab, "verdicts": verdicts})
