"""Fits one linear map from a text's features to people's votes, and measures it on held-out votes.

Ridge regression in its dual form, since a text has far more features than there are texts; numbers only, no model.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from typing import NamedTuple

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

# -- votes prepared for fitting: numbered texts with their folds, rows for training, pairs for measuring

MOST_TEXTS = 3000
"""Most texts that are read: of more a sample that depends on their letters alone, so that the work stays bounded."""
_MOST_PAIRS = 4000


class Part(NamedTuple):
    """One set's votes, texts by index. ``targets``: the differences of the pairs, rms √2, as that of two ratings of
    standard deviation 1; ``values``: ratings on the set's own scale, the mean of a text rated twice."""

    winners: Ints
    losers: Ints
    targets: Vector
    rated: Ints
    values: Vector


class Ballot(NamedTuple):
    """Votes on ``texts``, each text once, even if it is in several sets. ``fold[i]`` 0…FOLDS−1; ``left_out``: texts
    that weren't or can't be read."""

    texts: tuple[str, ...]
    fold: Ints
    parts: tuple[Part, ...]
    left_out: frozenset[str] = frozenset()


class Pairs(NamedTuple):
    """Pairs with both texts in one fold, so that neither was trained on where they are measured: ``first`` is the one
    that people found funnier. ``weight``: makes every text of every set count alike."""

    first: Ints
    second: Ints
    weight: Vector

    @property
    def rows(self) -> float:
        """The effective number of independent pairs. Two pairs that share a text covary by at most half the variance of
        one (Hoeffding 1948, U-statistics of degree 2), so the variance of a share p is at most p(1−p)·ΣD²/2(Σw)², D
        being the weights summed over each text's pairs: pairs that share no text count fully, and all pairs of n texts
        count n/2."""
        if not len(self.first):
            return 0.0
        places = np.concatenate([self.first, self.second])
        degree = np.bincount(places, weights=np.tile(self.weight, 2))
        return float(2.0 * self.weight.sum() ** 2 / (degree @ degree))


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

    def numbered(names: Iterable[str]) -> Ints:
        return np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.int64)

    parts = []
    for votes in sets:
        rows = [(name_of(pair.winner), name_of(pair.loser), pair.margin) for pair in votes.pairs]
        rows = [row for row in rows if row[0] and row[1] and row[0] != row[1] and row[2] > 0]
        given: dict[str, list[float]] = {}
        for rated in votes.ratings:
            given.setdefault(name_of(rated.text), []).append(rated.value)
        given.pop("", None)
        margins = np.array([row[2] for row in rows], dtype=np.float64)
        targets = margins * math.sqrt(2.0 / float(margins @ margins / len(margins))) if rows else margins
        values = np.array([math.fsum(its) / len(its) for its in given.values()], dtype=np.float64)
        winners, losers = numbered(row[0] for row in rows), numbered(row[1] for row in rows)
        parts.append(Part(winners, losers, targets, numbered(given), values))
    texts = tuple(spelled[name] for name in numbers)
    order, fold = _dealt(texts, parts)
    if len(texts) > MOST_TEXTS:
        return gather(sets, left_out.union(texts[place] for place in order[MOST_TEXTS:]))
    return Ballot(texts, fold, tuple(parts), left_out)


def _dealt(texts: Sequence[str], parts: Sequence[Part]) -> tuple[list[int], Ints]:
    """Return the texts in an order that depends on them alone, and the fold of each. Texts that pairs link are together
    in both, unless they are too many for one fold."""
    linked = [np.zeros((2, 0), dtype=np.int64), *(np.stack([part.winners, part.losers]) for part in parts)]
    groups = islands(len(texts), *np.concatenate(linked, axis=1))
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


def pairs_of_votes(ballot: Ballot) -> Pairs:
    """Return the pairs to measure on: those voted on, and of rated texts all with different ratings, or a seeded
    sample."""
    pairs, weights = [np.zeros((2, 0), dtype=np.int64)], [np.zeros(0)]
    for part in ballot.parts:
        together = ballot.fold[part.winners] == ballot.fold[part.losers]
        pairs += [np.stack([part.winners[together], part.losers[together]]), *_rated_pairs(part, ballot.fold)]
        of_part = np.concatenate(pairs[-1 - FOLDS :], axis=1)
        count = of_part.shape[1]
        weights.append(np.full(count, len(np.unique(of_part)) / max(1, count)))
    first, second = np.concatenate(pairs, axis=1)
    return Pairs(first, second, np.concatenate(weights))


def _rated_pairs(part: Part, fold: Ints) -> Iterator[Ints]:
    random = np.random.default_rng(20)
    for place in range(FOLDS):
        inside = np.flatnonzero(fold[part.rated] == place)
        one, two = np.triu_indices(len(inside), 1)
        gap = part.values[inside[one]] - part.values[inside[two]]
        chosen = np.flatnonzero(gap)
        if len(chosen) > _MOST_PAIRS:
            chosen = np.sort(random.choice(chosen, _MOST_PAIRS, replace=False))
        ahead = gap[chosen] > 0
        a, b = part.rated[inside[one[chosen]]], part.rated[inside[two[chosen]]]
        yield np.stack([np.where(ahead, a, b), np.where(ahead, b, a)])


