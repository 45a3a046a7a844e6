"""The findings of an audit, voice by voice, from its readings and answers: pulls with intervals over base jokes, false
discoveries."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from ...core.statistics import Fraction, Vector, fraction, logit
from ...heads.audience import AudienceHead, Features
from ...rubric.perturbations import Perturbations
from ..asking.measured import NOISE
from ..rating.admissibility_checker import REJECT_BELOW
from .record import ADMISSIONS, VOICES, AuditPair, Part, Readings, Voice, VoiceAudit, pair_key
from .trials import Trial, all_trials

if TYPE_CHECKING:
    import numpy as np
else:
    from ...core.lazily import numpy as np

Strength = Literal["none", "some", "strong"]
"""No sign of an effect, some effect, a strong one."""
Estimate = dict[str, Any]
"""A ``value`` over ``n`` jokes, its 95 % interval ``low``, ``high``, and ``p``: the two-sided probability of such a
value by chance."""
FALSE_DISCOVERIES = 0.05
"""Share of false ones among the reported effects (Benjamini and Hochberg 1995)."""
LEAST_EFFECT, STRONG_EFFECT = 0.1, 0.5
"""A pull counts from a tenth of the spread of a judge's own log-odds over pairs, and is strong from half of it on."""
STRONG_FLIPS = 0.15
"""An effect is also strong where this share more verdicts change than under the neutral control."""
_LEAST_SHARE, _STRONG_SHARE = 0.02, 0.10
"""For voices on admission, whose pulls are shares of texts."""
_LEAST_PAIRS = 8
"""With fewer pairs no effect is reported."""
SURE = 0.001
_REPEATS = 1000
_SEED = 11
_RATINGS: dict[Voice, tuple[Part, str]] = {
    "audience": ("texts", "percentile"), "editor": ("texts", "mean"), "rated": ("answers", "mean"),
}  # fmt: skip


class Answers:
    """The voices' estimates, by text and by pair; None where they aren't known."""

    def __init__(self, head: AudienceHead | None, readings: Readings) -> None:
        self._head, self._readings = head, readings

    def of(self, part: Part, key: str, name: str) -> Any:
        """Return what was read or asked."""
        return self._readings.get((part, key), {}).get(name)

    def odds(self, voice: Voice, text_a: str, text_b: str) -> float | None:
        """Return the log-odds for A."""
        if voice == "asked":
            orders = self.orders(text_a, text_b)
            return None if orders is None else 0.5 * sum(orders)
        if voice == "audience":
            one, two = (self._features(text) for text in (text_a, text_b))
            return self._head.difference(one, two) if self._head and one and two else None
        a, b = (self._place(voice, text) for text in (text_a, text_b))
        return None if a is None or b is None else a - b

    def orders(self, text_a: str, text_b: str) -> tuple[float, float] | None:
        """Return the model's log-odds for A with A first and with B first, in whichever order it was asked."""
        if (same := self._readings.get(("pairs", pair_key(text_a, text_b)))) is not None:
            return same["a_first"], same["b_first"]
        turned = self._readings.get(("pairs", pair_key(text_b, text_a)))
        return None if turned is None else (-turned["b_first"], -turned["a_first"])

    def admitted(self, voice: Voice, text: str) -> float | None:
        """Return 1 where a text is admitted as a joke, else 0, by the head or by the model's checks."""
        admitted: float | None = self.of("answers", text, "admitted")
        joke = self.of("texts", text, "joke")
        return admitted if voice == "checks" else None if joke is None else float(joke >= REJECT_BELOW)

    def rating(self, voice: Voice, text: str) -> float | None:
        """Return a voice's rating of a text: the percentile, or a mean of 5."""
        part, name = _RATINGS.get(voice, ("texts", ""))
        rating: float | None = self.of(part, text, name)
        return rating

    def _place(self, voice: Voice, text: str) -> float | None:
        if voice == "editor":
            editor: float | None = self.of("texts", text, "editor")
            return editor
        mean = self.rating(voice, text)
        return None if mean is None else logit(mean / 5.0, SURE)

    def _features(self, text: str) -> Features | None:
        scores, kinds, upper = (self.of("texts", text, name) for name in ("scores", "kinds", "upper"))
        return None if scores is None else Features(scores, kinds, upper=upper)


