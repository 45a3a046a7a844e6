"""Tables whose rows have an id, and may be put into another order by dragging."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, Protocol, TypeVar

from PySide6.QtCore import (
    QAbstractTableModel,
    QItemSelectionModel,
    QMimeData,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
)

from ..look.theme import font, px, theme
from .base import Themed
from .layout import ThinBar

Index = QModelIndex | QPersistentModelIndex
ROW = 34


class Named(Protocol):
    """What a row shows."""

    @property
    def id(self) -> str: ...


E = TypeVar("E", bound=Named)


class RowModel(QAbstractTableModel, Generic[E]):
    """Rows. ``moved`` carries the id of a row that was dragged and the row before which it was dropped."""

    moved = Signal(str, int)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[E] = []
        self._dragged = ""

    def entry(self, row: int) -> E | None:
        """Return what a row shows, None where there is no such row."""
        return self._rows[row] if 0 <= row < len(self._rows) else None

    def row_of(self, id: str) -> int:
        """Return the row with this id, −1 where there is none."""
        return next((row for row, entry in enumerate(self._rows) if entry.id == id), -1)

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def supportedDropActions(self) -> Qt.DropAction:
        return Qt.DropAction.MoveAction

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        self._dragged = self._rows[indexes[0].row()].id
        return super().mimeData(indexes)

    def dropMimeData(self, data: QMimeData, action: Qt.DropAction, row: int, column: int, parent: Index) -> bool:
        if self._dragged:
            self.moved.emit(self._dragged, row if row >= 0 else len(self._rows))
        return False  # whoever has the rows has moved it


M = TypeVar("M", bound=RowModel[Any])


class RowDelegate(QStyledItemDelegate):
    """Gives rows their height."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(px(40), px(ROW))


class RowTable(Themed, QTreeView, Generic[M]):
    """A table of a ``RowModel``, whose column ``wide`` takes the rest of the width. ``selected`` carries the id of the
    row that the user selected, ``menu_asked`` a global position."""

    selected = Signal(str)
    menu_asked = Signal(QPoint)
    NAVIGATION = (
        Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown, Qt.Key.Key_Home, Qt.Key.Key_End,
    )  # fmt: skip

    def __init__(self, rows: M, name: str, wide: int) -> None:
        super().__init__()
        self.rows = rows
        self._quiet, self._wide = False, wide
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setRootIsDecorated(False)
        self.setItemsExpandable(False)
        self.setIndentation(0)
        self.setUniformRowHeights(True)
        self.setMouseTracking(True)
        self.setTabKeyNavigation(False)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBar(ThinBar())
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.viewport().setAutoFillBackground(False)
        self.setProperty("ring", False)
        self.setItemDelegate(RowDelegate(self))
        self.setModel(rows)
        header = self.header()
        header.setHighlightSections(False)
        header.setMinimumSectionSize(1)
        header.setStretchLastSection(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(wide, QHeaderView.ResizeMode.Stretch)
        self.selectionModel().currentRowChanged.connect(self._on_current)
        self.customContextMenuRequested.connect(lambda at: self.menu_asked.emit(self.viewport().mapToGlobal(at)))
        self.follow_theme()

    def restyle(self) -> None:
        self.header().setFixedHeight(px(36))
        self.header().setFont(font(12))
        # The card's corners are round.
        self.header().setStyleSheet(
            "QHeaderView, QHeaderView::section { background: transparent; }"
            f"QHeaderView::section {{ padding: 0 0 0 {px(3)}px; }}"
        )
        self.setMinimumHeight(px(36 + 4 * ROW))
        self.scheduleDelayedItemsLayout()
        self.share_width()
        super().restyle()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.share_width()

    def share_width(self) -> None:
        """Set the columns' widths."""
        raise NotImplementedError

    def go_to(self, id: str) -> None:
        """Select a row without emitting the signal, and scroll it to the sixth visible row where possible."""
        self._quiet = True
        row = self.rows.row_of(id)
        if row >= 0:
            flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
            self.selectionModel().setCurrentIndex(self.rows.index(row, self._wide), flags)
            self.executeDelayedItemsLayout()
            self.verticalScrollBar().setValue((row - 5) * px(ROW))
        else:
            self.clearSelection()
        self._quiet = False

    def _on_current(self, index: QModelIndex) -> None:
        entry = self.rows.entry(index.row())
        if entry is not None and not self._quiet:
            self.selected.emit(entry.id)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in self.NAVIGATION and not event.modifiers() & Qt.KeyboardModifier.AltModifier:
            super().keyPressEvent(event)
        else:
            event.ignore()  # a key of the page

    def keyboardSearch(self, search: str) -> None:
        """Do nothing: letters are commands here."""

    def drawRow(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().drawRow(painter, option, index)
        rect, accent = QRectF(option.rect), theme().colour("accent")  # type: ignore[attr-defined]
        if self.hasFocus() and index.row() == self.currentIndex().row() and self.selectionModel().hasSelection():
            painter.fillRect(QRectF(0, rect.top(), px(3), rect.height()), accent)
