"""Several models' answers on one pair as one answer.

Log-odds are summed by worth, so that a swapped duel mirrors to the last bit."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...statistics import sigmoid
from ...verdicts import Dissent, Drafts, DuelResult, ProbabilityA, side_of
from ..duel.confidence_scorer import MOST_FACTOR, band_of, capped_at
from ..duel.draft import DuelDraft
from .joining import Joint, mean_by
from .member import Said

_LEAST_P = 1e-6


def log_odds(p: float) -> float:
    """ln(p/(1−p)), antisymmetric about ½ to the last bit."""
    if p > 0.5:
        return -log_odds(1.0 - p)
    p = max(_LEAST_P, p)
    return math.log(p / (1.0 - p))


def fill_duel(draft: DuelDraft, said: Sequence[Said[DuelResult]], joint: Joint) -> None:
    """The joint answer; ``joint``: weights of those that ``said`` something, in their order."""
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
    """The log-odds for A. By the factor where there is a winner, which is the same for both orders to the last bit."""
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
    """The draft heads' answers by how often each is right beyond chance; the fault that the best of them names."""
    if not parts:
        return None
    worth = [max(0.0, 2.0 * part.agreement - 1.0) for part in parts]
    best = max(parts, key=lambda part: part.agreement)
    return Drafts(
        p_a=sigmoid(mean_by([log_odds(part.p_a) for part in parts], worth)),
        agreement=mean_by([part.agreement for part in parts], worth),
        fault=best.fault,
        fault_p=best.fault_p,
    )


def duel_dissent(draft: DuelDraft, said: Sequence[Said[DuelResult]]) -> tuple[Dissent, ...]:
    """How many models side with the panel: in the verdict, and in each voice where the models differ."""
    found = []
    sides = [one.result.winner for one in said if one.result.winner is not None]
    if draft.winner is not None and len(sides) > 1:
        words = "They are equally funny" if draft.winner == "tie" else f"{draft.winner} is funnier"
        found.append(Dissent(voice="verdict", finding=words, agree=sides.count(draft.winner), of=len(sides)))
    for voice, whole, parts, words in (
        ("audience", draft.audience, [one.result.audience for one in said], "People would vote for"),
        ("editor", draft.drafts, [one.result.drafts for one in said], "An editor would prefer"),
    ):
        heard = [side_of(part.p_a) for part in parts if part is not None]
        if whole is None or len(heard) < 2:
            continue
        side = side_of(whole.p_a)
        told = f"{words} {side}" if side != "tie" else f"{words} neither"
        found.append(
            Dissent.model_validate({"voice": voice, "finding": told, "agree": heard.count(side), "of": len(heard)})
        )
    return tuple(found)
