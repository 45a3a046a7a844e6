"""The topic or scene that a joke is about, folded away until it is wanted."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from ...texts import MOST_CONTEXT
from ..look.theme import px, theme
from ..widgets.controls import IconButton, LinkButton
from ..widgets.fields import LineField

ADD = "Add a topic or scene"
NAME = "Topic or scene"
_EXAMPLE = "Topic or scene: a hashtag, or what a cartoon shows"


class ContextField(QWidget):
    """A line for the topic with a button that takes it away; hidden while it is folded. ``link`` unfolds it and is put
    where the tab has room. ``edited``: the topic changed."""

    edited = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.link = LinkButton(ADD)
        self.link.clicked.connect(self.unfold)
        self.line = LineField(_EXAMPLE, NAME, MOST_CONTEXT)
        self.line.textChanged.connect(lambda _text: self.edited.emit())
        self.close_button = IconButton("cross", "Remove the topic or scene")
        self.close_button.clicked.connect(self.fold)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.addWidget(self.line, 1)
        self._row.addWidget(self.close_button)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._scale()
        theme().changed.connect(self._scale)
        self.hide()

    def _scale(self) -> None:
        self._row.setSpacing(px(6))

    def text(self) -> str:
        """The topic as it is judged: in one line, without blanks at its ends; empty if there is none."""
        return " ".join(self.line.text().split())

    def set_text(self, text: str) -> None:
        """Show a topic; without one the field is folded."""
        if text != self.text():
            self.line.setText(text)
        self._show(bool(text))

    def unfold(self) -> None:
        """Show the line, ready to be typed into."""
        self._show(True)
        self.line.setFocus()

    def fold(self) -> None:
        """Take the topic away."""
        self.line.clear()
        self._show(False)
        self.link.setFocus()

    def set_live(self, live: bool) -> None:
        """Read-only while it is being judged."""
        self.line.setReadOnly(live)
        self.close_button.setEnabled(not live)
        self.link.setEnabled(not live)

    def _show(self, shown: bool) -> None:
        self.setVisible(shown)
        self.link.setVisible(not shown)
