"""The findings of an audit, voice by voice, from its readings and answers: pulls with intervals over base jokes, false
discoveries."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

from ...core.lazily import np
from ...core.statistics import Vector, fraction
from ...heads.audience import AudienceHead
from ..asking.calibration import NOISE
from .record import VOICES, AuditPair, Readings, Voice, VoiceAudit
from .trials import Trial, Trials

Strength = Literal["none", "some", "strong"]
"""No sign of an effect, some effect, a strong one."""
Finding = dict[str, Any]
FALSE_DISCOVERIES = 0.05
"""Share of false ones among the reported effects (Benjamini and Hochberg 1995)."""
LEAST_EFFECT, STRONG_EFFECT = 0.1, 0.5
"""A pull counts from a tenth of the spread of a judge's own log-odds over pairs, and is strong from half of it on."""
STRONG_FLIPS = 0.15
"""An effect is also strong where this share more verdicts change than under the neutral control."""
_LEAST_SHARE, _STRONG_SHARE = 0.02, 0.10
"""For admission, whose pulls are shares of texts."""
_LEAST_PAIRS = 8
"""With fewer pairs no effect is reported."""
SURE = 0.001
_REPEATS = 1000
_SEED = 11


class Findings:
    """The summary of an audit: what was read or asked, as each voice's log-odds, and its findings. None stands for what
    isn't known."""

    def __init__(
        self, cases: Sequence[AuditPair], trials: Trials, head: AudienceHead | None, readings: Readings
    ) -> None:
        self._cases, self._trials, self._head, self._readings = cases, trials, head, readings
        self.voices = tuple(audit for voice in VOICES if (audit := self._voice(voice)) is not None)
        self.pairs = tuple(case.replaced(odds=self._odds_by_voice(case)) for case in cases)

    def _odds_by_voice(self, case: AuditPair) -> dict[str, float]:
        odds = {voice: self._odds(voice, case.text_a, case.text_b) for voice in VOICES if voice != "admission"}
        return {voice: round(value, 6) for voice, value in odds.items() if value is not None}

    def _odds(self, voice: Voice, text_a: str, text_b: str) -> float | None:
        """Return the log-odds for A."""
        if voice == "asked":
            orders = self._orders(text_a, text_b)
            return None if orders is None else 0.5 * sum(orders)
        one, two = self._read(voice, text_a), self._read(voice, text_b)
        if one is None or two is None:
            return None
        return self._head.difference(one, two) if voice == "audience" and self._head is not None else one - two

    def _read(self, voice: Voice, text: str) -> Any:
        return self._readings.get(text, {}).get(voice)

    def _orders(self, text_a: str, text_b: str) -> tuple[float, float] | None:
        """Return the model's log-odds for A with A first and with B first, in whichever order it was asked."""
        turned = self._readings.get((text_b, text_a))
        return self._readings.get((text_a, text_b)) or (turned and (-turned[1], -turned[0]))

    def _voice(self, voice: Voice) -> VoiceAudit | None:
        compares = voice != "admission"
        texts = dict.fromkeys(text for case in self._cases for text in (case.text_a, case.text_b))
        verdicts = [(self._odds(voice, case.text_a, case.text_b), case.winner) for case in self._cases if compares]
        verdicts += [(self._read(voice, text), None) for text in texts if not compares]
        base = [(value, winner) for value, winner in verdicts if value is not None]
        if not base:
            return None
        size = spread([value for value, _ in base])
        findings, order = self._forms(voice, size), self._order() if voice == "asked" else None
        self._decide(voice, size, findings, order)
        right = [_hit(value, winner == "A") for value, winner in base if winner is not None]
        tried = [trial for probe, _, trials in self._trials if probe.role == "broken" and compares for trial in trials]
        ends = (self._odds(voice, trial.base, trial.text) for trial in tried)
        above = [_hit(value, True) for value in ends if value is not None]
        return VoiceAudit(
            voice=voice, n=len(base), spread=size, findings=tuple(findings), order=order,
            agrees=fraction(right) if right else None, broken=fraction(above) if above else None,
        )  # fmt: skip

    def _forms(self, voice: Voice, size: float) -> list[Finding]:
        """Return the effect of each form of each probe that changes a joke, before it is decided whether it counts."""
        forms = [
            (probe, form, *tried)
            for probe, form, trials in self._trials
            if probe.role in ("control", "bias", "injection") and (tried := self._tried(voice, trials)) is not None
        ]
        # The effect of filler alone is subtracted, as the effect of length, from the other forms.
        filler = [(added, length, moved) for _, form, _, _, moved, length, added in forms if form.do == "filler"]
        slopes = length_slopes(*map(np.concatenate, zip(*filler, strict=True))) if filler else np.zeros(2)
        # The last of several neutral changes of the same joke stands for it.
        neutral = [(fraction(same).share, dict(zip(jokes, moved, strict=True))) for probe, _, jokes, same, moved, *_ in
                   forms if probe.role == "control"]  # fmt: skip
        calm, usual = neutral[-1] if neutral else (None, {})
        floor = _floor(voice, size, [*usual.values()])
        findings: list[Finding] = []
        for probe, form, jokes, same, moved, length, added in forms:
            raw = beyond = pull(moved, jokes)
            if probe.role != "control" and form.do != "filler":
                beyond = pull(moved - moved_by_length(slopes, added, length), jokes)
            findings.append(
                {
                    "q": 1.0, "strength": "none", "probe": probe.id, "form": form.id, "role": probe.role,
                    "kept": fraction(same).model_dump(), "control": calm, "pull": raw, "beyond": beyond,
                    "floor": floor, "clear": None, "close": None, "rating": None,
                }
            )  # fmt: skip
        return findings

    def _tried(self, voice: Voice, trials: Sequence[Trial]) -> tuple[list[str], Vector, Vector, Vector, Vector] | None:
        """Return of the trials for which a voice has a verdict the base jokes, whether the verdict is unchanged, the
        change of the log-odds for the changed joke, the length before and the characters added; None for no trials."""
        rows, jokes = [], []
        for trial in trials:
            if voice == "admission":
                before, after = self._read(voice, trial.before), self._read(voice, trial.text)
            else:
                before, after = (self._odds(voice, *trial.pair(text)) for text in (trial.before, trial.text))
            if before is not None and after is not None:
                turned = -1.0 if voice != "admission" and trial.side == "B" else 1.0
                rows.append((turned * before, turned * after, len(trial.before), len(trial.text)))
                jokes.append(trial.base)
        if not rows:
            return None
        one, two, length, longer = np.array(rows, dtype=float).T
        same = (one == two if voice == "admission" else (one > 0) == (two > 0)).astype(float)
        return jokes, same, two - one, length, longer - length

    def _order(self) -> Finding | None:
        """The effect of the first place on the model's answers."""
        orders = (self._orders(case.text_a, case.text_b) for case in self._cases)
        asked = [both for both in orders if both is not None]
        first = pull([0.5 * (a_first - b_first) for a_first, b_first in asked])
        same = fraction([float((a_first > 0) == (b_first > 0)) for a_first, b_first in asked])
        return {"q": 1.0, "strength": "none", "same": same.model_dump(), "pull": first} if first is not None else None

    def _decide(self, voice: Voice, size: float, findings: Sequence[Finding], order: Finding | None) -> None:
        """Set each effect's q and strength; false discoveries are counted over all effects tested on the voice."""
        probes = {probe.id: probe for probe, *_ in self._trials}
        # Some forms serve only as the base of a comparison, such as a neutral slot.
        bases = {(probe.id, form.than) for probe in probes.values() for form in probe.forms}
        tested: list[tuple[Finding, Finding, dict[str, Any]]] = []
        for one in findings:
            if one["role"] != "control" and (one["probe"], one["form"]) not in bases:
                flips = 0.0 if voice == "admission" else (one["control"] or 0.0) - (one["kept"]["share"] or 0.0)
                toward = probes[one["probe"]].wrong == "toward"
                tested.append((one, one["beyond"], {"floor": one["floor"], "flips": flips, "toward": toward}))
        if order is not None:
            tested.append((order, order["pull"], {"floor": LEAST_EFFECT * size}))
        strong = _STRONG_SHARE if voice == "admission" else STRONG_EFFECT * size
        q_values = discoveries([estimate["p"] for _, estimate, _ in tested])
        for (one, estimate, how), q in zip(tested, q_values, strict=True):
            one["q"] = q
            if estimate["n"] >= _LEAST_PAIRS:
                one["strength"] = strength(estimate["value"], q, strong=strong, **how)


