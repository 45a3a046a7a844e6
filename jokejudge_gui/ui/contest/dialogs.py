"""Small dialogs over a ranking: tags for jokes, and a new version of one."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QCompleter, QDialog, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from ..frame.placing import OnScreen
from ..history.note_dialog import split_tags
from ..look.theme import font, px
from ..widgets.controls import PrimaryButton, SecondaryButton
from ..widgets.fields import TextEditor
from ..widgets.text import Heading, Paragraph


class _Asking(QDialog):
    """A heading, a field, Cancel and a button that takes what was typed; Ctrl+Enter takes it, too."""

    def __init__(self, title: str, words: str, field: QWidget, take: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(px(24), px(20), px(24), px(20))
        layout.setSpacing(px(12))
        layout.addWidget(Heading(title, 2))
        if words:
            layout.addWidget(Paragraph(words, 13))
        layout.addWidget(field, 1)
        row = QHBoxLayout()
        row.setSpacing(px(8))
        row.addStretch(1)
        cancel = SecondaryButton("Cancel")
        cancel.clicked.connect(self.reject)
        self.take_button = PrimaryButton(take)
        self.take_button.clicked.connect(self.accept)
        self.take_button.setDefault(True)
        row.addWidget(cancel)
        row.addWidget(self.take_button)
        layout.addLayout(row)
        for keys in ("Ctrl+Return", "Ctrl+Enter"):
            QShortcut(QKeySequence(keys), self, activated=self.accept)
        OnScreen(self)
        self.resize(px(480), self.sizeHint().height())
        field.setFocus()


class TagDialog(_Asking):
    """``tags`` holds what was typed. ``known``: tags that other jokes have, which are offered."""

    def __init__(self, whose: str, tags: Sequence[str], known: Sequence[str], parent: QWidget) -> None:
        self.field = QLineEdit(", ".join(tags))
        self.field.setFont(font(14))
        self.field.setMinimumHeight(px(34))
        self.field.setPlaceholderText("Tags, separated by commas")
        self.field.setAccessibleName("Tags, separated by commas")
        if known:
            completer = QCompleter(list(known), self.field)
            completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
            self.field.setCompleter(completer)
        words = "The history finds this contest by them, and every export has them."
        super().__init__(f"Tags for {whose}", words, self.field, "Save", parent)
        self.field.selectAll()

    @property
    def tags(self) -> tuple[str, ...]:
        return split_tags(self.field.text())


class VersionDialog(_Asking):
    """``text`` holds the new version."""

    def __init__(self, text: str, parent: QWidget) -> None:
        self.editor = TextEditor("", "New version", 5)
        self.editor.setPlainText(text)
        words = "The joke stays in the ranking as it is; the new version stands beside it, and is read when you go on."
        super().__init__("A new version", words, self.editor, "Add this version", parent)
        self.editor.selectAll()

    @property
    def text(self) -> str:
        return self.editor.toPlainText()
