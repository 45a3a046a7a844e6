"""The jokes of a list as a table: place, mark and first words; and what every table of the Contest tab is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any

from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractTableModel,
    QEvent,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QWidget,
)

from ...judge.contest.desk import Desk, Part, left_out
from ...judge.contest.types import Notes, RankedEntry
from ..look import wording
from ..look.theme import font, px, theme
from ..widgets.base import CENTRE, LEFT, RIGHT, Themed, box, line, plain_tooltip, write
from ..widgets.layout import ThinBar

# A list of rows in columns, painted from the tokens.

Index = QModelIndex | QPersistentModelIndex
ROW_HEIGHT = 36


class Header(QHeaderView):
    """The columns' names; the one that the rows are sorted by has an arrow, but for the order that is usual.
    ``insets``: how far a column's name stands from its left edge, in pixels at 100 %."""

    insets: Mapping[int, float] = {}
    usual: int | None = None
    """The column whose ascending order is the usual one."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setHighlightSections(False)
        self.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setStretchLastSection(False)
        self.setMinimumSectionSize(1)

    def paintSection(self, painter: QPainter, rect: QRect, logical: int) -> None:
        painter.save()
        tokens = theme().tokens
        if not self.insets:
            painter.fillRect(rect, QColor(tokens.surface))
        text = str(self.model().headerData(logical, self.orientation(), Qt.ItemDataRole.DisplayRole) or "")
        sorted_by = self.isSortIndicatorShown() and self.sortIndicatorSection() == logical
        up = self.sortIndicatorOrder() is Qt.SortOrder.AscendingOrder
        if sorted_by and up and logical == self.usual:
            sorted_by = False
        if sorted_by:
            text = f"{text} {'↑' if up else '↓'}".strip()
        size = 12 if self.insets else 13
        painter.setFont(font(size, 500 if sorted_by else 400))
        painter.setPen(QColor(tokens.text if sorted_by else tokens.text2))
        room = rect.adjusted(px(self.insets.get(logical, 4)), 0, 0 if self.insets else -px(4), 0)
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, int(LEFT), shown)
        y = rect.bottom() + 0.5
        line(painter, QPointF(rect.left(), y), QPointF(rect.right() + 1, y), tokens.line2)
        painter.restore()


class RowTree(Themed, QTreeView):
    """Rows with a line under each, the selected ones soft, the one under the pointer on the track's colour."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._hovered = -1
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHeader(Header(self))
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
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.viewport().setAutoFillBackground(False)
        self.setProperty("ring", False)

    def setModel(self, model: QAbstractItemModel | None) -> None:
        super().setModel(model)
        # Now there are columns to measure out.
        self.follow_theme()

    def restyle(self) -> None:
        self.header().setFixedHeight(px(34))
        self.setMinimumHeight(px(150))
        self.setFont(font(14))
        self.scheduleDelayedItemsLayout()
        self.share_width()
        super().restyle()

    def share_width(self) -> None:
        """Give each column its width."""

    def resizeEvent(self, event: QEvent) -> None:  # type: ignore[override]
        super().resizeEvent(event)  # type: ignore[arg-type]
        self.share_width()

    def boundary_after(self, index: Index) -> bool:
        """Whether a stronger line stands under a row."""
        return False

    def drawRow(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        tokens = theme().tokens
        rect = QRectF(option.rect)  # type: ignore[attr-defined]
        rect.setLeft(0)
        rect.setRight(self.viewport().width())
        selected = self.selectionModel() is not None and self.selectionModel().isRowSelected(index.row())
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground = rect.adjusted(0, 1, 0, -2)
        if selected or self._hovered == index.row():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(tokens.soft if selected else tokens.sunken))
            painter.drawRoundedRect(ground, px(8), px(8))
        if self.hasFocus() and self.currentIndex().row() == index.row():
            painter.setPen(QPen(QColor(tokens.accent), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(ground.adjusted(1, 1, -1, -1), px(8), px(8))
        strong = self.boundary_after(index)
        y = rect.bottom() - 0.5
        line(painter, QPointF(0, y), QPointF(rect.right(), y), tokens.field if strong else tokens.line)
        painter.restore()
        self.draw_cells(painter, option, index)

    def draw_cells(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Let the delegate paint a row's cells."""
        rect = QRectF(option.rect)  # type: ignore[attr-defined]
        for column in range(self.model().columnCount()):
            left, width = self.columnViewportPosition(column), self.columnWidth(column)
            if width <= 1 or self.isColumnHidden(column):
                continue
            cell = QStyleOptionViewItem(option)
            cell.rect = QRect(left, int(rect.top()), width, int(rect.height()))  # type: ignore[attr-defined]
            self.itemDelegateForIndex(index).paint(painter, cell, index.siblingAtColumn(column))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hover(self.indexAt(event.position().toPoint()).row())
        super().mouseMoveEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self._hover(-1)
        super().leaveEvent(event)

    def _hover(self, row: int) -> None:
        if row != self._hovered:
            self._hovered = row
            self.viewport().update()


class RowsModel(QAbstractTableModel):
    """A table under ``heads``."""

    heads: tuple[str, ...] = ()

    def rows(self) -> Sequence[object]:
        """What stands in the rows."""
        raise NotImplementedError

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.rows())

    def columnCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.heads)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = int(Qt.ItemDataRole.DisplayRole)
    ) -> Any:
        wanted = orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole
        return self.heads[section] if wanted else None