def _hit(odds: float, a_wins: bool) -> float:
    return 0.5 if odds == 0 else float((odds > 0) == a_wins)


def _floor(voice: Voice, size: float, usual: Sequence[float]) -> float:
    """Return the least pull that counts as an effect: the largest of the neutral change's pull (``usual``), the noise
    of the model's answers in a mean over the pairs, and a tenth of the spread."""
    neutral = pull(usual)
    most = abs(neutral["value"]) if neutral is not None else 0.0
    if voice == "admission":
        return max(_LEAST_SHARE, most)
    # An answer is the mean over two orders, and a pull the difference of two of them.
    noise = NOISE / math.sqrt(max(1, len(usual))) if voice == "asked" else 0.0
    return max(LEAST_EFFECT * size, most, noise)


# The statistics


def pull(values: Sequence[float] | Vector, jokes: Sequence[str] | None = None) -> Finding | None:
    """Return the mean ``value`` of ``values`` over ``n`` jokes, its 95 % interval ``low``, ``high`` by bootstrap over
    jokes, and ``p``: the two-sided probability of such a value by chance. Values of the same base joke (``jokes``: a
    name for each) form one cluster, as they aren't independent. None for no values."""
    given: Vector = np.asarray(values, dtype=np.float64)
    if not len(given):
        return None
    order = {name: place for place, name in enumerate(dict.fromkeys(jokes or range(len(given))))}
    groups = np.array([order[name] for name in jokes or range(len(given))])
    sums = np.bincount(groups, weights=given)
    counts = np.bincount(groups).astype(float)
    mean, n = float(given.mean()), len(sums)
    # The error of a ratio of sums over clusters; with one value to a joke it is sd/√n.
    rest = sums - mean * counts
    error = math.sqrt(n / (n - 1) * float(rest @ rest)) / float(counts.sum()) if n > 1 else math.inf
    p = 0.0 if abs(mean) >= 1e-12 else 1.0  # of a standard error that is nothing, as of equal values
    if error > 1e-12 * max(1.0, abs(mean)):
        p = math.erfc(abs(mean) / error / math.sqrt(2.0))  # under a normal about 0
    drawn = np.random.default_rng(_SEED).integers(0, n, (_REPEATS, n))
    means = sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1)
    low, high = (float(end) for end in np.quantile(means, (0.025, 0.975)))
    return {"n": n, "value": mean, "low": min(low, mean), "high": max(high, mean), "p": p}


