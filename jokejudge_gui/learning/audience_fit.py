"""Fits one linear map from a text's features to people's votes, and measures it on held-out votes: ridge regression on
pairs in its dual form, since a text has far more features than there are texts; numbers only, no model."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Generator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..core.errors import InputError
from ..core.events import StageProgress
from ..core.statistics import Vector
from ..core.texts import clean_text
from ..core.vote_sets import VoteSet
from ..engine.base import CancelToken
from ..heads.editor_file import Ints
from .figures import FOLDS
from .ridge import STRENGTHS, dual, likeliest
from .teacher import digest, progress
from .wording import BUCKETS, Matrix, counted, islands, lengths, longer

MOST_TEXTS = 3000
"""Most texts that are read: of more a sample that depends on their letters alone, so that the work stays bounded."""
_PARTNERS = 60
"""Number of texts with which a rated one is compared, drawn by lot where there are more than twice as many."""
_CLIP = 8.0
View = Callable[[Ints], Matrix]
"""Returns the features of all texts (texts, features), standardised by those at the given indices alone."""


class Pairs(NamedTuple):
    """Pairs of texts by index, ``first`` the one that people found funnier, by ``gap``, whose rms is √2 in every set.
    ``counts``: in learning, where a vote counts 1, as does a rating with all its pairs; ``weight``: in measuring, where
    every text of every set counts alike."""

    first: Ints
    second: Ints
    gap: Vector
    counts: Vector
    weight: Vector

    def take(self, some: npt.NDArray[np.generic]) -> Pairs:
        return Pairs(*(column[some] for column in self))

    @property
    def rows(self) -> float:
        """The effective number of independent pairs. Two pairs that share a text covary by at most half the variance of
        one (Hoeffding 1948, U-statistics of degree 2), so the variance of a share p is at most p(1−p)·ΣD²/2(Σw)², D
        being the weights summed over each text's pairs: pairs that share no text count fully, and all pairs of n texts
        count n/2."""
        if not len(self.first):
            return 0.0
        degree = np.bincount(np.concatenate([self.first, self.second]), weights=np.tile(self.weight, 2))
        return float(2.0 * self.weight.sum() ** 2 / (degree @ degree))


class Ballot(NamedTuple):
    """Votes on ``texts``, each text once, even if it is in several sets. ``fold[i]`` 0…FOLDS−1; ``left_out``: texts
    that weren't or can't be read."""

    texts: tuple[str, ...]
    fold: Ints
    pairs: Pairs
    left_out: frozenset[str] = frozenset()

    def held_out(self) -> Pairs:
        """Return the pairs with both texts in one fold, so that neither was trained on where they are measured."""
        pairs = self.pairs
        return pairs.take(self.fold[pairs.first] == self.fold[pairs.second])


def key(text: str) -> str:
    """Return the letters and digits of a text, so that the same joke in two spellings is one text."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))


def gather(sets: Sequence[VoteSet], left_out: frozenset[str] = frozenset()) -> Ballot:
    """Number the texts of all sets but those ``left_out``, texts that can't be judged and pairs of a text with itself;
    of too many texts a sample is kept, linked ones together where possible."""
    spelled: dict[str, str] = {}
    numbers: dict[str, int] = {}

    def name_of(text: str) -> str:
        """Return the key of a text; empty for one that has no vote."""
        try:
            cleaned = clean_text(text)
        except InputError:
            return ""
        name = key(cleaned)
        return "" if spelled.setdefault(name, cleaned) in left_out else name

    def number_of(name: str) -> int:
        return numbers.setdefault(name, len(numbers))

    parts: list[tuple[Ints, Ints, Vector, Vector]] = []
    voted: list[Ints] = [np.zeros((2, 0), dtype=np.int64)]
    for votes in sets:
        named = [(name_of(pair.winner), name_of(pair.loser), pair.margin) for pair in votes.pairs]
        rows = [(number_of(a), number_of(b), gap) for a, b, gap in named if a and b and a != b and gap > 0]
        given: dict[str, list[float]] = {}
        for rated in votes.ratings:
            given.setdefault(name_of(rated.text), []).append(rated.value)
        given.pop("", None)
        places = np.array([number_of(name) for name in given], dtype=np.int64)
        values = np.array([math.fsum(its) / len(its) for its in given.values()], dtype=np.float64)
        first, second = np.array([row[:2] for row in rows], dtype=np.int64).reshape(-1, 2).T
        voted.append(np.stack([first, second]))
        parts.append((first, second, np.array([row[2] for row in rows], dtype=np.float64), np.ones(len(rows))))
        parts.append(_rated_pairs(places, values))
    texts = tuple(spelled[name] for name in numbers)
    order, fold = _dealt(texts, np.concatenate(voted, axis=1))
    if len(texts) > MOST_TEXTS:
        return gather(sets, left_out.union(texts[place] for place in order[MOST_TEXTS:]))
    whole: list[tuple[Any, ...]] = []
    for first, second, gap, counts in parts:
        gap = gap * math.sqrt(2.0 / float(gap @ gap / len(gap))) if len(gap) else gap
        held = fold[first] == fold[second]
        seen = len(np.unique(np.concatenate([first[held], second[held]])))
        whole.append((first, second, gap, counts, np.full(len(gap), seen / max(1, int(held.sum())))))
    empty = (np.zeros(0, np.int64), np.zeros(0, np.int64), *[np.zeros(0)] * 3)
    columns = zip(*(whole or [empty]), strict=True)
    return Ballot(texts, fold, Pairs(*(np.concatenate(column) for column in columns)), left_out)


