"""The cards of the Duel tab: two drafts, and the verdict."""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate
from typing import Literal

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QScrollBar, QSizePolicy, QTextEdit, QWidget

from ...core.errors import CriteriaError
from ...core.pages import Mark, Page
from ...judge.duel import words
from ...judge.duel.record import DuelResult
from ...rubric.xml_parser import parse_first_pairs
from ..look.theme import px, theme
from ..trust.link import TrustLink
from ..verdict.cards import JokeCard
from ..votes import TasteLine
from ..widgets.base import plain_tooltip
from ..widgets.cards import Card
from ..widgets.controls import LinkButton
from ..widgets.fields import TextEditor
from ..widgets.layout import HBox, VBox
from ..widgets.line import Line
from ..widgets.page import PageView
from ..widgets.text import Heading, Paragraph

_FIELD = 104
"""The height of a field with much room, in pixels at 100 %."""


class DraftEditor(TextEditor):
    """A text field with marked words: the mark colour behind them, and a line in the accent colour under them."""

    def __init__(self, placeholder: str, name: str) -> None:
        self._height = _FIELD
        self.marks: tuple[Mark, ...] = ()
        super().__init__(placeholder, name)

    def set_height(self, height: int) -> None:
        """Set the height, in pixels at 100 %."""
        self._height = height
        self.restyle()

    def sizeHint(self) -> QSize:
        return QSize(px(240), px(self._height))

    def set_marks(self, marks: tuple[Mark, ...]) -> None:
        """Set the marks, in characters of the text."""
        self.marks = marks
        look = QTextCharFormat()
        look.setBackground(theme().colour("mark"))
        look.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SingleUnderline)
        look.setUnderlineColor(theme().colour("accent"))
        # Qt counts UTF-16 units.
        units = [0, *accumulate(2 if ord(letter) > 0xFFFF else 1 for letter in self.toPlainText())]
        drawn = []
        for mark in marks:
            piece = QTextEdit.ExtraSelection()
            piece.cursor, piece.format = QTextCursor(self.document()), look
            piece.cursor.setPosition(units[min(mark.start, len(units) - 1)])
            piece.cursor.setPosition(units[min(mark.end, len(units) - 1)], QTextCursor.MoveMode.KeepAnchor)
            drawn.append(piece)
        self.setExtraSelections(drawn)

    def restyle(self) -> None:
        super().restyle()
        self.set_marks(self.marks)


class DraftCard(JokeCard):
    """A draft: its letter, its field, and the facts under it."""

    editor: DraftEditor

    def __init__(self, side: Literal["A", "B"]) -> None:
        link = LinkButton("Pick from history", name=f"Pick draft {side} from the history")
        title = f"Draft {side}"
        placeholder = f"Type, paste or pick the {'first' if side == 'A' else 'second'} one"
        super().__init__(title, link, DraftEditor(placeholder, title))


def scroll_together(first: QScrollBar, second: QScrollBar) -> None:
    """Scroll two fields to the same part of their texts."""
    moving: list[QScrollBar] = []

    def follow(leader: QScrollBar, other: QScrollBar) -> None:
        if not moving and leader.maximum() > 0:
            moving.append(leader)
            other.setValue(round(leader.value() / leader.maximum() * other.maximum()))
            moving.clear()

    first.valueChanged.connect(lambda _value: follow(first, second))
    second.valueChanged.connect(lambda _value: follow(second, first))


class ExamplesRow(QWidget):
    """Example pairs for a duel. ``chosen`` carries the two texts."""

    chosen = Signal(str, str)

    def __init__(self) -> None:
        super().__init__()
        try:
            self.pairs = parse_first_pairs()[:2]
        except CriteriaError:  # the program works without them
            self.pairs = ()
        self.links = [LinkButton("Try", name=f"Try this pair: {a} / {b}") for a, b in self.pairs]
        for link, pair in zip(self.links, self.pairs, strict=True):
            link.clicked.connect(lambda _on=False, pair=pair: self.chosen.emit(*pair))
        texts = [Paragraph(f"A: {a}\nB: {b}", 14, token="text") for a, b in self.pairs]
        rows = [HBox((text, 1), link, gap=12) for text, link in zip(texts, self.links, strict=True)]
        VBox(Paragraph("Put a joke in A and another version of it, or another joke, in B. Pairs to try it with:", 14),
             *rows, parent=self, gap=8)  # fmt: skip
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)


class AnswerCard(Card):
    """The verdict: its page, the chance as a line from A to B, and the user's own taste."""

    def __init__(self, running: QWidget) -> None:
        """``running``: what goes on now, in the card's last line."""
        super().__init__()
        self.setAccessibleName("Verdict")
        self.headline, self.line, self.taste = Heading("", 2), Line(("A", "B"), "even"), TasteLine()
        self.page = PageView("Reasons", fold=True)
        self.trust_link = TrustLink("drafts")
        self.add(self.headline, self.line, self.taste, self.page, HBox(self.trust_link, 1), running)

    @property
    def heading(self) -> str:
        """Its first line."""
        return self.headline.text()

    def show_result(self, result: DuelResult | None) -> None:
        """Show a verdict; None: it isn't known yet."""
        page = words.page(result) if result is not None else Page("")
        # The facts stand under the fields, the notes above the card.
        rows = tuple(row for row in page.rows if row.name not in ("A", "B"))
        shown = replace(page, headline="", notes=(), texts=(), rows=rows, foot=())
        self.page.show_pages(*([shown] if rows or page.lead or page.tables else []))
        self.headline.show_text(page.headline)
        self.headline.setToolTip(plain_tooltip(" · ".join(page.foot)) if page.foot else "")
        chance = words.chance_of_a(result) if result is not None and not words.nothing_turns(result) else None
        self.line.setVisible(result is None or chance is not None)
        middle = 100.0 - chance if chance is not None else None
        tie = result is not None and result.winner == "tie"
        self.line.set_values(None, None, middle, accessible=page.headline or "No verdict yet", quiet=tie)
        self.trust_link.show_for(result)
