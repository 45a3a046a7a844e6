"""The contest: every joke is read once, which already ranks them; then shuffled rounds and duels, where they have
weight or were requested."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Generator, Iterator, Sequence
from dataclasses import astuple

import numpy as np

from ...core.errors import Cancelled, ErrorInfo, InputError, JokeJudgeError, info
from ...core.events import Event, Interim, Stage, StageProgress
from ...core.languages import is_english
from ...core.statistics import Vector
from ...core.texts import plain_rejection
from ...core.verdicts import Span
from ...engine.base import CancelToken
from ...heads.intent import form_of
from ...heads.near_duplicates import alike
from ...heads.told import heard
from ..duel.confidence_scorer import weights_for
from ..duel.kind import DUEL
from ..duel.record import DuelRequest, DuelResult
from ..ensemble_words import kin_caution
from ..judged_kind import Work, staged, without_events
from ..main_judge import MainJudge
from ..rating.admissibility_checker import INTENT, Evidence, answered
from ..rating.category_classifier import HOW_IT_WORKS, CategoryClassifier
from ..rating.rating_judge import RatingJudge
from ..reader import Predictions
from .ranking import Strengths
from .ranking_state import RankingState
from .record import ContestMadeBy, ContestRequest, ContestResult, HeldDuel, Reading, Texts, generator_of
from .rounds import ShuffledRounds
from .words import OTHER_MODE, OTHER_MODEL, OTHER_TOPIC

_READING, _COMPARING = "Reading the jokes", "Comparing two of them"


# -- Estimates of a single joke ---------------------------------------------------------------------------------------

_ORIGINALITY = "originality"
_LEAST_SD = 0.2
_SURE_TURN = 0.5
"""A turn of lower probability isn't shown."""


def made_by(judge: MainJudge, *, everything: bool) -> ContestMadeBy:
    weights = ",".join(str(weight) for weight in astuple(weights_for(judge, everything=everything)))
    return ContestMadeBy(**dict(judge.made_by), weights=weights, everything_asked=everything)


class EntryReader:
    """Reads jokes one by one with everything that has weight on the loaded model."""

    def __init__(self, judge: MainJudge, context: str, *, everything: bool, explain: bool = False) -> None:
        """``everything``: ask the model, whatever its answers are worth; ``explain``: add a rating's note on each joke,
        where the heads give it without a question to the model."""
        self._notes = RatingJudge(judge, explain=False) if explain and judge.plan.decides else None
        self._judge = judge
        self._context = context
        self._weights = weights_for(judge, everything=everything)
        self.asks_duels = everything or (judge.duels_ask and self._weights.pair > 0)
        """Whether comparing two jokes adds to reading both."""
        self._asks_alone = (everything or judge.duels_ask) and self._weights.alone > 0
        self._devices = {kind.id for kind in judge.criteria.categories if kind.group in HOW_IT_WORKS}

    @property
    def calibrated(self) -> bool:
        return self._judge.calibration.duel is not None or not (self.asks_duels or self._asks_alone)

    def prepare(self, cancel: CancelToken | None) -> Iterator[Event]:
        if self.asks_duels or self._asks_alone:
            yield from self._judge.calibrate(duel=True, cancel=cancel)

    def read(self, text: str, cancel: CancelToken | None, scene: str = "") -> Reading:
        """Read one cleaned text, behind a ``scene`` of its own if it has one. Raises ``InputError``
        ``E_CONTEST_NO_JOKE`` for texts that can't be jokes, and the engine's and the heads' errors."""
        plain = plain_rejection(text)
        if plain is not None:
            raise InputError("E_CONTEST_NO_JOKE", f"This can't be a joke: {plain}.", "Leave it out, or correct it.")
        asked = self._asked(text, cancel) if self._asks_alone else 0.0
        if self._judge.head is None:
            told = heard(text)
            return Reading(value=asked, english=is_english(text), scene=scene, reason=form_of(text), heard=told)
        predicted = self._judge.reader.read(text, cancel, context=scene or self._context)
        # The heads for sense don't apply to a line that follows a scene.
        sense = predicted.sense.sense if predicted.sense is not None and not (scene or self._context) else None
        silent = "no turn found" if sense is not None and sense.said == "no turn" else ""
        reason = form_of(text) or silent
        note = self._notes.note_on(predicted) if self._notes is not None and not reason else ""
        device = "" if reason else self._device(predicted, doubted=sense is not None and sense.said != "joke")
        read = self._reading(predicted, asked)
        return read.replaced(scene=scene, sense=sense, reason=reason, note=note, device=device)

    def _device(self, predicted: Predictions, *, doubted: bool) -> str:
        """Return what a joke works by, as far as the heads are sure: its pun, else the likeliest such kind."""
        if predicted.wordplay is not None and predicted.wordplay.said is not None:
            return f"pun: {predicted.wordplay.said.text}"
        if predicted.editor is None:
            return ""
        editor = predicted.editor.without(self._judge.criteria.unread)
        kinds = CategoryClassifier(self._judge).classify_joke(Evidence(editor=editor), doubted=doubted)
        return next((kind.name.lower() for kind in kinds if kind.chosen and kind.id in self._devices), "")

    def _asked(self, text: str, cancel: CancelToken | None) -> float:
        (odds,) = self._judge.measure.alone((text,), cancel)
        calibration = self._judge.calibration.duel
        return self._weights.alone * odds.value / (max(calibration.sd_alone, _LEAST_SD) if calibration else 1.0)

    def _reading(self, predicted: Predictions, asked: float) -> Reading:
        reader, weight, english = self._judge.reader, self._weights.audience, is_english(predicted.text)
        audience, editor, shown = reader.audience(predicted), predicted.editor, self._judge.shown
        assert audience is not None
        measured = audience.low is not None and audience.high is not None and english

        def at(percentile: float | None) -> float | None:
            return None if percentile is None else weight * reader.score_at(predicted, percentile) + asked

        value = at(audience.percentile) if audience.agreement is not None else None
        ends = [at(percentile) or 0.0 for percentile in (15.87, 84.13)]
        fresh = editor.factors.get(_ORIGINALITY) if editor and _ORIGINALITY in shown["factor"] else None
        turn = editor.turn if editor and shown["turn"] else None
        return Reading(
            upper=audience.upper if english else None,
            value=weight * audience.score + asked if value is None else value,
            audience=audience.score,
            percentile=audience.percentile if english else None,
            percentile_low=audience.low if measured else None,
            percentile_high=audience.high if measured else None,
            low=at(audience.low) if measured else None,
            high=at(audience.high) if measured else None,
            unit=max((ends[1] - ends[0]) / 2.0, 1e-6),
            kind=audience.kind,
            agreement=audience.agreement if measured else None,
            joke=None if predicted.joke is None else answered(INTENT, predicted.joke, source="read").passed,
            heard=heard(predicted.text),
            fresh=None if fresh is None else fresh.standing,
            english=english,
            turn=Span.model_validate(turn.model_dump()) if turn is not None and turn.p >= _SURE_TURN else None,
        )


