"""The page to enter a list of jokes, with the jokes found in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Literal

from PySide6.QtCore import QMimeData, Signal
from PySide6.QtWidgets import QWidget

from ...batch.lists import FORM_WORDS, JokeList, list_text, read_list
from ...core.errors import ErrorInfo, InputError
from ...core.tables import read_whole
from ..judge_worker import JudgeWorker
from ..look import wording
from ..look.theme import Room
from ..verdict.cards import ContextField, RunButtons
from ..widgets.cards import Banner, Card, StateCard
from ..widgets.controls import LinkButton
from ..widgets.dialog import ask_open
from ..widgets.fields import TextEditor
from ..widgets.layout import HBox, VBox, single_shot
from ..widgets.text import Paragraph

FILES = "Lists (*.txt *.md *.csv *.tsv *.json *.jsonl *.ndjson);;All files (*)"
WHAT = "Paste jokes, one a line or with blank lines between"
_SHOWN = 3
"""Number of found jokes that are shown."""
_LINE = re.compile(r"^Line (\d+) ")
_MOST_WRONG = 20
"""Greatest number of unreadable lines in a list."""
_REST_MS = 120
_Form = Literal["lines", "blocks"] | None
_FORMS: tuple[_Form, ...] = (None, "lines", "blocks")


def local_file(data: QMimeData) -> str | None:
    """Return the path of the single local file in ``data``, or None."""
    paths = [url.toLocalFile() for url in data.urls() if url.isLocalFile()]
    return paths[0] if len(paths) == 1 and Path(paths[0]).is_file() else None


def list_file(data: QMimeData) -> str | None:
    """Return the path of the single local file in ``data`` that isn't a model, or None."""
    path = local_file(data)
    return None if path is None or path.lower().endswith(".gguf") else path


