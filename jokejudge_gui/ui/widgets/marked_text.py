"""A text with marks: its turn, the intended word, and words that could be cut, were removed or were added."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Literal

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QTextCharFormat,
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
_NAMES = {"turn": "Turns on", "cut": "Struck", "differs": "Different"}
_HALF = 0.66
"""The distance from a line's middle to the edge of a mark, in sizes of the text."""


class MarkedText(Wrapping):
    """A text with marks, which wraps and fixes its height to its width. ``pointed`` carries the position in the text
    under the pointer, −1 outside it. While words may be chosen (``choose``), ``chosen`` is sent when the choice
    changes."""

    pointed = Signal(int)
    chosen = Signal()

    def __init__(self, *, size: float = 15, token: str = "text") -> None:
        super().__init__(size)
        self._token = token
        self._text = ""
        self._marks: tuple[Mark, ...] = ()
        self._above = ""
        self._strong: tuple[int, int] | None = None
        self._words: list[tuple[int, int]] = []
        self._choosing = False
        self._anchor = self._head = -1
        self._under = -1
        self._units: list[int] = [0]
        self.setMouseTracking(True)
        self.follow_theme()

    # Content

    def set_text(self, text: str, marks: Sequence[Mark] = (), *, above: str = "", size: float | None = None) -> None:
        """Replace everything. ``above``: a text written above the words of the mark ``wordplay``; ``size`` in pixels at
        100 %, None: unchanged. Empty marks are left out, and punctuation around the turn isn't marked."""
        trim = (_trimmed(text, one) if one.kind == "turn" else one for one in marks)
        kept = tuple(one for one in trim if 0 <= one.start < one.end <= len(text))
        shown = (text, kept, above, size or self._size)
        if shown == (self._text, self._marks, self._above, self._size):
            return
        self._text, self._marks, self._above, self._size = shown
        self._strong = None
        self._words = [word.span() for word in WORD.finditer(text)]
        self._anchor = self._head = -1
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
        """Draw the marks of these words stronger and the others faintly; None: all the same."""
        if span != self._strong:
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

    # Choosing words

    def choose(self, on: bool) -> None:
        """Set whether words can be chosen with the mouse or the arrow keys."""
        self._choosing = on
        self._anchor = self._head = self._under = -1
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if on else Qt.FocusPolicy.NoFocus)
        self.setProperty("ring", on)
        self.setCursor(Qt.CursorShape.IBeamCursor if on else Qt.CursorShape.ArrowCursor)
        self.update()

    @property
    def choice(self) -> tuple[int, int] | None:
        """The span of the chosen words, in characters."""
        if self._anchor < 0 or self._head < 0:
            return None
        first, last = sorted((self._anchor, self._head))
        return self._words[first][0], self._words[last][1]

    def _pick(self, word: int, *, widen: bool) -> None:
        if not self._words:
            return
        self._head = max(0, min(word, len(self._words) - 1))
        if not widen or self._anchor < 0:
            self._anchor = self._head
        self.update()
        self.chosen.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        count = len(self._words)
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Home: -count, Qt.Key.Key_End: count}
        step = steps.get(Qt.Key(event.key()))
        if not self._choosing or step is None:
            super().keyPressEvent(event)
            return
        at = self._head if self._head >= 0 else (count if step < 0 else -1)
        self._pick(at + step, widen=bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        word = self._word_at(event.position())
        if self._choosing and word >= 0:
            self._pick(word, widen=bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if not self._choosing:
            self.pointed.emit(self.place_at(event.position()))
            return
        self._under = self._word_at(event.position())
        if event.buttons() & Qt.MouseButton.LeftButton and self._under >= 0:
            self._pick(self._under, widen=True)
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._under = -1
        self.pointed.emit(-1)
        self.update()

    def _word_at(self, point: QPointF) -> int:
        place = self.place_at(point)
        return next((n for n, (a, b) in enumerate(self._words) if a <= place < b), -1)

    def place_at(self, point: QPointF) -> int:
        """Return the position of the character drawn there; −1 if there is none."""
        for row in self._rows():
            inside = row.y() <= point.y() < row.y() + row.height() and 0 <= point.x() <= row.naturalTextWidth()
            if inside:
                unit = row.xToCursor(point.x(), QTextLine.CursorPosition.CursorOnCharacter)
                return min(bisect_left(self._units, unit), len(self._text))
        return -1

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
                units = self._units[one.start], self._units[one.end] - self._units[one.start]
                formats.append(styled(*units, self._ink("accent" if one.kind == "differs" else "text3")))
        self._lay_out(plain, formats)

    def _ink(self, token: str) -> QTextCharFormat:
        look = QTextCharFormat()
        look.setForeground(theme().colour(token))
        return look

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
        if self._choosing:
            self._paint_choice(painter)
        for mark in self._marks:
            if mark.kind in ("differs", "wordplay"):
                painter.setOpacity(self._share_of(mark))
                self._paint_ground(painter, mark.start, mark.end, theme().tokens.mark, theme().px(3))
        painter.setOpacity(1.0)
        self._layout.draw(painter, QPointF(0, 0))
        for mark in self._marks:
            painter.setOpacity(self._share_of(mark))
            self._paint_line(painter, mark)
        painter.setOpacity(1.0)
        if self._noted is not None:
            self._paint_above(painter, self._noted)
        painter.end()

    def _share_of(self, mark: Mark) -> float:
        """Return a mark's opacity: marks beside the emphasised one are faint."""
        return 1.0 if self._strong is None or self._is_strong(mark) else 0.35

    def _is_strong(self, mark: Mark) -> bool:
        return self._strong is not None and mark.start < self._strong[1] and self._strong[0] < mark.end

    def _paint_choice(self, painter: QPainter) -> None:
        t, half = theme(), self._reach()
        if self._under >= 0:
            self._paint_ground(painter, *self._words[self._under], t.tokens.track, 2)
        if self.choice is not None:
            self._paint_ground(painter, *self.choice, t.tokens.mark, 2)
            for _, left, right, middle in self._pieces(*self.choice):
                painter.fillRect(QRectF(left, middle + half - t.px(2), right - left, t.px(2)), QColor(t.tokens.accent))

    def _paint_ground(self, painter: QPainter, start: int, end: int, colour: str, reach: float) -> None:
        half, radius = self._reach(), theme().px(6 if self._size >= 20 else 4)
        for _, left, right, middle in self._pieces(start, end):
            left, right = max(left - reach, 0.0), min(right + reach, float(self.width()))
            box(painter, QRectF(left, middle - half, right - left, 2 * half), radius, colour)

    def _paint_line(self, painter: QPainter, mark: Mark) -> None:
        t, half, strong = theme(), self._reach(), self._is_strong(mark)
        for row, left, right, middle in self._pieces(mark.start, mark.end):
            if mark.kind in ("turn", "differs"):
                thick = t.scale * (3 if strong else 2)
                painter.fillRect(QRectF(left, middle + half - t.scale, right - left, thick), QColor(t.tokens.accent))
            elif mark.kind == "cut":
                y = row.y() + row.ascent() - 0.28 * self._size * t.scale
                line(painter, QPointF(left, y), QPointF(right, y), t.tokens.text3, t.scale * (3 if strong else 1.5))

    def _paint_above(self, painter: QPainter, noted: Mark) -> None:
        t, face, colour = theme(), theme().font(14, 500), theme().tokens.accent
        wide = text_width(self._above, face)
        for _, left, right, middle in self._pieces(noted.start, noted.end)[:1]:
            centre, top = (left + right) / 2, middle - self._reach()
            line(painter, QPointF(centre, top - 2 * t.scale), QPointF(centre, top + 2 * t.scale), colour, t.scale)
            x = max(0.0, min(centre - wide / 2, self.width() - wide))
            write(painter, QRectF(x, top - 18 * t.scale, wide + 1, 18 * t.scale), self._above, face, colour)


def _trimmed(text: str, mark: Mark) -> Mark:
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
