"""Stage 1, admission: five liberal checks of whether a text is a joke; only a clear failure rejects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import NormalDist

from ...core.languages import is_english
from ...core.statistics import sigmoid
from ...core.texts import listed, plain_rejection
from ...core.verdicts import CheckResult, Source
from ...engine.base import CancelToken
from ...heads.editor import EditorReading
from ...heads.intent import CLEARLY_NOT
from ..asking.measured import LEAST_POWER, CheckCalibration
from ..asking.questions import LogOdds
from ..asking.worth import Kind
from ..main_judge import MainJudge, Route
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
    the heads, None for a text that isn't read, as it is plainly no joke; ``editor``: the editor's findings that count,
    later joined with answers, which ``sources`` names; ``checks`` and ``kinds``: the answers on the checks, and the
    log-probability of each kind's name, both empty where that isn't asked."""

    predicted: Predictions | None = None
    editor: EditorReading | None = None
    checks: Mapping[str, LogOdds] = field(default_factory=dict)
    kinds: Mapping[str, float] = field(default_factory=dict)
    sources: dict[tuple[Kind, str], Source] = field(default_factory=dict)

    def source(self, kind: Kind, id: str) -> Source:
        return self.sources.get((kind, id), "read")


class AdmissibilityChecker:
    """Reads a text, asks about it what ``route`` asks, and decides whether it is a joke."""

    def __init__(self, judge: MainJudge, route: Route) -> None:
        self._judge = judge
        self._route = route
        self._planned = judge.plan.asked("check") if route == "planned" else ()

    def evidence(
        self, text: str, cancel: CancelToken | None = None, *, context: str = "", forced: bool = False
    ) -> Evidence:
        """Return what is read of a cleaned text and answered about it; ``forced``: also for one that is plainly no
        joke. Raises the engine's errors."""
        if not forced and plain_rejection(text) is not None:
            return Evidence()
        judge = self._judge
        evidence = Evidence(judge.reader.read(text, cancel, context=context))
        if self._route != "asked" and is_english(text) and evidence.predicted and evidence.predicted.editor:
            evidence.editor = evidence.predicted.editor.without(judge.criteria.unread)
        if self._route == "asked" or (self._route == "planned" and judge.plan.asked("kind")):
            # The categories don't depend on the checks: asked in the same batch they cost only their tokens.
            answers = judge.measure.reading(text, cancel)
            evidence.checks, evidence.kinds = answers.checks, answers.categories
            if self._route == "planned" and not self._planned:
                evidence.checks = {}
        elif self._planned:
            evidence.checks = judge.measure.checks(text, cancel)
        return evidence

    def evaluate_admissibility(self, draft: RatingResult, evidence: Evidence) -> None:
        """Set the checks' results, and whether the text is admitted."""
        checks = tuple(self._check(check.id, evidence) for check in self._judge.criteria.template.checks)
        plain = plain_rejection(draft.text)
        wording = {check.id: check.rejects_when for check in self._judge.criteria.template.checks}
        reasons = [wording[check.check] for check in checks if not check.passed]
        if plain is not None and evidence.predicted is None:
            reasons = [plain]
        draft.admissibility, draft.admissible = checks, not reasons
        draft.rejection = f"Not clearly a joke: {listed(reasons)}." if reasons else None
        if self._route == "asked" and plain is None:
            self._warn_of_silence(draft)

    def _check(self, check: str, evidence: Evidence) -> CheckResult:
        """The result of a check by the model's answer, or by the audience head where it is better at it."""
        source: Source = "asked" if self._route == "asked" else "read"
        joke = evidence.predicted.joke if evidence.predicted is not None and check == INTENT else None
        odds = evidence.checks.get(check)
        if odds is None:
            if joke is not None:
                return answered(check, joke, source)
            return unread(check, no_text=evidence.predicted is None, source=source)
        calibration = self._judge.calibration.checks.get(check)
        result = check_result(check, odds, calibration)
        if joke is not None and self._head_is_better(result, calibration):
            return answered(check, joke, source)
        return result

    def _head_is_better(self, answer: CheckResult, calibration: CheckCalibration | None) -> bool:
        if self._route == "planned":
            return INTENT not in self._planned
        return head_goes_first(calibration) or not answer.reliable

    def _warn_of_silence(self, draft: RatingResult) -> None:
        silent = [check.check for check in draft.admissibility if not check.reliable]
        if silent:
            names = {check.id: check.name for check in self._judge.criteria.template.checks}
            blind = "whether a text is a joke at all" if len(silent) == len(draft.admissibility) else None
            what = blind or f"whether a text is {listed([names[check] for check in silent])}"
            draft.warn(f"This model can't tell {what}, so every text passes there.")


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
