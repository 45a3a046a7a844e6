"""The Duel tab: two jokes, and which of them is the funnier; live or from the history."""

from __future__ import annotations

import itertools

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QGridLayout, QWidget

from ...core.events import Stage
from ...core.verdicts import DuelResult
from ...history.query import HistoryEntry
from ...history.store import HistoryStore
from ...judge.duel.kind import DUEL
from ..history.dialogs import JokePicker
from ..judge_worker import Job
from ..look import wording
from ..look.theme import Room, px
from ..verdict.cards import JokeCard, PanelCard
from ..verdict.tab import HABITS, VerdictTab, doing
from ..votes import VoteCard
from ..widgets.cards import Banner, StateCard
from ..widgets.controls import IconButton
from ..widgets.labels import SideBadge
from ..widgets.layout import HBox, VBox
from ..widgets.text import Paragraph
from .cards import AnswerCard, DetailRow, EmptyCard, LengthCard, OrdersCard, SharesCard, WhyCard
from .state import DuelState, disagreement, has_details

_SIDES = ("A", "B")
_DOING = {
    Stage.LOADING: ("Loading the model", "The duel begins as soon as it is ready."),
    Stage.CALIBRATION: (HABITS[0], HABITS[1].format("answer")),
    Stage.READING: ("Reading both jokes", "Each is read once, by itself."),
    Stage.PAIR: ("Comparing both orders", "A first, then B first, so that the position doesn't decide."),
    Stage.ALONE: ("Weighing each joke alone", "What each of them is worth without the other beside it."),
}


