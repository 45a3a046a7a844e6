"""The cards of the Duel tab: two drafts, the verdict on its scale, and people's agreement on such pairs."""

from __future__ import annotations

from itertools import accumulate
from typing import Literal

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QScrollBar, QSizePolicy, QWidget

from ...core.errors import CriteriaError
from ...core.pages import Mark
from ...judge.duel.record import DuelResult, DuelText
from ...judge.duel.words import (
    CLEAR,
    PROBABLE,
    chance_of_a,
    known_words,
    nothing_turns,
    page,
    text_facts,
    verdict_words,
    withheld,
)
from ...rubric.xml_parser import parse_first_pairs
from ..look import wording
from ..look.theme import px, theme
from ..trust.trust_figures import TrustLink
from ..verdict.cards import JokeCard
from ..votes import TasteLine
from ..widgets.base import LEFT, Painted, disc, line, text_width, write
from ..widgets.cards import Card
from ..widgets.controls import LinkButton
from ..widgets.fields import TextEditor
from ..widgets.labels import SideBadge
from ..widgets.layout import HBox, VBox
from ..widgets.line import Line, LineLabels
from ..widgets.text import Heading, Label, Paragraph, x_of

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
        self.links = [LinkButton(wording.beginning(a, 90), name=f"Try this pair: {a}") for a, _ in self.pairs]
        for link, pair in zip(self.links, self.pairs, strict=True):
            link.clicked.connect(lambda _on=False, pair=pair: self.chosen.emit(*pair))
        rows = [(link, 0, Qt.AlignmentFlag.AlignLeft) for link in self.links]
        VBox(Paragraph("Put a joke in A and another version of it, or another joke, in B. Pairs to try it with:", 14),
             *rows, parent=self, gap=4)  # fmt: skip
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)


_CUTS = (0.0, (100 - CLEAR) / 100, (100 - PROBABLE) / 100, PROBABLE / 100, CLEAR / 100, 1.0)
_NAMES = ("clearly A", "probably A", "too close", "probably B", "clearly B")
_BAR, _TOP = 10.0, 7.0


class DuelScale(Painted):
    """A scale linear in the chance, from A 100 at the left over 50 to B 100; only the current part is filled."""

    LEAST = 240

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.set_chance(None)
        self.follow_theme()

    def set_chance(self, chance_a: int | None) -> None:
        """Set the chance for A, 0 to 100; None: not known yet."""
        self.chance, self.part = chance_a, None
        if chance_a is None:
            self.say("Scale from A to B", "No verdict yet")
        else:
            sure = max(chance_a, 100 - chance_a)
            off = 2 if sure >= CLEAR else 1 if sure >= PROBABLE else 0
            self.part = 2 - off if chance_a > 50 else 2 + off
            name = _NAMES[self.part]
            self.say(f"{name}, {sure} in 100 for {'A' if chance_a >= 50 else 'B'}" if off else name)
        self.update()

    def extent(self) -> tuple[float, float]:
        return 480, _TOP + _BAR + 26

    def paintEvent(self, event: QPaintEvent) -> None:
        c = theme().tokens
        with self.painter() as (painter, width, _):
            painter.save()
            outline = QPainterPath()
            outline.addRoundedRect(QRectF(0, _TOP, width, _BAR), _BAR / 2, _BAR / 2)
            painter.setClipPath(outline)
            for number in range(5):
                left, right = _CUTS[number] * width, _CUTS[number + 1] * width - (2 if number < 4 else 0)
                fill = c.track if number != self.part else c.tint2 if number == 2 else c.accent
                painter.fillRect(QRectF(left, _TOP, right - left, _BAR), QColor(fill))
            painter.restore()
            middle = _TOP + _BAR / 2
            line(painter, QPointF(width / 2, middle - 11), QPointF(width / 2, middle + 11), c.text2, 1.2)
            self._name_parts(painter, width)
            if self.chance is not None:
                x = min(max((100 - self.chance) / 100 * width, 9.0), width - 9)
                disc(painter, QPointF(x, middle), 9, c.surface, c.text, 3)

    def _name_parts(self, painter: QPainter, width: float) -> None:
        """Draw all names if each has room, else those of the current part and of the middle."""
        t = theme()
        faces = [t.raw_font(13, 600 if number == self.part else 400) for number in range(5)]
        wide = [text_width(name, face) for name, face in zip(_NAMES, faces, strict=True)]
        every = all(wide[n] + 8 <= (_CUTS[n + 1] - _CUTS[n]) * width for n in range(5))
        for number, name in enumerate(_NAMES):
            if every or number == (2 if self.part is None else self.part):
                at = (_CUTS[number] + _CUTS[number + 1]) / 2 * width - wide[number] / 2
                start = min(max(at, 0.0), width - wide[number])
                colour = t.tokens.text if number == self.part else t.tokens.text3
                write(painter, QRectF(start, _TOP + _BAR + 6, width, 18), name, faces[number], colour, LEFT)


class AnswerCard(Card):
    """The verdict in words, on its scale, and the difference of the two."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Verdict")
        self.winner, self.chance = Label("", 24, 600), Label("", 15, 400, "text2", tabular=True)
        self.state, self.scale = Heading("", 3), DuelScale()
        self.sentence, self.taste = Paragraph("", 15, token="text"), TasteLine()
        row = HBox(self.winner, (self.chance, 0, Qt.AlignmentFlag.AlignBottom), (self.state, 1), 0, gap=12)
        self.add(row, self.scale, VBox(self.sentence, self.taste, gap=4, margins=(0, 4, 0, 0)))

    @property
    def heading(self) -> str:
        """Its first line."""
        return self.state.text() or self.winner.text()

    def show_result(self, result: DuelResult | None) -> None:
        """Show a verdict; None: it isn't known yet."""
        blank = nothing_turns(result) if result is not None else ""
        winner, chance = verdict_words(result) if result is not None and not blank else ("", "")
        for label, text in ((self.winner, winner), (self.chance, chance)):
            label.setText(text)
            label.setVisible(bool(text))
        self.state.show_text(blank)
        self.scale.set_chance(chance_of_a(result) if result is not None else None)
        self.scale.setVisible(result is None or not blank)
        self.sentence.show_text(" ".join(page(result).lead) if result is not None else "")


class KnownCard(Card):
    """People's agreement with the judge on such pairs, if it was measured."""

    def __init__(self) -> None:
        super().__init__("What is known of such pairs")
        self.words, self.trust_link, self.line = Paragraph("", 14, token="text"), TrustLink("drafts"), Line()
        left = VBox(self.words, (self.trust_link, 0, Qt.AlignmentFlag.AlignLeft), gap=2)
        self._parts = HBox((left, 1), (self.line, 1), gap=12)
        self.add(self._parts)

    def stack(self, stacked: bool) -> None:
        """Set whether the line is below its sentence."""
        self._parts.stack(stacked)

    def show_result(self, result: DuelResult | None) -> None:
        """Show the agreement; hidden if nothing is known."""
        agreement = known_words(result) if result is not None and not withheld(result) else None
        self.setVisible(agreement is not None)
        if agreement is not None:
            words, figure = agreement
            self.words.set_content(words)
            self.line.set_labels(LineLabels(tick="coin 50", middle=str(figure)))
            self.line.set_values(None, None, figure, accessible=f"{figure} of 100; a coin has 50")
            self.trust_link.show_for(result)
