"""What is asked about verdicts of the history: a note and tags, a joke to pick, and a file to export to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDialog, QListWidget, QListWidgetItem, QWidget

from ...core.errors import HistoryError
from ...engine.base import CancelToken
from ...history.export import SUFFIXES, Format, export
from ...history.query import HistoryEntry, HistoryQuery, HistoryRow, tidy_tags
from ...history.store import HistoryStore
from ..judge_worker import JobStart
from ..look import wording
from ..look.theme import font, px
from ..widgets.cards import Card
from ..widgets.dialog import Dialog, ask_file
from ..widgets.fields import LineField, SearchField, TextEditor
from ..widgets.labels import Chip, Flow
from ..widgets.layout import VBox, single_shot
from ..widgets.text import Caption, Label, Paragraph
from .view import jokes_of


def split_tags(text: str) -> tuple[str, ...]:
    """Return the tags of a line with commas."""
    return tidy_tags(text.split(","))


class NoteDialog(Dialog):
    """A dialog for a verdict's note and tags. ``note`` and ``tags`` hold the typed values when the dialog is accepted:
    by Save, by Enter in the line of tags, or by Ctrl+Enter anywhere."""

    def __init__(self, note: str, tags: tuple[str, ...], parent: QWidget | None = None) -> None:
        super().__init__("Note", parent, (440, 340), gap=10)
        self.editor = TextEditor("What to remember about this verdict", "Note", lines=5)
        self.editor.setPlainText(note)
        self.tags_field = LineField("Tags, separated by commas", "Tags, separated by commas")
        self.tags_field.setText(", ".join(tags))
        self.tags_field.returnPressed.connect(self.accept)
        self.body.add((self.editor, 1), Label("Tags"), self.tags_field)
        self.save_button = self.add_foot("Save", cancel=True)
        self.editor.setFocus()

    @property
    def note(self) -> str:
        return self.editor.toPlainText()

    @property
    def tags(self) -> tuple[str, ...]:
        return split_tags(self.tags_field.text())


class NoteCard(Card):
    """The note and tags of the open verdict; hidden while there are none."""

    def __init__(self) -> None:
        super().__init__("Note")
        self.text = Paragraph("")
        self.tags = Flow()
        self.add(self.text, self.tags)
        self.hide()

    def show_row(self, row: HistoryRow | None) -> None:
        note, tags = (row.note.strip(), row.tags) if row is not None else ("", ())
        self.text.show_text(note)
        self.tags.set_items([Chip(tag) for tag in tags])
        self.tags.setVisible(bool(tags))
        self.setVisible(bool(note or tags))


class JokePicker(QDialog):
    """A searchable list of judged jokes as a popup. ``picked`` carries the whole text; Escape or a click beside it
    closes it."""

    picked = Signal(str)

    def __init__(self, store: HistoryStore, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self._store = store
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAccessibleName("Pick a joke from the history")
        self.search = SearchField()
        self.list = QListWidget()
        self.list.setAccessibleName("Jokes in the history")
        self.list.setFont(font(13, 400))
        self.list.setUniformItemSizes(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.note = Caption("")
        VBox(self.search, (self.list, 1), self.note, parent=self, gap=8, margins=(12, 12, 12, 12))
        self.resize(px(380), px(320))
        pause = single_shot(self, self.fill, 120)
        self.search.textChanged.connect(lambda _text: pause.start())
        self.search.returnPressed.connect(lambda: self._pick(self.list.currentItem()))
        self.list.itemClicked.connect(self._pick)
        self.list.itemActivated.connect(self._pick)
        self.fill()
        self.search.setFocus()

    def fill(self) -> None:
        """List the newest jokes that match the search, each once."""
        self.list.clear()
        note = "No joke found."
        try:
            rows = self._store.search(HistoryQuery(text=self.search.text(), limit=50))
        except HistoryError as error:
            rows, note = [], error.sentence
        for text in dict.fromkeys(text for row in rows for text in jokes_of(row) if text):
            item = QListWidgetItem(wording.one_line(text))
            item.setData(Qt.ItemDataRole.UserRole, text)
            self.list.addItem(item)
        self.list.setCurrentRow(0)
        self.note.setText("" if self.list.count() else note)
        self.note.setVisible(not self.list.count())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()), 0)
        if step:  # the search field doesn't need these keys
            self.list.setCurrentRow(max(0, min(self.list.count() - 1, self.list.currentRow() + step)))
        else:
            super().keyPressEvent(event)

    def _pick(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            text = item.data(Qt.ItemDataRole.UserRole)
            self.close()
            self.picked.emit(text)


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
    return path, next((form for form, suffix in SUFFIXES.items() if path.suffix.lower() == suffix), "markdown")


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
