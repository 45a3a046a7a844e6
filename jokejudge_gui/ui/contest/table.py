"""The jokes of a list as a table: the range of its rank, its mark, and its first words."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QItemSelectionModel,
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

from ...judge.contest.desk import Desk, Part
from ...judge.contest.record import Notes, RankedEntry
from ...judge.contest.screening import Screened, Screening
from ...judge.contest.words import left_out
from ..look import wording
from ..look.theme import font, px, theme
from ..widgets.base import CENTRE, LEFT, Themed, box, plain_tooltip
from ..widgets.layout import ThinBar

Index = QModelIndex | QPersistentModelIndex
DESK_ROW = 34
_BAR, _BAR_HIGH, _MARK, _WIDE_MARK, _EDGE = 72, 6, 44, 130, 20
_LEAST_JOKE = 120
"""Least width of the column of jokes, in pixels at 100 %; below it no places are shown."""
_ICONS = {"keep": "check", "bin": "cross", "later": "history"}
_ORDER = {"keep": 0, "later": 1, None: 2, "bin": 3}
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


class DeskModel(QAbstractTableModel):
    """The jokes of one part of a ``Desk``, in the order of a column. Of twins, the kept one is a row that folds the
    others. While a list is screened (``show_screened``), all its jokes, with decisions in place of marks."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.desk = Desk()
        self.notes = Notes()
        self.part: Part = "read"
        self.placed = True
        """Whether the column of places has room for them."""
        self.words = ""
        self.screening: Screening | None = None
        self._screened: dict[str, Screened] = {}
        self._rows: list[RankedEntry] = []
        self._open: set[str] = set()
        self._by = (Column.PLACE, Qt.SortOrder.AscendingOrder)

    def show(self, desk: Desk, notes: Notes, part: Part, words: str = "") -> None:
        """Show a part, or only those of its jokes that contain all of ``words``."""
        if part != self.part:
            self._open.clear()
        self.desk, self.notes, self.part, self.words = desk, notes, part, words
        self._lay_out()

    def show_screened(self, screening: Screening | None) -> None:
        """Show a screening's decisions, the best chance first; None: the list isn't screened."""
        self.screening = screening
        self._screened = {row.id: row for row in screening.entries} if screening is not None else {}
        self._lay_out()

    def fold(self, id: str, *, open: bool | None = None) -> None:
        """Show the twins of a joke under it (``open``), or fold them away; None: the other of both."""
        if self.part == "twins" and self.desk.twins_of(id) and (id in self._open) != open:
            self._open ^= {id}
            self._lay_out()

    def _lay_out(self) -> None:
        """Sort the rows. If the rows and their order are unchanged, the selection is kept."""
        rows = list(self.desk.rows("all" if self._screened else self.part))
        if self._screened:
            places = {id: place for place, id in enumerate(self._screened)}
            rows = sorted((row for row in rows if row.id in places), key=lambda row: places[row.id])
        if wanted := self.words.casefold().split():
            rows = [entry for entry in rows if all(word in entry.text.casefold() for word in wanted)]
        column, order = self._by
        if column is Column.JOKE:
            rows.sort(key=lambda entry: entry.text.casefold())
        elif column is Column.MARK and self._screened:
            rows.sort(key=lambda entry: tuple(_SHADES).index(self._screened[entry.id].decision))
        elif column is Column.MARK:
            rows.sort(key=lambda entry: _ORDER[self.notes[entry.id].mark])
        if order is Qt.SortOrder.DescendingOrder:
            rows.reverse()
        if self._open:
            rows = [one for row in rows for one in (row, *(self._twins(row.id) if row.id in self._open else ()))]
        if [entry.id for entry in rows] == [entry.id for entry in self._rows]:
            self._rows = rows
            self._redraw(0, len(rows) - 1)
            return
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

    def _twins(self, id: str) -> list[RankedEntry]:
        return [twin for twin in self.desk.twins_of(id) if self.desk.part_of(twin.id) == "twins"]

    def _redraw(self, first: int, last: int) -> None:
        if 0 <= first <= last:
            self.dataChanged.emit(self.index(first, 0), self.index(last, Column.JOKE))

    def entry(self, row: int) -> RankedEntry | None:
        """Return the joke in a row, None where there is no such row."""
        return self._rows[row] if 0 <= row < len(self._rows) else None

    def row_of(self, id: str) -> int:
        """Return the row of a joke, −1 where it isn't in the table."""
        return next((row for row, entry in enumerate(self._rows) if entry.id == id), -1)

    def changed(self, ids: Sequence[str]) -> None:
        """Redraw jokes whose notes have changed, without moving them."""
        row = self.row_of(ids[0]) if len(ids) == 1 else 0
        self._redraw(row, row if len(ids) == 1 else len(self._rows) - 1)

    def mark(self, entry: RankedEntry) -> str | None:
        """Return the user's mark of a joke, as far as the column of marks shows it."""
        return None if self._screened else self.notes[entry.id].mark

    @property
    def worded(self) -> bool:
        """Whether the column of marks shows words."""
        return bool(self._screened) or self.part == "out"

    @property
    def in_order(self) -> bool:
        """Whether the rows are sorted by place, best first."""
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
            tip = (_PLACES, _DECISION if self._screened else "", "")[section]
            return plain_tooltip(tip) if tip else None
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        mark = "Decision" if self._screened else "Why" if self.part == "out" else "Mark"
        name = ("Last – 1st" if self.placed else "", mark, "First words")[section]
        column, order = self._by
        if column != section or self.in_order:
            return name
        return f"{name} {'↑' if order is Qt.SortOrder.AscendingOrder else '↓'}"

    def data(self, index: Index, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        entry, column = self.entry(index.row()), Column(index.column())
        if entry is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._text(entry, column)
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tooltip("\n".join(filter(None, (entry.text, self._sentence(entry)))))
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{wording.one_line(entry.text)} {self._sentence(entry)}".strip()
            case Qt.ItemDataRole.ForegroundRole:
                return theme().colour(self._shade(entry, column))
            case Qt.ItemDataRole.FontRole:
                return font(13, tabular=True) if column is Column.MARK else font(14)
            case Qt.ItemDataRole.TextAlignmentRole:
                return CENTRE if column is Column.MARK and not self.worded else LEFT
        return None

    def _text(self, entry: RankedEntry, column: Column) -> str:
        if column is Column.JOKE:
            folded = self.part == "twins" and not self.desk.stays(entry.id)
            return f"{'    ' if folded else ''}{wording.one_line(entry.text, 300)}"
        if column is Column.MARK and self.screening is not None and entry.id in self._screened:
            return self.screening.with_chance(self._screened[entry.id])
        if column is Column.MARK and self.part == "out":
            return left_out(entry)
        if column is Column.MARK and self.part == "twins" and self.desk.stays(entry.id) and not self.mark(entry):
            return str(len(self._twins(entry.id)) + 1)
        return ""

    def _shade(self, entry: RankedEntry, column: Column) -> str:
        row = self._screened.get(entry.id)
        aside = not self.desk.stays(entry.id) and self.part != "out"
        if (row.decision == "reject") if row is not None else (aside or self.mark(entry) == "bin"):
            return "text3"
        if column is Column.MARK:
            return _SHADES[row.decision] if row is not None else "text2"
        return "text"

    def _sentence(self, entry: RankedEntry) -> str:
        """Return a sentence about a joke, empty where there is nothing to report."""
        row = self._screened.get(entry.id)
        reason = [self.screening.sentence(row).rstrip(".")] if row is not None and self.screening is not None else []
        parts = [*reason, *self.desk.remarks(entry.id)]
        return wording.sentence_case("; ".join(parts)) + "." if parts else ""

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self._by = (Column(column), order)
        self._lay_out()
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, Column.JOKE)


