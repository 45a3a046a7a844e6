"""The list view of the history, as a full list or as a rail of badges."""

from __future__ import annotations

from PySide6.QtCore import QItemSelection, QItemSelectionModel, QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListView, QWidget

from ...history.query import HistoryRow
from ..look.theme import theme
from .delegate import HistoryDelegate
from .model import HistoryModel, RowRole


class HistoryView(QListView):
    """Rows of a ``HistoryModel``. ``opened`` and ``star_toggled`` carry a row, ``delete_asked`` a list of rows,
    ``menu_asked`` the rows and a global position."""

    opened = Signal(object)
    star_toggled = Signal(object)
    delete_asked = Signal(object)
    menu_asked = Signal(object, QPoint)

    def __init__(self, model: HistoryModel, rail: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("history")
        self.setAccessibleName("History of verdicts")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSelectionMode(
            QAbstractItemView.SelectionMode.SingleSelection
            if rail
            else QAbstractItemView.SelectionMode.ExtendedSelection
        )
        if rail:
            self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setLayoutMode(QListView.LayoutMode.Batched)
        self.setMouseTracking(True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._on_menu)
        delegate = HistoryDelegate(rail, self)
        self._delegate = delegate
        self.setItemDelegate(delegate)
        self.setModel(model)
        self.clicked.connect(self._on_clicked)
        theme().changed.connect(self.scheduleDelayedItemsLayout)

    def selected_rows(self) -> list[HistoryRow]:
        """The selected verdicts, top to bottom."""
        indexes = sorted(self.selectionModel().selectedIndexes(), key=lambda i: i.row())
        return [row for i in indexes if isinstance(row := i.data(RowRole), HistoryRow)]

    def selected_ids(self) -> list[str]:
        """Ids of the selected verdicts."""
        return [row.id for row in self.selected_rows()]

    def select_all_of(self, indexes: list[QModelIndex]) -> None:
        """Select these rows and no others."""
        chosen = QItemSelection()
        for index in indexes:
            chosen.select(index, index)
        self.selectionModel().select(chosen, QItemSelectionModel.SelectionFlag.ClearAndSelect)

    def select(self, index: QModelIndex) -> None:
        """Select one row without opening it."""
        if index.isValid():
            self.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        else:
            self.clearSelection()

    def _on_clicked(self, index: QModelIndex) -> None:
        row = index.data(RowRole)
        if isinstance(row, HistoryRow) and len(self.selected_rows()) <= 1:
            self.opened.emit(row)

    def _on_menu(self, point: QPoint) -> None:
        if rows := self.selected_rows():
            self.menu_asked.emit(rows, self.viewport().mapToGlobal(point))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        if index.isValid() and self._delegate.on_star(self.visualRect(index), event.position().toPoint()):
            # A press on the star acts on the star alone: neither selection nor the open verdict change.
            event.accept()
            return
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        if (
            event.button() == Qt.MouseButton.LeftButton
            and index.isValid()
            and self._delegate.on_star(self.visualRect(index), event.position().toPoint())
        ):
            self.star_toggled.emit(index.data(RowRole))
            event.accept()
            return
        super().mouseReleaseEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        rows = self.selected_rows()
        current = self.currentIndex().data(RowRole)
        key = event.key()
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and isinstance(current, HistoryRow):
            self.opened.emit(current)
        elif (
            key == Qt.Key.Key_S
            and event.modifiers() == Qt.KeyboardModifier.NoModifier
            and isinstance(current, HistoryRow)
        ):
            self.star_toggled.emit(current)
        elif key == Qt.Key.Key_Delete and rows:
            self.delete_asked.emit(rows)
        elif key == Qt.Key.Key_Menu and rows:
            self.menu_asked.emit(rows, self.viewport().mapToGlobal(self.visualRect(self.currentIndex()).center()))
        else:
            super().keyPressEvent(event)
            return
        event.accept()
