"""The Duel tab: compares two drafts or two jokes; live or from the history."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QGridLayout, QWidget

from ...core.events import Stage
from ...history.store import HistoryStore
from ...judge.duel.kind import DUEL
from ...judge.duel.record import DuelResult
from ...judge.duel.words import Marks, chance_of_a, disagreement, is_different, marks_of, orders_words, unturned
from ..history.dialogs import JokePicker
from ..look.theme import Room, px
from ..verdict.cards import TextCard, panel_words
from ..verdict.tab import HABITS, VerdictTab, doing
from ..votes import VoteButtons
from ..widgets.base import plain_tooltip
from ..widgets.cards import Banner, StateCard
from ..widgets.controls import IconButton
from ..widgets.layout import HBox, VBox
from ..widgets.text import Paragraph
from .cards import AnswerCard, DraftCard, ExamplesRow, KnownCard, scroll_together
from .state import DuelState, why_words

_SIDES = ("A", "B")
_DOING = {
    Stage.LOADING: ("Loading the model", "The duel begins as soon as it is ready."),
    Stage.CALIBRATION: (HABITS[0], HABITS[1].format("answer")),
    Stage.READING: ("Reading both", "Each is read once, by itself."),
    Stage.PAIR: ("Comparing both orders", "A first, then B first, so that the position doesn't decide."),
    Stage.ALONE: ("Weighing each by itself", "What each of them is worth without the other beside it."),
}
_SAID_AFTER_S = 0.4
"""Seconds after which the progress is shown."""


class DuelTab(VerdictTab):
    """The tab of duels."""

    kind = DUEL
    shows = DuelState
    takes = "Duel with…"
    state: DuelState
    jokes: list[DraftCard]

    def __init__(self, store: HistoryStore) -> None:
        super().__init__("Duel", "Keep A")
        self._store = store
        self.state = DuelState()

        self.jokes = [DraftCard("A"), DraftCard("B")]
        for number, joke in enumerate(self.jokes):
            joke.edited.connect(self._on_edited)
            joke.link.clicked.connect(lambda _on=False, n=number: self.pick(n))
        scroll_together(*(joke.editor.verticalScrollBar() for joke in self.jokes))
        self.swap_button = IconButton("swap", "Swap A and B (Ctrl+Shift+S)", act=self.swap)
        self._shortcuts()
        self.line = Paragraph("Order doesn't matter: swapping keeps the verdict.", 13)

        self.examples = ExamplesRow()
        self.examples.chosen.connect(self.set_texts)
        self.same = StateCard("info", "The two are the same.", "Change one of them, then press Duel.")
        self.disagreement = Banner("warning", "", title="The two orders disagree.")
        self.answer, self.known = AnswerCard(), KnownCard()
        self.trust_link, self.taste_line = self.known.trust_link, self.answer.taste
        self.vote = VoteButtons(self.kind)
        self.bar.set_votes(self.vote)
        self.bar.first_asked.connect(self.keep_winner)
        self.orders, self.why = TextCard("Asked in both orders"), TextCard("Why")
        self.panel = TextCard("By model", "what each model said by itself")
        self.cards = (
            self.examples, self.same, self.failed, self.stopped, self.stale_line, self.warning, self.disagreement,
            self.answer, self.known, self.orders, self.why, self.panel, self.note,
        )  # fmt: skip
        self.answers = (self.examples, self.same, self.failed, self.stopped, self.answer)

        self._fields = QWidget()
        self._field_grid = QGridLayout(self._fields)
        self._run_row = QWidget()
        HBox((self.line, 1), self.context.link, self.buttons, parent=self._run_row, gap=14)
        self.column = self.result_column
        self.column.add(self._fields, self.context, self._run_row, *self.cards)
        self._outer = VBox((self.column, 1), self._foot, parent=self)
        self.set_room("wide", px(24))
        self.draw()

    def _shortcuts(self) -> None:
        for keys, act in (
            ("Ctrl+Shift+S", self.swap_button.click),
            ("Alt+A", lambda: self._press_vote("A")),
            ("Alt+B", lambda: self._press_vote("B")),
        ):
            shortcut = QShortcut(QKeySequence(keys), self, activated=act)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)

    def _press_vote(self, choice: str) -> None:
        if self.vote.isVisible() and self.vote.isEnabled():
            self.vote.by_choice[choice].click()

    def _of_the_fields(self) -> tuple[QWidget, ...]:
        return (*super()._of_the_fields(), self.examples, self.same)

    # Room

    def set_room(self, room: Room, margin: int) -> None:
        """Lay out the drafts side by side, or below each other; ``margin``: the window's at the right, in pixels."""
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
            self.bar.set_room(room)
            self.known.stack(room != "wide")
            for joke in self.jokes:
                joke.editor.set_height(104 if room == "wide" else 82)
        self._field_grid.setContentsMargins(0, 0, 0, 0)
        self._field_grid.setSpacing(px(4))
        self._outer.setContentsMargins(0, 0, max(0, margin - gutter), 0)
        self._outer.setSpacing(0)
        self._foot.setContentsMargins(0, 0, gutter, 0)
        self.column.body.setContentsMargins(0, 0, 0, px(14))

    def tab_order(self) -> list[QWidget]:
        """Return the controls in the order of the Tab key, both fields first."""
        first = [*(joke.editor for joke in self.jokes), self.swap_button]
        return [*first, *(each for each in super().tab_order() if each not in first)]

    # Actions

    def swap(self) -> None:
        """Exchange the texts, and the verdict on them."""
        text_a, text_b = self.texts()
        if self._as_judged():
            self.state.swap()
        self.set_texts(text_b, text_a)
        self.draw()

    def keep_winner(self) -> None:
        """Rate the one that is probably the funnier, so that it becomes a version in the Rate tab."""
        fields = {"text": self.state.texts[self._kept_place()], "context": self.state.context}
        self.elsewhere_asked.emit("rate", fields)

    def _kept_place(self) -> int:
        result = self.state.result
        if result is None:
            return 0
        blank = unturned(result)
        return 1 if blank == "A" or (blank != "B" and chance_of_a(result) < 50) else 0

    def pick(self, number: int) -> JokePicker:
        """Open the joke picker under a draft's link."""
        link = self.jokes[number].link
        picker = JokePicker(self._store, self)
        picker.picked.connect(self.jokes[number].set_text)
        corner = link.mapToGlobal(QPoint(link.width() - picker.width(), link.height() + px(4)))
        picker.move(corner)
        picker.show()
        return picker

    # Drawing

    def _identical(self) -> bool:
        text_a, text_b = self.texts()
        return bool(text_a.strip()) and text_a.strip() == text_b.strip()

    def _on_edited(self) -> None:
        if not self.live:
            if self._identical() or not self.same.isHidden() or self.state.phase == "empty":
                self.draw()
            self._mark()
        super()._on_edited()

    def _update_buttons(self) -> None:
        text_a, text_b = self.texts()
        whole = bool(text_a.strip()) and bool(text_b.strip()) and not self._identical()
        self.buttons.run_button.setEnabled(whole and self._model_error is None)
        self.swap_button.setEnabled(not self.live and bool(text_a or text_b))

    def _draw(self) -> None:
        state = self.state
        holder = self.window().focusWidget()
        if self.live and holder in (self.context.link, *(joke.link for joke in self.jokes)):
            holder.clearFocus()  # a disabled control would pass the focus on, and the column would scroll to it
        self._set_live()
        result = state.result if state.measured else None
        identical = self._identical() and not self.live and state.texts != self.texts()
        cards = self._cards(result, identical)
        for widget in self.answers:
            widget.setVisible(widget in cards)
        shown = result if self.answer in cards else None
        disagree = disagreement(shown) if shown is not None else None
        self.disagreement.setVisible(disagree is not None)
        if disagree is not None:
            self.disagreement.set_message(disagree, "The two orders disagree.")
        self._show_warnings(shown.warnings if shown is not None else ())
        self._show_details(shown, identical)
        self._mark()
        self._show_usage()
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
            self.answer.show_running(*self._doing())
            return (self.answer,)
        if state.phase == "failed":
            return (self._show_failure("The duel failed."),)
        if state.phase == "empty":
            return (self.examples,) if not any(text.strip() for text in self.texts()) else ()
        again = "There is no verdict. Press Duel to start again."
        if state.phase == "interrupted":
            words = "This duel was cut off.", f"The program ended before the verdict was known. {again}"
        else:
            words = "Stopped before anything was measured.", again
        self.stopped.set_message(*words)
        return (self.stopped,)

    def _doing(self) -> tuple[str, str, float | None]:
        """Return heading, sentence and share of the progress; empty while it takes only a moment."""
        state = self.state
        if state.phase == "waiting" and state.stage is None:
            return "Waiting", "The duel begins when the model is free.", None
        if state.stage is not Stage.LOADING and (state.so_far or 0.0) < _SAID_AFTER_S:
            return "", "", None
        return doing(state, state.stage, _DOING, ("Comparing", ""))

    def _show_details(self, result: DuelResult | None, identical: bool) -> None:
        state = self.state
        asked = (result.orders, result.consistent, result.position_bias) if result is not None else ((), None, None)
        self.orders.show_text(orders_words(*asked))
        self.known.show_result(result)
        self.why.show_text(*(why_words(state) if result is not None else ("", "")))
        self.panel.show_text(*panel_words(result.panel if result is not None else None))
        side = _SIDES[self._kept_place()]
        self.bar.first_button.setText(f"Keep {side}")
        self.bar.first_button.setToolTip(f"Put {side} into Rate")
        self.bar.first_button.setVisible(result is not None)

    def _mark(self) -> None:
        """Mark the differing words of the judged texts, and show the facts of the fields' texts."""
        result = self.state.result if self.state.measured else None
        judged = result is not None and self._as_judged()
        marks: tuple[Marks, Marks] = (Marks(), Marks())
        if judged and result is not None and not is_different(result):
            marks = marks_of(*self.texts())
        reads = (result.read_a, result.read_b) if judged and result is not None else (None, None)
        for joke, mark, read in zip(self.jokes, marks, reads, strict=True):
            joke.editor.set_marks(mark)
            joke.show_facts(read)

    def _tick(self) -> None:
        if self.state.live and self.state.result is None:
            self.answer.show_running(*self._doing())

    def _show_usage(self) -> None:
        """Show cost and model as a tooltip of the verdict."""
        words = self._usage_text()
        for label in (self.answer.winner, self.answer.chance):
            label.setToolTip(plain_tooltip(words) if words else "")
