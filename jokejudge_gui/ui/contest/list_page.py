"""Where a list of jokes comes in, and what was found in it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from PySide6.QtCore import QMimeData, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from ...config import Settings
from ...errors import InputError, JokeJudgeError, of_the_system, restore
from ...events import Failed
from ...runs.list_text import list_text
from ...runs.lists import FORM_WORDS, JokeList, ListItem, read_list
from ...tables import read_whole
from ...verdicts import ErrorInfo
from ..frame.judge_worker import Job, JobEvent, JudgeWorker
from ..frame.room import Room
from ..look.theme import px, theme
from ..verdict.context_field import ContextField
from ..verdict.joke_card import RunButtons
from ..verdict.state_card import StateCard
from ..widgets.cards import Banner, Card
from ..widgets.controls import LinkButton
from ..widgets.fields import TextEditor
from ..widgets.saving import ask_open
from ..widgets.text import Caption, Paragraph
from .effort import EffortChoices
from .list_view import ListModel, ListView

FILES = "Lists (*.txt *.md *.csv *.tsv *.json *.jsonl *.ndjson);;All files (*)"
WHAT = (
    "Paste or drop a list: one joke on each line, a numbered list, jokes with blank lines between them, a table or "
    "JSON lines. What was found is shown before anything starts."
)
_REST_MS = 120
_SMALL = 1 << 16
"""Bytes of a file that is read at once; larger ones are read by the worker, so that the window goes on."""
_Form = Literal["lines", "blocks"] | None
_FORMS: tuple[_Form, ...] = (None, "lines", "blocks")


class ListEditor(TextEditor):
    """``file_given`` carries the path of a file that was dropped or pasted."""

    file_given = Signal(str)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return local_file(source) is not None or super().canInsertFromMimeData(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        path = local_file(source)
        if path is not None:
            self.file_given.emit(path)
        else:
            super().insertFromMimeData(source)


def local_file(data: QMimeData) -> str | None:
    """The path of the one file of this machine that is being given."""
    paths = [url.toLocalFile() for url in data.urls() if url.isLocalFile()]
    return paths[0] if len(paths) == 1 and Path(paths[0]).is_file() else None


def list_file(data: QMimeData) -> str | None:
    """The path of the one file that is being given, unless it is a model."""
    path = local_file(data)
    return None if path is None or path.lower().endswith(".gguf") else path


class ListPage(QWidget):
    """``edited``: the list or the topic changed; ``read``: what was found has changed; ``back_asked``: the ranking is
    wanted; ``fresh_asked``: jokes aren't to be added to a ranking after all. ``failed`` carries an error."""

    edited = Signal()
    read = Signal()
    back_asked = Signal()
    fresh_asked = Signal()
    failed = Signal(object)

    def __init__(
        self,
        context: ContextField,
        buttons: RunButtons,
        settings: Settings,
        worker: JudgeWorker,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._worker = worker
        self._opening: Job | None = None
        self.context, self.buttons = context, buttons
        self.found: JokeList | None = None
        self.title = ""
        self._form: _Form = None
        self.open_link = LinkButton("Open a file…")
        self.open_link.clicked.connect(self.choose_file)
        self.card = Card("Your list", "", self.open_link)
        self.editor = ListEditor("Type, paste or drop a list of jokes", "Your list", 7)
        self.editor.textChanged.connect(self._on_text)
        self.editor.file_given.connect(self.open_file)
        self.adding = Banner("info", "", "Start a new list")
        self.adding.acted.connect(self.fresh_asked)
        self.adding.hide()
        self.back_link = LinkButton("Back to the ranking")
        self.back_link.clicked.connect(self.back_asked)
        self.effort = EffortChoices(settings)
        self._run = QWidget()
        self._run_row = QHBoxLayout(self._run)
        self._run_row.setContentsMargins(0, 0, 0, 0)
        self._run_row.addWidget(context.link)
        self._run_row.addWidget(self.back_link)
        self._run_row.addWidget(buttons, 1)
        for widget in (self.editor, context, self.effort, self._run):
            self.card.add(widget)

        self.model = ListModel(self)
        self.model.edited.connect(self._edit)
        self.view = ListView(self.model)
        self.view.taken_out.connect(self._take_out)
        self.form_link = LinkButton("Read it another way")
        self.form_link.clicked.connect(self.read_another_way)
        self.reading = Card("What was found", "", self.form_link)
        self.reading.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        self.sentence = Paragraph("", 14)
        self.keys = Caption("Enter edits a joke, Delete takes it out.")
        self.reading.add(self.sentence)
        self.reading.add(self.view, 1)
        self.reading.add(self.keys)
        self.problem = StateCard("warning")
        self.welcome = StateCard("none", "Which of these are the funny ones?", WHAT, "Open a file…")
        self.welcome.acted.connect(self.choose_file)
        self.failed_card = StateCard("error", primary=True)
        self.failed_card.hide()

        self._layout = QVBoxLayout(self)
        self._layout.addWidget(self.adding)
        self._layout.addWidget(self.card)
        for card in (self.failed_card, self.problem, self.welcome):
            self._layout.addWidget(card)
        self._layout.addWidget(self.reading, 1)
        self._layout.addStretch(0)
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(_REST_MS)
        self._rest.timeout.connect(self.read_now)
        self._lay_out()
        theme().changed.connect(self._lay_out)
        self.read_now()

    def _lay_out(self) -> None:
        self._layout.setContentsMargins(0, 0, 0, px(14))
        self._layout.setSpacing(px(14))
        self._run_row.setSpacing(px(16))

    def set_room(self, room: Room) -> None:
        """How much room the window has."""
        self.editor.set_lines(4 if room == "narrow" else 7)

    def show_adding(self, name: str | None) -> None:
        """Say to which ranking these jokes are added; None: to none."""
        self.adding.setVisible(name is not None)
        if name is not None:
            self.adding.set_message(
                "What was read already isn't read again.", f"These jokes are added to {name}.", "Start a new list"
            )

    def show_missing(self, error: ErrorInfo | None) -> None:
        """Say why there is no model; None: there is one."""
        self.failed_card.setVisible(error is not None)
        if error is not None:
            text = f"{error.hint} Your list and your history are safe.".strip()
            self.failed_card.set_message(error.sentence, text, "Open model library")

    # The list

    def text(self) -> str:
        return self.editor.toPlainText()

    def set_text(self, text: str, title: str = "") -> None:
        """Put a list in the place of what stands there; Ctrl+Z brings that back. ``title``: what it is called."""
        if text != self.text():
            self.editor.replace_all(text)
        self.title = title
        self.read_now()

    def choose_file(self) -> None:
        """Let the user choose a file with a list."""
        path = ask_open(self, "Open a list of jokes", FILES)
        if path:
            self.open_file(path)

    def open_file(self, path: str) -> None:
        """Take over the list in a file."""
        if self.editor.isReadOnly():
            return
        self._opening = None
        try:
            if Path(path).stat().st_size > _SMALL:
                self._opening = self._worker.submit("list", lambda _token: iter((_opened(path),)), self._on_opened)
                return
            text = _opened(path)
        except JokeJudgeError as error:
            self.failed.emit(error)
        except OSError as error:
            self.failed.emit(of_the_system(error))
        else:
            self._take_file(text)

    def _on_opened(self, item: JobEvent) -> None:
        if item.job is not self._opening:
            return
        if isinstance(item.event, _FileText):
            self._take_file(item.event)
        elif isinstance(item.event, Failed):
            self.failed.emit(restore(item.event.error))

    def _take_file(self, file: _FileText) -> None:
        if not self.editor.isReadOnly():
            self.set_text(file.text, file.title)
            self.editor.setFocus()

    def read_another_way(self) -> None:
        """Read each line, or each block between blank lines, as a joke; or again as it looks."""
        before = [item.text for item in self.model.items]
        ways = [*_FORMS[_FORMS.index(self._form) + 1 :], *_FORMS[: _FORMS.index(self._form) + 1]]
        for self._form in ways:
            self.read_now()
            if [item.text for item in self.model.items] != before:
                return

    def _on_text(self) -> None:
        if self.editor.document().isEmpty():
            self._form, self.title = None, ""
        self._rest.start()
        self.edited.emit()

    def read_now(self) -> None:
        """Read the list, if that wasn't done yet."""
        self._rest.stop()
        text, error = self.text(), None
        try:
            self.found = read_list(text, form=self._form) if text.strip() else None
        except InputError as fault:
            self.found, error = None, fault
        if error is not None:
            self.problem.set_message(error.sentence, error.hint)
        self.problem.setVisible(error is not None)
        self.model.set_items(self.found.items if self.found is not None else ())
        self.view.share_width()
        if self.found is not None:
            self.sentence.set_content([(f"{self.found.sentence}.", "strong")])
            self.reading.set_caption(f"read as {FORM_WORDS[self.found.form]}")
        self.form_link.setVisible(self.found is not None and self.found.form not in ("csv", "json", "texts"))
        self.read.emit()

    def name(self) -> str:
        """What the list is called: its file's name, or the line that stands before it."""
        if self.title or self.found is None or not self.found.left_out:
            return self.title
        return self.found.left_out[0].strip().rstrip(":.").strip("# ")

    # Editing what was found

    def _edit(self, row: int, text: str) -> None:
        items = list(self.model.items)
        items[row] = items[row].replaced(text=text)
        self._write(items, row)

    def _take_out(self, rows: list[int]) -> None:
        self._write([item for row, item in enumerate(self.model.items) if row not in rows], rows[0])

    def _write(self, items: list[ListItem], row: int) -> None:
        """Write the list anew with what was changed in it."""
        title = self.name()
        # What is empty stays out: there is no line that says so.
        text = list_text([item for item in items if item.text.strip()])
        self._form = None
        QTimer.singleShot(0, lambda: self._take_over(text, title, row))

    def _take_over(self, text: str, title: str, row: int) -> None:
        self.set_text(text, title)
        index = self.model.index(min(row, self.model.rowCount() - 1), 0)
        if index.isValid():
            self.view.setCurrentIndex(index)
        self.view.setFocus()


@dataclass(frozen=True)
class _FileText:
    """A file's list as it stands in the editor."""

    text: str
    title: str


def _opened(path: str) -> _FileText:
    """Raises ``JokeJudgeError``."""
    text = read_whole(path)
    found = read_list(text, Path(path).name)
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    # A table that only its file's name told is written as what its text alone tells.
    return _FileText(plain if _same(plain, found) else list_text(found.items), Path(path).stem)


def _same(text: str, found: JokeList) -> bool:
    """Whether a text is read as this list without its file's name."""
    try:
        return read_list(text).items == found.items
    except InputError:
        return False
