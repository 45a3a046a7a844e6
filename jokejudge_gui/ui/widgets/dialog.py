"""The base class of the window's dialogs, and the dialog for a file to write."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import QDialog, QFileDialog, QWidget

from ..look.theme import px, theme
from .controls import PrimaryButton, SecondaryButton
from .keyboard import FocusRing
from .layout import HBox, VBox
from .text import Heading


class Dialog(QDialog):
    """A heading over ``body``; kept on the screen when the text grows, and deleted when it is closed. ``size``: width
    and height in pixels at 100 %, at most those of the screen; a height of 0: its content's.
    ``heading``: a heading other than ``title``, None for none."""

    def __init__(
        self, title: str, parent: QWidget | None, size: tuple[float, float], *, gap: float = 14,
        heading: str | None = "",
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self._size = size
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.body = VBox(parent=self, gap=gap, margins=(24, 20, 24, 20))
        if heading is not None:
            self.body.add(Heading(heading or title, 2))
        if parent is None:
            theme().dress_window(self)
        theme().changed.connect(self.restyle)
        self.ring = FocusRing(self)

    def add_foot(self, word: str, *left: QWidget | int, cancel: bool = False) -> PrimaryButton:
        """Add a row at the bottom: ``left``, and at the right the button ``word``, which closes the dialog. With
        ``cancel`` there is also a Cancel button, and Ctrl+Enter acts as ``word`` does."""
        button = PrimaryButton(word, act=self.accept)
        row = HBox(*(left or (1,)), gap=8)
        if cancel:
            button.setDefault(True)
            row.add(SecondaryButton("Cancel", act=self.reject))
            for keys in ("Ctrl+Return", "Ctrl+Enter"):
                QShortcut(QKeySequence(keys), self, activated=self.accept)
        row.add(button)
        self.body.add(row)
        self.restyle()
        return button

    def restyle(self) -> None:
        """Set the size for the current text size, and move it to where all of it is visible."""
        most, (width, height) = self.most(), map(px, self._size)
        self.resize(min(width, most.width()), min(height or self.sizeHint().height(), most.height()))
        self._move_in()

    # Not in ``event``: a dialog is deleted within it, and Python would return into a deleted object.
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._move_in()

    def _move_in(self) -> None:
        room, frame = self.screen().availableGeometry(), self.frameGeometry()
        left, top = min(frame.x(), room.right() + 1 - frame.width()), min(frame.y(), room.bottom() + 1 - frame.height())
        if self.isVisible():
            self.move(max(left, room.x()), max(top, room.y()))

    def most(self) -> QSize:
        """Return the largest possible size, without the window's frame."""
        return self.screen().availableGeometry().size() - QSize(24, 24)


def ask_file(parent: QWidget, title: str, name: str, endings: Mapping[str, str]) -> Path | None:
    """Let the user type the name of a file to write, which gets the ending of the chosen filter if it has none; None if
    they cancel. ``endings``: by the filter's words. The dialog asks before a file is replaced."""
    dialog = QFileDialog(parent, title, "", ";;".join(endings))
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.selectFile(name)
    dialog.setDefaultSuffix(next(iter(endings.values())))
    dialog.filterSelected.connect(lambda words: dialog.setDefaultSuffix(endings[words]))
    chosen = Path(dialog.selectedFiles()[0]) if dialog.exec() else None
    dialog.deleteLater()
    return chosen
