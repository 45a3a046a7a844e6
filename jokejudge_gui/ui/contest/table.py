"""The jokes of a list as a table: places that can't be told apart, the audience's lean, mark, first words, device."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QDropEvent, QKeyEvent, QPainter, QPen, QResizeEvent
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
from ..widgets.base import CENTRE, LEFT, RIGHT, Themed, plain_tooltip, text_width
from ..widgets.layout import ThinBar

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole
_ROW, _EDGE = 34, 14
_ROOMY, _SHARE = 470, 0.25
"""Least width of a table with a column of devices, in pixels at 100 %, and least share of its jokes that have one."""
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
"""Widths in pixels at 100 %, that of the devices the greatest; the jokes have the rest."""
_TIPS = {
    Column.PLACE: "The places that the joke may have",
    Column.LEAN: "How far the audience leans: empty to the lower half of people's votes, full to the upper half",
    Column.MARK: "Kept, binned or put off; a number: how many texts of the list are nearly the same",
}
_ALIGNED = {Column.PLACE: RIGHT, Column.LEAN: CENTRE, Column.MARK: CENTRE}
_ASCENDING = Qt.SortOrder.AscendingOrder


def device(entry: RankedEntry) -> str:
    """Return the device of a joke; empty where it isn't known."""
    return entry.reading.device if entry.reading is not None else ""


