"""Asks for files to open and where to save something, and remembers the folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget


class LastFolder(QObject):
    """The folder in which a file was last opened or saved. ``changed``: it is another one now."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.path = ""

    def begin(self, name: str = "") -> str:
        """Where a dialog begins: in that folder, as long as it is there, with the file's ``name``."""
        return str(Path(self.path) / name) if self.path and Path(self.path).is_dir() else name

    def remember(self, file: str) -> None:
        """A file was chosen in a dialog."""
        path = str(Path(file).absolute().parent)
        if path != self.path:
            self.path = path
            self.changed.emit()


last_folder = LastFolder()
"""The one of the window."""


def ask_open(parent: QWidget, title: str, filters: str) -> str:
    """Let the user choose a file to read; empty if they thought better of it."""
    name, _ = QFileDialog.getOpenFileName(parent, title, last_folder.begin(), filters)
    if name:
        last_folder.remember(name)
    return name


def with_ending(name: str, chosen: str, endings: Mapping[str, str]) -> Path:
    """The file for what a dialog gave: a known ending stays, else that of the chosen filter is added, else of the
    first one. ``endings``: by the filter's words."""
    path = Path(name)
    if path.suffix.lower() in endings.values():
        return path
    return path.with_name(path.name + endings.get(chosen, next(iter(endings.values()))))


def ask_file(parent: QWidget, title: str, name: str, endings: Mapping[str, str]) -> Path | None:
    """Let the user choose a file to write; None if they thought better of it. The dialog itself asks before it gives
    the name of a file that exists; where an ending was added to what was typed, this asks."""
    while True:
        given, chosen = QFileDialog.getSaveFileName(parent, title, last_folder.begin(name), ";;".join(endings))
        if not given:
            return None
        last_folder.remember(given)
        path = with_ending(given, chosen, endings)
        if str(path) == given or not path.exists() or may_replace(parent, path):
            return path
        name = str(path)


def may_replace(parent: QWidget, path: Path) -> bool:
    """Ask whether a file that exists may be replaced."""
    box = QMessageBox(parent)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setIcon(QMessageBox.Icon.Warning)
    box.setWindowTitle("Replace the file?")
    box.setText(f"{path.name} exists already.")
    box.setInformativeText("If you replace it, what it holds now is lost.")
    replace = box.addButton("Replace", QMessageBox.ButtonRole.DestructiveRole)
    keep = box.addButton("Choose another name", QMessageBox.ButtonRole.RejectRole)
    box.setDefaultButton(keep)
    box.exec()
    return box.clickedButton() is replace
