"""How much the kept states of prompts take on the disk, how much they may, and clearing them."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QWidget

from ...engine import state_folder
from ...errors import SettingsError
from ..look import wording
from ..look.theme import font, px, theme
from ..widgets.controls import LinkButton
from ..widgets.text import Label

_LIMITS = (0, 500 * 10**6, 10**9, 2 * 10**9, 5 * 10**9, 10 * 10**9, 20 * 10**9)


class KeptStatesRow(QWidget):
    """``limit_chosen`` carries the new bound in bytes (0: nothing is kept on the disk); ``failed`` an error."""

    limit_chosen = Signal(object)
    failed = Signal(object)

    def __init__(self, folder: Path, limit: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._folder = folder
        self.amount = Label("", 14, 400)
        self.limit_box = QComboBox()
        self.limit_box.setAccessibleName("Most that kept states may take on the disk")
        for size in sorted({*_LIMITS, limit}):
            self.limit_box.addItem(f"of {_bound(size)}" if size else "Keep none", size)
        self.limit_box.setCurrentIndex(self.limit_box.findData(limit))
        self.limit_box.currentIndexChanged.connect(self._choose)
        self.clear_link = LinkButton("Clear")
        self.clear_link.setAccessibleName("Clear the kept states")
        self.clear_link.clicked.connect(lambda: self._shrink(0))
        self._layout = QHBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        for widget in (self.amount, self.limit_box, self.clear_link):
            self._layout.addWidget(widget)
        self._layout.addStretch(1)
        self.setToolTip("What the model has read of the program's own prompts, so that it needn't read it again.")
        self._scale()
        theme().changed.connect(self._scale)
        self.refresh()

    def refresh(self) -> None:
        """Show what lies there now."""
        kept = state_folder.measure(self._folder)
        self.amount.setText(wording.file_size(kept.bytes) if kept.files else "None")
        self.amount.setAccessibleName(f"Kept states: {self.amount.text()}")
        self.clear_link.setEnabled(kept.files > 0)

    def _scale(self) -> None:
        self._layout.setSpacing(px(10))
        self.limit_box.setFont(font(14, 400))

    def _choose(self) -> None:
        limit = self.limit_box.currentData()
        self._shrink(limit)
        self.limit_chosen.emit(limit)

    def _shrink(self, limit: int) -> None:
        try:
            state_folder.shrink(self._folder, limit)
        except OSError as error:
            self.failed.emit(
                SettingsError(
                    "E_WRITE",
                    f"The kept states in {self._folder} can't be removed: {error.strerror or error}.",
                    "Close other windows of JokeJudge, or remove them yourself: they may go at any time.",
                )
            )
        self.refresh()


def _bound(size: int) -> str:
    return f"{size / 1e9:g} GB" if size >= 10**9 else f"{size / 1e6:g} MB"
