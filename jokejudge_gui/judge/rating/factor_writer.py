"""Dynamic factors, for aspects of a joke that no known factor covers. A factor written for an earlier joke is used
again if it fits; else the model writes one, which must distinguish its own examples and say something new."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pydantic import BaseModel, Field

from ...core.statistics import pearson
from ...core.verdicts import FactorRef
from ...engine.base import CancelToken, Sampling
from ...rubric.offered import id_of
from ..asking.explanation import written_as
from ..asking.questions import LEAST_MASS, expectation, factor_ref, level_distribution
from ..main_judge import MainJudge

TOKENS = 400
"""More than the longest factor that the grammar allows."""
JOKES = 10
"""Varied jokes on which a written factor is compared with the known ones."""
MOST_ALIKE = 0.8
"""Least correlation over those jokes at which a written factor counts as a known one under another name."""
_FITS = 3.0
"""Least score, 0…5, that an earlier joke's factor needs here to be used again."""
_MOST_TRIED, _MOST_USED = 8, 2


class WrittenFactor(BaseModel):
    """A factor that the model writes for a joke that no known factor fits."""

    name: str = Field(min_length=3, max_length=24)
    explanation: str = Field(min_length=10, max_length=70)
    zero: str = Field(min_length=4, max_length=50)
    five: str = Field(min_length=4, max_length=50)
    good_example: str = Field(min_length=10, max_length=70)
    bad_example: str = Field(min_length=10, max_length=70)


class FactorWriter:
    """Written factors are stored in the judge's ``learned``; scores of the known factors on the varied jokes in its
    ``scales``, when first needed."""

    def __init__(self, judge: MainJudge, seed: int) -> None:
        self._measure, self._learned, self._scales = judge.measure, judge.learned, judge.scales
        self._seed = seed

    def factors(self, joke: str, cancel: CancelToken | None = None) -> Iterator[FactorRef]:
        """Yield the factors to judge the joke by; none if none is sound. Raises the engine's errors."""
        earlier = self._fitting(self._learned.known() if self._learned is not None else (), joke, cancel)
        if earlier:
            yield from earlier
            return
        draft = self.written(joke, cancel)
        if draft is None:
            return
        factor = _ref(draft)
        shared = self._measure.criteria.factors
        known = {item.id for item in self._learned.load()} if self._learned is not None else set()
        if not all(re.search(r"[^\W\d_]{3}", words) for _, words in draft):
            return
        if factor.id in known or factor.name.lower() in {each.name.lower() for each in shared}:
            return  # # known, and either it doesn't fit here or it isn't wanted
        good, bad = (self._score(factor, text, cancel) for text in (factor.good_example, factor.bad_example))
        if good > bad and self._is_new(factor, cancel):
            yield factor

    def promoted(self, joke: str, cancel: CancelToken | None = None) -> tuple[FactorRef, ...]:
        """Return written factors that the user made their own and that fit this joke; then nothing new is written.
        Raises the engine's errors."""
        ids = self._learned.promoted() if self._learned is not None else frozenset()
        criteria = self._measure.criteria
        return tuple(self._fitting([factor_ref(each.id, criteria) for each in criteria.factors if each.id in ids],
                                   joke, cancel))  # fmt: skip

    def served(self, factors: Sequence[FactorRef], joke: str) -> None:
        """Store and count the written ones among ``factors``. Raises ``SettingsError``."""
        if self._learned is not None:
            for factor in factors:
                if factor.origin == "dynamic":
                    self._learned.served(factor, joke)

    def written(self, joke: str, cancel: CancelToken | None = None) -> WrittenFactor | None:
        """Return the factor that the model writes under the grammar; None where it is incomplete."""
        prompts = self._measure.prompts
        prompt, start = prompts.prompt("write_factors", {"joke": joke}), prompts.answer("write_factors", "json")
        sampling = Sampling(max_tokens=TOKENS, seed=self._seed, temperature=0.7)
        return written_as(WrittenFactor, self._measure.engine, prompt, start, sampling, cancel)

    def _fitting(self, factors: Sequence[FactorRef], joke: str, cancel: CancelToken | None) -> list[FactorRef]:
        """The factors that score high enough on a joke, the highest first."""
        known = factors[:_MOST_TRIED]
        levels = self._measure.levels(joke, known, cancel) if known else {}
        scores = {id: expectation(level_distribution(each)) for id, each in levels.items() if each.mass >= LEAST_MASS}
        fitting = [factor for factor in known if scores.get(factor.id, 0.0) >= _FITS]
        return sorted(fitting, key=lambda factor: -scores[factor.id])[:_MOST_USED]

    def _score(self, factor: FactorRef, text: str, cancel: CancelToken | None) -> float:
        return expectation(level_distribution(self._measure.levels(text, [factor], cancel)[factor.id]))

    def _is_new(self, factor: FactorRef, cancel: CancelToken | None) -> bool:
        """Whether no known factor orders the varied jokes in nearly the same way."""
        criteria = self._measure.criteria
        jokes = criteria.contrast.baseline[:JOKES]
        missing = [factor_ref(each.id, criteria) for each in criteria.factors if each.id not in self._scales]
        if missing:
            rows = [self._measure.levels(joke, missing, cancel) for joke in jokes]
            for each in missing:
                self._scales[each.id] = tuple(expectation(level_distribution(row[each.id])) for row in rows)
        own = [self._score(factor, joke, cancel) for joke in jokes]
        return all((pearson(own, self._scales[each.id]).value or 0.0) < MOST_ALIKE for each in criteria.factors)


def _ref(draft: WrittenFactor) -> FactorRef:
    words = {name: " ".join(text.split()) for name, text in draft}
    name = words.pop("name")
    return FactorRef(id=id_of(name), name=name[:1].upper() + name[1:], origin="dynamic", **words)
