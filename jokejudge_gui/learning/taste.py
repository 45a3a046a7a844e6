"""One user's own taste, fitted to the user's votes (METHODS, g): how much of the judge's opinion this user shares.

**Duels.** p(A) = 1/(1+e^−g·L/sd(L)), with L the judge's log-odds for A and sd(L) their root mean square over the voted
duels; zero is the middle, so there is no intercept and swapping the jokes swaps everything. g ~ N(.35, .25²).

**Thumbs.** p(up) = 1/(1+e^−(c + g·z)), with z the joke's standardised score and c ~ N(0, 1) how easily this user is
pleased. It is the same g: a duel compares two looks at jokes, so both its noise and its spread are √2 times as large.

Both are fitted together by MAP, with Laplace's interval, and kept only where the fit generalises: each question is left
out in turn (all votes on the same text or pair at once), and its mean log-loss must be less than that of the prior (g =
.35) and of the coin, which for thumbs may use the share of this user's that are up. The prior is strong: for a user who
shares much more of the judge's opinion than most people, g is too small at first, interval included.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from statistics import fmean as mean
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import Field

from ..core.errors import InputError, UsageError
from ..core.statistics import Z95, Fraction, fraction
from ..core.verdict_kinds import Subject, VoteScore, scale_of
from ..core.verdicts import Frozen
from ..core.vote_sets import VoteSet, own_sets
from ..history.query import HistoryEntry
from ..history.store import HistoryStore
from ..history.votes import Vote
from ..judge.asking.questions import deviation
from ..judge.contest.record import ContestResult, RankedEntry
from ..judge.duel.kind import DUEL
from ..judge.rating.kind import RATING
from .figures import out_of_fold
from .ridge import Ints, likeliest

FEWEST = 20
"""Least number of votes for fitting a taste."""
PRIOR, PRIOR_SD = 0.35, 0.25
HABIT_SD = 1.0
LEAST_SCALE = 5
"""Least number of votes on one scale for using it for a new joke; the error of a deviation is then a third."""
NEWEST = 500
"""Number of votes that count, the newest: tastes change, and the fit stays fast."""
_FOLDS = 25
_FLAT = 0.02
_FIXED = 1e-6
"""A prior this narrow fixes its parameter."""
_COIN = math.log(2.0)
Matrix = npt.NDArray[np.float64]
_CENTRE, _SPREAD = np.array([PRIOR, 0.0]), np.array([PRIOR_SD, HABIT_SD])
"""Mean and standard deviation of the prior of (g, c)."""


class TasteVote(NamedTuple):
    """One vote: ``value``: the judge's number for it, comparable with others of its ``scale``; ``positive``: it was for
    A, or up. Votes of the same ``question`` (the text, or the pair in any order) are left out together. ``blind``:
    given before the verdict was seen. ``centred``: on a duel, whose middle is 0; else a thumb."""

    scale: str
    value: float
    positive: bool
    question: tuple[str, ...]
    blind: bool = False
    centred: bool = False


Scale = tuple[float, float, int]
"""Middle and standard deviation of the values of a scale, and number of votes; a duel's middle is 0."""


class Taste(Frozen):
    """A user's taste relative to one model. ``agreement``: share of the user's duels that agree with the judge's;
    ``blind_agreement``: only of those voted on before the verdict was seen, which it can't have influenced. Below
    ``FEWEST`` votes the figures of the fit are None. Losses are mean log-losses per vote, in nats, of questions left
    out."""

    votes: int
    duels: int
    thumbs: int
    blind: int
    agreement: Fraction
    blind_agreement: Fraction
    scales: dict[str, Scale] = Field(default_factory=dict)
    g: float | None = None
    g_low: float | None = None
    g_high: float | None = None
    habit: float | None = None
    covariance: tuple[float, float, float] = (0.0, 0.0, 0.0)
    loss: float | None = None
    coin_loss: float | None = None
    prior_loss: float | None = None

    @property
    def fitted(self) -> bool:
        """Whether there are enough votes."""
        return self.g is not None

    @property
    def kept(self) -> bool:
        """Whether the fit generalises; only then is it used for new jokes."""
        if self.loss is None or self.coin_loss is None or self.prior_loss is None:
            return False
        return self.loss < self.coin_loss and self.loss < self.prior_loss

    def estimate(self, vote_score: VoteScore | None) -> tuple[float, float, float] | None:
        """Return this user's expected vote on a verdict: log-odds for A, or of a thumb up, and the ends of their 95 %
        interval. Swapping the jokes negates them exactly. None where the taste isn't kept, or there are too few votes
        on such verdicts."""
        if vote_score is None or not self.kept or self.g is None or self.habit is None:
            return None
        middle, sd, count = self.scales.get(vote_score.scale, (0.0, 1.0, 0))
        if count < LEAST_SCALE:
            return None
        x = (vote_score.value - middle) / sd
        thumb = 0.0 if vote_score.centred else 1.0
        log_odds = self.g * x + self.habit * thumb
        of_g, of_both, of_habit = self.covariance
        half = Z95 * math.sqrt(max(0.0, of_g * x * x + 2 * of_both * x * thumb + of_habit * thumb))
        return log_odds, log_odds - half, log_odds + half


