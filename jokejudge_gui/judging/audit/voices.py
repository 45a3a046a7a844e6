"""What each voice of the loaded model says of a text, and of two."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from ...engine.base import CancelToken
from ..duel.bias_mitigation import canonical
from ..main_judge import MainJudge
from ..rating.admissibility_checker import REJECT_BELOW
from ..reading.audience import Features
from .types import Asking, ReadBy, TextReading, Voice, pair_key

_SURE = 0.001


def read_by(judge: MainJudge) -> ReadBy:
    """What this judge's readings depend on."""
    editor = judge.reader.editor.mark if judge.reader.editor is not None else ""
    return ReadBy(model=judge.model.sha256, head=judge.reader.version, editor=editor, prompts=judge.prompts.version)


class Listener:
    """Reads texts, and asks about pairs where the model is to be asked."""

    def __init__(self, judge: MainJudge, *, everything: bool) -> None:
        self._judge = judge
        self.asks = everything or judge.duels_ask

    @property
    def hears(self) -> bool:
        """Whether reading a text tells anything."""
        return self._judge.head is not None or self._judge.reader.editor is not None

    def read(self, text: str, cancel: CancelToken | None, *, surprise: bool) -> TextReading:
        """Read one cleaned text; ``surprise``: say how likely the model finds it. Raises what the engine raises."""
        heard = self._judge.reader.read(text, cancel) if self.hears else None
        audience = self._judge.reader.audience(heard) if heard is not None else None
        features = heard.features if heard is not None else None
        shown = self._judge.shown.factors
        found = heard.editor if heard is not None else None
        factors = [found.factors[id] for id in shown if id in found.factors] if found is not None else []
        place = sum(each.standing for each in factors) / len(factors) if factors else None
        return TextReading(
            scores=features.scores if features is not None else None,
            kinds=features.kinds if features is not None else (),
            percentile=audience.percentile if audience is not None else None,
            editor=None if place is None else _log_odds(place),
            mean=sum(each.expected for each in factors) / len(factors) if factors else None,
            joke=heard.joke if heard is not None else None,
            surprise=self._surprise(text, cancel) if surprise else None,
        )

    def _surprise(self, text: str, cancel: CancelToken | None) -> float | None:
        spoken = self._judge.engine.scan(text, cancel).logprobs[1:]
        return float(-np.mean(spoken, dtype=np.float64)) if len(spoken) else None

    def ask(self, text_a: str, text_b: str, cancel: CancelToken | None) -> Asking:
        """Ask which is the funnier, in both orders. Raises what the engine raises."""
        pair = canonical(text_a, text_b)
        first, second = self._judge.measure.pair(pair.first, pair.second, cancel)
        # Each is the log-odds that the joke shown first is the funnier one.
        values = (first.value, -second.value)
        a, b = values if not pair.swapped else (-values[1], -values[0])
        return Asking(a_first=a, b_first=b)


class Said:
    """What the voices said, by text and by pair."""

    def __init__(self, judge: MainJudge, texts: Mapping[str, TextReading], pairs: Mapping[str, Asking]) -> None:
        self._head = judge.head
        self._texts = texts
        self._pairs = pairs

    def odds(self, voice: Voice, text_a: str, text_b: str) -> float | None:
        """Log-odds for A; None where the voice said nothing about one of them."""
        if voice == "asked":
            asked = self.asked(text_a, text_b)
            return None if asked is None else 0.5 * (asked.a_first + asked.b_first)
        a, b = self._texts.get(text_a), self._texts.get(text_b)
        if a is None or b is None:
            return None
        if voice == "editor":
            return None if a.editor is None or b.editor is None else a.editor - b.editor
        if self._head is None or a.scores is None or b.scores is None:
            return None
        return self._head.difference(Features(a.scores, a.kinds), Features(b.scores, b.kinds))

    def asked(self, text_a: str, text_b: str) -> Asking | None:
        """The model's answers about a pair, whichever way round it was asked."""
        found = self._pairs.get(pair_key(text_a, text_b))
        if found is None and (turned := self._pairs.get(pair_key(text_b, text_a))) is not None:
            return Asking(a_first=-turned.b_first, b_first=-turned.a_first)
        return found

    def admitted(self, text: str) -> float | None:
        """1 where a text is admitted as a joke, else 0; None where no head can tell."""
        found = self._texts.get(text)
        return None if found is None or found.joke is None else float(found.joke >= REJECT_BELOW)

    def rating(self, voice: Voice, text: str) -> float | None:
        """What a rating shows: the percentile, or the editor's mean of 5."""
        found = self._texts.get(text)
        if found is None:
            return None
        return {"audience": found.percentile, "editor": found.mean}.get(voice)

    def surprise(self, text: str) -> float | None:
        """How unlikely the model finds a text."""
        found = self._texts.get(text)
        return found.surprise if found is not None else None


def _log_odds(share: float) -> float:
    share = min(1.0 - _SURE, max(_SURE, share))
    return math.log(share / (1.0 - share))
