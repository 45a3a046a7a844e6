"""A text with marks: its turn, the intended word, and words that could be cut, were removed or were added."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from PySide6.QtCore import QRectF, QSignalBlocker, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QTextBlockFormat, QTextCharFormat, QTextCursor, QTextDocument
from PySide6.QtWidgets import QTextEdit

from ...core.pages import Mark
from ...core.words import WORD, changed_words
from ..look.theme import font, px, theme
from .base import CENTRE, text_width, wrap_mode, write
from .text import FittedText

_PITCHES = {28: 42, 24: 38, 20: 32, 17: 26, 15: 24, 14: 24}
"""The line height by the size of the text, in pixels at 100 %; for other sizes 1.5 times the size."""
_ABOVE = 12
"""What a line is higher where a word stands above one of it."""
_NAMES = {
    "turn": "Turns on", "tag": "Tag", "cut": "Struck", "differs": "Different", "shared": "In both",
    "callback": "Comes back",
}  # fmt: skip
_GROUND = ("differs", "wordplay", "shared", "callback")
"""The marks that are drawn as a ground."""
_LINES = QTextCharFormat.UnderlineStyle


class MarkedText(FittedText):
    """A text with marks, as high as it is. ``selectable``: its words can be selected with mouse and keys and copied."""

    def __init__(self, *, size: float = 15, token: str = "text", selectable: bool = False) -> None:
        super().__init__(size)
        self._token = token
        self._text = self._above = ""
        self._marks: tuple[Mark, ...] = ()
        flags = Qt.TextInteractionFlag
        self.setTextInteractionFlags(
            flags.TextSelectableByMouse | flags.TextSelectableByKeyboard if selectable else flags.NoTextInteraction
        )
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if selectable else Qt.FocusPolicy.NoFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents, not selectable)
        self.setTabChangesFocus(True)
        self.setProperty("ring", selectable)
        self.follow_theme()

    def set_text(self, text: str, marks: Sequence[Mark] = (), *, above: str = "", size: float | None = None) -> None:
        """Replace everything. ``above``: what is written above the words of the mark ``wordplay``; ``size`` in pixels
        at 100 %, None: unchanged. Empty marks are left out, and punctuation around the turn isn't marked."""
        trim = (trimmed(text, one) if one.kind == "turn" else one for one in marks)
        kept = tuple(one for one in trim if 0 <= one.start < one.end <= len(text))
        shown = (text, kept, above, size or self._size)
        if shown == (self._text, self._marks, self._above, self._size):
            return
        self._text, self._marks, self._above, self._size = shown
        self.setAccessibleName(text)
        self.setAccessibleDescription(self._in_words())
        self.restyle()

    def text(self) -> str:
        return self._text

    def marks(self) -> tuple[Mark, ...]:
        """Return the marks that are drawn."""
        return self._marks

    def selection(self) -> tuple[int, int]:
        """Return the span of the selected characters; its ends are the same where none are."""
        cursor, units = self.textCursor(), self._text.encode("utf-16-le", "surrogatepass")
        ends = cursor.selectionStart(), cursor.selectionEnd()
        start, end = (len(units[: 2 * unit].decode("utf-16-le", "ignore")) for unit in ends)
        return start, end

    def emphasise(self, span: tuple[int, int] | None) -> None:
        """Draw a ground behind these words, and the others paler; None: draw all alike."""
        pale, ground = QTextCharFormat(), QTextCharFormat()
        pale.setForeground(theme().colour("text3"))
        ground.setForeground(theme().colour(self._token))
        ground.setBackground(theme().colour("mark"))
        parts = ((0, len(self._text), pale), (*span, ground)) if span is not None else ()
        self.setExtraSelections([selection_of(self.document(), self._text, *part) for part in parts])

    def _in_words(self) -> str:
        """Return the marks for a screen reader."""
        parts = []
        for kind, name in _NAMES.items():
            marked = [" ".join(self._text[one.start : one.end].split()) for one in self._marks if one.kind == kind]
            parts += [f"{name}: {'; '.join(marked)}."] if marked else []
        parts += [f"“{self._text[one.start : one.end]}” for “{self._above}”." for one in self._noted()]
        return " ".join(parts)

    def _noted(self) -> list[Mark]:
        """Return the mark whose words have others above them."""
        return [one for one in self._marks if one.kind == "wordplay" and self._above][:1]

    # Look

    def restyle(self) -> None:
        plain = self._text.replace("\r", " ").replace("\n", "\u2028")
        pitch = _PITCHES.get(int(self._size), self._size * 1.5) + (_ABOVE if self._noted() else 0)
        lines, look = QTextBlockFormat(), QTextCharFormat()
        lines.setLineHeight(px(pitch), QTextBlockFormat.LineHeightTypes.FixedHeight.value)
        look.setFont(font(self._size))
        look.setForeground(theme().colour(self._token))
        with QSignalBlocker(self):
            self.setWordWrapMode(wrap_mode(plain))
            self.setPlainText(plain)
            whole = cursor_over(self.document(), plain, 0, len(plain))
            whole.setBlockFormat(lines)
            whole.setCharFormat(look)
            for mark in self._marks:
                cursor_over(self.document(), plain, mark.start, mark.end).mergeCharFormat(look_of(mark))
            self.setExtraSelections([])
        self.fit()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter, face = QPainter(self.viewport()), font(14, 500)
        for noted in self._noted():
            ends = (cursor_over(self.document(), self._text, at, at) for at in (noted.start, noted.end))
            first, last = map(self.cursorRect, ends)
            rect, wide = QRectF(first.united(last)), text_width(self._above, face) + 1
            left = max(0.0, min(rect.center().x() - wide / 2, self.width() - wide))
            place = QRectF(left, rect.top() - px(15), wide, px(18))
            write(painter, place, self._above, face, theme().tokens.accent, CENTRE)
            painter.fillRect(QRectF(rect.center().x(), place.bottom(), px(1), px(4)), theme().colour("accent"))
        painter.end()


