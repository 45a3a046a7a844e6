"""Several models' ratings of one joke as one rating."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Generic, TypeVar

import numpy as np
import numpy.typing as npt
from pydantic import Field, ValidationError

from ..core.errors import ModelError
from ..core.files import read_json
from ..core.statistics import sigmoid
from ..core.verdicts import (
    Audience,
    CheckResult,
    Dissent,
    Drafts,
    DuelResult,
    Frozen,
    ModelRef,
    ProbabilityA,
    VerdictResult,
    Voice,
    Winner,
    side_of,
)
from ..heads.audience import believed, correlation_of, head_normal, normal_of
from .duel.confidence_scorer import MOST_FACTOR, band_of, capped_at
from .duel.duel_judge import DuelDraft
from .main_judge import MainJudge
from .rating.record import CategoryScore, FactorScore, FaultScore, RatingDraft, RatingResult
from .rating.scores import level_of, put_scores

# -- Correlations of models' errors, measured where people's opinion is known (``models/panels``)

Matrix = npt.NDArray[np.float64]

FILE = "errors.json"
_UNMEASURED = 0.8
"""For pairs of models that weren't measured; measured ones correlate at .7 to .9."""
_MOST_MODELS = 0.98
"""The highest correlation used for two models, so that their matrix can be inverted."""


class Shared(Frozen):
    """The correlation −1…1 of two models' errors over ``n`` texts, with its 95 % interval."""

    models: tuple[str, str]
    correlation: Annotated[float, Field(ge=-1, le=1)]
    low: Annotated[float, Field(ge=-1, le=1)]
    high: Annotated[float, Field(ge=-1, le=1)]
    n: Annotated[int, Field(ge=2)]


class _Measured(Frozen):
    pairs: tuple[Shared, ...]
    command: str = ""
    about: str = ""


@dataclass(frozen=True)
class SharedErrors:
    """Known correlations of pairs of models, by their hashes."""

    known: Mapping[frozenset[str], float] = field(default_factory=dict)

    @classmethod
    def load(cls, folder: Path) -> SharedErrors:
        """Load ``errors.json`` from the folder; empty if it doesn't exist. Raises ``ModelError`` ``E_PANEL_FILE``."""
        path = folder / FILE
        try:
            found = _Measured.model_validate(read_json(path))
        except FileNotFoundError:
            return cls()
        except (OSError, ValueError, ValidationError) as error:
            raise ModelError(
                "E_PANEL_FILE",
                f"{path} can't be read, which says how far models' errors go together.",
                "Install JokeJudge again, or delete the file.",
            ) from error
        return cls({frozenset(pair.models): pair.correlation for pair in found.pairs})

    @property
    def usual(self) -> float:
        """The correlation for two models that were never measured together: the highest measured one, so that a panel
        isn't overrated."""
        return max(self.known.values(), default=_UNMEASURED)

    def between(self, models: Sequence[str]) -> tuple[Matrix, bool]:
        """Return the correlations of models' errors, (n, n) with ones on the diagonal, and whether all were
        measured."""
        found = np.eye(len(models))
        measured = True
        for (i, one), (j, other) in itertools.combinations(enumerate(models), 2):
            known = self.known.get(frozenset((one, other)))
            measured = measured and known is not None
            found[i, j] = found[j, i] = min(_MOST_MODELS, self.usual if known is None else known)
        return found, measured


# -- The best weights for models of different worth with correlated errors, and their number of independent votes
# People's opinion and each model's estimate are taken as normal variables: model i correlates with people at ρᵢ, which
# follows from its share of right pairs (Greiner), and its errors with those of model j at cᵢⱼ. The best linear estimate
# then weighs the models by R⁻¹ρ, Rᵢⱼ = ρᵢρⱼ + cᵢⱼ√(1−ρᵢ²)√(1−ρⱼ²), and correlates with people at √(ρᵀR⁻¹ρ).

_LEAST = 0.05
_MOST = 0.99


