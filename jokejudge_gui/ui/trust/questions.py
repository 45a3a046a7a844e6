"""Cards with four questions about a model: a short answer, a line, and details on request."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSizePolicy, QWidget

from ...learning.trust_cards import title
from ...measure.model.words import NO_ANSWERS, QUESTIONS, UNKNOWN_KIND, UNMEASURED, Answer, Answers
from ..look import wording
from ..look.theme import Room
from ..look.wording import Run
from ..widgets.cards import Card
from ..widgets.controls import LinkButton, SmallChoice
from ..widgets.layout import Grid, HBox
from ..widgets.line import Line
from ..widgets.text import Paragraph

AUDITED = ("broken", "moves")
"""Keys of the questions that an audit answers."""
_MORE, _LESS = "More", "Less"


class QuestionCard(Card):
    """One question. ``more_asked``: open or close its details; ``measure_asked``: have it measured."""

    more_asked = Signal()
    measure_asked = Signal()

    def __init__(self, key: str, right: QWidget | None = None) -> None:
        super().__init__(QUESTIONS[key], right=right)
        self.key = key
        self.answer: Answer | None = None
        self.words, self.line = Paragraph("", 14, token="text"), Line()
        self.more = LinkButton(_MORE, name=f"{_MORE}: {QUESTIONS[key]}", act=self.more_asked)
        self.details = Paragraph("", 14, gap=6)
        self.details.hide()
        self.measure = LinkButton("Measure it", act=self.measure_asked)
        self.measure.hide()
        self.add(self.words, self.line, HBox(self.more, self.measure, 1, gap=14), self.details, 1)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)

    def show_answer(self, answer: Answer | None) -> None:
        """Show an answer; None: it wasn't measured."""
        self.answer = answer
        runs: list[Run] = [(UNMEASURED, "normal")]
        if answer is not None:
            runs = [
                (f"{answer.first}:", "strong"),
                (f" {answer.rest}".replace(" times in 100", "\u00a0times in\u00a0100"), "normal"),
            ]
        self.words.set_content(runs)
        drawn = answer is not None and answer.figure is not None
        self.line.setVisible(drawn)
        more = answer.more if answer is not None else ()
        self.more.setVisible(bool(more))
        self.details.set_content(wording.labelled((f"{about}:", text) for about, text in more))
        self.unfold(bool(more) and not self.details.isHidden())
        if answer is None or answer.figure is None:
            return
        figure = answer.figure
        rival = f"{answer.rival[0]} {answer.rival[1]:.0f}" if answer.rival is not None else ""
        self.line.set_labels(" · ".join(filter(None, (answer.tick, rival))), f"JokeJudge {figure:.0f}")
        words = f"JokeJudge {figure:.0f} of 100"
        if answer.low is not None and answer.high is not None:
            words += f", between {answer.low:.0f} and {answer.high:.0f}"
        words = "; ".join(filter(None, (words, rival, answer.tick)))
        self.line.set_values(answer.low, answer.high, figure, accessible=words)

    def unfold(self, on: bool) -> None:
        """Show the details, if there are any, or hide them."""
        on = on and self.answer is not None and bool(self.answer.more)
        self.details.setVisible(on)
        self.more.setText(_LESS if on else _MORE)


class QuestionCards(QWidget):
    """The four cards, one or two in a row; the details of one of them may be open. ``measure_asked``: audit the model;
    ``unfolded`` carries the card whose details were opened."""

    measure_asked = Signal()
    unfolded = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.answers: Answers = NO_ANSWERS
        self.kind = ""
        self.kinds = SmallChoice("Kind of joke")
        self.kinds.chosen.connect(self._choose)
        self.cards = {key: QuestionCard(key, self.kinds if key == "kind" else None) for key in QUESTIONS}
        self._grid = Grid(self, gaps=(14, 14))
        for key, card in self.cards.items():
            card.more_asked.connect(lambda key=key: self.open_more("" if self.opened == key else key))
            card.measure_asked.connect(self.measure_asked)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        # Gets the focus when the tab is opened.
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setProperty("ring", False)
        self.set_room("wide")

    @property
    def opened(self) -> str:
        """The key of the question whose details are open; empty: none."""
        return next((key for key, card in self.cards.items() if not card.details.isHidden()), "")

    def set_room(self, room: Room) -> None:
        """Arrange the cards in one column or two."""
        columns = 1 if room == "narrow" else 2
        self.kinds.most = 150 if room == "medium" else 250
        self.kinds.updateGeometry()
        for column in range(2):
            self._grid.setColumnStretch(column, 1 if column < columns else 0)
        for place, card in enumerate(self.cards.values()):
            self._grid.addWidget(card, place // columns, place % columns)

    def show_answers(self, answers: Answers, kind: str) -> None:
        """Show these answers. ``kind``: of the text rated last, selected unless the user selected another one."""
        self.answers = answers
        names = list(answers["kind"])
        if self.kind not in names:
            # A kind with a name but without figures wasn't in the training data.
            other = UNKNOWN_KIND if kind and UNKNOWN_KIND in names else names[0] if names else ""
            self.kind = kind if kind in names else other
        self.kinds.set_options([title(name) for name in names], names.index(self.kind) if names else -1)
        self.kinds.setVisible(bool(names))
        for key, some in answers.items():
            self.cards[key].show_answer(some.get(self.kind if key == "kind" else ""))

    def show_kind(self, kind: str) -> None:
        """Select a kind of text, if it is known."""
        if kind in self.answers["kind"]:
            self.kind = kind
            self.show_answers(self.answers, kind)

    def open_more(self, key: str) -> None:
        """Open the details of an answer, if there are any, and close the others; empty: close them."""
        opened = self.opened
        for card in self.cards.values():
            card.unfold(card.key == key)
        if self.opened:
            self.unfolded.emit(self.cards[key])
        elif opened:
            self.cards[opened].more.setFocus()

    def _choose(self, place: int) -> None:
        self.show_kind([*self.answers["kind"], ""][place])
