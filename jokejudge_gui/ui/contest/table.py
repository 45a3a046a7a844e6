"""The jokes of a list as a table: the range of its rank, its mark, and its first words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from PySide6.QtCore import (
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
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QWidget,
)

from ...judge.contest.desk import Desk, Part
from ...judge.contest.record import Notes, RankedEntry
from ...judge.contest.words import left_out
from ..look import wording
from ..look.theme import font, px, theme
from ..widgets.base import CENTRE, LEFT, RIGHT, Themed, box, elided, line, plain_tooltip, write
from ..widgets.layout import ThinBar

Index = QModelIndex | QPersistentModelIndex
EntryRole = int(Qt.ItemDataRole.UserRole) + 1
DESK_ROW = 34
_BAR, _BAR_HIGH, _MARK, _WIDE_MARK, _EDGE = 72, 6, 44, 130, 20
_ICONS = {"keep": "check", "bin": "cross", "later": "history"}
SAID = {"keep": "kept", "bin": "binned", "later": "for later"}
_INSETS = (_EDGE, 7, 0)
"""Distances of the columns' names from their left edges, in pixels at 100 %."""
_LEAST_JOKE = 120
"""Least width of the column of jokes, in pixels at 100 %; below it the column of places is hidden."""
_PLACES = "The places that it may have among the jokes of this list, the first at the right"
_DECISION = (
    "What to do with it, and its chance to be good: funnier than a typical joke, or by your own scores good to you"
)
_SHADES = {"promote": "good_text", "show": "accent", "wait": "text", "reject": "text3"}
"""Colours of a screening's decisions."""


class Column(IntEnum):
    PLACE = 0
    MARK = 1
    JOKE = 2


_COLUMNS = len(Column)


@dataclass(frozen=True)
class ScreeningDecision:
    """A screening's ``decision`` on a joke, the same in ``words``, and the reason in a ``sentence``."""

    decision: str
    words: str
    sentence: str


Screened = Mapping[str, ScreeningDecision]


