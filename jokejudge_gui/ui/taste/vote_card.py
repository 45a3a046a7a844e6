"""Asks what the user thinks of a verdict's jokes, and the line that says what the user's own taste is."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from ...history.votes import Choice
from ...verdict_kinds import VerdictKind
from ..look.theme import px, theme
from ..widgets.base import plain_tooltip
from ..widgets.cards import Card
from ..widgets.controls import SecondaryButton
from ..widgets.text import Label, Paragraph

_FACES: dict[Choice, tuple[str, str | None, str]] = {
    "up": ("", "thumb_up", "I find it funny"),
    "down": ("", "thumb_down", "I don't find it funny"),
    "A": ("A", None, "A is funnier to me"),
    "B": ("B", None, "B is funnier to me"),
}
TAKE_BACK = "Press again to take your vote back"
WHY_BLIND = (
    "A vote given after the verdict was seen leans towards it. Vote while the judge is still at work, and your vote "
    "counts as blind."
)


def unbroken(text: str) -> str:
    """A text whose figures keep their percent sign on the same line."""
    return text.replace(" %", "\u00a0%")


def choices_of(kind: VerdictKind[Any, Any]) -> tuple[Choice, ...]:
    """What a vote on a verdict of this kind may be, the favourable one first."""
    return tuple(choice for choice in _FACES if choice in kind.choices)


class VoteButton(SecondaryButton):
    """A choice that is made or not; pressing it again unmakes it."""

    PADDING = 14

    def __init__(self, choice: Choice, parent: QWidget | None = None) -> None:
        text, icon, self._name = _FACES[choice]
        super().__init__(text, icon, parent)
        self.setCheckable(True)
        self.setAccessibleName(self._name)
        self.toggled.connect(self._say)
        self._say(False)

    def _say(self, checked: bool) -> None:
        self.setToolTip(TAKE_BACK if checked else self._name)
        self.setAccessibleDescription(TAKE_BACK if checked else "")

    def colours(self) -> tuple[str | None, str | None, str]:
        if self.isChecked() and self.isEnabled():
            t = theme().tokens
            return t.soft, t.accent, t.accent
        return super().colours()


class VoteCard(Card):
    """The question, its two answers, and how far the votes have come. ``voted`` carries the choice that is pressed,
    chosen before or not."""

    voted = Signal(str)

    def __init__(self, kind: VerdictKind[Any, Any], parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.setAccessibleName("Your vote")
        self.question = Label(kind.question, 14, 600)
        self.caption = Paragraph("", 13, 400, "text3")
        self.caption.setToolTip(plain_tooltip(WHY_BLIND))
        self.by_choice: dict[Choice, VoteButton] = {choice: VoteButton(choice) for choice in choices_of(kind)}
        self._asked = QHBoxLayout()
        self._asked.addWidget(self.question)
        self._asked.addStretch(1)
        for choice, button in self.by_choice.items():
            button.clicked.connect(lambda _on=False, choice=choice: self.voted.emit(choice))
            self._asked.addWidget(button)
        self.add_layout(self._asked)
        self.add(self.caption)
        self._lay_out()
        theme().changed.connect(self._lay_out)
        self.hide()

    @property
    def buttons(self) -> list[QWidget]:
        return list(self.by_choice.values())

    def show_choice(self, choice: Choice | None, caption: str) -> None:
        """What is chosen, and the words under it."""
        for each, button in self.by_choice.items():
            button.setChecked(each == choice)
        caption = unbroken(caption)
        if self.caption.text() != caption:
            self.caption.set_content(caption)
        self.caption.setVisible(bool(caption))
        self.show()

    def _lay_out(self) -> None:
        self._asked.setSpacing(px(8))
        self.body.setSpacing(px(6))


class TasteLine(Paragraph):
    """What the user would say, beside what most people would; gone while there is nothing to say."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", parent=parent)
        self.hide()

    def show_words(self, words: tuple[str, str] | None) -> None:
        """What counts, and how sure it is."""
        strong, rest = map(unbroken, words or ("", ""))
        if self.text() != strong + rest:
            self.set_content([(strong, "strong"), (rest, "normal")])
        self.setVisible(bool(words))
