"""A longer text in the Rate tab, sentence by sentence."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPolygonF
from PySide6.QtWidgets import QWidget

from ...core.pages import Sentence
from ..look.theme import theme
from ..widgets.base import Themed, box, disc
from ..widgets.layout import HBox, VBox
from ..widgets.text import Caption, Paragraph

_TOP = Qt.AlignmentFlag.AlignTop


class SentenceView(Themed, QWidget):
    """A sentence of a longer text: at the left the mark of a laugh, and of one of the room where some sentence has it
    (``roomed``), at the right what is said of it."""

    def __init__(self, sentence: Sentence, roomed: bool) -> None:
        super().__init__()
        self.sentence = sentence
        HBox((Paragraph(sentence.text, 15, token="text", line_height=1.45), 1), (Caption(sentence.beside), 0, _TOP),
             parent=self, gap=14, margins=(24 + 15 * roomed, 3, 8, 3))  # fmt: skip
        of_mark = {"likely": "A laugh is likely", "maybe": "A laugh may come", "": ""}[sentence.mark]
        of_room = "The room laughed" if sentence.room else ""
        self.setAccessibleName(". ".join(filter(None, (sentence.text, of_mark, of_room, sentence.beside))))
        self.follow_theme()

    def paintEvent(self, event: QPaintEvent) -> None:
        t, painter = theme(), QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.sentence.flat:
            box(painter, QRectF(self.rect()), 0, t.tokens.sunken)
        if self.sentence.mark:
            filled = t.tokens.accent if self.sentence.mark == "likely" else None
            disc(painter, QPointF(t.px(9), t.px(14)), t.px(5), filled, t.tokens.accent, 1.5 * t.scale)
        if self.sentence.room:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(t.tokens.accent)
            corners = ((24, 9), (29, 14), (24, 19), (19, 14))
            painter.drawPolygon(QPolygonF([QPointF(t.px(x), t.px(y)) for x, y in corners]))
        painter.end()


class SentencesView(QWidget):
    """A longer text, a sentence a row; hidden without any."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[SentenceView] = []
        self._column = VBox(parent=self, gap=0)
        self.setAccessibleName("The text, sentence by sentence")

    def show_sentences(self, sentences: Sequence[Sentence]) -> None:
        if tuple(sentences) != tuple(row.sentence for row in self.rows):
            self.rows = [SentenceView(one, any(other.room for other in sentences)) for one in sentences]
            self._column.show_only(*self.rows)
        self.setVisible(bool(sentences))
