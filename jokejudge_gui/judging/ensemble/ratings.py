"""Several models' ratings of one joke as one rating."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import TypeVar

from ...statistics import sigmoid
from ...verdicts import (
    Audience,
    CategoryScore,
    CheckResult,
    Dissent,
    FactorScore,
    FaultScore,
    RatingResult,
)
from ..rating.draft import RatingDraft
from ..rating.factor_scorer import aggregate
from ..reading.estimate import interval
from .duels import log_odds
from .joining import Joint, mean_by
from .member import Said

_NORMAL = NormalDist()
_ENDS = 0.5
_THIRDS = ((200 / 3, "in the upper third of jokes"), (100 / 3, "in the middle third of jokes"))
T = TypeVar("T", CategoryScore, FactorScore, CheckResult, FaultScore)


def fill_rating(
    draft: RatingDraft, said: Sequence[Said[RatingResult]], joint: Joint, weights: Mapping[str, float]
) -> None:
    """The joint rating. Each model has rated the joke whatever its checks said; the panel decides whether it is
    admitted. ``joint``: weights of those that ``said`` something, in their order; ``weights``: the user's own."""
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
    draft.factors = _factors(results)
    draft.faults = _faults(results)
    found = aggregate(draft.factors)
    draft.max_score, draft.mean_score, draft.spread = found.maximum, found.mean, found.spread
    draft.weigh(draft.factors, weights)
    # Words belong to one reading of the joke: those of the model that counts most.
    draft.turn, draft.cuts, draft.note = lead.turn, lead.cuts, lead.note
    draft.explanation, draft.prose, draft.tree = lead.explanation, lead.prose, lead.tree
    draft.references, draft.offence, draft.listeners = lead.references, lead.offence, lead.listeners
    draft.own_faults = lead.own_faults


def joint_audience(results: Sequence[RatingResult], joint: Joint) -> Audience | None:
    """The audience of all models that can tell; None where none can."""
    heard = [(place, r.audience) for place, r in enumerate(results) if r.audience is not None and r.audience.heard]
    if not heard:
        return next((result.audience for result in results if result.audience is not None), None)
    if len(heard) == 1:
        return heard[0][1]
    scale = sum(joint.shares[place] for place, _ in heard)
    if scale <= 0:
        return heard[0][1]
    # Where one of them says nothing, the others' parts are stretched to the whole.
    z = sum(joint.factors[place] * _normal(one.percentile) for place, one in heard) / scale
    percentile = 100.0 * _NORMAL.cdf(z)
    lead = max(heard, key=lambda one: joint.shares[one[0]])[1]
    low, high = interval(percentile, joint.agreement)
    return Audience(
        percentile=percentile,
        score=mean_by([one.score for _, one in heard], [joint.shares[place] for place, _ in heard]),
        low=low,
        high=high,
        kind=lead.kind,
        agreement=joint.agreement if lead.agreement is not None else None,
    )


def _normal(percentile: float) -> float:
    return _NORMAL.inv_cdf(min(100.0 - _ENDS, max(_ENDS, percentile)) / 100.0)


def _by_name(parts: Sequence[Sequence[T]], name: str) -> dict[str, list[T]]:
    """Findings of all models by what they are about, in the order in which they come."""
    found: dict[str, list[T]] = {}
    for part in parts:
        for each in part:
            found.setdefault(getattr(each, name), []).append(each)
    return found


def _checks(results: Sequence[RatingResult]) -> tuple[CheckResult, ...]:
    """The most of the models that can tell decide; as many against as for admit."""
    found = []
    for name, votes in _by_name([result.admissibility for result in results], "check").items():
        able = [vote for vote in votes if vote.reliable] or votes
        against = sum(not vote.passed for vote in able)
        found.append(
            CheckResult(
                check=name,
                p_admit=sum(vote.p_admit for vote in able) / len(able),
                passed=2 * against <= len(able),
                reliable=any(vote.reliable for vote in votes),
                source=able[0].source,
            )
        )
    return tuple(found)


