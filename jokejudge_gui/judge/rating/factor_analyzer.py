"""Stage 3, factors: those by which a joke is judged. For a joke that no known factor fits, the model writes one, which
must distinguish its own examples and say something new."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from pydantic import BaseModel, Field

from ...core.statistics import pearson
from ...engine.base import CancelToken, Sampling
from ...rubric.own_types import id_of
from ...rubric.xml_parser import Factor
from ..asking.questions import DynamicFactor, Levels, expectation, level_distribution
from ..main_judge import MainJudge
from .category_classifier import CategoryClassifier, standardise
from .record import Pathway, RatingResult

MOST_FACTORS, LEAST_FACTORS = 7, 3
_RELEVANT = -1.0
"""A category's own factor is relevant unless it matters clearly less for this joke than for the average one."""
_RELEVANT_ALONE = 0.5
"""Without a category a factor must matter more than for the average joke."""
_MOST_CANDIDATES = 12
"""Number of the categories' likeliest factors that are asked about and scored in the same batch: that costs no more
tokens than asking about all of them first and then scoring ``MOST_FACTORS``, and saves a batch."""
NEAREST_USED = "No factor stood out for this joke and the model could not write one that holds; the nearest were used."
TOKENS = 400
"""More than the longest factor that the grammar allows."""
JOKES = 10
"""Varied jokes on which a written factor is compared with the known ones."""
MOST_ALIKE = 0.8
"""Least correlation over those jokes at which a written factor counts as a known one under another name."""
Chosen = tuple[tuple[Factor, ...], Mapping[str, Levels]]
"""The factors to ask about, and the answers already given about their scores, by factor."""


class WrittenFactor(BaseModel):
    """A factor that the model writes for a joke that no known factor fits."""

    name: str = Field(min_length=3, max_length=24)
    explanation: str = Field(min_length=10, max_length=70)
    zero: str = Field(min_length=4, max_length=50)
    five: str = Field(min_length=4, max_length=50)
    good_example: str = Field(min_length=10, max_length=70)
    bad_example: str = Field(min_length=10, max_length=70)


_PAIRS = (
    f'"\\"{name}\\"" space ":" space "\\"" char{{{field["minLength"]},{field["maxLength"]}}} "\\"" space'
    for name, field in WrittenFactor.model_json_schema()["properties"].items()
)
GRAMMAR = f"""root ::= "{{" space {' "," space '.join(_PAIRS)} "}}" space
space ::= " "?
char ::= [^"\\\\] | "\\\\" (["\\\\/bfnrt] | "u" [0-9a-fA-F] [0-9a-fA-F] [0-9a-fA-F] [0-9a-fA-F])
"""
"""GBNF of such a factor as JSON."""


class FactorAnalyzer:
    """Chooses the factors by ``route``: where reading alone gives scores, only those are asked about whose answers are
    worth it, or that the user wants asked about in each rating."""

    def __init__(self, judge: MainJudge, seed: int = 1) -> None:
        self._judge, self._measure, self._criteria = judge, judge.measure, judge.criteria
        self._seed, self._classifier = seed, CategoryClassifier(judge)

    def determine_relevant_factors(self, draft: RatingResult, cancel: CancelToken | None = None) -> Chosen:
        """Return the factors for a joke with its categories, and set the path that led to them. Raises the engine's
        errors."""
        joke, chosen = draft.text, tuple(category for category in draft.categories if category.chosen)
        pathway: Pathway = "standard" if chosen else "independent"
        draft.pathway = pathway
        if not draft.everything_asked:  # a factor of the user's own, which no head has learned, may be asked about
            return tuple(map(self._criteria.factor, self._criteria.always)), {}
        weights = self._classifier.factors_of(chosen)
        likeliest = sorted(weights, key=lambda factor: -weights[factor])[:_MOST_CANDIDATES]
        candidates = [
            *map(self._criteria.factor, likeliest if chosen else self._classifier.handle_independent_category())
        ]
        odds, levels = self._measure.appraisal(joke, candidates, cancel, scored=bool(chosen))
        z = standardise({name: answer.value for name, answer in odds.items()}, self._judge.calibration.relevance)
        least = _RELEVANT if chosen else _RELEVANT_ALONE
        ranked = sorted(candidates, key=lambda factor: -(z[factor.id] + weights.get(factor.id, 0.0)))
        relevant = tuple(factor for factor in ranked if z[factor.id] >= least)[:MOST_FACTORS]
        if not relevant:
            if dynamic := self.create_dynamic_factors(joke, cancel):
                draft.pathway = "dynamic"
                return dynamic, {}
            draft.warn(NEAREST_USED)
        # One factor is too few: the next most relevant are added.
        rest = [factor for factor in ranked if factor not in relevant]
        return (*relevant, *rest[: max(0, LEAST_FACTORS - len(relevant))]), levels

    def create_dynamic_factors(self, joke: str, cancel: CancelToken | None = None) -> tuple[DynamicFactor, ...]:
        """Return a factor that the model writes for a joke; none if it isn't sound. Raises the engine's errors."""
        written = self.written(joke, cancel)
        if written is None or not all(re.search(r"[^\W\d_]{3}", words) for _, words in written):
            return ()
        fields = {field: " ".join(text.split()) for field, text in written}
        name = fields.pop("name")
        if name.lower() in {shared.name.lower() for shared in self._criteria.factors}:
            return ()  # known, and it doesn't fit here
        factor = DynamicFactor(id=id_of(name), name=name[:1].upper() + name[1:], **fields)
        good, bad = (self._score(factor, text, cancel) for text in (factor.good_example, factor.bad_example))
        return (factor,) if good > bad and self._is_new(factor, cancel) else ()

    def written(self, joke: str, cancel: CancelToken | None = None) -> WrittenFactor | None:
        """Return the factor that the model writes under the grammar; None where it is cut off at the token limit."""
        prompts, engine = self._measure.prompts, self._measure.engine
        prompt, start = prompts.prompt("write_factors", {"joke": joke}), prompts.answer("write_factors", "json")
        sampling = Sampling(max_tokens=TOKENS, seed=self._seed, temperature=0.7, grammar=GRAMMAR)
        text = "".join(piece.text for piece in engine.generate(prompt, [start], sampling, cancel))
        try:
            # The grammar allows a raw line break in a text, which strict JSON doesn't.
            return WrittenFactor.model_validate(json.loads(text, strict=False))
        except (ValueError, RecursionError):
            return None

    def _score(self, factor: Factor, text: str, cancel: CancelToken | None) -> float:
        return expectation(level_distribution(self._measure.levels(text, [factor], cancel)[factor.id]))

    def _is_new(self, factor: Factor, cancel: CancelToken | None) -> bool:
        """Whether no known factor orders the varied jokes in nearly the same way."""
        jokes, usual = self._criteria.contrast.baseline[:JOKES], self._judge.usual_answers
        missing = [shared for shared in self._criteria.factors if shared.id not in usual]
        rows = [self._measure.levels(joke, missing, cancel) for joke in jokes] if missing else []
        for shared in missing:
            usual[shared.id] = tuple(expectation(level_distribution(row[shared.id])) for row in rows)
        own = [self._score(factor, joke, cancel) for joke in jokes]
        return all((pearson(own, usual[one.id])["value"] or 0.0) < MOST_ALIKE for one in self._criteria.factors)
