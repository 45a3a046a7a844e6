"""The ranking as it is looked at and worked with: intervals drawn, and a key for everything."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QAbstractItemView, QMenu, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from ...judge.contest.types import Mark, RankedEntry
from ..look.theme import Room, font, px, theme
from ..widgets.base import CENTRE, LEFT, RIGHT, KeyActs, box, disc, write
from .ranking_model import EXTRA, Column, EntryRole, Index, RankingModel, RowTree

ROW_HEIGHT = 44
KEYS = (
    "K keep · B bin · S star · T tag · V vote · C choose blind · N next · Enter open · F2 new version · D duel · "
    "O order · F filter · E export"
)
_WIDTHS: dict[Room, tuple[int, int, int, int, int]] = {
    "wide": (44, 250, 48, 76, 150),
    "medium": (40, 160, 44, 72, 120),
    "narrow": (36, 84, 38, 62, 76),
}
"""Of place, bar, of 100, ranks and marks, in pixels at 100 %; the joke takes the rest."""
_EXTRA_WIDTHS = (56, 68, 96)


class RankingDelegate(QStyledItemDelegate):
    """Paints the cells of a ranking."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(px(40), px(ROW_HEIGHT))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        entry, model = index.data(EntryRole), index.model()
        if not isinstance(entry, RankedEntry) or not isinstance(model, RankingModel):
            return
        painter.save()
        tokens = theme().tokens
        rect: QRect = option.rect  # type: ignore[attr-defined]
        room = QRectF(rect).adjusted(px(4), 0, -px(4), -1)
        text = str(index.data())
        column = Column(index.column())
        if column is Column.RANKS:
            room.adjust(px(8), 0, 0, 0)
        out = model.noted(entry).mark == "bin" or entry.rank is None or entry.same_as is not None
        if column is Column.BAR:
            if model.scale is not None:
                paint_interval(painter, room, entry, model.scale)
        else:
            face, colour, align = font(14), tokens.text3 if out else tokens.text, LEFT
            if column is Column.PLACE:
                face, align = font(14, 600, tabular=True), CENTRE
            elif column is Column.OF_100:
                face, align = font(14, 600, tabular=True), RIGHT
            elif column in (Column.RELEVANCE, Column.ORIGINALITY):
                face, colour, align = font(13, tabular=True), tokens.text2, CENTRE
            elif column is Column.RANKS:
                face, colour = font(13, tabular=True), tokens.text2
            elif column is Column.MARKS:
                face, colour = font(13), tokens.accent if model.noted(entry).mark == "keep" else tokens.text2
            shown = QFontMetrics(face).elidedText(text, Qt.TextElideMode.ElideRight, int(room.width()))
            write(painter, room, shown, face, colour, align)
        painter.restore()


def paint_interval(painter: QPainter, rect: QRectF, entry: RankedEntry, scale: tuple[float, float]) -> None:
    """The track, where the joke may lie on it, and where it most likely lies; nothing for one that isn't known."""
    tokens = theme().tokens
    of_100 = scale == (0.0, 100.0)
    value = entry.percentile if of_100 else entry.score
    low, high = (entry.percentile_low, entry.percentile_high) if of_100 else (entry.low, entry.high)
    if value is None:
        return
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    thick, knob = px(8), px(6)
    track = QRectF(rect.left(), rect.center().y() - thick / 2, rect.width(), thick)

    def at(one: float) -> float:
        share = (one - scale[0]) / (scale[1] - scale[0])
        return track.left() + knob + min(max(share, 0.0), 1.0) * (track.width() - 2 * knob)

    box(painter, track, thick / 2, tokens.track)
    if low is not None and high is not None:
        box(painter, QRectF(at(low), track.top(), max(at(high) - at(low), thick), thick), thick / 2, tokens.tint3)
    disc(painter, QPointF(at(value), track.center().y()), knob, tokens.surface, tokens.accent, px(2.5))