class ListPage(QWidget):
    """The page. ``edited``: the list or the topic changed; ``read``: the jokes found have changed; ``failed`` carries
    an error. The tab connects ``back_link``, and ``adding``, whose button starts a new list instead of adding to
    one."""

    edited = Signal()
    read = Signal()
    failed = Signal(object)

    def __init__(
        self, context: ContextField, buttons: RunButtons, worker: JudgeWorker, examples: Sequence[str]
    ) -> None:
        super().__init__()
        self._worker = worker
        self._opening: str | None = None
        self._opened_with: tuple[str, tuple[str, ...]] = ("", ())
        self.context, self.buttons = context, buttons
        self._examples = examples
        self.list: JokeList | None = None
        self.title = ""
        self._form: _Form = None
        self._last_read: tuple[str, _Form] | None = None
        self.open_link = LinkButton("Choose a file", act=self.choose_file)
        self.example_link = LinkButton("Try an example", act=lambda: self.set_text("\n".join(self._examples)))
        links = QWidget()
        HBox(self.example_link, self.open_link, parent=links, gap=16)
        self.example_link.setVisible(bool(examples))
        self.card = Card("Your list", "", links)
        self.card.title_last = True
        self.editor = TextEditor(WHAT, "Your list", 10)
        self.editor.textChanged.connect(self._on_text)
        self.editor.take_other(local_file)
        self.editor.other_given.connect(self.open_file)
        self.adding = Banner("info", "", "Start a new list")
        self.adding.hide()
        self.back_link = LinkButton("Back to the list")
        run = QWidget()
        HBox(context.link, self.back_link, (buttons, 1), parent=run, gap=16)
        self.form_link = LinkButton("Read it another way", act=self.read_another_way)
        self.sentence, self.first = Paragraph("", 14), Paragraph("", 13, gap=4)
        self.reading = QWidget()
        VBox(HBox((self.sentence, 1), self.form_link, gap=12), self.first, parent=self.reading, gap=6)
        self.card.add(self.editor, context, run, self.reading)
        self.problem, self.failed_card = StateCard("warning"), StateCard("error", primary=True)
        self.failed_card.hide()
        rows = (self.adding, self.card, self.failed_card, self.problem, 1)
        VBox(*rows, parent=self, gap=14, margins=(0, 0, 0, 14))
        self._rest = single_shot(self, self.read_now, _REST_MS)
        self.read_now()

    def set_room(self, room: Room) -> None:
        """Fit the editor to the window's room."""
        self.editor.set_lines({"wide": 12, "medium": 9, "narrow": 4}[room])

    def show_adding(self, name: str | None) -> None:
        """Show the name of the list to which these jokes are added; None: to none."""
        self.adding.setVisible(name is not None)
        title = f"These jokes are added to {name}."
        self.adding.set_message("What was read already isn't read again.", title, "Start a new list")

    def show_missing(self, error: ErrorInfo | None) -> None:
        """Show why there is no model; None: there is one."""
        self.failed_card.setVisible(error is not None)
        if error is not None:
            text = f"{error.hint} Your list and your history are safe.".strip()
            self.failed_card.set_message(error.sentence, text, "Open model library")

    # The list

    def text(self) -> str:
        return self.editor.toPlainText()

    def set_text(self, text: str, title: str = "") -> None:
        """Replace the list, which Ctrl+Z undoes. ``title``: its name."""
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
        """Open the list in a file, which the worker reads."""
        if self.editor.isReadOnly():
            return
        self._opening = path
        self._worker.call("list", partial(_opened, path), partial(self._on_opened, path), self.failed.emit)

    def _on_opened(self, path: str, file: tuple[str, str, tuple[str, ...]]) -> None:
        if path == self._opening and not self.editor.isReadOnly():
            text, title, notes = file
            self._opened_with = (text, notes)
            self.set_text(text, title)
            self.editor.setFocus()

    def read_another_way(self) -> None:
        """Switch to the next form that gives other jokes: one per line, one per block, or detected."""
        before = self._texts()
        ways = [*_FORMS[_FORMS.index(self._form) + 1 :], *_FORMS[: _FORMS.index(self._form) + 1]]
        for self._form in ways:
            self.read_now()
            if self._texts() != before:
                return

    def _texts(self) -> list[str]:
        return [item.text for item in self.list.items] if self.list is not None else []

    def _on_text(self) -> None:
        if self.editor.document().isEmpty():
            self._form, self.title = None, ""
        self._rest.start()
        self.edited.emit()

    def read_now(self) -> None:
        """Read the list, unless it was read already."""
        self._rest.stop()
        text, wrong = self.text(), list[str]()
        if (text, self._form) == self._last_read:
            return
        self._last_read, self.list = (text, self._form), None
        self.problem.hide()
        try:
            if text.strip():
                self.list, wrong = what_can_be_read(text, self._form)
        except InputError as error:
            self.problem.set_message(error.sentence, error.hint)
            self.problem.show()
        self.reading.setVisible(self.list is not None)
        if self.list is not None:
            self._show_list(self.list, wrong)
        self.read.emit()

    def _show_list(self, jokes: JokeList, wrong: Sequence[str]) -> None:
        self.sentence.set_content([(f"{jokes.sentence}.", "strong"), (f" Read as {FORM_WORDS[jokes.form]}.", "normal")])
        lines = [f"{number}. {wording.one_line(item.text)}" for number, item in enumerate(jokes.jokes[:_SHOWN], 1)]
        more = [f"and {len(jokes.jokes) - len(lines):,} more"] if len(jokes.jokes) > len(lines) else []
        bad = [item for item in jokes.items if item.problem is not None and not item.empty]
        out = [f"Line {item.line} is left out: {item.problem.sentence}" for item in bad if item.problem is not None]
        opened, of_file = self._opened_with
        notes = dict.fromkeys((*(of_file if opened == self.text() else ()), *jokes.notes))
        self.first.set_content("\n".join([*lines, *more, *notes, *[*wrong, *out][:_SHOWN]]))
        self.form_link.setVisible(jokes.form not in ("csv", "json"))

    def name(self) -> str:
        """Return the name of the list: its file's name, or the line before it."""
        if self.title or self.list is None or not self.list.left_out:
            return self.title
        return self.list.left_out[0].strip().rstrip(":.").strip("# ")


def what_can_be_read(text: str, form: _Form) -> tuple[JokeList, list[str]]:
    """Return the list in a text without unreadable lines, and the error of each of those. Raises ``InputError`` for
    errors that don't concern single lines, or more than ``_MOST_WRONG``."""
    wrong: list[str] = []
    while True:
        try:
            return read_list(text, form=form), wrong
        except InputError as fault:
            place = _LINE.search(fault.sentence)
            lines = text.split("\n")
            at = int(place.group(1)) - 1 if place is not None else len(lines)
            if len(wrong) >= _MOST_WRONG or at >= len(lines) or not lines[at].strip() or len(lines) < 3:
                raise
            wrong.append(f"{fault.sentence.rstrip('.')}; the rest is read.")
            lines[at] = ""
            text = "\n".join(lines)


def _opened(path: str) -> tuple[str, str, tuple[str, ...]]:
    """Return a file's list as text for the editor, its title, and its notes. Raises ``JokeJudgeError``."""
    text, notes = read_whole(path)
    jokes = read_list(text, Path(path).name, notes=notes)
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    # A table recognised only by its file's name is rewritten in a form that its text alone shows.
    return plain if _same(plain, jokes) else list_text(jokes.items), Path(path).stem, jokes.notes


def _same(text: str, jokes: JokeList) -> bool:
    """Whether a text gives this list without its file's name."""
    try:
        return read_list(text).items == jokes.items
    except InputError:
        return False
