"""The voices' readings and answers from the loaded model, for a text and for a pair."""

from __future__ import annotations

import hashlib
import json
import math
from typing import Any

import numpy as np

from ...core.statistics import logit
from ...engine.base import CancelToken
from ...heads.audience import AudienceHead, Features
from ..asking.questions import factor_ref
from ..duel.bias_mitigation import both_orders
from ..main_judge import MainJudge
from ..rating.admissibility_checker import REJECT_BELOW, evaluate, has_power
from ..rating.scores import score_factors
from .types import ADMISSIONS, Asking, KnownReadings, ReadBy, TextAnswer, TextReading, Voice, pair_key

_SURE = 0.001
MOST_FACTORS = 5
"""Number of factors that a model is asked to score in an audit where no plan decides."""


def read_by(judge: MainJudge, *, everything: bool) -> ReadBy:
    editor = judge.reader.editor.mark if judge.reader.editor is not None else ""
    return ReadBy(
        model=judge.model.sha256,
        head=judge.reader.version,
        editor=editor,
        prompts=judge.prompts.version,
        asked=VoiceReader(judge, everything=everything).questions,
    )


def factors_asked(judge: MainJudge, *, everything: bool) -> tuple[str, ...]:
    """Return the ids of the factors that a model is asked to score: those that its ratings ask about; where it is asked
    ``everything``, or its plan doesn't decide, also the ones on which its answers are worth most, five in all."""
    known = [factor.id for factor in judge.criteria.factors]
    planned = [id for id in known if id in judge.plan.asked("factor") or id in judge.criteria.always]
    if (judge.plan.decides and not everything) or len(planned) >= MOST_FACTORS:
        return tuple(planned)

    def worth(id: str) -> tuple[bool, float]:
        item = judge.plan.of("factor", id)
        answer = item.asked if item is not None else None
        return item is None, -answer.value if answer is not None else 0.0

    rest = sorted((id for id in known if id not in planned), key=worth)  # # ties keep the criteria's order
    return (*planned, *rest[: MOST_FACTORS - len(planned)])


class VoiceReader:
    """Reads texts, and asks the model about texts and pairs where it is to be asked: ``asks`` about pairs, ``checks``
    whether a text is a joke, and for scores of the ``factors``."""

    def __init__(self, judge: MainJudge, *, everything: bool) -> None:
        self._judge = judge
        self.asks = everything or judge.duels_ask
        self.checks = everything or not judge.plan.decides or bool(judge.plan.asked("check"))
        self.factors = factors_asked(judge, everything=everything)
        self._refs = [factor_ref(id, judge.criteria) for id in self.factors]

    @property
    def asks_of_texts(self) -> bool:
        return self.checks or bool(self.factors)

    @property
    def questions(self) -> str:
        """A hash of the questions about a text; empty if none are asked. The calibration follows from the model, the
        prompts and the criteria."""
        if not self.asks_of_texts:
            return ""
        parts = [self.checks, self.factors, self._judge.criteria.version]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]

    @property
    def reads(self) -> bool:
        """Whether a head is there to read a text with."""
        return self._judge.head is not None or self._judge.reader.editor is not None

    def read(self, text: str, cancel: CancelToken | None, *, surprise: bool) -> TextReading:
        """Read one cleaned text; ``surprise``: also its surprisal. Raises the engine's errors."""
        given: dict[str, Any] = {}
        if self.reads:
            reading = self._judge.reader.read(text, cancel)
            audience = self._judge.reader.audience(reading)
            if reading.features is not None:
                given = {name: getattr(reading.features, name) for name in ("scores", "kinds", "across")}
            if audience is not None:
                given["percentile"] = audience.percentile
            shown = reading.editor.factors if reading.editor is not None else {}
            factors = [shown[id] for id in self._judge.shown.factors if id in shown]
            if factors:
                given["editor"] = logit(sum(each.standing for each in factors) / len(factors), _SURE)
                given["mean"] = sum(each.expected for each in factors) / len(factors)
            given["joke"] = reading.joke
        if surprise:
            given["surprise"] = self._surprise(text, cancel)
        return TextReading(**given)

    def _surprise(self, text: str, cancel: CancelToken | None) -> float | None:
        spoken = self._judge.engine.scan(text, cancel).logprobs[1:]
        return float(-np.mean(spoken, dtype=np.float64)) if len(spoken) else None

    def answer(self, text: str, cancel: CancelToken | None) -> TextAnswer:
        """Ask about one cleaned text. Raises the engine's errors."""
        measure, calibration = self._judge.measure, self._judge.calibration
        mean = admitted = None
        if self._refs:
            scores = score_factors(self._judge, text, self._refs, cancel)
            known = [score.expected for score in scores if score.expected is not None]
            mean = math.fsum(known) / len(known) if known else None
        # Where no check has power every text passes, so the checks show nothing.
        if self.checks and any(has_power(each) for each in calibration.checks.values()):
            found = evaluate(calibration, measure.checks(text, cancel))
            admitted = float(all(check.passed for check in found))
        return TextAnswer(mean=mean, admitted=admitted)

    def ask(self, text_a: str, text_b: str, cancel: CancelToken | None) -> Asking:
        """Ask which text is the funnier, in both orders. Raises the engine's errors."""
        odds = {each.first: each.log_odds_a for each in both_orders(self._judge.measure, text_a, text_b, cancel)}
        return Asking(a_first=odds["A"], b_first=odds["B"])


