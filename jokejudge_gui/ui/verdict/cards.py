"""Parts of the tabs of verdicts: fields, the row below them, cards with texts, and the bar of actions."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QGraphicsOpacityEffect,
    QLayout,
    QMenu,
    QPlainTextEdit,
    QSizePolicy,
    QWidget,
)

from ...batch.lists import JokeList, read_list
from ...core.errors import InputError
from ...core.texts import MOST_CONTEXT
from ...core.verdicts import PanelFindings
from ...judge.ensemble_words import panel_rows
from ..look import wording
from ..look.theme import Room, px, theme
from ..look.wording import Run
from ..widgets.cards import Card
from ..widgets.controls import GhostButton, IconButton, LinkButton, PrimaryButton, SecondaryButton
from ..widgets.fields import LineField, TextEditor
from ..widgets.layout import ColumnScroll, HBox, VBox, single_shot
from ..widgets.text import Caption, Paragraph


class RunButtons(QWidget):
    """The key's name and Rate (or Duel); while a job runs, Esc and Stop."""

    run_asked = Signal()
    stop_asked = Signal()

    def __init__(self, word: str) -> None:
        super().__init__()
        self.hint = Caption("Ctrl+Enter")
        self.run_button = PrimaryButton(word, act=self.run_asked)
        self.stop_button = SecondaryButton("Stop", "stop", act=self.stop_asked)
        self.stop_button.hide()
        self._layout = HBox(1, self.hint, self.run_button, self.stop_button, parent=self, gap=10)
        self._scale()
        theme().changed.connect(self._scale)

    def _scale(self) -> None:
        for button in (self.run_button, self.stop_button):
            button.setMinimumWidth(max(px(84), button.sizeHint().width()))

    def set_left(self, widget: QWidget) -> None:
        """Put a widget at the left end of the row."""
        self._layout.insertWidget(0, widget)

    def set_live(self, live: bool) -> None:
        """Show Stop instead of the run button, or the reverse; the focus moves with it."""
        if live == self.run_button.isHidden():
            return
        old, new = (self.run_button, self.stop_button) if live else (self.stop_button, self.run_button)
        focused = old.hasFocus()
        new.setVisible(True)
        if focused:
            new.setFocus()
        old.setVisible(False)
        self.hint.setText("Esc" if live else "Ctrl+Enter")


class JokeCard(Card):
    """The field for a text to judge, with a ``link`` at the right. ``edited``: the text changed."""

    title_last = True
    edited = Signal()

    def __init__(self, title: str, link: LinkButton, editor: TextEditor) -> None:
        super().__init__(title, "", link)
        self.link, self.editor = link, editor
        self.editor.setAccessibleName(title)
        self.editor.textChanged.connect(self.edited)
        self.add(self.editor)

    def text(self) -> str:
        return self.editor.toPlainText()

    def set_text(self, text: str) -> None:
        """Replace the text, which one Ctrl+Z undoes."""
        if text != self.text():
            self.editor.replace_all(text)

    def set_live(self, live: bool) -> None:
        """Make the field read-only while its text is judged."""
        if self.editor.isReadOnly() != live:
            self.editor.setReadOnly(live)
        self.link.setEnabled(not live)


ADD = "Add a topic"
NAME = "Topic or scene"
_EXAMPLE = "Topic or scene: a hashtag, or what a cartoon shows"


class FoldedField(QWidget):
    """A line with a button that removes it; hidden while it is folded. The tab places ``link``, which unfolds it.
    ``edited``: the text changed."""

    edited = Signal()

    def __init__(self, add: str, example: str, name: str, remove: str) -> None:
        super().__init__()
        self.link = LinkButton(add, act=self.unfold)
        self.line = LineField(example, name, MOST_CONTEXT)
        self.line.textChanged.connect(lambda _text: self.edited.emit())
        self.close_button = IconButton("cross", remove, act=self.fold)

    def unfold(self) -> None:
        """Show the line and focus it."""
        self._show(True)
        self.line.setFocus()

    def fold(self) -> None:
        """Remove the text and hide the line."""
        self.line.clear()
        self._show(False)
        self.link.setFocus()

    def set_live(self, live: bool) -> None:
        """Make the field read-only while its text is judged."""
        self.line.setReadOnly(live)
        for button in (self.close_button, self.link):
            button.setEnabled(not live)

    def _show(self, shown: bool) -> None:
        self.setVisible(shown)
        self.link.setVisible(not shown)


