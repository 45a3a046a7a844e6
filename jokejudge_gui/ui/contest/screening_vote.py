"""People choose, blind, among at most three jokes at a time."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from ...judging.contest.screening import Screened
from ..look.theme import font, px, theme
from ..widgets.cards import Card
from ..widgets.controls import SecondaryButton
from ..widgets.flow import Flow
from ..widgets.text import Label, Paragraph

_KEYS = (Qt.Key.Key_1, Qt.Key.Key_2, Qt.Key.Key_3)
_MOST_NAME = 60


class ChoiceCard(Card):
    """A joke that can be chosen, by its number or with the mouse."""

    chosen = Signal(str)

    def __init__(self, number: int, entry: Screened, parent: QWidget | None = None) -> None:
        super().__init__(padding=14, parent=parent)
        self.entry_id = entry.id
        self.button = SecondaryButton(str(number))
        self.button.setMinimumWidth(px(38))
        self.button.setAccessibleName(f"Choose {number}: {entry.text}")
        self.button.clicked.connect(lambda: self.chosen.emit(self.entry_id))
        self.text = Paragraph(entry.text, 15, token="text")
        row = QHBoxLayout()
        row.setSpacing(px(14))
        row.addWidget(self.button, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.text, 1)
        self.add_layout(row)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        if event.button() is Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.chosen.emit(self.entry_id)


class VotePanel(QWidget):
    """``voted`` carries an id and the voter's name; ``skipped``, ``undone`` and ``done`` nothing."""

    voted = Signal(str, str)
    skipped = Signal()
    undone = Signal()
    done = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Vote")
        self.card = Card("Which is the funniest?")
        self.told = Paragraph("", 13)
        self.card.add(self.told)
        self.choices: list[ChoiceCard] = []
        self._cards = QVBoxLayout()
        self.card.add_layout(self._cards)
        self.name = QLineEdit()
        self.name.setMaxLength(_MOST_NAME)
        self.name.setPlaceholderText("Voter's name, if you like")
        self.name.setAccessibleName("Voter's name, optional")
        self.name.returnPressed.connect(self.setFocus)
        self.skip_button = SecondaryButton("Skip")
        self.skip_button.clicked.connect(self.skipped)
        self.undo_button = SecondaryButton("Undo the last vote", "undo")
        self.undo_button.clicked.connect(self.undone)
        self.done_button = SecondaryButton("Stop voting")
        self.done_button.clicked.connect(self.done)
        self._acts = Flow(gap=8)
        for widget in (self.skip_button, self.undo_button, self.done_button):
            self._acts.add(widget)
        self.card.add(self.name)
        self.card.add(self._acts)
        self.keys = Label("1, 2, 3 choose · S skip · U undo · Esc stop", 12, token="text3")
        self.card.add(self.keys)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.card)
        outer.addStretch(1)
        self._scale()
        theme().changed.connect(self._scale)

    def _scale(self) -> None:
        self._cards.setSpacing(px(8))
        self.name.setFont(font(14))
        self.name.setFixedHeight(px(36))

    @property
    def controls(self) -> list[QWidget]:
        """In the order of the Tab key."""
        buttons: list[QWidget] = [choice.button for choice in self.choices]
        return [*buttons, self.name, self.skip_button, self.undo_button, self.done_button]

    def show_ballot(self, order: Sequence[Screened], told: str, *, votes: int) -> None:
        """Show jokes in this order, without their chances. ``votes``: how many were given."""
        if [each.id for each in order] != [choice.entry_id for choice in self.choices]:
            holder = self.focusWidget()
            inside = holder is not None and any(choice.isAncestorOf(holder) for choice in self.choices)
            for choice in self.choices:
                self._cards.removeWidget(choice)
                choice.hide()
                choice.deleteLater()
            self.choices = []
            for number, entry in enumerate(order, start=1):
                choice = ChoiceCard(number, entry)
                choice.chosen.connect(self._choose)
                self._cards.addWidget(choice)
                self.choices.append(choice)
            for one, other in pairwise([self, *self.controls]):
                QWidget.setTabOrder(one, other)
            if inside:
                self.setFocus()
        if self.told.text() != told:
            self.told.set_content(told)
        self.told.setVisible(bool(told))
        self.undo_button.setEnabled(votes > 0)

    def _choose(self, id: str) -> None:
        self.voted.emit(id, self.name.text())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
        key = Qt.Key(event.key())
        if plain and key in _KEYS[: len(self.choices)]:
            self._choose(self.choices[_KEYS.index(key)].entry_id)
        elif plain and key is Qt.Key.Key_S:
            self.skipped.emit()
        elif plain and key is Qt.Key.Key_U and self.undo_button.isEnabled():
            self.undone.emit()
        elif plain and key is Qt.Key.Key_Escape:
            self.done.emit()
        else:
            super().keyPressEvent(event)
            return
        event.accept()