def fit(votes: Sequence[TasteVote]) -> Taste:
    """Return the taste fitted to votes on one model's verdicts, oldest first. The same votes give the same taste."""
    votes = votes[-NEWEST:]
    duels = [vote for vote in votes if vote.centred]
    scales = _scales(votes)
    taste = Taste(
        votes=len(votes),
        duels=len(duels),
        thumbs=len(votes) - len(duels),
        blind=sum(vote.blind for vote in votes),
        agreement=_agreement(duels),
        blind_agreement=_agreement([vote for vote in duels if vote.blind]),
        scales=scales,
    )
    if len(votes) < FEWEST:
        return taste
    rows = np.array([_row(vote, scales[vote.scale]) for vote in votes])
    numbers: dict[tuple[str, ...], int] = {}
    folds = np.array([numbers.setdefault(vote.question, len(numbers)) % _FOLDS for vote in votes])
    best = _likeliest(rows, _CENTRE, _SPREAD)
    g, habit = best.tolist()
    p = 1.0 / (1.0 + np.exp(rows @ best))
    (of_g, of_both), (_, of_habit) = np.linalg.inv((rows.T * (p * (1.0 - p))) @ rows + np.diag(_SPREAD**-2)).tolist()
    half, fixed = Z95 * math.sqrt(of_g), np.array([_FIXED, HABIT_SD])
    return taste.replaced(
        g=g,
        g_low=g - half,
        g_high=g + half,
        habit=habit,
        covariance=(of_g, of_both, of_habit),
        loss=_held_out(rows, folds, _CENTRE, _SPREAD),
        coin_loss=min(_COIN, _held_out(rows, folds, np.zeros(2), fixed)),
        prior_loss=_held_out(rows, folds, _CENTRE, fixed),
    )


def _likeliest(rows: Matrix, centre: Matrix, spread: Matrix) -> Matrix:
    """Return the (g, c) of the greatest posterior density, for the prior N(centre, spread²) of each."""
    return likeliest(rows, np.ones(len(rows)), spread**-2, centre=centre)


def _agreement(duels: Sequence[TasteVote]) -> Fraction:
    """Return the agreement; duels on which the judge is even are left out."""
    return fraction([float((duel.value > 0) == duel.positive) for duel in duels if duel.value != 0])


def _scales(votes: Sequence[TasteVote]) -> dict[str, Scale]:
    groups: dict[tuple[str, bool], list[float]] = {}
    for vote in votes:
        groups.setdefault((vote.scale, vote.centred), []).append(vote.value)
    scales = {}
    for (scale, centred), values in groups.items():
        middle = 0.0 if centred else mean(values)
        sd = math.sqrt(math.fsum(value * value for value in values) / len(values)) if centred else deviation(values)
        # Equal values have no information; the floor keeps noise from being scaled up.
        scales[scale] = middle, max(sd, _FLAT), len(values)
    return scales


def _row(vote: TasteVote, scale: Scale) -> tuple[float, float]:
    """Return a vote's coefficients of g and c in the log-odds of the vote given."""
    sign = 1.0 if vote.positive else -1.0
    middle, sd, _ = scale
    return sign * (vote.value - middle) / sd, 0.0 if vote.centred else sign


def _held_out(rows: Matrix, folds: Ints, centre: Matrix, spread: Matrix) -> float:
    """Return the mean log-loss of votes whose fold was left out of the fit."""
    margins = out_of_fold(
        folds, lambda inside, outside: np.asarray(rows[outside] @ _likeliest(rows[inside], centre, spread))
    )
    return float(np.logaddexp(0.0, -margins).mean())


# -- the user's own votes: from the history to the fits


def cast_vote(store: HistoryStore, id: str, choice: str, *, blind: bool = False) -> Vote:
    """Keep the user's vote on a stored verdict with the verdict's own number: up or down of a rating, A or B of a duel.
    It replaces an earlier vote on it. ``blind``: given before the verdict was seen. Raises what ``_add`` raises."""
    entry = store.get(id)
    row = entry.row
    vote_score = store.kinds[row.kind].vote_score(entry.result) if entry.result is not None else None
    return _add(store, entry, row.kind, choice, vote_score, row.subjects, row.id, blind)


