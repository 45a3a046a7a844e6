"""Cards with four questions about a model: a short answer, a line, and details on request."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSizePolicy, QWidget

from ...learning.trust_cards import title
from ...measure.model.words import NO_ANSWERS, QUESTIONS, UNMEASURED, Answer, Answers
from ..look.theme import Room
from ..look.wording import Run
from ..widgets.cards import Card
from ..widgets.controls import ChoiceButton, LinkButton
from ..widgets.layout import Grid, HBox
from ..widgets.line import Line
from ..widgets.text import Paragraph

AUDITED = ("broken", "moves")
"""Keys of the questions that an audit answers."""


class QuestionCard(Card):
    """One question. Its owner connects ``more``, which opens or closes its details, and ``measure``."""

    def __init__(self, key: str, right: QWidget | None = None) -> None:
        super().__init__(QUESTIONS[key], right=right)
        self.answer: Answer | None = None
        self.words, self.line, self.details = Paragraph("", 14, token="text"), Line(), Paragraph("", 14, gap=6)
        self.more, self.measure = LinkButton("More", name=f"More: {QUESTIONS[key]}"), LinkButton("Measure it")
        self.add(self.words, self.line, HBox(self.more, self.measure, 1, gap=14), self.details, 1)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self.measure.hide()
        self.unfold(False)

    def show_answer(self, answer: Answer | None) -> None:
        """Show an answer; None: it wasn't measured."""
        self.answer = answer
        more = answer.more if answer is not None else ()
        self.more.setVisible(bool(more))
        lines: list[Run] = []
        for about, text in more:
            lines += [("\n" if lines else "", "normal"), (f"{about}: ", "strong"), (text, "normal")]
        self.details.set_content(lines)
        self.unfold(not self.details.isHidden())
        self.line.setVisible(answer is not None and answer.figure is not None)
        if answer is None:
            self.words.set_content(UNMEASURED)
            return
        rest = f" {answer.rest}".replace(" times in 100", "\u00a0times in\u00a0100")
        self.words.set_content([(f"{answer.first}:", "strong"), (rest, "normal")])
        if answer.figure is not None:
            rival = f"{answer.rival[0]} {answer.rival[1]:.0f}" if answer.rival is not None else ""
            interval = answer.low is not None and answer.high is not None
            between = f", between {answer.low:.0f} and {answer.high:.0f}" if interval else ""
            words = filter(None, (f"JokeJudge {answer.figure:.0f} of 100{between}", rival, answer.tick))
            above = f"JokeJudge {answer.figure:.0f}"
            self.line.words.setText(" · ".join(filter(None, (answer.tick, rival))))
            self.line.set_values(answer.low, answer.high, answer.figure, accessible="; ".join(words), above=above)

    def unfold(self, on: bool) -> None:
        """Show the details, if there are any, or hide them."""
        on = on and self.answer is not None and bool(self.answer.more)
        self.details.setVisible(on)
        self.more.setText("Less" if on else "More")


class QuestionCards(QWidget):
    """The four cards, one or two in a row; the details of one of them may be open. ``measure_asked``: audit the model;
    ``unfolded`` carries the card whose details were opened; ``chosen`` the kind of text and the question that the user
    chose."""

    measure_asked = Signal()
    unfolded = Signal(object)
    chosen = Signal(str, str)

    def __init__(self) -> None:
        super().__init__()
        self.answers: Answers = NO_ANSWERS
        self.kind = self._wanted = ""
        self._rated: str | None = ""
        """The kind that was rated last, None: another one was chosen before the program was started."""
        self.kinds = ChoiceButton("Kind of joke", small=True)
        self.kinds.chosen.connect(self._on_kind)
        self.cards = {key: QuestionCard(key, self.kinds if key == "kind" else None) for key in QUESTIONS}
        self._grid = Grid(self, gaps=(14, 14))
        for key, card in self.cards.items():
            card.more.clicked.connect(partial(self._turn, key))
            card.measure.clicked.connect(self.measure_asked)
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

    def restore(self, kind: str, question: str) -> None:
        """Choose a kind of text and open a question once there are answers."""
        self.kind, self._wanted, self._rated = kind, question, None if kind else ""

    def follow(self, kind: str) -> None:
        """Choose the kind of the text that was rated last. What the user chose stays until another kind is rated."""
        if kind and kind != self._rated:
            self.kind = kind if self._rated is not None else self.kind
            self._rated = kind

    def _on_kind(self, place: int) -> None:
        self.show_kind([*self.answers["kind"]][place])
        self.chosen.emit(self.kind, self.opened)

    def show_answers(self, answers: Answers) -> None:
        """Show these answers, of the first kind of text unless another one was chosen or rated."""
        self.answers = answers
        names = list(answers["kind"])
        if self.kind not in names:
            self.kind = names[0] if names else ""
        self.kinds.set_options([title(name) for name in names], names.index(self.kind) if names else -1)
        self.kinds.setVisible(bool(names))
        for key, some in answers.items():
            self.cards[key].show_answer(some.get(self.kind if key == "kind" else ""))
        if self._wanted and any(answers.values()):
            wanted, self._wanted = self._wanted, ""
            self.open_more(wanted)

    def show_kind(self, kind: str) -> None:
        """Select a kind of text, if it is known."""
        if kind in self.answers["kind"]:
            self.kind = kind
            self.show_answers(self.answers)

    def _turn(self, key: str) -> None:
        self.open_more("" if self.opened == key else key)
        self.chosen.emit(self.kind, self.opened)

    def open_more(self, key: str) -> None:
        """Open the details of an answer, if there are any, and close the others; empty: close them."""
        opened = self.opened
        for name, card in self.cards.items():
            card.unfold(name == key)
        if self.opened:
            self.unfolded.emit(self.cards[key])
        elif opened:
            self.cards[opened].more.setFocus()