class CellDelegate(QStyledItemDelegate):
    """Writes a line into each cell, with the font, colour and alignment that ``style`` says."""

    def style(self, index: Index) -> tuple[QFont, str, Qt.AlignmentFlag]:
        """How a cell is written."""
        raise NotImplementedError

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(px(40), px(ROW_HEIGHT))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        painter.save()
        face, colour, align = self.style(index)
        rect: QRect = option.rect  # type: ignore[attr-defined]
        room = QRectF(rect).adjusted(px(4), 0, -px(16 if align == RIGHT else 4), -1)
        shown = QFontMetrics(face).elidedText(str(index.data()), Qt.TextElideMode.ElideRight, int(room.width()))
        write(painter, room, shown, face, colour, align)
        painter.restore()


# The jokes that are read: where each may stand, what the user said of it, and how it begins.

EntryRole = int(Qt.ItemDataRole.UserRole) + 1
DESK_ROW = 34
_BAR, _BAR_HIGH, _MARK, _EDGE = 72, 6, 44, 20
_ICONS = {"keep": "check", "bin": "cross", "later": "history"}
SAID = {"keep": "kept", "bin": "binned", "later": "for later"}


class Column(IntEnum):
    PLACE = 0
    MARK = 1
    JOKE = 2


class DeskModel(QAbstractTableModel):
    """The jokes of one part of a ``Desk``, in the order of a column. Of twins those that stay, under which the others
    are folded."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.desk = Desk()
        self.notes = Notes()
        self.part: Part = "read"
        self.words = ""
        self._rows: list[RankedEntry] = []
        self._open: set[str] = set()
        self._by = (Column.PLACE, Qt.SortOrder.AscendingOrder)

    def show(self, desk: Desk, notes: Notes, part: Part, words: str = "") -> None:
        """Show a part, or of it the jokes that have all of some words."""
        if part != self.part:
            self._open.clear()
        self.desk, self.notes, self.part, self.words = desk, notes, part, words
        self._lay_out()

    def fold(self, id: str, *, open: bool) -> None:
        """Show the twins of a joke under it, or fold them away."""
        if self.part == "twins" and self.desk.twins_of(id) and (id in self._open) != open:
            self._open ^= {id}
            self._lay_out()

    def is_open(self, id: str) -> bool:
        """Whether its twins are shown under it."""
        return id in self._open

    def _lay_out(self) -> None:
        """Put the rows in their order; where they are those that are here, what is selected stays so."""
        rows = list(self.desk.rows(self.part))
        if self.words:
            wanted = self.words.casefold().split()
            rows = [entry for entry in rows if all(word in entry.text.casefold() for word in wanted)]
        column, order = self._by
        if column is Column.JOKE:
            rows.sort(key=lambda entry: entry.text.casefold())
        elif column is Column.MARK:
            ranks = {"keep": 0, "later": 1, None: 2, "bin": 3}
            rows.sort(key=lambda entry: ranks[self.notes[entry.id].mark])
        if order is Qt.SortOrder.DescendingOrder:
            rows.reverse()
        if self._open:
            rows = [each for one in rows for each in (one, *(self._twins(one.id) if one.id in self._open else ()))]
        if [entry.id for entry in rows] == [entry.id for entry in self._rows]:
            self._rows = rows
            if rows:
                self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, len(Column) - 1))
            return
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

    def _twins(self, id: str) -> list[RankedEntry]:
        return [twin for twin in self.desk.twins_of(id) if self.desk.part_of(twin.id) == "twins"]

    def entry(self, row: int) -> RankedEntry | None:
        """The joke in a row."""
        return self._rows[row] if 0 <= row < len(self._rows) else None

    def row_of(self, id: str) -> int:
        """The row of a joke, −1 where it isn't here."""
        return next((row for row, entry in enumerate(self._rows) if entry.id == id), -1)

    def changed(self, ids: Sequence[str]) -> None:
        """What is said of some jokes is another; they stay where they are."""
        rows = [self.row_of(ids[0])] if len(ids) == 1 else [0, len(self._rows) - 1]
        if rows[0] >= 0 and rows[-1] >= 0:
            self.dataChanged.emit(self.index(rows[0], 0), self.index(rows[-1], len(Column) - 1))

    def sentence(self, entry: RankedEntry) -> str:
        """What is known of a joke, in words."""
        parts = []
        if entry.rank is not None and not self.desk.blind:
            between = "" if entry.rank_low == entry.rank_high else f" to {entry.rank_high}"
            parts.append(f"place {entry.rank_low}{between} of {self.desk.last}")
        said = self.notes[entry.id]
        if said.mark is not None:
            parts.append(SAID[said.mark])
        elif said.read:
            parts.append("read")
        parts += ["starred"] if said.starred else []
        parts += said.tags
        if self.desk.part_of(entry.id) == "out":
            parts.append(f"left out: {left_out(entry)}")
        elif not self.desk.stays(entry.id):
            parts.append("a better twin stays")
        elif twins := len(self.desk.twins_of(entry.id)):
            parts.append(f"has {wording.count_of(twins, 'twin')}")
        return wording.sentence_case("; ".join(parts)) + "." if parts else ""

    # As Qt asks for it

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(Column)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = int(Qt.ItemDataRole.DisplayRole)
    ) -> Any:
        if orientation is not Qt.Orientation.Horizontal or role != Qt.ItemDataRole.DisplayRole:
            return None
        place = f"{self.desk.last:,} place 1" if self.desk.last > 1 else "Place"
        why = "Why" if self.part == "out" else "Mark"
        return (place, why, "First words")[section]

    def data(self, index: Index, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        entry = self.entry(index.row())
        if entry is None:
            return None
        if role == EntryRole:
            return entry
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(entry, Column(index.column()))
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tooltip("\n".join(filter(None, (entry.text, self.sentence(entry)))))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{wording.one_line(entry.text)} {self.sentence(entry)}".strip()
        return None

    def _text(self, entry: RankedEntry, column: Column) -> str:
        if column is Column.JOKE:
            return wording.one_line(entry.text, 300)
        if column is Column.MARK and self.part == "out":
            return left_out(entry)
        if column is Column.MARK and self.part == "twins" and self.desk.stays(entry.id):
            return str(len(self._twins(entry.id)) + 1)
        return ""

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self._by = (Column(column), order)
        self._lay_out()

    @property
    def in_order(self) -> bool:
        """Whether the rows stand in the order of their places, best first."""
        return self._by == (Column.PLACE, Qt.SortOrder.AscendingOrder) and not self.desk.blind


class DeskDelegate(QStyledItemDelegate):
    """Paints the cells."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(px(40), px(DESK_ROW))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        entry, model = index.data(EntryRole), index.model()
        if not isinstance(entry, RankedEntry) or not isinstance(model, DeskModel):
            return
        painter.save()
        tokens, rect = theme().tokens, QRectF(option.rect)  # type: ignore[attr-defined]
        mark = model.notes[entry.id].mark
        out = mark == "bin" or (not model.desk.stays(entry.id) and model.part != "out")
        column = Column(index.column())
        if column is Column.PLACE:
            if not model.desk.blind:
                paint_place(painter, QPointF(rect.left() + px(_EDGE), rect.center().y()), entry, model.desk.last)
        elif column is Column.MARK and mark is not None:
            spot = QRectF(0, 0, px(16), px(16))
            spot.moveCenter(rect.center())
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            theme().paint_icon(painter, _ICONS[mark], spot, tokens.text2 if mark != "keep" else tokens.text)
        else:
            small = column is Column.MARK
            face = font(13 if small else 14, tabular=small)
            shade = tokens.text2 if small else tokens.text3 if out else tokens.text
            left = px(4) if small else px(14 if not model.desk.stays(entry.id) and model.part == "twins" else 0)
            room = rect.adjusted(left, 0, -px(4), 0)
            shown = QFontMetrics(face).elidedText(str(index.data()), Qt.TextElideMode.ElideRight, int(room.width()))
            write(painter, room, shown, face, shade, LEFT if model.part == "out" or not small else CENTRE)
        painter.restore()


def paint_place(painter: QPainter, start: QPointF, entry: RankedEntry, last: int) -> None:
    """Where among ``last`` a joke may stand, from the last place at the left to the first at the right; nothing for one
    without a place. ``start``: the middle of the track's left end."""
    if entry.rank is None or entry.rank_low is None or entry.rank_high is None:
        return
    tokens, wide, high = theme().tokens, float(px(_BAR)), float(px(_BAR_HIGH))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    track = QRectF(start.x(), start.y() - high / 2, wide, high)
    box(painter, track, high / 2, tokens.track)
    left, right = ((last - rank) / max(last - 1, 1) * wide for rank in (entry.rank_high, entry.rank_low))
    span = max(right - left, high)
    left = min(left, wide - span)
    box(painter, QRectF(track.left() + left, track.top(), span, high), high / 2, tokens.tint2)


class DeskTable(RowTree):
    """``selected`` carries the id of the joke that the user went to; ``menu_asked`` a global position."""

    selected = Signal(str)
    menu_asked = Signal(QPoint)
    NAVIGATION = (
        Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown, Qt.Key.Key_Home, Qt.Key.Key_End,
    )  # fmt: skip

    def __init__(self, model: DeskModel, parent: QWidget | None = None) -> None:
        super().__init__("Jokes", parent)
        self._desk = model
        self._quiet = False
        self._line: int | None = None
        self.setItemDelegate(DeskDelegate(self))
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setModel(model)
        header = self.header()
        assert isinstance(header, Header)
        header.setStyleSheet("background: transparent")  # the card's corners are round
        header.insets, header.usual = {Column.PLACE: _EDGE, Column.MARK: 7, Column.JOKE: 0}, Column.PLACE
        self.setSortingEnabled(True)
        self.sortByColumn(Column.PLACE, Qt.SortOrder.AscendingOrder)
        self.selectionModel().currentRowChanged.connect(self._on_current)
        self.customContextMenuRequested.connect(lambda at: self.menu_asked.emit(self.viewport().mapToGlobal(at)))
        self.clicked.connect(self._on_clicked)

    def restyle(self) -> None:
        super().restyle()
        self.header().setFixedHeight(px(36))
        self.setMinimumHeight(px(36 + 4 * DESK_ROW))

    def share_width(self) -> None:
        if self.model() is None:
            return
        mark = _MARK if self._desk.part != "out" else 130
        place = 0 if self._desk.desk.blind else _EDGE + _BAR + 10
        self.setColumnHidden(Column.PLACE, not place)
        for column, width in ((Column.PLACE, place), (Column.MARK, mark)):
            if width:
                self.setColumnWidth(column, px(width))
        rest = self.viewport().width() - px(place + mark)
        self.setColumnWidth(Column.JOKE, max(px(80), rest))

    def show_cut(self, row: int | None) -> None:
        """Show a line over a row, which comes into view; None: none."""
        if row != self._line:
            self._line = row
            if row is not None and self._desk.rowCount():
                self.scrollTo(self._desk.index(min(row, self._desk.rowCount() - 1), 0))
            self.viewport().update()

    def chosen(self) -> list[RankedEntry]:
        """The selected jokes, from top to bottom."""
        rows = sorted(index.row() for index in self.selectionModel().selectedRows())
        return [entry for row in rows if (entry := self._desk.entry(row)) is not None]

    def go_to(self, id: str) -> None:
        """Select a joke, without the signal; in the sixth row that is seen, where the list can be scrolled so."""
        self._quiet = True
        row = self._desk.row_of(id)
        if row >= 0:
            index = self._desk.index(row, Column.JOKE)
            flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
            self.selectionModel().setCurrentIndex(index, flags)
            self.executeDelayedItemsLayout()
            self.verticalScrollBar().setValue((row - 5) * px(DESK_ROW))
        else:
            self.clearSelection()
        self._quiet = False

    def _on_current(self, index: QModelIndex) -> None:
        entry = self._desk.entry(index.row())
        if entry is not None and not self._quiet:
            self.selected.emit(entry.id)

    def _on_clicked(self, index: QModelIndex) -> None:
        entry = self._desk.entry(index.row())
        if entry is not None and index.column() == Column.MARK:
            self._fold(entry, open=not self._desk.is_open(entry.id))

    def _fold(self, entry: RankedEntry, *, open: bool) -> None:
        self._desk.fold(entry.id, open=open)
        self.go_to(entry.id)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        entry = self._desk.entry(self.currentIndex().row())
        folding = {Qt.Key.Key_Left: False, Qt.Key.Key_Right: True}.get(Qt.Key(event.key()))
        if event.key() in self.NAVIGATION:
            super().keyPressEvent(event)
        elif folding is not None and entry is not None and self._desk.part == "twins":
            self._fold(entry, open=folding)
        else:
            event.ignore()  # the desk's own keys

    def keyboardSearch(self, search: str) -> None:
        """Letters are commands here."""

    def drawRow(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        tokens, row = theme().tokens, index.row()
        rect = QRectF(option.rect)  # type: ignore[attr-defined]
        rect.setLeft(0)
        rect.setRight(self.viewport().width())
        selected = self.selectionModel().isRowSelected(row)
        if selected or self._hovered == row:
            painter.fillRect(rect, QColor(tokens.soft if selected else tokens.sunken))
        if selected and self.hasFocus() and self.currentIndex().row() == row:
            painter.fillRect(QRectF(0, rect.top(), px(3), rect.height()), QColor(tokens.accent))
        self.draw_cells(painter, option, index)
        if self._line is not None and row in (self._line, self._line - 1):
            y = rect.top() if row == self._line else rect.bottom() - px(1)
            painter.fillRect(QRectF(0, y, rect.width(), px(1)), QColor(tokens.accent))
