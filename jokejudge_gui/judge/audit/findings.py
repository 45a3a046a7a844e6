"""The findings of an audit, voice by voice, from its readings and answers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...core.statistics import Fraction, Vector, fraction, logit
from ...heads.audience import AudienceHead, Features
from ...rubric.perturbations import Form, Perturbations, Probe
from ..rating.admissibility_checker import REJECT_BELOW
from .record import ADMISSIONS, VOICES, AuditPair, Part, Readings, Voice, VoiceAudit, pair_key
from .statistics import (
    LEAST_EFFECT,
    STRONG_EFFECT,
    discoveries,
    length_slopes,
    moved_by_length,
    pull,
    slope,
    spread,
    strength,
)
from .trials import Trial, trials

SURE = 0.001
_CLEAR = math.log(3.0)
"""Log-odds from which a verdict counts as clear: p over .75."""
_LEAST_SHARE, _STRONG_SHARE = 0.02, 0.10
"""For voices on admission, whose pulls are shares of texts."""
_LEAST_PAIRS = 8
"""With fewer pairs no effect is reported."""


class Answers:
    """The voices' estimates, by text and by pair."""

    def __init__(self, head: AudienceHead | None, readings: Readings) -> None:
        self._head, self._readings = head, readings

    def of(self, part: Part, key: str, name: str) -> Any:
        """Return what was read or asked; None where it isn't known."""
        return self._readings.get((part, key), {}).get(name)

    def odds(self, voice: Voice, text_a: str, text_b: str) -> float | None:
        """Return the log-odds for A; None where the voice has no estimate for one of the texts."""
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
        """Return 1 where a text is admitted as a joke, else 0, by the head or by the model's checks; None where neither
        is known."""
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
        scores, kinds, across = (self.of("texts", text, name) for name in ("scores", "kinds", "across"))
        return None if scores is None else Features(scores, kinds, across=across)


_RATINGS: dict[Voice, tuple[Part, str]] = {
    "audience": ("texts", "percentile"), "editor": ("texts", "mean"), "rated": ("answers", "mean"),
}  # fmt: skip


class _Rows(NamedTuple):
    """One form's trials for which a voice has a verdict. ``sure``: log-odds for the changed joke before the change,
    ``moved``: their change; ``same``: verdicts unchanged; ``added``: characters; ``rating``: the mean change of the
    rating."""

    probe: Probe
    form: Form
    jokes: list[str]
    sure: Vector
    moved: Vector
    same: Vector
    length: Vector
    added: Vector
    rating: float | None

    def part(self, which: np.ndarray) -> dict[str, Any] | None:
        if not which.any():
            return None
        return {"kept": fraction(self.same[which]).model_dump(), "pull": float(self.moved[which].mean())}


