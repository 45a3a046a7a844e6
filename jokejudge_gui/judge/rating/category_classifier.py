"""Stage 2, categories: the kinds of a joke, read off its states, or asked of the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean as mean

from ...core.statistics import sigmoid
from ...heads.editor import PUNS, EditorReading
from ..asking.calibration import Baseline
from ..asking.questions import deviation
from ..main_judge import MainJudge
from .admissibility_checker import Evidence
from .note import LEAST_P
from .record import CategoryScore

THRESHOLD = 1.0
"""Least z at which an asked category is chosen."""
_MOST_ASKED, _NEAREST = 6, 4
_STEEPNESS = 1.7
"""Slope that turns z − 1 into a probability: the logistic curve nearest to the normal one."""
_MOST_KINDS = 3
HOW_IT_WORKS = frozenset(["Wordplay", "Ideas"])
"""Groups of kinds that name how a joke works, not its form, subject or tone."""
_APART = (
    (frozenset([*PUNS, "literalism", "name_play"]), frozenset(["anti_joke"])),
    (frozenset(["exaggeration", "absurdity"]), frozenset(["dry"])),
)
"""Kinds that exclude each other: the less probable one isn't named."""
NOTHING_READ = EditorReading(factors={}, kinds={}, faults={}, turn=None, cuts=(), joke=0.5, complete=0.5)


class CategoryClassifier:
    """Finds the categories of a joke."""

    def __init__(self, judge: MainJudge) -> None:
        self._judge = judge

    def classify_joke(self, evidence: Evidence, *, doubted: bool = False) -> tuple[CategoryScore, ...]:
        """Return the chosen categories, and then the nearest others, best first; none chosen: Independent. ``doubted``:
        the joke may not work."""
        if evidence.kinds:
            return self._by_answers(evidence.kinds)
        return self._by_worth(evidence.editor or NOTHING_READ, doubted)

    def handle_independent_category(self) -> dict[str, float]:
        """Return the factors for a joke without a category: all of them alike."""
        return dict.fromkeys((factor.id for factor in self._judge.criteria.factors), 0.0)

    def factors_of(self, categories: tuple[CategoryScore, ...]) -> dict[str, float]:
        """Return the factors of the categories in order, each with the summed probability of the categories that name
        it."""
        factors = {category.id: category.factors for category in self._judge.criteria.categories}
        weights: dict[str, float] = {}
        for category in categories:
            for factor in factors.get(category.id, ()):
                weights[factor] = weights.get(factor, 0.0) + category.p
        return weights

    def _by_answers(self, logprobs: Mapping[str, float]) -> tuple[CategoryScore, ...]:
        """Each category is compared with its own baseline (METHODS, e). ``logprobs``: of each category's name."""
        scores = standardise(logprobs, self._judge.calibration.categories)
        names = {category.id: category.name for category in self._judge.criteria.categories}
        ranked = sorted(scores, key=lambda id: -scores[id])
        chosen = [id for id in ranked if scores[id] >= THRESHOLD][:_MOST_ASKED]
        nearest = [id for id in ranked if id not in chosen][:_NEAREST]
        return tuple(
            CategoryScore(
                id=id,
                name=names[id],
                p=sigmoid(_STEEPNESS * (scores[id] - THRESHOLD)),
                z=scores[id],
                chosen=id in chosen,
                trust=self._judge.plan.answer_worth("kind", id),
            )
            for id in (*chosen, *nearest)
        )

    def _by_worth(self, read: EditorReading, doubted: bool) -> tuple[CategoryScore, ...]:
        """The kinds worth showing first, by probability. A kind that names how a joke works is recognised by its form:
        it isn't shown where it is ``doubted`` that the text works."""
        shown = self._judge.shown["kind"]
        least = self._judge.reader.editor.meta.least if self._judge.reader.editor is not None else {}
        kinds = [
            (kind, read.puns.get(kind.id, read.kinds[kind.id]))
            for kind in self._judge.criteria.categories
            if kind.id in read.kinds
        ]
        kinds.sort(key=lambda of: -of[1])
        chosen: list[str] = []
        for kind, p in kinds:
            silent = p < least.get(kind.id, LEAST_P) or (doubted and kind.group in HOW_IT_WORKS)
            if kind.id in shown and not silent and not _excluded(kind.id, chosen) and len(chosen) < _MOST_KINDS:
                chosen.append(kind.id)
        kinds.sort(key=lambda of: of[0].id not in chosen)
        return tuple(
            CategoryScore(
                id=kind.id, name=kind.name, p=p, z=0.0, chosen=kind.id in chosen, source="read",
                trust=shown.get(kind.id), sure=p >= least.get(kind.id, 1.0),
            )
            for kind, p in kinds[: len(chosen) + 2 * _MOST_KINDS]
        )  # fmt: skip


def _excluded(one: str, chosen: Sequence[str]) -> bool:
    """Whether a kind isn't named beside one of those that were chosen."""
    pairs = ({one, other} for other in chosen)
    return any(pair <= first | rest and not pair <= first for pair in pairs for first, rest in _APART)


def standardise(values: Mapping[str, float], baselines: Mapping[str, Baseline]) -> dict[str, float]:
    """Return z of each value (nats) against its own baseline; without baselines, against the others of this text."""
    if all(name in baselines for name in values):
        return {name: baselines[name].z(value) for name, value in values.items()}
    own = Baseline(mean=mean(list(values.values())), sd=deviation(list(values.values())))
    return {name: own.z(value) for name, value in values.items()}
