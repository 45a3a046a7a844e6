"""Rows that people judged, a judge's answers on them, and what the two amount to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from ..statistics import Bin, Correlation, Difference, Fraction
from ..verdicts import DuelResult, Frozen, Mode, ModelRef, RatingResult, Side
from .reference import ReferenceReport

Margin = Literal["all", "clear"]
MARGINS: dict[Margin, str] = {"all": "all pairs", "clear": "pairs with at least 4 votes and 80 % of them on one side"}
CLEAR_VOTES, CLEAR_SHARE = 4, 0.8


@dataclass(frozen=True)
class LabelledPair:
    """Two texts and the one that people found funnier; ``votes_a`` and ``votes_b`` where they were counted."""

    text_a: str
    text_b: str
    winner: Side
    votes_a: float | None = None
    votes_b: float | None = None

    @property
    def clear(self) -> bool:
        """Whether many voted and nearly all for the same text."""
        if self.votes_a is None or self.votes_b is None:
            return False
        total = self.votes_a + self.votes_b
        return total >= CLEAR_VOTES and max(self.votes_a, self.votes_b) >= CLEAR_SHARE * total


@dataclass(frozen=True)
class LabelledText:
    """A text with people's mean rating (any scale, higher is funnier) and whether they took it for humour."""

    text: str
    rating: float | None = None
    is_humor: bool | None = None


class PairAnswer(Frozen):
    """A judge's answer on a pair. ``parts``: log-odds for A of the measurements that went in, by name."""

    p_a: float
    consistent: bool | None = None
    position_bias: float | None = None
    controlled_p_a: float | None = None
    parts: dict[str, float] = Field(default_factory=dict)

    @classmethod
    def of(cls, result: DuelResult) -> PairAnswer | None:
        """The answer in a duel's verdict; None where it has none."""
        if result.p_a is None:
            return None
        return cls(
            p_a=result.p_a,
            consistent=result.consistent,
            position_bias=result.position_bias,
            controlled_p_a=result.length_controlled.p_a if result.length_controlled else None,
            parts={share.name: share.log_odds_a for share in result.shares},
        )


class TextAnswer(Frozen):
    """A judge's answer on a text. ``score`` 0…5 and ``audience`` (percentile 0…100) are None where it gave none."""

    admissible: bool | None
    score: float | None = None
    audience: float | None = None

    @property
    def number(self) -> float | None:
        """The audience's estimate 0…1 where there is one, else the score 0…1."""
        if self.audience is not None:
            return self.audience / 100
        return None if self.score is None else self.score / 5

    @classmethod
    def of(cls, result: RatingResult) -> TextAnswer:
        """The answer in a rating's verdict."""
        return cls(
            admissible=result.admissible,
            score=result.mean_score,
            audience=result.audience.percentile if result.audience else None,
        )


class Agreement(Frozen):
    """How often the judge and its baselines name people's winner on the same pairs (a tie is half right); ``over_…``:
    by how much the judge is the better one. Chance is .5."""

    margin: Margin
    judge: Fraction
    length: Fraction
    ngrams: Fraction
    over_length: Difference | None
    over_ngrams: Difference | None


class Reliability(Frozen):
    """Whether stated probabilities mean what they say. ``ece``: expected calibration error over the ten ``tenths`` of
    the winner's stated p; ``log_loss`` of p_a in nats (a coin's: .693); ``bands``: by the confidence factor."""

    ece: float | None
    log_loss: float | None
    tenths: tuple[Bin, ...]
    bands: tuple[Bin, ...]


class LengthPull(Frozen):
    """Rank correlation of the log-odds for A with A's excess length: the judge's own, with length taken out, and that
    of people's choice."""

    raw: Correlation
    controlled: Correlation
    people: Correlation


class BeyondChance(Frozen):
    """Agreement beyond chance over ``n`` rows: 1 whole, 0 as by chance, under 0 less than that; with its 95 % interval
    by bootstrap over rows. ``value`` is None where it can't be told."""

    n: int
    value: float | None
    low: float | None = None
    high: float | None = None


class PairsReport(Frozen):
    """One file of pairs. ``rows`` in the file, of them ``ties`` among people and ``bad`` ones left out; ``judged`` of
    those drawn, ``errors`` without an answer. ``one_person``: one voter against the majority of the others. ``kappa``
    (Cohen's) and ``alpha`` (Krippendorff's, nominal): the judge's winner and people's; ``alpha_people``: the voters
    among themselves. None in reports of earlier versions."""

    name: str
    rows: int
    ties: int
    bad: int
    judged: int
    errors: int
    agreement: tuple[Agreement, ...]
    parts: dict[str, Fraction]
    one_person: Fraction | None
    trust: Reliability
    flips: Fraction
    position_bias: float | None
    length: LengthPull
    kappa: BeyondChance | None = None
    alpha: BeyondChance | None = None
    alpha_people: BeyondChance | None = None


class Likeness(Frozen):
    """How a score goes with people's ratings. ``mae`` 0…1: mean distance as a share of the scale, the score's range
    laid on that of the file's ratings."""

    spearman: Correlation
    pearson: Correlation
    mae: float | None


class Admission(Frozen):
    """Rejections: of texts that are humour, acceptances of texts that aren't, and rejections in the half of the rated
    texts that people found funnier. None where the file doesn't say."""

    false_reject: Fraction | None
    false_accept: Fraction | None
    funny_rejected: Fraction | None


class RatingsReport(Frozen):
    """One file of ratings. ``points`` for a plot: (people, judge), both 0…1. ``kappa_half`` (Cohen's): whether a text
    is in the funnier half, by people and by the judge; ``kappa_humor``: whether it is humour, and whether it was
    admitted; ``alpha`` (Krippendorff's, interval): people's rating and the judge's, each on 0…1. The judge's number is
    the audience estimate where there is one, else the score. None where the file doesn't say."""

    name: str
    column: str | None
    rows: int
    bad: int
    judged: int
    errors: int
    score: Likeness
    audience: Likeness | None
    length: Correlation
    ngrams: Correlation
    admission: Admission
    kappa_half: BeyondChance | None = None
    kappa_humor: BeyondChance | None = None
    alpha: BeyondChance | None = None
    points: tuple[tuple[float, float], ...] = Field(default=(), exclude=True)


class Macro(Frozen):
    """Means over the files of pairs, each file counted once."""

    sets: int
    agreement: float
    length: float
    ngrams: float
    ece: float
    log_loss: float


class Validation(Frozen):
    """One line of the validation table; ``passed`` None: not measured. ``at_least``: the threshold is a lower one."""

    measure: str
    threshold: float
    at_least: bool
    value: float | None
    passed: bool | None


class Evaluation(Frozen):
    """Everything measured. ``whole`` False: stopped before all the rows drawn were judged."""

    model: ModelRef | None
    mode: Mode
    seed: int
    limit: int | None
    whole: bool
    pairs: tuple[PairsReport, ...] = ()
    ratings: tuple[RatingsReport, ...] = ()
    macro: Macro | None = None
    validation: tuple[Validation, ...] = ()
    reference: tuple[ReferenceReport, ...] = ()

    @property
    def judged(self) -> int:
        """Rows with an answer."""
        counts = [part.judged for part in self.pairs] + [part.judged for part in self.ratings]
        return sum(counts) + sum(part.judged for part in self.reference)
