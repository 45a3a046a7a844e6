"""The page to enter a list of jokes, and the sheet that shows what was found in it and how it is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QMimeData, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from ...batch.lists import FORM_WORDS, SEPARATORS, Choices, JokeList, read_list
from ...core.errors import ErrorInfo, InputError, JokeJudgeError
from ...core.tables import read_whole
from ..judge_worker import JudgeWorker
from ..look import wording
from ..look.theme import Room
from ..verdict.cards import ContextField, RunButtons
from ..widgets.base import plain_tooltip
from ..widgets.cards import Banner, Card
from ..widgets.controls import ChoiceButton, FilterChip, LinkButton
from ..widgets.fields import TextEditor
from ..widgets.keyboard import add_action, with_keys
from ..widgets.layout import Flow, HBox, VBox, single_shot
from ..widgets.text import Paragraph

_FILES = "Lists (*.txt *.md *.csv *.tsv *.json *.jsonl *.ndjson);;All files (*)"
_SHOWN, _REASONS = 3, 30
"""Number of found jokes that are shown, and of lines left out."""
_REST_MS = 120
_WAYS: dict[str | None, str] = {
    None: "Separator: as it looks",
    "lines": "Each line is a joke",
    "blocks": "Blank lines between jokes",
    **{name: f"Table with {mark}" for name, mark in (*SEPARATORS.items(), ("tab", "tabs"))},
}


def _local_file(data: QMimeData) -> str | None:
    """Return the path of the single local file in ``data``, or None."""
    paths = [url.toLocalFile() for url in data.urls() if url.isLocalFile()]
    return paths[0] if len(paths) == 1 and Path(paths[0]).is_file() else None


class ImportSheet(QWidget):
    """How a list is read, and what was found in it. ``changed``: another choice was made."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.choices = Choices()
        self._columns: tuple[str, ...] = ()
        self.separator, self.column = ChoiceButton("Separator"), ChoiceButton("Column")
        self.separator.chosen.connect(lambda at: self._choose(separator=list(_WAYS)[at], text_column=None))
        self.column.chosen.connect(lambda at: self._choose(text_column=self._columns[at]))
        self.strip, self.unescape = FilterChip("Strip numbers, bullets, quotes"), FilterChip("Unescape HTML")
        self.strip.setToolTip("Also leaves out what a model writes around its jokes: “Sure! Here are 200 jokes”")
        self.unescape.setToolTip(plain_tooltip("Shows &quot;, <br> and wrong characters as a browser does"))
        self.strip.toggled.connect(lambda on: self._choose(strip=on))
        self.unescape.toggled.connect(lambda on: self._choose(unescape=on))
        self.sentence, self.first, self.out = Paragraph("", 14), Paragraph("", 13, gap=4), Paragraph("", 13, gap=4)
        ways = Flow(gap=8)
        ways.add(self.separator, self.column, self.strip, self.unescape)
        VBox(ways, self.sentence, self.first, self.out, parent=self, gap=8)
        self.reset()

    def reset(self) -> None:
        """Return to the usual choices."""
        self.choices = Choices()
        self.strip.setChecked(True)
        self.unescape.setChecked(False)

    def _choose(self, **changes: object) -> None:
        before, self.choices = self.choices, replace(self.choices, **changes)  # type: ignore[arg-type]
        if self.choices != before:
            self.changed.emit()

    def show_list(self, jokes: JokeList | None, notes: Sequence[str] = ()) -> None:
        """Show a list with notes on its file; None: it can't be read as it was chosen."""
        self._columns = jokes.columns if jokes is not None else ()
        self.separator.set_options([*_WAYS.values()], [*_WAYS].index(self.choices.separator))
        at = self._columns.index(jokes.column) if jokes is not None and jokes.column in self._columns else -1
        self.column.set_options([f"Jokes: {wording.one_line(column, 24)}" for column in self._columns], at)
        self.column.setVisible(len(self._columns) > 1)
        self.sentence.setVisible(jokes is not None)
        self.first.setVisible(jokes is not None)
        if jokes is not None:
            form = f" Taken as {FORM_WORDS[jokes.form]}."
            self.sentence.set_content([(f"{jokes.sentence}.", "strong"), (form, "normal")])
            lines = [f"{number}. {wording.one_line(item.text)}" for number, item in enumerate(jokes.jokes[:_SHOWN], 1)]
            more = [f"and {len(jokes.jokes) - len(lines):,} more"] if len(jokes.jokes) > len(lines) else []
            self.first.set_content("\n".join([*lines, *more, *dict.fromkeys((*notes, *jokes.notes))]))
        reasons = jokes.reasons() if jokes is not None else []
        more = [f"and {len(reasons) - _REASONS:,} more"] if len(reasons) > _REASONS else []
        self.out.show_text("\n".join([*reasons[:_REASONS], *more]))


