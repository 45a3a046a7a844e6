"""Cards with four questions about a model: a short answer, a line, and details on request."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QWidget

from ...learning.trust_cards import title
from ...measure.questions import NO_ANSWERS, QUESTIONS, UNKNOWN_KIND, UNMEASURED, Answer, Answers
from ..look import wording
from ..look.theme import Room, px, theme
from ..look.wording import Run
from ..widgets.cards import Card
from ..widgets.controls import IconButton, LinkButton, SmallChoice
from ..widgets.labels import ProgressLine
from ..widgets.layout import HBox, VBox
from ..widgets.line import Line, LineLabels
from ..widgets.text import Label, Paragraph
from .runs import Run as Work

AUDITED = ("broken", "moves")
"""Keys of the questions that an audit answers."""
_HEIGHTS = {"wide": 240, "medium": 220, "narrow": 0}
_MORE, _LESS = "More", "Less"


class QuestionCard(Card):
    """One question. ``more_asked`` carries its key; ``measure_asked``: start or stop its measurement."""

    more_asked = Signal(str)
    measure_asked = Signal()

    def __init__(self, key: str, right: QWidget | None = None) -> None:
        super().__init__(QUESTIONS[key], right=right)
        self.key = key
        self.answer: Answer | None = None
        self.words = Paragraph("", 14, token="text")
        self.line = Line(plain=True)
        self.more = LinkButton(_MORE, act=lambda: self.more_asked.emit(self.key))
        self.more.setAccessibleName(f"{_MORE}: {QUESTIONS[key]}")
        self.progress = ProgressLine(name=f"Measuring: {QUESTIONS[key]}")
        self.progress.hide()
        self.measure = LinkButton("Measure it", act=self.measure_asked)
        self.measure.hide()
        self.body.setSpacing(px(8))
        self.add(self.words, self.progress, 1, self.line, HBox(self.more, self.measure, 1, gap=14))
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
        self.more.setVisible(answer is not None and bool(answer.more))
        if answer is None or answer.figure is None:
            return
        figure = answer.figure
        self.line.set_labels(LineLabels(tick=answer.tick, middle=f"JokeJudge {figure:.0f}", rival=answer.rival))
        said = f"JokeJudge {figure:.0f} of 100"
        if answer.low is not None and answer.high is not None:
            said += f", between {answer.low:.0f} and {answer.high:.0f}"
        if answer.rival is not None:
            said += f"; {answer.rival[0]} {answer.rival[1]:.0f}"
        self.line.set_values(answer.low, answer.high, figure, accessible=f"{said}; {answer.tick}")

    def show_run(self, run: Work | None) -> None:
        """Show the progress of the measurement; None: it can't or needn't be measured."""
        self.measure.setVisible(run is not None)
        live = run is not None and run.live
        self.progress.setVisible(live and run is not None and run.progress is not None)
        if run is None:
            return
        self.measure.setText("Stop" if live else "Measure it")
        self.measure.setEnabled(run.phase != "stopping")
        if live and run.progress is not None:
            done, total = run.progress.done, run.progress.total or 0
            self.progress.set_fraction(done / total if total else 0.0)
            self.words.set_content(f"Measuring: {done:,} of {total:,}." if total else "Measuring.")
        elif live:
            self.words.set_content("Measuring begins when the model is free.")
        elif run.phase == "failed" and run.error is not None:
            self.words.set_content(str(run.error))


class MoreCard(Card):
    """The details of one answer. ``closed``: close the card."""

    closed = Signal()

    def __init__(self) -> None:
        self.close_button = LinkButton("Close")
        super().__init__(" ", right=self.close_button)
        self.close_button.clicked.connect(self.closed)
        self.words = Paragraph("", 14, gap=6)
        self.add(self.words)
        self.hide()

    def show_answer(self, key: str, answer: Answer) -> None:
        self.title_label.setText(QUESTIONS[key])
        self.setAccessibleName(QUESTIONS[key])
        self.words.set_content(wording.labelled((f"{about}:", text) for about, text in answer.more))
        self.show()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
        else:
            super().keyPressEvent(event)


class QuestionCards(QWidget):
    """The four cards, one or two in a row, and the details of an answer below its row. ``measure_asked`` carries the
    key of the question to measure; ``unfolded``: details were opened."""

    measure_asked = Signal(str)
    unfolded = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.answers = NO_ANSWERS
        self.kind = ""
        self.kinds = SmallChoice("Kind of joke")
        self.kinds.chosen.connect(self._choose)
        self.cards = {key: QuestionCard(key, self.kinds if key == "kind" else None) for key in QUESTIONS}
        self.more = MoreCard()
        self.more.closed.connect(self.close_more)
        self._opened = ""
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._room: Room = "wide"
        for card in self.cards.values():
            card.setParent(self)
            card.more_asked.connect(self.toggle_more)
            card.measure_asked.connect(lambda key=card.key: self.measure_asked.emit(key))
        self.more.setParent(self)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        # Gets the focus when the tab is opened.
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setProperty("ring", False)
        self._lay_out()
        theme().changed.connect(self._lay_out)

    def set_room(self, room: Room) -> None:
        """Arrange the cards in one column or two."""
        if room != self._room:
            self._room = room
            self._lay_out()

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
        self._draw()

    def show_kind(self, kind: str) -> None:
        """Select a kind of text, if it is known."""
        if kind in self.answers["kind"]:
            self._choose(list(self.answers["kind"]).index(kind))

    def open_more(self, key: str) -> None:
        """Show the details of an answer, if there are any."""
        answer = self.cards[key].answer
        if answer is not None and answer.more:
            self._opened = key
            self._draw()
            self._lay_out()
            self.unfolded.emit()

    def toggle_more(self, key: str) -> None:
        """Open or close the details of an answer."""
        if self._opened == key:
            self.close_more()
        else:
            self.open_more(key)

    def close_more(self) -> None:
        """Close the details and return the focus to their link."""
        opened, self._opened = self._opened, ""
        self._draw()
        self._lay_out()
        if opened:
            self.cards[opened].more.setFocus()

    def _choose(self, place: int) -> None:
        names = list(self.answers["kind"])
        if not 0 <= place < len(names):  # the model changed while the menu was open
            return
        self.kind = names[place]
        self.kinds.set_options(self.kinds.options, place)
        self._draw()

    def _draw(self) -> None:
        shown = {key: some.get(self.kind if key == "kind" else "") for key, some in self.answers.items()}
        for key, card in self.cards.items():
            card.show_answer(shown[key])
            card.more.setText(_LESS if key == self._opened else _MORE)
        answer = shown.get(self._opened)
        if answer is not None and answer.more:
            self.more.show_answer(self._opened, answer)
        else:
            self.more.hide()

    def _lay_out(self) -> None:
        grid, columns = self._grid, 1 if self._room == "narrow" else 2
        self.kinds.most = 150 if self._room == "medium" else 250
        self.kinds.updateGeometry()
        grid.setSpacing(px(14))
        for widget in (*self.cards.values(), self.more):
            grid.removeWidget(widget)
        for column in range(2):
            grid.setColumnStretch(column, 1 if column < columns else 0)
        for place, (key, card) in enumerate(self.cards.items()):
            row = place // columns * 2
            grid.setRowMinimumHeight(row, px(_HEIGHTS[self._room]))
            grid.addWidget(card, row, place % columns)
            if key == self._opened:
                grid.addWidget(self.more, row + 1, 0, 1, columns)


class FoldedCard(Card):
    """A title that unfolds its contents. ``toggled`` carries whether it is open."""

    toggled = Signal(bool)

    def __init__(self, title: str, caption: str) -> None:
        super().__init__(padding=11)
        self.setAccessibleName(title)
        self.button = IconButton("chevron_right", title, act=self._toggle)
        self.caption = Paragraph(caption, 13)
        self._head = QWidget()
        HBox(self.button, Label(title, 15, 600), (self.caption, 1), parent=self._head, gap=10)
        self.contents = QWidget()
        self.rows = VBox(parent=self.contents, margins=(7, 0, 7, 0), gap=4)
        self.add(self._head, self.contents)
        self.open = False
        self.set_open(False)

    def set_open(self, shown: bool) -> None:
        """Unfold or fold the contents."""
        self.open = shown
        self.button.set_icon("chevron_down" if shown else "chevron_right")
        self.button.setAccessibleDescription("open" if shown else "folded")
        self.contents.setVisible(shown)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and event.position().y() <= self._head.geometry().bottom():
            self._toggle()

    def _toggle(self) -> None:
        self.set_open(not self.open)
        self.toggled.emit(self.open)
