"""Shuffled rounds: a list is shuffled anew for every round and cut into chunks; the model scores the jokes of a chunk
from 1 to 10, read from the labels' logits. A score is the sum of a joke's own value and its place's effect, which is
the same for all jokes and is subtracted."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean as mean
from typing import Any

import numpy as np

from ...core.events import Event, Stage, StageProgress
from ...core.paths import criteria_dir
from ...engine.base import Prompt, Question
from ...rubric.prompts import PromptBuilder, parse_prompts
from ..asking.questions import deviation, expected
from ..duel.confidence_scorer import rounds_weight
from ..judged_kind import Work
from .record import SCALES, ContestRequest, ScoredChunk, Texts

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


# -- The numbers -------------------------------------------------------------------------------------------------------

Score = tuple[str, int, float]
"""A text, its place (from 0) in a chunk, and its score."""
Means = tuple[dict[str, tuple[dict[str, Any], ...]], tuple[dict[str, Any], ...]]
"""Each text's mean scores by scale, and the effects of places that were subtracted."""


def schedule(texts: Sequence[str], rounds: int, seed: int) -> list[list[Texts]]:
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


def means_of(chunks: Mapping[Texts, ScoredChunk]) -> Means:
    """Return each text's mean scores, corrected for the effects of places; they don't depend on the chunks' order."""
    ordered = sorted(chunks.items(), key=lambda item: (item[1].round, item[0]))
    of: dict[str, list[dict[str, Any]]] = {}
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
            of.setdefault(text, []).append({"scale": scale, "mean": mean(own), "sd": sd, "times": len(own)})
    return {text: tuple(results) for text, results in of.items()}, tuple(effects)


# -- The questions -----------------------------------------------------------------------------------------------------


class ShuffledRounds:
    """Asks one model about chunks of a list; known chunks aren't asked again. ``count``: number of rounds; ``words``:
    version of their questions; ``weight``: log-odds per point of humor on this model, 0 where that wasn't measured."""

    def __init__(self, request: ContestRequest, work: Work) -> None:
        """Raises ``CriteriaError`` when criteria/rounds.xml is wrong."""
        self._seed = request.seed
        self._judge, self._engine = work.judge, work.judge.engine
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

    def run(self, texts: Sequence[str], chunks: dict[Texts, ScoredChunk]) -> Iterator[Event]:
        """Ask all rounds about the texts. ``chunks``: those of an earlier run, which aren't asked again; in the end
        those of this one. Raises the engine's errors."""
        rounds = schedule(texts, self.count, self._seed)
        total = sum(len(chunk) for chunks in rounds for chunk in chunks)
        done, taken = 0, set[Texts]()
        for number, shown in enumerate(rounds, start=1):
            for together in shown:
                yield StageProgress(stage=Stage.ROUNDS, done=done, total=total, note=_NOTE)
                for part, prompt in self._fitting(together):
                    taken.add(part)
                    if part not in chunks:
                        chunks[part] = self._asked(part, prompt, number)
                done += len(together)
        for spare in chunks.keys() - taken:
            del chunks[spare]
        yield StageProgress(stage=Stage.ROUNDS, done=total, total=total, note=_NOTE)

    def _fitting(self, texts: Texts) -> Iterator[tuple[Texts, Prompt]]:
        """Yield the texts with the prompt about them, or their halves where they don't fit into the context together; a
        single text that doesn't fit is left out."""
        lines = [f"{number}. {' '.join(text.split())}" for number, text in enumerate(texts, start=1)]
        prompt = self._prompts.prompt(self._name, {"jokes": "\n".join(lines), "topic": self._topic})
        if self._engine.count(prompt) + _ROOM <= self._engine.info.context:
            yield texts, prompt
        elif middle := len(texts) // 2:
            yield from self._fitting(texts[:middle])
            yield from self._fitting(texts[middle:])

    def _asked(self, texts: Texts, prompt: Prompt, number: int) -> ScoredChunk:
        """Ask for scores 1…10 of the texts in this order; None where the model gave none."""
        questions = [
            Question(self._prompts.answer(self._name, scale, {"number": str(place + 1)}), TEN)
            for scale in self._scales
            for place in range(len(texts))
        ]
        answers = (expected(choice, least=1) for choice in self._engine.choose(prompt, questions, self._judge.cancel))
        scores = {scale: tuple(itertools.islice(answers, len(texts))) for scale in self._scales}
        return ScoredChunk(round=number, scores=scores, words=self.words)
