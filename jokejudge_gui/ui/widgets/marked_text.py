"""A text with marks: its turn, the intended word, and words that could be cut, were removed or were added."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Literal

from PySide6.QtCore import QRectF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent, QTextBlockFormat, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextEdit

from ...core.pages import Mark
from ...core.words import WORD, changed_words
from ..look.theme import font, px, theme
from .base import Themed, text_width, wrap_mode, write

_PITCHES = {28: 42, 24: 38, 20: 32, 17: 26, 15: 24, 14: 24}
"""The line height by the size of the text, in pixels at 100 %; for other sizes 1.5 times the size."""
_NOTED = 54
"""The height of a line where a word stands above one."""
_NAMES = {
    "turn": "Turns on",
    "tag": "Tag",
    "cut": "Struck",
    "differs": "Different",
    "shared": "In both",
    "callback": "Comes back",
}
_LINES = QTextCharFormat.UnderlineStyle


class MarkedText(Themed, QTextEdit):
    """A text with marks, as high as it is. ``selectable``: its words can be selected with mouse and keys and copied;
    ``selected`` is sent when the selection changes."""

    selected = Signal()

    def __init__(self, *, size: float = 15, token: str = "text", selectable: bool = False) -> None:
        super().__init__()
        self._size, self._token = size, token
        self._text = self._above = ""
        self._marks: tuple[Mark, ...] = ()
        self._units: list[int] = [0]
        flags = Qt.TextInteractionFlag
        self.setReadOnly(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setTextInteractionFlags(
            flags.TextSelectableByMouse | flags.TextSelectableByKeyboard if selectable else flags.NoTextInteraction
        )
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if selectable else Qt.FocusPolicy.NoFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents, not selectable)
        self.setTabChangesFocus(True)
        self.setProperty("ring", selectable)
        self.document().setDocumentMargin(0)
        self.selectionChanged.connect(self.selected)
        self.follow_theme()

    def set_text(self, text: str, marks: Sequence[Mark] = (), *, above: str = "", size: float | None = None) -> None:
        """Replace everything. ``above``: a text written above the words of the mark ``wordplay``; ``size`` in pixels at
        100 %, None: unchanged. Empty marks are left out, and punctuation around the turn isn't marked."""
        trim = (trimmed(text, one) if one.kind == "turn" else one for one in marks)
        kept = tuple(one for one in trim if 0 <= one.start < one.end <= len(text))
        shown = (text, kept, above, size or self._size)
        if shown == (self._text, self._marks, self._above, self._size):
            return
        self._text, self._marks, self._above, self._size = shown
        self.setAccessibleName(text)
        self.setAccessibleDescription(self._in_words())
        self.restyle()
        self.selected.emit()

    def text(self) -> str:
        """Return the text without its marks."""
        return self._text

    def marks(self) -> tuple[Mark, ...]:
        """Return the marks that are drawn."""
        return self._marks

    def emphasise(self, span: tuple[int, int] | None) -> None:
        """Draw a ground behind these words; None: behind none."""
        piece = QTextEdit.ExtraSelection()
        piece.cursor, piece.format = self._cursor(*(span or (0, 0))), QTextCharFormat()  # type: ignore[misc]
        piece.format.setBackground(theme().colour("mark"))
        self.setExtraSelections([piece])

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

    @property
    def selection(self) -> tuple[int, int]:
        """The span of the selected characters; its ends are the same where none are."""
        ends = self.textCursor().selectionStart(), self.textCursor().selectionEnd()
        start, end = (min(bisect_left(self._units, unit), len(self._text)) for unit in ends)
        return start, end

    def _cursor(self, start: int, end: int) -> QTextCursor:
        """Return a cursor over these characters; Qt counts its positions in UTF-16 units."""
        cursor = QTextCursor(self.document())
        cursor.setPosition(self._units[start])
        cursor.setPosition(self._units[end], QTextCursor.MoveMode.KeepAnchor)
        return cursor

    def rect_of(self, start: int, end: int) -> QRectF:
        """Return the rectangle around these characters."""
        rect = QRectF(self.cursorRect(self._cursor(start, start)))
        return rect.united(QRectF(self.cursorRect(self._cursor(end, end))))

    # Look

    def restyle(self) -> None:
        plain = self._text.replace("\r", " ").replace("\n", "\u2028")
        self._units = [0, *accumulate(2 if ord(letter) > 0xFFFF else 1 for letter in plain)]
        pitch = _NOTED if self._noted is not None else _PITCHES.get(int(self._size), self._size * 1.5)
        lines, look = QTextBlockFormat(), QTextCharFormat()
        lines.setLineHeight(px(pitch), QTextBlockFormat.LineHeightTypes.FixedHeight.value)
        look.setFont(font(self._size))
        look.setForeground(theme().colour(self._token))
        with QSignalBlocker(self):
            self.setWordWrapMode(wrap_mode(plain))
            self.setPlainText(plain)
            whole = self._cursor(0, len(plain))
            whole.setBlockFormat(lines)
            whole.setCharFormat(look)
            for mark in self._marks:
                self._cursor(mark.start, mark.end).mergeCharFormat(_look_of(mark))
            self.setExtraSelections([])
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()

    def _fit(self) -> None:
        self.document().setTextWidth(self.viewport().width())
        self.setFixedHeight(max(1, math.ceil(self.document().size().height())))
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        widest = max(text_width(part[:200], font(self._size)) for part in self._text.split("\n"))
        return QSize(min(round(widest) + 2, px(320)), self.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(min(px(40), self.sizeHint().width()), self.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if (noted := self._noted) is not None:
            rect, face = self.rect_of(noted.start, noted.end), font(14, 500)
            wide = text_width(self._above, face) + 1
            x = max(0.0, min(rect.center().x() - wide / 2, self.width() - wide))
            painter = QPainter(self.viewport())
            write(painter, QRectF(x, rect.top() - px(15), wide, px(18)), self._above, face, theme().tokens.accent)
            painter.end()


def _look_of(mark: Mark) -> QTextCharFormat:
    look = QTextCharFormat()
    if mark.kind in ("differs", "wordplay", "shared", "callback"):
        look.setBackground(theme().colour("mark"))
    if mark.kind in ("cut", "differs"):
        look.setForeground(theme().colour("text3" if mark.kind == "cut" else "accent"))
    if mark.kind == "cut":
        look.setFontStrikeOut(True)
    elif mark.kind not in ("wordplay", "shared", "callback"):
        look.setUnderlineStyle(_LINES.DotLine if mark.kind == "tag" else _LINES.SingleUnderline)
        look.setUnderlineColor(theme().colour("accent"))
    return look


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
