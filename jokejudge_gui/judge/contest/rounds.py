"""Shuffled rounds: a list is shuffled anew for every round and cut into chunks; the model scores the jokes of a chunk
from 1 to 10, read from the labels' logits. A score is the sum of a joke's own value and its place's effect, which is
the same for all jokes and is subtracted."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ...core.events import Event, Stage, StageProgress
from ...core.paths import criteria_dir
from ...engine.base import Choice, Question
from ...rubric.prompts import PromptBuilder, parse_prompts
from ..asking.questions import LEAST_MASS, deviation, mean
from ..duel.confidence_scorer import rounds_weight
from ..judged_kind import Work
from .record import SCALES, ContestRequest, Scale, ScaleMean, ScoredChunk

CHUNK = 8
"""The largest number of jokes shown together."""
TEN = tuple(f"{level})" for level in range(1, 11))
"""The closing bracket belongs to the label: without it 1 would be a prefix of 10."""
USUAL = 3
"""The default number of rounds."""
MIDDLE = 5.5
_PRIOR_SCORES = 2.0
"""The weight of the prior that places have no effect, as a number of scores."""
_ROOM = 320
"""Tokens reserved for the questions beside the jokes."""
_NOTE = "Scoring the jokes in shuffled order"

Chunk = tuple[str, ...]
IdOf = Callable[[str], str]


class ChunkScored(Event):
    """Jokes were scored together in a shuffled round; ``texts``: their texts in the order shown."""

    chunk: ScoredChunk
    texts: Chunk


# -- The numbers -------------------------------------------------------------------------------------------------------

Score = tuple[str, int, float]
"""A text, its place (from 0) in a chunk, and its score."""
Means = tuple[dict[str, tuple[ScaleMean, ...]], tuple[dict[str, Any], ...]]
"""Each text's mean scores by scale, and the effects of places that were subtracted."""


