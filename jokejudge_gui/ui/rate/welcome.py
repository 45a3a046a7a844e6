"""What the Rate tab shows before the first verdict: to a newcomer what it does, and jokes to try."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPaintEvent
from PySide6.QtWidgets import QSizePolicy

from ..look.theme import px, theme
from ..widgets.base import Painted, box
from ..widgets.cards import Card
from ..widgets.controls import LinkButton
from ..widgets.layout import HBox, VBox
from ..widgets.text import Heading, Paragraph

_SHOWN = 3
NEWCOMER = (
    "Is it funny?",
    "A model on this computer reads the joke, marks where it turns, and says where people would probably put it among "
    "other jokes. Nothing is sent anywhere.",
)
KNOWN = ("Nothing is open.", "Rate a joke, or open one from the history.")


class ExampleRow(Painted):
    """A joke with a link; a click anywhere on it rates it. ``used`` carries it."""

    used = Signal(str)

    def __init__(self, joke: str) -> None:
        super().__init__()
        self._joke = joke
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.words = Paragraph(joke, 15, 400, "text", 1.45)
        self.link = LinkButton("Rate", name=f"Rate the example: {joke}", act=lambda: self.used.emit(joke))
        self._row = HBox((self.words, 1), self.link, parent=self)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.say("Example joke", joke)
        self.follow_theme()

    def restyle(self) -> None:
        self._row.setContentsMargins(px(15), px(10), px(13), px(10))
        self._row.setSpacing(px(12))
        super().restyle()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
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

    def __init__(self, examples: Sequence[str], *, newcomer: bool) -> None:
        super().__init__(padding=28)
        self.setAccessibleName("Welcome")
        heading, words = NEWCOMER if newcomer else KNOWN
        self.add(Heading(heading, 2 if newcomer else 3), Paragraph(words, 15 if newcomer else 14))
        self.rows = [ExampleRow(joke) for joke in (examples[:_SHOWN] if newcomer else ())]
        for row in self.rows:
            row.used.connect(self.example_used)
        if self.rows:
            self.add(VBox(*self.rows, gap=8, margins=(0, 8, 0, 0)))
