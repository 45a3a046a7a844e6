"""Screening of a list at the desk: limits that decide which jokes people needn't see, and votes on the rest. It is
stored with the contest at each change."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Literal

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QSizePolicy, QSlider, QWidget

from ...batch.screening import OwnScoreFiles, OwnScores, joined, of_list, read_ballots, write_ballots
from ...core.errors import InputError, JokeJudgeError
from ...engine.base import CancelToken
from ...judge.contest.notes import Ballot, ListScreening, OwnScale, Thresholds, digest_of
from ...judge.contest.screening import Screened, Screening, kept_screening, proposed, screen
from ...learning.words import scale_lines
from ..history.dialogs import Exported
from ..look import wording
from ..look.theme import px, theme
from ..verdict.tab import VerdictTab
from ..widgets.base import KeyActs
from ..widgets.cards import Card, Rule
from ..widgets.controls import FilterChip, LinkButton, PrimaryButton, SecondaryButton
from ..widgets.dialog import ask_file, ask_open
from ..widgets.fields import LineField
from ..widgets.labels import Flow
from ..widgets.layout import ColumnScroll, Grid, HBox, VBox, chain_controls, single_shot
from ..widgets.page import RowsView
from ..widgets.text import Heading, Label, Paragraph
from .state import ContestRecorder, ContestState

_AT_ONCE = 300
"""A list of more jokes is screened in the worker's thread."""
_REST_MS = 60
_VOTES = {"Votes (*.jsonl)": ".jsonl"}
_LIMITS = (
    ("reject", "Reject below", "Reject a joke with a chance below"),
    ("high", "High from", "Let people choose between jokes with a chance from"),
    ("promote", "Accept without a vote from", "A single high joke needs no vote from a chance of"),
)
_MOST_NAME = 60


class LimitsPart(QWidget):
    """The limits as sliders, and the penalty for long texts. ``moved``: one of them was changed."""

    moved = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.reset_link = LinkButton(
            "Back to 0.70, 0.85, 0.90", act=lambda: self.show_limits(Thresholds(), penalty=self.penalty.isChecked())
        )
        self.sliders: dict[str, QSlider] = {}
        grid = Grid(gaps=(16, 4), wide=1)
        for row, (name, label, tip) in enumerate(_LIMITS):
            slider, value = QSlider(Qt.Orientation.Horizontal), Label("0.00", 14, 600, tabular=True)
            slider.setRange(0, 100)
            slider.setPageStep(5)
            slider.setAccessibleName(f"{tip}, in hundredths")
            slider.valueChanged.connect(partial(self._on_slider, row, value))
            self.sliders[name] = slider
            for column, widget in enumerate((Label(label, 14), slider, value)):
                grid.addWidget(widget, row, column)
        self.errors = RowsView()
        tip = "As many pass as are expected to be good; the first three of them are high."
        self.propose_button = SecondaryButton("Use limits from this list", tip=tip)
        self.penalty = FilterChip("Take .01 off for each word over 50")
        self.penalty.setToolTip("Lowers the chances of long texts. The estimates already leave length out.")
        self.penalty.toggled.connect(self.moved)
        acts = Flow(gap=10)
        acts.add(self.propose_button, self.penalty)
        title = HBox(Label("Limits", 15, 600), 1, self.reset_link)
        VBox(Rule(faint=True), title, grid, self.errors, acts, parent=self, gap=8)
        self._scale()
        theme().changed.connect(self._scale)

    def _scale(self) -> None:
        for slider in self.sliders.values():
            slider.setMinimumHeight(px(20))

    @property
    def limits(self) -> Thresholds:
        """The limits that the sliders show, 0…1."""
        return Thresholds(**{name: slider.value() / 100.0 for name, slider in self.sliders.items()})

    def show_limits(self, limits: Thresholds, *, penalty: bool) -> None:
        """Set the sliders to these limits."""
        for name, value in limits.model_dump().items():
            self.sliders[name].setValue(round(100 * value))
        self.penalty.setChecked(penalty)

    def _on_slider(self, row: int, label: Label, value: int) -> None:
        label.setText(f"{value / 100:.2f}")
        # reject ≤ high ≤ promote: a limit moves the others along.
        for at, slider in enumerate(self.sliders.values()):
            slider.setValue((min if at < row else max)(slider.value(), value))
        usual = [round(100 * limit) for limit in Thresholds().model_dump().values()]
        self.reset_link.setVisible([slider.value() for slider in self.sliders.values()] != usual)
        self.moved.emit()


