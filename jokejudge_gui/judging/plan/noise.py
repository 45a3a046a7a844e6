"""How far a model's answers move for no reason but the way in which questions share a batch.

Quantised kernels round activations, so the same question on the same text gets slightly different log-probabilities
beside other companions. The program always cuts in the same way, so a verdict is the same again; but what is finer
than this noise would have come out otherwise had it been cut otherwise, and says nothing about a joke.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from ...engine.base import CancelToken, Choice, Engine, Prompt, Question, Segment
from ...verdicts import Frozen
from ..asking.answers import deviation

_RULES = (
    "You read short texts and say what they are like. Some of them are jokes, others are notices, letters or news. "
    "Read the whole text, then answer the question about it with yes or no."
)
_TEXT = "My neighbour has put a sign on his gate: beware of the dog. I have met the dog. The sign is about the stairs."
_ASKED = (
    "funny", "sad", "short", "a pun", "absurd", "true", "complete", "polite", "about an animal", "clear", "old",
    "about money",
)  # fmt: skip
_LABELS = (" yes", " no")
_GROUP = 4
# A crowd must be large: kernels go other ways from some tens of tokens in a batch on.
_CROWD = ("very", "hardly", "always")
NOISE_CALLS = len(_ASKED) + len(_ASKED) // _GROUP + 4
"""Steps of ``measure_noise``."""


class Noise(Frozen):
    """Standard deviations in nats of one answer over the ways of asking it: ``label`` of a label's log-probability,
    ``odds`` of the difference of two."""

    label: float
    odds: float


DEFAULT = Noise(label=0.2, odds=0.2)
"""Where none was measured: what SmolLM2 in Q8_0 and Q4_0 showed (METHODS, numbers depend on batches)."""


def measure_noise(engine: Engine, cancel: CancelToken | None = None) -> Iterator[Noise | None]:
    """Ask twelve questions in five companies: each alone, in fours, in a crowd of 48, in the same crowd the other way
    round, and after a prefix that is read in one go. Yields None after each call of the engine, and the noise last.

    Nothing is kept of it in memory or on the disk. An engine whose answers don't depend on company has none."""
    questions = [_question(engine, asked) for asked in _ASKED]
    crowd = [*questions, *(_question(engine, f"{how} {asked}") for how in _CROWD for asked in _ASKED)]
    cut = _prompt(engine)
    companies: list[list[Choice]] = []
    for size in (1, _GROUP):
        companies.append([])
        for first in range(0, len(questions), size):
            companies[-1] += engine.choose(cut, questions[first : first + size], cancel)
            yield None
    companies.append(engine.choose(cut, crowd, cancel)[: len(questions)])
    yield None
    companies.append(engine.choose(cut, crowd[::-1], cancel)[::-1][: len(questions)])
    yield None
    whole = (Segment("".join(segment.text for segment in cut), markup=True),)
    if engine.count(whole) == engine.count(cut):  # else its tokeniser makes other tokens of it
        companies.append(engine.choose(whole, questions, cancel))
        yield None
    yield _noise_of(companies)


def _prompt(engine: Engine) -> Prompt:
    frame = engine.frame
    return (
        Segment(frame.before_system, markup=True),
        Segment(_RULES),
        Segment(frame.before_user, markup=True),
        Segment(_TEXT),
    )


def _question(engine: Engine, asked: str) -> Question:
    return Question((Segment(engine.frame.before_answer, markup=True), Segment(f"Is it {asked}? Answer:")), _LABELS)


def _noise_of(companies: Sequence[Sequence[Choice]]) -> Noise:
    labels: list[float] = []
    odds: list[float] = []
    for answers in zip(*companies, strict=True):
        for label in range(len(_LABELS)):
            labels.append(deviation([answer.logprobs[label] for answer in answers]))
        odds.append(deviation([answer.logprobs[0] - answer.logprobs[1] for answer in answers]))
    return Noise(label=_pooled(labels), odds=_pooled(odds))


def _pooled(deviations: Sequence[float]) -> float:
    """The root of the mean variance."""
    return math.sqrt(math.fsum(value * value for value in deviations) / len(deviations))
