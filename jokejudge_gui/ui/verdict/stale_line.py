"""What stands in the actions' place while the fields hold another text than the verdict's, or it was deleted."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QGraphicsOpacityEffect, QHBoxLayout, QWidget

from ..look.theme import px, theme
from ..widgets.controls import LinkButton
from ..widgets.text import Paragraph

WORDS = "This verdict is for an earlier text."
DELETED = "This verdict was deleted."
_PALE = 0.45


class StaleLine(QWidget):
    """As tall as the actions, so that nothing moves when it takes their place. ``back_asked``: the judged text is
    wanted back in the fields."""

    back_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.words = Paragraph(WORDS, 13)
        self.link = LinkButton("Bring it back")
        self.link.setAccessibleName("Bring back the text that was judged")
        self.link.clicked.connect(self.back_asked)
        self._layout = QHBoxLayout(self)
        self._layout.addWidget(self.words, 1)
        self._layout.addWidget(self.link)
        self._scale()
        theme().changed.connect(self._scale)
        self.hide()

    def show_why(self, *, stale: bool, deleted: bool) -> None:
        """Say why there are no actions; nothing where there are some."""
        words = WORDS if stale else DELETED
        if self.words.text() != words:
            self.words.set_content(words)
        self.link.setVisible(stale)
        self.setVisible(stale or deleted)

    def _scale(self) -> None:
        self._layout.setContentsMargins(0, px(9), 0, px(10))
        self._layout.setSpacing(px(12))
        self.setMinimumHeight(px(53))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(0, 0, self.width(), 1, QColor(theme().tokens.line2))


def set_pale(widget: QWidget, pale: bool) -> None:
    """Draw a card of an earlier text faintly, or as ever."""
    effect = widget.graphicsEffect()
    if pale and effect is None:
        faint = QGraphicsOpacityEffect(widget)
        faint.setOpacity(_PALE)
        widget.setGraphicsEffect(faint)
    elif not pale and effect is not None:
        widget.setGraphicsEffect(None)  # type: ignore[arg-type]
