"""Dialogs and popups on verdicts of the history: note and tags, a joke picker, and the export."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QWidget,
)

from ...core.errors import HistoryError
from ...engine.base import CancelToken
from ...history.export import SUFFIXES, Format, export
from ...history.query import HistoryEntry, HistoryQuery, HistoryRow
from ...history.store import HistoryStore
from ..judge_worker import JobStart
from ..look import wording
from ..look.theme import font, px
from ..widgets.cards import Card
from ..widgets.dialog import Dialog, ask_file
from ..widgets.fields import LineField, SearchField, TextEditor
from ..widgets.labels import Chip, Flow
from ..widgets.layout import VBox, single_shot
from ..widgets.text import Caption, Paragraph
from .view import jokes_of


def split_tags(text: str) -> tuple[str, ...]:
    """Return the tags of a line with commas; blanks are trimmed, repetitions dropped whatever their case."""
    tags: dict[str, str] = {}
    for piece in text.split(","):
        tag = " ".join(piece.split())
        if tag:
            tags.setdefault(tag.casefold(), tag)
    return tuple(tags.values())


class NoteDialog(Dialog):
    """A dialog for a verdict's note and tags. ``note`` and ``tags`` hold the typed values when the dialog is accepted:
    by Save, by Enter in the line of tags, or by Ctrl+Enter anywhere."""

    def __init__(self, note: str, tags: tuple[str, ...], parent: QWidget | None = None) -> None:
        super().__init__("Note", parent, (440, 340), gap=10)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)  # it can be shown again
        self.editor = TextEditor("What to remember about this verdict", "Note")
        self.editor.setPlainText(note)
        self.editor.setMinimumHeight(px(120))
        self.tags_field = LineField("Tags, separated by commas", "Tags, separated by commas")
        self.tags_field.setText(", ".join(tags))
        self.tags_field.returnPressed.connect(self.accept)
        caption = QLabel("Tags")
        caption.setTextFormat(Qt.TextFormat.PlainText)
        caption.setBuddy(self.tags_field)
        self.body.add((self.editor, 1), caption, self.tags_field)
        self.save_button = self.add_foot("Save", cancel=True)
        self.editor.setFocus()

    @property
    def note(self) -> str:
        return self.editor.toPlainText()

    @property
    def tags(self) -> tuple[str, ...]:
        return split_tags(self.tags_field.text())


# The note and tags of the open verdict.


class NoteCard(Card):
    """The card of note and tags; hidden while there are none."""

    def __init__(self) -> None:
        super().__init__("Note")
        self.text = Paragraph("")
        self.tags = Flow()
        self.add(self.text, self.tags)
        self.hide()

    def show_row(self, row: HistoryRow | None) -> None:
        note = row.note.strip() if row is not None else ""
        tags = row.tags if row is not None else ()
        self.text.show_text(note)
        self.tags.set_items([Chip(tag) for tag in tags])
        self.tags.setVisible(bool(tags))
        self.setVisible(bool(note or tags))


# A small searchable list of judged jokes, to pick one for a duel.

_MOST = 50
_DEBOUNCE_MS = 120


class JokePicker(QDialog):
    """A popup below a link: ``picked`` carries the whole text. Escape or a click beside it closes it."""

    picked = Signal(str)

    def __init__(self, store: HistoryStore, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self._store = store
        self.setObjectName("popup")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAccessibleName("Pick a joke from the history")
        self.search = SearchField()
        self.list = QListWidget()
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setAccessibleName("Jokes in the history")
        self.list.setFont(font(13, 400))
        self.list.setUniformItemSizes(True)
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.note = Caption("")
        VBox(self.search, (self.list, 1), self.note, parent=self, gap=8, margins=(12, 12, 12, 12))
        self.resize(px(380), px(320))
        self._timer = single_shot(self, self.fill, _DEBOUNCE_MS)
        self.search.textChanged.connect(lambda _text: self._timer.start())
        self.search.returnPressed.connect(lambda: self._pick(self.list.currentItem()))
        self.list.itemClicked.connect(self._pick)
        self.list.itemActivated.connect(self._pick)
        self.fill()
        self.search.setFocus()

    def fill(self) -> None:
        """List the newest jokes that match the search, each once."""
        self.list.clear()
        try:
            rows = self._store.search(HistoryQuery(text=self.search.text(), limit=_MOST))
        except HistoryError as error:
            self.note.setText(error.sentence)
            self.note.show()
            return
        seen: set[str] = set()
        for row in rows:
            for text in jokes_of(row):
                if text and text not in seen:
                    seen.add(text)
                    item = QListWidgetItem(wording.one_line(text))
                    item.setData(Qt.ItemDataRole.UserRole, text)
                    self.list.addItem(item)
        self.list.setCurrentRow(0)
        self.note.setText("" if seen else "No joke found.")
        self.note.setVisible(not seen)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()), 0)
        if step:  # the search field doesn't need these keys
            self.list.setCurrentRow(max(0, min(self.list.count() - 1, self.list.currentRow() + step)))
        else:
            super().keyPressEvent(event)

    def _pick(self, item: QListWidgetItem | None) -> None:
        if item is None:
            return
        text = item.data(Qt.ItemDataRole.UserRole)
        self.close()
        self.picked.emit(text)


# Asks for a file and exports verdicts to it in a worker's thread.

FILTERS: dict[str, Format] = {
    "Markdown (*.md)": "markdown",
    "CSV table (*.csv)": "csv",
    "JSON lines (*.jsonl)": "jsonl",
    "Web page (*.html)": "html",
}


def ask_target(parent: QWidget) -> tuple[Path, Format] | None:
    """Let the user choose a file and a format; None if the dialog was closed."""
    endings = {words: SUFFIXES[form] for words, form in FILTERS.items()}
    path = ask_file(parent, "Export verdicts", "jokejudge.md", endings)
    if path is None:
        return None
    return path, next(form for form, suffix in SUFFIXES.items() if path.suffix.lower() == suffix)


@dataclass(frozen=True)
class Exported:
    """The last event but one of an export: the number of verdicts (or ``what``), the path, and those that couldn't be
    read."""

    count: int
    path: Path
    left_out: tuple[str, ...] = ()
    what: str = "verdict"


def export_job(
    store: HistoryStore, ids: Sequence[str], query: HistoryQuery | None, form: Format, path: Path
) -> JobStart:
    """Return a job that exports the verdicts ``ids``, or all results of ``query``."""

    left_out: list[str] = []

    def entries(token: CancelToken) -> Iterator[HistoryEntry]:
        for entry in store.entries(query, left_out.append) if query is not None else store.chosen(ids, left_out.append):
            token.check()
            yield entry

    def start(token: CancelToken) -> Iterator[object]:
        count = export(entries(token), form, path, store.kinds, replace=True)
        yield Exported(count, path, tuple(left_out))

    return start
