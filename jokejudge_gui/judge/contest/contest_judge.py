"""The contest: every joke is read once, which already ranks them; then shuffled rounds and duels, where they have
weight or were requested."""

from __future__ import annotations

import itertools
from collections.abc import Generator, Iterator

from ...core.errors import Cancelled, InputError, JokeJudgeError
from ...core.events import Event, Interim, Stage, StageProgress
from ...heads.near_duplicates import alike
from ..duel.kind import DUEL
from ..duel.record import DuelRequest, DuelResult
from ..ensemble_words import kin_caution
from ..judged_kind import Work, own_error, staged, without_events
from .entry_reader import EntryReader
from .ranking import ALL_PAIRS, MOST_CONTENDERS, next_round, settled
from .ranking_state import RankingState
from .record import ContestRequest, ContestResult, HeldDuel, Texts, generator_of
from .rounds import ShuffledRounds
from .words import OTHER_MODE, OTHER_MODEL, OTHER_TOPIC

Step = Event | ContestResult
Steps = Generator[Step, None, None]

_LOOKS = 40
_LEAST_BETWEEN = 8
"""While the jokes are read the ranking is yielded, and stored, this many times, with at least this many readings
between."""
_DRAFT_DUELS = (60, 5)
"""Versions of one joke have at most this many duels, or one per this many jokes of the list, if that is more."""