class ListPage(QWidget):
    """The page. ``edited``: the list or the topic changed; ``read``: the jokes found have changed. The tab connects
    the links, and ``adding``, whose button starts a new list instead of adding to one."""

    edited = Signal()
    read = Signal()

    def __init__(
        self, context: ContextField, buttons: RunButtons, worker: JudgeWorker, examples: Sequence[str]
    ) -> None:
        super().__init__()
        self._worker = worker
        self._opening: str | None = None
        self.list: JokeList | None = None
        self._file, self._notes = "", tuple[str, ...]()
        """The name of the file that the list is from, and what is to be said of it."""
        self._last_read: tuple[str, str, Choices] | None = None
        self.open_link = LinkButton("Choose a file", act=self.choose_file)
        self.open_link.setToolTip(with_keys(add_action(self, "Open a list from a file", "Ctrl+O", self.choose_file)))
        self.example_link = LinkButton("Try an example", act=lambda: self.set_text("\n".join(examples)))
        links, run = QWidget(), QWidget()
        HBox(self.example_link, self.open_link, parent=links, gap=16)
        self.example_link.setVisible(bool(examples))
        self.card = Card("Your list", links)
        self.card.title_last = True
        self.editor = TextEditor("Paste jokes, one a line or with blank lines between", "Your list", 10)
        self.editor.textChanged.connect(self._on_text)
        self.editor.take_other(_local_file)
        self.editor.other_given.connect(self.open_file)
        self.adding = Banner("info", "", "Start a new list")
        self.adding.hide()
        self.back_link = LinkButton("Back to the list")
        self.set_link = LinkButton("Make a set of it")
        self.set_link.setToolTip("Put these bits into an order for the stage")
        HBox(context.link, self.set_link, self.back_link, (buttons, 1), parent=run, gap=16)
        self.sheet = ImportSheet()
        self.sheet.changed.connect(self.read_now)
        self.problem, self.failed_card = Banner("warning"), Banner("error", primary=True)
        self.failed_card.hide()
        self.card.add(self.editor, context, run, self.sheet)
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
        self.adding.set_message("What was judged already isn't judged again.", title, "Start a new list")

    def show_missing(self, error: ErrorInfo | None) -> None:
        """Show why there is no model; None: there is one."""
        self.failed_card.setVisible(error is not None)
        if error is not None:
            self.failed_card.set_message(error.hint, error.sentence, "Open model library")

    # The list

    def text(self) -> str:
        return self.editor.toPlainText()

    def set_text(self, text: str, file: str = "", notes: tuple[str, ...] = ()) -> None:
        """Replace the list, which Ctrl+Z undoes. ``file``: the name of the file that it is from, with ``notes``."""
        self._file, self._notes = file, notes
        self.sheet.reset()
        if text != self.text():
            self.editor.replace_all(text)
        self.read_now()

    def choose_file(self) -> None:
        """Let the user choose a file with a list."""
        if path := QFileDialog.getOpenFileName(self, "Open a list of jokes", "", _FILES)[0]:
            self.open_file(path)

    def open_file(self, path: str) -> None:
        """Open the list in a file, which the worker reads."""
        if not self.editor.isReadOnly():
            self._opening = path
            self._worker.call("list", partial(read_whole, path), partial(self._on_opened, path), self._show_problem)

    def _on_opened(self, path: str, file: tuple[str, tuple[str, ...]]) -> None:
        if path == self._opening and not self.editor.isReadOnly():
            text, notes = file
            self.set_text(text.replace("\r\n", "\n").replace("\r", "\n"), Path(path).name, notes)
            self.editor.setFocus()

    def _show_problem(self, error: JokeJudgeError) -> None:
        self.problem.set_message("" if "--" in error.hint else error.hint, error.sentence)
        self.problem.show()

    def _on_text(self) -> None:
        if self.editor.document().isEmpty():
            self._file, self._notes = "", ()
            self.sheet.reset()
        self._rest.start()
        self.edited.emit()

    def read_now(self) -> None:
        """Read the list, unless it was read already."""
        self._rest.stop()
        text, now = self.text(), (self.text(), self._file, self.sheet.choices)
        if now == self._last_read:
            return
        self._last_read, self.list = now, None
        self.problem.hide()
        try:
            if text.strip():
                self.list = read_list(text, self._file, self.sheet.choices)
        except InputError as error:
            self._show_problem(error)
        self.sheet.setVisible(bool(text.strip()))
        self.sheet.show_list(self.list, self._notes)
        self.read.emit()

    def name(self) -> str:
        """Return the name of the list: its file's name, or the line before it."""
        return Path(self._file).stem if self._file else self.list.title if self.list is not None else ""
