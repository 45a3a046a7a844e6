"""Votes laid out for fitting: texts numbered and dealt into folds, rows to learn from, pairs to be measured on."""

from __future__ import annotations

import hashlib
import math
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ..errors import InputError
from ..statistics import Vector
from ..texts import clean_text
from ..vote_sets import VoteSet
from .baselines import islands
from .ridge import Ints

FOLDS = 5
MOST_TEXTS = 3000
"""Of more texts than these a draw by their letters is read, so that the work stays bounded."""
_MOST_PAIRS = 4000


@dataclass(frozen=True, eq=False)
class Part:
    """One set's votes, texts by place. ``targets``: how far apart a pair is, rms √2, as that of two ratings of
    standard deviation 1; ``values``: ratings on the set's own scale, a text rated twice by its mean."""

    name: str
    credit: str
    winners: Ints
    losers: Ints
    targets: Vector
    rated: Ints
    values: Vector

    @property
    def texts(self) -> Ints:
        """Places of the texts voted on."""
        return np.unique(np.concatenate([self.winners, self.losers, self.rated]))


@dataclass(frozen=True, eq=False)
class Ballot:
    """Votes on ``texts``, each text once whatever sets it is in. ``fold[i]`` 0…FOLDS−1; ``left_out``: texts beyond
    MOST_TEXTS."""

    texts: tuple[str, ...]
    fold: Ints
    parts: tuple[Part, ...]
    left_out: int = 0

    def keep(self, wanted: npt.NDArray[np.bool_]) -> Ballot:
        """The votes on some of the texts, numbered anew and dealt anew."""
        place = np.cumsum(wanted) - 1
        parts = []
        for part in self.parts:
            pair, rated = wanted[part.winners] & wanted[part.losers], wanted[part.rated]
            found = replace(
                part,
                winners=place[part.winners[pair]],
                losers=place[part.losers[pair]],
                targets=part.targets[pair],
                rated=place[part.rated[rated]],
                values=part.values[rated],
            )
            if found.texts.size:
                parts.append(found)
        texts = tuple(text for text, stays in zip(self.texts, wanted, strict=True) if stays)
        return Ballot(texts, _deal(texts, parts), tuple(parts), self.left_out + int((~wanted).sum()))


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs with both texts in one fold, so that neither was learned from where they are measured: ``first`` is the one
    that people found funnier. ``weight``: every text of every part counts alike. ``part``: which set they are of."""

    first: Ints
    second: Ints
    part: Ints
    weight: Vector

    def __len__(self) -> int:
        return len(self.first)

    def take(self, wanted: npt.NDArray[np.bool_]) -> Pairs:
        return Pairs(self.first[wanted], self.second[wanted], self.part[wanted], self.weight[wanted])

    @property
    def rows(self) -> float:
        """How many independent rows the pairs are worth. Two pairs that share a text covary by at most half the
        variance of one (Hoeffding 1948, U-statistics of degree 2), so the variance of a share p is at most
        p(1−p)·ΣD²/2(Σw)², D being the weights summed over each text's pairs: pairs that share no text count whole,
        and all pairs of n texts count n/2."""
        if len(self) == 0:
            return 0.0
        places = np.concatenate([self.first, self.second])
        degree = np.bincount(places, weights=np.tile(self.weight, 2))
        return float(2.0 * self.weight.sum() ** 2 / (degree @ degree))


def key(text: str) -> str:
    """Letters and digits only, so that the same joke in two spellings is one text."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))


def gather(sets: Sequence[VoteSet]) -> Ballot:
    """Number the texts of all sets. Texts that can't be judged, and pairs of a text with itself, are left out."""
    texts: dict[str, str] = {}
    numbers: dict[str, int] = {}

    def place(text: str) -> int:
        try:
            cleaned = clean_text(text)
        except InputError:
            return -1
        name = key(cleaned)
        if not name:
            return -1
        texts.setdefault(name, cleaned)
        return numbers.setdefault(name, len(numbers))

    parts = []
    for votes in sets:
        rows = [(place(pair.winner), place(pair.loser), pair.margin) for pair in votes.pairs]
        rows = [row for row in rows if min(row[:2]) >= 0 and row[0] != row[1] and row[2] > 0]
        given: dict[int, list[float]] = {}
        for rated in votes.ratings:
            given.setdefault(place(rated.text), []).append(rated.value)
        given.pop(-1, None)
        margins = np.array([row[2] for row in rows], dtype=np.float64)
        part = Part(
            name=votes.name,
            credit=votes.credit,
            winners=np.array([row[0] for row in rows], dtype=np.int64),
            losers=np.array([row[1] for row in rows], dtype=np.int64),
            targets=margins * math.sqrt(2.0 / float(margins @ margins / len(margins))) if len(rows) else margins,
            rated=np.array(list(given), dtype=np.int64),
            values=np.array([math.fsum(values) / len(values) for values in given.values()], dtype=np.float64),
        )
        if part.texts.size:
            parts.append(part)
    ballot = Ballot(tuple(texts.values()), np.zeros(len(texts), dtype=np.int64), tuple(parts))
    return ballot.keep(_drawn(ballot))


