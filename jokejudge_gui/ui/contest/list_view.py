"""A list of jokes as it was understood, before anything is ranked; each joke can be edited or taken out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QAbstractTableModel, QEvent, QObject, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import QAbstractItemView, QMenu, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from ...runs.lists import ListItem
from ..look import wording
from ..look.theme import font, px, theme
from ..widgets.base import CENTRE, LEFT, plain_tooltip, write
from ..widgets.fields import TextEditor
from .row_tree import Index, RowTree

ROW_HEIGHT = 36
_NUMBER, _JOKE, _REMARK = range(3)
_EDITOR_LINES = 3


class ListModel(QAbstractTableModel):
    """``edited``: the text of an item was changed."""

    edited = Signal(int, str)

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

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._items)

    def columnCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else 3

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = int(Qt.ItemDataRole.DisplayRole)
    ) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return ("", "Joke", "")[section]
        return None

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


class ListDelegate(QStyledItemDelegate):
    """Paints the cells of a list, and edits a joke in place: Enter takes the change, Shift+Enter begins a new line."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(px(40), px(ROW_HEIGHT))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        painter.save()
        tokens = theme().tokens
        rect: QRect = option.rect  # type: ignore[attr-defined]
        room = QRectF(rect).adjusted(px(4), 0, -px(4), -1)
        left_out = bool(index.siblingAtColumn(_REMARK).data())
        face, colour, align = font(14), tokens.text3 if left_out else tokens.text, LEFT
        if index.column() == _NUMBER:
            face, colour, align = font(13, tabular=True), tokens.text3, CENTRE
        elif index.column() == _REMARK:
            face, colour = font(13), tokens.mid_text
        shown = QFontMetrics(face).elidedText(str(index.data()), Qt.TextElideMode.ElideRight, int(room.width()))
        write(painter, room, shown, face, colour, align)
        painter.restore()

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
