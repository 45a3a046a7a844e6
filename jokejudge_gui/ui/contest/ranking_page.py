"""The ranking: what it is called, how far it has come, the table, and what the order is worth."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ...batch.leaderboard import columns_of
from ...judge.contest.types import RankedEntry
from ..look import wording
from ..look.theme import Room
from ..trust.trust_figures import TrustLine
from ..widgets.bars import ProgressLine
from ..widgets.cards import Card
from ..widgets.controls import FilterChip, LinkButton, PrimaryButton, SecondaryButton
from ..widgets.layout import HBox, VBox
from ..widgets.text import Caption, Heading, Paragraph
from .ranking_model import PARTS, Part, RankingModel
from .ranking_view import KEYS, RankingView
from .state import ContestState


class RankingPage(QWidget):
    """Shows a ``ContestState``. ``above`` and ``below``: cards over and under the table. The buttons' signals say what
    is wanted."""

    stop_asked = Signal()
    list_asked = Signal()
    add_asked = Signal()
    go_on_asked = Signal()
    export_asked = Signal()
    screen_asked = Signal()
    groups_asked = Signal()

    def __init__(self, above: list[QWidget], below: list[QWidget], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.heading = Heading("", 4)
        self.facts = Paragraph("", 13)
        self.stop_button = SecondaryButton("Stop", "stop", act=self.stop_asked)
        self.list_button = SecondaryButton("New list", act=self.list_asked)
        self.add_button = SecondaryButton("Add jokes…", act=self.add_asked)
        self.screen_button = SecondaryButton(
            "Screen…", tip="What people needn't see of this list, and a vote on the rest", act=self.screen_asked
        )
        self.groups_button = SecondaryButton(
            "Groups…",
            tip="Which model, author or prompt has the better jokes: a leaderboard by column",
            act=self.groups_asked,
        )
        self.go_on_button = PrimaryButton("Go on", act=self.go_on_asked)
        self.export_button = PrimaryButton("Export the kept…", act=self.export_asked)
        self.buttons = [
            *(self.stop_button, self.list_button, self.add_button),
            *(self.screen_button, self.groups_button, self.go_on_button, self.export_button),
        ]

        self.card = Card()
        self.card.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        self._row = HBox(1, *self.buttons, gap=8)
        self._head = HBox((VBox(self.heading, self.facts, gap=2), 1), self._row, gap=12)
        self.doing = Paragraph("", 13)
        self.progress = ProgressLine(0.0, "Progress of the contest")
        self.model = RankingModel(self)
        self.view = RankingView(self.model)
        self.view.filter_asked.connect(self._show_next_part)
        self.chips: dict[Part, FilterChip] = {part: FilterChip(part.capitalize()) for part in PARTS if part != "all"}
        self._parts = QWidget()
        self._parts_row = HBox(parent=self._parts, gap=8)
        for part, chip in self.chips.items():
            chip.clicked.connect(lambda on, part=part: self.show_part(part if on else "all"))
            self._parts_row.addWidget(chip)
        self._parts_row.addStretch(1)
        self.summary = Paragraph("", 14)
        self.keys = Paragraph(KEYS, 12, token="text3")
        self.trust_line = TrustLine()
        self.card.add(self._head, self.doing, self.progress)
        self._parts_place = VBox(self._parts)
        self.card.add(self._parts_place, (self.view, 1), self.summary, self.keys, self.trust_line)

        self._layout = VBox(*above, (self.card, 1), VBox(*below, gap=8), 0, parent=self, gap=14, margins=(0, 0, 0, 10))

    def set_room(self, room: Room) -> None:
        """How much room the window has: buttons beside the name, or under it."""
        beside = room == "wide"
        # In between there is room for the parts beside the buttons; where it is narrow they stand under them.
        (self._row if room == "medium" else self._parts_place).insertWidget(0, self._parts)
        self._head.stack(not beside)
        self.view.set_room(room)

    def show_state(self, state: ContestState, *, can_run: bool) -> None:
        """Draw a contest. ``can_run``: a model is there, and nothing else runs."""
        self.heading.set_content(state.heading)
        self.facts.show_text(state.facts)
        self.show_progress(state)
        with self._same_current():
            self.model.show_state(state)
        self._check_chips()
        for widget in (self.view, self.keys, self._parts):
            widget.setVisible(state.live or state.usable)
        runs = state.summary()
        self.summary.show_text(runs)
        self.show_kept(state)
        live, going = state.live, state.resumable
        screened = not live and state.usable
        grouped = screened and state.result is not None and bool(columns_of(state.result))
        wanted = (live, not live, not live and not going, screened, grouped, going, not going)
        for button, shown in zip(self.buttons, wanted, strict=True):
            button.setVisible(shown and (button is not self.export_button or not live))
        self.go_on_button.setEnabled(can_run)
        self.add_button.setEnabled(can_run)
        result = state.result if state.usable and not live else None
        estimated = result is not None and any(entry.percentile is not None for entry in result.entries)
        self.trust_line.show_model(result.model if result is not None else None, audience=estimated)

    def show_progress(self, state: ContestState) -> None:
        """Draw how far it has come."""
        words, share = state.progress if state.live else ("", 0.0)
        self.doing.set_content(words)
        self.progress.set_fraction(share)
        self.doing.setVisible(state.live)
        self.progress.setVisible(state.live)

    # The part that is shown

    def show_part(self, part: Part) -> None:
        """Show all jokes, or only a part of them."""
        with self._same_current():
            self.model.show_part(part)
        self._check_chips()
        self.view.setFocus()

    def _show_next_part(self) -> None:
        self.show_part(PARTS[(PARTS.index(self.model.part) + 1) % len(PARTS)])

    def _check_chips(self) -> None:
        for part, chip in self.chips.items():
            chip.setChecked(part == self.model.part)

    @contextmanager
    def _same_current(self) -> Iterator[None]:
        """The joke that has the keyboard keeps it, wherever it comes to stand."""
        current = self.view.current_id()
        yield
        if self.view.current_id() != current and current is not None:
            self.view.select_row(self.model.row_of(current).row())
        self.view.settle()

    def show_kept(self, state: ContestState) -> None:
        """How many are kept, on the button that exports them."""
        kept = state.notes.kept
        self.export_button.setText(f"Export {wording.count_of(kept, 'kept joke')}…" if kept else "Export the kept…")
        self.export_button.setEnabled(kept > 0)


# Two jokes side by side without their places and scores: which is funnier?

_NEAR = 5
"""Two jokes are shown together whose places are at most so far apart: of others one knows before what comes out."""
_KEYS = "A or ← the left one · B or → the right one · N another two · Esc back"
_UNDER = "A or ← the first one · B or → the second one · N another two · Esc back"

Pair = tuple[RankedEntry, RankedEntry]


def blind_pairs(entries: Sequence[RankedEntry], seed: str) -> list[Pair]:
    """Pairs of ranked jokes in an order, and with sides, that chance has chosen; the same for the same ``seed``."""
    chance = random.Random(seed)
    ranked = [entry for entry in entries if entry.score is not None and entry.same_as is None]
    pairs = [(a, b) for at, a in enumerate(ranked) for b in itertools.islice(ranked, at + 1, at + 1 + _NEAR)]
    chance.shuffle(pairs)
    return [pair if chance.random() < 0.5 else pair[::-1] for pair in pairs]


class _Side(Card):
    """One joke, and the button that says it's the funnier one."""

    def __init__(self, name: str) -> None:
        super().__init__(name, fill=True)
        self.text = Paragraph("", 15, token="text")
        self.button = SecondaryButton(f"{name} is funnier")
        self.add(self.text, HBox(self.button, 1))

    def show_text(self, text: str) -> None:
        self.text.set_content(text)