def _rated_pairs(places: Ints, values: Vector) -> tuple[Ints, Ints, Vector, Vector]:
    """Return pairs of rated texts with different ratings, the better one first, by how much, and their counts."""
    count = len(places)
    one, two = np.triu_indices(count, 1)
    if count > 2 * _PARTNERS:
        one = np.repeat(np.arange(count), _PARTNERS)
        two = np.random.default_rng(20).integers(0, count, len(one))
    one, two = (side[values[one] != values[two]] for side in (one, two))
    ahead = values[one] > values[two]
    first, second = np.where(ahead, one, two), np.where(ahead, two, one)
    counts = np.full(len(one), count / max(1, 2 * len(one)))
    return places[first], places[second], values[first] - values[second], counts


def _dealt(texts: Sequence[str], linked: Ints) -> tuple[list[int], Ints]:
    """Return the texts in an order that depends on them alone, and the fold of each. Texts that votes link are together
    in both, unless they are too many for one fold."""
    groups = islands(len(texts), *linked)
    size = np.bincount(groups, minlength=len(texts))
    groups = np.where(size[groups] * FOLDS > len(texts), np.arange(len(texts)), groups)
    marks = [digest(key(text)) for text in texts]
    lead: dict[int, str] = {}
    for group, mark in zip(groups.tolist(), marks, strict=True):
        lead[group] = min(mark, lead.get(group, mark))
    order = sorted(range(len(texts)), key=lambda place: (lead[int(groups[place])], marks[place]))
    numbers: dict[int, int] = {}
    fold = np.zeros(len(texts), dtype=np.int64)
    for place in order:
        fold[place] = numbers.setdefault(int(groups[place]), len(numbers)) % FOLDS
    return order, fold


def normal_equations(ballot: Ballot, inside: Ints) -> tuple[Vector, Vector]:
    """Return (L, t) of least squares over the pairs of the texts at ``inside``: the sum of squared errors of scores f
    is fᵀLf − 2tᵀf + const, L (n, n) their Laplacian and t (n,)."""
    place = np.full(len(ballot.texts), -1, dtype=np.int64)
    place[inside] = np.arange(len(inside))
    pairs = ballot.pairs.take((place[ballot.pairs.first] >= 0) & (place[ballot.pairs.second] >= 0))
    one, two, counts = place[pairs.first], place[pairs.second], pairs.counts
    left = np.zeros((len(inside), len(inside)))
    for a, b, sign in ((one, one, 1.0), (two, two, 1.0), (one, two, -1.0), (two, one, -1.0)):
        np.add.at(left, (a, b), sign * counts)
    right = np.zeros(len(inside))
    np.add.at(right, one, counts * pairs.gap)
    np.add.at(right, two, -counts * pairs.gap)
    return left, right


def standardised(values: Matrix, inside: Ints) -> tuple[Matrix, Vector, Vector]:
    """Return the features of all texts as ``AudienceHead.features`` standardises them, by centre and scale of those at
    ``inside``; and these two."""
    some = values[inside]
    centre, scale = some.mean(axis=0, dtype=np.float64), some.std(axis=0, dtype=np.float64) + 1e-6
    rows: Matrix = np.clip((values - centre.astype(np.float32)) / scale.astype(np.float32), -_CLIP, _CLIP)
    return rows, centre, scale


def wording_view(texts: Sequence[str]) -> View:
    """Return a view of hashed word and letter groups, weighted as by ``audience.weigh``, and two measures of length."""
    counts, sizes = counted(texts, BUCKETS), lengths(texts).astype(np.float32)
    return lambda inside: np.hstack(
        [counts.weighed(counts.rarity(inside)).dense(), 0.5 * standardised(sizes, inside)[0]]
    )


