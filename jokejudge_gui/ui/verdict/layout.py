"""A tab's fields at the left and its result at the right, with what can be done with it pinned under the result."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QLayout, QVBoxLayout, QWidget

from ..look.theme import px, theme
from ..room import Room
from ..widgets.scroll import ColumnScroll


class TwoColumns:
    """Lays ``tab`` out; ``left`` is hidden where there is room for one column only."""

    def __init__(self, tab: QWidget, right: ColumnScroll, foot: QLayout) -> None:
        self.left, self.right, self._foot, self._tab = ColumnScroll(), right, foot, tab
        side = QVBoxLayout()
        side.setContentsMargins(0, 0, 0, 0)
        side.setSpacing(0)
        side.addWidget(right, 1)
        side.addLayout(foot)
        self._row = QHBoxLayout(tab)
        self._row.addWidget(self.left)
        self._row.addLayout(side, 1)

    def measure(self, room: Room, margin: int) -> None:
        """Give the columns their widths; ``margin`` is the window's at the right, in pixels."""
        gutter = px(12)
        effective = self._tab.window().width() / theme().scale
        width = 412 if room == "wide" else 356 + 16 * min(1.0, max(0.0, (effective - 820) / 204))
        self.left.setFixedWidth(px(width) + gutter)
        self._row.setContentsMargins(0, 0, max(0, margin - gutter), 0)
        self._row.setSpacing(px(16) - gutter)
        self._foot.setContentsMargins(0, 0, gutter, 0)
        for column in (self.left, self.right):
            column.body.setContentsMargins(0, 0, 0, px(14))
