"""Text: single lines, and paragraphs that wrap. Always plain text, even if it looks like HTML."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import accumulate

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import (
    QFont,
    QFontMetricsF,
    QPainter,
    QPaintEvent,
    QPalette,
    QResizeEvent,
    QTextCharFormat,
    QTextLayout,
    QTextLine,
    QTextOption,
)
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from ..look.theme import theme
from ..look.wording import Run
from .base import Themed, wrap_mode

_APOSTROPHE = re.compile(r"(?<=\w)'(?=\w)")
_TOKENS = {"strong": "text", "muted": "text3"}
_HEADINGS = {1: 28, 2: 24, 3: 20, 4: 15}


def curly(text: str) -> str:
    """Return a text as it is drawn: with curly apostrophes within words, in its own length."""
    return _APOSTROPHE.sub("’", text)


class Label(Themed, QLabel):
    """One line of plain text in a size, weight and colour token; never wraps, so it is never clipped by a wrap."""

    def __init__(
        self,
        text: str = "",
        size: float = 14,
        weight: int = 400,
        token: str = "text",
        tabular: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._size, self._weight, self._token, self._tabular = size, weight, token, tabular
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(text)
        self.follow_theme()

    def setText(self, text: str) -> None:
        super().setText(curly(text))

    def set_token(self, token: str) -> None:
        """Change the colour."""
        if token != self._token:
            self._token = token
            self.restyle()

    def restyle(self) -> None:
        self.setFont(theme().font(self._size, self._weight, self._tabular))
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.WindowText, theme().colour(self._token))
        self.setPalette(palette)
        self.updateGeometry()


class Caption(Label):
    """A caption: 12 px, third text colour."""

    def __init__(self, text: str = "") -> None:
        super().__init__(text, 12, 400, "text3")


class Wrapping(Themed, QWidget):
    """Plain text that wraps at its width, and fixes its height to that. A subclass defines ``text``, passes it to
    ``_lay_out`` and places each line (``_put``)."""

    def __init__(self, size: float, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._size = size
        self._layout = QTextLayout()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def text(self) -> str:
        """Return the text without styles and marks."""
        raise NotImplementedError

    def _font(self) -> QFont:
        return theme().font(self._size)

    def _lay_out(self, plain: str, formats: list[QTextLayout.FormatRange]) -> None:
        """Wrap a text again; Qt counts its positions in UTF-16 units."""
        self._layout = QTextLayout(plain, self._font())
        option = QTextOption()
        option.setWrapMode(wrap_mode(plain))
        self._layout.setTextOption(option)
        self._layout.setCacheEnabled(True)
        self._layout.setFormats(formats)
        self._arrange()
        self.update()

    def _put(self, row: QTextLine, y: float) -> float:
        """Set a line's width and position, ``y`` being the bottom of the previous line; return its own bottom."""
        raise NotImplementedError

    def _arrange(self) -> None:
        y = 0.0
        self._layout.beginLayout()
        while (row := self._layout.createLine()).isValid():
            y = self._put(row, y)
        self._layout.endLayout()
        height = max(1, round(y))
        if self.minimumHeight() != height or self.maximumHeight() != height:
            self.setFixedHeight(height)
        self.updateGeometry()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._arrange()

    def sizeHint(self) -> QSize:
        metrics = QFontMetricsF(self._font())
        widest = max((metrics.horizontalAdvance(part[:200]) for part in self.text().split("\n")), default=0.0)
        return QSize(min(round(widest) + 2, theme().px(320)), self.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(min(theme().px(40), self.sizeHint().width()), self.height())


def styled(start: int, length: int, look: QTextCharFormat) -> QTextLayout.FormatRange:
    """Return the format of a piece of a text, its position in UTF-16 units."""
    piece = QTextLayout.FormatRange()
    piece.start, piece.length, piece.format = start, length, look
    return piece


class Paragraph(Wrapping):
    """Wrapping plain text in runs of styles; fixes its height to its width.

    ``content`` is a string or ``(text, style)`` runs: ``normal`` in the paragraph's colour, ``strong`` 600, ``muted``
    in the third text colour. Line breaks in the text are kept: they divide it into parts with ``gap`` px at 100 %
    between them."""

    def __init__(
        self,
        content: str | Iterable[Run] = "",
        size: float = 14,
        weight: int = 400,
        token: str = "text2",
        line_height: float = 1.5,
        parent: QWidget | None = None,
        *,
        gap: int = 0,
    ) -> None:
        super().__init__(size, parent)
        self._weight, self._token, self._line_height, self._gap = weight, token, line_height, gap
        self._starts: set[int] = set()
        self._runs: list[Run] = []
        self.set_content(content)
        self.follow_theme()

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

    def set_token(self, token: str) -> None:
        """Change the colour of normal text."""
        if token != self._token:
            self._token = token
            self.restyle()

    def text(self) -> str:
        """Return the text without its styles."""
        return "".join(text for text, _ in self._runs)

    def restyle(self) -> None:
        t = theme()
        plain = curly(self.text()).replace("\r\n", "\n").replace("\n", "\u2028")
        formats, start = [], 0
        for text, style in self._runs:
            look = QTextCharFormat()
            look.setForeground(t.colour(_TOKENS.get(style, self._token)))
            look.setFont(t.font(self._size, 600 if style == "strong" else self._weight))
            formats.append(styled(start, _units(text.replace("\r\n", "\n")), look))
            start += formats[-1].length
        self._starts = {0, *accumulate(_units(part) + 1 for part in plain.split("\u2028"))}
        self._lay_out(plain, formats)

    def _font(self) -> QFont:
        return theme().font(self._size, 600 if any(style == "strong" for _, style in self._runs) else self._weight)

    def _put(self, row: QTextLine, y: float) -> float:
        face = theme().font(self._size, self._weight)
        pitch = max(QFontMetricsF(face).height(), self._size * self._line_height * theme().scale)
        y += theme().px(self._gap) if y and row.textStart() in self._starts else 0
        row.setLineWidth(max(self.width(), 1))
        row.setPosition(QPointF(0, y + (pitch - row.height()) / 2))
        return y + pitch

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        self._layout.draw(painter, QPointF(0, 0))
        painter.end()


class Heading(Paragraph):
    """A heading that wraps: level 1 is 28 px, 2 is 24, 3 is 20, 4 (card titles) is 15; all 600."""

    def __init__(self, text: str = "", level: int = 3) -> None:
        super().__init__(text, _HEADINGS[level], 600, "text", 1.3)


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