class RankingView(KeyActs, RowTree):
    """``marked`` carries keep, bin or None, ``starred``, ``tag_asked`` and ``voted`` nothing: for every selected entry.
    ``open_asked`` and ``version_asked`` carry an entry, ``duel_asked`` one or two; ``blind_asked``: two jokes are to be
    shown without their places; ``filter_asked``: another part of the list is to be shown; ``export_asked``: the kept
    ones are wanted in a file."""

    marked = Signal(object)
    starred = Signal()
    tag_asked = Signal()
    voted = Signal()
    blind_asked = Signal()
    open_asked = Signal(object)
    version_asked = Signal(object)
    duel_asked = Signal(object)
    filter_asked = Signal()
    export_asked = Signal()

    def __init__(self, model: RankingModel, parent: QWidget | None = None) -> None:
        super().__init__("Ranking", parent)
        self._ranking = model
        self._room: Room = "wide"
        self.setItemDelegate(RankingDelegate(self))
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setModel(model)
        model.layoutChanged.connect(self._on_columns)
        model.modelReset.connect(self._on_columns)
        self.setSortingEnabled(True)
        self.sortByColumn(Column.PLACE, Qt.SortOrder.AscendingOrder)
        self.customContextMenuRequested.connect(self._open_menu)
        self.doubleClicked.connect(lambda index: self._open(self._ranking.entry(index.row())))

    def set_room(self, room: Room) -> None:
        """How much room the window has."""
        self._room = room
        self._ranking.set_short(room == "narrow")
        self.share_width()

    def restyle(self) -> None:
        super().restyle()
        self.setMinimumHeight(px(34 + 5 * ROW_HEIGHT))

    def share_width(self) -> None:
        if self.model() is None:
            return
        places = (Column.PLACE, Column.BAR, Column.OF_100, Column.RANKS, Column.MARKS)
        widths = dict(zip(places, map(px, _WIDTHS[self._room]), strict=True))
        for column, width in zip(EXTRA, _EXTRA_WIDTHS, strict=True):
            there = column in self._ranking.extra and self._room != "narrow"
            widths[column] = px(width) if there else 0
            self.setColumnHidden(column, not there)
            if there:
                # What they take is the bars', which can be shorter, as far as that goes.
                widths[Column.BAR] = max(px(100), widths[Column.BAR] - px(width))
        widths[Column.JOKE] = max(px(100), self.viewport().width() - sum(widths.values()))
        for column, width in widths.items():
            if not self.isColumnHidden(column):
                self.setColumnWidth(column, width)

    def _on_columns(self) -> None:
        """Another column is known now, or one isn't any more."""
        shown = {column for column in EXTRA if not self.isColumnHidden(column)}
        if self._room != "narrow" and shown != self._ranking.extra:
            self.share_width()

    def boundary_after(self, index: Index) -> bool:
        """In the ranking's own order a stronger line stands between groups that can be told apart."""
        if self._ranking.sorted_by != (Column.PLACE, Qt.SortOrder.AscendingOrder):
            return False
        row = index.row()
        while (one := self._ranking.entry(row)) is not None and one.group is None and one.version_of is not None:
            row -= 1  # a version that isn't read yet stands with its original
        other = self._ranking.entry(index.row() + 1)
        if one is None or other is None or one.group is None or (other.group is None and other.version_of is not None):
            return False
        return one.group != other.group

    # What is selected

    def chosen(self) -> list[RankedEntry]:
        """The selected entries, from top to bottom."""
        rows = sorted(index.row() for index in self.selectionModel().selectedRows())
        return [entry for row in rows if (entry := self._ranking.entry(row)) is not None]

    def select_row(self, row: int) -> None:
        """Select one row and show it."""
        index = self._ranking.index(row, 0)
        if index.isValid():
            flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
            self.selectionModel().setCurrentIndex(index, flags)
            self.scrollTo(index)

    def next_row(self, *, undecided: bool = False) -> None:
        """Go on to the next row, or to the next that is neither kept nor binned."""
        row = self.currentIndex().row() + 1
        while undecided and (entry := self._ranking.entry(row)) is not None and self._ranking.noted(entry).mark:
            row += 1
        if self._ranking.entry(row) is not None:
            self.select_row(row)

    # What is done

    def mark(self, mark: Literal["keep", "bin"]) -> None:
        """Keep or bin what is selected and go on to the next row; what is marked so already isn't any more."""
        chosen = self.chosen()
        if not chosen:
            return
        off = all(self._ranking.noted(entry).mark == mark for entry in chosen)
        wanted: Mark | None = None if off else mark
        self.marked.emit(wanted)
        if not off and len(chosen) == 1:
            self.next_row()

    def order_by_next(self) -> None:
        """Sort by the next column; after the last by the place again."""
        columns = [column for column in Column if column is not Column.OF_100 and not self.isColumnHidden(column)]
        now = columns.index(self._ranking.sorted_by[0]) if self._ranking.sorted_by[0] in columns else 0
        column = columns[(now + 1) % len(columns)]
        best_first = column in (Column.BAR, Column.RELEVANCE, Column.ORIGINALITY)
        self.sortByColumn(column, Qt.SortOrder.DescendingOrder if best_first else Qt.SortOrder.AscendingOrder)
        self.scrollTo(self.currentIndex())

    def _open(self, entry: RankedEntry | None) -> None:
        if entry is not None:
            self.open_asked.emit(entry)

    def _write(self) -> None:
        entry = self._ranking.entry(self.currentIndex().row())
        if entry is not None:
            self.version_asked.emit(entry)

    def _duel(self) -> None:
        chosen = self.chosen()
        if 1 <= len(chosen) <= 2:
            self.duel_asked.emit(chosen)

    def acts(self) -> Mapping[Qt.Key, Callable[[], object]]:
        current = self._ranking.entry(self.currentIndex().row())
        return {
            Qt.Key.Key_K: lambda: self.mark("keep"),
            Qt.Key.Key_B: lambda: self.mark("bin"),
            Qt.Key.Key_S: self.starred.emit,
            Qt.Key.Key_T: self.tag_asked.emit,
            Qt.Key.Key_V: self.voted.emit,
            Qt.Key.Key_C: self.blind_asked.emit,
            Qt.Key.Key_F: self.filter_asked.emit,
            Qt.Key.Key_F2: self._write,
            Qt.Key.Key_N: lambda: self.next_row(undecided=True),
            Qt.Key.Key_D: self._duel,
            Qt.Key.Key_O: self.order_by_next,
            Qt.Key.Key_E: self.export_asked.emit,
            Qt.Key.Key_Return: lambda: self._open(current),
            Qt.Key.Key_Enter: lambda: self._open(current),
            Qt.Key.Key_Menu: lambda: self._open_menu(self.visualRect(self.currentIndex()).center()),
        }

    def keyboardSearch(self, search: str) -> None:
        """Letters are commands here."""

    def build_menu(self) -> QMenu:
        """What can be done with the selected entries."""
        chosen = self.chosen()
        menu = QMenu(self)
        kept = bool(chosen) and all(self._ranking.noted(entry).mark == "keep" for entry in chosen)
        binned = bool(chosen) and all(self._ranking.noted(entry).mark == "bin" for entry in chosen)
        menu.addAction("Don't keep" if kept else "Keep", lambda: self.mark("keep"))
        menu.addAction("Take out of the bin" if binned else "Bin", lambda: self.mark("bin"))
        menu.addAction("Star, or remove the star", self.starred.emit)
        menu.addAction("Tag…", self.tag_asked.emit)
        menu.addAction("Vote: funny, not funny, no vote", self.voted.emit)
        menu.addAction("Choose between two, blind", self.blind_asked.emit)
        if len(chosen) == 1:
            menu.addSeparator()
            menu.addAction("Open as a rating", lambda: self._open(chosen[0]))
            menu.addAction("Write a new version…", self._write)
            menu.addAction("Duel with…", self._duel)
        elif len(chosen) == 2:
            menu.addSeparator()
            menu.addAction("Duel these two", self._duel)
        menu.addSeparator()
        menu.addAction("Export the kept…", self.export_asked.emit)
        return menu

    def _open_menu(self, point: QPoint) -> None:
        if self.chosen():
            menu = self.build_menu()
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            menu.popup(self.viewport().mapToGlobal(point))

    def current_id(self) -> str | None:
        """The id of the entry that has the keyboard."""
        entry = self._ranking.entry(self.currentIndex().row())
        return entry.id if entry is not None else None

    def settle(self) -> None:
        """Where nothing is selected yet, the first row is."""
        if not self.currentIndex().isValid() and self._ranking.rowCount():
            self.select_row(0)

    def moveCursor(self, action: QAbstractItemView.CursorAction, modifiers: Qt.KeyboardModifier) -> QModelIndex:
        found = super().moveCursor(action, modifiers)
        return found.siblingAtColumn(0) if found.isValid() else found