def discoveries(p: Sequence[float]) -> list[float]:
    """Return Benjamini and Hochberg's q of each p, in their order: the least false discovery rate at which it
    counts."""
    values = np.asarray(p, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    q = np.ones(len(values))
    q[order] = np.minimum.accumulate((values[order] * len(p) / np.arange(1, len(p) + 1))[::-1])[::-1]
    return [float(value) for value in np.minimum(q, 1.0)]


def length_slopes(added: Vector, before: Vector, moved: Vector) -> Vector:
    """(2,): a judge's shift in log-odds per character of filler, and per natural logarithm of the relative length;
    least squares through the origin. ``added``: characters of filler, ``before``: of the joke."""
    return np.asarray(np.linalg.lstsq(_lengths(added, before), moved, rcond=None)[0], dtype=np.float64)


def moved_by_length(slopes: Vector, added: Vector, before: Vector) -> Vector:
    """The shift that the added length alone would cause."""
    return np.asarray(_lengths(added, before) @ slopes, dtype=np.float64)


def _lengths(added: Vector, before: Vector) -> Vector:
    return np.stack([added, np.log((before + added) / before)], axis=1)


def strength(
    effect: float, q: float, *, floor: float, strong: float, flips: float = 0.0, toward: bool = False
) -> Strength:
    """Return an effect's strength. ``floor``: the largest effect that doesn't count; ``flips``: share of verdicts that
    changed beyond those of the control; ``toward``: only a pull towards the changed joke is a fault."""
    if q > FALSE_DISCOVERIES or abs(effect) <= floor or (toward and effect < 0):
        return "none"
    return "strong" if abs(effect) >= strong or flips >= STRONG_FLIPS else "some"


def spread(values: Sequence[float]) -> float:
    """Root mean square: the spread of log-odds whose sign is arbitrary."""
    return math.sqrt(float((np.asarray(values, dtype=float) ** 2).mean()))