# -- The choice of the next duels: those that decide something, none twice, the top of the list first -----------------

ALL_PAIRS = 12
"""Up to this many jokes are all compared with one another."""
MOST_CONTENDERS = 200
"""This many jokes, the best ones, take part in duels."""
_BORDER = 3.0
"""Factor on the worth of a duel across the border of the first K."""
_UNCHANGED = 2
"""Rounds in which the first K must stay the same."""

Pair = tuple[int, int]


def next_round(fit: Strengths, done: Collection[frozenset[int]], first: bool, top: int, budget: int) -> list[Pair]:
    """Return at most ``budget`` duels, most useful first; none if nothing is left to be decided. ``done``: pairs that
    had their duel; ``first``: the round in which neighbours meet."""
    order = sorted(range(len(fit.theta)), key=lambda place: (-fit.theta[place], place))[:MOST_CONTENDERS]
    few = len(order) <= ALL_PAIRS
    if first and not few:
        return [pair for pair in itertools.pairwise(order) if frozenset(pair) not in done][:budget]
    worth = _worths(fit, order, top)
    upper, lower = np.triu_indices(len(order), k=1)
    best = np.argsort(-worth[upper, lower], kind="stable")
    telling = [(order[upper[k]], order[lower[k]]) for k in best if few or worth[upper[k], lower[k]] > 0.0]
    pairs: list[Pair] = []
    taken: set[int] = set()
    for pair in telling:
        if frozenset(pair) not in done and (few or taken.isdisjoint(pair)):  # in a long list each joke is in one duel
            taken |= {*pair}
            pairs.append(pair)
    return pairs[:budget]


def settled(tops: Sequence[frozenset[int]]) -> bool:
    """Whether the first K stayed the same over the last rounds; ``tops``: the first K after each round."""
    return len(tops) > _UNCHANGED and len(set(tops[-_UNCHANGED - 1 :])) == 1


def neighbours(texts: Sequence[str]) -> list[tuple[str, str]]:
    """Return the duels of related jokes, best first: all pairs, or only neighbours where there are many jokes."""
    return list(itertools.combinations(texts, 2) if len(texts) <= ALL_PAIRS else itertools.pairwise(texts))


