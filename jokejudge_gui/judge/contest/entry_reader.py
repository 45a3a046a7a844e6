"""The estimates of a single joke of a list."""

from __future__ import annotations

from dataclasses import astuple

from ...core.errors import InputError
from ...core.languages import is_english
from ...core.texts import plain_rejection
from ...heads.intent import form_of
from ...heads.told import heard
from ..duel.confidence_scorer import weights_for
from ..judged_kind import Work
from ..rating.admissibility_checker import INTENT, Evidence, answered
from ..rating.category_classifier import HOW_IT_WORKS, CategoryClassifier
from ..rating.rating_judge import RatingJudge
from ..reader import Predictions
from .record import ContestMadeBy, ContestRequest, Reading

_ORIGINALITY = "originality"
_LEAST_SD = 0.2
_SURE_TURN = 0.5
"""A turn of lower probability isn't shown."""


class EntryReader:
    """Reads jokes one by one with everything that has weight on the loaded model. ``asks_duels``: comparing two jokes
    adds to reading both; ``asks_alone``: the model is asked about each."""

    def __init__(self, request: ContestRequest, work: Work) -> None:
        self._judge, self._context = work.judge, request.context
        judge, self._everything = work.judge, request.ask == "all"
        # A rating's note on each joke, where the heads give it without a question to the model.
        self._notes = RatingJudge(judge, explain=False) if request.explain and judge.plan.decides else None
        self._weights = weights_for(judge, everything=self._everything)
        asks = self._everything or judge.duels_ask
        self.asks_duels = self._everything or (asks and self._weights.pair > 0)
        self.asks_alone = asks and self._weights.alone > 0
        self._devices = {kind.id for kind in judge.criteria.categories if kind.group in HOW_IT_WORKS}

    @property
    def made_by(self) -> ContestMadeBy:
        weights = ",".join(map(str, astuple(self._weights)))
        return ContestMadeBy(**dict(self._judge.made_by), weights=weights, everything_asked=self._everything)

    def read(self, text: str, scene: str = "") -> Reading:
        """Read one cleaned text, behind a ``scene`` of its own if it has one. Raises ``InputError``
        ``E_CONTEST_NO_JOKE`` for texts that can't be jokes, and the engine's and the heads' errors."""
        if plain := plain_rejection(text):
            raise InputError("E_CONTEST_NO_JOKE", f"This can't be a joke: {plain}.", "Leave it out, or correct it.")
        judge, reader, english, reason = self._judge, self._judge.reader, is_english(text), form_of(text)
        asked = self._asked(text)
        if judge.head is None:
            return Reading(value=asked, english=english, scene=scene, reason=reason, heard=heard(text))
        predicted = reader.read(text, judge.cancel, context=scene or self._context)
        # The heads for sense don't apply to a line that follows a scene.
        sense = predicted.sense.sense if predicted.sense is not None and not (scene or self._context) else None
        reason = reason or ("no turn found" if sense is not None and sense.said == "no turn" else "")
        audience, editor, weight = reader.audience(predicted), predicted.editor, self._weights.audience
        assert audience is not None
        measured = audience.low is not None and audience.high is not None and english

        def at(percentile: float | None) -> float | None:
            return None if percentile is None else weight * reader.score_at(predicted, percentile) + asked

        value = at(audience.percentile) if audience.agreement is not None else None
        below, above = (at(percentile) or 0.0 for percentile in (15.87, 84.13))
        fresh = editor.factors.get(_ORIGINALITY) if editor and _ORIGINALITY in judge.shown["factor"] else None
        turn = editor.turn if editor and judge.shown["turn"] else None
        return Reading(
            upper=audience.upper if english else None,
            value=weight * audience.score + asked if value is None else value,
            audience=audience.score,
            percentile=audience.percentile if english else None,
            percentile_low=audience.low if measured else None,
            percentile_high=audience.high if measured else None,
            low=at(audience.low) if measured else None,
            high=at(audience.high) if measured else None,
            unit=max((above - below) / 2.0, 1e-6),
            kind=audience.kind,
            agreement=audience.agreement if measured else None,
            joke=None if predicted.joke is None else answered(INTENT, predicted.joke, source="read").passed,
            heard=heard(text),
            fresh=None if fresh is None else fresh.standing,
            english=english,
            scene=scene,
            turn=turn if turn is not None and turn.p >= _SURE_TURN else None,
            sense=sense,
            reason=reason,
            note=self._notes.note_on(predicted) if self._notes is not None and not reason else "",
            device="" if reason else self._device(predicted, doubted=sense is not None and sense.said != "joke"),
        )

    def _asked(self, text: str) -> float:
        """The model's own answer, in the judge's weight; 0 where it isn't asked."""
        if not self.asks_alone:
            return 0.0
        (odds,) = self._judge.measure.alone((text,))
        calibration = self._judge.calibration.duel
        return self._weights.alone * odds.value / (max(calibration.sd_alone, _LEAST_SD) if calibration else 1.0)

    def _device(self, predicted: Predictions, *, doubted: bool) -> str:
        """Return what a joke works by, as far as the heads are sure: its pun, else the likeliest such kind."""
        if predicted.wordplay is not None and predicted.wordplay.said is not None:
            return f"pun: {predicted.wordplay.said.text}"
        if predicted.editor is None:
            return ""
        evidence = Evidence(editor=predicted.editor.without(self._judge.criteria.unread))
        kinds = CategoryClassifier(self._judge).classify_joke(evidence, doubted=doubted)
        return next((kind.name.lower() for kind in kinds if kind.chosen and kind.id in self._devices), "")
