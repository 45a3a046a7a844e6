"""What leads from one tab to another: a joke of a ranking is rated, a long paste is ranked."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QObject

from ..history.pane import HistoryPane
from ..verdict.verdict_runs import VerdictRuns
from ..verdict.verdict_tab import VerdictTab
from .notices import Notices

BUSY = "A verdict is running here. Wait for it, or stop it with Esc."


class Crossing(QObject):
    """``show``: shows the tab of a kind."""

    def __init__(
        self,
        tabs: Mapping[str, VerdictTab],
        runs: VerdictRuns,
        pane: HistoryPane,
        notices: Notices,
        show: Callable[[str], None],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._tabs, self._runs, self._notices, self._show = tabs, runs, notices, show
        for tab in tabs.values():
            tab.elsewhere_asked.connect(self.ask)
            tab.list_asked.connect(self.give_list)
            tab.said.connect(lambda text: self._notices.say("info", text))
            tab.trouble.connect(lambda error: self._notices.say("error", f"{error.sentence} {error.hint}".strip()))
        pane.list_asked.connect(self.give_list)

    def ask(self, kind: str, fields: Mapping[str, object]) -> None:
        """Show the tab of a kind and ask for a verdict there, unless one is running."""
        self._show(kind)
        if self._tabs[kind].live:
            self._notices.say("info", BUSY)
        else:
            self._runs.ask(kind, fields)

    def give_list(self, text: str) -> None:
        """Show a list of jokes where it can be ranked."""
        kind = next(name for name, tab in self._tabs.items() if tab.takes_lists)
        self._show(kind)
        if self._tabs[kind].live:
            self._notices.say("info", BUSY)
        else:
            self._tabs[kind].take_list(text)