class ContestJudge:
    """One contest. Yields events, and the draft whenever the ranking is worth storing; at the end it is complete."""

    def __init__(self, draft: ContestResult, request: ContestRequest, work: Work) -> None:
        self._draft, self._request, self._work = draft, request, work
        self._reader, self._shuffled = EntryReader(request, work), ShuffledRounds(request, work)
        # Of two entries with the same text, the first one's scene counts.
        texts = {entry.text: entry.scene for entry in reversed(request.entries) if entry.error is None}
        self._scenes = {text: scene for text, scene in texts.items() if scene}
        draft.rounds_weight, draft.everything_asked = self._shuffled.weight, request.ask == "all"
        self._state = RankingState(draft, request, self._reader.asks_duels or work.judge.head is None)
        self._budget = 0

    def run(self) -> Iterator[Step]:
        """Run the whole contest. Raises ``InputError`` ``E_CONTEST_EMPTY``, and the errors that end every verdict."""
        state, rounds, draft, judge = self._state, self._shuffled, self._draft, self._work.judge
        if not state.texts:
            raise InputError(
                "E_CONTEST_EMPTY", "There are no jokes to rank.", "Give a list with at least one joke in it."
            )
        asks = self._reader.asks_duels or self._reader.asks_alone
        if asks:
            yield from judge.calibrate(duel=True)
        draft.made_by, draft.calibrated = self._reader.made_by, judge.calibration.duel is not None or not asks
        self._recall()
        draft.warn(kin_caution([*map(generator_of, self._request.entries)], [judge.engine.info]))
        state.rank(rough=True)
        yield draft  # from here on a crash loses no joke of the list
        try:
            yield from staged(draft, Stage.READING, self._read_all(), total=len(state.texts))
            if rounds.count and len(state.ranked) > 1:
                yield from staged(draft, Stage.ROUNDS, self._score(), total=rounds.count * len(state.ranked))
            elif state.chunks:
                state.chunks.clear()
                state.rank()
            drafts = self._plan_duels()
            if self._budget and len(state.ranked) > 1:
                yield from staged(draft, Stage.DUELS, self._hold_duels(drafts), total=self._budget)
        except Cancelled:
            state.finish()  # a contest has a usable ranking whenever it is stopped
            raise
        state.finish()
        yield draft
        yield Interim(result=draft.freeze())

    def _recall(self) -> None:
        """Reuse the results of an earlier run if it was made by the same judge, of which else a warning is added."""
        draft, state, earlier, request = self._draft, self._state, self._request.known, self._request
        if earlier is None:
            return
        foreign = OTHER_TOPIC if earlier.context != request.context else ""
        foreign = OTHER_MODEL if earlier.made_by != draft.made_by else foreign
        if foreign and any(entry.reading for entry in earlier.entries):
            draft.warn(foreign)
            return
        text_of = {entry.id: entry.text for entry in earlier.entries}
        for entry in earlier.entries:
            reading, scene = entry.reading, self._scenes.get(entry.text, "")
            if reading is not None and reading.scene == scene and entry.text in state.holders:
                state.readings[entry.text] = reading
        if earlier.held and earlier.mode != request.mode:
            draft.warn(OTHER_MODE)
        else:
            duels = ((tuple(sorted((text_of[duel.a], text_of[duel.b]))), duel) for duel in earlier.held)
            state.spares = {pair: duel for pair, duel in duels if {*pair} <= state.readings.keys()}
        for chunk in earlier.scored:
            texts = tuple(text_of[id] for id in chunk.ids)
            if chunk.words == self._shuffled.words and {*texts} <= state.holders.keys():
                state.chunks[texts] = chunk

    def _ranked(self, *, rough: bool = False) -> Steps:
        self._state.rank(rough=rough)
        yield self._draft
        yield Interim(result=self._draft.freeze())

    def _read_all(self) -> Steps:
        state, total, judge, scenes = self._state, len(self._state.texts), self._work.judge, self._scenes
        todo = [text for text in state.texts if text not in state.readings]
        look = total - len(todo)
        between = max(_LEAST_BETWEEN, total // _LOOKS)
        keys = ((text, scenes.get(text) or self._request.context) for text in todo)
        with judge.reader.expecting(keys, len(todo)):
            for done, text in enumerate(todo, start=look):
                if done >= look + between:
                    look = done
                    yield from self._ranked(rough=True)
                yield StageProgress(stage=Stage.READING, done=done, total=total, note="Reading the jokes")
                try:
                    state.readings[text] = self._reader.read(text, scenes.get(text, ""))
                except JokeJudgeError as fault:
                    state.errors[text] = own_error(fault)
        yield StageProgress(stage=Stage.READING, done=total, total=total, note="Reading the jokes")
        state.mark_alike(alike(state.texts, cancel=judge.cancel))
        state.rank()

    def _score(self) -> Steps:
        yield from self._shuffled.run(self._state.ranked, self._state.chunks)
        yield from self._ranked()

    # -- duels -------------------------------------------------------------------------------------------------------

    def _plan_duels(self) -> list[Texts]:
        """Set the number of duels, and return those between versions of one joke, which the draft heads distinguish:
        all pairs of a few, or neighbours of many, the best first."""
        ranked, beside, asked = self._state.ranked, self._state.alike, self._request.budget
        pairs: list[Texts] = []
        for family in self._state.families() if self._work.judge.reader.drafts is not None and asked != 0 else ():
            both = itertools.combinations(family, 2) if len(family) <= ALL_PAIRS else itertools.pairwise(family)
            pairs += [(min(one, other), max(one, other)) for one, other in both if other in beside[one]]
        n, (least, share) = len(ranked), _DRAFT_DUELS
        pairs = pairs[: max(least, n // share)]
        wanted = len(pairs)
        if self._reader.asks_duels:  # all pairs of a short list, else two for each contender
            wanted = n * (n - 1) // 2 if n <= ALL_PAIRS else 2 * min(n, MOST_CONTENDERS)
        self._budget = wanted if asked is None else asked if self._reader.asks_duels else min(asked, len(pairs))
        return pairs[: self._budget]

    def _hold_duels(self, drafts: list[Texts]) -> Steps:
        """Hold the duels between versions first, then the most decisive ones as long as the top of the list changes."""
        yield from self._round(drafts)
        state, top = self._state, self._request.top
        tops: list[frozenset[int]] = []
        while (left := self._budget - len(state.duels)) > 0 and self._reader.asks_duels and not settled(tops):
            place = {text: at for at, text in enumerate(state.ranked)}
            done = {frozenset(place[text] for text in pair) for pair in state.duels}
            pairs = next_round(state.fit, done, not tops, top, left)
            if not pairs:
                break
            yield from self._round([state.pair(*pair) for pair in pairs])
            tops.append(frozenset(state.order[:top]))

    def _round(self, pairs: list[Texts]) -> Steps:
        state = self._state
        for pair in pairs:
            note = "Comparing two of them"
            yield StageProgress(stage=Stage.DUELS, done=len(state.duels), total=self._budget, note=note)
            state.duels[pair] = state.spares.pop(pair, None) or self._ask(*pair)
        if pairs:
            self._draft.rounds += 1
            yield from self._ranked()

    def _ask(self, text_a: str, text_b: str) -> HeldDuel | None:
        """Return the duel of two texts, which is a verdict of its own; None where it has no result. They are in the
        order of their texts, so that it doesn't depend on how it came about."""
        asked, one, other = self._request, self._scenes.get(text_a, ""), self._scenes.get(text_b, "")
        scene = one if one and one == other else asked.context
        request = DuelRequest(
            text_a=text_a, text_b=text_b, context=scene, mode=asked.mode, seed=asked.seed, explain=False, ask=asked.ask,
        )  # fmt: skip
        try:
            result: DuelResult = without_events(self._work.child(DUEL, request))
        except JokeJudgeError as fault:
            own_error(fault)
            return None
        if result.p_a is None or (result.drafts is None and not self._reader.asks_duels):
            return None
        return HeldDuel(p_a=result.p_a, drafts=result.drafts is not None, verdict=result.id)