@dataclass(frozen=True)
class Joint:
    """``shares`` 0…1 of each model, 1 in all; ``factors``: multipliers of the models' standard scores in the joint
    standard score; ``rho``: the joint correlation with people; ``sharper`` ≥ 1: ratio by which the joint log-odds may
    exceed the weighted mean of the models' own."""

    shares: tuple[float, ...]
    factors: tuple[float, ...]
    rho: float
    sharper: float

    @property
    def agreement(self) -> float:
        """The share of pairs, 0…1, that an estimate with this correlation puts in people's order."""
        return 0.5 + math.asin(self.rho) / math.pi


def join(worths: Sequence[float | None], errors: Matrix) -> Joint:
    """Return weights ≥ 0 for models of these worths (shares of right pairs; None: not measured). A model of unknown
    worth has no weight beside one whose worth is known; if none is known, all are equal."""
    known = [worth for worth in worths if worth is not None]
    if known:
        rho = np.array([0.0 if w is None else min(_MOST, max(_LEAST, correlation_of(w))) for w in worths])
    else:
        rho = np.full(len(worths), 0.5)
    noise = np.sqrt(1.0 - rho**2)
    matrix = np.outer(rho, rho) + errors * np.outer(noise, noise)
    alive = [place for place in range(len(worths)) if rho[place] > 0]
    weights = np.zeros(len(worths))
    while alive:
        found = np.linalg.solve(matrix[np.ix_(alive, alive)], rho[alive])
        if (found > 0).all():
            weights[alive] = found
            break
        # A model with a negative weight adds nothing to the others.
        alive.pop(int(np.argmin(found)))
    joint = min(_MOST, math.sqrt(float(rho @ weights)))
    shares = weights / weights.sum()
    own = float(shares @ (rho / noise))
    return Joint(
        shares=tuple(map(float, shares)),
        factors=tuple(map(float, weights / joint)),
        rho=joint,
        sharper=max(1.0, joint / math.sqrt(1.0 - joint**2) / own),
    )


def independent_votes(errors: Matrix) -> float:
    """Return the equivalent number of independent models: n²/ΣΣcᵢⱼ, n for uncorrelated errors and 1 for equal ones."""
    n = len(errors)
    return float(min(n, max(1.0, n * n / float(errors.sum())))) if n else 0.0


def mean_correlation(errors: Matrix) -> float | None:
    """Return the mean correlation of two different models' errors; None for a single model."""
    n = len(errors)
    return float((errors.sum() - n) / (n * (n - 1))) if n > 1 else None


def mean_by(values: Sequence[float], weights: Sequence[float]) -> float:
    """Return the weighted mean; the plain one where no weight is over 0."""
    total = math.fsum(weights)
    if total <= 0:
        return math.fsum(values) / len(values)
    return math.fsum(value * weight for value, weight in zip(values, weights, strict=True)) / total


# -- One model's verdict with the model's worth on its texts

R = TypeVar("R", bound=VerdictResult)


@dataclass(frozen=True)
class ModelVerdict(Generic[R]):
    """A verdict of the ``model``; ``worth``: share of held-out pairs of this kind of text that the model puts in
    people's order, None where that wasn't measured."""

    model: ModelRef
    result: R
    worth: float | None


def worth_of(judge: MainJudge, texts: Sequence[str], context: str) -> float | None:
    """Return a model's worth on these texts, which it has already read: the mean of the audience head's agreement with
    people on texts of their kind, or else the worth of its answers in duels; None if neither is known."""
    found = []
    if judge.head is not None:
        for text in texts:
            audience = judge.reader.audience(judge.reader.read(text, context=context))
            if audience is not None and audience.agreement is not None:
                found.append(audience.agreement)
    if not found:
        item = judge.plan.of("duel", "pair")
        if item is not None and item.worth is not None:
            found.append(item.worth.value)
    return sum(found) / len(found) if found else None


# -- Several models' answers on one pair as one answer. Log-odds are summed by worth, so that a swapped duel mirrors to
# the last bit.

_LEAST_P = 1e-6


def log_odds(p: float) -> float:
    """ln(p/(1−p)), antisymmetric about ½ to the last bit."""
    if p > 0.5:
        return -log_odds(1.0 - p)
    p = max(_LEAST_P, p)
    return math.log(p / (1.0 - p))


