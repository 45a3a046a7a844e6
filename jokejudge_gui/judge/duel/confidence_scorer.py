"""From log-odds to a confidence factor: calibrated odds of the winner, banded and capped (METHODS, c)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from ...core.statistics import sigmoid
from ..asking.calibration import DUEL, NOISE, DuelCalibration
from ..asking.measured import DuelWeights
from ..main_judge import MainJudge
from .record import Band

_OWN_NOISE = 0.5
"""Least σ₀ of a log-odds, nats; it includes the numerical noise of quantised kernels."""
_LEAST_SD = 0.2
"""Least divisor when a model's answers are standardised: smaller differences are hardly more than noise."""
_INCONSISTENT_CAP = 2.0
MOST_FACTOR = 1e9
"""The largest confidence factor; heads that claim more aren't believed, and no number overflows."""
_BANDS: tuple[tuple[float, Band], ...] = (
    (1.1, "nearly identical"),
    (2.0, "slight"),
    (5.0, "clear"),
    (10.0, "strong"),
)


@dataclass(frozen=True)
class Weights:
    """Weights (≥ 0) of the standardised measurements: the pair, each joke alone, the audience head."""

    pair: float = 0.20
    alone: float = 0.25
    audience: float = 0.0


PRIOR = Weights()
"""The weak prior, used without votes. A judge that agrees with people in 56 % of pairs deserves odds of about 1.27 on
average (METHODS, c); asking about each joke alone was the better signal, so it weighs a little more."""
DRAFTS = Weights(pair=0.0, alone=0.0, audience=0.0)
"""Beside the draft heads: neither the model's own answers nor people's votes between jokes distinguish drafts."""
WITH_HEAD = Weights(pair=0.05, alone=0.05, audience=1.0)
"""Beside a head whose difference is itself a calibrated log-odds; the model's own answers decide only close calls."""


class ConfidenceScorer:
    """Combines measurements into calibrated odds. Antisymmetric: swapped inputs give exactly swapped answers."""

    def __init__(self, calibration: DuelCalibration | None, weights: Weights = PRIOR, noise: float = NOISE) -> None:
        """``noise``: standard deviation of one answer's log-odds in nats."""
        self._calibration = calibration
        self._weights = weights
        self._noise = noise

    def score(
        self, first: float, second: float, alone: float, audience: float | None = None, drafts: float | None = None,
        *, consistent: bool, length_difference: float | None = None,
    ) -> dict[str, Any]:  # fmt: skip
        """Return the fields of a ``DuelResult``, and the ``log_odds`` for A after any cap, from log-odds for A: the
        answer with A ``first`` and with B first (``second``), the difference of the jokes ``alone``, the audience
        head's (None: no head), and the draft heads' if these are two drafts of one joke. ``length_difference``
        (characters, A − B): first subtracts the judge's own preference for length (METHODS, d); the heads' estimates
        are then those without the effect of length."""
        calibration, noise = self._calibration, self._noise
        weights = self._weights if drafts is None else DRAFTS
        pair, bias = 0.5 * (first + second), 0.5 * (first - second)
        if length_difference is not None and calibration is not None:
            pair -= calibration.gamma * math.tanh(length_difference / calibration.length_sd)
        least = max(_LEAST_SD, noise)
        sd_pair, sd_alone, mean_bias = 1.0, 1.0, 0.0
        if calibration is not None:
            sd_pair, sd_alone = max(calibration.sd_pair, least), max(calibration.sd_alone, least)
            mean_bias = calibration.mean_bias
        slope, slope_alone = weights.pair / sd_pair, weights.alone / sd_alone
        variance = (bias - mean_bias) ** 2 + max(_OWN_NOISE, noise) ** 2
        # A log-odds is reduced for its own uncertainty: L_m = L_c/√(1 + π·slope²σ²/8).
        moderation = math.sqrt(1.0 + math.pi * slope**2 * variance / 8.0)
        pair_term = weights.pair * pair / sd_pair / moderation
        terms = {
            "pair": pair_term if consistent else capped_at(_INCONSISTENT_CAP, pair_term),
            "alone": weights.alone * alone / sd_alone,
        }
        if audience is not None:
            terms["audience"] = weights.audience * audience
        if drafts is not None:
            terms["drafts"] = drafts
        log_odds = capped = capped_at(MOST_FACTOR, math.fsum(terms.values()))
        if not consistent and audience is None and drafts is None:
            # The audience head reads each joke alone: a model that contradicts itself over the order is no evidence
            # against it, so with a head only the pair's own part is capped.
            capped = capped_at(_INCONSISTENT_CAP, log_odds)
        # The pair is the mean of two answers, the jokes alone the difference of two.
        floor = noise * math.hypot(slope / moderation / math.sqrt(2), slope_alone * math.sqrt(2))
        within = abs(capped) < floor and capped != 0
        if within:  # to below the limit of "nearly identical", keeping sign and order
            capped *= min(1.0, math.log(_BANDS[0][0]) / floor)
        factor, total = math.exp(abs(capped)), math.fsum(map(abs, terms.values()))
        shares = tuple(
            {"name": name, "share": abs(term) / total if total else 0.0, "log_odds_a": term}
            for name, term in terms.items()
        )
        return {
            "p_a": sigmoid(capped), "confidence_factor": factor, "measured_factor": math.exp(abs(log_odds)),
            "band": band_of(factor), "shares": shares, "within_noise": within,
            "log_odds": capped,
        }  # fmt: skip


def capped_at(factor: float, log_odds: float) -> float:
    """Return the log-odds with its sign kept and its size at most log ``factor``."""
    limit = math.log(factor)
    return max(-limit, min(limit, log_odds))


def band_of(factor: float) -> Band:
    """Return the band of a confidence factor: limits 1.1, 2, 5, 10."""
    for limit, band in _BANDS:
        if factor < limit:
            return band
    return "overwhelming"


def weights_for(judge: MainJudge, *, everything: bool) -> Weights:
    """Return the weights of a duel between two jokes: those of the plan where it asks and not ``everything`` is asked,
    else those fitted on votes for the loaded model with its present prompts and head, else the prior."""
    pair, alone = judge.plan.of("duel", "pair"), judge.plan.of("duel", "alone")
    if pair and alone and pair.weights and alone.weights and not everything and judge.plan.asked("duel"):
        audience = pair.weights["read"] if judge.head is not None else 0.0
        return Weights(pair=pair.weights["asked"], alone=alone.weights["asked"], audience=audience)
    if (fitted := _fitted_for(judge)) is not None:
        return Weights(pair=fitted.pair, alone=fitted.alone, audience=fitted.audience)
    return WITH_HEAD if judge.head is not None else PRIOR


def rounds_weight(judge: MainJudge, question: str) -> float:
    """Return the log-odds per point of humor in shuffled rounds that are asked with this version of their questions; 0
    where no benefit was measured on the loaded model."""
    fitted = _fitted_for(judge)
    return fitted.rounds if fitted is not None and fitted.rounds_question == question else 0.0


def _fitted_for(judge: MainJudge) -> DuelWeights | None:
    """Return the fit for this model, its question and its head; None if there is none: the prior is used then."""
    fitted = judge.duel_weights
    if judge.head is None or fitted is None:
        return None
    mine = judge.questions[DUEL][DUEL], judge.head.version
    return fitted if (fitted.question, fitted.head_version) == mine else None
