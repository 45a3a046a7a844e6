"""The Duel tab: compares two drafts or two jokes; live or from the history."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import cast

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QWidget

from ...core.errors import CriteriaError
from ...core.events import Stage
from ...core.pages import Page
from ...history.store import HistoryStore
from ...judge.duel import words
from ...judge.duel.kind import DUEL
from ...judge.duel.record import DuelResult
from ...learning.taste import cast_vote
from ...rubric.xml_parser import parse_first_pairs
from ..history.dialogs import JokePicker
from ..look.theme import Room, px
from ..verdict.cards import JokeCard, WelcomeCard
from ..verdict.tab import VerdictTab
from ..widgets.base import plain_tooltip
from ..widgets.cards import Card
from ..widgets.controls import IconButton, LinkButton
from ..widgets.fields import TextEditor
from ..widgets.keyboard import add_action, with_keys
from ..widgets.layout import HBox, VBox
from ..widgets.line import Line
from ..widgets.page import PageView
from ..widgets.text import Heading, Paragraph

_LINES = {"wide": 5, "medium": 3, "narrow": 2}
"""The lines of a field in each room."""
_ORDER = "Their order doesn't matter."
_SAME = "The two are the same: change one of them."


def first_pairs() -> tuple[tuple[str, str], ...]:
    """Return two pairs to try; none if their file is unreadable, since the program works without them."""
    try:
        return tuple(parse_first_pairs()[:2])
    except CriteriaError:
        return ()


class AnswerCard(Card):
    """The verdict: its page, the chance as a line from A to B, and the user's own taste."""

    def __init__(self, taste: QWidget, trust: QWidget, running: QWidget) -> None:
        """``running``: what goes on now, in the card's last line."""
        super().__init__()
        self.setAccessibleName("Verdict")
        self.headline, self.line, self.page = Heading("", 2), Line(("A", "B"), "even"), PageView("Reasons", fold=True)
        self.add(self.headline, self.line, taste, self.page, HBox(trust, 1), running)

    def show_result(self, result: DuelResult | None) -> None:
        """Show a verdict; None: it isn't known yet."""
        page = words.page(result) if result is not None else Page("")
        # The facts stand under the fields, the notes above the card.
        rows = tuple(row for row in page.rows if row.name not in ("A", "B"))
        shown = replace(page, headline="", notes=(), texts=(), rows=rows, foot=())
        self.page.show_pages(*([shown] if rows or page.lead or page.tables else []))
        self.headline.show_text(page.headline)
        self.headline.setToolTip(plain_tooltip(" · ".join(page.foot)))
        chance = words.chance_of_a(result) if result is not None and not words.nothing_turns(result) else None
        self.line.setVisible(result is None or chance is not None)
        middle = 100.0 - chance if chance is not None else None
        tie = result is not None and result.winner == "tie"
        self.line.set_values(None, None, middle, accessible=page.headline or "No verdict yet", quiet=tie)