def fill_duel(draft: DuelDraft, said: Sequence[ModelVerdict[DuelResult]], joint: Joint) -> None:
    """Fill in the joint answer; ``joint``: weights of the verdicts in ``said``, in their order."""
    own = [(share, _odds(one.result)) for share, one in zip(joint.shares, said, strict=True)]
    known = [(share, odds) for share, odds in own if odds is not None]
    if not known:
        return
    total = math.fsum(share for share, _ in known) or 1.0
    whole = joint.sharper * math.fsum(share * odds for share, odds in known) / total
    whole = capped_at(MOST_FACTOR, whole) + 0.0
    factor = math.exp(abs(whole))
    draft.p_a = sigmoid(whole)
    draft.confidence_factor = draft.measured_factor = factor
    draft.band = band_of(factor)
    draft.winner = "tie" if draft.band == "nearly identical" else "A" if whole > 0 else "B"
    draft.calibrated = all(one.result.calibrated for one in said)
    draft.everything_asked = any(one.result.everything_asked for one in said)
    draft.within_noise = all(one.result.within_noise for one in said)
    orders = [one.result.consistent for one in said if one.result.consistent is not None]
    draft.consistent = all(orders) if orders else None
    leads = [(share, one.result) for share, one in zip(joint.shares, said, strict=True)]
    draft.audience = _probability([(s, r.audience) for s, r in leads], joint.sharper)
    draft.length_controlled = _probability([(s, r.length_controlled) for s, r in leads], joint.sharper)
    draft.drafts = _drafts([r.drafts for _, r in leads if r.drafts is not None])
    bias = [(s, r.position_bias) for s, r in leads if r.position_bias is not None]
    draft.position_bias = mean_by([value for _, value in bias], [s for s, _ in bias]) if bias else None
    draft.explanation = max(leads, key=lambda lead: (lead[0], lead[1].winner == draft.winner))[1].explanation


def _odds(result: DuelResult) -> float | None:
    """The log-odds for A. From the factor where there is a winner, which is the same for both orders to the last
    bit."""
    if result.p_a is None or result.confidence_factor is None:
        return None
    size = math.log(max(1.0, result.confidence_factor))
    return size if result.p_a > 0.5 else -size


def _probability(parts: Sequence[tuple[float, ProbabilityA | None]], sharper: float) -> ProbabilityA | None:
    known = [(share, log_odds(part.p_a)) for share, part in parts if part is not None]
    if not known:
        return None
    return ProbabilityA(p_a=sigmoid(sharper * mean_by([odds for _, odds in known], [share for share, _ in known])))


def _drafts(parts: Sequence[Drafts]) -> Drafts | None:
    """The draft heads' mean answer, weighted by accuracy above chance, with the fault that the best of them names."""
    if not parts:
        return None
    worth = [max(0.0, 2.0 * part.agreement - 1.0) for part in parts]
    return max(parts, key=lambda part: part.agreement).replaced(
        same_joke=True,
        p_a=sigmoid(mean_by([log_odds(part.p_a) for part in parts], worth)),
        agreement=mean_by([part.agreement for part in parts], worth),
    )


def duel_dissent(draft: DuelDraft, said: Sequence[ModelVerdict[DuelResult]]) -> tuple[Dissent, ...]:
    """Return the number of models that agree with the panel: in the verdict, the audience's and the editor's
    preference, if several models have one."""
    results = [one.result for one in said]
    side, editors = _side(draft.audience), _side(draft.drafts)
    verdict = "They are equally funny" if draft.winner == "tie" else f"{draft.winner} is funnier"
    rows: tuple[tuple[Voice, str, Winner | None, list[Winner | None]], ...] = (
        ("verdict", verdict, draft.winner, [each.winner for each in results]),
        ("audience", f"People would vote for {_a_side(side)}", side, [_side(each.audience) for each in results]),
        ("editor", f"An editor would prefer {_a_side(editors)}", editors, [_side(each.drafts) for each in results]),
    )
    known = [(voice, finding, own, [vote for vote in votes if vote]) for voice, finding, own, votes in rows]
    return tuple(_dissent(*row) for row in known if row[2] is not None and len(row[3]) > 1)


def _side(found: ProbabilityA | Drafts | None) -> Winner | None:
    return side_of(found.p_a) if found is not None else None


def _a_side(side: Winner | None) -> str:
    return side if side in ("A", "B") else "neither"


