"""Screens the contest that is shown: limits, votes and own scores as the page asks for them, kept as they come."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject

from ...batch.screening import OwnScoreFiles, OwnScores, export_ballots, read_ballots
from ...core.errors import JokeJudgeError
from ...engine.base import CancelToken
from ...judge.contest.screening import Screening, chance
from ...judge.contest.types import Ballot, RankedEntry, Thresholds
from ..history.dialogs import Exported
from ..judge_worker import JudgeWorker
from ..look import wording
from ..verdict.tab import VerdictTab
from ..widgets.dialog import ask_file, ask_open
from ..widgets.layout import single_shot
from .screening_page import ScreeningPage
from .screening_state import ScreeningState
from .state import ContestRecorder, ContestState

_AT_ONCE = 1500
"""A list of more jokes is screened in the worker's thread."""
_REST_MS = 60
_VOTES = {"Votes (*.jsonl)": ".jsonl"}


class Screener(QObject):
    """Does what ``page`` asks for; what is kept goes to ``recorder``, own scores to ``shelf``, and what
    is to be said, written or shown as an error to the ``tab``."""

    def __init__(
        self, page: ScreeningPage, recorder: ContestRecorder, worker: JudgeWorker, shelf: OwnScoreFiles, tab: VerdictTab
    ) -> None:
        super().__init__(tab)
        self._page, self._recorder, self._worker, self._shelf, self._tab = page, recorder, worker, shelf, tab
        self._contest = ContestState()
        self.state: ScreeningState | None = None
        self._number = 0
        self._forgotten: OwnScores | None = None
        self._rest = single_shot(self, self._screen, _REST_MS)
        page.limits.moved.connect(self._on_moved)
        page.limits.propose_asked.connect(self._propose)
        page.vote_asked.connect(self._vote_now)
        page.more_asked.connect(self._vote_on_more)
        page.export_asked.connect(self._export)
        page.import_asked.connect(self._import)
        page.vote.voted.connect(self._voted)
        page.vote.skipped.connect(self._skip)
        page.vote.undone.connect(self._undo)
        page.vote.done.connect(self._list)
        page.score.scored.connect(self._scored)
        page.score.taken_back.connect(self._taken_back)
        page.score.done.connect(self._list)
        page.own.score_asked.connect(self._score)
        page.own.good_from.connect(self._good_from)
        page.own.own_asked.connect(self._use_own)
        page.own.forget_asked.connect(self._forget)

    def show_state(self, contest: ContestState) -> None:
        """Screen a contest that has ended."""
        result = contest.result
        if result is None:
            return
        self._contest, self._forgotten = contest, None
        state = self.state = ScreeningState(result, contest.notes.screening)
        self._page.face = "list"
        name = result.model.name if result.model is not None else ""
        try:
            # A few hundred bytes: waiting for the worker would show other chances first.
            state.set_scores(self._shelf.get(result.made_by, name))
        except JokeJudgeError as error:
            self._tab.trouble.emit(error)
        self._screen()

    # Screening

    def _screen(self) -> None:
        """Screen the list anew, show it and keep what came of it."""
        state = self.state
        if state is None:
            return
        self._number += 1
        if len(state.result.entries) <= _AT_ONCE:
            state.refresh()
            self._done()
            return
        self._worker.call("screening", state.compute, partial(self._on_computed, self._number), self._tab.trouble.emit)
        self._draw()

    def _done(self) -> None:
        state = self.state
        kept = state.kept() if state is not None else None
        if kept is not None and kept != self._contest.notes.screening:
            self._contest.notes.screening = kept
            self._recorder.touch(self._contest)
        self._draw()

    def _draw(self) -> None:
        state = self.state
        if state is None:
            return
        if self._page.face == "vote" and (state.found is None or len(state.found.shown) < 2):
            self._page.face = "list"
        forgotten = len(self._forgotten.scores) if self._forgotten is not None else 0
        self._page.own.show_scores(state.scores, own=state.own_chances, forgotten=forgotten)
        self._page.show_state(state, self._contest.heading)

    def _on_computed(self, number: int, found: Screening | None) -> None:
        if self.state is not None and number == self._number:
            self.state.take(found)
            self._done()

    # Limits

    def _on_moved(self, limits: Thresholds, penalty: bool) -> None:
        if self.state is not None:
            self.state.thresholds, self.state.length_penalty = limits, penalty
            self._rest.start()

    def _propose(self) -> None:
        if self.state is not None and self.state.propose():
            self._screen()

    # Votes

    def _face(self, face: str) -> None:
        self._page.face = face  # type: ignore[assignment]
        self._draw()
        self._page.focus_first()

    def leave(self) -> None:
        """Leave the vote or the scoring for the list, and the list for the ranking."""
        if self._page.face == "list":
            self._page.back_asked.emit()
        else:
            self._list()

    def _list(self) -> None:
        self._face("list")

    def _vote_now(self) -> None:
        self._face("vote")

    def _vote_on_more(self) -> None:
        if self.state is not None:
            self.state.more = True
            self._screen()
            self._face("vote")

    def _voted(self, choice: str, voter: str) -> None:
        state = self.state
        if state is None or state.found is None or all(entry.id != choice for entry in state.found.shown):
            return
        state.vote(choice, voter)
        self._screen()
        if state.found is not None and state.found.decided:
            self._tab.notice.emit("The vote is decided.")
            self._list()

    def _skip(self) -> None:
        if self.state is not None:
            self.state.skip()
            self._draw()

    def _undo(self) -> None:
        if self.state is not None and self.state.undo_vote():
            self._screen()

    def _export(self) -> None:
        state = self.state
        path = ask_file(self._tab.window(), "Export the votes", "votes.jsonl", _VOTES) if state is not None else None
        if state is None or path is None:
            return
        ballots = list(state.ballots)

        def start(_token: CancelToken) -> Iterator[object]:
            yield Exported(export_ballots(path, ballots), path, what="vote")

        self._tab.to_export.emit(start)

    def _import(self) -> None:
        state = self.state
        name = ask_open(self._tab.window(), "Add votes from a file", next(iter(_VOTES)))
        if state is None or not name:
            return

        take = partial(self._take_over, state)
        self._worker.call("votes", partial(read_ballots, Path(name)), take, self._tab.trouble.emit)

    def _take_over(self, state: ScreeningState, ballots: list[Ballot]) -> None:
        if state is not self.state:
            return
        new = state.add_ballots(ballots)
        self._screen()
        other = len(ballots) - new
        rest = f" {wording.count_of(other, 'vote')} had been there or was for another list." if other == 1 else ""
        rest = f" {other} others had been there or were for another list." if other > 1 else rest
        self._tab.notice.emit(f"Added {wording.count_of(new, 'vote')}.{rest}")

    # Own scores

    def _score(self) -> None:
        if self.state is not None:
            self._face("score")
            self._page.score.begin(self.state.to_score())

    def _scored(self, entry: RankedEntry, score: int) -> None:
        p = chance(entry)
        if self.state is not None and p is not None:
            self._keep_scores(self.state.scores.with_score(entry.text, p, score))

    def _taken_back(self, entry: RankedEntry) -> None:
        if self.state is not None:
            self._keep_scores(self.state.scores.without(entry.text))

    def _good_from(self, score: int) -> None:
        if self.state is not None:
            self._keep_scores(self.state.scores.replaced(good_from=score))

    def _use_own(self, own: bool) -> None:
        if self.state is not None:
            self.state.own_chances = own
            self._screen()

    def _forget(self) -> None:
        state = self.state
        if state is None:
            return
        if self._forgotten is not None and not state.scores.scores:
            scores, self._forgotten = self._forgotten, None
            self._keep_scores(scores)
            return
        self._forgotten = state.scores
        self._keep_scores(state.scores.replaced(scores=()))

    def _keep_scores(self, scores: OwnScores) -> None:
        """Use other scores from now on, and write them down."""
        state = self.state
        assert state is not None
        state.set_scores(scores)
        made_by = state.result.made_by

        def write() -> None:
            if scores.scores:
                self._shelf.put(made_by, scores)
            else:
                self._shelf.forget(made_by.model)

        self._worker.call("own scores", write, lambda _none: None, self._tab.trouble.emit)
        self._screen()
