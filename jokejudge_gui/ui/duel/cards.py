"""The cards of the Duel tab: two drafts, the verdict on its scale, and people's agreement on such pairs."""

from __future__ import annotations

from itertools import accumulate
from typing import Literal

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QTextCursor
from PySide6.QtWidgets import QScrollBar, QSizePolicy, QWidget

from ...core.errors import CriteriaError
from ...judge.duel.record import DuelResult, DuelText
from ...judge.duel.words import (
    Marks,
    chance_of_a,
    known_words,
    nothing_turns,
    page,
    text_facts,
    unlearned,
    verdict_words,
)
from ...rubric.xml_parser import parse_first_pairs
from ..look import wording
from ..look.theme import px, theme
from ..trust.trust_figures import TrustLink
from ..verdict.cards import JokeCard
from ..votes import TasteLine
from ..widgets.bars import ProgressLine
from ..widgets.cards import Card
from ..widgets.controls import LinkButton
from ..widgets.duel_scale import DuelScale
from ..widgets.fields import TextEditor
from ..widgets.labels import SideBadge
from ..widgets.layout import HBox, VBox
from ..widgets.line import Line, LineLabels
from ..widgets.text import Heading, Label, Paragraph, x_of

_FIELD, _LOW_FIELD = 104, 82
"""The heights of a field with much room and with little, in pixels at 100 %."""


class DraftEditor(TextEditor):
    """A text field that marks words behind the text (``set_marks``): the mark colour with a line in the accent colour
    under them, and a caret of 2 px at missing words."""

    def __init__(self, placeholder: str, name: str) -> None:
        self._height = _FIELD
        self.marks = Marks()
        super().__init__(placeholder, name)

    def set_height(self, height: int) -> None:
        """Set the height, in pixels at 100 %."""
        self._height = height
        self.restyle()

    def sizeHint(self) -> QSize:
        return QSize(px(240), px(self._height))

    def set_marks(self, marks: Marks) -> None:
        """Set the marks, in characters of the text."""
        self.marks = marks
        self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.marks.spans or self.marks.carets:
            painter = QPainter(self.viewport())
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._paint_marks(painter)
            painter.end()
        super().paintEvent(event)

    def _paint_marks(self, painter: QPainter) -> None:
        # Qt counts UTF-16 units.
        units = [0, *accumulate(2 if ord(letter) > 0xFFFF else 1 for letter in self.toPlainText())]
        c = theme().tokens
        painter.setPen(Qt.PenStyle.NoPen)
        for start, end in self.marks.spans:
            for rect in self._rects(units[start], units[end]):
                painter.setBrush(QColor(c.mark))
                painter.drawRoundedRect(rect, px(4), px(4))
                painter.fillRect(QRectF(rect.left(), rect.bottom() - px(2), rect.width(), px(2)), QColor(c.accent))
        for place in self.marks.carets:
            cursor = QTextCursor(self.document())
            cursor.setPosition(min(units[place], units[-1]))
            at = self.cursorRect(cursor)
            painter.fillRect(QRectF(at.left() - px(1), at.top(), px(2), at.height()), QColor(c.accent))

    def _rects(self, start: int, end: int) -> list[QRectF]:
        """Return the rectangles of the characters from ``start`` to ``end``, one for each line."""
        found: list[QRectF] = []
        block, offset, reach = self.document().findBlock(start), self.contentOffset(), px(1)
        while block.isValid() and block.position() < end:
            top, layout = self.blockBoundingGeometry(block).translated(offset).topLeft(), block.layout()
            for number in range(layout.lineCount()):
                row = layout.lineAt(number)
                first = max(start - block.position(), row.textStart())
                last = min(end - block.position(), row.textStart() + row.textLength())
                # A blank at a line break isn't marked.
                last -= len(block.text()[first:last]) - len(block.text()[first:last].rstrip())
                if first >= last:
                    continue
                left, right = (x_of(row, place) for place in (first, last))
                rect = QRectF(top.x() + left - reach, top.y() + row.y(), right - left + 2 * reach, row.height())
                found.append(rect.adjusted(0, 0, 0, reach))
            block = block.next()
        return found