def _categories(results: Sequence[RatingResult]) -> tuple[CategoryScore, ...]:
    """Log-odds by worth above chance (2·AUC − 1); likeliest first."""
    found = []
    for votes in _by_name([result.categories for result in results], "id").values():
        worth = [max(0.0, 2.0 * (vote.trust or 0.5) - 1.0) for vote in votes]
        asked = any(vote.source == "asked" for vote in votes)
        p = sigmoid(mean_by([log_odds(vote.p) for vote in votes], worth))
        chosen = 2 * sum(vote.chosen for vote in votes) > len(votes) if asked else p >= 0.5
        found.append(votes[0].replaced(p=p, chosen=chosen, trust=_trust([vote.trust for vote in votes], worth)))
    return tuple(sorted(found, key=lambda each: (not each.chosen, -each.p, each.id)))


def _factors(results: Sequence[RatingResult]) -> tuple[FactorScore, ...]:
    """The mean by worth, r²/(1 − r²), over the models that score a factor; the spread holds their difference too."""
    found = []
    for votes in _by_name([result.factors for result in results], "id").values():
        told = [vote for vote in votes if vote.expected is not None]
        if not told:
            found.append(votes[0])
            continue
        worth = [(r := min(0.95, max(0.0, vote.trust or 0.0))) ** 2 / (1.0 - r**2) for vote in told]
        expected = mean_by([vote.expected or 0.0 for vote in told], worth)
        spread = [(vote.sd or 0.0) ** 2 + ((vote.expected or 0.0) - expected) ** 2 for vote in told]
        found.append(
            FactorScore(
                id=told[0].id,
                name=told[0].name,
                origin=told[0].origin,
                score=max(0, min(5, int(expected + 0.5))),
                expected=expected,
                sd=mean_by(spread, worth) ** 0.5,
                separates=any(vote.separates for vote in told) or None,
                source=told[0].source if len({vote.source for vote in told}) == 1 else "both",
                trust=_trust([vote.trust for vote in told], worth),
            )
        )
    return tuple(found)


def _faults(results: Sequence[RatingResult]) -> tuple[FaultScore, ...]:
    """Those that at least half of the models find, likeliest first."""
    found = []
    for votes in _by_name([result.faults for result in results], "id").values():
        if 2 * len(votes) >= len(results):
            worth = [max(0.0, 2.0 * (vote.trust or 0.5) - 1.0) for vote in votes]
            p = sigmoid(mean_by([log_odds(vote.p) for vote in votes], worth))
            found.append(votes[0].replaced(p=p, trust=_trust([vote.trust for vote in votes], worth)))
    return tuple(sorted(found, key=lambda each: (-each.p, each.id)))


def _trust(votes: Sequence[float | None], worth: Sequence[float]) -> float | None:
    """What the joint finding is worth at least: the mean of what its parts are; None where that isn't known."""
    known = [(trust, weight) for trust, weight in zip(votes, worth, strict=True) if trust is not None]
    return mean_by([trust for trust, _ in known], [weight for _, weight in known]) if known else None


def rating_dissent(draft: RatingDraft, said: Sequence[Said[RatingResult]]) -> tuple[Dissent, ...]:
    """How many models side with the panel: on admission, in the audience, and in what the editor finds."""
    results = [one.result for one in said]
    if len(results) < 2:
        return ()
    found = []
    told = [result.admissible for result in results if result.admissible is not None]
    if told and draft.admissible is not None and (not draft.admissible or not all(told)):
        words = "It is admitted as a joke" if draft.admissible else "It isn't admitted as a joke"
        found.append(Dissent(voice="admission", finding=words, agree=told.count(draft.admissible), of=len(told)))
    if draft.audience is not None and draft.audience.heard:
        thirds = [_third(r.audience.percentile) for r in results if r.audience is not None and r.audience.heard]
        third = _third(draft.audience.percentile)
        if len(thirds) > 1:
            told_of = f"Its audience puts it {third}"
            found.append(Dissent(voice="audience", finding=told_of, agree=thirds.count(third), of=len(thirds)))
    for category in [each for each in draft.categories if each.chosen][:3]:
        agree = sum(any(c.id == category.id and c.chosen for c in result.categories) for result in results)
        found.append(Dissent(voice="editor", finding=f"Its kind is {category.name}", agree=agree, of=len(results)))
    for fault in draft.faults[:2]:
        agree = sum(any(f.id == fault.id for f in result.faults) for result in results)
        found.append(Dissent(voice="editor", finding=f"What holds it back: {fault.name}", agree=agree, of=len(results)))
    return tuple(found)


def _third(percentile: float) -> str:
    return next((words for least, words in _THIRDS if percentile >= least), "in the lower third of jokes")
