"""The history at the window's left: the pane, or a rail with the pane over the tab when it is asked for."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication, QHBoxLayout, QWidget

from ...config import Settings
from ..frame.room import Room
from ..look.theme import px
from .pane import HistoryPane, HistoryRail


class HistorySide(QObject):
    """Places pane and rail on ``ground``, at the left of its ``row``. ``settled``: whether the pane is to stand open
    was changed in the settings; ``left``: the pane went away with the keyboard in it."""

    settled = Signal()
    left = Signal()

    def __init__(
        self, pane: HistoryPane, rail: HistoryRail, settings: Settings, ground: QWidget, row: QHBoxLayout
    ) -> None:
        super().__init__(ground)
        self._pane = pane
        self._rail = rail
        self._settings = settings
        self._ground = ground
        self._row = row
        self._room: Room | None = None
        self.overlay = False
        """Whether the pane lies over the tab."""
        row.insertWidget(0, pane)
        row.insertWidget(1, rail)
        pane.fold_asked.connect(self.toggle)
        rail.unfold_asked.connect(self.toggle)

    def set_room(self, room: Room) -> None:
        """Place everything anew; another ``room`` takes away what lay over the tab."""
        if room != self._room:
            self._room = room
            self.overlay = False
        self._place()

    def _place(self) -> None:
        unfolded = self._room == "wide" and self._settings.history_open
        holder = QApplication.focusWidget()
        focused = holder is not None and self._pane.isAncestorOf(holder)
        self._rail.setVisible(not unfolded)
        if unfolded:
            self.overlay = False
            if self._row.indexOf(self._pane) < 0:
                self._row.insertWidget(0, self._pane)
        else:
            self._row.removeWidget(self._pane)
            self._pane.setParent(self._ground)
            self._pane.setGeometry(0, 0, px(276), self._ground.height())
            self._pane.raise_()
        self._pane.setVisible(unfolded or self.overlay)
        if focused and not self._pane.isVisible():
            self.left.emit()

    def toggle(self) -> None:
        """Fold or unfold the pane; with little room it lies over the tab."""
        if self._room == "wide":
            self._settings.history_open = not self._settings.history_open
            self.settled.emit()
        else:
            self.overlay = not self.overlay
        self._place()
        if self.overlay:
            self._pane.view.setFocus()

    def close_overlay(self) -> bool:
        """Take away what lies over the tab; whether anything did."""
        if not self.overlay:
            return False
        self.toggle()
        return True

    def find(self) -> None:
        """Show the pane, with the keyboard in its search."""
        if not self._pane.isVisible():
            self.toggle()
        self._pane.focus_search()

    def select(self, identity: str | None) -> None:
        """Mark a verdict in whichever of the two is shown."""
        self._pane.select(identity)
        self._rail.select(identity)

    def tab_order(self) -> list[QWidget]:
        """Controls in the order of the Tab key."""
        pane = self._pane
        return [
            self._rail.unfold_button, self._rail.view, pane.search, *pane.kind_chips.values(), pane.star_chip,
            pane.view, pane.undo_bar.link, pane.fold_button,
        ]  # fmt: skip
