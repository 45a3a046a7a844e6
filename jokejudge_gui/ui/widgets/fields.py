"""Input fields: the line, the search field and the editor."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QEvent, QMimeData, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextCursor,
    QTextDocumentFragment,
)
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QSizePolicy, QWidget

from ...core.pages import Mark
from ..look.theme import font, px, theme
from .base import Themed, wrap_mode
from .marked_text import look_of, selection_of

_PALETTE = QKeySequence("Ctrl+K")
_MOVES = (Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_PageDown, Qt.Key.Key_PageUp)


class _LeavesKeys:
    """Mixin of a field that leaves keys to the window's actions: undo and redo where it has nothing of the sort, and
    undo if the last change in the window, which has its time as the property ``changed``, came after the last edit."""

    _edited = 0.0

    def note_edit(self) -> None:
        """Note the time of an edit."""
        self._edited = time.monotonic()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride:
            assert isinstance(self, QLineEdit | QPlainTextEdit)
            has = self if isinstance(self, QLineEdit) else self.document()
            keys, older = QKeySequence.StandardKey, self._edited < (self.window().property("changed") or 0.0)
            if (
                QKeySequence(event.keyCombination()) == _PALETTE
                or (event.matches(keys.Undo) and (older or not has.isUndoAvailable()))
                or (event.matches(keys.Redo) and not has.isRedoAvailable())
            ):
                event.ignore()
                return False
        return super().event(event)  # type: ignore[misc,no-any-return]


class LineField(Themed, _LeavesKeys, QLineEdit):
    """One line of text of at most ``most`` characters. ``name``: its name for screen readers."""

    def __init__(self, placeholder: str, name: str, most: int | None = None) -> None:
        super().__init__()
        self.setPlaceholderText(placeholder)
        self.setAccessibleName(name)
        if most is not None:
            self.setMaxLength(most)
        self.textChanged.connect(self.note_edit)
        self.setProperty("ring", False)
        self.follow_theme()

    def restyle(self) -> None:
        self.setFont(font(14))
        super().restyle()


class SearchField(LineField):
    """One line with a magnifying glass; Escape clears it, and the keys that move in ``rows`` do so while one types."""

    def __init__(self, placeholder: str = "Search jokes", rows: QWidget | None = None) -> None:
        super().__init__(placeholder, placeholder)
        self._rows = rows

    def event(self, event: QEvent) -> bool:
        overrides = event.type() == QEvent.Type.ShortcutOverride
        if overrides and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape and self.text():
            event.accept()  # it isn't the window's then
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        elif event.key() in _MOVES and self._rows is not None:
            QApplication.sendEvent(self._rows, event)
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        t, painter, side = theme(), QPainter(self), px(16)
        rect = QRectF(px(8), (self.height() - side) / 2, side, side)
        t.paint_icon(painter, "search", rect, t.tokens.text2 if self.isEnabled() else t.tokens.dis_text)
        painter.end()


class TextEditor(Themed, _LeavesKeys, QPlainTextEdit):
    """Plain text at 15 px. ``lines``: its height; with ``most``, a longer text gets that many lines at once, so that
    the widgets below it move only once. Tab leaves it; pasted or dropped text is inserted as plain text; read-only
    looks sunken. ``other_given`` carries the object that ``take_other`` recognised instead of text."""

    other_given = Signal(object)

    def __init__(self, placeholder: str = "", name: str = "", lines: int = 4, most: int = 0) -> None:
        super().__init__()
        self._lines, self._most = lines, most
        self._other: Callable[[QMimeData], object | None] = lambda _data: None
        self.marks: tuple[Mark, ...] = ()
        self.setPlaceholderText(placeholder)
        self.setAccessibleName(name or placeholder)
        self.setTabChangesFocus(True)
        self.textChanged.connect(self._fit)
        self.textChanged.connect(self.note_edit)
        self.setProperty("ring", False)
        self.setWordWrapMode(wrap_mode(""))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.follow_theme()

    def restyle(self) -> None:
        self.setFont(font(15))
        self.viewport().setFont(font(15))  # the placeholder uses this font
        self.setFixedHeight(self.sizeHint().height())
        self.set_marks(self.marks)
        super().restyle()

    def set_marks(self, marks: tuple[Mark, ...]) -> None:
        """Mark words of the text."""
        self.marks, text, document = marks, self.toPlainText(), self.document()
        self.setExtraSelections([selection_of(document, text, one.start, one.end, look_of(one)) for one in marks])

    def set_lines(self, lines: int) -> None:
        """Set the number of visible lines."""
        self._lines = lines
        self.restyle()

    def sizeHint(self) -> QSize:
        # A spare margin if it can grow: Qt scrolls by whole lines, and would hide the first one otherwise.
        around, taken = px(28 if self._most > self._lines else 20), self.document().size().height()
        lines = self._most if self._most > self._lines and taken > self._lines else self._lines
        return QSize(px(240), around + round(lines * self.fontMetrics().lineSpacing()))

    def minimumSizeHint(self) -> QSize:
        return QSize(px(120), self.sizeHint().height())

    def _fit(self) -> None:
        if self._most > self._lines:
            self.setFixedHeight(self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()

    def setReadOnly(self, read_only: bool) -> None:
        super().setReadOnly(read_only)
        # The style sheet selects by this property, which needs a new look-up.
        self.style().unpolish(self)
        self.style().polish(self)
        self.setFont(font(15))

    def replace_all(self, text: str) -> None:
        """Replace the whole text as one step that can be undone, and put the cursor at its end."""
        self.setWordWrapMode(wrap_mode(text))  # before it is laid out, which takes the time
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(text)
        cursor.endEditBlock()
        self.setTextCursor(cursor)

    def take_other(self, recognise: Callable[[QMimeData], object | None]) -> None:
        """Also accept dropped or pasted data that ``recognise`` returns an object for; None: it isn't recognised."""
        self._other = recognise

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return source.hasText() or source.hasHtml() or self._other(source) is not None

    def createMimeDataFromSelection(self) -> QMimeData:
        data = QMimeData()
        data.setText(self.textCursor().selection().toPlainText())
        return data

    def insertFromMimeData(self, source: QMimeData) -> None:
        other = self._other(source)
        if other is not None:
            self.other_given.emit(other)
            return
        text = source.text() if source.hasText() else QTextDocumentFragment.fromHtml(source.html()).toPlainText()
        # Control characters are invisible, and a model would read them.
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        text = "".join(c for c in text if c in "\n\t" or c.isprintable() or ord(c) > 0x9F)
        self.setWordWrapMode(wrap_mode(self.toPlainText() + text))
        self.insertPlainText(text)
        self.ensureCursorVisible()
