"""The jokes of a list as a table: places that can't be told apart, the audience's lean, mark, first words, device."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Any

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
from PySide6.QtGui import QKeyEvent, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
)

from ...judge.contest.desk import Desk, lean
from ...judge.contest.record import RankedEntry
from ...judge.contest.words import left_out
from ..look import wording
from ..look.theme import font, px, theme
from ..widgets.base import CENTRE, LEFT, RIGHT, Themed, plain_tooltip
from ..widgets.layout import ThinBar

Index = QModelIndex | QPersistentModelIndex
_ROW, _EDGE = 34, 14
_WIDE_MARK = 130
_LEAST_JOKE = 120
"""Least width of the column of jokes, in pixels at 100 %; below it device, lean and place give way, in this order."""
_ICONS = {"keep": "check", "bin": "cross", "later": "history"}
_ORDER = {"keep": 0, "later": 1, None: 2, "bin": 3}


class Column(IntEnum):
    PLACE = 0
    LEAN = 1
    MARK = 2
    JOKE = 3
    DEVICE = 4


_NAMES = ("Place", "Lean", "Mark", "Joke", "Device")
_WIDTHS = {Column.PLACE: 72, Column.LEAN: 40, Column.MARK: 40, Column.DEVICE: 100}
"""Widths in pixels at 100 %; the jokes have the rest."""
_TIPS = {
    Column.PLACE: "The places that the joke may have",
    Column.LEAN: "How far the audience leans: empty to the lower half of people's votes, full to the upper half",
}


class DeskModel(QAbstractTableModel):
    """The jokes of the part that a ``Desk`` shows, in the order of a column. Of twins, the one that stays is a row.
    ``moved`` carries the id of a kept joke and the row before which it was dropped."""

    moved = Signal(str, int)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.desk = Desk()
        self.words = ""
        self.placed = True
        """Whether places are shown; without them their column is the table's left margin."""
        self._part = self.desk.part
        self._rows: list[RankedEntry] = []
        self._dragged = ""
        self._by = (Column.PLACE, Qt.SortOrder.AscendingOrder)

    def show(self, desk: Desk, words: str = "") -> None:
        """Show the part of a desk, or only those of its jokes that contain all of ``words``."""
        self.desk, self.words, self._part = desk, words, desk.part
        self._lay_out()

    def _lay_out(self) -> None:
        """Sort the rows. If the rows and their order are unchanged, the selection is kept."""
        rows = list(self.desk.rows(self._part))
        if wanted := self.words.casefold().split():
            rows = [entry for entry in rows if all(word in entry.text.casefold() for word in wanted)]
        column, order = self._by
        match column:
            case Column.LEAN:
                rows.sort(key=lambda entry: -(lean(entry) if lean(entry) is not None else 2))  # type: ignore[operator]
            case Column.MARK:
                rows.sort(key=lambda entry: _ORDER[self.desk.notes[entry.id].mark])
            case Column.JOKE:
                rows.sort(key=lambda entry: entry.text.casefold())
            case Column.DEVICE:
                rows.sort(key=lambda entry: (not self._device(entry), self._device(entry)))
        if order is Qt.SortOrder.DescendingOrder:
            rows.reverse()
        if [entry.id for entry in rows] == [entry.id for entry in self._rows]:
            self._rows = rows
            self.changed()
            return
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

    def changed(self, id: str = "") -> None:
        """Redraw a joke whose note has changed, without moving it; empty: all."""
        row = self.row_of(id) if id else -1
        if self._rows:
            last = len(self._rows) - 1 if row < 0 else row
            self.dataChanged.emit(self.index(max(row, 0), 0), self.index(last, Column.DEVICE))

    def entry(self, row: int) -> RankedEntry | None:
        """Return the joke in a row, None where there is no such row."""
        return self._rows[row] if 0 <= row < len(self._rows) else None

    def row_of(self, id: str) -> int:
        """Return the row of a joke, −1 where it isn't in the table."""
        return next((row for row, entry in enumerate(self._rows) if entry.id == id), -1)

    @property
    def worded(self) -> bool:
        """Whether the column of marks shows why jokes are left out."""
        return self._part == "out"

    @property
    def has_devices(self) -> bool:
        """Whether a device is known of any joke that is shown."""
        return any(map(self._device, self._rows))

    @property
    def in_order(self) -> bool:
        """Whether the rows are in the order of the list, best first, or of the kept jokes."""
        return self._by == (Column.PLACE, Qt.SortOrder.AscendingOrder) and not self.desk.blind

    # Qt's interface

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(Column)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = int(Qt.ItemDataRole.DisplayRole)
    ) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tooltip(_TIPS[Column(section)]) if section in _TIPS else None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if section == Column.PLACE else CENTRE if section == Column.LEAN else LEFT
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        if section == Column.PLACE and not self.placed:
            return ""
        name = "Why" if section == Column.MARK and self.worded else _NAMES[section]
        column, order = self._by
        if column != section or self._by == (Column.PLACE, Qt.SortOrder.AscendingOrder):
            return name
        return f"{name} {'↑' if order is Qt.SortOrder.AscendingOrder else '↓'}"

    def data(self, index: Index, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        entry, column = self.entry(index.row()), Column(index.column())
        if entry is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._text(index.row(), entry, column)
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tooltip("\n".join(filter(None, (entry.text, self._sentence(entry)))))
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{wording.one_line(entry.text)} {self._sentence(entry)}".strip()
            case Qt.ItemDataRole.ForegroundRole:
                aside = not self.desk.stays(entry.id) and self._part != "out"
                if aside or self.desk.notes[entry.id].mark == "bin":
                    return theme().colour("text3")
                return theme().colour("text" if column is Column.JOKE else "text2")
            case Qt.ItemDataRole.FontRole:
                return font(14) if column is Column.JOKE else font(13, tabular=column is Column.PLACE)
            case Qt.ItemDataRole.TextAlignmentRole:
                if column is Column.PLACE:
                    return RIGHT
                return CENTRE if column is Column.MARK and not self.worded else LEFT
        return None

    def _text(self, row: int, entry: RankedEntry, column: Column) -> str:
        match column:
            case Column.PLACE if not self.placed:
                return ""
            case Column.PLACE:
                return f"{row + 1:,}" if self._part == "kept" and self.in_order else self.desk.place_of(entry)
            case Column.MARK if self.worded:
                return left_out(entry)
            case Column.MARK if self._part == "twins":
                return "" if self.desk.notes[entry.id].mark else str(len(self.desk.twins_of(entry.id)) + 1)
            case Column.JOKE:
                return wording.one_line(entry.text, 300)
            case Column.DEVICE:
                return self._device(entry)
        return ""

    @staticmethod
    def _device(entry: RankedEntry) -> str:
        return entry.reading.device if entry.reading is not None else ""

    def _sentence(self, entry: RankedEntry) -> str:
        """Return a sentence about a joke, empty where there is nothing to report."""
        parts = self.desk.remarks(entry.id)
        return wording.sentence_case("; ".join(parts)) + "." if parts else ""

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self._by = (Column(column), order)
        self._lay_out()
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, Column.DEVICE)

    # Dragging, among the kept jokes

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        if self._part == "kept" and self.in_order and not self.words:
            flags |= Qt.ItemFlag.ItemIsDragEnabled if index.isValid() else Qt.ItemFlag.ItemIsDropEnabled
        return flags

    def supportedDropActions(self) -> Qt.DropAction:
        return Qt.DropAction.MoveAction

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        self._dragged = self._rows[indexes[0].row()].id
        return super().mimeData(indexes)

    def dropMimeData(self, data: QMimeData, action: Qt.DropAction, row: int, column: int, parent: Index) -> bool:
        if self._dragged:
            self.moved.emit(self._dragged, row if row >= 0 else len(self._rows))
        return False  # the desk has moved it


