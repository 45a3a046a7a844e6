"""Where a list of jokes comes in, and what was found in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QMimeData,
    QObject,
    QRect,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QFont, QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QMenu,
    QSizePolicy,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from ...batch.lists import FORM_WORDS, JokeList, ListItem, list_text, read_list
from ...core.config import Settings
from ...core.errors import ErrorInfo, InputError, JokeJudgeError, of_the_system
from ...core.tables import read_whole
from ..judge_worker import JudgeWorker
from ..look import wording
from ..look.theme import Room, font, px, theme
from ..verdict.cards import ContextField, RunButtons
from ..widgets.base import CENTRE, LEFT, plain_tooltip
from ..widgets.cards import Banner, Card, StateCard
from ..widgets.controls import ChoiceButton, LinkButton
from ..widgets.dialog import ask_open
from ..widgets.fields import TextEditor
from ..widgets.layout import HBox, VBox, single_shot
from ..widgets.text import Caption, Paragraph
from .ranking_model import CellDelegate, Index, RowsModel, RowTree

# A list of jokes as it was understood, before anything is ranked; each joke can be edited or taken out.

_NUMBER, _JOKE, _REMARK = range(3)
_EDITOR_LINES = 3


class ListModel(RowsModel):
    """``edited``: the text of an item was changed."""

    edited = Signal(int, str)
    heads = ("", "Joke", "")

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._items: tuple[ListItem, ...] = ()
        self.editable = True

    def set_items(self, items: Sequence[ListItem]) -> None:
        if tuple(items) != self._items:
            self.beginResetModel()
            self._items = tuple(items)
            self.endResetModel()

    @property
    def items(self) -> tuple[ListItem, ...]:
        return self._items

    def rows(self) -> tuple[ListItem, ...]:
        return self._items

    def flags(self, index: Index) -> Qt.ItemFlag:
        found = super().flags(index)
        return found | Qt.ItemFlag.ItemIsEditable if index.column() == _JOKE and self.editable else found

    def data(self, index: Index, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        if not 0 <= index.row() < len(self._items):
            return None
        item = self._items[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return (item.id, wording.one_line(item.text, 300), remark(item))[index.column()]
        if role == Qt.ItemDataRole.EditRole:
            return item.text
        if role == Qt.ItemDataRole.ToolTipRole and index.column() != _NUMBER:
            return plain_tooltip("\n".join(filter(None, (item.text, remark(item)))))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ", ".join(filter(None, (wording.one_line(item.text) or "nothing", remark(item))))
        return None

    def setData(self, index: Index, value: Any, role: int = int(Qt.ItemDataRole.EditRole)) -> bool:
        if role != Qt.ItemDataRole.EditRole or str(value) == self._items[index.row()].text:
            return False
        self.edited.emit(index.row(), str(value))
        return True


def remark(item: ListItem) -> str:
    """What is to be said of an item; empty for a joke like any other."""
    if item.empty:
        return "empty"
    if item.problem is not None:
        return item.problem.sentence
    return f"the same as {item.same_as}" if item.same_as is not None else ""


class ListDelegate(CellDelegate):
    """Paints the cells of a list, and edits a joke in place: Enter takes the change, Shift+Enter begins a new line."""

    def style(self, index: Index) -> tuple[QFont, str, Qt.AlignmentFlag]:
        tokens = theme().tokens
        if index.column() == _NUMBER:
            return font(13, tabular=True), tokens.text3, CENTRE
        if index.column() == _REMARK:
            return font(13), tokens.mid_text, LEFT
        left_out = bool(index.siblingAtColumn(_REMARK).data())
        return font(14), tokens.text3 if left_out else tokens.text, LEFT

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        return TextEditor("", "Joke", _EDITOR_LINES, parent)

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        assert isinstance(editor, TextEditor)
        editor.setPlainText(str(index.data(Qt.ItemDataRole.EditRole)))
        editor.selectAll()

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        assert isinstance(editor, TextEditor)
        model.setData(index, editor.toPlainText(), int(Qt.ItemDataRole.EditRole))

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: Index) -> None:
        cell: QRect = option.rect  # type: ignore[attr-defined]
        port = editor.parentWidget()
        height = editor.sizeHint().height()
        lowest = (port.height() if port is not None else cell.bottom()) - height
        editor.setGeometry(cell.x(), max(0, min(cell.y() - px(6), lowest)), cell.width(), height)

    def eventFilter(self, editor: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and isinstance(editor, TextEditor):
            enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            if event.type() == QEvent.Type.KeyPress and enter and not event.modifiers():
                self.commitData.emit(editor)
                self.closeEditor.emit(editor, QStyledItemDelegate.EndEditHint.NoHint)
                return True
        return super().eventFilter(editor, event)


class ListView(RowTree):
    """Items of a ``ListModel``. ``taken_out`` carries the rows that are to go."""

    taken_out = Signal(object)

    def __init__(self, model: ListModel, parent: QWidget | None = None) -> None:
        super().__init__("Jokes that were found", parent)
        self._list = model
        self.setItemDelegate(ListDelegate(self))
        self.setHeaderHidden(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.DoubleClicked | QAbstractItemView.EditTrigger.EditKeyPressed)
        self.setModel(model)
        self.customContextMenuRequested.connect(self._open_menu)

    def share_width(self) -> None:
        if self.model() is None:
            return
        room = self.viewport().width()
        number, note = px(44), px(150) if any(remark(item) for item in self._list.items) else 2
        for column, width in ((_NUMBER, number), (_JOKE, max(px(120), room - number - note)), (_REMARK, note)):
            self.setColumnWidth(column, width)

    def rows(self) -> list[int]:
        """The selected rows."""
        return sorted(index.row() for index in self.selectionModel().selectedRows())

    def edit_current(self) -> None:
        """Begin to edit the row that has the keyboard."""
        index = self.currentIndex().siblingAtColumn(_JOKE)
        if index.isValid() and self._list.editable:
            self.edit(index)

    def take_out(self) -> None:
        """Ask for the selected rows to be taken out."""
        if self._list.editable and (rows := self.rows()):
            self.taken_out.emit(rows)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.state() == QAbstractItemView.State.EditingState:
            super().keyPressEvent(event)
            return
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_F2) and not event.modifiers():
            self.edit_current()
        elif event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.take_out()
        else:
            super().keyPressEvent(event)
            return
        event.accept()

    def keyboardSearch(self, search: str) -> None:
        """Typing looks for nothing here."""

    def _open_menu(self, point: Any) -> None:
        if self.rows() and self._list.editable:
            menu = QMenu(self)
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            menu.addAction("Edit", self.edit_current)
            menu.addAction("Take out", self.take_out)
            menu.popup(self.viewport().mapToGlobal(point))


# How much work a contest is to be: how many of the best are to be found, and how many duels may be held for that.

TOPS = (1, 3, 5, 10, 20, 50)
ROUNDS: tuple[int | None, ...] = (None, 0, 3, 5, 10)
BUDGETS: tuple[int | None, ...] = (None, 0, 20, 60, 120, 240, 500)
WHAT_ROUNDS = (
    "In a round the model scores the jokes from 1 to 10, several together and in shuffled order: how funny each is, "
    "how well it fits the topic, and how original it is."
)


class EffortChoices(QWidget):
    """Choices that are remembered in ``settings``. ``changed``: one of them was changed."""

    changed = Signal()

    def __init__(self, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self.top = self._choice("contest_top", "How many of the best to find", TOPS, lambda n: f"Best {n}")
        self.duels = self._choice("contest_duels", "Duels", BUDGETS, _duels)
        self.rounds = self._choice("contest_rounds", "Rounds of scoring", ROUNDS, _rounds)
        self.rounds.setToolTip(WHAT_ROUNDS)
        self.buttons = [self.top, self.duels, self.rounds]
        HBox(*self.buttons, 1, parent=self, gap=8)

    def _choice(
        self, field: str, name: str, usual: tuple[int | None, ...], words: Callable[[int | None], str]
    ) -> ChoiceButton:
        """A button for a field of the settings: the ``usual`` values, and the one that is set if it is another."""
        now = getattr(self._settings, field)
        values = sorted({*usual, now}, key=lambda one: -1 if one is None else one)
        button = ChoiceButton(name, fitted=True)
        button.set_options([words(value) for value in values], values.index(now))

        def choose(place: int) -> None:
            setattr(self._settings, field, values[place])
            self.changed.emit()

        button.chosen.connect(choose)
        return button

    def fields(self) -> dict[str, object]:
        """Fields of a contest's request."""
        settings = self._settings
        return {"top": settings.contest_top, "budget": settings.contest_duels, "shuffled": settings.contest_rounds}