class Answers:
    """The voices' estimates, by text and by pair."""

    def __init__(self, head: AudienceHead | None, known: KnownReadings) -> None:
        self._head = head
        self._texts, self._answers, self._pairs = known.texts, known.answers, known.pairs

    def odds(self, voice: Voice, text_a: str, text_b: str) -> float | None:
        """Return the log-odds for A; None where the voice has no estimate for one of the texts."""
        if voice == "asked":
            asked = self.asked(text_a, text_b)
            return None if asked is None else 0.5 * (asked.a_first + asked.b_first)
        if voice == "rated":
            means = [self.rating(voice, text) for text in (text_a, text_b)]
            places = [logit(mean / 5.0, _SURE) for mean in means if mean is not None]
            return places[0] - places[1] if len(places) == 2 else None
        a, b = self._texts.get(text_a), self._texts.get(text_b)
        if a is None or b is None:
            return None
        if voice == "editor":
            return None if a.editor is None or b.editor is None else a.editor - b.editor
        if self._head is None or a.scores is None or b.scores is None:
            return None
        first, second = Features(a.scores, a.kinds, across=a.across), Features(b.scores, b.kinds, across=b.across)
        return self._head.difference(first, second)

    def asked(self, text_a: str, text_b: str) -> Asking | None:
        """Return the model's answers about a pair, in whichever order its texts were given."""
        found = self._pairs.get(pair_key(text_a, text_b))
        if found is None and (turned := self._pairs.get(pair_key(text_b, text_a))) is not None:
            return Asking(a_first=-turned.b_first, b_first=-turned.a_first)
        return found

    def admitted(self, voice: Voice, text: str) -> float | None:
        """Return 1 where a text is admitted as a joke, else 0, by the head or by the model's checks; None where neither
        is known."""
        assert voice in ADMISSIONS
        if voice == "checks":
            answer = self._answers.get(text)
            return answer.admitted if answer is not None else None
        found = self._texts.get(text)
        return None if found is None or found.joke is None else float(found.joke >= REJECT_BELOW)

    def rating(self, voice: Voice, text: str) -> float | None:
        """Return a voice's rating of a text: the percentile, or a mean of 5."""
        if voice == "rated":
            answer = self._answers.get(text)
            return answer.mean if answer is not None else None
        found = self._texts.get(text)
        return {"audience": found.percentile, "editor": found.mean}.get(voice) if found is not None else None

    def surprise(self, text: str) -> float | None:
        found = self._texts.get(text)
        return found.surprise if found is not None else None
