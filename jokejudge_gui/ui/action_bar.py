"""What can be done with the verdict that is shown; pinned under it."""

from __future__ import annotations

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from .look.theme import px, theme
from .widgets.controls import GhostButton, IconButton, SecondaryButton
from .widgets.layout import HBox


class ActionBar(QWidget):
    """Buttons with labels, or icons alone when there is little room (``set_compact``)."""

    duel_asked = Signal()
    versions_asked = Signal()
    copy_asked = Signal()
    export_asked = Signal()
    note_asked = Signal()
    star_toggled = Signal(bool)

    def __init__(self, with_duel: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.duel_button = SecondaryButton("Duel with…")
        self.duel_button.setVisible(with_duel)
        self.duel_button.clicked.connect(self.duel_asked)
        self.versions_button = SecondaryButton("Versions…")
        self.versions_button.setToolTip("Versions of this joke: change it, and see what each change does")
        self.versions_button.setVisible(with_duel)
        self.versions_button.clicked.connect(self.versions_asked)
        self._wide: list[QWidget] = []
        self._narrow: list[QWidget] = []
        self._layout = HBox(self.duel_button, self.versions_button, parent=self, gap=4, margins=(0, 9, 0, 10))
        self.buttons: dict[str, tuple[GhostButton, IconButton]] = {}
        for label, name, signal in (
            ("Copy", "copy", self.copy_asked),
            ("Export", "export", self.export_asked),
            ("Note", "pencil", self.note_asked),
        ):
            wide = GhostButton(label, name)
            narrow = IconButton(name, label)
            narrow.setToolTip(label)
            for button in (wide, narrow):
                button.clicked.connect(signal)
                self._layout.addWidget(button)
            self._wide.append(wide)
            self._narrow.append(narrow)
            self.buttons[label] = (wide, narrow)
        self._layout.addStretch(1)
        self.star_button = IconButton("star", "Star", checkable=True, act=self.star_toggled)
        self._layout.addWidget(self.star_button)
        self.set_compact(False)

    def set_compact(self, compact: bool) -> None:
        for button in self._wide:
            button.setVisible(not compact)
        for button in self._narrow:
            button.setVisible(compact)

    def set_starred(self, starred: bool) -> None:
        self.star_button.setChecked(starred)
        self.star_button.set_icon("star_filled" if starred else "star")
        self.star_button.setAccessibleName("Remove star" if starred else "Star")
        self.star_button.setToolTip("Remove star" if starred else "Star")

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(0, 0, self.width(), 1, QColor(theme().tokens.line2))

    def minimumSizeHint(self) -> QSize:
        return QSize(px(120), super().minimumSizeHint().height())
