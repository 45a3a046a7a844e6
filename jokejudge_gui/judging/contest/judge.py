"""The contest: every joke is read once, which already ranks them; then shuffled rounds and duels, where they have
weight or were asked for."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from typing import TypeVar

from ...errors import Cancelled, InputError, JokeJudgeError, info
from ...events import Event, Stage, StageFinished, StageProgress, StageStarted
from ...verdicts import DuelResult, ErrorInfo
from ..duel.kind import DUEL, DuelRequest
from ..judged_kind import Work
from ..panel_words import kin_among
from ..reading.alike import alike
from .pairing import Pair, default_budget, neighbours, next_round, settled
from .reading import EntryReader, made_by
from .round_table import RoundTable
from .scoring import ShuffledRounds
from .standing import Standings
from .steps import ContestRanked, DuelHeld, EntryRead
from .types import ContestDraft, ContestRequest, HeldDuel, generator_of

Step = Event | ContestDraft
T = TypeVar("T")

OTHER_MODEL = (
    "What an earlier run found comes from another model or another version, so everything was read and asked again."
)
OTHER_TOPIC = "What an earlier run found is about another topic or scene, so everything was read and asked again."
OTHER_MODE = "The duels of the earlier run were held in another mode, so they are held again."
_LOOKS = 40
_LEAST_BETWEEN = 8
"""While the jokes are read the ranking is told, and kept, so many times, with at least so many readings between."""
_DRAFT_DUELS = (60, 5)
"""Versions of one joke have at most so many duels, or one for so many jokes of the list, if that is more."""


class ContestJudge:
    """One contest. Yields events, and the draft whenever the ranking is worth keeping; at the end it is complete."""

    def __init__(self, draft: ContestDraft, request: ContestRequest, work: Work) -> None:
        self._draft = draft
        self._request = request
        self._work = work
        self._reader = EntryReader(work.judge, request.context, everything=request.ask == "all")
        self._shuffled = ShuffledRounds(request, work)
        self._table = RoundTable()
        draft.rounds_weight = self._shuffled.weight
        by_judge = self._reader.asks_duels or not self._reader.hears
        self._standings = Standings(draft, request, by_judge, self._table, self._shuffled.weight)
        self._budget = 0

    def run(self) -> Iterator[Step]:
        """The whole contest. Raises ``InputError`` ``E_CONTEST_EMPTY``, and what ends every verdict."""
        if not any(entry.problem is None for entry in self._request.entries):
            raise InputError(
                "E_CONTEST_EMPTY", "There are no jokes to rank.", "Give a list with at least one joke in it."
            )
        yield from self._reader.prepare(self._work.cancel)
        self._recall()
        self._caution_of_kin()
        self._standings.rank(rough=True)
        yield self._draft  # from here on a crash loses no joke of the list
        try:
            yield from self._read_all()
            yield from self._score_together()
            yield from self._hold_duels()
        except Cancelled:
            # A contest that is stopped at any time has a usable ranking.
            self._finish()
            raise
        self._finish()
        yield self._draft
        yield ContestRanked(result=self._draft.freeze())

    def _finish(self) -> None:
        self._standings.rank()
        self._standings.use_spares()
        self._standings.rank()

    # -- reading -----------------------------------------------------------------------------------------------------

    def _recall(self) -> None:
        """Take over what an earlier run found, if it was made by the same judge."""
        draft, known = self._draft, self._request.known
        draft.made_by = made_by(self._work.judge, everything=self._request.ask == "all")
        draft.everything_asked = self._request.ask == "all"
        draft.calibrated = self._reader.calibrated
        if not known.readings:
            return
        if known.made_by != draft.made_by or known.context != self._request.context:
            draft.warn(OTHER_MODEL if known.made_by != draft.made_by else OTHER_TOPIC)
            return
        for text, reading in known.readings.items():
            self._standings.put(text, reading)
        same_mode = known.mode in (None, self._request.mode)
        for one, other, duel in known.duels if same_mode else ():
            self._standings.spare(one, other, duel)
        if known.duels and not same_mode:
            draft.warn(OTHER_MODE)
        for texts, chunk in known.chunks:
            if chunk.words == self._shuffled.words and self._standings.has_all(texts):
                self._table.spare(texts, chunk)

    def _caution_of_kin(self) -> None:
        info = self._work.judge.engine.info
        writers = [generator_of(entry) for entry in self._request.entries]
        told = kin_among([name for name in writers if name], info.name, info.architecture)
        if told:
            self._draft.warn(told)

    def _read_all(self) -> Iterator[Step]:
        todo = [text for text in self._standings.texts if not self._standings.has(text)]
        total = len(self._standings.texts)
        done = total - len(todo)
        yield StageStarted(stage=Stage.READING, total=total)
        begin = time.perf_counter()
        between = max(_LEAST_BETWEEN, total // _LOOKS)
        look = done
        for text in todo:
            yield StageProgress(stage=Stage.READING, done=done, total=total, note="Reading the jokes")
            reading, error = None, None
            try:
                reading = self._reader.read(text, self._work.cancel)
            except JokeJudgeError as fault:
                error = _of_the_entry(fault)
            self._standings.put(text, reading, error)
            done += 1
            yield EntryRead(text=text, reading=reading, error=error)
            if done >= look + between and done < total:
                look = done
                yield from self._look()
        if done == total:
            yield StageProgress(stage=Stage.READING, done=done, total=total, note="Reading the jokes")
        self._standings.mark_alike(alike(self._standings.texts, cancel=self._work.cancel))
        self._standings.rank()
        seconds = time.perf_counter() - begin
        self._draft.stage_seconds[Stage.READING.value] = seconds
        yield self._draft
        yield StageFinished(stage=Stage.READING, seconds=seconds)

    def _look(self) -> Iterator[Step]:
        """The ranking as it is now, roughly."""
        self._standings.rank(rough=True)
        yield self._draft
        yield ContestRanked(result=self._draft.freeze())

    # -- shuffled rounds ---------------------------------------------------------------------------------------------

    def _score_together(self) -> Iterator[Step]:
        rounds = self._shuffled
        if not rounds.count or len(self._standings.ranked) < 2:
            self._table.leave_spares()
            return
        yield StageStarted(stage=Stage.ROUNDS, total=rounds.count * len(self._standings.ranked))
        begin = time.perf_counter()
        yield from rounds.run(self._standings, self._table)
        self._standings.rank()
        seconds = time.perf_counter() - begin
        self._draft.stage_seconds[Stage.ROUNDS.value] = seconds
        yield self._draft
        yield ContestRanked(result=self._draft.freeze())
        yield StageFinished(stage=Stage.ROUNDS, seconds=seconds)

    # -- duels -------------------------------------------------------------------------------------------------------

    def _hold_duels(self) -> Iterator[Step]:
        asked = self._request.budget
        drafts = self._draft_pairs() if self._reader.tells_drafts and asked != 0 else []
        wanted = default_budget(len(self._standings.ranked)) if self._reader.asks_duels else len(drafts)
        self._budget = wanted if asked is None else asked if self._reader.asks_duels else min(asked, len(drafts))
        if not self._budget or len(self._standings.ranked) < 2:
            return
        yield StageStarted(stage=Stage.DUELS, total=self._budget)
        begin = time.perf_counter()
        yield from self._round(drafts[: self._budget])
        if self._reader.asks_duels:
            yield from self._rounds()
        seconds = time.perf_counter() - begin
        self._draft.stage_seconds[Stage.DUELS.value] = seconds
        yield StageFinished(stage=Stage.DUELS, seconds=seconds)

    def _draft_pairs(self) -> list[Pair]:
        """Versions of one joke, which the draft heads can tell apart: every pair of a few, the best first."""
        pairs: list[Pair] = []
        for family in self._standings.families():
            pairs += [pair for pair in neighbours(family) if self._standings.are_alike(*pair)]
        least, share = _DRAFT_DUELS
        return pairs[: max(least, len(self._standings.ranked) // share)]

    def _rounds(self) -> Iterator[Step]:
        tops: list[frozenset[int]] = []
        first = True
        while (left := self._budget - self._standings.tried) > 0 and not settled(tops):
            found = self._standings.rank()
            pairs = next_round(found, self._standings.held_pairs, first, self._request.top, left)
            if not pairs:
                break
            first = False
            yield from self._round(pairs)
            tops.append(self._standings.top(self._request.top))

    def _round(self, pairs: list[Pair]) -> Iterator[Step]:
        """Hold these duels, and rank anew."""
        if not pairs:
            return
        for one, other in pairs:
            done = self._standings.tried
            yield StageProgress(stage=Stage.DUELS, done=done, total=self._budget, note="Comparing two of them")
            yield from self._duel(one, other)
        self._draft.rounds += 1
        self._standings.rank()
        yield self._draft
        yield ContestRanked(result=self._draft.freeze())

    def _duel(self, one: int, other: int) -> Iterator[Step]:
        # In the order of their texts, so that a duel is the same one whatever led to it.
        text_a, text_b = sorted((self._standings.ranked[one], self._standings.ranked[other]))
        found = self._standings.spared(text_a, text_b) or self._ask(text_a, text_b)
        self._standings.hold(one, other, found)
        if found is not None:
            yield DuelHeld(duel=found, text_a=text_a, text_b=text_b, done=self._standings.tried, budget=self._budget)

    def _ask(self, text_a: str, text_b: str) -> HeldDuel | None:
        """A duel, which is a verdict of its own; None where it says nothing."""
        asked = self._request
        request = DuelRequest(
            text_a=text_a, text_b=text_b, context=asked.context, mode=asked.mode, seed=asked.seed, explain=False,
            ask=asked.ask,
        )  # fmt: skip
        try:
            result: DuelResult = _quietly(self._work.child(DUEL, request))
        except JokeJudgeError as fault:
            _of_the_entry(fault)
            return None
        if result.p_a is None or (result.drafts is None and not self._reader.asks_duels):
            return None
        return HeldDuel(
            a=self._standings.id_of(text_a),
            b=self._standings.id_of(text_b),
            p_a=result.p_a,
            drafts=result.drafts is not None,
            verdict=result.id,
        )


def _of_the_entry(fault: JokeJudgeError) -> ErrorInfo:
    """What is wrong with one joke. What would stop every other one too is raised again."""
    found = info(fault)
    if isinstance(fault, Cancelled) or found.ends_the_run:
        raise fault
    return found


def _quietly(steps: Generator[Event, None, T]) -> T:
    """What a part of the contest finds, without its events."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            found: T = end.value
            return found