class HeldOutPairs(NamedTuple):
    """Log-odds differences of held-out pairs, winner less loser, by maps trained without either text; and the settings
    of the final map: ``strength``, ``slope`` (≥ 0; 0: nothing was learned), ``scores`` of all texts, each out of fold,
    times the slope."""

    differences: Vector
    strength: float
    slope: float
    scores: Vector


def cross_validated(
    view: View, ballot: Ballot, before: int, token: CancelToken
) -> Generator[StageProgress, None, HeldOutPairs]:
    """Cross-validate: the scores of a fold are of maps fitted on the other folds, whose pairs also choose the strength
    and slope of what it is measured with. ``before``: number of fits done before, of twice FOLDS in all. Raises
    ``Cancelled``."""
    scores = np.zeros((len(STRENGTHS), len(ballot.texts)))
    for away in range(FOLDS):
        token.check()
        inside, here = np.flatnonzero(ballot.fold != away), ballot.fold == away
        rows = view(inside)
        kernel = (rows @ rows[inside].T).astype(np.float64)
        for of_strength, weights in zip(
            scores, dual(kernel[inside], *normal_equations(ballot, inside), STRENGTHS), strict=True
        ):
            token.check()
            own = kernel @ weights
            of_strength[here] = (own - own[inside].mean())[here]
        yield progress(before + away + 1, 2 * FOLDS, "fitting, and measuring on votes held out")
    pairs = ballot.held_out()
    fold, differences = ballot.fold[pairs.first], np.zeros(len(pairs.first))
    for away in range(FOLDS):
        here = fold == away
        best, slope = _choose(scores, pairs.take(~here))
        differences[here] = slope * (scores[best, pairs.first[here]] - scores[best, pairs.second[here]])
    best, slope = _choose(scores, pairs)
    return HeldOutPairs(differences, STRENGTHS[best], slope, scores[best] * slope)


def _choose(scores: npt.NDArray[np.float64], pairs: Pairs) -> tuple[int, float]:
    """Return the index of the strength whose scores give the pairs the least log-loss, and the slope for it."""
    fits = [slope_of(row[pairs.first] - row[pairs.second], pairs) for row in scores]
    best = min(range(len(fits)), key=lambda place: fits[place][1])
    return best, fits[best][0]


def slope_of(differences: Vector, pairs: Pairs) -> tuple[float, float]:
    """Return (slope ≥ 0, log-loss in nats with it): the factor that turns differences, winner less loser, into
    calibrated log-odds. MAP of a logistic model without intercept; the prior is normal around 0, with a standard
    deviation of 1 for differences of rms 1, and pairs weigh no more than their effective number (``Pairs.rows``), so
    that little evidence gives small odds."""
    rms = math.sqrt(float(np.mean(differences**2))) if len(differences) else 0.0
    if rms == 0 or not math.isfinite(rms):
        return 0.0, math.log(2)
    x, weight = differences / rms, pairs.weight / pairs.weight.sum()
    (slope,) = likeliest(x[:, None], np.ones(len(x)), np.ones(1), counts=pairs.rows * weight)
    slope = max(0.0, float(slope))
    return slope / rms, float(weight @ np.logaddexp(0.0, -slope * x))


def final_map(values: Matrix, ballot: Ballot, measured: HeldOutPairs) -> dict[str, Vector]:
    """Return the head's arrays from all texts, with the strength and slope chosen by cross-validation: one kind that
    every text fully belongs to, no word groups, and scores in log-odds with the mean 0. ``quantiles``: 101 of the
    scores out of fold, since a map spreads its training texts more widely than new ones."""
    everything = np.arange(len(ballot.texts))
    rows, centre, scale = standardised(values, everything)
    kernel = (rows @ rows.T).astype(np.float64)
    (alpha,) = dual(kernel, *normal_equations(ballot, everything), (measured.strength,))
    quantiles = np.quantile(measured.scores - measured.scores.mean(), np.linspace(0, 1, 101))
    return {
        "centre": centre,
        "scale": scale,
        "weights": measured.slope * (alpha @ rows.astype(np.float64))[None, :],
        "bias": np.array([-measured.slope * float((kernel @ alpha).mean())]),
        "gate": np.zeros((1, len(centre))),
        "gate_bias": np.zeros(1),
        "grams": np.zeros((1, 0)),
        "rarity": np.zeros(0),
        "quantiles": np.maximum.accumulate(quantiles),
    }


def by_length(ballot: Ballot) -> Vector:
    """Return the predictions of the held-out pairs by length alone, 1, −1, or 0 for equal lengths: "longer is funnier"
    or its opposite, whichever is right more often."""
    pairs = ballot.held_out()
    longest = longer([ballot.texts[i] for i in pairs.first], [ballot.texts[i] for i in pairs.second])
    return longest if float(pairs.weight @ longest) >= 0 else -longest
