"""A ranking as a table: entries in the order of a column, with what the user says of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import Any, Literal

from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractTableModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QColor, QFont, QFontMetrics, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QWidget,
)

from ...judge.contest.types import ContestResult, EntryNote, RankedEntry
from ...judge.contest.words import by_place, number_of, remarks
from ..look import wording
from ..look.theme import font, px, theme
from ..widgets.base import LEFT, RIGHT, Themed, line, plain_tooltip, write
from ..widgets.layout import ThinBar
from .state import ContestState

# A list of rows in columns, painted from the tokens: what the ranking and the reading of a list look like.

Index = QModelIndex | QPersistentModelIndex
ROW_HEIGHT = 36


class Header(QHeaderView):
    """The columns' names; the one that the rows are sorted by has an arrow."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setHighlightSections(False)
        self.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setStretchLastSection(False)
        self.setMinimumSectionSize(1)

    def paintSection(self, painter: QPainter, rect: QRect, logical: int) -> None:
        painter.save()
        tokens = theme().tokens
        painter.fillRect(rect, QColor(tokens.surface))
        text = str(self.model().headerData(logical, self.orientation(), Qt.ItemDataRole.DisplayRole) or "")
        sorted_by = self.isSortIndicatorShown() and self.sortIndicatorSection() == logical
        if sorted_by:
            arrow = "↑" if self.sortIndicatorOrder() is Qt.SortOrder.AscendingOrder else "↓"
            text = f"{text} {arrow}".strip()
        painter.setFont(font(13, 500 if sorted_by else 400))
        painter.setPen(QColor(tokens.text if sorted_by else tokens.text2))
        room = rect.adjusted(px(4), 0, -px(4), 0)
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


EntryRole = int(Qt.ItemDataRole.UserRole) + 1
_NOTHING = ContestState()
Part = Literal["all", "kept", "undecided", "starred"]
PARTS: tuple[Part, ...] = ("all", "kept", "undecided", "starred")


class Column(IntEnum):
    PLACE = 0
    JOKE = 1
    BAR = 2
    OF_100 = 3
    RANKS = 4
    RELEVANCE = 5
    ORIGINALITY = 6
    LISTED = 7
    MARKS = 8


EXTRA = (Column.RELEVANCE, Column.ORIGINALITY, Column.LISTED)
"""Columns that are there only where something is known for them."""
_LISTED_FIRST = ("author", "model", "generator", "prompt")
"""Of a list's own columns the one that is shown: the first of these, else its first."""