class BallotPart(KeyActs, QWidget):
    """A blind vote: jokes without their chances, to choose one. ``answered`` carries its id."""

    answered = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Which is the funniest?")
        self.summary = Paragraph("", 13)
        self.choices: dict[str, SecondaryButton] = {}
        """The buttons that choose a joke, by its id, in their order."""
        self._rows = VBox(gap=12)
        self.name = LineField("Voter's name, if you like", "Voter's name, optional", _MOST_NAME)
        self.name.returnPressed.connect(self.setFocus)
        self.skip_button = SecondaryButton("Skip")
        self.undo_button = SecondaryButton("Undo", "undo")
        self.done_button = SecondaryButton("Stop")
        acts = Flow(gap=8)
        acts.add(self.skip_button, self.undo_button, self.done_button)
        keys = Label("1, 2, 3 choose · S skip · U undo · Esc stop", 12, token="text3")
        VBox(
            Heading("Which is the funniest?", 4), self.summary, self._rows, self.name, acts, keys,
            parent=self, gap=12,
        )  # fmt: skip

    def show_ballot(self, order: Sequence[Screened], words: str, *, undo: bool) -> None:
        """Let people choose among jokes, in this order."""
        self.summary.show_text(words)
        self.undo_button.setEnabled(undo)
        if [row.id for row in order] == [*self.choices]:
            return
        inside = self.focusWidget() in self.choices.values()
        self.choices, rows = {}, []
        for number, row in enumerate(order, 1):
            choose = partial(self.answered.emit, row.id)
            button = SecondaryButton(str(number), name=f"Choose {number}: {row.text}", act=choose)
            button.setMinimumWidth(px(38))
            self.choices[row.id] = button
            rows.append(QWidget())
            text = Paragraph(row.text, 15, token="text")
            HBox((button, 0, Qt.AlignmentFlag.AlignTop), (text, 1), parent=rows[-1], gap=14)
        self._rows.show_only(*rows)
        chain_controls(self)
        if inside:
            self.setFocus()

    def acts(self) -> Mapping[Qt.Key, Callable[[], object]]:
        buttons = {Qt.Key(Qt.Key.Key_0 + number): button for number, button in enumerate(self.choices.values(), 1)}
        others = {
            Qt.Key.Key_S: self.skip_button, Qt.Key.Key_U: self.undo_button, Qt.Key.Key_Escape: self.done_button,
        }  # fmt: skip
        return {key: button.click for key, button in {**buttons, **others}.items()}


