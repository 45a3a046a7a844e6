"""What is known of a joke by itself, as a contest needs it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple

from ...engine.base import CancelToken
from ...errors import InputError
from ...events import Event
from ...languages import is_english
from ...texts import plain_rejection
from ..duel.confidence_scorer import PRIOR, WITH_HEAD, Weights
from ..duel.weights import planned_weights, weights_for
from ..main_judge import MainJudge
from ..rating.admissibility_checker import INTENT, answered
from ..reading.reader import Heard
from .types import MadeBy, Reading

_STOCK = "stock"
_ORIGINALITY = "originality"
_LEAST_SD = 0.2


def made_by(judge: MainJudge, *, everything: bool) -> MadeBy:
    """What the readings and duels of this judge depend on."""
    return MadeBy(
        model=judge.model.sha256,
        head=judge.reader.version,
        prompts=judge.prompts.version,
        criteria=judge.criteria.version,
        weights=",".join(str(weight) for weight in astuple(_weights(judge, everything=everything))),
        everything_asked=everything,
    )


def _weights(judge: MainJudge, *, everything: bool) -> Weights:
    """The weights of a duel between two jokes, so that a contest and its duels speak of the same thing."""
    planned = planned_weights(judge) if not everything and judge.plan.asked("duel") else None
    return planned or weights_for(judge) or (WITH_HEAD if judge.head is not None else PRIOR)


class EntryReader:
    """Reads jokes one by one with all that has weight on the loaded model."""

    def __init__(self, judge: MainJudge, context: str, *, everything: bool) -> None:
        """``everything``: ask the model, whatever its answers are worth."""
        self._judge = judge
        self._context = context
        self._weights = _weights(judge, everything=everything)
        self.asks_duels = everything or (judge.duels_ask and self._weights.pair > 0)
        """Whether comparing two jokes tells more than reading both."""
        self._asks_alone = (everything or judge.duels_ask) and self._weights.alone > 0

    @property
    def hears(self) -> bool:
        """Whether there is an audience head, whose word about one joke is known to be worth something."""
        return self._judge.head is not None

    @property
    def tells_drafts(self) -> bool:
        """Whether there are heads that tell two versions of one joke apart."""
        return self._judge.reader.drafts is not None

    @property
    def calibrated(self) -> bool:
        return self._judge.calibration.duel is not None or not (self.asks_duels or self._asks_alone)

    def prepare(self, cancel: CancelToken | None) -> Iterator[Event]:
        """Measure what the questions need, where any will be asked."""
        if self.asks_duels or self._asks_alone:
            yield from self._judge.calibrate(duel=True, cancel=cancel)

    def read(self, text: str, cancel: CancelToken | None) -> Reading:
        """Read one cleaned text. Raises ``InputError`` ``E_CONTEST_NO_JOKE`` for what can't be a joke, and what the
        engine and the heads raise."""
        plain = plain_rejection(text)
        if plain is not None:
            raise InputError("E_CONTEST_NO_JOKE", f"This can't be a joke: {plain}.", "Leave it out, or mend it.")
        asked = self._asked(text, cancel) if self._asks_alone else 0.0
        if not self.hears:
            return Reading(value=asked, english=is_english(text))
        heard = self._judge.reader.read(text, cancel, context=self._context)
        return self._heard(heard, asked)

    def _asked(self, text: str, cancel: CancelToken | None) -> float:
        (odds,) = self._judge.measure.alone((text,), cancel)
        known = self._judge.calibration.duel
        return self._weights.alone * odds.value / (max(known.sd_alone, _LEAST_SD) if known else 1.0)

    def _heard(self, heard: Heard, asked: float) -> Reading:
        reader = self._judge.reader
        audience = reader.audience(heard)
        assert audience is not None
        weight = self._weights.audience
        english = is_english(heard.text)
        known = audience.low is not None and audience.high is not None and english

        def at(percentile: float) -> float:
            return weight * reader.score_at(heard, percentile) + asked

        stock = heard.editor.faults.get(_STOCK) if heard.editor and _STOCK in self._judge.shown.faults else None
        originality = _ORIGINALITY in self._judge.shown.factors
        fresh = heard.editor.factors.get(_ORIGINALITY) if heard.editor and originality else None
        return Reading(
            value=weight * audience.score + asked,
            audience=audience.score,
            percentile=audience.percentile if english else None,
            percentile_low=audience.low if known else None,
            percentile_high=audience.high if known else None,
            low=at(audience.low) if known and audience.low is not None else None,
            high=at(audience.high) if known and audience.high is not None else None,
            unit=max((at(84.13) - at(15.87)) / 2.0, 1e-6),
            kind=audience.kind,
            agreement=audience.agreement if known else None,
            joke=None if heard.joke is None else answered(INTENT, heard.joke, source="read").passed,
            stock=stock,
            fresh=None if fresh is None else fresh.standing,
            english=english,
        )