def _dissent(voice: Voice, finding: str, own: object, votes: Sequence[object]) -> Dissent:
    """The number of the models' ``votes`` that equal the panel's ``own``."""
    return Dissent(voice=voice, finding=finding, agree=votes.count(own), of=len(votes))


_THIRDS = ((200 / 3, "in the upper third of jokes"), (100 / 3, "in the middle third of jokes"))
T = TypeVar("T", CategoryScore, FactorScore, CheckResult, FaultScore)


def fill_rating(
    draft: RatingDraft, said: Sequence[ModelVerdict[RatingResult]], joint: Joint, weights: Mapping[str, float]
) -> None:
    """Fill in the joint rating. Each model has rated the joke whatever its checks said; the panel decides whether it is
    admitted. ``joint``: weights of the ratings in ``said``, in their order; ``weights``: the user's own."""
    results = [one.result for one in said]
    lead = said[max(range(len(said)), key=lambda place: (joint.shares[place], said[place].model.sha256))].result
    draft.calibrated = all(result.calibrated for result in results)
    draft.everything_asked = any(result.everything_asked for result in results)
    draft.admissibility = _checks(results)
    draft.admissible = all(check.passed for check in draft.admissibility)
    if not draft.admissible and not draft.forced:
        draft.rejection = next((result.rejection for result in results if result.rejection), None)
        return
    draft.pathway = lead.pathway
    draft.audience = joint_audience(results, joint)
    draft.categories = _categories(results)
    put_scores(draft, _factors(results), weights)
    draft.faults = _faults(results)
    # Words belong to one reading of the joke: that of the model with the largest weight.
    for name in (
        "turn", "cuts", "note", "explanation", "prose", "tree", "references", "offence", "listeners", "own_faults"
    ):  # fmt: skip
        setattr(draft, name, getattr(lead, name))


def joint_audience(results: Sequence[RatingResult], joint: Joint) -> Audience | None:
    """Return the joint audience of the models with a usable estimate; without one, the first audience or None."""
    heard = [(place, r.audience) for place, r in enumerate(results) if r.audience is not None and r.audience.heard]
    if not heard:
        return next((result.audience for result in results if result.audience is not None), None)
    if len(heard) == 1:
        return heard[0][1]
    scale = sum(joint.shares[place] for place, _ in heard)
    if scale <= 0:
        return heard[0][1]
    # The percentiles of the models' own heads on the normal scale. Where a model has no estimate, the others' weights
    # are scaled up to 1.
    normal = [
        normal_of(one.percentile) if one.agreement is None else head_normal(one.percentile, one.agreement)
        for _, one in heard
    ]
    joined = sum(joint.factors[place] * z for (place, _), z in zip(heard, normal, strict=True))
    shown = believed(joined / scale, joint.agreement)
    lead = max(heard, key=lambda one: joint.shares[one[0]])[1]
    return lead.replaced(
        percentile=shown.percentile,
        score=mean_by([one.score for _, one in heard], [joint.shares[place] for place, _ in heard]),
        low=shown.low,
        high=shown.high,
        agreement=joint.agreement if lead.agreement is not None else None,
    )


def _by_name(parts: Sequence[Sequence[T]], name: str) -> dict[str, list[T]]:
    """All models' findings grouped by attribute ``name``, in order of first occurrence."""
    found: dict[str, list[T]] = {}
    for part in parts:
        for each in part:
            found.setdefault(getattr(each, name), []).append(each)
    return found


def _checks(results: Sequence[RatingResult]) -> tuple[CheckResult, ...]:
    """The majority of the models with a reliable check decides; a tie admits."""
    found = []
    for votes in _by_name([result.admissibility for result in results], "check").values():
        able = [vote for vote in votes if vote.reliable] or votes
        against = sum(not vote.passed for vote in able)
        found.append(
            able[0].replaced(
                p_admit=sum(vote.p_admit for vote in able) / len(able),
                passed=2 * against <= len(able),
                reliable=any(vote.reliable for vote in votes),
            )
        )
    return tuple(found)


def _by_worth(votes: Sequence[CategoryScore] | Sequence[FaultScore]) -> dict[str, float | None]:
    """The joint probability, log-odds weighted by worth above chance (2·AUC − 1), and its trust."""
    worth = [max(0.0, 2.0 * (vote.trust or 0.5) - 1.0) for vote in votes]
    p = sigmoid(mean_by([log_odds(vote.p) for vote in votes], worth))
    return {"p": p, "trust": _trust([vote.trust for vote in votes], worth)}


