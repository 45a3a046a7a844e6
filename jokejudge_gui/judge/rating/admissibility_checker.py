"""Stage 1, admission: five liberal checks of whether a text is a joke; only a clear failure rejects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import NormalDist

from ...core.languages import is_english
from ...core.statistics import sigmoid
from ...core.texts import listed, plain_rejection
from ...core.verdicts import CheckResult, Source
from ...heads.editor import EditorReading
from ...heads.intent import CLEARLY_NOT
from ..asking.calibration import LEAST_POWER, CheckCalibration
from ..asking.questions import LEAST_MASS, LogOdds
from ..main_judge import MainJudge
from ..reader import Predictions
from .record import RatingResult

_CLIP = 6.0
LEAST_CAUGHT = 0.1
"""Least share of its clear cases that a check must catch to be used."""
INTENT = "intent"
"""The check that the audience head answers where the model can't, or does so less well: whether a text is meant as a
joke."""
HEAD_POWER = 2.5
"""Least d′ (of clear cases) at which a model's own answer to ``INTENT`` is preferred to the head's. With 1.25
Qwen2.5-Coder 0.5B rejects 2 of 150 texts of HaHackathon that aren't jokes and its head 9, neither of them one of the
150 funniest."""
REJECT_BELOW = CLEARLY_NOT
"""Least ℓ that admits: below it p(admit) < 0.1."""


@dataclass
class Evidence:
    """The readings of one text and the model's answers about it, from which all stages take theirs. ``predicted``: by
    the heads, None for a text that isn't read, as it is plainly no joke; ``editor``: the editor's findings that count;
    ``checks`` and ``kinds``: the answers on the checks, and the log-probability of each kind's name, both empty where
    that isn't asked."""

    predicted: Predictions | None = None
    editor: EditorReading | None = None
    checks: Mapping[str, LogOdds] = field(default_factory=dict)
    kinds: Mapping[str, float] = field(default_factory=dict)


class AdmissibilityChecker:
    """Reads a text, asks about it where everything is asked, and decides whether it is a joke."""

    def __init__(self, judge: MainJudge) -> None:
        self._judge = judge

    def evaluate_admissibility(self, draft: RatingResult) -> Evidence:
        """Set the checks' results, and whether the draft's text is admitted. Return what is read of it and answered
        about it. Raises the engine's errors."""
        judge, text, template = self._judge, draft.text, self._judge.criteria.template.checks
        plain, evidence = plain_rejection(text), Evidence()
        if draft.forced or plain is None:
            predicted = judge.reader.read(text, judge.cancel, context=draft.context)
            editor = predicted.editor if is_english(text) and not draft.everything_asked else None
            answers = judge.measure.reading(text) if draft.everything_asked else ({}, {})
            evidence = Evidence(predicted, editor and editor.without(judge.criteria.unread), *answers)
        source: Source = "asked" if draft.everything_asked else "read"
        draft.admissibility = tuple(self._check(check.id, evidence, source) for check in template)
        reasons = [one.rejects_when for one, own in zip(template, draft.admissibility, strict=True) if not own.passed]
        if plain is not None and evidence.predicted is None:
            reasons = [plain]
        draft.admissible = not reasons
        draft.rejection = f"Not clearly a joke: {listed(reasons)}." if reasons else None
        silent = [one.name for one, own in zip(template, draft.admissibility, strict=True) if not own.reliable]
        if silent and draft.everything_asked and plain is None:
            blind = len(silent) == len(template)
            what = "whether a text is a joke at all" if blind else f"whether a text is {listed(silent)}"
            draft.warn(f"This model can't tell {what}, so every text passes there.")
        return evidence

    def _check(self, check: str, evidence: Evidence, source: Source) -> CheckResult:
        """The result of a check by the model's answer, or by the audience head where it is better at it."""
        predicted, odds = evidence.predicted, evidence.checks.get(check)
        calibration = self._judge.calibration.checks.get(check)
        result = None if odds is None else check_result(check, odds, calibration)
        weak = calibration is None or calibration.d_prime < HEAD_POWER
        head_is_better = result is None or not result.reliable or weak
        if predicted is not None and predicted.joke is not None and check == INTENT and head_is_better:
            return answered(check, predicted.joke, source)
        return result or unread(check, no_text=predicted is None, source=source)


def unread(check: str, *, no_text: bool, source: Source = "asked") -> CheckResult:
    """Return an undecided check; ``no_text``: the text is so plainly none that completeness and coherence fail without
    a model."""
    failed = no_text and check in ("completeness", "coherence")
    p = 0.0 if failed else 0.5
    return CheckResult(check=check, p_admit=p, passed=not failed, reliable=failed, source=source)


def answered(check: str, odds: float, source: Source = "asked") -> CheckResult:
    """Return a reliable answer, given log-odds of "admit"."""
    value = max(-_CLIP, min(_CLIP, odds))
    return CheckResult(check=check, p_admit=sigmoid(value), passed=value >= REJECT_BELOW, reliable=True, source=source)


def check_result(check: str, odds: LogOdds, calibration: CheckCalibration | None) -> CheckResult:
    """ℓ = clip(2s(z−c)/σ², ±6); rejected only if ℓ < −ln 9. Without power or an answer the check admits, marked as
    unreliable (METHODS, a). ℓ is raised where jokes that people liked would be rejected."""
    if calibration is None:
        return unread(check, no_text=False)
    least, slope = calibration.least, 2.0 * calibration.half / calibration.sd**2
    raised = 0.0 if least is None else max(0.0, REJECT_BELOW - slope * (least - calibration.centre))
    result = answered(check, slope * (odds.value - calibration.centre) + raised)
    if has_power(calibration) and odds.mass >= LEAST_MASS:
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
