"""The state of a rating in the Rate tab, folded from events or read from the history."""

from __future__ import annotations

import math
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Literal

from ...core.events import Interim, Stage
from ...core.languages import is_english
from ...core.verdict_kinds import of_audience
from ...core.verdicts import Audience
from ...core.words import WORD, differing, facts_of
from ...heads.intent import form_of
from ...judge.rating.record import FactorScore, RatingResult, Remark, Trial
from ..look import wording
from ..verdict.tab import HABITS, Phase, VerdictState

LEAST_WORDS = 4
"""Least number of words of a text that can be rated."""
Finding = Literal["page", "no turn", "too short", "no text", "rejected", "stopped", "failed", "no answer"]
"""The outcome of a rating that has ended."""
_DOING = {
    Stage.LOADING: "Loading the model",
    Stage.CALIBRATION: HABITS[0],
    Stage.READING: "Reading the joke",
    Stage.ADMISSIBILITY: "Checking the text",
    Stage.CATEGORIES: "Finding its kinds",
    Stage.FACTORS: "Choosing the factors",
    Stage.SCORES: "Scoring",
    Stage.REASONING: "Reading it again where there is doubt",
    Stage.EXPLANATION: "Writing the note",
}


@dataclass
class RateState(VerdictState):
    """One rating as it is shown."""

    text: str = ""
    result: RatingResult | None = field(default=None, kw_only=True)

    @property
    def texts(self) -> tuple[str, ...]:
        return (self.text,)

    @property
    def has_verdict(self) -> bool:
        """Whether the rating has a result that can be shown."""
        return self.result is not None and (self.result.mean_score is not None or self.result.audience is not None)

    @property
    def doing(self) -> tuple[str, float | None]:
        """The current activity in words, and its progress (0…1, None: unknown)."""
        if self.phase == "waiting" and self.stage is None:
            return "Waiting for the model", None
        words = _DOING.get(self.stage, "Rating") if self.stage is not None else "Rating"
        if self.stage in (Stage.LOADING, Stage.CALIBRATION) and self.note:
            words = wording.sentence_case(self.note)
        share = self.done / self.total if self.total else None
        if not (self.total and self.done) or self.stage is not Stage.CALIBRATION:
            return words, share
        seconds = 0.0 if self.begun is None else time.monotonic() - self.begun
        left = wording.left(self.total - self.done, self.done, seconds)
        return f"{words}: {self.done:,} of {self.total:,}{left}", share

    @property
    def finding(self) -> Finding:
        """The outcome of an ended rating."""
        result = self.result
        if self.phase == "failed" and not self.has_verdict:
            return "failed"
        given = result is not None and (result.asked_turn is not None or result.forced)
        if result is not None and not given and was_read(result) and 0 < len(WORD.findall(result.text)) < LEAST_WORDS:
            return "too short"
        if result is not None and not given and result.sense is not None and result.sense.said == "no turn":
            return "no text" if form_of(result.text) else "no turn"
        if self.has_verdict:
            return "page"
        if result is not None and result.admissible is False and not result.forced:
            return "rejected" if WORD.search(result.text) else "no text"
        if self.phase == "finished" and result is not None and (result.admissible or result.forced):
            return "page" if was_read(result) else "no answer"
        return "stopped"

    def apply(self, event: object) -> None:
        """Process one event of the job."""
        super().apply(event)
        if isinstance(event, Interim) and isinstance(event.result, RatingResult):
            self.result = event.result

    def _end(self, phase: Phase, result: RatingResult | None) -> None:
        super()._end(phase, result)
        if self.result is not None and self.result.explanation:
            self.explanation = self.result.explanation


def was_read(result: RatingResult) -> bool:
    """Whether the joke was read: in a stage of reading, or with checks that all come from one."""
    if not result.admissibility:
        return False
    read = Stage.READING.value in result.stage_seconds
    return read or all(check.source == "read" for check in result.admissibility)


# -- texts -------------------------------------------------------------------------------------------------------------

SURE_TURN = 0.5
_LEAST_RIGHT = 0.7
_MOST_NOTES = 3
_ORDER = {"heard": 0, "edit": 1, "fault": 1, "form": 2}
_NARROW_BAND = 60.0
_MOST_EACH = 2


def right_in(share: float) -> str:
    """Return the share of such remarks that are right, in words."""
    return f"right in {math.floor(share * 10 + 1e-9)} of 10"


def remarks_of(result: RatingResult, dismissed: Collection[str] = ()) -> tuple[Remark, ...]:
    """Return the remarks to show, sorted by subject: without those that are wrong too often, and without dismissed
    edits."""
    found = []
    for remark in result.remarks:
        trial = trial_of(result, remark)
        known = remark.right is None or remark.right >= _LEAST_RIGHT
        if known and not (trial is not None and trial.text in dismissed):
            found.append(remark)
    return tuple(sorted(found, key=lambda remark: _ORDER[remark.about])[:_MOST_NOTES])


def trial_of(result: RatingResult, remark: Remark) -> Trial | None:
    """Return the edit that a remark proposes, or None."""
    trials = result.note.trials if result.note is not None else ()
    return trials[remark.trial] if remark.trial is not None and 0 <= remark.trial < len(trials) else None


