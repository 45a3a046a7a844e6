"""Stage 3, factors: those by which a joke is judged. For a joke that no known factor fits, the model writes one, which
must distinguish its own examples."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from ...engine.base import Sampling
from ...rubric.own_types import id_of
from ...rubric.xml_parser import Factor
from ..asking.questions import DynamicFactor, Levels, expectation, level_distribution
from ..main_judge import MainJudge
from .category_classifier import CategoryClassifier, standardise
from .record import RatingResult

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
Chosen = tuple[tuple[Factor, ...], Mapping[str, Levels]]
"""The factors to ask about, and the answers already given about their scores, by factor."""


WRITTEN = {
    "name": (3, 24), "explanation": (10, 70), "zero": (4, 50), "five": (4, 50), "good_example": (10, 70),
    "bad_example": (10, 70),
}  # fmt: skip
"""The fields of a factor that the model writes, with their least and greatest numbers of characters."""
_PAIRS = (
    f'"\\"{name}\\"" space ":" space "\\"" char{{{least},{most}}} "\\"" space'
    for name, (least, most) in WRITTEN.items()
)
GRAMMAR = f"""root ::= "{{" space {' "," space '.join(_PAIRS)} "}}" space
space ::= " "?
char ::= [^"\\\\] | "\\\\" (["\\\\/bfnrt] | "u" [0-9a-fA-F] [0-9a-fA-F] [0-9a-fA-F] [0-9a-fA-F])
"""
"""GBNF of such a factor as JSON."""


class FactorAnalyzer:
    """Chooses the factors: where reading alone gives scores, only those of the user's own that are to be asked about in
    each rating."""

    def __init__(self, judge: MainJudge, seed: int = 1) -> None:
        self._judge, self._seed = judge, seed

    def determine_relevant_factors(self, draft: RatingResult) -> Chosen:
        """Return the factors for a joke with its categories, and set the path that led to them. Raises the engine's
        errors."""
        judge, classifier = self._judge, CategoryClassifier(self._judge)
        chosen = tuple(category for category in draft.categories if category.chosen)
        draft.pathway = "standard" if chosen else "independent"
        if not draft.everything_asked:
            return tuple(map(judge.criteria.factor, judge.criteria.always)), {}
        weights = classifier.factors_of(chosen)
        likeliest = sorted(weights, key=lambda factor: -weights[factor])[:_MOST_CANDIDATES]
        ids = likeliest if chosen else classifier.handle_independent_category()
        candidates = [*map(judge.criteria.factor, ids)]
        odds, levels = judge.measure.appraisal(draft.text, candidates, scored=bool(chosen))
        z = standardise({name: answer.value for name, answer in odds.items()}, judge.calibration.relevance)
        least = _RELEVANT if chosen else _RELEVANT_ALONE
        ranked = sorted(candidates, key=lambda factor: -(z[factor.id] + weights.get(factor.id, 0.0)))
        relevant = tuple(factor for factor in ranked if z[factor.id] >= least)[:MOST_FACTORS]
        if not relevant:
            if dynamic := self.create_dynamic_factors(draft.text):
                draft.pathway = "dynamic"
                return dynamic, {}
            draft.warn(NEAREST_USED)
        # One factor is too few: the next most relevant are added.
        rest = [factor for factor in ranked if factor not in relevant]
        return (*relevant, *rest[: max(0, LEAST_FACTORS - len(relevant))]), levels

    def create_dynamic_factors(self, joke: str) -> tuple[DynamicFactor, ...]:
        """Return a factor that the model writes for a joke under the grammar; none if it isn't sound, or has the name
        of a known one, which doesn't fit here. Raises the engine's errors."""
        judge, prompts, measure = self._judge, self._judge.prompts, self._judge.measure
        prompt, start = prompts.prompt("write_factors", {"joke": joke}), prompts.answer("write_factors", "json")
        sampling = Sampling(max_tokens=TOKENS, seed=self._seed, temperature=0.7, grammar=GRAMMAR)
        text = "".join(piece.text for piece in judge.engine.generate(prompt, [start], sampling, judge.cancel))
        try:
            # The grammar allows a raw line break in a text, which strict JSON doesn't.
            written = json.loads(text, strict=False)
            fields = {field: " ".join(written[field].split()) for field in WRITTEN}
        except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
            return ()  # cut off at the token limit
        name, taken = fields.pop("name"), {shared.name.lower() for shared in self._judge.criteria.factors}
        if name.lower() in taken or not all(re.search(r"[^\W\d_]{3}", words) for words in (name, *fields.values())):
            return ()
        factor = DynamicFactor(id=id_of(name), name=name[:1].upper() + name[1:], **fields)
        good, bad = (
            expectation(level_distribution(measure.levels(example, [factor])[factor.id]))
            for example in (factor.good_example, factor.bad_example)
        )
        return (factor,) if good > bad else ()