def _add(
    store: HistoryStore,
    of: HistoryEntry | ContestResult,
    kind: str,
    choice: str,
    vote_score: VoteScore | None,
    subjects: Sequence[Subject],
    verdict_id: str,
    blind: bool,
) -> Vote:
    """Keep a vote. Raises ``UsageError`` ``E_VOTE_CHOICE``, ``InputError`` ``E_VOTE_UNSCORED`` and ``E_VOTE_SAME``, and
    the history's errors."""
    its = store.kinds[kind]
    if choice not in its.choices:
        hint = f"Choose {' or '.join(its.choices)}." if its.choices else "Vote on a rating or a duel."
        raise UsageError("E_VOTE_CHOICE", f"A {its.noun} isn't voted on with {choice}.", hint)
    if vote_score is None or of.model is None or not math.isfinite(vote_score.value):
        raise InputError(
            "E_VOTE_UNSCORED",
            f"This {its.noun} has no score yet, so a vote on it couldn't be used.",
            "Judge it, or go on with the contest, and vote then.",
        )
    if len(subjects) > 1 and len({subject.text for subject in subjects}) == 1:
        raise InputError("E_VOTE_SAME", "The two jokes are the same.", "Vote on two different jokes.")
    return store.votes.add(
        verdict_id=verdict_id, kind=kind, choice=choice, blind=blind, vote_score=vote_score, model=of.model,
        prompt_version=of.prompt_version, criteria_version=of.criteria_version, subjects=subjects,
    )  # fmt: skip


def taste_of(store: HistoryStore, model_sha256: str) -> Taste:
    """Return the user's taste from the votes on one model's verdicts."""
    return fit([
        TasteVote(
            vote.scale, vote.value, vote.choice == store.kinds[vote.kind].choices[0],
            tuple(sorted(subject.text for subject in vote.subjects)), vote.blind, vote.centred,
        )
        for vote in store.votes.find(model_sha256)
        if vote.kind in store.kinds
    ])  # fmt: skip


def kept_votes(store: HistoryStore) -> tuple[VoteSet, ...]:
    """Return all votes, for fitting a head."""
    return own_sets((vote.choice, vote.text_a, vote.text_b) for vote in store.votes.find())


# -- votes on the jokes of a contest: a thumb for one, or a choice between two, compared with the contest's own numbers


def vote_on_entry(store: HistoryStore, result: ContestResult, id: str, choice: str, *, blind: bool = False) -> Vote:
    """Add a thumb, up or down, for the entry with this ``id``, as a vote on a rating of its text. It replaces an
    earlier thumb for the same text. ``blind``: its place and score weren't shown. Raises ``UsageError``
    ``E_VOTE_ENTRY``, and what ``_add`` raises."""
    entry, vote_score = _entry(result, id), None
    if (reading := entry.reading) is not None:
        vote_score = VoteScore(
            scale=scale_of("alone" if reading.audience is None else "audience", result),
            value=reading.audience if reading.audience is not None else reading.value,
        )
    earlier = thumbs(store, [entry.text]).get(entry.text)
    verdict_id = earlier.verdict_id if earlier is not None else None
    subjects = (Subject(text=entry.text),)
    vote = _add(store, result, RATING.name, choice, vote_score, subjects, verdict_id or f"{result.id}/{id}", blind)
    if earlier is not None and verdict_id is None:
        store.votes.remove(earlier.id)
    return vote


def vote_on_pair(store: HistoryStore, result: ContestResult, ids: tuple[str, str], choice: str, *, blind: bool) -> Vote:
    """Add a choice between two entries: A is the first of ``ids``, B the second. It replaces another choice between the
    same two. ``blind``: their places and scores weren't shown. Raises what ``vote_on_entry`` raises."""
    one, other = _entry(result, ids[0]), _entry(result, ids[1])
    if one.id > other.id:
        # One order for each pair, so that another vote on it is found, whichever entry was first.
        one, other, choice = other, one, {"A": "B", "B": "A"}.get(choice, choice)
    vote_score = None
    if one.score is not None and other.score is not None:
        vote_score = VoteScore(scale=scale_of("odds_contest", result), value=one.score - other.score, centred=True)
    subjects = (Subject(text=one.text, label="A"), Subject(text=other.text, label="B"))
    return _add(store, result, DUEL.name, choice, vote_score, subjects, f"{result.id}/{one.id}+{other.id}", blind)


def thumbs(store: HistoryStore, texts: Iterable[str]) -> dict[str, Vote]:
    """Return the last thumb for each of ``texts``, from any verdict."""
    wanted = set(texts)
    return {vote.text_a: vote for vote in store.votes.find() if vote.kind == RATING.name and vote.text_a in wanted}


def _entry(result: ContestResult, id: str) -> RankedEntry:
    for entry in result.entries:
        if entry.id == id:
            return entry
    raise UsageError(
        "E_VOTE_ENTRY",
        f"The contest has no joke with the id {id!r}.",
        "jokejudge history show with --json lists the ids.",
    )