class Findings:
    """The summary of an audit. ``noise``: standard deviation of a model's answer in nats, from its calibration."""

    def __init__(self, cases: Sequence[AuditPair], probes: Perturbations, answers: Answers, noise: float) -> None:
        self._cases, self._probes, self._answers, self._noise = cases, probes.probes, answers, noise
        self._trials = {
            (probe.id, form.id): trials(cases, probe, form, probes) for probe in probes.probes for form in probe.forms
        }

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
        roles = {probe.role for probe in self._probes}
        order = self._order() if voice == "asked" and "order" in roles else None
        own = self._own(base) if _compares(voice) and "own" in roles else None
        self._decide(voice, size, findings, order, own)
        return VoiceAudit(
            voice=voice,
            n=len(base),
            spread=size,
            agrees=self._agrees(base) if _compares(voice) else None,
            findings=tuple(findings),
            order=order,
            own=own,
            broken=self._broken(voice) if _compares(voice) else None,
        )

    def _base(self, voice: Voice) -> dict[str, float]:
        """A voice's log-odds for each unchanged pair, by the pair's id; for voices on admission: for each joke."""
        if not _compares(voice):
            texts = dict.fromkeys(text for case in self._cases for text in (case.text_a, case.text_b))
            return {text: value for text in texts if (value := self._answers.admitted(voice, text)) is not None}
        odds = {case.id: self._answers.odds(voice, case.text_a, case.text_b) for case in self._cases}
        return {id: value for id, value in odds.items() if value is not None}

    # The changed jokes

    def _findings(self, voice: Voice, size: float) -> list[dict[str, Any]]:
        probes = [probe for probe in self._probes if probe.role in ("control", "bias", "injection")]
        tried = (self._rows(voice, probe, form) for probe in probes for form in probe.forms)
        forms = [rows for rows in tried if rows is not None]
        # The effect of filler alone is subtracted, as the effect of length, from the other forms.
        filler = [(rows.added, rows.length, rows.moved) for rows in forms if rows.form.do == "filler"]
        slopes = length_slopes(*map(np.concatenate, zip(*filler, strict=True))) if filler else np.zeros(2)
        control = next((rows for rows in forms if rows.probe.role == "control"), None)
        calm = fraction(control.same).share if control is not None else None
        usual = dict(zip(control.jokes, control.moved, strict=True)) if control is not None else {}
        floor = self._floor(voice, size, usual)
        findings = []
        for rows in forms:
            raw = beyond = pull(rows.moved, rows.jokes)
            if rows.probe.role != "control" and rows.form.do != "filler":
                beyond = pull(rows.moved - moved_by_length(slopes, rows.added, rows.length), rows.jokes)
            clear = np.abs(rows.sure) > _CLEAR
            findings.append(
                {
                    "q": 1.0, "strength": "none", "probe": rows.probe.id, "form": rows.form.id, "role": rows.probe.role,
                    "kept": fraction(rows.same).model_dump(), "control": calm, "pull": raw, "beyond": beyond,
                    "floor": floor, "clear": rows.part(clear) if _compares(voice) else None,
                    "close": rows.part(~clear) if _compares(voice) else None, "rating": rows.rating,
                }
            )  # fmt: skip
        return findings

    def _rows(self, voice: Voice, probe: Probe, form: Form) -> _Rows | None:
        rows: list[tuple[Trial, float, float]] = []
        shifts = []
        for trial in self._trials[probe.id, form.id]:
            before, after = self._odds_of(voice, trial, trial.before), self._odds_of(voice, trial, trial.text)
            if before is None or after is None:
                continue
            rows.append((trial, before, after))
            was, now = self._answers.rating(voice, trial.before), self._answers.rating(voice, trial.text)
            if was is not None and now is not None:
                shifts.append(now - was)
        if not rows:
            return None
        trials_, sure, after_ = zip(*rows, strict=True)
        one, two = np.array(sure, dtype=float), np.array(after_, dtype=float)
        same = ((one > 0) == (two > 0) if _compares(voice) else one == two).astype(float)
        length = np.array([len(trial.before) for trial in trials_], dtype=float)
        added = np.array([len(trial.text) for trial in trials_], dtype=float) - length
        rating = math.fsum(shifts) / len(shifts) if shifts else None
        return _Rows(probe, form, [trial.base for trial in trials_], one, two - one, same, length, added, rating)

    def _odds_of(self, voice: Voice, trial: Trial, text: str) -> float | None:
        """Return the log-odds for the changed joke with ``text`` in its place."""
        if not _compares(voice):
            return self._answers.admitted(voice, text)
        odds = self._answers.odds(voice, *trial.pair(text))
        return None if odds is None else odds if trial.side == "A" else -odds

    def _floor(self, voice: Voice, size: float, usual: Mapping[str, float]) -> float:
        """Return the least pull that counts as an effect: the largest of the neutral change's pull, the noise of the
        model's answers in a mean over the pairs, and a tenth of the spread."""
        neutral = pull(list(usual.values()))
        most = abs(neutral["value"]) if neutral is not None else 0.0
        if not _compares(voice):
            return max(_LEAST_SHARE, most)
        # An answer is the mean over two orders, and a pull the difference of two of them.
        noise = self._noise / math.sqrt(max(1, len(usual))) if voice == "asked" else 0.0
        return max(LEAST_EFFECT * size, most, noise)

    def _decide(
        self,
        voice: Voice,
        size: float,
        findings: Sequence[dict[str, Any]],
        order: dict[str, Any] | None,
        own: dict[str, Any] | None,
    ) -> None:
        """Set each effect's q and strength; false discoveries are counted over all effects tested on the voice."""
        probes = {probe.id: probe for probe in self._probes}
        # Some forms serve only as the base of a comparison, such as a neutral slot.
        bases = {(probe.id, form.than) for probe in self._probes for form in probe.forms}
        least = LEAST_EFFECT * size
        tested: list[tuple[dict[str, Any], dict[str, Any], float, dict[str, Any]]] = []
        for one in findings:
            if one["role"] != "control" and (one["probe"], one["form"]) not in bases:
                flips = (one["control"] or 0.0) - (one["kept"]["share"] or 0.0) if _compares(voice) else 0.0
                toward = probes[one["probe"]].wrong == "toward"
                how = {"floor": one["floor"], "flips": flips, "toward": toward}
                tested.append((one, one["beyond"], one["beyond"]["value"], how))
        if order is not None:
            tested.append((order, order["pull"], order["pull"]["value"], {"floor": least}))
        if own is not None:
            # Only a preference for text that the model expects is a preference for its own kind of text.
            tested.append((own, own["slope"], -own["slope"]["effect"], {"floor": least, "toward": True}))
        strong = STRONG_EFFECT * size if _compares(voice) else _STRONG_SHARE
        q_values = discoveries([estimate["p"] for _, estimate, _, _ in tested])
        for (one, estimate, effect, how), q in zip(tested, q_values, strict=True):
            one["q"] = q
            if estimate["n"] >= _LEAST_PAIRS:
                one["strength"] = strength(effect, q, strong=strong, **how)

    # The rest

    def _agrees(self, base: Mapping[str, float]) -> Fraction | None:
        hits = [
            0.5 if base[case.id] == 0 else float((base[case.id] > 0) == (case.winner == "A"))
            for case in self._cases
            if case.winner is not None and case.id in base
        ]
        return fraction(hits) if hits else None

    def _order(self) -> dict[str, Any] | None:
        orders = [self._answers.orders(case.text_a, case.text_b) for case in self._cases]
        asked = [both for both in orders if both is not None]
        first = pull([0.5 * (a_first - b_first) for a_first, b_first in asked])
        if first is None:
            return None
        same = fraction([float((a_first > 0) == (b_first > 0)) for a_first, b_first in asked])
        return {"q": 1.0, "strength": "none", "same": same.model_dump(), "pull": first}

    def _own(self, base: Mapping[str, float]) -> dict[str, Any] | None:
        rows = []
        for case in self._cases:
            a, b = (self._answers.of("texts", text, "surprise") for text in (case.text_a, case.text_b))
            if a is not None and b is not None and case.id in base:
                rows.append((base[case.id], a - b, case.gap))
        if len(rows) < _LEAST_PAIRS:
            return None
        estimate = slope(*(np.array(column) for column in zip(*rows, strict=True)))
        return {"q": 1.0, "strength": "none", "slope": estimate} if estimate is not None else None

    def _broken(self, voice: Voice) -> Fraction | None:
        broken = (probe for probe in self._probes if probe.role == "broken")
        tried = (trial for probe in broken for form in probe.forms for trial in self._trials[probe.id, form.id])
        odds = (self._answers.odds(voice, trial.base, trial.text) for trial in tried)
        hits = [0.5 if value == 0 else float(value > 0) for value in odds if value is not None]
        return fraction(hits) if hits else None


def _compares(voice: Voice) -> bool:
    return voice not in ADMISSIONS