class DeskModel(QAbstractTableModel):
    """The jokes of the part that a ``Desk`` shows, in the order of a column. Of twins, the one that stays is a row."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.desk = Desk()
        self.words, self.placed = "", False  # whether any row has a place that is shown
        self._rows: list[RankedEntry] = []
        self._by = (Column.PLACE, _ASCENDING)

    def show(self, desk: Desk, words: str = "") -> None:
        """Show the part of a desk, or only those of its jokes that contain all of ``words``."""
        self.desk, self.words = desk, words
        self._lay_out()

    def _lay_out(self) -> None:
        """Sort the rows. If the rows and their order are unchanged, the selection is kept."""
        column, order = self._by
        wanted = self.words.casefold().split()
        rows = [
            entry for entry in self.desk.rows(self.desk.part) if all(one in entry.text.casefold() for one in wanted)
        ]
        keys: dict[Column, Callable[[RankedEntry], Any]] = {
            Column.LEAN: lambda entry: -(2 if (step := lean(entry)) is None else step),
            Column.MARK: lambda entry: _ORDER[self.desk.notes[entry.id].mark],
            Column.JOKE: lambda entry: entry.text.casefold(),
            Column.DEVICE: lambda entry: (not device(entry), device(entry)),
        }
        if column in keys:
            rows.sort(key=keys[column])
        if order is not _ASCENDING:
            rows.reverse()
        self.placed = any(self._text(row, entry, Column.PLACE) for row, entry in enumerate(rows))
        if [entry.id for entry in rows] == [entry.id for entry in self._rows]:
            self._rows = rows
            self.changed()
            return
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

    def changed(self, id: str = "") -> None:
        """Redraw a joke whose note has changed, without moving it; empty: all."""
        first, last = (self.row_of(id),) * 2 if id else (0, len(self._rows) - 1)
        if first >= 0 and self._rows:
            self.dataChanged.emit(self.index(first, 0), self.index(last, Column.DEVICE))

    def entry(self, row: int) -> RankedEntry | None:
        """Return the joke in a row, None where there is no such row."""
        return self._rows[row] if 0 <= row < len(self._rows) else None

    def row_of(self, id: str) -> int:
        """Return the row of a joke, −1 where it isn't in the table."""
        return next((row for row, entry in enumerate(self._rows) if entry.id == id), -1)

    @property
    def worded(self) -> bool:
        """Whether the column of marks shows why jokes are left out."""
        return self.desk.part == "out"

    @property
    def devices(self) -> list[str]:
        """The devices of the jokes that are shown, of those that have one."""
        return list(filter(None, map(device, self._rows)))

    @property
    def in_order(self) -> bool:
        """Whether the rows are in the order of the list, best first, or of the kept jokes."""
        return self._by == (Column.PLACE, _ASCENDING) and not self.desk.blind

    # Qt's interface

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(Column)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = int(Role.DisplayRole)) -> Any:
        column, order = Column(section), self._by[1]
        if role == Role.ToolTipRole:
            return plain_tooltip(_TIPS[column]) if column in _TIPS else None
        if role == Role.TextAlignmentRole:
            return _ALIGNED.get(column, LEFT) if column is not Column.MARK else LEFT
        if role != Role.DisplayRole or (column is Column.PLACE and not self.placed):
            return None
        name = "Why" if column is Column.MARK and self.worded else _NAMES[column]
        if column is not self._by[0] or self._by == (Column.PLACE, _ASCENDING):
            return name
        return f"{name} {'↑' if order is _ASCENDING else '↓'}"

    def data(self, index: Index, role: int = int(Role.DisplayRole)) -> Any:
        entry, column = self.entry(index.row()), Column(index.column())
        if entry is None:
            return None
        match role:
            case Role.DisplayRole:
                return self._text(index.row(), entry, column)
            case Role.ToolTipRole:
                return plain_tooltip("\n".join(filter(None, (entry.text, self._sentence(entry)))))
            case Role.AccessibleTextRole:
                return f"{wording.one_line(entry.text)} {self._sentence(entry)}".strip()
            case Role.ForegroundRole:
                aside = not self.desk.stays(entry.id) and not self.worded
                faint = aside or self.desk.notes[entry.id].mark == "bin"
                return theme().colour("text3" if faint else "text" if column is Column.JOKE else "text2")
            case Role.FontRole:
                return font(14) if column is Column.JOKE else font(13, tabular=column is Column.PLACE)
            case Role.TextAlignmentRole:
                return LEFT if column is Column.MARK and self.worded else _ALIGNED.get(column, LEFT)
        return None

    def _text(self, row: int, entry: RankedEntry, column: Column) -> str:
        match column:
            case Column.PLACE:
                return f"{row + 1:,}" if self.desk.part == "kept" and self.in_order else self.desk.place_of(entry)
            case Column.MARK if self.worded:
                return left_out(entry)
            case Column.MARK if self.desk.stays(entry.id) and not self.desk.notes[entry.id].mark:
                return str(len(twins) + 1) if (twins := self.desk.twins_of(entry.id)) else ""
            case Column.JOKE:
                return wording.one_line(entry.text, 300)
            case Column.DEVICE:
                return device(entry)
        return ""

    def _sentence(self, entry: RankedEntry) -> str:
        """Return a sentence about a joke, empty where there is nothing to report."""
        parts = self.desk.remarks(entry.id)
        return wording.sentence_case("; ".join(parts)) + "." if parts else ""

    def sort(self, column: int, order: Qt.SortOrder = _ASCENDING) -> None:
        self._by = (Column(column), order)
        self._lay_out()
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, Column.DEVICE)

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        if self.desk.part == "kept" and self.in_order and not self.words:
            flags |= Qt.ItemFlag.ItemIsDragEnabled if index.isValid() else Qt.ItemFlag.ItemIsDropEnabled
        return flags

    def supportedDropActions(self) -> Qt.DropAction:
        return Qt.DropAction.MoveAction


