"""What the Rate tab shows before the first verdict: what the program does, and jokes to try."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ..look.theme import px, theme
from ..widgets.base import CENTRE, Painted, box, disc, write
from ..widgets.cards import Card
from ..widgets.controls import LinkButton
from ..widgets.gauge import Gauge
from ..widgets.layout import HBox, VBox
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

    def extent(self) -> tuple[float, float]:
        return 24, 24

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
        self.link = LinkButton("Use", name=f"Use the example: {joke}", act=lambda: self.used.emit(joke))
        self._row = HBox((self.words, 1), self.link, parent=self)
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
        self.gauge = Gauge()
        about = Paragraph(
            "Find out in two clicks. A model on this computer reads the joke, finds its place among a hundred "
            "others and says what works and what weakens it. Nothing is sent anywhere.",
            15,
        )
        self.add(
            HBox(
                (VBox(Heading("Is it funny?", 1), about, 1, gap=6), 1),
                (self.gauge, 0, Qt.AlignmentFlag.AlignTop),
                gap=24,
            )
        )
        self.rows = [ExampleRow(joke) for joke in examples[:_SHOWN]]
        for row in self.rows:
            row.used.connect(self.example_used)
        if examples:
            self._step(1, "Pick an example, or type your own", *self.rows)
        kept = "Or Ctrl+Enter. The verdict is kept in the history, where you can vote on it and compare it."
        self._step(2 if examples else 1, "Press Rate", Paragraph(kept))

    def _step(self, number: int, title: str, *content: QWidget) -> None:
        self.add(HBox(_Number(number), (Label(title, 15, 600), 1), gap=10))
        self.add(VBox(*content, gap=8, margins=(34, 0, 0, 10)))