def _drawn(ballot: Ballot) -> npt.NDArray[np.bool_]:
    """Which texts are read: all that have a vote, and of too many a draw, linked ones together where that can be."""
    wanted = np.zeros(len(ballot.texts), dtype=bool)
    for part in ballot.parts:
        wanted[part.texts] = True
    if wanted.sum() > MOST_TEXTS:
        order = [place for place in _order(ballot.texts, _groups(ballot.texts, ballot.parts)) if wanted[place]]
        wanted[order[MOST_TEXTS:]] = False
    return wanted


def _fraction(text: str) -> float:
    """A number that depends on the text alone."""
    return int.from_bytes(hashlib.sha256(key(text).encode()).digest()[:6], "big") / 2**48


def _groups(texts: Sequence[str], parts: Sequence[Part]) -> Ints:
    """For each text one that stands for its group: the texts that pairs link, unless too many hang together to be held
    out at once; then each of them is a group of its own."""
    if not texts:
        return np.zeros(0, dtype=np.int64)
    none = [np.zeros(0, dtype=np.int64)]
    one = np.concatenate([*(part.winners for part in parts), *none])
    two = np.concatenate([*(part.losers for part in parts), *none])
    found = islands(len(texts), one, two)
    size = np.bincount(found, minlength=len(texts))
    return np.where(size[found] * FOLDS > len(texts), np.arange(len(texts)), found)


def _order(texts: Sequence[str], groups: Ints) -> list[int]:
    """Places in an order that depends on the texts alone, each group together."""
    own = [_fraction(text) for text in texts]
    lead: dict[int, float] = {}
    for place, group in enumerate(groups.tolist()):
        lead[group] = min(lead.get(group, 1.0), own[place])
    return sorted(range(len(texts)), key=lambda place: (lead[int(groups[place])], own[place]))


def _deal(texts: Sequence[str], parts: Sequence[Part]) -> Ints:
    """A fold for each text; groups are dealt whole."""
    groups = _groups(texts, parts)
    numbers: dict[int, int] = {}
    fold = np.zeros(len(texts), dtype=np.int64)
    for place in _order(texts, groups):
        fold[place] = numbers.setdefault(int(groups[place]), len(numbers)) % FOLDS
    return fold


def pairs_of_votes(ballot: Ballot) -> Pairs:
    """Pairs to be measured on: those voted on, and of rated texts all with different ratings, or a seeded draw."""
    found = [_pairs_of(part, number, ballot.fold) for number, part in enumerate(ballot.parts)]
    found = [pairs for pairs in found if len(pairs)]
    if not found:
        none = np.zeros(0, dtype=np.int64)
        return Pairs(none, none, none, np.zeros(0))
    return Pairs(
        np.concatenate([pairs.first for pairs in found]),
        np.concatenate([pairs.second for pairs in found]),
        np.concatenate([pairs.part for pairs in found]),
        np.concatenate([pairs.weight for pairs in found]),
    )


def _pairs_of(part: Part, number: int, fold: Ints) -> Pairs:
    together = fold[part.winners] == fold[part.losers]
    first, second = [part.winners[together]], [part.losers[together]]
    for a, b in _rated_pairs(part, fold):
        first.append(a)
        second.append(b)
    one, two = np.concatenate(first), np.concatenate(second)
    texts = len(np.unique(np.concatenate([one, two])))
    return Pairs(one, two, np.full(len(one), number), np.full(len(one), texts / max(1, len(one))))


def _rated_pairs(part: Part, fold: Ints) -> Iterator[tuple[Ints, Ints]]:
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
        yield np.where(ahead, a, b), np.where(ahead, b, a)


def normal_equations(ballot: Ballot, inside: Ints) -> tuple[Vector, Vector]:
    """(L, t) of least squares over the votes on the texts at ``inside``: the sum of squared errors of scores f is
    fᵀLf − 2tᵀf + const, L (n, n) and t (n,). Only differences inside a set count: ratings are centred and scaled to
    standard deviation 1, and L is the Laplacian of the pairs."""
    place = np.full(len(ballot.texts), -1, dtype=np.int64)
    place[inside] = np.arange(len(inside))
    size = len(inside)
    left, right = np.zeros((size, size)), np.zeros(size)
    for part in ballot.parts:
        one, two = place[part.winners], place[part.losers]
        known = (one >= 0) & (two >= 0)
        one, two, target = one[known], two[known], part.targets[known]
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