class ContextField(FoldedField):
    """The topic or scene that a joke is about."""

    def __init__(self) -> None:
        super().__init__(ADD, _EXAMPLE, NAME, "Remove the topic or scene")
        HBox((self.line, 1), self.close_button, parent=self, gap=6)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.hide()

    def text(self) -> str:
        """Return the topic as it is judged: on one line, stripped; empty if there is none."""
        return " ".join(self.line.text().split())

    def set_text(self, text: str) -> None:
        """Show a topic; without one, fold the field."""
        if text != self.text():
            self.line.setText(text)
        self._show(bool(text))


# The offer to rank a text that was entered as a joke and looks like a list of jokes.

_REST_MS = 150
_LEAST_LINES = 3
_LEAST_PLAIN = 5
"""Least number of lines of a list without numbers or bullets; a single joke may have some lines, too."""
_MARKED = ("numbered", "bulleted", "csv", "json")


def looks_like_a_list(text: str) -> JokeList | None:
    """Return the list in a text that looks like one; None for a text that may be a single joke."""
    if text.count("\n") + 1 < _LEAST_LINES:
        return None
    try:
        found = read_list(text)
    except InputError:
        return None
    least = _LEAST_LINES if found.form in _MARKED else _LEAST_PLAIN
    return found if len(found.jokes) >= least else None


class ListOffer(QWidget):
    """The offer for an editor's text, which ``asked`` carries."""

    asked = Signal(str)

    def __init__(self, editor: QPlainTextEdit) -> None:
        super().__init__()
        self._editor = editor
        self.words = Paragraph("", 13)
        self.link = LinkButton("Rank them in Contest", act=lambda: self.asked.emit(self._editor.toPlainText()))
        self._layout = VBox(self.words, (self.link, 0, Qt.AlignmentFlag.AlignLeft), parent=self, gap=2)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._rest = single_shot(self, self._look, _REST_MS)
        editor.textChanged.connect(self._rest.start)
        self.hide()

    def _look(self) -> None:
        # Qt has counted the blocks: a single line needn't be parsed.
        many = self._editor.blockCount() >= _LEAST_LINES and not self._editor.isReadOnly()
        found = looks_like_a_list(self._editor.toPlainText()) if many else None
        if found is not None:
            self.words.set_content(
                f"This looks like a list of {len(found.jokes):,} jokes. Here it would be judged as one."
            )
        self.setVisible(found is not None)


class TextCard(Card):
    """A title above paragraphs, with a note in small letters below them; hidden without text."""

    def __init__(self, title: str, caption: str = "") -> None:
        super().__init__(title, caption)
        self.text = Paragraph("", gap=4)
        self.note = Paragraph("", 13, token="text3", gap=3)
        self.add(self.text, self.note)
        self.hide()

    def show_text(self, text: str | Sequence[Run], note: str = "") -> None:
        """Show this text and note instead of any others."""
        self.text.show_text(text)
        self.note.show_text(note)
        self.setVisible(bool(text or note))


def panel_words(panel: PanelFindings | None) -> tuple[list[Run], str]:
    """Return what each of several models said, and how many agree; both empty for one model."""
    for row in panel_rows(panel):
        return wording.labelled([(f"{wording.one_line(one.name)}:", one.text) for one in row.rows]), row.text
    return [], ""


# The line above a page whose verdict is about another text than the field's, or was deleted.

WORDS = "For an earlier text."
DELETED = "This verdict was deleted."
_PALE = 0.5


class StaleLine(QWidget):
    """The line. ``back_asked``: restore the judged text in the fields."""

    back_asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.words = Paragraph(WORDS, 13)
        self.link = LinkButton("Restore that text", name="Restore the text that was judged", act=self.back_asked)
        HBox((self.words, 1), self.link, parent=self, gap=12)
        self.hide()

    def show_why(self, *, stale: bool, deleted: bool) -> None:
        """Show why there are no actions; hidden where there are some."""
        self.words.set_content(WORDS if stale else DELETED)
        self.link.setVisible(stale)
        self.setVisible(stale or deleted)