class DeskDelegate(QStyledItemDelegate):
    """Paints the lean as a disc in five steps, and a mark as an icon; the style does the rest."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(px(40), px(_ROW))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        model = index.model()
        entry = model.entry(index.row()) if isinstance(model, DeskModel) else None
        if entry is None or not isinstance(model, DeskModel):
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        spot = QRectF(0, 0, px(16), px(16))
        spot.moveCenter(QRectF(option.rect).center())  # type: ignore[attr-defined]
        mark, tokens = model.desk.notes[entry.id].mark, theme().tokens
        if index.column() == Column.LEAN and (step := lean(entry)) is not None and not model.desk.blind:
            paint_lean(painter, spot.adjusted(px(2), px(2), -px(2), -px(2)), step)
        elif index.column() == Column.MARK and mark is not None and not model.worded:
            theme().paint_icon(painter, _ICONS[mark], spot, tokens.text if mark == "keep" else tokens.text2)
        painter.restore()


def paint_lean(painter: QPainter, rect: QRectF, step: int) -> None:
    """Paint a ring that is filled by as many quarters as ``step`` says."""
    colour = theme().colour("accent" if step > 2 else "text3")
    painter.setPen(QPen(colour, px(1.4)))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawEllipse(rect)
    painter.setBrush(colour)
    painter.drawPie(rect, 90 * 16, -step * 90 * 16)


class DeskTable(Themed, QTreeView):
    """The table. ``selected`` carries the id of the joke that the user selected, ``menu_asked`` a global position."""

    selected = Signal(str)
    menu_asked = Signal(QPoint)
    NAVIGATION = (
        Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown, Qt.Key.Key_Home, Qt.Key.Key_End,
    )  # fmt: skip

    def __init__(self, rows: DeskModel) -> None:
        super().__init__()
        self.rows = rows
        self._quiet = False
        self.cut_row: int | None = None
        """The row above which the cut goes through the table, while it is moved."""
        self.setAccessibleName("Jokes")
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
        self.setItemDelegate(DeskDelegate(self))
        self.setModel(rows)
        self.setSortingEnabled(True)
        self.sortByColumn(Column.PLACE, Qt.SortOrder.AscendingOrder)
        header = self.header()
        header.setSortIndicatorShown(False)  # the names have an arrow, in the theme's colour
        header.setHighlightSections(False)
        header.setMinimumSectionSize(1)
        header.setStretchLastSection(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(Column.JOKE, QHeaderView.ResizeMode.Stretch)
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
        self.setMinimumHeight(px(36 + 4 * _ROW))
        self.scheduleDelayedItemsLayout()
        self.share_width()
        super().restyle()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.share_width()

    def share_width(self) -> None:
        """Set the columns' widths; that of the jokes is the rest."""
        widths = {**_WIDTHS, **({Column.MARK: _WIDE_MARK} if self.rows.worded else {})}
        hidden = {Column.PLACE, Column.LEAN} if self.rows.desk.blind else set()
        hidden |= {Column.PLACE, Column.LEAN, Column.DEVICE} if self.rows.worded else set()
        hidden |= set() if self.rows.has_devices else {Column.DEVICE}
        for column, spare in ((Column.DEVICE, 100), (Column.LEAN, 0), (Column.PLACE, 0)):
            wide = sum(width for one, width in widths.items() if one not in hidden)
            if self.viewport().width() < px(wide + _LEAST_JOKE + spare):
                hidden.add(column)
        self.rows.placed = Column.PLACE not in hidden
        for column, width in widths.items():
            self.setColumnHidden(column, column in hidden - {Column.PLACE})
            self.setColumnWidth(column, px(_EDGE if column in hidden else width))

    def show_cut(self, row: int | None) -> None:
        """Show a line above a row and scroll to it; None: no line."""
        if row != self.cut_row:
            self.cut_row = row
            if row is not None and self.rows.rowCount():
                self.scrollTo(self.rows.index(min(row, self.rows.rowCount() - 1), Column.JOKE))
            self.viewport().update()

    def go_to(self, id: str) -> None:
        """Select a joke without emitting the signal, and scroll it to the sixth visible row where possible."""
        self._quiet = True
        row = self.rows.row_of(id)
        if row >= 0:
            flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
            self.selectionModel().setCurrentIndex(self.rows.index(row, Column.JOKE), flags)
            self.executeDelayedItemsLayout()
            self.verticalScrollBar().setValue((row - 5) * px(_ROW))
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
            event.ignore()  # a key of the desk

    def keyboardSearch(self, search: str) -> None:
        """Do nothing: letters are commands here."""

    def drawRow(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().drawRow(painter, option, index)
        rect, accent = QRectF(option.rect), theme().colour("accent")  # type: ignore[attr-defined]
        if self.hasFocus() and index.row() == self.currentIndex().row() and self.selectionModel().hasSelection():
            painter.fillRect(QRectF(0, rect.top(), px(3), rect.height()), accent)
        if self.cut_row is not None and index.row() in (self.cut_row, self.cut_row - 1):
            y = rect.top() if index.row() == self.cut_row else rect.bottom() - px(1)
            painter.fillRect(QRectF(0, y, self.viewport().width(), px(1)), accent)
