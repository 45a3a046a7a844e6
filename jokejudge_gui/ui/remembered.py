"""What the window remembers across runs: typed texts that weren't judged, and the tab and verdicts that it showed."""

from __future__ import annotations

import json
import os
from typing import Any

from PySide6.QtCore import QObject, Signal

from ..core.errors import JokeJudgeError, SettingsError
from ..core.files import atomic_write, remembered
from ..core.paths import Profile
from .verdict.tab import FieldTab
from .widgets.layout import single_shot

_REST_MS = 500
"""The longest time that a change stays unwritten."""


def _texts(drafts: object) -> dict[str, tuple[str, ...]]:
    """Return drafts by kind of verdict; none where they are damaged."""
    return {
        kind: tuple(texts)
        for kind, texts in (drafts if isinstance(drafts, dict) else {}).items()
        if isinstance(texts, list) and all(isinstance(text, str) for text in texts)
    }


class Remembered(QObject):
    """One file for its owner alone, written as things change, so that they survive a program that is killed. Typed
    texts that are in the history aren't stored. ``failed`` carries an error, once."""

    failed = Signal(object)

    def __init__(self, profile: Profile, parent: QObject) -> None:
        super().__init__(parent)
        self._path = profile.typed
        self._tabs: dict[str, FieldTab] = {}
        content = remembered(self._path)
        self.tab = str(content.get("tab", ""))
        """The tab that is shown."""
        shown = content.get("shown")
        self.shown = {kind: str(id) for kind, id in (shown if isinstance(shown, dict) else {}).items()}
        """The ids of the stored verdicts that are shown, by kind."""
        trust = content.get("trust")
        self.trust = tuple(map(str, trust)) if isinstance(trust, list) and len(trust) == 2 else ("", "")
        """The kind of text and the question that are chosen in Trust."""
        self._typed = _texts(content.get("typed"))
        self._written: dict[str, Any] = self._content()
        self._broken = False
        self._rest = single_shot(self, self.keep, _REST_MS)

    def join(self, tab: FieldTab) -> None:
        """Restore a tab's draft, and store the texts typed there from now on."""
        self._tabs[tab.kind.name] = tab
        if any(texts := self._typed.get(tab.kind.name, ())):
            tab.put_draft(texts)
        tab.edited.connect(self._keep_soon)

    def show_tab(self, key: str) -> None:
        """Note the tab that is shown."""
        self.tab = key
        self._keep_soon()

    def show_verdict(self, kind: str, identity: str | None) -> None:
        """Note the verdict of a kind that is shown; None: none of the history."""
        self.shown[kind] = identity or ""
        self._keep_soon()

    def show_trust(self, kind: str, question: str) -> None:
        """Note what is chosen in Trust."""
        self.trust = kind, question
        self._keep_soon()

    def _keep_soon(self) -> None:
        if not self._rest.isActive():  # so that what changes all the time is written all the same
            self._rest.start()

    def _content(self) -> dict[str, Any]:
        typed = {kind: texts for kind, texts in self._typed.items() if kind not in self._tabs}  # not restored yet
        typed |= {kind: tab.draft() for kind, tab in self._tabs.items() if any(tab.draft()) and not tab.kept}
        shown = {kind: id for kind, id in self.shown.items() if id}
        return {"tab": self.tab, "shown": shown, "trust": self.trust, "typed": typed}

    def keep(self) -> None:
        """Write everything, if it has changed."""
        self._rest.stop()
        content = self._content()
        if content == self._written:
            return
        try:
            atomic_write(self._path, json.dumps(content))
            os.chmod(self._path, 0o600)
        except (JokeJudgeError, OSError) as error:
            if not self._broken:
                self._broken = True
                lost = SettingsError("E_DRAFTS", "What you typed can't be saved for the next start.")
                self.failed.emit(error if isinstance(error, JokeJudgeError) else lost)
            return
        self._written, self._broken = content, False