class BlindPage(QWidget):
    """``chosen`` carries the pair that was shown and A or B; ``back_asked``: the ranking is wanted; ``ended``: there
    was no other pair to show."""

    chosen = Signal(object, str)
    back_asked = Signal()
    ended = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._pairs: list[Pair] = []
        self._count = 0
        self.back_link = LinkButton("Back to the ranking", act=self.back_asked)
        self.card = Card("", "", None)
        self.heading = Heading("Which one is funnier?", 3)
        self.summary = Paragraph("", 13)
        self.sides = {"A": _Side("A"), "B": _Side("B")}
        self._beside = HBox(gap=14)
        for choice, side in self.sides.items():
            side.button.clicked.connect(lambda _on=False, choice=choice: self._choose(choice))
            self._beside.addWidget(side, 1)
        self.skip_button = SecondaryButton("Another two", act=self._skip)
        self.keys = Caption(_KEYS)
        self.card.add(
            self.heading, self.summary, self._beside, HBox(self.keys, 1, self.back_link, self.skip_button, gap=16)
        )
        self._layout = VBox(self.card, 1, parent=self, margins=(0, 0, 0, 10))

    def set_room(self, room: Room) -> None:
        """How much room the window has: side by side, or one over the other."""
        across = room != "narrow"
        self._beside.stack(not across)
        self.keys.setText(_KEYS if across else _UNDER)
        self.keys.setVisible(across)

    def controls(self) -> list[QWidget]:
        """In the order of the Tab key."""
        return [*(side.button for side in self.sides.values()), self.back_link, self.skip_button]

    @property
    def pair(self) -> Pair | None:
        """What is shown."""
        return self._pairs[0] if self._pairs else None

    def begin(self, pairs: Sequence[Pair]) -> None:
        """Show the first of these pairs."""
        self._pairs, self._count = list(pairs), 0
        self._show()

    def focus(self) -> None:
        """Put the keyboard here, on no answer: neither is nearer than the other."""
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFocus()

    def _show(self) -> None:
        if self.pair is None:
            return
        for side, entry in zip(self.sides.values(), self.pair, strict=True):
            side.show_text(entry.text)
        done = f" {wording.count_of(self._count, 'choice')} kept." if self._count else ""
        self.summary.set_content(f"Places and scores are hidden, so that they don't sway you.{done}")
        self.skip_button.setVisible(len(self._pairs) > 1)

    def _choose(self, choice: str) -> None:
        pair = self.pair
        if pair is not None:
            self._count += 1
            self.chosen.emit(pair, choice)
            self._next(self._pairs[1:])

    def _skip(self) -> None:
        if len(self._pairs) > 1:
            self._next([*self._pairs[1:], self._pairs[0]])

    def _next(self, pairs: list[Pair]) -> None:
        self._pairs = pairs
        if pairs:
            self._show()
            self.focus()
        else:
            self.ended.emit(self._count)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        choices = {Qt.Key.Key_A: "A", Qt.Key.Key_Left: "A", Qt.Key.Key_B: "B", Qt.Key.Key_Right: "B"}
        choice = choices.get(Qt.Key(event.key())) if not event.modifiers() else None
        if choice is not None:
            self._choose(choice)
        elif event.key() == Qt.Key.Key_N and not event.modifiers():
            self._skip()
        else:
            super().keyPressEvent(event)
            return
        event.accept()