class DeskDelegate(QStyledItemDelegate):
    """Paints the lean as a ring filled in quarters, and a mark as an icon; the style does the rest."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(px(40), px(_ROW))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        model = index.model()
        entry = model.entry(index.row()) if isinstance(model, DeskModel) else None
        if entry is None or not isinstance(model, DeskModel):
            return
        side = px(12 if index.column() == Column.LEAN else 16)
        spot = QRectF(0, 0, side, side)
        spot.moveCenter(QRectF(option.rect).center())  # type: ignore[attr-defined]
        mark, tokens = model.desk.notes[entry.id].mark, theme().tokens
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if index.column() == Column.LEAN and (step := lean(entry)) is not None:
            colour = theme().colour("accent" if step > 2 else "text3")
            painter.setPen(QPen(colour, px(1.4)))
            painter.drawEllipse(spot)
            painter.setBrush(colour)
            painter.drawPie(spot, 90 * 16, -step * 90 * 16)
        elif index.column() == Column.MARK and mark is not None and not model.worded:
            theme().paint_icon(painter, _ICONS[mark], spot, tokens.text if mark == "keep" else tokens.text2)
        painter.restore()


class DeskTable(Themed, QTreeView):
    """The table. ``selected`` carries the id of the joke that the user selected, ``moved`` the row before which the
    current one was dropped, among the kept jokes."""

    selected = Signal(str)
    moved = Signal(int)
    NAVIGATION = (
        Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown, Qt.Key.Key_Home, Qt.Key.Key_End,
    )  # fmt: skip

    def __init__(self, rows: DeskModel) -> None:
        super().__init__()
        self.rows = rows
        self._quiet, self._cut = False, ""
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
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.viewport().setAutoFillBackground(False)
        self.setProperty("ring", False)
        self.setItemDelegate(DeskDelegate(self))
        self.setModel(rows)
        self.setSortingEnabled(True)
        self.sortByColumn(Column.PLACE, _ASCENDING)
        header = self.header()
        header.setSortIndicatorShown(False)  # the names have an arrow, in the theme's colour
        header.setHighlightSections(False)
        header.setMinimumSectionSize(1)
        header.setStretchLastSection(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(Column.JOKE, QHeaderView.ResizeMode.Stretch)
        self.selectionModel().currentRowChanged.connect(self._on_current)
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
        """Set the columns' widths; that of the jokes is the rest. A column of places without any is a margin."""
        rows = self.rows
        unplaced = rows.desk.blind or rows.worded
        devices, roomy = rows.devices, not rows.worded and self.viewport().width() >= px(_ROOMY)
        many = len(devices) > _SHARE * rows.rowCount()
        self.setColumnHidden(Column.LEAN, unplaced)
        self.setColumnHidden(Column.DEVICE, not roomy or not many)
        for column, width in _WIDTHS.items():
            self.setColumnWidth(column, px(width))
        widest = max((text_width(words, font(13)) for words in {_NAMES[Column.DEVICE], *devices}), default=0.0)
        self.setColumnWidth(Column.DEVICE, min(round(widest) + px(14), px(_WIDTHS[Column.DEVICE])))
        if not rows.placed:
            self.setColumnWidth(Column.PLACE, px(_EDGE))
        if rows.worded:
            self.setColumnWidth(Column.MARK, px(130))

    def look_at(self, id: str) -> None:
        """Scroll to a joke, without selecting it, and draw the cut before it until one is selected."""
        self._cut = id
        self.viewport().update()
        self.scrollTo(self.rows.index(max(self.rows.row_of(id), 0), Column.JOKE))

    def go_to(self, id: str) -> None:
        """Select a joke without emitting the signal, and scroll it to the sixth visible row where possible."""
        self._quiet, self._cut = True, ""
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

    def dropEvent(self, event: QDropEvent) -> None:
        at = event.position().toPoint()
        index = self.indexAt(at)
        below = at.y() > self.visualRect(index).center().y()
        event.setDropAction(Qt.DropAction.IgnoreAction)  # the desk moves it
        event.accept()
        self.moved.emit(index.row() + below if index.isValid() else self.rows.rowCount())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in self.NAVIGATION and not event.modifiers() & Qt.KeyboardModifier.AltModifier:
            super().keyPressEvent(event)
        else:
            event.ignore()  # a key of the desk

    def drawRow(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().drawRow(painter, option, index)
        entry, rect = self.rows.entry(index.row()), QRectF(option.rect)  # type: ignore[attr-defined]
        if entry is not None and entry.id == self._cut:
            painter.fillRect(QRectF(0, rect.top(), rect.width(), px(2)), theme().colour("accent"))
        if self.hasFocus() and index.row() == self.currentIndex().row() and self.selectionModel().hasSelection():
            painter.fillRect(QRectF(0, rect.top(), px(3), rect.height()), theme().colour("accent"))
