"""The findings of an audit, voice by voice, from the stored readings and answers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from ...core.statistics import Fraction, Vector, fraction
from ...rubric.perturbations import Form, Perturbations, Probe
from .statistics import (
    LEAST_EFFECT,
    STRONG_EFFECT,
    Pull,
    discoveries,
    length_slopes,
    moved_by_length,
    pull,
    slope,
    spread,
    strength,
)
from .trials import Trial, trials
from .types import ADMISSIONS, Case, Finding, Order, OwnTaste, Part, Voice, VoiceAudit
from .voices import Answers

Tried = TypeVar("Tried", Finding, Order, OwnTaste)
VOICES: tuple[Voice, ...] = ("audience", "editor", "asked", "rated", "admission", "checks")
_CLEAR = math.log(3.0)
"""Log-odds from which a verdict counts as clear: p over .75."""
_LEAST_SHARE, _STRONG_SHARE = 0.02, 0.10
"""For voices on admission, whose pulls are shares of texts."""
_LEAST_PAIRS = 8
"""With fewer pairs no effect is reported."""


@dataclass(frozen=True)
class _Rows:
    """One form's trials for which a voice has a verdict. ``sure``, ``after``: log-odds for the changed joke before and
    after the change; ``kept``: verdicts unchanged; ``rating``: the mean change of the rating."""

    probe: Probe
    form: Form
    trials: tuple[Trial, ...]
    sure: Vector
    after: Vector
    kept: Vector
    rating: float | None

    @property
    def moved(self) -> Vector:
        """The change of the log-odds towards the changed joke."""
        return self.after - self.sure

    @property
    def jokes(self) -> list[str]:
        return [trial.base for trial in self.trials]

    @property
    def length(self) -> Vector:
        """Characters before the change."""
        return np.array([len(trial.before) for trial in self.trials], dtype=float)

    @property
    def added(self) -> Vector:
        return np.array([len(trial.text) for trial in self.trials], dtype=float) - self.length


class Findings:
    """The summary of an audit. ``noise``: standard deviation of a model's answer in nats, from its calibration."""

    def __init__(self, cases: Sequence[Case], perturbations: Perturbations, answers: Answers, noise: float) -> None:
        self._cases = cases
        self._perturbations = perturbations
        self._answers = answers
        self._noise = noise
        self._trials: dict[tuple[str, str], list[Trial]] = {
            (probe.id, form.id): trials(cases, probe, form, perturbations)
            for probe in perturbations.probes
            for form in probe.forms
        }

    def voices(self) -> tuple[VoiceAudit, ...]:
        found = (self._voice(voice) for voice in VOICES)
        return tuple(voice for voice in found if voice is not None)

    def odds(self, case: Case) -> dict[str, float]:
        """Return each voice's log-odds for A of an unchanged pair."""
        known = {
            voice: self._answers.odds(voice, case.text_a, case.text_b) for voice in VOICES if voice not in ADMISSIONS
        }
        return {voice: round(value, 6) for voice, value in known.items() if value is not None}

    def _voice(self, voice: Voice) -> VoiceAudit | None:
        base = self._base(voice)
        if not base:
            return None
        size = spread(list(base.values()))
        every = [
            self._rows(voice, probe, form)
            for probe in self._perturbations.probes
            if probe.role in ("control", "bias", "injection")
            for form in probe.forms
        ]
        findings = self._measured(voice, [rows for rows in every if rows is not None], size)
        order = self._order() if voice == "asked" and self._has("order") else None
        compares = voice not in ADMISSIONS
        own = self._own(base) if compares and self._has("own") else None
        return _decided(
            VoiceAudit(
                voice=voice,
                n=len(base),
                spread=size,
                agrees=self._agrees(base) if compares else None,
                findings=tuple(findings),
                order=order,
                own=own,
                broken=self._broken(voice) if compares else None,
            ),
            {probe.id: probe for probe in self._perturbations.probes},
        )

    def _base(self, voice: Voice) -> dict[str, float]:
        """A voice's log-odds for each unchanged pair, by the pair's id; for voices on admission: for each joke."""
        if voice in ADMISSIONS:
            texts = dict.fromkeys(text for case in self._cases for text in (case.text_a, case.text_b))
            return {text: value for text in texts if (value := self._answers.admitted(voice, text)) is not None}
        known = {case.id: self._answers.odds(voice, case.text_a, case.text_b) for case in self._cases}
        return {id: value for id, value in known.items() if value is not None}

    def _has(self, role: str) -> bool:
        return any(probe.role == role for probe in self._perturbations.probes)

    # -- forms -----------------------------------------------------------------------------------------------------

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
        spoken, sure, after_ = zip(*rows, strict=True)
        one, two = np.array(sure, dtype=float), np.array(after_, dtype=float)
        same = one == two if voice in ADMISSIONS else (one > 0) == (two > 0)
        rating = math.fsum(shifts) / len(shifts) if shifts else None
        return _Rows(probe, form, spoken, one, two, same.astype(float), rating)

    def _odds_of(self, voice: Voice, trial: Trial, text: str) -> float | None:
        """Return the log-odds for the changed joke with ``text`` in its place."""
        if voice in ADMISSIONS:
            return self._answers.admitted(voice, text)
        odds = self._answers.odds(voice, *trial.pair(text))
        return None if odds is None else odds if trial.side == "A" else -odds

    def _measured(self, voice: Voice, every: Sequence[_Rows], size: float) -> list[Finding]:
        slopes = self._length_slopes(every)
        control = next((rows for rows in every if rows.probe.role == "control"), None)
        usual = dict(zip(control.jokes, control.moved, strict=True)) if control is not None else {}
        calm = fraction(control.kept).share if control is not None else None
        found = []
        for rows in every:
            raw = pull(rows.moved, rows.jokes)
            assert raw is not None
            beyond = self._beyond(rows, slopes)
            found.append(
                Finding(
                    probe=rows.probe.id,
                    form=rows.form.id,
                    role=rows.probe.role,
                    kept=fraction(rows.kept),
                    control=calm,
                    pull=raw,
                    beyond=raw if beyond is None else beyond,
                    floor=self._floor(voice, size, usual),
                    clear=_part(rows, np.abs(rows.sure) > _CLEAR) if voice not in ADMISSIONS else None,
                    close=_part(rows, np.abs(rows.sure) <= _CLEAR) if voice not in ADMISSIONS else None,
                    rating=rows.rating,
                )
            )
        return found

    def _length_slopes(self, every: Sequence[_Rows]) -> Vector:
        """The effect of filler alone, which is subtracted as the effect of length from the other forms."""
        filler = [rows for rows in every if rows.form.do == "filler"]
        if not filler:
            return np.zeros(2)
        added, length, moved = (
            np.concatenate([getattr(rows, name) for rows in filler]) for name in ("added", "length", "moved")
        )
        return length_slopes(added, length, moved)

    def _beyond(self, rows: _Rows, slopes: Vector) -> Pull | None:
        """Return the pull without that of the added length; None for the control and for forms that test length."""
        if rows.probe.role == "control" or rows.form.do == "filler":
            return None
        return pull(rows.moved - moved_by_length(slopes, rows.added, rows.length), rows.jokes)

    def _floor(self, voice: Voice, size: float, usual: Mapping[str, float]) -> float:
        """Return the least pull that counts as an effect: the largest of the neutral change's pull, the noise of the
        model's answers in a mean over the pairs, and a tenth of the spread."""
        neutral = pull(list(usual.values()))
        most = abs(neutral.value) if neutral is not None else 0.0
        if voice in ADMISSIONS:
            return max(_LEAST_SHARE, most)
        # An answer is the mean over two orders, and a pull the difference of two of them.
        noise = self._noise / math.sqrt(max(1, len(usual))) if voice == "asked" else 0.0
        return max(LEAST_EFFECT * size, most, noise)

    # -- the rest --------------------------------------------------------------------------------------------------

    def _agrees(self, base: Mapping[str, float]) -> Fraction | None:
        hits = [
            0.5 if base[case.id] == 0 else float((base[case.id] > 0) == (case.winner == "A"))
            for case in self._cases
            if case.winner is not None and case.id in base
        ]
        return fraction(hits) if hits else None

    def _order(self) -> Order | None:
        asked = [self._answers.asked(case.text_a, case.text_b) for case in self._cases]
        known = [each for each in asked if each is not None]
        first = pull([0.5 * (each.a_first - each.b_first) for each in known])
        if first is None:
            return None
        return Order(same=fraction([float((each.a_first > 0) == (each.b_first > 0)) for each in known]), pull=first)

    def _own(self, base: Mapping[str, float]) -> OwnTaste | None:
        rows = []
        for case in self._cases:
            a, b = self._answers.surprise(case.text_a), self._answers.surprise(case.text_b)
            if a is not None and b is not None and case.id in base:
                rows.append((base[case.id], a - b, case.gap))
        if len(rows) < _LEAST_PAIRS:
            return None
        y, x, held = (np.array(column) for column in zip(*rows, strict=True))
        found = slope(y, x, held)
        return OwnTaste(slope=found) if found is not None else None

    def _broken(self, voice: Voice) -> Fraction | None:
        hits = []
        for probe in self._perturbations.probes:
            if probe.role == "broken":
                for trial in (each for form in probe.forms for each in self._trials[probe.id, form.id]):
                    odds = self._answers.odds(voice, trial.base, trial.text)
                    if odds is not None:
                        hits.append(0.5 if odds == 0 else float(odds > 0))
        return fraction(hits) if hits else None