def words_of(result: RatingResult, remark: Remark) -> tuple[tuple[int, int], ...]:
    """Return the spans of the words that a remark is about; for a cut without a span, those that it removes."""
    span, trial = span_of(remark), trial_of(result, remark)
    if span is not None:
        return (span,)
    return differing(result.text, trial.text)[0] if trial is not None and trial.kind == "cut" else ()


def span_of(remark: Remark) -> tuple[int, int] | None:
    """Return the span of the words that a remark is about, or None."""
    return (remark.start, remark.end) if remark.start is not None and remark.end is not None else None


CANT_TELL = "Can't tell"
FOREIGN = "This doesn't look like English; it reads English only."
NO_HEAD = "No estimate: nothing was learned from people's votes for this model."
SCORED = "as the model scores it"
STILL_NO_TURN = "I still hear no turn there. The rest is shown as if there were one."
IN_DOUBT = "It is doubtful whether this works as a joke, so nothing is praised."


def audience_line(audience: Audience | None) -> str:
    """Return a band in words, for screen readers."""
    if audience is None or audience.low is None or audience.high is None:
        return ""
    words = f"between {audience.low:.0f} and {audience.high:.0f} of 100"
    return f"{words}, middle {audience.percentile:.0f}" if ring_of(audience) is not None else words


def ring_of(audience: Audience) -> float | None:
    """Return the ring's percentile; None where the band is too wide for a ring."""
    narrow = audience.low is not None and audience.high is not None and audience.high - audience.low < _NARROW_BAND
    return audience.percentile if narrow else None


def known_of(audience: Audience) -> str:
    """Return a sentence with the estimate's agreement on texts of this kind; empty where it wasn't measured."""
    share = f"{100 * audience.agreement:.0f}" if audience.agreement is not None else ""
    if not audience.heard:
        of_such = f": of two such texts it picks the funnier one {share} times in 100, a coin 50" if share else ""
        return f"It hasn't learned this kind of text{of_such}."
    if not share:
        return ""
    return f"{wording.sentence_case(audience.kind) or 'Jokes'}: picks the funnier of two {share} times in 100."


def audience_words(result: RatingResult) -> str:
    """Return the sentence about the audience: the joke's probable percentile, or the reason why it isn't known."""
    if not is_english(result.text):
        return FOREIGN
    if result.audience is not None:
        return of_audience(result.audience).headline if result.audience.heard else CANT_TELL
    if result.asked_turn is not None and result.sense is not None and result.sense.said == "no turn":
        return STILL_NO_TURN
    if result.mean_score is not None and result.factors and result.factors[0].source != "read":
        return f"{result.mean_score:.1f} of 5, {SCORED}"
    return NO_HEAD


@dataclass(frozen=True)
class FactorLine:
    """A factor's row. ``cells``: 0…5; ``rank``: strong, weak or plain."""

    name: str
    cells: float
    words: str
    rank: str = "plain"


def factor_line(factor: FactorScore) -> FactorLine:
    """Return a factor's row: its score, and the comparison with other jokes."""
    cells = factor.expected if factor.expected is not None else 0.0
    if factor.standing is None:
        words = "no answer" if factor.expected is None else f"{cells:.1f} of 5"
        return FactorLine(factor.name, cells, f"{words}, your own" if factor.own else words)
    place = min(9, math.floor(max(factor.standing, 1 - factor.standing) * 10 + 1e-9))
    words = f"{'stronger' if factor.standing >= 0.5 else 'weaker'} than in {place} of 10 jokes"
    return FactorLine(factor.name, cells, words, factor.stands_out or "plain")


def outstanding(factors: Sequence[FactorScore]) -> list[FactorScore]:
    """Return the user's own factors, then the strongest and the weakest compared with other jokes."""
    own = [
        factor
        for factor in factors
        if factor.own or factor.origin == "dynamic" or (factor.source == "read" and factor.trust is None)
    ]
    known = [each for each in factors if each.standing is not None and each not in own]
    known.sort(key=lambda each: -(each.standing or 0.0))
    strong = [each for each in known if each.stands_out == "strong"][:_MOST_EACH]
    weak = [each for each in known if each.stands_out == "weak"][-_MOST_EACH:]
    return [*own, *strong, *weak]


def weighted_words(result: RatingResult) -> str:
    """Return the weighted score in words; empty unless the user set weights or the model was asked for scores."""
    asked = result.everything_asked or any(factor.source != "read" for factor in result.factors)
    if result.weighted_score is None or not (result.weights or asked):
        return ""
    how = "by your weights" if result.weights else "by how far each factor can be trusted"
    return f"Weighted {result.weighted_score:.1f} of 5, {how}."


def has_factors(result: RatingResult) -> bool:
    """Whether a rating has kinds or factors to show."""
    return bool(result.shown_factors) or (result.learned and any(kind.chosen for kind in result.categories))


def facts_words(text: str, state: RateState, finding: Finding) -> list[str]:
    """Return the facts below a joke."""
    result = state.result
    turn = result.turn if result is not None and finding == "page" else None
    sure = turn is not None and turn.p >= SURE_TURN
    facts = list(facts_of(text, turn if sure else None).lines())
    if finding == "no turn":
        facts.append("no turn found")
    elif result is not None and result.asked_turn is not None and sure:
        facts.append("turn chosen by you")
    if state.phase == "stopped":
        facts.append("stopped")
    return facts
