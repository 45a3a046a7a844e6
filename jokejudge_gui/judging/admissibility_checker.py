"""Stage 1: is it a joke at all? Five liberal checks; only a clear failure rejects."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..models import CheckResult
from ..rubric.types import Criteria
from .answers import sigmoid
from .calibration import Calibration, CheckCalibration
from .measure import LogOdds

_CLIP = 6.0
LEAST_POWER = 1.0
INTENT = "intent"
"""The check that the audience head answers where the model can't: whether a text is meant as a joke."""
REJECT_BELOW = -math.log(9.0)
"""ℓ under this rejects: p(admit) < 0.1."""


@dataclass(frozen=True)
class AdmissibilityResult:
    """The checks, whether the text goes on, and the reasons if it doesn't."""

    checks: tuple[CheckResult, ...]
    admissible: bool
    reasons: tuple[str, ...]


class AdmissibilityChecker:
    """Judges admissibility from one reading of the text."""

    def __init__(self, criteria: Criteria, calibration: Calibration) -> None:
        self._criteria = criteria
        self._calibration = calibration

    def evaluate(self, odds: dict[str, LogOdds], joke: float | None = None) -> AdmissibilityResult:
        """``odds``: by check, from one reading of the text; ``joke``: log-odds of the audience head that the text is
        meant as a joke, None without such a head. It counts where the model's own answer doesn't."""
        results = tuple(check_result(check, odds[check], self._calibration.checks.get(check)) for check in odds)
        if joke is not None:
            results = tuple(
                _answered(result.check, joke) if result.check == INTENT and not result.reliable else result
                for result in results
            )
        wording = {check.id: check.rejects_when for check in self._criteria.template.checks}
        failed = tuple(wording[result.check] for result in results if not result.passed)
        return AdmissibilityResult(results, not failed, failed)


def _answered(check: str, odds: float) -> CheckResult:
    """The answer of something that can tell, given log-odds of "admit"."""
    value = max(-_CLIP, min(_CLIP, odds))
    return CheckResult(check=check, p_admit=sigmoid(value), passed=value >= REJECT_BELOW, reliable=True)


def check_result(check: str, odds: LogOdds, calibration: CheckCalibration | None) -> CheckResult:
    """ℓ = clip(2s(z−c)/σ², ±6); rejected only if ℓ < −ln 9. Without power, or without an answer, it admits and says so
    (SCIENCE, a)."""
    if calibration is None:
        return CheckResult(check=check, p_admit=0.5, passed=True, reliable=False)
    result = _answered(check, 2.0 * calibration.half * (odds.value - calibration.centre) / calibration.sd**2)
    if calibration.d_prime >= LEAST_POWER and odds.mass >= 0.5:
        return result
    return result.model_copy(update={"passed": True, "reliable": False})