class DeskModel(QAbstractTableModel):
    """The jokes of one part of a ``Desk``, in the order of a column. Of twins, the kept one is a row that folds the
    others. While a list is screened (``show_screened``), all its jokes, with decisions in place of marks."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.desk = Desk()
        self.notes = Notes()
        self.part: Part = "read"
        self.words = ""
        self.screened: Screened = {}
        self.inset = 4
        """Distance of the words and the name of the column of marks from its left edge, in pixels at 100 %."""
        self._rows: list[RankedEntry] = []
        self._open: set[str] = set()
        self._by = (Column.PLACE, Qt.SortOrder.AscendingOrder)

    def show(self, desk: Desk, notes: Notes, part: Part, words: str = "") -> None:
        """Show a part, or only those of its jokes that contain all of ``words``."""
        if part != self.part:
            self._open.clear()
        self.desk, self.notes, self.part, self.words = desk, notes, part, words
        self._lay_out()

    def show_screened(self, screened: Screened) -> None:
        """Show a screening's decisions, by the jokes' ids, the best chance first; empty: the list isn't screened."""
        self.screened = screened
        self._lay_out()

    def fold(self, id: str, *, open: bool) -> None:
        """Show the twins of a joke under it, or fold them away."""
        if self.part == "twins" and self.desk.twins_of(id) and (id in self._open) != open:
            self._open ^= {id}
            self._lay_out()

    def is_open(self, id: str) -> bool:
        """Whether a joke's twins are shown under it."""
        return id in self._open

    def _lay_out(self) -> None:
        """Sort the rows. If the rows and their order are unchanged, the selection is kept."""
        rows = list(self.desk.rows("all" if self.screened else self.part))
        if self.screened:
            order_of = {id: at for at, id in enumerate(self.screened)}
            rows = sorted((row for row in rows if row.id in order_of), key=lambda row: order_of[row.id])
        if self.words:
            wanted = self.words.casefold().split()
            rows = [entry for entry in rows if all(word in entry.text.casefold() for word in wanted)]
        column, order = self._by
        if column is Column.JOKE:
            rows.sort(key=lambda entry: entry.text.casefold())
        elif column is Column.MARK:
            ranks = {"keep": 0, "later": 1, None: 2, "bin": 3}
            if self.screened:
                rows.sort(key=lambda entry: tuple(_SHADES).index(self.screened[entry.id].decision))
            else:
                rows.sort(key=lambda entry: ranks[self.notes[entry.id].mark])
        if order is Qt.SortOrder.DescendingOrder:
            rows.reverse()
        if self._open:
            rows = [each for one in rows for each in (one, *(self._twins(one.id) if one.id in self._open else ()))]
        if [entry.id for entry in rows] == [entry.id for entry in self._rows]:
            self._rows = rows
            if rows:
                self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, _COLUMNS - 1))
            return
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

    def _twins(self, id: str) -> list[RankedEntry]:
        return [twin for twin in self.desk.twins_of(id) if self.desk.part_of(twin.id) == "twins"]

    def entry(self, row: int) -> RankedEntry | None:
        """Return the joke in a row, None where there is no such row."""
        return self._rows[row] if 0 <= row < len(self._rows) else None

    def row_of(self, id: str) -> int:
        """Return the row of a joke, −1 where it isn't in the table."""
        return next((row for row, entry in enumerate(self._rows) if entry.id == id), -1)

    def changed(self, ids: Sequence[str]) -> None:
        """Redraw jokes whose notes have changed, without moving them."""
        rows = [self.row_of(ids[0])] if len(ids) == 1 else [0, len(self._rows) - 1]
        if rows[0] >= 0 and rows[-1] >= 0:
            self.dataChanged.emit(self.index(rows[0], 0), self.index(rows[-1], _COLUMNS - 1))

    def sentence(self, entry: RankedEntry) -> str:
        """Return a sentence about a joke, empty where there is nothing to report."""
        parts = [self.screened[entry.id].sentence.rstrip(".")] if entry.id in self.screened else []
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

    # Qt's interface

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else _COLUMNS

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = int(Qt.ItemDataRole.DisplayRole)
    ) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.ToolTipRole:
            tip = (_PLACES, _DECISION if self.screened else "", "")[section]
            return plain_tooltip(tip) if tip else None
        why = "Decision" if self.screened else "Why" if self.part == "out" else "Mark"
        return ("Place", why, "First words")[section] if role == Qt.ItemDataRole.DisplayRole else None

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
        if column is Column.MARK and entry.id in self.screened:
            return self.screened[entry.id].words
        if column is Column.MARK and self.part == "out":
            return left_out(entry)
        if column is Column.MARK and self.part == "twins" and self.desk.stays(entry.id):
            return str(len(self._twins(entry.id)) + 1)
        return ""

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self._by = (Column(column), order)
        self._lay_out()

    @property
    def worded(self) -> bool:
        """Whether the column of marks shows words."""
        return bool(self.screened) or self.part == "out"

    @property
    def in_order(self) -> bool:
        """Whether the rows are sorted by place, best first."""
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
        decided = model.screened.get(entry.id)
        mark = model.notes[entry.id].mark if decided is None else None
        out = mark == "bin" or (not model.desk.stays(entry.id) and model.part != "out")
        if decided is not None:
            out = decided.decision == "reject"
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
            shade = tokens.text3 if out else tokens.text2 if small else tokens.text
            if small and decided is not None:
                shade = getattr(tokens, _SHADES[decided.decision])
            left = (
                px(model.inset) if small else px(14 if not model.desk.stays(entry.id) and model.part == "twins" else 0)
            )
            room = rect.adjusted(left, 0, -px(4), 0)
            shown = elided(str(index.data()), face, room.width())
            write(painter, room, shown, face, shade, LEFT if model.worded or not small else CENTRE)
        painter.restore()


def paint_place(painter: QPainter, start: QPointF, entry: RankedEntry, last: int) -> None:
    """Paint the range of a joke's rank among ``last``, the first place at the right; nothing for a joke without a rank.
    ``start``: the middle of the track's left end."""
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


