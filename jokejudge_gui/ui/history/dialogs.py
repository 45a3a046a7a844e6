"""What is asked about verdicts of the history: a note and tags, a joke to pick, and a file to export to."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QWidget

from ...history.export import SUFFIXES, Format, export
from ...history.query import PROGRESS, HistoryQuery, HistoryRow, split_title, tidy_tags, with_progress, with_title
from ...history.store import HistoryStore
from ...judge.contest.kind import CONTEST
from ...judge.rating.kind import RATING
from ...judge.set.words import SET
from ..look import wording
from ..look.theme import px
from ..widgets.cards import Card
from ..widgets.controls import Segmented
from ..widgets.dialog import Dialog, ask_file
from ..widgets.fields import LineField, SearchField, TextEditor
from ..widgets.layout import Flow, Grid, VBox
from ..widgets.text import Chip, Label, Paragraph
from .view import HistoryModel, HistoryView, ItemRole


class NoteDialog(Dialog):
    """A dialog for a verdict's title, status, tags and note. ``note`` and ``tags`` hold the typed values when it is
    accepted: by Save, by Enter in a line, or by Ctrl+Enter anywhere. ``about``: the first words of the joke."""

    def __init__(self, note: str, tags: tuple[str, ...], parent: QWidget | None = None, *, about: str = "") -> None:
        super().__init__("Title, tags and note", parent, (520, 0), gap=14, heading=f"“{about}”" if about else "")
        title, text = split_title(note)
        self.title_field = LineField("A name for this joke", "Title", most=80)
        self.title_field.setText(title)
        self.progress = Segmented([("", "None"), *((one, one.capitalize()) for one in PROGRESS)], "Status")
        self.progress.set_current(next((tag.casefold() for tag in tags if tag.casefold() in PROGRESS), ""))
        self.tags_field = LineField("Tags, separated by commas", "Tags, separated by commas")
        self.tags_field.setText(", ".join(tag for tag in tags if tag.casefold() not in PROGRESS))
        self.editor = TextEditor("What to remember about this verdict", "Note", lines=4)
        self.editor.setPlainText(text)
        self.title_field.returnPressed.connect(self.accept)
        self.tags_field.returnPressed.connect(self.accept)
        form = Grid(gaps=(14, 10), wide=1)
        controls = {"Title": self.title_field, "Status": self.progress, "Tags": self.tags_field, "Note": self.editor}
        for row, (name, control) in enumerate(controls.items()):
            top = Qt.AlignmentFlag.AlignTop if name == "Note" else Qt.AlignmentFlag(0)
            form.addWidget(Label(name), row, 0, top)
            form.addWidget(control, row, 1)
        self.body.add(form)
        self.save_button = self.add_foot("Save", cancel=True)
        self.title_field.setFocus()

    @property
    def note(self) -> str:
        return with_title(self.title_field.text(), self.editor.toPlainText())

    @property
    def tags(self) -> tuple[str, ...]:
        return with_progress(tidy_tags(self.tags_field.text().split(",")), self.progress.current())


class NoteCard(Card):
    """The note and tags of the open verdict; hidden while there are none."""

    def __init__(self) -> None:
        super().__init__("Note")
        self.text, self.tags = Paragraph(""), Flow()
        self.add(self.text, self.tags)
        self.hide()

    def show_row(self, row: HistoryRow | None) -> None:
        (title, note), tags = (split_title(row.note), row.tags) if row is not None else (("", ""), ())
        self.title_label.setText(title or "Note")
        self.text.show_text(note.strip())
        self.tags.set_items([Chip(tag) for tag in tags])
        self.tags.setVisible(bool(tags))
        self.setVisible(bool(title or note.strip() or tags))


class JokePicker(QDialog):
    """A searchable list of the rated jokes with all their versions and of the jokes of lists, as a popup. ``picked``
    carries the whole text; Escape or a click beside it closes it."""

    picked = Signal(str)

    def __init__(self, store: HistoryStore, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAccessibleName("Pick a joke from the history")
        self.model, self.empty = HistoryModel(store, self, unfolded=True), Paragraph("No joke found.", 13)
        self.list = HistoryView(self.model)
        self.search = SearchField(rows=self.list)
        self.list.delegate.stars = False
        VBox(self.search, (self.list, 1), self.empty, parent=self, gap=8, margins=(12, 12, 12, 12))
        self.resize(px(420), px(380))
        self.search.textChanged.connect(self._fill)
        self.search.returnPressed.connect(lambda: self._pick(self.list.currentIndex().data(ItemRole)))
        self.list.opened.connect(self._pick)
        self.model.failed.connect(lambda error: self.empty.show_text(error.sentence))
        self._fill()
        self.search.setFocus()

    def _fill(self) -> None:
        self.model.set_query(HistoryQuery(text=self.search.text(), kinds=(RATING.name, CONTEST.name, SET.name)))
        self.empty.setVisible(not self.model.rows())
        self.list.select(self.model.near(0))

    def _pick(self, row: object) -> None:
        if isinstance(row, HistoryRow):
            self.close()
            self.picked.emit(row.text_a)


_FILTERS = {
    "Markdown (*.md)": ".md",
    "CSV table (*.csv)": ".csv",
    "JSON lines (*.jsonl)": ".jsonl",
    "Web page (*.html)": ".html",
}


def ask_export(parent: QWidget) -> Path | None:
    """Let the user choose a file for verdicts, in a format by its ending; None if the dialog was closed."""
    return ask_file(parent, "Export verdicts", "jokejudge.md", _FILTERS)


def export_verdicts(store: HistoryStore, ids: Sequence[str], query: HistoryQuery | None, path: Path) -> str:
    """Write the verdicts ``ids``, or all results of ``query``, to a file, and return what was done, in words."""
    unread: list[str] = []
    entries = store.entries(query, unread.append) if query is not None else store.chosen(ids, unread.append)
    form: Format = next((form for form, suffix in SUFFIXES.items() if path.suffix.lower() == suffix), "markdown")
    count = wording.count_of(export(entries, form, path, store.kinds, replace=True), "verdict")
    return f"Exported {count} to {path}." + (f" {len(unread):,} can't be read." if unread else "")
