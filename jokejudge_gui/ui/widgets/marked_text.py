"""A text with marks: its turn, the intended word, and words that could be cut, were removed or were added."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Literal

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QTextCharFormat,
    QTextLayout,
    QTextLine,
)

from ...core.pages import Mark
from ...core.words import WORD, changed_words
from ..look.theme import theme
from .base import box, line, text_width, write
from .text import Wrapping, styled, x_of

_PITCHES = {28: 42, 24: 38, 20: 32, 17: 26, 15: 24, 14: 24}
"""The line height by the size of the text, in pixels at 100 %; for other sizes 1.5 times the size."""
_NOTED = 54
"""The height of a line with a word above it."""
_NAMES = {"turn": "Turns on", "tag": "Tag", "cut": "Struck", "differs": "Different"}
_HALF = 0.66
"""The distance from a line's middle to the edge of a mark, in sizes of the text."""


class MarkedText(Wrapping):
    """A text with marks, which wraps and fixes its height to its width. ``selectable``: its words can be selected with
    the mouse or the arrow keys and copied; ``selected`` is sent when the selection changes."""

    selected = Signal()

    def __init__(self, *, size: float = 15, token: str = "text", selectable: bool = False) -> None:
        super().__init__(size)
        self._token, self._selectable = token, selectable
        self._text = ""
        self._marks: tuple[Mark, ...] = ()
        self._above = ""
        self._strong: tuple[int, int] | None = None
        self._anchor = self._head = 0
        self._units: list[int] = [0]
        if selectable:
            self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            self.setProperty("ring", True)
            self.setCursor(Qt.CursorShape.IBeamCursor)
        self.follow_theme()

    # Content

    def set_text(self, text: str, marks: Sequence[Mark] = (), *, above: str = "", size: float | None = None) -> None:
        """Replace everything. ``above``: a text written above the words of the mark ``wordplay``; ``size`` in pixels at
        100 %, None: unchanged. Empty marks are left out, and punctuation around the turn isn't marked."""
        trim = (trimmed(text, one) if one.kind == "turn" else one for one in marks)
        kept = tuple(one for one in trim if 0 <= one.start < one.end <= len(text))
        shown = (text, kept, above, size or self._size)
        if shown == (self._text, self._marks, self._above, self._size):
            return
        self._text, self._marks, self._above, self._size = shown
        self._strong = None
        self._select(0, 0)
        self.setAccessibleName(text)
        self.setAccessibleDescription(self._in_words())
        self.restyle()

    def text(self) -> str:
        """Return the text without its marks."""
        return self._text

    def marks(self) -> tuple[Mark, ...]:
        """Return the marks that are drawn."""
        return self._marks

    def emphasise(self, span: tuple[int, int] | None) -> None:
        """Draw a ground behind these words; None: behind none."""
        self._strong = span
        self.update()

    def _in_words(self) -> str:
        """Return the marks for a screen reader."""
        parts = []
        for kind, name in _NAMES.items():
            marked = [" ".join(self._text[one.start : one.end].split()) for one in self._marks if one.kind == kind]
            parts += [f"{name}: {'; '.join(marked)}."] if marked else []
        play = self._noted
        return " ".join([*parts, *([f"“{self._text[play.start : play.end]}” for “{self._above}”."] if play else [])])

    @property
    def _noted(self) -> Mark | None:
        """The mark whose words have others above them."""
        return next((one for one in self._marks if one.kind == "wordplay"), None) if self._above else None

    # Selection

    @property
    def selection(self) -> tuple[int, int]:
        """The span of the selected characters; its ends are the same where none are."""
        return min(self._anchor, self._head), max(self._anchor, self._head)

    def _select(self, anchor: int, head: int) -> None:
        if (anchor, head) != (self._anchor, self._head):
            self._anchor, self._head = anchor, head
            self.update()
            self.selected.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        ends = {Qt.Key.Key_Home: 0, Qt.Key.Key_End: len(self._text)}
        words = [word.span() for word in WORD.finditer(self._text)]
        key, start, end = Qt.Key(event.key()), *self.selection
        if event.matches(QKeySequence.StandardKey.Copy) and start < end:
            QGuiApplication.clipboard().setText(self._text[start:end])
        elif event.matches(QKeySequence.StandardKey.SelectAll):
            self._select(0, len(self._text))
        elif self._selectable and (key in ends or key in (Qt.Key.Key_Left, Qt.Key.Key_Right)):
            after = next((b for _, b in words if b > self._head), len(self._text))
            before = next((a for a, _ in reversed(words) if a < self._head), 0)
            head = ends.get(key, after if key == Qt.Key.Key_Right else before)
            self._select(self._anchor if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else head, head)
        else:
            super().keyPressEvent(event)
            return
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self._selectable and event.button() == Qt.MouseButton.LeftButton:
            place = self._place_at(event.position())
            widen = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            self._select(self._anchor if widen else place, place)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._selectable and event.buttons() & Qt.MouseButton.LeftButton:
            self._select(self._anchor, self._place_at(event.position()))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        place = self._place_at(event.position())
        word = next((word for word in WORD.finditer(self._text) if word.start() <= place <= word.end()), None)
        if self._selectable and word is not None:
            self._select(*word.span())

    def _place_at(self, point: QPointF) -> int:
        """Return the position between two characters that is nearest to a point."""
        rows = self._rows()
        row = next((row for row in rows if point.y() < row.y() + row.height()), rows[-1] if rows else None)
        if row is None:
            return 0
        unit = row.xToCursor(point.x(), QTextLine.CursorPosition.CursorBetweenCharacters)
        return min(bisect_left(self._units, unit), len(self._text))

    def rect_of(self, start: int, end: int) -> QRectF:
        """Return the rectangle of these characters; empty if there are none."""
        rect, half = QRectF(), self._reach()
        for _, left, right, middle in self._pieces(start, end):
            rect = rect.united(QRectF(left, middle - half, right - left, 2 * half))
        return rect

    # Layout

    def restyle(self) -> None:
        plain = self._text.replace("\r", " ").replace("\n", "\u2028")
        self._units = [0, *accumulate(2 if ord(letter) > 0xFFFF else 1 for letter in plain)]
        formats = [styled(0, self._units[-1], self._ink(self._token))]
        for one in self._marks:
            if one.kind in ("cut", "differs"):
                formats.append(self._format(one.start, one.end, "accent" if one.kind == "differs" else "text3"))
        self._lay_out(plain, formats)

    def _ink(self, token: str) -> QTextCharFormat:
        look = QTextCharFormat()
        look.setForeground(theme().colour(token))
        return look

    def _format(self, start: int, end: int, token: str) -> QTextLayout.FormatRange:
        return styled(self._units[start], self._units[end] - self._units[start], self._ink(token))

    def _reach(self) -> float:
        return _HALF * self._size * theme().scale

    def _put(self, row: QTextLine, y: float) -> float:
        pitch = _PITCHES.get(int(self._size), self._size * 1.5) * theme().scale
        noted = self._units[self._noted.start] if self._noted is not None else -1
        row.setLineWidth(max(self.width(), 1))
        if row.textStart() <= noted < row.textStart() + row.textLength():
            y += max(_NOTED * theme().scale - pitch, 12 * theme().scale)
        row.setPosition(QPointF(0, y + (pitch - row.height()) / 2))
        return y + pitch

    # Painting

    def _rows(self) -> list[QTextLine]:
        return [self._layout.lineAt(number) for number in range(self._layout.lineCount())]

    def _pieces(self, start: int, end: int) -> list[tuple[QTextLine, float, float, float]]:
        """Return the lines that contain the characters, with left, right and middle of their part; blanks at a line's
        end are left out."""
        pieces = []
        for row in self._rows():
            first = max(self._units[start], row.textStart())
            last = min(self._units[end], row.textStart() + row.textLength())
            if first < last < self._units[end]:  # it continues in the next line
                place = bisect_left(self._units, last)
                while place > start and self._text[place - 1].isspace():
                    place -= 1
                last = self._units[place]
            left, right = sorted((x_of(row, first), x_of(row, last)))
            if first < last and right > left:
                pieces.append((row, left, right, row.y() + row.height() / 2))
        return pieces

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        wide = 3 if self._size >= 20 else 1
        grounds = [(mark.start, mark.end, wide) for mark in self._marks if mark.kind in ("differs", "wordplay")]
        for start, end, reach in (*grounds, *([(*self._strong, 2)] if self._strong else [])):
            self._paint_ground(painter, start, end, theme().tokens.mark, theme().px(reach))
        start, end = self.selection
        self._paint_ground(painter, start, end, theme().tokens.accent, 0)
        chosen = [self._format(start, end, "on_accent")] if start < end else []
        self._layout.draw(painter, QPointF(0, 0), chosen)
        for mark in self._marks:
            self._paint_line(painter, mark)
        if self._noted is not None:
            self._paint_above(painter, self._noted)
        painter.end()

    def _paint_ground(self, painter: QPainter, start: int, end: int, colour: str, reach: float) -> None:
        half, radius = self._reach(), theme().px(6 if self._size >= 20 else 4)
        for _, left, right, middle in self._pieces(start, end):
            left, right = max(left - reach, 0.0), min(right + reach, float(self.width()))
            box(painter, QRectF(left, middle - half, right - left, 2 * half), radius if reach else 0, colour)

    def _paint_line(self, painter: QPainter, mark: Mark) -> None:
        t, half = theme(), self._reach()
        for row, left, right, middle in self._pieces(mark.start, mark.end):
            if mark.kind in ("turn", "differs"):
                painter.fillRect(QRectF(left, middle + half - t.scale, right - left, 2 * t.scale), t.colour("accent"))
            elif mark.kind == "tag":
                painter.setPen(QPen(QColor(t.tokens.accent), 2 * t.scale, Qt.PenStyle.DotLine))
                painter.drawLine(QPointF(left, middle + half), QPointF(right, middle + half))
            elif mark.kind == "cut":
                y = row.y() + row.ascent() - 0.28 * self._size * t.scale
                line(painter, QPointF(left, y), QPointF(right, y), t.tokens.text3, 1.5 * t.scale)

    def _paint_above(self, painter: QPainter, noted: Mark) -> None:
        t, face, colour = theme(), theme().font(14, 500), theme().tokens.accent
        wide = text_width(self._above, face)
        for _, left, right, middle in self._pieces(noted.start, noted.end)[:1]:
            centre, top = (left + right) / 2, middle - self._reach()
            line(painter, QPointF(centre, top - 2 * t.scale), QPointF(centre, top + 2 * t.scale), colour, t.scale)
            x = max(0.0, min(centre - wide / 2, self.width() - wide))
            write(painter, QRectF(x, top - 18 * t.scale, wide + 1, 18 * t.scale), self._above, face, colour)