def normal_equations(ballot: Ballot, inside: Ints) -> tuple[Vector, Vector]:
    """Return (L, t) of least squares over the votes on the texts at ``inside``: the sum of squared errors of scores f
    is fᵀLf − 2tᵀf + const, L (n, n) and t (n,). Only differences inside a set count: ratings are centred and scaled to
    standard deviation 1, and L is the Laplacian of the pairs."""
    place = np.full(len(ballot.texts), -1, dtype=np.int64)
    place[inside] = np.arange(len(inside))
    size = len(inside)
    left, right = np.zeros((size, size)), np.zeros(size)
    for part in ballot.parts:
        one, two = place[part.winners], place[part.losers]
        inner = (one >= 0) & (two >= 0)
        one, two, target = one[inner], two[inner], part.targets[inner]
        for a, b, sign in ((one, one, 1.0), (two, two, 1.0), (one, two, -1.0), (two, one, -1.0)):
            np.add.at(left, (a, b), sign)
        np.add.at(right, one, target)
        np.add.at(right, two, -target)
        rated = place[part.rated]
        values, rated = part.values[rated >= 0], rated[rated >= 0]
        spread = float(values.std()) if len(values) else 0.0
        if spread > 0:
            left[rated, rated] += 1.0
            left[np.ix_(rated, rated)] -= 1.0 / len(rated)
            right[rated] += (values - values.mean()) / spread
    return left, right


_CLIP = 8.0


def standardised(values: Matrix, inside: Ints) -> tuple[Matrix, Vector, Vector]:
    """Return the features of all texts as ``AudienceHead.features`` standardises them, by centre and scale of those at
    ``inside``; and these two."""
    some = values[inside]
    centre, scale = some.mean(axis=0, dtype=np.float64), some.std(axis=0, dtype=np.float64) + 1e-6
    rows: Matrix = np.clip((values - centre.astype(np.float32)) / scale.astype(np.float32), -_CLIP, _CLIP)
    return rows, centre, scale


View = Callable[[Ints], Matrix]
"""Returns the features of all texts (texts, features), standardised by those at the given indices alone."""


def wording_view(texts: Sequence[str]) -> View:
    """Return a view of hashed word and letter groups, weighted as by ``audience.weigh``, and two measures of length."""
    counts = counted(texts, BUCKETS)
    sizes = lengths(texts).astype(np.float32)

    def view(inside: Ints) -> Matrix:
        words = counts.weighed(counts.rarity(inside)).dense()
        return np.hstack([words, 0.5 * standardised(sizes, inside)[0]])

    return view


class HeldOutPairs(NamedTuple):
    """Log-odds differences of ``Pairs``, winner less loser, by maps trained without either text; and the settings of
    the final map: ``strength``, ``slope`` (≥ 0; 0: nothing was learned), ``scores`` of all texts, each out of fold,
    times the slope."""

    differences: Vector
    strength: float
    slope: float
    scores: Vector


def cross_validated(
    view: View, ballot: Ballot, pairs: Pairs, before: int, token: CancelToken
) -> Generator[StageProgress, None, HeldOutPairs]:
    """Cross-validate: the scores of a fold are of maps fitted on the other folds, whose pairs also choose the strength
    and slope of what it is measured with. ``before``: number of fits done before, of twice FOLDS in all. Raises
    ``Cancelled``."""
    scores = np.zeros((len(STRENGTHS), len(ballot.texts)))
    for away in range(FOLDS):
        token.check()
        inside, here = np.flatnonzero(ballot.fold != away), ballot.fold == away
        scores[:, here] = np.stack([row[here] for row in _path(view(inside), ballot, inside, token)])
        yield progress(before + away + 1, 2 * FOLDS, "fitting, and measuring on votes held out")
    fold = ballot.fold[pairs.first]
    differences = np.zeros(len(fold))
    for away in range(FOLDS):
        here = fold == away
        best, slope = _choose(scores, Pairs(*(column[~here] for column in pairs)))
        differences[here] = slope * (scores[best, pairs.first[here]] - scores[best, pairs.second[here]])
    best, slope = _choose(scores, pairs)
    return HeldOutPairs(differences, STRENGTHS[best], slope, scores[best] * slope)


def _path(rows: Matrix, ballot: Ballot, inside: Ints, token: CancelToken) -> Iterator[Vector]:
    """Yield, for each strength, the scores of all texts by a map fitted on those at ``inside``, where their mean is
    0."""
    kernel = (rows @ rows[inside].T).astype(np.float64)
    for weights in dual(kernel[inside], *normal_equations(ballot, inside), STRENGTHS):
        token.check()
        scores: Vector = kernel @ weights
        yield scores - scores[inside].mean()


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
    x = differences / rms
    weight = pairs.weight / pairs.weight.sum()
    (slope,) = likeliest(x[:, None], np.ones(len(x)), np.ones(1), counts=pairs.rows * weight)
    slope = max(0.0, float(slope))
    return slope / rms, float(weight @ np.logaddexp(0.0, -slope * x))


def final_map(values: Matrix, ballot: Ballot, measured: HeldOutPairs, token: CancelToken) -> dict[str, Vector]:
    """Return the head's arrays from all texts, with the strength and slope chosen by cross-validation: one kind that
    every text fully belongs to, no word groups, and scores in log-odds with the mean 0. ``quantiles``: 101 of the
    scores out of fold, since a map spreads its training texts more widely than new ones."""
    everything = np.arange(len(ballot.texts))
    rows, centre, scale = standardised(values, everything)
    kernel = (rows @ rows.T).astype(np.float64)
    (alpha,) = dual(kernel, *normal_equations(ballot, everything), (measured.strength,))
    token.check()
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


def by_length(ballot: Ballot, pairs: Pairs) -> Vector:
    """Return the predictions of the pairs by length alone, 1, −1, or 0 for equal lengths: "longer is funnier" or its
    opposite, whichever is right more often."""
    longest = longer([ballot.texts[i] for i in pairs.first], [ballot.texts[i] for i in pairs.second])
    return longest if float(pairs.weight @ longest) >= 0 else -longest
