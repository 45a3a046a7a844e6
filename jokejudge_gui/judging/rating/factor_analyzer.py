"""Stage 3: which factors is this joke to be judged on? Three paths: standard, independent, dynamic."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache

from pydantic import BaseModel, Field, ValidationError

from ...engine.base import CancelToken, Sampling
from ...errors import JokeJudgeError
from ...verdicts import CategoryScore, FactorRef, Pathway
from ..asking.factor_scale import expectation, level_distribution
from ..asking.questions import Levels, Measure, factor_ref
from ..plan.calibration_types import Calibration
from .category_classifier import standardise

MOST_FACTORS = 7
LEAST_FACTORS = 3
_RELEVANT = -1.0
"""A category's own factor is relevant unless it matters clearly less for this joke than for the average one."""
_RELEVANT_ALONE = 0.5
"""Without a category a factor must matter more than for the average joke."""
_TOKENS = 160
_MOST_CANDIDATES = 12
"""Of the categories' factors the likeliest ones are asked about, and scored in the same batch: that costs no more
tokens than to ask about all of them first and to score ``MOST_FACTORS`` of them then, and one batch less."""


class WrittenFactor(BaseModel):
    """What the model writes for a joke that no known factor fits."""

    name: str = Field(min_length=3, max_length=24)
    explanation: str = Field(min_length=10, max_length=70)
    good_example: str = Field(min_length=10, max_length=70)
    bad_example: str = Field(min_length=10, max_length=70)


class WrittenFactors(BaseModel):
    factors: list[WrittenFactor] = Field(min_length=1, max_length=2)


@dataclass(frozen=True)
class FactorResult:
    """The factors to score, the path that led to them, and what there is to say about it."""

    factors: tuple[FactorRef, ...]
    pathway: Pathway
    warnings: tuple[str, ...] = ()
    levels: Mapping[str, Levels] = field(default_factory=dict)
    """What was asked about scores on the way, by factor."""


class FactorAnalyzer:
    """Chooses factors for a joke and its categories."""

    def __init__(self, measure: Measure, calibration: Calibration, seed: int) -> None:
        """``seed``: of the factors that the model may write."""
        self._measure = measure
        self._calibration = calibration
        self._seed = seed

    def determine(
        self, joke: str, categories: tuple[CategoryScore, ...], cancel: CancelToken | None = None
    ) -> FactorResult:
        criteria = self._measure.criteria
        pathway: Pathway = "standard" if categories else "independent"
        weights = category_weights(categories, {c.id: c.factors for c in criteria.categories})
        likeliest = sorted(weights, key=lambda factor: -weights[factor])[:_MOST_CANDIDATES]
        identities = likeliest if categories else [factor.id for factor in criteria.factors]
        candidates = [factor_ref(identity, criteria) for identity in identities]
        levels: Mapping[str, Levels] = {}
        if categories:
            odds, levels = self._measure.appraisal(joke, candidates, cancel)
        else:
            odds = self._measure.relevance(joke, candidates, cancel)
        z = standardise({name: answer.value for name, answer in odds.items()}, self._calibration.relevance)
        least = _RELEVANT if categories else _RELEVANT_ALONE
        ranked = sorted(candidates, key=lambda factor: -(z[factor.id] + weights.get(factor.id, 0.0)))
        relevant = [factor for factor in ranked if z[factor.id] >= least][:MOST_FACTORS]
        if relevant:
            # One factor is no picture of a joke: the next most relevant join it.
            return FactorResult(tuple(ranked_first(relevant, ranked, LEAST_FACTORS)), pathway, levels=levels)
        written = tuple(self.create_dynamic_factors(joke, cancel))
        if written:
            return FactorResult(written, "dynamic")
        return FactorResult(
            tuple(ranked[:LEAST_FACTORS]),
            pathway,
            ("No factor stood out for this joke and the model could not write one that holds; the nearest were used.",),
            levels,
        )

    def create_dynamic_factors(self, joke: str, cancel: CancelToken | None = None) -> Iterator[FactorRef]:
        """Factors written by the model, each kept only if it scores its own good example above its bad one."""
        prompt = self._measure.prompts.prompt("write_factors", {"joke": joke})
        start = self._measure.prompts.answer("write_factors", "json")
        sampling = Sampling(max_tokens=_TOKENS, seed=self._seed, temperature=0.7, grammar=_grammar())
        text = "".join(piece.text for piece in self._measure.engine.generate(prompt, [start], sampling, cancel))
        try:
            written = WrittenFactors.model_validate_json(text).factors
        except ValidationError:
            return  # cut off at the token limit: the caller says that no factor could be written
        taken = {factor.name.lower() for factor in self._measure.criteria.factors}
        for number, draft in enumerate(written, start=1):
            name = re.sub(r"\s+", " ", draft.name).strip()
            if not name or name.lower() in taken:
                continue
            taken.add(name.lower())
            factor = FactorRef(
                id=f"dynamic-{number}",
                name=name[:1].upper() + name[1:],
                origin="dynamic",
                explanation=draft.explanation.strip(),
                good_example=draft.good_example.strip(),
                bad_example=draft.bad_example.strip(),
            )
            if self._tells_apart(factor, cancel):
                yield factor

    def _tells_apart(self, factor: FactorRef, cancel: CancelToken | None) -> bool:
        good, bad = (
            expectation(level_distribution(self._measure.levels(text, [factor], cancel)[factor.id]))
            for text in (factor.good_example, factor.bad_example)
        )
        return good > bad


def ranked_first(relevant: list[FactorRef], ranked: list[FactorRef], least: int) -> list[FactorRef]:
    """The relevant factors, filled up from the ranked ones to at least ``least``."""
    rest = [factor for factor in ranked if factor not in relevant]
    return relevant + rest[: max(0, least - len(relevant))]


def category_weights(categories: tuple[CategoryScore, ...], factors: dict[str, tuple[str, ...]]) -> dict[str, float]:
    """Factors of the chosen categories in order, each with the summed probability of the categories that name it."""
    weights: dict[str, float] = {}
    for category in categories:
        for factor in factors[category.id]:
            weights[factor] = weights.get(factor, 0.0) + category.p
    return weights


@cache
def _grammar() -> str:
    """GBNF of the factors that a model may write. Raises ``JokeJudgeError`` if llama.cpp's converter is missing."""
    # Imported here: only the dynamic path needs it, and tests of the others need no llama.cpp.
    try:
        from ...engine.binding import grammar_of
    except ImportError as error:
        raise JokeJudgeError(
            "E_SETUP", f"llama.cpp can't be loaded: {error}.", "Run python3 packaging/run.py again."
        ) from error
    return grammar_of(json.dumps(WrittenFactors.model_json_schema()))