class DuelTab(VerdictTab):
    """Two jokes in, the funnier one out."""

    kind = DUEL
    takes = "Duel with…"
    state: DuelState

    def __init__(self, store: HistoryStore, parent: QWidget | None = None) -> None:
        super().__init__("Duel", "", parent)
        self._store = store
        self.state = DuelState()

        words = ("first", "second")
        self.jokes = [
            JokeCard(f"Joke {side}", "Pick from history", f"Type, paste or pick the {word} joke", 4, 18)
            for side, word in zip(_SIDES, words, strict=True)
        ]
        for number, joke in enumerate(self.jokes):
            joke.set_left(SideBadge("A" if number == 0 else "B", large=True))
            joke.link.setAccessibleName(f"Pick joke {_SIDES[number]} from the history")
            joke.edited.connect(self._on_edited)
            joke.link_asked.connect(lambda n=number: self.pick(n))
        self.swap_button = IconButton("swap", "Swap the jokes", act=self.swap)
        self.line = Paragraph("The order in which they stand makes no difference.", 13)

        self.empty = EmptyCard()
        self.same = StateCard(
            "info", "A and B are the same joke.", "There is nothing to compare. Change one of them, then press Duel."
        )
        self.disagreement = Banner("warning", "", title="The two orders disagree.")
        self.answer = AnswerCard()
        self.trust_line, self.taste_line = self.answer.trust_line, self.answer.taste
        self.vote = VoteCard(self.kind)
        self.orders, self.shares, self.length = OrdersCard(), SharesCard(), LengthCard()
        self.details = DetailRow([self.orders, self.shares, self.length])
        self.why = WhyCard()
        self.panel = PanelCard()

        self._fields = QWidget()
        self._field_grid = QGridLayout(self._fields)
        self._run_row = QWidget()
        HBox((self.line, 1), self.context.link, self.buttons, parent=self._run_row)
        self.column = self.result_column
        self.column.add(self._fields, self.context, self._run_row, *self._result_cards())
        self._outer = VBox((self.column, 1), self._foot, parent=self)
        self.set_room("wide", px(24))
        self.draw()

    def _result_cards(self) -> list[QWidget]:
        return [
            self.empty, self.same, self.failed, self.stopped, self.warning, self.disagreement, self.answer,
            self.vote, self.details, self.why, self.panel, self.note, self.usage,
        ]  # fmt: skip

    def _of_the_fields(self) -> tuple[QWidget, ...]:
        return (*super()._of_the_fields(), self.same)

    def _answers(self) -> tuple[QWidget, ...]:
        return self.empty, self.same, self.failed, self.stopped, self.answer

    # Room

    def set_room(self, room: Room, margin: int) -> None:
        """Jokes and cards side by side, or under each other; ``margin`` is the window's at the right, in pixels."""
        gutter = px(12)
        if room != self._room:
            self._room = room
            grid = self._field_grid
            for widget in (*self.jokes, self.swap_button):
                grid.removeWidget(widget)
            stacked = room == "narrow"
            places = ((0, 0), (1, 0), (2, 0)) if stacked else ((0, 0), (0, 1), (0, 2))
            for widget, (row, column) in zip((self.jokes[0], self.swap_button, self.jokes[1]), places, strict=True):
                grid.addWidget(widget, row, column)
            grid.setAlignment(self.swap_button, Qt.AlignmentFlag.AlignCenter)
            for column in (0, 2):
                grid.setColumnStretch(column, 0 if stacked and column == 2 else 1)
            self.bar.set_compact(room != "wide")
            self.details.lay_out(stacked)
        for joke in self.jokes:
            joke.editor.set_lines(3)
        self._field_grid.setContentsMargins(0, 0, 0, 0)
        self._field_grid.setSpacing(px(8))
        self._outer.setContentsMargins(0, 0, max(0, margin - gutter), 0)
        self._outer.setSpacing(0)
        self._foot.setContentsMargins(0, 0, gutter, 0)
        self.column.body.setContentsMargins(0, 0, 0, px(14))

    def tab_order(self) -> list[QWidget]:
        """Controls in the order of the Tab key."""
        order: list[QWidget] = [joke.editor for joke in self.jokes]
        order += [
            self.context.line,
            self.context.close_button,
            self.buttons.run_button,
            self.buttons.stop_button,
            self.swap_button,
        ]
        order += [self.context.link, *(joke.link for joke in self.jokes)]
        order += [self.failed.button, self.warning.button, self.answer.trust_line.link, *self.vote.buttons]
        return order + self._bar_order()

    def focus_editor(self) -> None:
        self.jokes[0].editor.setFocus()

    # What is asked for

    def texts(self) -> tuple[str, ...]:
        return self.jokes[0].text(), self.jokes[1].text()

    def set_texts(self, *texts: str) -> None:
        for joke, text in itertools.zip_longest(self.jokes, texts[: len(self.jokes)], fillvalue=""):
            joke.set_text(text)

    def take(self, text: str) -> None:
        """Put a joke into A; the keyboard goes to B, which is what is missing."""
        self.jokes[0].set_text(text)
        self.jokes[1].editor.setFocus()

    def swap(self) -> None:
        """Exchange the jokes, and with them what is said of them."""
        text_a, text_b = self.texts()
        if self._as_judged():
            self.state.swap()
        self.set_texts(text_b, text_a)
        self.draw()

    def run(self) -> None:
        """Compare the two jokes, if they can be."""
        if self.buttons.run_button.isEnabled() and not self.live:
            texts = dict(zip(self.kind.fields, self.texts(), strict=True))
            self.asked.emit({**texts, "context": self.context.text()})

    def pick(self, number: int) -> JokePicker:
        """Open the popup under a joke's link."""
        link = self.jokes[number].link
        picker = JokePicker(self._store, self)
        picker.picked.connect(self.jokes[number].set_text)
        corner = link.mapToGlobal(QPoint(link.width() - picker.width(), link.height() + px(4)))
        picker.move(corner)
        picker.show()
        return picker

    # What happens

    def begin(self, job: Job, *texts: str) -> None:
        text_a, text_b = texts
        self.set_texts(text_a, text_b)
        self._begin(job, DuelState("waiting", text_a, text_b))

    def stored(self, entry: HistoryEntry) -> DuelState:
        return DuelState(text_a=entry.row.text_a, text_b=entry.row.text_b or "").load(entry)

    # Drawing

    def _identical(self) -> bool:
        text_a, text_b = self.texts()
        return bool(text_a.strip()) and text_a.strip() == text_b.strip()

    def _on_edited(self) -> None:
        if not self.live and (self._identical() or self.same.isVisible()):
            self.draw()
        super()._on_edited()

    def _update_buttons(self) -> None:
        self.buttons.set_live(self.live)
        text_a, text_b = self.texts()
        whole = bool(text_a.strip()) and bool(text_b.strip()) and not self._identical()
        self.buttons.run_button.setEnabled(whole and self._model_error is None)
        self.swap_button.setEnabled(not self.live and bool(text_a or text_b))

    def _draw(self) -> None:
        state = self.state
        for joke in self.jokes:
            joke.set_live(self.live)
        self.context.set_live(self.live)
        self._update_buttons()
        result = state.result if state.measured else None
        identical = self._identical() and not self.live and state.texts != self.texts()
        cards = self._cards(result, identical)
        for widget in self._answers():
            widget.setVisible(widget in cards)
        shown = self.answer in cards
        disagree = disagreement(result) if shown and result is not None else None
        self.disagreement.setVisible(disagree is not None)
        if disagree is not None:
            self.disagreement.set_message(disagree, "The two orders disagree.")
        self._show_warnings(result.warnings if shown and result is not None else ())
        self._show_details(result if shown else None, shown or bool(state.orders and not identical))
        if shown and result is not None:
            self.why.show_state(state)
        else:
            self.why.hide()
        self.panel.show_panel(result.panel if shown and result is not None else None)
        self._finish_drawing()

    def _cards(self, result: DuelResult | None, identical: bool) -> tuple[QWidget, ...]:
        state = self.state
        if identical:
            return (self.same,)
        if self._model_error is not None and state.phase in ("empty", "failed") and result is None:
            return (self._show_failure("", "Your jokes and your history are safe."),)
        if result is not None:
            self.answer.show_result(result)
            return (self.answer,)
        if state.live:
            self.answer.show_running(*_doing(state))
            return (self.answer,)
        if state.phase == "failed":
            return (self._show_failure("The duel failed."),)
        if state.phase == "empty":
            return (self.empty,)
        again = "There is no answer. Press Duel to start again."
        if state.phase == "interrupted":
            self.stopped.set_message(
                "This duel was cut off.", f"The program ended before the answer was known. {again}"
            )
        else:
            measured = f"after {len(state.orders)} of 2 orders" if state.orders else "before anything was measured"
            self.stopped.set_message(f"Stopped {measured}.", again)
        return (self.stopped,)

    def _show_details(self, result: DuelResult | None, shown: bool) -> None:
        orders = list(result.orders) if result is not None else self.state.orders
        self.orders.setVisible(shown and bool(orders))
        if orders:
            self.orders.show_orders(
                orders, result.consistent if result else None, result.position_bias if result else None
            )
        # One measurement alone has nothing to share with.
        self.shares.setVisible(shown and result is not None and len(result.shares) > 1)
        self.length.setVisible(
            shown and result is not None and result.length_controlled is not None and has_details(result)
        )
        if result is not None:
            self.shares.show_result(result)
            self.length.show_result(result)
        self.details.lay_out(self._room == "narrow")

    def _tick(self) -> None:
        self._show_usage()

    def _usage_text(self) -> str:
        state = self.state
        if state.live and state.seconds is not None:
            return wording.seconds(state.seconds)
        return "" if self.same.isVisible() else super()._usage_text()


def _doing(state: DuelState) -> tuple[str, str, float | None]:
    """Heading, sentence and share of what is going on."""
    if state.stage is None and state.phase == "waiting":
        return "Waiting", "The duel begins when the model is free.", None
    return doing(state, state.stage, _DOING, ("Comparing", "The answer appears when everything is measured."))