class DraftCard(JokeCard):
    """A draft: its letter, its field, and the facts under it."""

    editor: DraftEditor

    def __init__(self, side: Literal["A", "B"]) -> None:
        link = LinkButton("Pick from history", name=f"Pick draft {side} from the history")
        title = f"Draft {side}"
        placeholder = f"Type, paste or pick the {'first' if side == 'A' else 'second'} one"
        super().__init__(title, link, DraftEditor(placeholder, title))
        self.set_left(SideBadge(side))
        self.facts = Paragraph("", 13)
        self.add(self.facts)

    def show_facts(self, read: DuelText | None) -> None:
        """Show the facts about the field's text; ``read``: the findings of its verdict, None if it wasn't judged."""
        self.facts.set_content(text_facts(self.text().strip(), read) or "\u00a0")


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
        self.links = [LinkButton(wording.beginning(a, 90)) for a, _ in self.pairs]
        for link, (a, b) in zip(self.links, self.pairs, strict=True):
            link.setAccessibleName(f"Try this pair: {a}")
            link.clicked.connect(lambda _on=False, a=a, b=b: self.chosen.emit(a, b))
        rows = [(link, 0, Qt.AlignmentFlag.AlignLeft) for link in self.links]
        VBox(Paragraph("Put a joke in A and another version of it, or another joke, in B. Pairs to try it with:", 14),
             *rows, parent=self, gap=4)  # fmt: skip
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)


class AnswerCard(Card):
    """The verdict in words, on its scale, and the difference of the two; the progress while it runs."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Verdict")
        self.winner = Label("", 24, 600)
        self.chance = Label("", 15, 400, "text2", tabular=True)
        self.state = Heading("", 3)
        self.scale = DuelScale()
        self.sentence = Paragraph("", 15, token="text")
        self.taste = TasteLine()
        self.progress = ProgressLine(name="Progress")
        row = HBox(self.winner, (self.chance, 0, Qt.AlignmentFlag.AlignBottom), (self.state, 1), 0, gap=12)
        self.add(row, self.progress, self.scale, VBox(self.sentence, self.taste, gap=4, margins=(0, 4, 0, 0)))

    @property
    def heading(self) -> str:
        """Its first line."""
        return self.state.text() or self.winner.text()

    def show_running(self, title: str, text: str, fraction: float | None) -> None:
        self._head("", "", title or "\u00a0")
        self.progress.setVisible(fraction is not None)
        self.progress.set_fraction(fraction or 0.0)
        self.scale.set_chance(None)
        self.scale.show()
        self.sentence.show_text(text)

    def show_result(self, result: DuelResult) -> None:
        self.progress.hide()
        blank = nothing_turns(result)
        self._head(*(("", "") if blank else verdict_words(result)), blank)
        self.scale.set_chance(chance_of_a(result))
        self.scale.setVisible(not blank and not unlearned(result))
        self.sentence.show_text(" ".join(page(result).lead))

    def _head(self, winner: str, chance: str, state: str) -> None:
        for widget, text in ((self.winner, winner), (self.chance, chance)):
            widget.setText(text)
            widget.setVisible(bool(text))
        self.state.set_content(state)


class KnownCard(Card):
    """People's agreement with the judge on such pairs, if it was measured."""

    def __init__(self) -> None:
        super().__init__("What is known of such pairs")
        self.words = Paragraph("", 14, token="text")
        self.trust_link = TrustLink("drafts")
        self.line = Line()
        self._parts = HBox(
            (VBox(self.words, (self.trust_link, 0, Qt.AlignmentFlag.AlignLeft), gap=2), 1), (self.line, 1), gap=12
        )
        self.add(self._parts)

    def stack(self, stacked: bool) -> None:
        """Set whether the line is below its sentence."""
        self._parts.stack(stacked)

    def show_result(self, result: DuelResult | None) -> None:
        """Show the agreement; hidden if nothing is known."""
        rated = result is not None and not nothing_turns(result) and not unlearned(result)
        known = known_words(result) if result is not None and rated else None
        self.setVisible(known is not None)
        if known is None or result is None:
            return
        words, figure = known
        self.words.set_content(words)
        self.line.set_labels(LineLabels(tick="coin 50", middle=str(figure), under=True))
        self.line.set_values(None, None, figure, accessible=f"{figure} of 100; a coin has 50")
        self.trust_link.show_for(result)
