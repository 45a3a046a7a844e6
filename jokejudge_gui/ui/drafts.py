"""Texts that were typed and not yet judged, kept from one run of the window to the next."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from ..core.errors import JokeJudgeError, SettingsError
from ..core.files import atomic_write, remembered
from ..core.paths import Profile
from .verdict.tab import VerdictTab
from .widgets.layout import single_shot

_REST_MS = 1500
_PRIVATE = 0o600


def read_drafts(path: Path) -> dict[str, tuple[str, ...]]:
    """Texts by kind of verdict; none where the file is missing, damaged or huge."""
    return {
        kind: tuple(texts)
        for kind, texts in remembered(path).items()
        if isinstance(texts, list) and all(isinstance(text, str) for text in texts)
    }


class Drafts(QObject):
    """Puts the drafts of the last run into the tabs, and keeps what is typed: whenever the typing rests, and at the
    end. What was judged is in the history and needn't be kept here. ``failed`` carries an error, once."""

    failed = Signal(object)

    def __init__(self, profile: Profile, tabs: Mapping[str, VerdictTab], parent: QObject) -> None:
        super().__init__(parent)
        self._path = profile.typed
        self._tabs = tabs
        self._kept = read_drafts(self._path)
        self._broken = False
        for kind, tab in tabs.items():
            if any(texts := self._kept.get(kind, ())):
                tab.put_draft(texts)
        self._rest = single_shot(self, self.keep, _REST_MS)
        for tab in tabs.values():
            tab.edited.connect(self._rest.start)

    def keep(self) -> None:
        """Write the drafts, or remove their file where there are none."""
        self._rest.stop()
        drafts: dict[str, tuple[str, ...]] = {
            kind: tab.draft() for kind, tab in self._tabs.items() if any(tab.draft()) and not tab.kept
        }
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