def _categories(results: Sequence[RatingResult]) -> tuple[CategoryScore, ...]:
    """The joint categories, likeliest first."""
    found = []
    for votes in _by_name([result.categories for result in results], "id").values():
        each = votes[0].replaced(**_by_worth(votes))
        asked = any(vote.source == "asked" for vote in votes)
        chosen = 2 * sum(vote.chosen for vote in votes) > len(votes) if asked else each.p >= 0.5
        found.append(each.replaced(chosen=chosen))
    return tuple(sorted(found, key=lambda each: (not each.chosen, -each.p, each.id)))


def _factors(results: Sequence[RatingResult]) -> tuple[FactorScore, ...]:
    """The mean weighted by r²/(1 − r²) over the models that score a factor; the spread includes their differences."""
    found = []
    for votes in _by_name([result.factors for result in results], "id").values():
        answered = [vote for vote in votes if vote.expected is not None]
        if not answered:
            found.append(votes[0])
            continue
        worth = [(r := min(0.95, max(0.0, vote.trust or 0.0))) ** 2 / (1.0 - r**2) for vote in answered]
        expected = mean_by([vote.expected or 0.0 for vote in answered], worth)
        spread = [(vote.sd or 0.0) ** 2 + ((vote.expected or 0.0) - expected) ** 2 for vote in answered]
        found.append(
            answered[0].replaced(
                score=level_of(expected),
                expected=expected,
                sd=mean_by(spread, worth) ** 0.5,
                separates=any(vote.separates for vote in answered) or None,
                source=answered[0].source if len({vote.source for vote in answered}) == 1 else "both",
                trust=_trust([vote.trust for vote in answered], worth),
                entropy=None,
                probabilities=(),
                label_mass=1.0,
            )
        )
    return tuple(found)


def _faults(results: Sequence[RatingResult]) -> tuple[FaultScore, ...]:
    """The faults that at least half of the models find, likeliest first."""
    named = _by_name([result.faults for result in results], "id").values()
    found = [votes[0].replaced(**_by_worth(votes)) for votes in named if 2 * len(votes) >= len(results)]
    return tuple(sorted(found, key=lambda each: (-each.p, each.id)))


def _trust(votes: Sequence[float | None], worth: Sequence[float]) -> float | None:
    """The least trust of the joint finding: the weighted mean of its parts' trust; None if unknown."""
    known = [(trust, weight) for trust, weight in zip(votes, worth, strict=True) if trust is not None]
    return mean_by([trust for trust, _ in known], [weight for _, weight in known]) if known else None


def rating_dissent(draft: RatingDraft, said: Sequence[ModelVerdict[RatingResult]]) -> tuple[Dissent, ...]:
    """Return the number of models that agree with the panel: on admission, in the audience, and in the editor's
    findings."""
    results = [one.result for one in said]
    if len(results) < 2:
        return ()
    found = []
    admitted = [result.admissible for result in results if result.admissible is not None]
    if admitted and draft.admissible is not None and (not draft.admissible or not all(admitted)):
        words = "It is admitted as a joke" if draft.admissible else "It isn't admitted as a joke"
        found.append(_dissent("admission", words, draft.admissible, admitted))
    if draft.audience is not None and draft.audience.heard:
        thirds = [_third(r.audience.percentile) for r in results if r.audience is not None and r.audience.heard]
        third = _third(draft.audience.percentile)
        if len(thirds) > 1:
            found.append(_dissent("audience", f"Its audience puts it {third}", third, thirds))
    for category in [each for each in draft.categories if each.chosen][:3]:
        named = [any(c.id == category.id and c.chosen for c in result.categories) for result in results]
        found.append(_dissent("editor", f"Its kind is {category.name}", True, named))
    for fault in draft.faults[:2]:
        named = [any(f.id == fault.id for f in result.faults) for result in results]
        found.append(_dissent("editor", f"What holds it back: {fault.name}", True, named))
    return tuple(found)


def _third(percentile: float) -> str:
    return next((words for least, words in _THIRDS if percentile >= least), "in the lower third of jokes")
