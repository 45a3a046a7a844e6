"""Says that what was typed as a joke looks like a list of jokes, and offers to rank them."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QPlainTextEdit, QSizePolicy, QVBoxLayout, QWidget

from ...errors import InputError
from ...runs.lists import JokeList, read_list
from ..look.theme import px, theme
from ..widgets.controls import LinkButton
from ..widgets.text import Paragraph

_REST_MS = 150
_LEAST_LINES = 3
_LEAST_PLAIN = 5
"""A joke may have some lines, a dialogue or a verse: without numbers or bullets it takes more of them to be a list."""
_MARKED = ("numbered", "bulleted", "csv", "json")


def looks_like_a_list(text: str) -> JokeList | None:
    """The list that a text seems to be; None for one that may well be a single joke."""
    if text.count("\n") + 1 < _LEAST_LINES:
        return None
    try:
        found = read_list(text)
    except InputError:
        return None
    least = _LEAST_LINES if found.form in _MARKED else _LEAST_PLAIN
    return found if len(found.jokes) >= least else None


class ListOffer(QWidget):
    """Watches an editor. ``asked`` carries its text."""

    asked = Signal(str)

    def __init__(self, editor: QPlainTextEdit, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._editor = editor
        self.words = Paragraph("", 13)
        self.link = LinkButton("Rank them in Contest")
        self.link.clicked.connect(lambda: self.asked.emit(self._editor.toPlainText()))
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.addWidget(self.words)
        self._layout.addWidget(self.link, 0, Qt.AlignmentFlag.AlignLeft)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(_REST_MS)
        self._rest.timeout.connect(self._look)
        editor.textChanged.connect(self._rest.start)
        self._scale()
        theme().changed.connect(self._scale)
        self.hide()

    def _scale(self) -> None:
        self._layout.setSpacing(px(2))

    def _look(self) -> None:
        # Blocks are counted by Qt already: a single line needs no reading.
        many = self._editor.blockCount() >= _LEAST_LINES and not self._editor.isReadOnly()
        found = looks_like_a_list(self._editor.toPlainText()) if many else None
        if found is not None:
            self.words.set_content(
                f"This looks like a list of {len(found.jokes):,} jokes. Here it would be judged as one."
            )
        self.setVisible(found is not None)