class DeskDelegate(QStyledItemDelegate):
    """Paints the range of a rank as a bar, and a mark as an icon; the style does the rest."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(px(40), px(DESK_ROW))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        model = index.model()
        entry = model.entry(index.row()) if isinstance(model, DeskModel) else None
        if entry is None or not isinstance(model, DeskModel):
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRectF(option.rect)  # type: ignore[attr-defined]
        mark = model.mark(entry)
        if index.column() == Column.PLACE and model.placed:
            paint_place(painter, rect.adjusted(px(_EDGE), 0, 0, 0), entry, model.desk.last)
        elif index.column() == Column.MARK and mark is not None and not model.worded:
            spot = QRectF(0, 0, px(16), px(16))
            spot.moveCenter(rect.center())
            tokens = theme().tokens
            theme().paint_icon(painter, _ICONS[mark], spot, tokens.text if mark == "keep" else tokens.text2)
        painter.restore()


def paint_place(painter: QPainter, rect: QRectF, entry: RankedEntry, last: int) -> None:
    """Paint the range of a joke's rank among ``last`` at the left of ``rect``, the first place at the right; nothing
    for a joke without a rank."""
    if entry.rank is None or entry.rank_low is None or entry.rank_high is None:
        return
    wide, high = float(px(_BAR)), float(px(_BAR_HIGH))
    top = rect.center().y() - high / 2
    box(painter, QRectF(rect.left(), top, wide, high), high / 2, theme().tokens.track)
    left, right = ((last - rank) / max(last - 1, 1) * wide for rank in (entry.rank_high, entry.rank_low))
    span = max(right - left, high)
    box(painter, QRectF(rect.left() + min(left, wide - span), top, span, high), high / 2, theme().tokens.tint2)


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
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.viewport().setAutoFillBackground(False)
        self.setProperty("ring", False)
        self.setItemDelegate(DeskDelegate(self))
        self.setModel(model)
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
        self.clicked.connect(self._on_clicked)
        self.follow_theme()

    def restyle(self) -> None:
        self.header().setFixedHeight(px(36))
        self.header().setFont(font(12))
        # The card's corners are round.
        self.header().setStyleSheet(
            "QHeaderView, QHeaderView::section { background: transparent; }"
            f"QHeaderView::section {{ padding: 0 0 0 {px(3)}px; }}"
            f"QHeaderView::section:first {{ padding-left: {px(_EDGE)}px; }}"
        )
        self.setMinimumHeight(px(36 + 4 * DESK_ROW))
        self.scheduleDelayedItemsLayout()
        self.share_width()
        super().restyle()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.share_width()

    def share_width(self) -> None:
        """Set the columns' widths; that of the jokes is the rest."""
        mark, place = _WIDE_MARK if self._desk.worded else _MARK, _EDGE + _BAR + 10
        enough = self.viewport().width() >= px(place + mark + _LEAST_JOKE)
        self._desk.placed = enough and not self._desk.desk.blind
        self.setColumnWidth(Column.PLACE, px(place if self._desk.placed else _EDGE - 4))
        self.setColumnWidth(Column.MARK, px(mark))
        self.header().viewport().update()

    def show_cut(self, row: int | None) -> None:
        """Show a line above a row and scroll to it; None: no line."""
        if row != self.cut_row:
            self.cut_row = row
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
            flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
            self.selectionModel().setCurrentIndex(self._desk.index(row, Column.JOKE), flags)
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
            self._desk.fold(entry.id)
            self.go_to(entry.id)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        entry = self._desk.entry(self.currentIndex().row())
        folding = {Qt.Key.Key_Left: False, Qt.Key.Key_Right: True}.get(Qt.Key(event.key()))
        if event.key() in self.NAVIGATION:
            super().keyPressEvent(event)
        elif folding is not None and entry is not None and self._desk.part == "twins":
            self._desk.fold(entry.id, open=folding)
            self.go_to(entry.id)
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