def schedule(texts: Sequence[str], rounds: int, seed: int) -> list[list[Chunk]]:
    """Return the chunks of every round, about equally long. They depend on the set of texts, not on their order."""
    plan = []
    for number in range(rounds):
        order = sorted(texts)
        random.Random(f"{seed} {number}").shuffle(order)
        count = -(-len(order) // CHUNK)
        ends = [len(order) * k // count for k in range(count + 1)] if count else [0]
        plan.append([tuple(order[a:b]) for a, b in itertools.pairwise(ends)])
    return plan


def place_effects(scores: Sequence[Score]) -> tuple[float, ...]:
    """Return each place's effect on a score, in points, with mean 0: least squares on the differences between the
    scores of one text, so that a place isn't credited with the jokes that happened to be there. All 0 where no text was
    scored twice."""
    by_text: dict[str, list[tuple[int, float]]] = {}
    for text, place, value in scores:
        by_text.setdefault(text, []).append((place, value))
    places = 1 + max((place for _, place, _ in scores), default=-1)
    if not places:
        return ()
    curve, slope = np.zeros((places, places)), np.zeros(places)
    for text in sorted(by_text):
        own = by_text[text]
        at = np.zeros((len(own), places))
        at[np.arange(len(own)), [place for place, _ in own]] = 1.0
        at -= at.mean(axis=0)
        values = np.array([value for _, value in own])
        curve += at.T @ at
        slope += at.T @ (values - values.mean())
    effects = np.linalg.solve(curve + _PRIOR_SCORES * np.eye(places), slope)
    return tuple(float(value) for value in effects - effects.mean())


def means_of(chunks: Mapping[Chunk, ScoredChunk]) -> Means:
    """Return each text's mean scores, corrected for the effects of places; they don't depend on the chunks' order."""
    ordered = sorted(chunks.items(), key=lambda item: (item[1].round, item[0]))
    of: dict[str, list[ScaleMean]] = {}
    effects: list[dict[str, Any]] = []
    for scale in SCALES:
        scores = [
            (text, place, value)
            for texts, chunk in ordered
            for place, (text, value) in enumerate(zip(texts, chunk.scores.get(scale, ()), strict=False))
            if value is not None
        ]
        if not scores:
            continue
        by_place = place_effects(scores)
        effects.append({"scale": scale, "effects": by_place})
        values: dict[str, list[float]] = {}
        for text, place, value in scores:
            values.setdefault(text, []).append(value - by_place[place])
        for text, own in values.items():
            sd = deviation(own) if len(own) > 1 else None
            of.setdefault(text, []).append(ScaleMean(scale=scale, mean=mean(own), sd=sd, times=len(own)))
    return {text: tuple(results) for text, results in of.items()}, tuple(effects)


def answered(chunks: Mapping[Chunk, ScoredChunk], texts: Chunk) -> dict[Chunk, ScoredChunk] | None:
    """Return a chunk that was asked already, or its halves; None if it has to be asked."""
    if texts in chunks:
        return {texts: chunks[texts]}
    middle = len(texts) // 2
    if not middle:
        return None
    one, other = answered(chunks, texts[:middle]), answered(chunks, texts[middle:])
    return one | other if one is not None and other is not None else None


# -- The questions -----------------------------------------------------------------------------------------------------


def expected(choice: Choice) -> float | None:
    """Return the expected score 1…10; None where the model didn't answer."""
    if choice.mass < LEAST_MASS:
        return None
    shares = [math.exp(value) for value in choice.logprobs]
    return math.fsum(level * share for level, share in enumerate(shares, start=1)) / math.fsum(shares)


class ShuffledRounds:
    """Asks one model about chunks of a list; known chunks aren't asked again. ``count``: number of rounds; ``words``:
    version of their questions; ``weight``: log-odds per point of humor on this model, 0 where that wasn't measured."""

    def __init__(self, request: ContestRequest, work: Work) -> None:
        """Raises ``CriteriaError`` when criteria/rounds.xml is wrong."""
        self._seed = request.seed
        self._cancel = work.cancel
        self._engine = work.judge.engine
        self._topic = " ".join(request.context.split())
        prompts = parse_prompts(criteria_dir() / "rounds.xml")
        self._prompts = PromptBuilder(prompts, self._engine.frame, {})
        self._name = "list_on_topic" if self._topic else "list"
        """Without a topic there is no question about relevance."""
        self._scales = tuple(scale for scale in SCALES if scale in prompts.prompts[self._name].answers)
        self.words = prompts.version
        self.weight = rounds_weight(work.judge, self.words)
        wanted = USUAL if self.weight > 0 or request.ask == "all" else 0
        self.count = wanted if request.shuffled is None else request.shuffled

    def run(self, texts: Sequence[str], chunks: dict[Chunk, ScoredChunk], id_of: IdOf) -> Iterator[Event]:
        """Ask all rounds about the texts. ``chunks``: those of an earlier run, which aren't asked again; in the end
        those of this one. Yields after every chunk; raises the engine's errors."""
        rounds = schedule(texts, self.count, self._seed)
        total = sum(len(chunk) for chunks in rounds for chunk in chunks)
        done = 0
        taken: dict[Chunk, ScoredChunk] = {}
        for number, shown in enumerate(rounds, start=1):
            for together in shown:
                yield StageProgress(stage=Stage.ROUNDS, done=done, total=total, note=_NOTE)
                for part, chunk in (answered(chunks, together) or self._ask(together, number, id_of)).items():
                    taken[part] = chunks[part] = chunk
                    yield ChunkScored(chunk=chunk, texts=part)
                done += len(together)
        for spare in chunks.keys() - taken.keys():
            del chunks[spare]
        yield StageProgress(stage=Stage.ROUNDS, done=total, total=total, note=_NOTE)

    def _ask(self, texts: Chunk, number: int, id_of: IdOf) -> dict[Chunk, ScoredChunk]:
        """Ask for scores 1…10 of the texts in this order; None where the model gave none. A chunk that doesn't fit into
        the context is asked in halves, and a single text that doesn't fit is left out."""
        answers = self._answers(texts)
        if answers is None:
            middle = len(texts) // 2
            halves = (texts[:middle], texts[middle:]) if middle else ()
            return {part: chunk for half in halves for part, chunk in self._ask(half, number, id_of).items()}
        scores: dict[Scale, tuple[float | None, ...]] = {
            scale: tuple(map(expected, answers[place * len(texts) : (place + 1) * len(texts)]))
            for place, scale in enumerate(self._scales)
        }
        return {texts: ScoredChunk(round=number, ids=tuple(map(id_of, texts)), scores=scores, words=self.words)}

    def _answers(self, texts: Chunk) -> list[Choice] | None:
        """Return the answers about each text, scale by scale; None where they don't fit into the context together."""
        lines = [f"{number}. {' '.join(text.split())}" for number, text in enumerate(texts, start=1)]
        prompt = self._prompts.prompt(self._name, {"jokes": "\n".join(lines), "topic": self._topic})
        if self._engine.count(prompt) + _ROOM > self._engine.info.context:
            return None
        questions = [
            Question(self._prompts.answer(self._name, scale, {"number": str(number)}), TEN)
            for scale in self._scales
            for number in range(1, len(texts) + 1)
        ]
        return self._engine.choose(prompt, questions, self._cancel)