def _rounds(count: int | None) -> str:
    if count is None:
        return "Rounds as needed"
    return f"{count} rounds" if count else "No rounds"


def _duels(budget: int | None) -> str:
    if budget is None:
        return "Duels as needed"
    return f"At most {budget} duels" if budget else "No duels"


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
        self._opening: str | None = None
        self.context, self.buttons = context, buttons
        self.found: JokeList | None = None
        self.title = ""
        self._form: _Form = None
        self.open_link = LinkButton("Open a file…", act=self.choose_file)
        self.card = Card("Your list", "", self.open_link)
        self.editor = ListEditor("Type, paste or drop a list of jokes", "Your list", 7)
        self.editor.textChanged.connect(self._on_text)
        self.editor.file_given.connect(self.open_file)
        self.adding = Banner("info", "", "Start a new list")
        self.adding.acted.connect(self.fresh_asked)
        self.adding.hide()
        self.back_link = LinkButton("Back to the ranking", act=self.back_asked)
        self.effort = EffortChoices(settings)
        self._run = QWidget()
        HBox(context.link, self.back_link, (buttons, 1), parent=self._run, gap=16)
        self.card.add(self.editor, context, self.effort, self._run)

        self.model = ListModel(self)
        self.model.edited.connect(self._edit)
        self.view = ListView(self.model)
        self.view.taken_out.connect(self._take_out)
        self.form_link = LinkButton("Read it another way", act=self.read_another_way)
        self.reading = Card("What was found", "", self.form_link)
        self.reading.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        self.sentence = Paragraph("", 14)
        self.keys = Caption("Enter edits a joke, Delete takes it out.")
        self.reading.add(self.sentence, (self.view, 1), self.keys)
        self.problem = StateCard("warning")
        self.welcome = StateCard("none", "Which of these are the funny ones?", WHAT, "Open a file…")
        self.welcome.acted.connect(self.choose_file)
        self.failed_card = StateCard("error", primary=True)
        self.failed_card.hide()

        VBox(
            self.adding,
            self.card,
            self.failed_card,
            self.problem,
            self.welcome,
            (self.reading, 1),
            0,
            parent=self,
            gap=14,
            margins=(0, 0, 0, 14),
        )
        self._rest = single_shot(self, self.read_now, _REST_MS)
        self.read_now()

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
                self._opening = path
                self._worker.call("list", partial(_opened, path), partial(self._on_opened, path), self.failed.emit)
                return
            text = _opened(path)
        except JokeJudgeError as error:
            self.failed.emit(error)
        except OSError as error:
            self.failed.emit(of_the_system(error))
        else:
            self._take_file(text)

    def _on_opened(self, path: str, file: _FileText) -> None:
        if path == self._opening:
            self._take_file(file)

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