def cursor_over(document: QTextDocument, text: str, start: int, end: int) -> QTextCursor:
    """Return a cursor over characters of a document's text; Qt counts its positions in UTF-16 units."""
    cursor = QTextCursor(document)
    for at, mode in ((start, QTextCursor.MoveMode.MoveAnchor), (end, QTextCursor.MoveMode.KeepAnchor)):
        cursor.setPosition(len(text[:at].encode("utf-16-le", "surrogatepass")) // 2, mode)
    return cursor


def selection_of(
    document: QTextDocument, text: str, start: int, end: int, look: QTextCharFormat
) -> QTextEdit.ExtraSelection:
    """Return a drawn selection of these characters."""
    piece = QTextEdit.ExtraSelection()
    piece.cursor, piece.format = cursor_over(document, text, start, end), look  # type: ignore[misc]
    return piece


def look_of(mark: Mark) -> QTextCharFormat:
    """Return how a mark is drawn."""
    look = QTextCharFormat()
    if mark.kind in _GROUND:
        look.setBackground(theme().colour("mark"))
    if mark.kind in ("cut", "differs"):
        look.setForeground(theme().colour("text3" if mark.kind == "cut" else "accent"))
    if mark.kind == "cut":
        look.setFontStrikeOut(True)
    elif mark.kind not in _GROUND[1:]:
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
    for words, mark in changed_words(before, after):
        changes = bool(parts) and len(parts[-1]) == 2
        if mark != "same":
            if not changes:
                parts.append(["", ""])
            parts[-1][mark == "new"] += words
        elif changes and words.isspace() and "\n" not in words:
            parts[-1] = [parts[-1][0] + words, parts[-1][1] + words]
        else:
            parts.append([words])
    text, marks = "", list[Mark]()
    for part in parts:
        if len(part) == 1:
            text += part[0].lstrip(" ") if text[-1:] == " " else part[0]
            continue
        first, last = part[0] or part[1], part[1] or part[0]
        text += "" if text[-1:].isspace() else first[: len(first) - len(first.lstrip())]
        kinds: tuple[Literal["cut", "differs"], ...] = ("cut", "differs")
        for kind, words_of in zip(kinds, map(str.strip, part), strict=True):
            if words_of:
                text += " " if marks and marks[-1].end == len(text) else ""
                marks.append(Mark(len(text), len(text) + len(words_of), kind))
                text += words_of
        text += last[len(last.rstrip()) :] if last.strip() else ""
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