def set_pale(widget: QWidget, pale: bool) -> None:
    """Draw a card faintly, or normally."""
    effect = widget.graphicsEffect()
    if pale and effect is None:
        faint = QGraphicsOpacityEffect(widget)
        faint.setOpacity(_PALE)
        widget.setGraphicsEffect(faint)
    elif not pale and effect is not None:
        widget.setGraphicsEffect(None)  # type: ignore[arg-type]


class ActionBar(QWidget):
    """The actions on the verdict. ``first``: the caption of the first button, which has an edge; empty: there is none.
    Copy, Export and Note have labels, are icons, or are in a menu (``set_room``)."""

    first_asked = Signal()
    copy_asked = Signal()
    export_asked = Signal()
    note_asked = Signal()
    star_toggled = Signal(bool)

    def __init__(self, first: str = "") -> None:
        super().__init__()
        self.first_button = SecondaryButton(first, act=self.first_asked)
        self.more_button = IconButton("more", "Copy, export or note", act=self._open_more)
        self._layout = HBox(self.first_button, parent=self, gap=4, margins=(0, 9, 0, 10))
        self.first_button.setVisible(bool(first))
        self.buttons = {
            "Copy": GhostButton("", "copy", name="Copy", act=self.copy_asked),
            "Export": GhostButton("", "export", name="Export", act=self.export_asked),
            "Note": GhostButton("", "pencil", name="Note", act=self.note_asked),
        }
        self._layout.add(*self.buttons.values())
        self.star_button = IconButton("star", "Star", checkable=True, act=self.star_toggled)
        self._layout.add(self.more_button, 1, self.star_button)
        self.set_room("wide")

    def set_votes(self, votes: QWidget) -> None:
        """Put the vote before the star."""
        self._layout.insertWidget(self._layout.count() - 1, votes)
        self._layout.insertSpacing(self._layout.count() - 1, px(8))

    def set_room(self, room: Room) -> None:
        """Show the actions with labels, as icons, or in a menu."""
        for label, button in self.buttons.items():
            button.setText(label if room == "wide" else "")
            button.setToolTip("" if room == "wide" else label)
            button.setVisible(room != "narrow")
        self.more_button.setVisible(room == "narrow")

    def set_live(self, live: bool) -> None:
        """Enable or disable all actions except votes."""
        for button in (self.first_button, *self.order()):
            button.setEnabled(live)

    def order(self) -> list[QWidget]:
        """Return Copy, Export, Note and the star in the order of the Tab key."""
        return [*self.buttons.values(), self.more_button, self.star_button]

    def _open_more(self) -> None:
        menu = QMenu(self)
        menu.setFont(theme().font(14))
        for label, button in self.buttons.items():
            menu.addAction(label, button.clicked.emit)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.more_button.mapToGlobal(QPoint(0, -menu.sizeHint().height())))

    def set_starred(self, starred: bool) -> None:
        self.star_button.setChecked(starred)
        self.star_button.set_icon("star_filled" if starred else "star")
        self.star_button.set_name("Remove star" if starred else "Star")

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(0, 0, self.width(), 1, QColor(theme().tokens.line2))

    def minimumSizeHint(self) -> QSize:
        return QSize(px(120), super().minimumSizeHint().height())


class TwoColumns:
    """The layout of ``tab``; ``left`` is hidden where there is room for only one column."""

    def __init__(self, tab: QWidget, right: ColumnScroll, foot: QLayout) -> None:
        self.left, self.right, self._foot, self._tab = ColumnScroll(), right, foot, tab
        self._row = HBox(self.left, (VBox((right, 1), foot, gap=0), 1), parent=tab)

    def measure(self, room: Room, margin: int) -> None:
        """Set the columns' widths. ``margin``: the window's right margin in pixels."""
        gutter = px(12)
        effective = self._tab.window().width() / theme().scale
        width = 412 if room == "wide" else 356 + 16 * min(1.0, max(0.0, (effective - 820) / 204))
        self.left.setFixedWidth(px(width) + gutter)
        self._row.setContentsMargins(0, 0, max(0, margin - gutter), 0)
        self._row.setSpacing(px(16) - gutter)
        self._foot.setContentsMargins(0, 0, gutter, 0)
        for column in (self.left, self.right):
            column.body.setContentsMargins(0, 0, 0, px(14))
