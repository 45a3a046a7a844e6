"""Text: single lines, and paragraphs that wrap. Always plain text, even if it looks like HTML."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import (
    QFontMetricsF,
    QPainter,
    QPaintEvent,
    QPalette,
    QResizeEvent,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextOption,
)
from PySide6.QtWidgets import QFrame, QLabel, QSizePolicy, QTextBrowser, QWidget

from ..look.theme import font, px, theme
from ..look.wording import Run, beginning
from .base import Themed, plain_tooltip, text_width, wrap_mode

_APOSTROPHE = re.compile(r"(?<=\w)'(?=\w)")
_TOKENS = {"strong": "text", "muted": "text3"}
_HEADINGS = {1: 28, 2: 24, 3: 20, 4: 15}
_LONGEST = 36
"""Characters of a chip; the tooltip has the whole word."""


def curly(text: str) -> str:
    """Return a text as it is drawn: with curly apostrophes within words, in its own length."""
    return _APOSTROPHE.sub("’", text)


class Label(Themed, QLabel):
    """One line of plain text in a size, weight and colour token; never wraps, so it is never clipped by a wrap."""

    def __init__(
        self, text: str = "", size: float = 14, weight: int = 400, token: str = "text", tabular: bool = False
    ) -> None:
        super().__init__()
        self._size, self._weight, self._token, self._tabular = size, weight, token, tabular
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(text)
        self.follow_theme()

    def setText(self, text: str) -> None:
        super().setText(curly(text))

    def restyle(self) -> None:
        self.setFont(font(self._size, self._weight, self._tabular))
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.WindowText, theme().colour(self._token))
        self.setPalette(palette)
        self.updateGeometry()


class Caption(Label):
    """A caption: 12 px, third text colour."""

    def __init__(self, text: str = "") -> None:
        super().__init__(text, 12, 400, "text3")


class Chip(Label):
    """A word in a box, 24 px high. ``chosen``: by the program, for the joke; else by the user."""

    def __init__(self, label: str, *, chosen: bool = False) -> None:
        super().__init__(beginning(label, _LONGEST), 12, 500, "accent" if chosen else "text")
        self.label = label
        self.setProperty("chosen", chosen)
        self.setAccessibleName(label)
        self.setToolTip(plain_tooltip(label))

    def restyle(self) -> None:
        self.setFixedHeight(px(24))
        super().restyle()


class Fitted(Themed):
    """Mixin of a text that is as high as it is in its width."""

    _size = 14.0

    def fit(self) -> None:
        """Take the height of the text at this width."""
        assert isinstance(self, Paragraph | FittedText)
        self.document().setTextWidth(max(self.width(), 1))
        self.setFixedHeight(max(1, math.ceil(self.document().size().height())) if self.text() else 1)
        self.updateGeometry()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)  # type: ignore[misc]
        if event.size().width() != event.oldSize().width():
            self.fit()

    def sizeHint(self) -> QSize:
        # As wide as the longest line in bold, at most as a usual column.
        assert isinstance(self, Paragraph | FittedText)
        widest = max(text_width(part[:200], font(self._size, 600)) for part in self.text().split("\n"))
        return QSize(min(round(widest) + 2, px(320)), self.height())

    def minimumSizeHint(self) -> QSize:
        hint = self.sizeHint()
        return QSize(min(px(40), hint.width()), hint.height())


class Paragraph(Fitted, QWidget):
    """Wrapping plain text in runs of styles; fixes its height to its width.

    ``content`` is a string or ``(text, style)`` runs: ``normal`` in the paragraph's colour, ``strong`` 600, ``muted``
    in the third text colour. Line breaks in the text are kept: they divide it into parts with ``gap`` px at 100 %
    between them."""

    def __init__(
        self, content: str | Iterable[Run] = "", size: float = 14, weight: int = 400, token: str = "text2",
        line_height: float = 1.5, *, gap: int = 0,
    ) -> None:  # fmt: skip
        super().__init__()
        self._size, self._weight, self._token, self._line_height, self._gap = size, weight, token, line_height, gap
        self._runs: list[Run] = []
        self._above = 0.0
        self._document = QTextDocument(self)
        self._document.setDocumentMargin(0)
        self._document.setUndoRedoEnabled(False)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme().changed.connect(self.restyle)
        self.set_content(content)
        self.fit()

    def set_content(self, content: str | Iterable[Run]) -> None:
        """Replace the text. The screen reader's text has no styles."""
        runs: list[Run] = [(content, "normal")] if isinstance(content, str) else list(content)
        if runs != self._runs:
            self._runs = runs
            self.setAccessibleName(self.text())
            self.restyle()

    def show_text(self, content: str | Iterable[Run]) -> None:
        """Replace the text, and hide the paragraph if it is empty."""
        self.set_content(content)
        self.setVisible(bool(self.text()))

    def document(self) -> QTextDocument:
        """Return what is drawn."""
        return self._document

    def text(self) -> str:
        """Return the text without its styles."""
        return "".join(text for text, _ in self._runs)

    def restyle(self) -> None:
        option, lines = QTextOption(), QTextBlockFormat()
        option.setWrapMode(wrap_mode(self.text()))
        spare = max(0.0, px(self._size * self._line_height) - QFontMetricsF(font(self._size, self._weight)).height())
        lines.setLineHeight(spare, QTextBlockFormat.LineHeightTypes.LineDistanceHeight.value)
        self._above = spare / 2
        self._document.clear()
        self._document.setDefaultFont(font(self._size, self._weight))
        self._document.setDefaultTextOption(option)
        cursor = QTextCursor(self._document)
        cursor.setBlockFormat(lines)
        lines.setTopMargin(px(self._gap))
        for text, style in self._runs:
            look = QTextCharFormat()
            look.setForeground(theme().colour(_TOKENS.get(style, self._token)))
            look.setFont(font(self._size, 600 if style == "strong" else self._weight))
            for number, part in enumerate(curly(text).replace("\r\n", "\n").split("\n")):
                if number:
                    cursor.insertBlock(lines)
                cursor.insertText(part, look)
        self.fit()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.translate(QPointF(0, self._above))
        self._document.drawContents(painter)
        painter.end()


class Heading(Paragraph):
    """A heading that wraps: level 1 is 28 px, 2 is 24, 3 is 20, 4 (card titles) is 15; all 600."""

    def __init__(self, text: str = "", level: int = 3) -> None:
        super().__init__(text, _HEADINGS[level], 600, "text", 1.3)


class FittedText(Fitted, QTextBrowser):
    """The base of rich texts, without an edge or a scroll bar."""

    def __init__(self, size: float = 14) -> None:
        super().__init__()
        self._size = size
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setOpenLinks(False)
        self.document().setDocumentMargin(0)

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        # Qt scrolls to the cursor while the text is higher than its place, and doesn't scroll back.
        super().scrollContentsBy(dx, dy)
        self.verticalScrollBar().setValue(0)

    def text(self) -> str:
        """Return the text without styles and marks."""
        return self.toPlainText()
