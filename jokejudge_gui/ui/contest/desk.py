"""What is done with the entries of a ranking: kept, binned, starred, opened elsewhere, compared, exported."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from ...judging.contest.types import Mark, RankedEntry
from .exporting import export_job
from .keeper import Keeper
from .ranking_page import RankingPage
from .state import ContestState


class Desk(QObject):
    """Does what the ranking's keys, menu and buttons ask for with the entries of ``state``. ``elsewhere_asked``: a
    verdict of another kind is wanted, by its name and the fields of its request; ``compare_asked`` carries a text that
    is to be compared with another; ``to_export`` a job that writes a file; ``said`` a sentence."""

    elsewhere_asked = Signal(str, object)
    compare_asked = Signal(str)
    to_export = Signal(object)
    said = Signal(str)

    def __init__(self, ranking: RankingPage, keeper: Keeper, parent: QWidget) -> None:
        super().__init__(parent)
        self.state = ContestState()
        self._ranking, self._keeper, self._window = ranking, keeper, parent
        view = ranking.view
        view.marked.connect(self._mark)
        view.starred.connect(self._star)
        view.open_asked.connect(self._open_as_rating)
        view.duel_asked.connect(self._duel)
        for asked in (view.export_asked, ranking.export_asked):
            asked.connect(lambda: self.export(kept_only=True))

    def _mark(self, mark: Mark | None) -> None:
        for entry in self._ranking.view.chosen():
            self.state.said[entry.id] = (mark, self.state.said_of(entry.id)[1])
        self._said()

    def _star(self) -> None:
        chosen = self._ranking.view.chosen()
        on = not all(self.state.said_of(entry.id)[1] for entry in chosen)
        for entry in chosen:
            self.state.said[entry.id] = (self.state.said_of(entry.id)[0], on)
        self._said()

    def _said(self) -> None:
        """The user has said something of the selected entries."""
        state, view = self.state, self._ranking.view
        for entry in view.chosen():
            if state.said_of(entry.id) == (None, False):
                state.said.pop(entry.id, None)
        for index in view.selectionModel().selectedRows():
            self._ranking.model.mark_changed(index.row())
        self._ranking.show_kept(state)
        if not state.live:
            self._keeper.touch(state)

    def _open_as_rating(self, entry: RankedEntry) -> None:
        self.elsewhere_asked.emit("rate", {"text": entry.text, "context": self.state.context})

    def _duel(self, entries: Sequence[RankedEntry]) -> None:
        if len(entries) == 1:
            self.compare_asked.emit(entries[0].text)
        else:
            texts = {"text_a": entries[0].text, "text_b": entries[1].text}
            self.elsewhere_asked.emit("duel", {**texts, "context": self.state.context})

    def export(self, *, kept_only: bool) -> None:
        """Ask for a file and write the ranking to it, or what is kept of it."""
        result = self.state.marked()
        if result is None or not self.state.usable:
            return
        if kept_only and not self.state.kept:
            self.said.emit("Nothing is kept yet. Press K on the jokes that you want to keep.")
            return
        job = export_job(self._window.window(), result, kept_only=kept_only)
        if job is not None:
            self.to_export.emit(job)
