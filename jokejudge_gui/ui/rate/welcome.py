"""What the Rate tab shows before the first verdict: what the program does, and jokes to try."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from ..look.theme import px, theme
from ..widgets.base import CENTRE, Painted, box, disc, write
from ..widgets.cards import Card
from ..widgets.controls import LinkButton
from ..widgets.gauge import Gauge
from ..widgets.text import Heading, Label, Paragraph

_SHOWN = 3


class _Number(Painted):
    """A number in a soft disc."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self._number = number
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.say(f"Step {number}")
        self.follow_theme()

    def sizeHint(self) -> QSize:
        return QSize(px(24), px(24))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        t = theme()
        with self.painter() as (painter, width, height):
            area = QRectF(0, 0, width, height)
            disc(painter, area.center(), 12, t.tokens.soft)
            write(painter, area, str(self._number), t.raw_font(13, 600), t.tokens.accent, CENTRE)


class ExampleRow(Painted):
    """A joke with a link; a click anywhere on it uses it."""

    used = Signal(str)

    def __init__(self, joke: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._joke = joke
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.words = Paragraph(joke, 15, 400, "text", 1.45)
        self.link = LinkButton("Use")
        self.link.setAccessibleName(f"Use the example: {joke}")
        self.link.clicked.connect(lambda: self.used.emit(joke))
        self._row = QHBoxLayout(self)
        self._row.addWidget(self.words, 1)
        self._row.addWidget(self.link)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.say("Example joke", joke)
        self.follow_theme()

    def restyle(self) -> None:
        self._row.setContentsMargins(px(15), px(10), px(13), px(10))
        self._row.setSpacing(px(12))
        super().restyle()

    def mouseReleaseEvent(self, event: object) -> None:
        if self.underMouse():
            self.used.emit(self._joke)

    def paintEvent(self, event: QPaintEvent) -> None:
        t = theme().tokens
        hover = self.underMouse()
        with self.painter() as (painter, width, height):
            box(painter, QRectF(0, 0, width, height), 8, t.sunken if hover else None, t.line2 if hover else t.line)


class WelcomeCard(Card):
    """``example_used`` carries the joke that was chosen."""

    example_used = Signal(str)

    def __init__(self, examples: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(padding=40, parent=parent)
        self.setAccessibleName("Welcome")
        self._head = QHBoxLayout()
        self._words = QVBoxLayout()
        self._words.addWidget(Heading("Is it funny?", 1))
        self._words.addWidget(
            Paragraph(
                "Find out in two clicks. A model on this computer reads the joke, finds its place among a hundred "
                "others and says what works and what weakens it. Nothing is sent anywhere.",
                15,
            )
        )
        self._words.addStretch(1)
        self.gauge = Gauge()
        self._head.addLayout(self._words, 1)
        self._head.addWidget(self.gauge, 0, Qt.AlignmentFlag.AlignTop)
        self.add_layout(self._head)
        self.rows: list[ExampleRow] = []
        self._indented: list[QVBoxLayout] = []
        self._titles: list[QHBoxLayout] = []
        if examples:
            self._step(1, "Pick an example, or type your own")
            rows = self._indent()
            for joke in examples[:_SHOWN]:
                row = ExampleRow(joke)
                row.used.connect(self.example_used)
                self.rows.append(row)
                rows.addWidget(row)
        self._step(2 if examples else 1, "Press Rate")
        self._indent().addWidget(
            Paragraph("Or Ctrl+Enter. The verdict is kept in the history, where you can vote on it and compare it.")
        )
        self._lay_out()
        theme().changed.connect(self._lay_out)

    def _step(self, number: int, title: str) -> None:
        row = QHBoxLayout()
        row.addWidget(_Number(number))
        row.addWidget(Label(title, 15, 600), 1)
        self._titles.append(row)
        self.add_layout(row)

    def _indent(self) -> QVBoxLayout:
        column = QVBoxLayout()
        self._indented.append(column)
        self.add_layout(column)
        return column

    def _lay_out(self) -> None:
        self._head.setSpacing(px(24))
        self._words.setSpacing(px(6))
        for column in self._indented:
            column.setContentsMargins(px(34), 0, 0, px(10))
            column.setSpacing(px(8))
        for row in self._titles:
            row.setSpacing(px(10))