class ScreeningPane(Card):
    """Screens the contest at the desk. ``recorder`` stores the outcome, ``scores`` has the user's own scores, if they
    gave some in the terminal; notices, exports and errors go to ``tab``. ``face``: the screened list or the vote;
    ``outcome``: None where the list's chances are unknown. ``left``: return to reading; ``drawn``: the outcome or the
    face changed."""

    left = Signal()
    drawn = Signal()

    def __init__(self, recorder: ContestRecorder, scores: OwnScoreFiles, tab: VerdictTab) -> None:
        super().__init__(padding=0)
        self._recorder, self._score_files, self._tab = recorder, scores, tab
        self.setAccessibleName("Screening")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Expanding)
        self.face: Literal["list", "vote"] = "list"
        self.outcome: Screening | None = None
        self._contest = ContestState()
        self._ballots: list[Ballot] = []
        self._scale: OwnScale | None = None
        self._more = False
        self._turn = self._number = 0
        self._rest = single_shot(self, self._screen, _REST_MS)
        self.heading = Heading("Screening", 4)
        self.back_link = LinkButton("Back to reading", act=self.left)
        self.summary, self.votes = Paragraph("", 14), Paragraph("", 13)
        self.vote_button = PrimaryButton("Vote", act=self._vote_now)
        self.export_link = LinkButton("Export the votes…", act=self._export)
        self.import_link = LinkButton("Add votes from a file…", act=self._import)
        acts = Flow(gap=14)
        acts.add(self.vote_button, self.export_link, self.import_link)
        limits, ballot = self.limits, self.ballot = LimitsPart(), BallotPart()
        self.joke, self.why = Paragraph("", 15, token="text"), Paragraph("", 13)
        self.own = Paragraph("", 13)
        self._list, inside = QWidget(), QWidget()
        VBox(
            HBox(self.heading, 1, self.back_link), self.summary, self.votes, acts, self.joke, self.why, self.limits,
            self.own, parent=self._list, gap=10,
        )  # fmt: skip
        VBox(self._list, self.ballot, 1, parent=inside, margins=(19, 16, 7, 14))
        self.body.add((ColumnScroll(inside), 1))
        limits.moved.connect(self._rest.start)
        limits.propose_button.clicked.connect(self._propose)
        ballot.answered.connect(self._vote)
        ballot.skip_button.clicked.connect(self._skip)
        ballot.undo_button.clicked.connect(self._undo)
        ballot.done_button.clicked.connect(lambda: self._turn_to("list"))

    def minimumSizeHint(self) -> QSize:
        return QSize(px(240), px(200))

    def show_contest(self, contest: ContestState) -> None:
        """Screen a contest that has ended."""
        result = contest.result
        if result is None:
            return
        self._contest, kept = contest, contest.notes.screening or ListScreening()
        self._ballots = of_list(kept.ballots, self._texts)
        self._more, self.face, self.outcome = False, "list", None
        try:
            # Read here, a few hundred bytes: with the worker, other chances would be shown first.
            scores = self._score_files.get(result.made_by)
        except JokeJudgeError as error:
            self._tab.trouble.emit(error)
            scores = OwnScores()
        self._scale = scores.scale()
        self.own.show_text(" ".join(scale_lines(self._scale, len(scores.scores)) if scores.scores else ()))
        self.limits.show_limits(kept.thresholds, penalty=kept.length_penalty)
        self._screen()

    def focus_first(self) -> None:
        """Set the focus to the first control of the current face."""
        if self.face == "list":
            (self.vote_button if self.vote_button.isVisibleTo(self) else self.back_link).setFocus()
        else:
            self.ballot.setFocus()

    def leave(self) -> None:
        """Leave the vote for the list, and the list for the reading."""
        if self.face == "list":
            self.left.emit()
        else:
            self._turn_to("list")

    def _turn_to(self, face: Literal["list", "vote"]) -> None:
        self.face = face
        self._draw()
        self.focus_first()

    @property
    def _texts(self) -> dict[str, str]:
        return {entry.id: entry.text for entry in self._contest.entries}

    # The outcome

    def _screen(self) -> None:
        """Screen the list again, show the outcome and store it."""
        self._rest.stop()
        result = self._contest.result
        if result is None:
            return
        self._number += 1
        scale = self._scale
        compute = partial(
            screen, result, self.limits.limits, length_penalty=self.limits.penalty.isChecked(),
            own=scale if scale is not None and scale.kept else None, ballots=list(self._ballots),
            now=datetime.now(UTC), more=self._more,
        )  # fmt: skip
        if len(result.entries) > _AT_ONCE:
            take = partial(self._take, self._number)
            self._recorder.worker.call("screening", compute, take, self._on_unknown)
            self._draw()
            return
        try:
            self._take(self._number, compute())
        except InputError as error:
            self._on_unknown(error)

    def _take(self, number: int, outcome: Screening) -> None:
        if number != self._number:
            return
        self.outcome = outcome
        kept = kept_screening(outcome, length_penalty=self.limits.penalty.isChecked(), ballots=self._ballots)
        if kept != self._contest.notes.screening:
            self._contest.notes.screening = kept
            self._recorder.touch(self._contest)
        self._draw()

    def _on_unknown(self, error: JokeJudgeError) -> None:
        self.outcome = None
        self._draw(f"{error.sentence} The order stands as it is.")

    def _draw(self, unknown: str = "Screening the list…") -> None:
        outcome, shown, more = self.outcome, 0, False
        if outcome is not None:
            shown = len(outcome.shown)
            more = outcome.decided and sum(row.decision == "wait" for row in outcome.entries) > 1
            self.limits.errors.show_rows(outcome.errors())
        if self.face == "vote" and shown < 2:
            self.face = "list"
        votes = outcome.votes_so_far() if outcome is not None and self._ballots else ""
        self.summary.show_text(wording.first_strong([unknown] if outcome is None else outcome.outcome()))
        self.votes.show_text(votes)
        self.vote_button.setText("Vote on the next" if more else "Vote")
        self.vote_button.setVisible(shown > 1 or more)
        self.export_link.setVisible(bool(self._ballots))
        self.import_link.setVisible(outcome is not None)
        self.limits.setVisible(outcome is not None)
        self._list.setVisible(self.face == "list")
        self.ballot.setVisible(self.face == "vote")
        if self.face == "vote":
            self.ballot.show_ballot(self._ballot_order(), votes, undo=bool(self._ballots))
        self.drawn.emit()

    def show_joke(self, id: str) -> None:
        """Show a joke of the list in full, with the decision on it and the reason."""
        outcome = self.outcome
        row = next((row for row in outcome.entries if row.id == id), None) if outcome is not None else None
        self.joke.show_text(row.text if row is not None else "")
        self.why.show_text(outcome.sentence(row) if row is not None and outcome is not None else "")

    def _propose(self) -> None:
        result, outcome = self._contest.result, self.outcome
        penalty = self.limits.penalty.isChecked()
        limits = proposed(result, length_penalty=penalty, own=outcome.own) if result is not None and outcome else None
        if limits is not None:
            self.limits.show_limits(limits, penalty=penalty)
            self._screen()

    # Votes

    def _vote_now(self) -> None:
        if self.outcome is not None and self.outcome.decided:
            self._more = True
            self._screen()
        self._turn_to("vote")

    def _ballot_order(self) -> list[Screened]:
        """Return the jokes to vote on, in an order drawn anew for each vote."""
        result = self._contest.result
        shown = sorted(self.outcome.shown, key=lambda row: row.id) if self.outcome is not None else []
        if result is not None:
            random.Random(f"{result.seed}/{result.id}/{len(self._ballots)}/{self._turn}").shuffle(shown)
        return shown

    def _vote(self, id: str) -> None:
        if self.outcome is None or all(row.id != id for row in self.outcome.shown):
            return
        among = tuple(row.id for row in self.outcome.shown)
        digest, voter = digest_of([self._texts[one] for one in among]), self.ballot.name.text().strip()
        self._ballots.append(Ballot(choice=id, among=among, when=datetime.now(UTC), voter=voter, texts=digest))
        self._more = False
        self._screen()
        if self.outcome is not None and self.outcome.decided:
            self._tab.notice.emit("The vote is decided.")
            self._turn_to("list")

    def _skip(self) -> None:
        self._turn += 1
        self._draw()

    def _undo(self) -> None:
        if self._ballots:
            self._ballots.pop()
            self._screen()

    def _export(self) -> None:
        path = ask_file(self._tab.window(), "Export the votes", "votes.jsonl", _VOTES)
        ballots = list(self._ballots)

        def start(_token: CancelToken) -> Iterator[object]:
            assert path is not None
            yield Exported(write_ballots(path, ballots), path, what="vote")

        if path is not None:
            self._tab.to_export.emit(start)

    def _import(self) -> None:
        name = ask_open(self._tab.window(), "Add votes from a file", next(iter(_VOTES)))
        if name:
            take = partial(self._take_over, self._contest)
            self._recorder.worker.call("votes", partial(read_ballots, Path(name)), take, self._tab.trouble.emit)

    def _take_over(self, contest: ContestState, ballots: list[Ballot]) -> None:
        if contest is not self._contest:
            return
        before = len(self._ballots)
        self._ballots = of_list(joined(self._ballots, ballots), self._texts)
        new = len(self._ballots) - before
        other = wording.count_of(len(ballots) - new, "other")
        rest = f" {other} were there already, or belong to no joke of this list." if len(ballots) > new else ""
        self._screen()
        self._tab.notice.emit(f"Added {wording.count_of(new, 'vote')}.{rest}")
