"""The jokes of a screened list with their chances and what is to be done with each, and why."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QObject, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QAbstractItemView, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from ...judging.contest.screening import Screened, Screening
from ..frame.room import Room
from ..look import wording
from ..look.theme import font, px, theme
from ..widgets.base import LEFT, RIGHT, plain_tooltip, write
from .row_tree import Index, RowTree
from .screening_state import reason_words

ROW_HEIGHT = 36
DECISIONS = {"promote": "Promoted", "show": "Vote now", "wait": "Vote later", "reject": "Rejected"}
_CHANCE, _DECISION, _JOKE, _REASON = range(4)
_TOKENS = {"promote": "good_text", "show": "accent", "wait": "text", "reject": "text3"}
_WIDTHS: dict[Room, tuple[int, int, int]] = {"wide": (70, 110, 250), "medium": (64, 100, 196), "narrow": (68, 90, 0)}
"""Of chance, decision and reason, in pixels at 100 %; the joke takes the rest."""


class ScreeningModel(QAbstractTableModel):
    """The entries of a ``Screening``, best chance first."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.found: Screening | None = None

    def show_screening(self, found: Screening | None) -> None:
        """Show what came of a screening; where only decisions changed, what is selected stays so."""
        old = [entry.id for entry in self.found.entries] if self.found is not None else []
        new = [entry.id for entry in found.entries] if found is not None else []
        if old != new:
            self.beginResetModel()
            self.found = found
            self.endResetModel()
            return
        self.found = found
        if new:
            self.dataChanged.emit(self.index(0, 0), self.index(len(new) - 1, _REASON))

    def entry(self, row: int) -> Screened | None:
        """The joke in a row."""
        return self.found.entries[row] if self.found is not None and 0 <= row < len(self.found.entries) else None

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if self.found is None or (parent is not None and parent.isValid()) else len(self.found.entries)

    def columnCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else 4

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = int(Qt.ItemDataRole.DisplayRole)
    ) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return ("Chance", "Decision", "Joke", "Why")[section]
        return None

    def data(self, index: Index, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        entry = self.entry(index.row())
        if entry is None or self.found is None:
            return None
        chance = "" if entry.p is None else f"{entry.p:.2f}"
        decision = "Best" if self.found.fallback and entry.decision == "show" else DECISIONS[entry.decision]
        why = reason_words(entry, self.found.thresholds)
        if role == Qt.ItemDataRole.DisplayRole:
            return (chance, decision, wording.one_line(entry.text, 300), why)[index.column()]
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tooltip(f"{entry.text}\n\n{decision}: {why}.")
        if role == Qt.ItemDataRole.AccessibleTextRole:
            known = f", chance {chance}" if chance else ""
            return f"{wording.one_line(entry.text)}. {decision}{known}: {why}."
        return None


class ScreeningDelegate(QStyledItemDelegate):
    """Paints the cells."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(px(40), px(ROW_HEIGHT))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        model = index.model()
        entry = model.entry(index.row()) if isinstance(model, ScreeningModel) else None
        if entry is None:
            return
        painter.save()
        tokens = theme().tokens
        rect: QRect = option.rect  # type: ignore[attr-defined]
        room = QRectF(rect).adjusted(px(4), 0, -px(4), -1)
        out = entry.decision == "reject"
        face, colour, align = font(14), tokens.text3 if out else tokens.text, LEFT
        if index.column() == _CHANCE:
            face, align = font(14, 600, tabular=True), RIGHT
            room.adjust(0, 0, -px(12), 0)
        elif index.column() == _DECISION:
            face, colour = font(13, 600), getattr(tokens, _TOKENS[entry.decision])
        elif index.column() == _REASON:
            face, colour = font(13), tokens.text3 if out else tokens.text2
        shown = QFontMetrics(face).elidedText(str(index.data()), Qt.TextElideMode.ElideRight, int(room.width()))
        write(painter, room, shown, face, colour, align)
        painter.restore()


class ScreeningView(RowTree):
    """Rows to be looked at; a stronger line stands where the decision changes."""

    def __init__(self, model: ScreeningModel, parent: QWidget | None = None) -> None:
        super().__init__("Screened jokes", parent)
        self._screening = model
        self._room: Room = "wide"
        self.setItemDelegate(ScreeningDelegate(self))
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setModel(model)

    def set_room(self, room: Room) -> None:
        """How much room the window has."""
        self._room = room
        self.share_width()

    def restyle(self) -> None:
        super().restyle()
        self.setMinimumHeight(px(34 + 7 * ROW_HEIGHT))

    def share_width(self) -> None:
        if self.model() is None:
            return
        chance, decision, reason = (px(width) for width in _WIDTHS[self._room])
        joke = max(px(100), self.viewport().width() - chance - decision - reason)
        self.setColumnHidden(_REASON, reason == 0)
        for column, width in enumerate((chance, decision, joke, max(1, reason))):
            self.setColumnWidth(column, width)

    def boundary_after(self, index: Index) -> bool:
        one, other = self._screening.entry(index.row()), self._screening.entry(index.row() + 1)
        return one is not None and other is not None and (one.decision == "reject") != (other.decision == "reject")
