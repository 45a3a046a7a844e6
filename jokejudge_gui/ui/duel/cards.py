"""The cards of the Duel tab: two drafts, and the verdict."""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate
from typing import Literal

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QScrollBar, QSizePolicy, QWidget

from ...core.errors import CriteriaError
from ...core.pages import Mark, Page
from ...judge.duel import words
from ...judge.duel.record import DuelResult
from ...rubric.xml_parser import parse_first_pairs
from ..look import wording
from ..look.theme import px, theme
from ..trust.trust_figures import TrustLink
from ..verdict.cards import JokeCard
from ..votes import TasteLine
from ..widgets.base import plain_tooltip
from ..widgets.cards import Card
from ..widgets.controls import LinkButton
from ..widgets.fields import TextEditor
from ..widgets.labels import SideBadge
from ..widgets.layout import HBox, VBox
from ..widgets.line import Line, LineLabels
from ..widgets.page import PageView
from ..widgets.text import Paragraph, x_of

_FIELD = 104
"""The height of a field with much room, in pixels at 100 %."""


class DraftEditor(TextEditor):
    """A text field that marks words behind the text: the mark colour with a line in the accent colour under them."""

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
        self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.marks:
            painter = QPainter(self.viewport())
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            # Qt counts UTF-16 units.
            units = [0, *accumulate(2 if ord(letter) > 0xFFFF else 1 for letter in self.toPlainText())]
            c = theme().tokens
            painter.setPen(Qt.PenStyle.NoPen)
            for mark in self.marks:
                start, end = units[min(mark.start, len(units) - 1)], units[min(mark.end, len(units) - 1)]
                for rect in self._rects(start, end):
                    painter.setBrush(QColor(c.mark))
                    painter.drawRoundedRect(rect, px(4), px(4))
                    painter.fillRect(QRectF(rect.left(), rect.bottom() - px(2), rect.width(), px(2)), QColor(c.accent))
            painter.end()
        super().paintEvent(event)

    def _rects(self, start: int, end: int) -> list[QRectF]:
        """Return the rectangles of the characters from ``start`` to ``end``, one for each line."""
        rects: list[QRectF] = []
        block, offset, reach = self.document().findBlock(start), self.contentOffset(), px(1)
        while block.isValid() and block.position() < end:
            top, layout = self.blockBoundingGeometry(block).translated(offset).topLeft(), block.layout()
            for number in range(layout.lineCount()):
                row = layout.lineAt(number)
                first = max(start - block.position(), row.textStart())
                last = min(end - block.position(), row.textStart() + row.textLength())
                # A blank at a line break isn't marked.
                last -= len(block.text()[first:last]) - len(block.text()[first:last].rstrip())
                if first < last:
                    left, right = x_of(row, first), x_of(row, last)
                    rect = QRectF(top.x() + left - reach, top.y() + row.y(), right - left + 2 * reach, row.height())
                    rects.append(rect.adjusted(0, 0, 0, reach))
            block = block.next()
        return rects


class DraftCard(JokeCard):
    """A draft: its letter, its field, and the facts under it."""

    editor: DraftEditor

    def __init__(self, side: Literal["A", "B"]) -> None:
        link = LinkButton("Pick from history", name=f"Pick draft {side} from the history")
        title = f"Draft {side}"
        placeholder = f"Type, paste or pick the {'first' if side == 'A' else 'second'} one"
        super().__init__(title, link, DraftEditor(placeholder, title))
        self.set_left(SideBadge(side))


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
        self.links = [LinkButton(wording.beginning(a, 90), name=f"Try this pair: {a}") for a, _ in self.pairs]
        for link, pair in zip(self.links, self.pairs, strict=True):
            link.clicked.connect(lambda _on=False, pair=pair: self.chosen.emit(*pair))
        rows = [(link, 0, Qt.AlignmentFlag.AlignLeft) for link in self.links]
        VBox(Paragraph("Put a joke in A and another version of it, or another joke, in B. Pairs to try it with:", 14),
             *rows, parent=self, gap=4)  # fmt: skip
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)


class AnswerCard(Card):
    """The verdict: its page, the chance as a line from A to B, and the user's own taste."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Verdict")
        self.page, self.line, self.taste = PageView(level=2), Line(), TasteLine()
        self.trust_link = TrustLink("drafts")
        self.line.set_labels(LineLabels(ends=("A", "B"), tick="even"))
        self.add(self.page.headline, self.line, self.taste, self.page, HBox(self.trust_link, 1))

    @property
    def heading(self) -> str:
        """Its first line."""
        return self.page.headline.text()

    def show_result(self, result: DuelResult | None) -> None:
        """Show a verdict; None: it isn't known yet."""
        page = words.page(result) if result is not None else Page("")
        # The facts stand under the fields, the notes above the card.
        rows = tuple(row for row in page.rows if row.name not in ("A", "B"))
        self.page.show_page(replace(page, notes=(), rows=rows, foot=()))
        self.page.headline.setToolTip(plain_tooltip(" · ".join(page.foot)) if page.foot else "")
        chance = words.chance_of_a(result) if result is not None and not words.nothing_turns(result) else None
        self.line.setVisible(result is None or chance is not None)
        middle = 100.0 - chance if chance is not None else None
        self.line.set_values(None, None, middle, accessible=page.headline or "No verdict yet")
        self.trust_link.show_for(result)
