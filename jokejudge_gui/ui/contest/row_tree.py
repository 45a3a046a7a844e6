"""A list of rows in columns, painted from the tokens: what the ranking and the reading of a list look like."""

from __future__ import annotations

from PySide6.QtCore import QAbstractItemModel, QEvent, QModelIndex, QPersistentModelIndex, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QStyleOptionViewItem, QTreeView, QWidget

from ..look.theme import font, px, theme
from ..widgets.base import LEFT, Themed, line
from ..widgets.scroll import ThinBar

Index = QModelIndex | QPersistentModelIndex


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