class RankingModel(QAbstractTableModel):
    """The entries of a ``ContestState``."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._state = _NOTHING
        self._result: ContestResult | None = None
        self._rows: list[RankedEntry] = []
        self._by = (Column.PLACE, Qt.SortOrder.AscendingOrder)
        self._short = False
        self._ids: frozenset[str] = frozenset()
        self._shown: frozenset[str] = frozenset()
        self.part: Part = "all"
        self.extra: frozenset[Column] = frozenset()
        """Which of the ``EXTRA`` columns are shown."""
        self.listed = ""
        """Name of the list's own column that is shown."""
        self.scale: tuple[float, float] | None = None
        """Where bars begin and end: 0 and 100, or the lowest and highest score where the order is another one."""

    def show_state(self, state: ContestState) -> None:
        """Show a contest, or what has changed of it."""
        if state is self._state and state.result is self._result:
            self._changed()
            return
        same = state is self._state and {entry.id for entry in state.entries} == self._ids
        if state is not self._state:
            self.part = "all"
        self._state, self._result = state, state.result
        self.scale = _scale(state.entries)
        self.listed = _listed(state.entries)
        known = {
            Column.RELEVANCE: any(entry.relevance is not None for entry in state.entries),
            Column.ORIGINALITY: any(entry.originality is not None for entry in state.entries),
            Column.LISTED: bool(self.listed),
        }
        self.extra = frozenset(column for column, there in known.items() if there)
        if not same:
            self._choose()
        self._reorder(state.entries)

    def show_part(self, part: Part) -> None:
        """Show a part of the list. A joke that is marked stays where it is until a part is chosen again."""
        self.part = part
        self._choose()
        self._reorder(self._state.entries)

    def _choose(self) -> None:
        """Find out which entries are shown."""
        self._ids = frozenset(entry.id for entry in self._state.entries)
        self._shown = frozenset(entry.id for entry in self._state.entries if self._belongs(entry))

    def _belongs(self, entry: RankedEntry) -> bool:
        said = self.noted(entry)
        wanted = {"all": True, "kept": said.mark == "keep", "undecided": said.mark is None, "starred": said.starred}
        return wanted[self.part]

    def entry(self, row: int) -> RankedEntry | None:
        """The entry in a row."""
        return self._rows[row] if 0 <= row < len(self._rows) else None

    def noted(self, entry: RankedEntry) -> EntryNote:
        return self._state.notes[entry.id]

    def words(self, entry: RankedEntry) -> list[str]:
        """What is to be noted of an entry beside its place: the user's marks come first."""
        said = self.noted(entry)
        # Most entries carry none, and making a copy of each would hold the window while it sorts a long list.
        noted = entry.mark is not None or entry.starred or entry.tags
        plain = entry.replaced(mark=None, starred=False, tags=()) if noted else entry
        parts: list[str] = [] if said.mark is None else [said.mark]
        parts += ["starred"] if said.starred else []
        vote = self._state.votes.get(entry.text)
        parts += [] if vote is None else ["funny to you" if vote == "up" else "not funny to you"]
        parts += said.tags
        parts += ["seen before"] if entry.text in self._state.seen else []
        parts += [word.removesuffix(" is in the list") for word in remarks(plain)]
        return list(dict.fromkeys(parts))

    def mark_changed(self, row: int) -> None:
        """What the user says of a row was changed; it stays where it is."""
        self.dataChanged.emit(self.index(row, 0), self.index(row, len(Column) - 1))

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
        bar = ("Of 100" if self._short else "Funnier than … in 100") if self.scale == (0.0, 100.0) else "Score"
        return ("", "Joke", bar, "", "Rank", "Fits", "Original", self.listed.capitalize(), "Marks")[section]

    def set_short(self, short: bool) -> None:
        """Whether the columns' names must be short ones."""
        self._short = short

    def data(self, index: Index, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        entry = self.entry(index.row())
        if entry is None:
            return None
        if role == EntryRole:
            return entry
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(entry, Column(index.column()))
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tooltip("\n".join([entry.text, "", self.sentence(entry)]))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{wording.one_line(entry.text)}. {self.sentence(entry)}"
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self._by = (Column(column), order)
        self._reorder(self._rows)

    @property
    def sorted_by(self) -> tuple[Column, Qt.SortOrder]:
        return self._by

    def sentence(self, entry: RankedEntry) -> str:
        """What is known of an entry, in words."""
        parts = []
        if entry.rank is None:
            parts.append("no place yet" if entry.error is None else "not ranked")
        else:
            between = f", perhaps {entry.rank_low} to {entry.rank_high}" if entry.rank_low != entry.rank_high else ""
            parts.append(f"place {entry.rank}{between}")
        if entry.percentile is not None:
            low, high = entry.percentile_low, entry.percentile_high
            most = f", most likely {low:.0f} to {high:.0f}" if low is not None and high is not None else ""
            parts.append(f"funnier than {_of_100(entry.percentile)} in 100{most}")
        if entry.relevance is not None:
            parts.append(f"fits the topic {_percent(entry.relevance)} of 100")
        if entry.originality is not None:
            parts.append(f"original {_percent(entry.originality)} of 100")
        parts += [f"{name}: {value}" for name, value in entry.columns.items() if value]
        if entry.duels:
            parts.append(f"in {wording.count_of(entry.duels, 'duel')}")
        return wording.sentence_case("; ".join([*parts, *(word.rstrip(".") for word in self.words(entry))])) + "."

    def _text(self, entry: RankedEntry, column: Column) -> str:
        if column is Column.PLACE:
            return "" if entry.rank is None else str(entry.rank)
        if column is Column.JOKE:
            return wording.one_line(entry.text, 300)
        if column is Column.OF_100:
            return number_of(entry, of_100=self.scale == (0.0, 100.0))
        if column is Column.RANKS:
            if entry.rank is None:
                return ""
            one = entry.rank_low == entry.rank_high
            return str(entry.rank) if one else f"{entry.rank_low}–{entry.rank_high}"
        if column is Column.RELEVANCE:
            return _percent(entry.relevance)
        if column is Column.ORIGINALITY:
            return _percent(entry.originality)
        if column is Column.LISTED:
            return wording.one_line(entry.columns.get(self.listed, ""))
        if column is Column.MARKS:
            return ", ".join(self.words(entry))
        return ""

    # Order

    def _sorted(self, entries: Sequence[RankedEntry]) -> list[RankedEntry]:
        column, order = self._by
        place = _places(entries)
        key = place if column is Column.PLACE else self._keys()[column]
        # By the place first, so that what is equal stands in that order.
        rows = sorted((entry for entry in entries if entry.id in self._shown), key=place)
        rows.sort(key=key, reverse=order is Qt.SortOrder.DescendingOrder)
        return rows

    def _keys(self) -> dict[Column, Callable[[RankedEntry], Any]]:
        return {
            Column.JOKE: lambda entry: entry.text.casefold(),
            Column.BAR: self._value,
            Column.OF_100: self._value,
            Column.RANKS: lambda entry: (entry.rank is None, entry.rank_low or 0, entry.rank_high or 0),
            Column.RELEVANCE: lambda entry: -1.0 if entry.relevance is None else entry.relevance,
            Column.ORIGINALITY: lambda entry: -1.0 if entry.originality is None else entry.originality,
            Column.LISTED: lambda entry: entry.columns.get(self.listed, "").casefold(),
            Column.MARKS: lambda entry: (
                {"keep": 0, None: 1, "bin": 2}[self.noted(entry).mark],
                not self.noted(entry).starred,
                not self.noted(entry).tags,
                not self.words(entry),
            ),
        }

    def _value(self, entry: RankedEntry) -> float:
        value = entry.percentile if self.scale == (0.0, 100.0) else entry.score
        return float("-inf") if value is None else value

    def _reorder(self, entries: Sequence[RankedEntry]) -> None:
        """Show entries in their order; where they are those that are here, what is selected stays so."""
        rows = self._sorted(entries)
        if {entry.id for entry in rows} != {entry.id for entry in self._rows}:
            self.beginResetModel()
            self._rows = rows
            self.endResetModel()
            return
        self.layoutAboutToBeChanged.emit()
        held = self.persistentIndexList()
        ids = [self._rows[index.row()].id for index in held]
        self._rows = rows
        place = {entry.id: row for row, entry in enumerate(self._rows)}
        self.changePersistentIndexList(
            held, [self.index(place[id], index.column()) for id, index in zip(ids, held, strict=True)]
        )
        self.layoutChanged.emit()

    def _changed(self) -> None:
        if self._rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._rows) - 1, len(Column) - 1))

    def row_of(self, id: str) -> QModelIndex:
        """The index of an entry, invalid where it isn't here."""
        row = next((row for row, entry in enumerate(self._rows) if entry.id == id), -1)
        return self.index(row, 0) if row >= 0 else QModelIndex()