class Header(QHeaderView):
    """The columns' names, with an arrow at the sorted column. In the usual order the ends of the places' tracks are
    labelled instead."""

    def __init__(self, model: DeskModel, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._desk = model
        self.setHighlightSections(False)
        self.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setStretchLastSection(False)
        self.setMinimumSectionSize(1)
        self.setStyleSheet("background: transparent")  # the card's corners are round

    def paintSection(self, painter: QPainter, rect: QRect, logical: int) -> None:
        painter.save()
        tokens = theme().tokens
        text = str(self._desk.headerData(logical, self.orientation(), Qt.ItemDataRole.DisplayRole) or "")
        up = self.sortIndicatorOrder() is Qt.SortOrder.AscendingOrder
        usual = up and logical == Column.PLACE
        sorted_by = self.isSortIndicatorShown() and self.sortIndicatorSection() == logical and not usual
        if sorted_by:
            text = f"{text} {'↑' if up else '↓'}".strip()
        face = font(12, 500 if sorted_by else 400)
        inset = self._desk.inset if logical == Column.MARK and self._desk.worded else _INSETS[logical]
        room = QRectF(rect).adjusted(px(inset), 0, 0, 0)
        if logical == Column.PLACE and not sorted_by:
            room.setWidth(px(_BAR))
            text = "last"
            write(painter, room, "1st", face, tokens.text2, RIGHT)
        write(painter, room, elided(text, face, room.width()), face, tokens.text if sorted_by else tokens.text2)
        y = rect.bottom() + 0.5
        line(painter, QPointF(rect.left(), y), QPointF(rect.right() + 1, y), tokens.line2)
        painter.restore()


class DeskTable(Themed, QTreeView):
    """The table. ``selected`` carries the id of the joke that the user selected, ``menu_asked`` a global position."""

    selected = Signal(str)
    menu_asked = Signal(QPoint)
    NAVIGATION = (
        Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown, Qt.Key.Key_Home, Qt.Key.Key_End,
    )  # fmt: skip

    def __init__(self, model: DeskModel) -> None:
        super().__init__()
        self._desk = model
        self._quiet = False
        self._line: int | None = None
        self._hovered = -1
        self.setAccessibleName("Jokes")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHeader(Header(model, self))
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
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.viewport().setAutoFillBackground(False)
        self.setProperty("ring", False)
        self.setItemDelegate(DeskDelegate(self))
        self.setModel(model)
        self.setSortingEnabled(True)
        self.sortByColumn(Column.PLACE, Qt.SortOrder.AscendingOrder)
        self.selectionModel().currentRowChanged.connect(self._on_current)
        self.customContextMenuRequested.connect(lambda at: self.menu_asked.emit(self.viewport().mapToGlobal(at)))
        self.clicked.connect(self._on_clicked)
        self.follow_theme()

    def restyle(self) -> None:
        self.header().setFixedHeight(px(36))
        self.setMinimumHeight(px(36 + 4 * DESK_ROW))
        self.setFont(font(14))
        self.scheduleDelayedItemsLayout()
        self.share_width()
        super().restyle()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.share_width()

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

    def share_width(self) -> None:
        """Set each column's width."""
        mark = _WIDE_MARK if self._desk.worded else _MARK
        place = 0 if self._desk.desk.blind else _EDGE + _BAR + 10
        if place and self.viewport().width() < px(place + mark + _LEAST_JOKE):
            place, mark = 0, mark + (_EDGE if self._desk.worded else 0)
        self._desk.inset = _EDGE if self._desk.worded and not place else 4
        self.setColumnHidden(Column.PLACE, not place)
        for column, width in ((Column.PLACE, place), (Column.MARK, mark)):
            if width:
                self.setColumnWidth(column, px(width))
        self.setColumnWidth(Column.JOKE, max(1, self.viewport().width() - px(place + mark)))

    def show_cut(self, row: int | None) -> None:
        """Show a line above a row and scroll to it; None: no line."""
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
        """Select a joke without emitting the signal, and scroll it to the sixth visible row where possible."""
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
            event.ignore()  # a key of the desk

    def keyboardSearch(self, search: str) -> None:
        """Do nothing: letters are commands here."""

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
        for column in range(_COLUMNS):
            left, width = self.columnViewportPosition(column), self.columnWidth(column)
            if width > 1 and not self.isColumnHidden(column):
                cell = QStyleOptionViewItem(option)
                cell.rect = QRect(left, int(rect.top()), width, int(rect.height()))  # type: ignore[attr-defined]
                self.itemDelegateForIndex(index).paint(painter, cell, index.siblingAtColumn(column))
        if self._line is not None and row in (self._line, self._line - 1):
            y = rect.top() if row == self._line else rect.bottom() - px(1)
            painter.fillRect(QRectF(0, y, rect.width(), px(1)), QColor(tokens.accent))
