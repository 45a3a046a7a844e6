"""The user's own scores: a joke at a time, blind, from 0 to 10; and what they say of chances."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from ...batch.screening import OwnScores
from ...judge.contest.types import RankedEntry
from ...learning.taste import BEST, FEWEST_SCORES, scale_told
from ..look.theme import px, theme
from ..widgets.bars import ProgressLine
from ..widgets.cards import Card
from ..widgets.controls import ChoiceButton, LinkButton, SecondaryButton, Segmented
from ..widgets.labels import Flow
from ..widgets.layout import HBox, VBox
from ..widgets.text import Label, Paragraph


class ScorePanel(QWidget):
    """Shows jokes one by one. ``scored`` carries an entry and a score, ``taken_back`` the entry whose score isn't to
    count; ``done``: the user stops, or all are scored."""

    scored = Signal(object, int)
    taken_back = Signal(object)
    done = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Score")
        self._jokes: list[RankedEntry] = []
        self._at = 0
        self._given: list[int] = []
        self.card = Card("How funny is this to you?")
        self.place = Paragraph("", 13)
        self.progress = ProgressLine(0.0, "Jokes scored")
        self.text = Paragraph("", 18, token="text")
        self.card.add(self.place, self.progress, self.text)
        self.buttons = [SecondaryButton(str(score)) for score in range(BEST + 1)]
        self._row = Flow(gap=6)
        for score, button in enumerate(self.buttons):
            button.setAccessibleName(f"{score} of {BEST}")
            button.clicked.connect(lambda _on=False, score=score: self._score(score))
            self._row.add(button)
        self.card.add(self._row)
        self.skip_button = SecondaryButton("Skip", act=self._next)
        self.undo_button = SecondaryButton("Back one joke", "undo", act=self._undo)
        self.done_button = SecondaryButton("Stop scoring", act=self.done)
        acts = Flow(gap=8)
        acts.add(self.skip_button, self.undo_button, self.done_button)
        self.card.add(acts, Label("0 to 9, T for ten · S skip · U back · Esc stop", 12, token="text3"))
        VBox(self.card, 1, parent=self)

    @property
    def controls(self) -> list[QWidget]:
        """In the order of the Tab key."""
        return [*self.buttons, self.skip_button, self.undo_button, self.done_button]

    @property
    def current(self) -> RankedEntry | None:
        """The joke that is shown."""
        return self._jokes[self._at] if self._at < len(self._jokes) else None

    def begin(self, jokes: Sequence[RankedEntry]) -> None:
        """Show the first of some jokes."""
        self._jokes, self._at, self._given = list(jokes), 0, []
        self._show()

    def _show(self) -> None:
        entry = self.current
        if entry is None:
            self.done.emit()
            return
        self.place.set_content(f"Joke {self._at + 1} of {len(self._jokes)}. 0: not at all, {BEST}: as funny as can be.")
        self.progress.set_fraction(self._at / len(self._jokes))
        self.text.set_content(entry.text)
        self.undo_button.setEnabled(self._at > 0)

    def _score(self, score: int) -> None:
        entry = self.current
        if entry is not None:
            self._given.append(self._at)
            self.scored.emit(entry, score)
            self._next()

    def _next(self) -> None:
        self._at += 1
        self._show()

    def _undo(self) -> None:
        if self._at == 0:
            return
        self._at -= 1
        if self._given and self._given[-1] == self._at:
            self._given.pop()
            self.taken_back.emit(self._jokes[self._at])
        self._show()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
        key = Qt.Key(event.key())
        if plain and Qt.Key.Key_0 <= key <= Qt.Key.Key_9:
            self._score(int(key) - int(Qt.Key.Key_0))
        elif plain and key is Qt.Key.Key_T:
            self._score(BEST)
        elif plain and key is Qt.Key.Key_S:
            self._next()
        elif plain and key is Qt.Key.Key_U:
            self._undo()
        elif plain and key is Qt.Key.Key_Escape:
            self.done.emit()
        else:
            super().keyPressEvent(event)
            return
        event.accept()


class GoodFrom(ChoiceButton):
    """The score from which a joke is good."""

    def sizeHint(self) -> QSize:
        return QSize(theme().px(140), theme().px(self.HEIGHT))


class OwnScoresCard(Card):
    """What the user's own scores say. ``score_asked``: jokes are to be scored; ``good_from`` carries the score from
    which a joke is good; ``own_asked`` whether chances are to be the user's; ``forget_asked``: scores are to be
    forgotten, or brought back right after that."""

    score_asked = Signal()
    good_from = Signal(int)
    own_asked = Signal(bool)
    forget_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        self.forget_link = LinkButton("Forget these scores")
        super().__init__("Your own scores", "", self.forget_link, fill=True, parent=parent)
        self.forget_link.clicked.connect(self.forget_asked)
        self.told = Paragraph("", 14)
        self.add(self.told)
        self.whose = Segmented([("own", "Your chances"), ("most", "Most people's")], "Chances")
        self.whose.changed.connect(lambda key: self.own_asked.emit(key == "own"))
        self.add(self.whose)
        self.score_button = SecondaryButton("Score some jokes", act=self.score_asked)
        self.good_button = GoodFrom("The score from which a joke is good to you")
        self.good_button.set_options([f"Good from {score}" for score in range(1, BEST + 1)], 5)
        self.good_button.chosen.connect(lambda place: self.good_from.emit(place + 1))
        self.add(HBox(self.score_button, self.good_button, 1, gap=10))
        self._scale()
        theme().changed.connect(self._scale)

    @property
    def controls(self) -> list[QWidget]:
        """In the order of the Tab key."""
        whose = [self.whose.segment(key) for key in ("own", "most")]
        return [*whose, self.score_button, self.good_button, self.forget_link]

    def _scale(self) -> None:
        self.good_button.setMaximumWidth(px(140))

    def show_scores(self, scores: OwnScores, *, own: bool, forgotten: int) -> None:
        """Show what is known. ``own``: chances are the user's, where that holds out; ``forgotten``: so many were
        forgotten a moment ago."""
        scale, count = scores.scale(), len(scores.scores)
        told = scale_told(scale, count)
        if forgotten and not count:
            told = [f"Forgot {forgotten} scores."]
        elif not count:
            told = [
                f"Chances are most people's. Score {FEWEST_SCORES} to 30 jokes of this list, drawn from all of its "
                "range and shown without their chances, and they become yours, if that holds out."
            ]
        words = " ".join(told)
        self.told.set_content(words)
        usable = scale is not None and scale.kept
        self.whose.setVisible(usable)
        self.whose.blockSignals(True)
        self.whose.set_current("own" if own else "most")
        self.whose.blockSignals(False)
        self.score_button.setText("Score some jokes" if not count else "Score more jokes")
        self.good_button.set_options(self.good_button.options, scores.good_from - 1)
        self.good_button.setVisible(count > 0)
        self.forget_link.setVisible(count > 0 or forgotten > 0)
        self.forget_link.setText("Bring them back" if forgotten and not count else "Forget these scores")
