"""The votes in the settings: how many there are, and what can be done with them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from ...engine.base import CancelToken
from ...errors import JokeJudgeError
from ...events import Failed
from ...history.votes import Vote, Votes, export_votes
from ..frame.judge_worker import JobEvent, JobStart, JudgeWorker
from ..look import wording
from ..look.theme import px, theme
from ..widgets.controls import LinkButton
from ..widgets.saving import ask_file
from ..widgets.text import Paragraph
from .vote_card import unbroken

FILTERS = {"CSV table (*.csv)": ".csv", "JSON lines (*.jsonl)": ".jsonl"}


class VotesStrip(QWidget):
    """``words`` says how far the votes have come; ``on_change`` is called when they were deleted or brought back."""

    def __init__(
        self, votes: Votes, worker: JudgeWorker, words: Callable[[], str], on_change: Callable[[], None]
    ) -> None:
        super().__init__()
        self._votes, self._worker, self._words, self._on_change = votes, worker, words, on_change
        self._gone: tuple[Vote, ...] = ()
        self.text = Paragraph("", 13, token="text3")
        self.export_link = LinkButton("Export votes…")
        self.delete_link = LinkButton("Delete all votes")
        self.undo_link = LinkButton("Undo")
        self.undo_link.setAccessibleName("Bring the deleted votes back")
        self.export_link.clicked.connect(self._export)
        self.delete_link.clicked.connect(self._delete)
        self.undo_link.clicked.connect(self._undo)
        self._outer = QVBoxLayout(self)
        self._outer.setContentsMargins(0, 0, 0, 0)
        self._outer.addWidget(self.text)
        self._links = QHBoxLayout()
        for link in (self.export_link, self.delete_link, self.undo_link):
            self._links.addWidget(link, 0, Qt.AlignmentFlag.AlignLeft)
        self._links.addStretch(1)
        self._outer.addLayout(self._links)
        self.show_votes()
        self._scale()
        theme().changed.connect(self._scale)

    def _scale(self) -> None:
        self._outer.setSpacing(px(2))
        self._links.setSpacing(px(12))

    def show_votes(self, said: str = "") -> None:
        """Show what there is; ``said``: what was just done, instead."""
        try:
            some = self._votes.count() > 0
            text = said or self._words()
        except JokeJudgeError as error:
            some, text = False, f"{error.sentence} {error.hint}"
        self.text.set_content(unbroken(text))
        for link in (self.export_link, self.delete_link):
            link.setVisible(some)
        self.undo_link.setVisible(bool(self._gone))

    def _export(self) -> None:
        path = ask_file(self, "Export votes", "votes.csv", FILTERS)
        if path is not None:
            self._worker.submit("export votes", export_job(self._votes, path), self._on_event)

    def _on_event(self, item: JobEvent) -> None:
        if isinstance(item.event, VotesExported):
            self.show_votes(f"Exported {wording.count_of(item.event.count, 'vote')} to {item.event.path}.")
        elif isinstance(item.event, Failed):
            self.show_votes(f"{item.event.error.sentence} {item.event.error.hint}")

    def _delete(self) -> None:
        """For good when the dialog closes; until then it can be undone."""
        said = ""
        try:
            self._gone = self._votes.delete_all()
            said = f"Deleted {wording.count_of(len(self._gone), 'vote')}."
        except JokeJudgeError as error:
            said = f"{error.sentence} {error.hint}"
        self._changed(said, self.undo_link)

    def _undo(self) -> None:
        said = ""
        try:
            self._votes.restore(self._gone)
            self._gone = ()
        except JokeJudgeError as error:
            said = f"{error.sentence} {error.hint}"
        self._changed(said, self.delete_link)

    def _changed(self, said: str, link: LinkButton) -> None:
        self._on_change()
        self.show_votes(said)
        # The link that was pressed is gone; the keyboard stays near.
        if link.isVisible():
            link.setFocus()


class VotesExported:
    """How many votes went where."""

    def __init__(self, count: int, path: Path) -> None:
        self.count = count
        self.path = path


def export_job(votes: Votes, path: Path) -> JobStart:
    """A job that writes all votes."""

    def start(_token: CancelToken) -> Iterator[object]:
        yield VotesExported(export_votes(votes.find(), path, replace=True), path)

    return start