def _worths(fit: Strengths, order: Sequence[int], top: int) -> Vector:
    """(places, places): σ(1−σ) times the variance of the difference, the expected information of a duel."""
    places = list(order)
    theta = fit.theta[places]
    p = 1.0 / (1.0 + np.exp(-np.abs(theta[:, None] - theta[None, :])))
    worth: Vector = p * (1.0 - p) * np.array([fit.differences(place)[places] for place in order])
    ahead = np.arange(len(order)) < top
    worth[ahead[:, None] & ~ahead[None, :]] *= _BORDER
    return worth


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
        everything = request.ask == "all"
        self._reader = EntryReader(work.judge, request.context, everything=everything, explain=request.explain)
        self._shuffled = ShuffledRounds(request, work)
        # Of two entries with the same text, the first one's scene counts.
        texts = {entry.text: entry.scene for entry in reversed(request.entries) if entry.error is None}
        self._scenes = {text: scene for text, scene in texts.items() if scene}
        draft.rounds_weight, draft.everything_asked = self._shuffled.weight, everything
        self._state = RankingState(draft, request, self._reader.asks_duels or work.judge.head is None)
        self._budget = 0

    def run(self) -> Iterator[Step]:
        """Run the whole contest. Raises ``InputError`` ``E_CONTEST_EMPTY``, and the errors that end every verdict."""
        if not self._state.texts:
            raise InputError(
                "E_CONTEST_EMPTY", "There are no jokes to rank.", "Give a list with at least one joke in it."
            )
        yield from self._reader.prepare(self._work.cancel)
        self._recall()
        engine, writers = self._work.judge.engine.info, [*map(generator_of, self._request.entries)]
        if caution := kin_caution(writers, [engine]):
            self._draft.warn(caution)
        self._state.rank(rough=True)
        yield self._draft  # from here on a crash loses no joke of the list
        state, rounds, draft = self._state, self._shuffled, self._draft
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
        """Reuse the results of an earlier run if it was made by the same judge."""
        draft, state, earlier, request = self._draft, self._state, self._request.known, self._request
        draft.made_by = made_by(self._work.judge, everything=request.ask == "all")
        draft.calibrated = self._reader.calibrated
        if earlier is None or (any(entry.reading for entry in earlier.entries) and self._is_foreign(earlier)):
            return
        text_of = {entry.id: entry.text for entry in earlier.entries}
        for entry in earlier.entries:
            read = entry.reading is not None and entry.reading.scene == self._scenes.get(entry.text, "")
            if entry.reading is not None and read and entry.text in state.holders:
                state.readings[entry.text] = entry.reading
        if earlier.held and earlier.mode != request.mode:
            draft.warn(OTHER_MODE)
        else:
            duels = ((tuple(sorted((text_of[duel.a], text_of[duel.b]))), duel) for duel in earlier.held)
            state.spares = {pair: duel for pair, duel in duels if {*pair} <= state.readings.keys()}
        for chunk in earlier.scored:
            texts = tuple(text_of[id] for id in chunk.ids)
            if chunk.words == self._shuffled.words and {*texts} <= state.holders.keys():
                state.chunks[texts] = chunk

    def _is_foreign(self, earlier: ContestResult) -> bool:
        """Whether results are another judge's, or about another topic, of which a warning is added."""
        if earlier.made_by != self._draft.made_by:
            self._draft.warn(OTHER_MODEL)
        elif earlier.context != self._request.context:
            self._draft.warn(OTHER_TOPIC)
        else:
            return False
        return True

    def _ranked(self, *, rough: bool = False) -> Steps:
        self._state.rank(rough=rough)
        yield self._draft
        yield Interim(result=self._draft.freeze())

    # -- reading, and shuffled rounds --------------------------------------------------------------------------------

    def _read_all(self) -> Steps:
        state, total, scene = self._state, len(self._state.texts), self._request.context
        todo = [text for text in state.texts if text not in state.readings]
        done = look = total - len(todo)
        between = max(_LEAST_BETWEEN, total // _LOOKS)
        reader = self._work.judge.reader
        with reader.expecting(((text, self._scenes.get(text) or scene) for text in todo), len(todo)):
            for text in todo:
                yield StageProgress(stage=Stage.READING, done=done, total=total, note=_READING)
                try:
                    state.readings[text] = self._reader.read(text, self._work.cancel, self._scenes.get(text, ""))
                except JokeJudgeError as fault:
                    state.errors[text] = _of_the_entry(fault)
                done += 1
                if done >= look + between and done < total:
                    look = done
                    yield from self._ranked(rough=True)
        yield StageProgress(stage=Stage.READING, done=total, total=total, note=_READING)
        state.mark_alike(alike(state.texts, cancel=self._work.cancel))
        state.rank()

    def _score(self) -> Steps:
        yield from self._shuffled.run(self._state.ranked, self._state.chunks)
        yield from self._ranked()

    # -- duels -------------------------------------------------------------------------------------------------------

    def _plan_duels(self) -> list[Texts]:
        """Set the number of duels, and return those between versions of one joke, which the draft heads distinguish:
        all pairs of a few, the best first."""
        ranked, beside, asked = self._state.ranked, self._state.alike, self._request.budget
        pairs: list[Texts] = []
        if self._work.judge.reader.drafts is not None and asked != 0:
            pairs = [
                (min(pair), max(pair))
                for family in self._state.families()
                for pair in neighbours(family)
                if pair[1] in beside[pair[0]]
            ]
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
            yield StageProgress(stage=Stage.DUELS, done=len(state.duels), total=self._budget, note=_COMPARING)
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
            _of_the_entry(fault)
            return None
        if result.p_a is None or (result.drafts is None and not self._reader.asks_duels):
            return None
        return HeldDuel(p_a=result.p_a, drafts=result.drafts is not None, verdict=result.id)


def _of_the_entry(fault: JokeJudgeError) -> ErrorInfo:
    """Return the error of a single joke. Raises an error again if it would stop every other joke too."""
    error = info(fault)
    if isinstance(fault, Cancelled) or error.ends_the_run:
        raise fault
    return error