def _part(rows: _Rows, which: np.ndarray) -> Part | None:
    if not which.any():
        return None
    return Part(kept=fraction(rows.kept[which]), pull=float(rows.moved[which].mean()))


def _decided(voice: VoiceAudit, probes: Mapping[str, Probe]) -> VoiceAudit:
    """Return ``voice`` with each effect's strength; false discoveries are counted over all effects tested on it."""
    # Some forms serve only as the base of a comparison, such as a neutral slot.
    bases = {(probe.id, form.than) for probe in probes.values() for form in probe.forms}
    tried = [each for each in voice.findings if each.role != "control" and (each.probe, each.form) not in bases]
    p = [finding.beyond.p for finding in tried]
    p += [voice.order.pull.p] if voice.order else []
    p += [voice.own.slope.p] if voice.own else []
    q = iter(discoveries(p))
    strong = _STRONG_SHARE if voice.voice in ADMISSIONS else STRONG_EFFECT * voice.spread
    least = LEAST_EFFECT * voice.spread

    def decided(
        found: Tried, effect: float, n: int, *, floor: float, flips: float = 0.0, toward: bool = False
    ) -> Tried:
        mine = next(q)
        said = strength(effect, mine, floor=floor, strong=strong, flips=flips, toward=toward)
        return found.replaced(q=mine, strength=said if n >= _LEAST_PAIRS else "none")

    findings = []
    for each in voice.findings:
        if each in tried:
            flips = 0.0 if voice.voice in ADMISSIONS else (each.control or 0.0) - (each.kept.share or 0.0)
            toward = probes[each.probe].wrong == "toward"
            each = decided(each, each.beyond.value, each.beyond.n, floor=each.floor, flips=flips, toward=toward)
        findings.append(each)
    order, own = voice.order, voice.own
    if order is not None:
        order = decided(order, order.pull.value, order.pull.n, floor=least)
    if own is not None:
        # Only a preference for text that the model expects is a preference for its own kind of text.
        own = decided(own, -own.slope.effect, own.slope.n, floor=least, toward=True)
    return voice.replaced(findings=tuple(findings), order=order, own=own)
