"""Two jokes side by side without their places and scores: which is funnier?"""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QVBoxLayout, QWidget

from ...judging.contest.types import RankedEntry
from ..frame.room import Room
from ..look import wording
from ..look.theme import px, theme
from ..widgets.cards import Card
from ..widgets.controls import LinkButton, SecondaryButton
from ..widgets.text import Caption, Heading, Paragraph

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
        self.add(self.text)
        row = QHBoxLayout()
        row.addWidget(self.button)
        row.addStretch(1)
        self.add_layout(row)

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
        self.back_link = LinkButton("Back to the ranking")
        self.back_link.clicked.connect(self.back_asked)
        self.card = Card("", "", None)
        self.heading = Heading("Which one is funnier?", 3)
        self.told = Paragraph("", 13)
        self.sides = {"A": _Side("A"), "B": _Side("B")}
        self._beside = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        for choice, side in self.sides.items():
            side.button.clicked.connect(lambda _on=False, choice=choice: self._choose(choice))
            self._beside.addWidget(side, 1)
        self.skip_button = SecondaryButton("Another two")
        self.skip_button.clicked.connect(self._skip)
        self.keys = Caption(_KEYS)
        self._foot = QHBoxLayout()
        self._foot.addWidget(self.keys)
        self._foot.addStretch(1)
        self._foot.addWidget(self.back_link)
        self._foot.addWidget(self.skip_button)
        for widget in (self.heading, self.told):
            self.card.add(widget)
        self.card.add_layout(self._beside)
        self.card.add_layout(self._foot)
        self._layout = QVBoxLayout(self)
        self._layout.addWidget(self.card)
        self._layout.addStretch(1)
        self._scale()
        theme().changed.connect(self._scale)

    def _scale(self) -> None:
        self._layout.setContentsMargins(0, 0, 0, px(10))
        self._beside.setSpacing(px(14))
        self._foot.setSpacing(px(16))

    def set_room(self, room: Room) -> None:
        """How much room the window has: side by side, or one over the other."""
        across = room != "narrow"
        self._beside.setDirection(QBoxLayout.Direction.LeftToRight if across else QBoxLayout.Direction.TopToBottom)
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
        self.told.set_content(f"Places and scores are hidden, so that they don't sway you.{done}")
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