class Findings:
    """The summary of an audit."""

    def __init__(self, cases: Sequence[AuditPair], probes: Perturbations, answers: Answers) -> None:
        self._cases, self._probes, self._answers = cases, probes.probes, answers
        self._trials = list(all_trials(cases, probes))

    def voices(self) -> tuple[VoiceAudit, ...]:
        return tuple(audit for voice in VOICES if (audit := self._voice(voice)) is not None)

    def odds(self, case: AuditPair) -> dict[str, float]:
        """Return each voice's log-odds for A of an unchanged pair."""
        odds = {voice: self._answers.odds(voice, case.text_a, case.text_b) for voice in VOICES if _compares(voice)}
        return {voice: round(value, 6) for voice, value in odds.items() if value is not None}

    def _voice(self, voice: Voice) -> VoiceAudit | None:
        base = self._base(voice)
        if not base:
            return None
        size = spread(list(base.values()))
        findings = self._findings(voice, size)
        roles, compares = {probe.role for probe in self._probes}, _compares(voice)
        order = self._order() if voice == "asked" and "order" in roles else None
        self._decide(voice, size, findings, order)
        return VoiceAudit(
            voice=voice, n=len(base), spread=size, agrees=self._agrees(base) if compares else None,
            findings=tuple(findings), order=order, broken=self._broken(voice) if compares else None,
        )  # fmt: skip

    def _base(self, voice: Voice) -> dict[str, float]:
        """A voice's log-odds for each unchanged pair, by the pair's id; for voices on admission: for each joke."""
        values: dict[str, float | None] = {case.id: self._answers.odds(voice, case.text_a, case.text_b)
                                           for case in self._cases}  # fmt: skip
        if not _compares(voice):
            texts = (text for case in self._cases for text in (case.text_a, case.text_b))
            values = {text: self._answers.admitted(voice, text) for text in texts}
        return {key: value for key, value in values.items() if value is not None}

    def _findings(self, voice: Voice, size: float) -> list[dict[str, Any]]:
        """Return the effect of each form of each probe that changes a joke, before it is decided whether it counts."""
        forms = [
            (probe, form, *tried)
            for probe, form, trials in self._trials
            if probe.role in ("control", "bias", "injection") and (tried := self._tried(voice, trials)) is not None
        ]
        # The effect of filler alone is subtracted, as the effect of length, from the other forms.
        filler = [(added, length, moved) for _, form, _, _, moved, length, added, _ in forms if form.do == "filler"]
        slopes = length_slopes(*map(np.concatenate, zip(*filler, strict=True))) if filler else np.zeros(2)
        control = next(((jokes, same, moved) for probe, _, jokes, same, moved, *_ in forms if probe.role == "control"),
                       None)  # fmt: skip
        calm = fraction(control[1]).share if control is not None else None
        # The last of several changes of the same joke stands for it.
        usual = [*dict(zip(control[0], control[2], strict=True)).values()] if control is not None else []
        floor = self._floor(voice, size, usual)
        findings = []
        for probe, form, jokes, same, moved, length, added, rating in forms:
            raw = beyond = pull(moved, jokes)
            if probe.role != "control" and form.do != "filler":
                beyond = pull(moved - moved_by_length(slopes, added, length), jokes)
            findings.append(
                {
                    "q": 1.0, "strength": "none", "probe": probe.id, "form": form.id, "role": probe.role,
                    "kept": fraction(same).model_dump(), "control": calm, "pull": raw, "beyond": beyond,
                    "floor": floor, "clear": None, "close": None, "rating": rating,
                }
            )  # fmt: skip
        return findings

    def _tried(
        self, voice: Voice, trials: Sequence[Trial]
    ) -> tuple[list[str], Vector, Vector, Vector, Vector, float | None] | None:
        """Return of the trials for which a voice has a verdict the base jokes, whether the verdict is unchanged, the
        change of the log-odds for the changed joke, the length before and the characters added, and the mean change of
        the rating; None for no trials."""
        rows = []
        for trial in trials:
            before, after = (self._odds_of(voice, trial, text) for text in (trial.before, trial.text))
            if before is not None and after is not None:
                rows.append((trial, before, after))
        if not rows:
            return None
        one, two = (np.array([row[at] for row in rows], dtype=float) for at in (1, 2))
        same = ((one > 0) == (two > 0) if _compares(voice) else one == two).astype(float)
        length = np.array([len(trial.before) for trial, _, _ in rows], dtype=float)
        added = np.array([len(trial.text) for trial, _, _ in rows], dtype=float) - length
        rated = [[self._answers.rating(voice, text) for text in (trial.before, trial.text)] for trial, _, _ in rows]
        shifts = [now - was for was, now in rated if was is not None and now is not None]
        rating = math.fsum(shifts) / len(shifts) if shifts else None
        return [trial.base for trial, _, _ in rows], same, two - one, length, added, rating

    def _odds_of(self, voice: Voice, trial: Trial, text: str) -> float | None:
        """Return the log-odds for the changed joke with ``text`` in its place."""
        if not _compares(voice):
            return self._answers.admitted(voice, text)
        odds = self._answers.odds(voice, *trial.pair(text))
        return None if odds is None else odds if trial.side == "A" else -odds

    def _floor(self, voice: Voice, size: float, usual: Sequence[float]) -> float:
        """Return the least pull that counts as an effect: the largest of the neutral change's pull (``usual``), the
        noise of the model's answers in a mean over the pairs, and a tenth of the spread."""
        neutral = pull(usual)
        most = abs(neutral["value"]) if neutral is not None else 0.0
        if not _compares(voice):
            return max(_LEAST_SHARE, most)
        # An answer is the mean over two orders, and a pull the difference of two of them.
        noise = NOISE / math.sqrt(max(1, len(usual))) if voice == "asked" else 0.0
        return max(LEAST_EFFECT * size, most, noise)

    def _decide(
        self,
        voice: Voice,
        size: float,
        findings: Sequence[dict[str, Any]],
        order: dict[str, Any] | None,
    ) -> None:
        """Set each effect's q and strength; false discoveries are counted over all effects tested on the voice."""
        wrong = {probe.id: probe.wrong for probe in self._probes}
        # Some forms serve only as the base of a comparison, such as a neutral slot.
        bases = {(probe.id, form.than) for probe in self._probes for form in probe.forms}
        tested: list[tuple[dict[str, Any], Estimate, float, dict[str, Any]]] = []
        for one in findings:
            if one["role"] != "control" and (one["probe"], one["form"]) not in bases:
                flips = (one["control"] or 0.0) - (one["kept"]["share"] or 0.0) if _compares(voice) else 0.0
                how = {"floor": one["floor"], "flips": flips, "toward": wrong[one["probe"]] == "toward"}
                tested.append((one, one["beyond"], one["beyond"]["value"], how))
        if order is not None:
            tested.append((order, order["pull"], order["pull"]["value"], {"floor": LEAST_EFFECT * size}))
        strong = STRONG_EFFECT * size if _compares(voice) else _STRONG_SHARE
        q_values = discoveries([estimate["p"] for _, estimate, _, _ in tested])
        for (one, estimate, effect, how), q in zip(tested, q_values, strict=True):
            one["q"] = q
            if estimate["n"] >= _LEAST_PAIRS:
                one["strength"] = strength(effect, q, strong=strong, **how)

    def _agrees(self, base: dict[str, float]) -> Fraction | None:
        rows = [(base[case.id], case.winner) for case in self._cases if case.winner is not None and case.id in base]
        hits = [0.5 if odds == 0 else float((odds > 0) == (winner == "A")) for odds, winner in rows]
        return fraction(hits) if hits else None

    def _order(self) -> dict[str, Any] | None:
        orders = (self._answers.orders(case.text_a, case.text_b) for case in self._cases)
        asked = [both for both in orders if both is not None]
        first = pull([0.5 * (a_first - b_first) for a_first, b_first in asked])
        same = fraction([float((a_first > 0) == (b_first > 0)) for a_first, b_first in asked])
        return {"q": 1.0, "strength": "none", "same": same.model_dump(), "pull": first} if first is not None else None

    def _broken(self, voice: Voice) -> Fraction | None:
        tried = (trial for probe, _, trials in self._trials if probe.role == "broken" for trial in trials)
        odds = (self._answers.odds(voice, trial.base, trial.text) for trial in tried)
        hits = [0.5 if value == 0 else float(value > 0) for value in odds if value is not None]
        return fraction(hits) if hits else None


def _compares(voice: Voice) -> bool:
    return voice not in ADMISSIONS


# The statistics


def pull(values: Sequence[float] | Vector, jokes: Sequence[str] | None = None) -> Estimate | None:
    """Return the mean of ``values``; values of the same base joke (``jokes``: a name for each) form one cluster, as
    they aren't independent. The interval is by bootstrap over jokes. None for no values."""
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
    drawn = np.random.default_rng(_SEED).integers(0, n, (_REPEATS, n))
    means = sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1)
    low, high = (float(end) for end in np.quantile(means, (0.025, 0.975)))
    return {"n": n, "value": mean, "low": min(low, mean), "high": max(high, mean), "p": chance(mean, error)}


def chance(value: float, error: float) -> float:
    """Return the two-sided probability of ``value`` under a normal around 0 with this standard error."""
    if not math.isfinite(error):
        return 1.0
    if error <= 1e-12 * max(1.0, abs(value)):
        return 1.0 if abs(value) < 1e-12 else 0.0
    return math.erfc(abs(value) / error / math.sqrt(2.0))


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
    if not len(added):
        return np.zeros(2)
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
    given = np.asarray(values, dtype=float)
    return math.sqrt(float((given**2).mean())) if given.size else 0.0
