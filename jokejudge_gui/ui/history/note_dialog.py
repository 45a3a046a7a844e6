"""A note and tags for one verdict."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from ..look.theme import font, px
from ..widgets.controls import PrimaryButton, SecondaryButton
from ..widgets.fields import TextEditor
from ..widgets.text import Heading


def split_tags(text: str) -> tuple[str, ...]:
    """Tags from a line with commas; blanks are trimmed, repeats dropped whatever their case."""
    tags: dict[str, str] = {}
    for piece in text.split(","):
        tag = " ".join(piece.split())
        if tag:
            tags.setdefault(tag.casefold(), tag)
    return tuple(tags.values())


class NoteDialog(QDialog):
    """``note`` and ``tags`` hold what was typed when the dialog is accepted: by Save, by Enter in the line of tags, or
    by Ctrl+Enter anywhere."""

    def __init__(self, note: str, tags: tuple[str, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Note")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(px(24), px(20), px(24), px(20))
        layout.setSpacing(px(10))
        layout.addWidget(Heading("Note", 2))
        self.editor = TextEditor()
        self.editor.setPlaceholderText("What to remember about this verdict")
        self.editor.setAccessibleName("Note")
        self.editor.setPlainText(note)
        self.editor.setMinimumHeight(px(120))
        layout.addWidget(self.editor, 1)
        self.tags_field = QLineEdit(", ".join(tags))
        self.tags_field.setFont(font(14, 400))
        self.tags_field.setPlaceholderText("Tags, separated by commas")
        self.tags_field.setAccessibleName("Tags, separated by commas")
        caption = QLabel("Tags")
        caption.setTextFormat(Qt.TextFormat.PlainText)
        caption.setBuddy(self.tags_field)
        layout.addWidget(caption)
        layout.addWidget(self.tags_field)
        row = QHBoxLayout()
        row.addStretch(1)
        cancel = SecondaryButton("Cancel")
        cancel.clicked.connect(self.reject)
        self.save_button = PrimaryButton("Save")
        self.save_button.clicked.connect(self.accept)
        row.addWidget(cancel)
        row.addWidget(self.save_button)
        layout.addLayout(row)
        self.tags_field.returnPressed.connect(self.accept)
        for keys in ("Ctrl+Return", "Ctrl+Enter"):
            QShortcut(QKeySequence(keys), self, activated=self.accept)
        self.resize(px(440), px(340))
        self.editor.setFocus()

    @property
    def note(self) -> str:
        return self.editor.toPlainText()

    @property
    def tags(self) -> tuple[str, ...]:
        return split_tags(self.tags_field.text())