class DuelTab(VerdictTab):
    """The tab of duels."""

    kind = DUEL
    doing = {
        Stage.READING: "Reading both, each by itself",
        Stage.PAIR: "Comparing both orders",
        Stage.ALONE: "Weighing each by itself",
        Stage.EXPLANATION: "Writing the explanation",
    }

    def __init__(self, store: HistoryStore) -> None:
        super().__init__("Duel", "Rate A", "drafts")
        self._store = store
        self.jokes = []
        for letter, which in (("A", "first"), ("B", "second")):
            words = f"Pick draft {letter} from the history"
            link = LinkButton("Pick from history", name=words)
            joke = JokeCard(f"Draft {letter}", TextEditor(f"Type, paste or pick the {which} one"), link)
            joke.edited.connect(self._on_edited)
            pick = add_action(self, words, f"Ctrl+Shift+{letter}", partial(self.pick, joke))
            link.clicked.connect(pick.trigger)
            link.setToolTip(with_keys(pick))
            self.jokes.append(joke)
        self.swap_button = IconButton("swap", "", act=self.swap)
        self.swap_button.set_name(with_keys(add_action(self, "Swap A and B", "Ctrl+Shift+S", self.swap_button.click)))
        for letter in "AB":
            add_action(self, f"Vote for {letter}", f"Alt+{letter}", partial(self._press_vote, letter))
        self.pairs = first_pairs()
        about = "Put a joke in A and another version of it, or another joke, in B. Pairs to try it with:"
        examples = [(f"A: {a}\nB: {b}", partial(self.set_texts, a, b)) for a, b in self.pairs]
        self.welcome = self.examples = WelcomeCard("Which one is funnier?", about, "Try", examples)
        self.answer = AnswerCard(self.taste_line, self.trust_link, self.running)
        self.bar.first_asked.connect(self.keep_winner)
        self.answers = (self.examples, self.failed, self.stopped, self.answer)
        self.cards = (self.examples, self.failed, self.stopped, self.warning, self.answer, self.note)

        self.hint, fields, run_row = Paragraph("", 13), QWidget(), QWidget()
        first, second = self.jokes
        self._fields = HBox((first, 1), self.swap_button, (second, 1), parent=fields, gap=4)
        self._fields.setAlignment(self.swap_button, Qt.AlignmentFlag.AlignCenter)
        HBox((self.hint, 1), self.context.link, self.buttons, parent=run_row, gap=14)
        self.result_column.add(fields, self.context, run_row, *self.cards)
        VBox((self.result_column, 1), self._foot, parent=self, gap=0)
        self.set_room("wide")
        self.draw()

    def set_room(self, room: Room) -> None:
        """Lay out the drafts side by side, or below each other."""
        if room != self._room:
            self._room = room
            self._fields.stack(room == "narrow")
            self.bar.set_room(room)
            for joke in self.jokes:
                joke.editor.set_lines(_LINES[room])
            self._seen.start()

    def tab_order(self) -> list[QWidget]:
        """Return the controls in the order of the Tab key, both fields first."""
        first = [*(joke.editor for joke in self.jokes), self.swap_button]
        return [*first, *(control for control in super().tab_order() if control not in first)]

    # Actions

    def pick(self, joke: JokeCard) -> None:
        """Choose a draft's text from the history, in a list under its link."""
        if not self.live:
            picker = JokePicker(self._store, self)
            picker.picked.connect(joke.set_text)
            end = QPoint(joke.link.width() - picker.width(), joke.link.height() + px(4))
            picker.move(joke.link.mapToGlobal(end))
            picker.show()

    def _press_vote(self, choice: str) -> None:
        if self.vote.isVisible() and self.vote.isEnabled():
            self.vote.by_choice[choice].click()

    def swap(self) -> None:
        """Exchange the texts, and with them the verdict on them, its row in the history and the vote on it."""
        identity = self.state.id if self._as_judged() else None
        self.changes.do("Swapped A and B", lambda: self._turn(identity), lambda: self._turn(identity), quiet=True)

    def _turn(self, identity: str | None) -> None:
        state = self.state
        if identity is not None:
            vote = self._store.votes.get(identity)
            self._store.revise(identity, lambda result: cast(DuelResult, result).mirrored())
            if vote is not None:
                cast_vote(self._store, identity, {"A": "B", "B": "A"}[vote.choice], blind=vote.blind)
        if identity in (None, state.id):
            if self._as_judged():
                state.texts = state.texts[::-1]
                state.result = cast(DuelResult, state.result).mirrored() if state.result is not None else None
            self.set_texts(*reversed(self.texts()))
            self.draw()
        self.rewritten.emit()

    def keep_winner(self) -> None:
        """Rate the one that is named the funnier, else A, so that it becomes a version in the Rate tab."""
        fields = {"text": self.state.texts[self._kept_place()], "context": self.state.context}
        self.elsewhere_asked.emit("rate", fields)

    def _kept_place(self) -> int:
        result = self._verdict
        return 1 if result is not None and (result.winner == "B" or result.unturned == "A") else 0

    # Drawing

    @property
    def _verdict(self) -> DuelResult | None:
        """The result that is shown, if it has an answer."""
        result = self.state.result
        return result if result is not None and result.winner is not None and result.p_a is not None else None

    def _on_edited(self) -> None:
        if not self.live:
            if self.state.phase == "empty":
                self.draw()
            self._mark()
        super()._on_edited()

    def _update_buttons(self) -> None:
        text_a, text_b = (text.strip() for text in self.texts())
        same = bool(text_a) and text_a == text_b
        self.swap_button.setEnabled(not self.live and bool(text_a or text_b))
        self.hint.set_content(_SAME if same else _ORDER)
        self.buttons.run_button.setEnabled(bool(text_a and text_b) and not same and self._model_error is None)

    def _draw(self) -> None:
        state, result = self.state, self._verdict
        holder = self.window().focusWidget()
        if self.live and holder in (self.context.link, *(joke.link for joke in self.jokes)):
            holder.clearFocus()  # a disabled control would pass the focus on, and the column would scroll to it
        self._set_live()
        self._show_answer(self.answer if result is not None or state.live else None)
        self.answer.show_result(result)
        self.trust_link.show_for(result)
        if state.phase == "empty" and any(text.strip() for text in self.texts()):
            self.examples.hide()
        self._show_warnings(words.page(result).notes if result is not None else ())
        side = "AB"[self._kept_place()]
        self.bar.first_button.setText(f"Rate {side}")
        self.bar.first_button.setToolTip(f"Put {side} into Rate")
        self.bar.first_button.setVisible(result is not None)
        self._mark()
        self._finish_drawing()

    def _mark(self) -> None:
        """Mark the differing words of the judged texts, and show the facts of the fields' texts."""
        result = self._verdict if self._as_judged() else None
        page = words.page(result) if result is not None else None
        facts = {row.name: row.text for row in page.rows} if page is not None else {}
        for joke, side, text in zip(self.jokes, "AB", page.texts if page is not None else (None, None), strict=True):
            joke.editor.set_marks(text.marks if text is not None else ())
            joke.show_facts(facts.get(side, ""))
