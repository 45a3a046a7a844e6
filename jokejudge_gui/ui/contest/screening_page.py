"""A list screened: what comes of it, its limits, its jokes, the vote, and the user's own scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, Literal

from PySide6.QtCore import QObject, QSize, Qt, Signal
from PySide6.QtGui import QFont, QMouseEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLineEdit,
    QSizePolicy,
    QSlider,
    QWidget,
)

from ...batch.screening import OwnScores
from ...judge.contest.screening import Screened, Screening
from ...judge.contest.types import RankedEntry, Thresholds
from ...learning.taste import BEST, FEWEST_SCORES, scale_lines
from ..look import wording
from ..look.theme import Room, font, px, theme
from ..look.wording import Run
from ..widgets.bars import ProgressLine
from ..widgets.base import LEFT, RIGHT, KeyActs, plain_tooltip
from ..widgets.cards import Card, StateCard
from ..widgets.controls import ChoiceButton, FilterChip, LinkButton, PrimaryButton, SecondaryButton, Segmented
from ..widgets.labels import Flow
from ..widgets.layout import Grid, HBox, VBox
from ..widgets.text import Heading, Label, Paragraph
from .screening_state import ScreeningState, reason_words
from .table import ROW_HEIGHT, CellDelegate, Index, RowsModel, RowTree

# The three limits of a screening, and what they cost as they move.

_ROWS = (
    ("reject", "Reject below", "Reject a joke with a chance below"),
    ("high", "High from", "Let people choose between jokes with a chance from"),
    ("promote", "No vote from", "A single high joke needs no vote from a chance of"),
)
PENALTY = "Take .01 off for each word over 50"


class LimitsCard(Card):
    """``moved`` carries limits and whether long texts lose something; ``propose_asked``: limits that the list
    justifies are wanted."""

    moved = Signal(object, bool)
    propose_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        self.reset_link = LinkButton("Back to 0.70, 0.85, 0.90")
        super().__init__("Limits", "", self.reset_link, fill=True, parent=parent)
        self.reset_link.clicked.connect(self._reset)
        self.sliders: dict[str, QSlider] = {}
        self._values: dict[str, Label] = {}
        self._showing = False
        self._grid = Grid(gaps=(16, 4), wide=1)
        for row, (name, label, said) in enumerate(_ROWS):
            slider = QSlider(Qt.Orientation.Horizontal)
            slider.setRange(0, 100)
            slider.setPageStep(5)
            slider.setAccessibleName(f"{said}, in hundredths")
            slider.valueChanged.connect(lambda value, name=name: self._on_slider(name, value))
            value = Label("", 14, 600, tabular=True)
            self.sliders[name], self._values[name] = slider, value
            self._grid.addWidget(Label(label, 14), row, 0)
            self._grid.addWidget(slider, row, 1)
            self._grid.addWidget(value, row, 2)
        self.add(self._grid)
        self.errors = Paragraph("", 14)
        self.add(self.errors)
        self.strict = Paragraph("", 13, token="mid_text")
        self.add(self.strict)
        self.propose_button = SecondaryButton(
            "Use limits from this list",
            tip="As many pass as are expected to be good; the first three of them are high.",
            act=self.propose_asked,
        )
        self.penalty = FilterChip(PENALTY)
        self.penalty.setToolTip("Long texts are rated lower. The reading itself already stands apart from length.")
        self.penalty.toggled.connect(lambda _on: self._tell())
        self._acts = Flow(gap=10)
        self._acts.add(self.propose_button, self.penalty)
        self.add(self._acts)
        self._scale()
        theme().changed.connect(self._scale)

    @property
    def controls(self) -> list[QWidget]:
        """In the order of the Tab key."""
        return [*self.sliders.values(), self.propose_button, self.penalty, self.reset_link]

    def _scale(self) -> None:
        for slider in self.sliders.values():
            slider.setMinimumHeight(px(20))
        for value in self._values.values():
            value.setMinimumWidth(px(40))

    @property
    def limits(self) -> Thresholds:
        """Where the sliders stand."""
        return Thresholds(**{name: slider.value() / 100.0 for name, slider in self.sliders.items()})

    def show_limits(self, limits: Thresholds, *, penalty: bool) -> None:
        """Put the sliders where the limits are."""
        self._showing = True
        for name, value in limits.model_dump().items():
            self.sliders[name].setValue(round(100 * value))
            self._values[name].setText(f"{value:.2f}")
        self.penalty.setChecked(penalty)
        self._showing = False
        self.reset_link.setVisible(limits != Thresholds())

    def show_costs(self, found: Screening | None, strict: str) -> None:
        """Both errors, and whether the limits are too strict for the model."""
        runs = costs_runs(found) if found is not None else []
        self.errors.show_text(runs)
        self.strict.show_text(strict)

    def _on_slider(self, name: str, value: int) -> None:
        if self._showing:
            return
        # Reject below high below promote: a limit takes the others along.
        order = list(self.sliders)
        self._showing = True
        for other, slider in self.sliders.items():
            if order.index(other) < order.index(name):
                slider.setValue(min(slider.value(), value))
            elif order.index(other) > order.index(name):
                slider.setValue(max(slider.value(), value))
            self._values[other].setText(f"{slider.value() / 100:.2f}")
        self._showing = False
        self._tell()

    def _reset(self) -> None:
        self.show_limits(Thresholds(), penalty=self.penalty.isChecked())
        self._tell()

    def _tell(self) -> None:
        if not self._showing:
            self.reset_link.setVisible(self.limits != Thresholds())
            self.moved.emit(self.limits, self.penalty.isChecked())


def costs_runs(found: Screening) -> list[Run]:
    """What the limits cost: good ones that are missed, and others that pass."""
    missed, wasted = found.costs()
    return [("Missed: ", "strong"), (f"{missed}. ", "normal"), ("In vain: ", "strong"), (f"{wasted}.", "normal")]


# The jokes of a screened list with their chances and what is to be done with each, and why.

DECISIONS = {"promote": "Promoted", "show": "Vote now", "wait": "Vote later", "reject": "Rejected"}
_CHANCE, _DECISION, _JOKE, _REASON = range(4)
_TOKENS = {"promote": "good_text", "show": "accent", "wait": "text", "reject": "text3"}
_WIDTHS: dict[Room, tuple[int, int, int]] = {"wide": (70, 110, 250), "medium": (64, 100, 196), "narrow": (68, 90, 0)}
"""Of chance, decision and reason, in pixels at 100 %; the joke takes the rest."""


class ScreeningModel(RowsModel):
    """The entries of a ``Screening``, best chance first."""

    heads = ("Chance", "Decision", "Joke", "Why")

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.found: Screening | None = None

    def show_screening(self, found: Screening | None) -> None:
        """Show what came of a screening; where only decisions changed, what is selected stays so."""
        old = [entry.id for entry in self.found.entries] if self.found is not None else []
        new = [entry.id for entry in found.entries] if found is not None else []
        if old != new:
            self.beginResetModel()
            self.found = found
            self.endResetModel()
            return
        self.found = found
        if new:
            self.dataChanged.emit(self.index(0, 0), self.index(len(new) - 1, _REASON))

    def entry(self, row: int) -> Screened | None:
        """The joke in a row."""
        return self.found.entries[row] if self.found is not None and 0 <= row < len(self.found.entries) else None

    def rows(self) -> Sequence[Screened]:
        return self.found.entries if self.found is not None else ()

    def data(self, index: Index, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        entry = self.entry(index.row())
        if entry is None or self.found is None:
            return None
        chance = "" if entry.p is None else f"{entry.p:.2f}"
        decision = "Best" if self.found.fallback and entry.decision == "show" else DECISIONS[entry.decision]
        why = reason_words(entry, self.found.thresholds)
        if role == Qt.ItemDataRole.DisplayRole:
            return (chance, decision, wording.one_line(entry.text, 300), why)[index.column()]
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tooltip(f"{entry.text}\n\n{decision}: {why}.")
        if role == Qt.ItemDataRole.AccessibleTextRole:
            known = f", chance {chance}" if chance else ""
            return f"{wording.one_line(entry.text)}. {decision}{known}: {why}."
        return None


class ScreeningDelegate(CellDelegate):
    """Paints the cells."""

    def style(self, index: Index) -> tuple[QFont, str, Qt.AlignmentFlag]:
        model, tokens = index.model(), theme().tokens
        entry = model.entry(index.row()) if isinstance(model, ScreeningModel) else None
        out = entry is None or entry.decision == "reject"
        if index.column() == _CHANCE:
            return font(14, 600, tabular=True), tokens.text3 if out else tokens.text, RIGHT
        if index.column() == _DECISION:
            return font(13, 600), getattr(tokens, _TOKENS[entry.decision if entry is not None else "reject"]), LEFT
        if index.column() == _REASON:
            return font(13), tokens.text3 if out else tokens.text2, LEFT
        return font(14), tokens.text3 if out else tokens.text, LEFT


class ScreeningView(RowTree):
    """Rows to be looked at; a stronger line stands where the decision changes."""

    def __init__(self, model: ScreeningModel, parent: QWidget | None = None) -> None:
        super().__init__("Screened jokes", parent)
        self._screening = model
        self._room: Room = "wide"
        self.setItemDelegate(ScreeningDelegate(self))
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setModel(model)

    def set_room(self, room: Room) -> None:
        """How much room the window has."""
        self._room = room
        self.share_width()

    def restyle(self) -> None:
        super().restyle()
        self.setMinimumHeight(px(34 + 7 * ROW_HEIGHT))

    def share_width(self) -> None:
        if self.model() is None:
            return
        chance, decision, reason = (px(width) for width in _WIDTHS[self._room])
        joke = max(px(100), self.viewport().width() - chance - decision - reason)
        self.setColumnHidden(_REASON, reason == 0)
        for column, width in enumerate((chance, decision, joke, max(1, reason))):
            self.setColumnWidth(column, width)

    def boundary_after(self, index: Index) -> bool:
        one, other = self._screening.entry(index.row()), self._screening.entry(index.row() + 1)
        return one is not None and other is not None and (one.decision == "reject") != (other.decision == "reject")


# People choose, blind, among at most three jokes at a time.

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
        self.add(HBox((self.button, 0, Qt.AlignmentFlag.AlignTop), (self.text, 1), gap=14))
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        if event.button() is Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.chosen.emit(self.entry_id)


class VotePanel(KeyActs, QWidget):
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
        self.summary = Paragraph("", 13)
        self.card.add(self.summary)
        self.choices: list[ChoiceCard] = []
        self._cards = VBox(gap=8)
        self.card.add(self._cards)
        self.name = QLineEdit()
        self.name.setMaxLength(_MOST_NAME)
        self.name.setPlaceholderText("Voter's name, if you like")
        self.name.setAccessibleName("Voter's name, optional")
        self.name.returnPressed.connect(self.setFocus)
        self.skip_button = SecondaryButton("Skip", act=self.skipped)
        self.undo_button = SecondaryButton("Undo the last vote", "undo", act=self.undone)
        self.done_button = SecondaryButton("Stop voting", act=self.done)
        self._acts = Flow(gap=8)
        self._acts.add(self.skip_button, self.undo_button, self.done_button)
        self.card.add(self.name, self._acts)
        self.keys = Label("1, 2, 3 choose · S skip · U undo · Esc stop", 12, token="text3")
        self.card.add(self.keys)
        VBox(self.card, 1, parent=self)
        self._scale()
        theme().changed.connect(self._scale)

    def _scale(self) -> None:
        self.name.setFont(font(14))
        self.name.setFixedHeight(px(36))

    @property
    def controls(self) -> list[QWidget]:
        """In the order of the Tab key."""
        buttons: list[QWidget] = [choice.button for choice in self.choices]
        return [*buttons, self.name, self.skip_button, self.undo_button, self.done_button]

    def show_ballot(self, order: Sequence[Screened], lines: str, *, votes: int) -> None:
        """Show jokes in this order, without their chances. ``votes``: how many were given."""
        if [each.id for each in order] != [choice.entry_id for choice in self.choices]:
            holder = self.focusWidget()
            inside = holder is not None and any(choice.isAncestorOf(holder) for choice in self.choices)
            self.choices = [ChoiceCard(number, entry) for number, entry in enumerate(order, start=1)]
            for choice in self.choices:
                choice.chosen.connect(self._choose)
            self._cards.show_only(*self.choices)
            for one, other in pairwise([self, *self.controls]):
                QWidget.setTabOrder(one, other)
            if inside:
                self.setFocus()
        self.summary.show_text(lines)
        self.undo_button.setEnabled(votes > 0)

    def _choose(self, id: str) -> None:
        self.voted.emit(id, self.name.text())

    def acts(self) -> Mapping[Qt.Key, Callable[[], object]]:
        chosen = {key: partial(self._choose, card.entry_id) for key, card in zip(_KEYS, self.choices, strict=False)}
        undo = {Qt.Key.Key_U: self.undone.emit} if self.undo_button.isEnabled() else {}
        return {**chosen, **undo, Qt.Key.Key_S: self.skipped.emit, Qt.Key.Key_Escape: self.done.emit}


Face = Literal["list", "vote", "score"]


class ScreeningPage(QWidget):
    """Shows a ``ScreeningState`` in one of three faces: the screened list, the vote, the scoring. The signals say what
    the buttons ask for."""

    back_asked = Signal()
    vote_asked = Signal()
    more_asked = Signal()
    export_asked = Signal()
    import_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.face: Face = "list"
        self.heading = Heading("", 4)
        self.summary = Paragraph("", 14)
        self.votes = Paragraph("", 13)
        self.back_button = SecondaryButton("Back to the ranking", act=self.back_asked)
        self.vote_button = PrimaryButton("Vote", act=self._on_vote)
        self._more = False
        self.card = Card()
        self._head = HBox(
            (VBox(self.heading, self.summary, self.votes, gap=4), 1),
            HBox(1, self.back_button, self.vote_button, gap=8),
            gap=12,
        )
        self.card.add(self._head)
        self.export_link = LinkButton("Export the votes…", act=self.export_asked)
        self.import_link = LinkButton("Add votes from a file…", act=self.import_asked)
        self.card.add(HBox(self.export_link, self.import_link, 1, gap=16))
        self.unknown = StateCard("warning")
        self.limits = LimitsCard()
        self.own = OwnScoresCard()
        self.model = ScreeningModel(self)
        self.view = ScreeningView(self.model)
        self.table = Card()
        self.table.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        self.table.add((self.view, 1))
        self.vote = VotePanel()
        self.score = ScorePanel()
        self._settings = HBox((self.limits, 3), (self.own, 2), gap=14)
        VBox(
            self.card,
            self.unknown,
            self._settings,
            self.vote,
            self.score,
            (self.table, 1),
            0,
            parent=self,
            gap=14,
            margins=(0, 0, 0, 10),
        )

    @property
    def controls(self) -> list[QWidget]:
        """In the order of the Tab key."""
        order: list[QWidget] = [self.back_button, self.vote_button, self.export_link, self.import_link]
        order += [*self.limits.controls, *self.own.controls, *self.vote.controls, *self.score.controls, self.view]
        return order

    def set_room(self, room: Room) -> None:
        """How much room the window has."""
        wide = room == "wide"
        self._head.stack(not wide)
        self._settings.stack(not wide)
        self.view.set_room(room)

    def focus_first(self) -> None:
        """Put the keyboard where this face is worked with."""
        if self.face == "vote":
            self.vote.setFocus()
        elif self.face == "score":
            self.score.setFocus()
        else:
            (self.vote_button if self.vote_button.isVisibleTo(self) else self.back_button).setFocus()

    def _on_vote(self) -> None:
        (self.more_asked if self._more else self.vote_asked).emit()

    def show_state(self, state: ScreeningState, name: str) -> None:
        """Draw the screening of a list called ``name``."""
        found, listed = state.found, self.face == "list"
        self.heading.set_content(f"Screening: {name}")
        self.card.setVisible(listed)
        sentences = found.outcome() if found is not None else ["Screening the list…"] if state.error is None else []
        self.summary.show_text(wording.first_strong(sentences))
        votes = state.votes_words()
        self.votes.show_text(votes)
        shown = len(found.shown) if found is not None else 0
        self._more = found is not None and found.decided and found.waiting > 1
        self.vote_button.setText("Vote on the next" if self._more else "Vote")
        self.vote_button.setVisible(shown > 1 or self._more)
        self.export_link.setVisible(bool(state.ballots))
        self.import_link.setVisible(found is not None)
        self.unknown.setVisible(state.error is not None)
        if state.error is not None:
            self.unknown.set_message(state.error.sentence, "The ranking stands as it is.")
        for card in (self.limits, self.table, self.own):
            card.setVisible(listed and found is not None)
        self.vote.setVisible(self.face == "vote")
        self.score.setVisible(self.face == "score")
        if self.limits.limits != state.thresholds or self.limits.penalty.isChecked() != state.length_penalty:
            self.limits.show_limits(state.thresholds, penalty=state.length_penalty)
        self.limits.show_costs(found, state.strict)
        self.model.show_screening(found)
        self.view.share_width()
        if self.face == "vote":
            self.vote.show_ballot(state.ballot_order(), votes, votes=len(state.ballots))


class ScorePanel(KeyActs, QWidget):
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

    def acts(self) -> Mapping[Qt.Key, Callable[[], object]]:
        scores = {Qt.Key(Qt.Key.Key_0 + score): partial(self._score, score) for score in range(BEST)}
        return {
            **scores,
            Qt.Key.Key_T: partial(self._score, BEST),
            Qt.Key.Key_S: self._next,
            Qt.Key.Key_U: self._undo,
            Qt.Key.Key_Escape: self.done.emit,
        }


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
        self.summary = Paragraph("", 14)
        self.add(self.summary)
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
        lines = scale_lines(scale, count)
        if forgotten and not count:
            lines = [f"Forgot {forgotten} scores."]
        elif not count:
            lines = [
                f"Chances are most people's. Score {FEWEST_SCORES} to 30 jokes of this list, drawn from all of its "
                "range and shown without their chances, and they become yours, if that holds out."
            ]
        words = " ".join(lines)
        self.summary.set_content(words)
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