def _places(entries: Sequence[RankedEntry]) -> Callable[[RankedEntry], tuple[bool, int, bool, bool]]:
    """The key of the ranking's own order: by place; a version that isn't read yet stands under its original."""
    ranks = {entry.id: entry.rank for entry in entries}

    def place(entry: RankedEntry) -> tuple[bool, int, bool, bool]:
        rank = entry.rank
        if rank is None and entry.version_of is not None:
            rank = ranks.get(entry.version_of)
        return rank is None, rank or 0, entry.same_as is not None, entry.rank is None

    return place


def _of_100(percentile: float) -> str:
    return str(min(99, max(1, round(percentile))))


def _percent(share: float | None) -> str:
    return "" if share is None else f"{round(100 * share)}"


def _listed(entries: Sequence[RankedEntry]) -> str:
    """The name of the list's own column that is shown; empty where the list has none."""
    names = dict.fromkeys(name for entry in entries for name, value in entry.columns.items() if value)
    return next((name for name in _LISTED_FIRST if name in names), next(iter(names), ""))


def _scale(entries: Sequence[RankedEntry]) -> tuple[float, float] | None:
    if by_place(entries):
        return 0.0, 100.0
    lows = [entry.low if entry.low is not None else entry.score for entry in entries if entry.score is not None]
    highs = [entry.high if entry.high is not None else entry.score for entry in entries if entry.score is not None]
    known = [value for value in (*lows, *highs) if value is not None]
    return (min(known), max(known)) if known and min(known) < max(known) else None
