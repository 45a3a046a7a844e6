"""Stage 1, admission: five liberal checks of whether a text is a joke; only a clear failure rejects."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist

from ...core.statistics import sigmoid
from ...core.texts import listed
from ...core.verdicts import CheckResult, Source
from ...heads.intent import CLEARLY_NOT
from ...rubric.xml_parser import Criteria
from ..asking.measured import LEAST_POWER, Calibration, CheckCalibration
from ..asking.questions import LogOdds
from .record import RatingDraft

_CLIP = 6.0
LEAST_CAUGHT = 0.1
"""Least share of its clear cases that a check must catch to be used."""
INTENT = "intent"
"""The check that the audience head answers where the model can't, or does so less well: whether a text is meant as a
joke."""
HEAD_POWER = 2.5
"""Least d′ (of clear cases) at which a model's own answer to ``INTENT`` is preferred to the head's. With 1.25
Qwen2.5-Coder 0.5B rejects 2 of 150 texts of HaHackathon that aren't jokes and its head 9, neither of them one of the
150 funniest (``python -m tests.bench.checks --no-limits``)."""
REJECT_BELOW = CLEARLY_NOT
"""Least ℓ that admits: below it p(admit) < 0.1."""


def evaluate(calibration: Calibration, odds: dict[str, LogOdds], joke: float | None = None) -> tuple[CheckResult, ...]:
    """Return the checks of one text. ``odds``: by check, from one reading of the text; ``joke``: log-odds of the
    audience head that the text is meant as a joke, None without such a head. It is used where it is better than the
    model."""
    found = []
    for check, each in odds.items():
        known = calibration.checks.get(check)
        result = check_result(check, each, known)
        if check == INTENT and joke is not None and (head_goes_first(known) or not result.reliable):
            result = answered(check, joke)
        found.append(result)
    return tuple(found)


def reasons_against(checks: Sequence[CheckResult], criteria: Criteria) -> tuple[str, ...]:
    """Return why a text is rejected, for each check that it fails."""
    wording = {check.id: check.rejects_when for check in criteria.template.checks}
    return tuple(wording[check.check] for check in checks if not check.passed)


def admit(draft: RatingDraft, checks: Sequence[CheckResult], reasons: Sequence[str]) -> None:
    """Set the checks' results; any ``reasons`` reject the text."""
    draft.admissibility = tuple(checks)
    draft.admissible = not reasons
    draft.rejection = f"Not clearly a joke: {listed(reasons)}." if reasons else None


def unread(check: str, *, no_text: bool, source: Source = "asked") -> CheckResult:
    """Return an undecided check; ``no_text``: the text is so plainly none that completeness and coherence fail without
    a model."""
    failed = no_text and check in ("completeness", "coherence")
    p = 0.0 if failed else 0.5
    return CheckResult(check=check, p_admit=p, passed=not failed, reliable=failed, source=source)


def head_goes_first(calibration: CheckCalibration | None) -> bool:
    """Whether the head's estimate of a joke's intent is preferred to the model's answer."""
    return calibration is None or calibration.d_prime < HEAD_POWER


def answered(check: str, odds: float, source: Source = "asked") -> CheckResult:
    """Return a reliable answer, given log-odds of "admit"."""
    value = max(-_CLIP, min(_CLIP, odds))
    return CheckResult(check=check, p_admit=sigmoid(value), passed=value >= REJECT_BELOW, reliable=True, source=source)


def check_result(check: str, odds: LogOdds, calibration: CheckCalibration | None) -> CheckResult:
    """ℓ = clip(2s(z−c)/σ², ±6); rejected only if ℓ < −ln 9. Without power or an answer the check admits, marked as
    unreliable (METHODS, a). ℓ is raised where jokes that people liked would be rejected."""
    if calibration is None:
        return unread(check, no_text=False)
    raised = 0.0 if calibration.least is None else max(0.0, REJECT_BELOW - _likelihood(calibration, calibration.least))
    result = answered(check, _likelihood(calibration, odds.value) + raised)
    if has_power(calibration) and odds.mass >= 0.5:
        return result
    return result.replaced(passed=True, reliable=False)


def has_power(calibration: CheckCalibration) -> bool:
    """Whether a check distinguishes clear cases (d′), and still rejects some of those that should fail while it admits
    the jokes that people liked."""
    return calibration.d_prime >= LEAST_POWER and (calibration.least is None or caught(calibration) >= LEAST_CAUGHT)


def caught(calibration: CheckCalibration) -> float:
    """Return the share 0…1 of the clear cases that should fail and are rejected, assuming normal log-odds."""
    if calibration.half <= 0:
        return 0.0
    limit = calibration.centre + REJECT_BELOW * calibration.sd**2 / (2.0 * calibration.half)
    if calibration.least is not None:
        limit = min(limit, calibration.least)
    return NormalDist(calibration.centre - calibration.half, calibration.sd).cdf(limit)


def _likelihood(calibration: CheckCalibration, value: float) -> float:
    """ℓ of log-odds ``value``, not clipped."""
    return 2.0 * calibration.half * (value - calibration.centre) / calibration.sd**2
