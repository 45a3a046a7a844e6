"""A joke's card: title, number of characters, a link, the editor."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from ..look import wording
from ..look.theme import px, theme
from ..widgets.cards import Card
from ..widgets.controls import LinkButton, PrimaryButton, SecondaryButton
from ..widgets.fields import TextEditor
from ..widgets.text import Caption


class RunButtons(QWidget):
    """The key's name and Rate (or Duel); while a job runs Esc and Stop instead."""

    run_asked = Signal()
    stop_asked = Signal()

    def __init__(self, word: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.hint = Caption("Ctrl+Enter")
        self.run_button = PrimaryButton(word)
        self.run_button.clicked.connect(self.run_asked)
        self.stop_button = SecondaryButton("Stop", "stop")
        self.stop_button.clicked.connect(self.stop_asked)
        self.stop_button.hide()
        self._layout = QHBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.addStretch(1)
        for widget in (self.hint, self.run_button, self.stop_button):
            self._layout.addWidget(widget)
        self._scale()
        theme().changed.connect(self._scale)

    def _scale(self) -> None:
        self._layout.setSpacing(px(10))
        for button in (self.run_button, self.stop_button):
            button.setMinimumWidth(max(px(84), button.sizeHint().width()))

    def set_left(self, widget: QWidget) -> None:
        """Put a widget at the left end of the row."""
        self._layout.insertWidget(0, widget)

    def set_live(self, live: bool) -> None:
        """Show Stop instead of the run button; the keyboard's focus goes with it."""
        if live == self.run_button.isHidden():
            return
        old, new = (self.run_button, self.stop_button) if live else (self.stop_button, self.run_button)
        focused = old.hasFocus()
        new.setVisible(True)
        if focused:
            new.setFocus()
        old.setVisible(False)
        self.hint.setText("Esc" if live else "Ctrl+Enter")


class JokeCard(Card):
    """``lines``: how tall the editor is; ``most``: how tall it grows with its text.

    ``edited``: the text changed; ``link_asked``: the link at the right was pressed."""

    edited = Signal()
    link_asked = Signal()

    def __init__(
        self, title: str, link: str, placeholder: str, lines: int = 4, padding: int = 20, most: int = 0
    ) -> None:
        self.link = LinkButton(link)
        super().__init__(title, wording.characters(""), self.link, padding)
        self.link.clicked.connect(self.link_asked)
        self.editor = TextEditor(placeholder, title, lines, most=most)
        self.editor.textChanged.connect(self._on_text)
        self.add(self.editor)

    def _on_text(self) -> None:
        # characterCount counts the last paragraph's end too.
        count = self.editor.document().characterCount() - 1
        self.set_caption("1 character" if count == 1 else f"{count:,} characters")
        self.edited.emit()

    def text(self) -> str:
        return self.editor.toPlainText()

    def set_text(self, text: str) -> None:
        """Put a text in the place of what stands there; Ctrl+Z brings that back in one step."""
        if text != self.text():
            self.editor.replace_all(text)

    def set_live(self, live: bool) -> None:
        """Read-only while it is being judged."""
        if self.editor.isReadOnly() != live:
            self.editor.setReadOnly(live)
        self.link.setEnabled(not live)