def trimmed(text: str, mark: Mark) -> Mark:
    """Return a mark from its first to its last word; unchanged if it has no word."""
    words = [word.span() for word in WORD.finditer(text) if word.start() < mark.end and word.end() > mark.start]
    return replace(mark, start=max(mark.start, words[0][0]), end=min(mark.end, words[-1][1])) if words else mark


def woven(before: str, after: str) -> tuple[str, tuple[Mark, ...]]:
    """Return both texts in one, with removed words marked ``cut`` and added ones ``differs``; neighbouring words that
    changed are one change. Spaces are outside the marks, with one between removed and added words."""
    parts: list[list[str]] = []  # same, or gone and new
    for words in changed_words(before, after):
        changes = bool(parts) and len(parts[-1]) == 2
        if words.mark != "same":
            if not changes:
                parts.append(["", ""])
            parts[-1][words.mark == "new"] += words.text
        elif changes and words.text.isspace() and "\n" not in words.text:
            parts[-1] = [parts[-1][0] + words.text, parts[-1][1] + words.text]
        else:
            parts.append([words.text])
    text = ""
    marks: list[Mark] = []
    for part in parts:
        if len(part) == 1:
            text += part[0].lstrip(" ") if text[-1:] == " " else part[0]
            continue
        tail = ""
        kinds: tuple[Literal["cut", "differs"], ...] = ("cut", "differs")
        for kind, words_of in zip(kinds, part, strict=True):
            inner = words_of.strip()
            if not inner:
                continue
            lead = words_of[: words_of.index(inner)] or tail or (" " if marks and marks[-1].end == len(text) else "")
            text += lead if not text[-1:].isspace() else ""
            marks.append(Mark(len(text), len(text) + len(inner), kind))
            text += inner
            tail = words_of[len(words_of.rstrip()) :]
        text += tail
    return text, tuple(marks)


def shortened(text: str, marks: Sequence[Mark], most: int = 150) -> tuple[str, tuple[Mark, ...]]:
    """Return a text of more characters than ``most`` without words that are far from its marks."""
    if len(text) <= most:
        return text, tuple(marks)
    first, last = (marks[0].start, marks[-1].end) if marks else (0, 0)
    spare = max(40, most - (last - first)) // (2 if marks else 1)
    start = text.find(" ", first - spare, first) + 1 if first > spare else 0
    end = text.rfind(" ", last, last + spare) if len(text) - last > spare else len(text)
    end, lead = end if end > 0 else len(text), "… " if start else ""
    moved = (replace(one, start=one.start - start + len(lead), end=one.end - start + len(lead)) for one in marks)
    return f"{lead}{text[start:end]}{' …' if end < len(text) else ''}", tuple(moved)
