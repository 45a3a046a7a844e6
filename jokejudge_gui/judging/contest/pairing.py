"""Which duels to hold next: those that decide something, none of them twice, the first places before all."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence

import numpy as np

from .ranking import Strengths

ALL_PAIRS = 12
"""Up to so many jokes are all compared with one another."""
MOST_CONTENDERS = 200
"""So many jokes, the best ones, take part in duels."""
_BORDER = 3.0
"""A duel across the border of the first K counts for so much more."""
_STANDING = 2
"""Rounds in which the first K must stay the same."""

Pair = tuple[int, int]


def default_budget(n: int) -> int:
    """Duels that are held where nobody says how many: all pairs of a short list, else two for each contender."""
    return n * (n - 1) // 2 if n <= ALL_PAIRS else 2 * min(n, MOST_CONTENDERS)


def next_round(found: Strengths, held: Collection[frozenset[int]], first: bool, top: int, budget: int) -> list[Pair]:
    """At most ``budget`` duels, in the order in which they should be held; none: nothing is left to be decided.
    ``held``: pairs that had their duel; ``first``: the round in which neighbours meet."""
    order = sorted(range(len(found.theta)), key=lambda place: (-found.theta[place], place))[:MOST_CONTENDERS]
    if len(order) <= ALL_PAIRS:
        pairs = [pair for pair in itertools.combinations(order, 2) if frozenset(pair) not in held]
        pairs.sort(key=lambda pair: -_worth(found, pair, order, top))
        return pairs[:budget]
    if first:
        return [pair for pair in itertools.pairwise(order) if frozenset(pair) not in held][:budget]
    return _matching(found, held, order, top)[:budget]


def settled(tops: Sequence[frozenset[int]]) -> bool:
    """Whether the first K stayed the same for the last rounds; ``tops``: the first K after each round."""
    return len(tops) > _STANDING and len(set(tops[-_STANDING - 1 :])) == 1


def neighbours(places: Sequence[int]) -> list[Pair]:
    """The duels of a few jokes that belong together, best first: all pairs, or neighbours only where they are many."""
    return list(itertools.combinations(places, 2) if len(places) <= ALL_PAIRS else itertools.pairwise(places))


def _worth(found: Strengths, pair: Pair, order: Sequence[int], top: int) -> float:
    """σ(1−σ) times the variance of the difference: how much the duel would tell."""
    one, other = pair
    p = 1.0 / (1.0 + np.exp(-abs(found.theta[one] - found.theta[other])))
    across = order.index(one) < top <= order.index(other) if top < len(order) else False
    return float(p * (1.0 - p) * found.differences(one)[other]) * (_BORDER if across else 1.0)


def _matching(found: Strengths, held: Collection[frozenset[int]], order: Sequence[int], top: int) -> list[Pair]:
    """Greedily the most telling pairs, each joke in one of them."""
    theta = found.theta[list(order)]
    gap = np.abs(theta[:, None] - theta[None, :])
    p = 1.0 / (1.0 + np.exp(-gap))
    spread = np.array([found.differences(place)[list(order)] for place in order])
    worth = p * (1.0 - p) * spread
    ahead = np.arange(len(order)) < top
    worth[ahead[:, None] & ~ahead[None, :]] *= _BORDER
    place = {joke: at for at, joke in enumerate(order)}
    for pair in held:
        one, other = pair
        if one in place and other in place:
            worth[min(place[one], place[other]), max(place[one], place[other])] = 0.0
    upper, lower = np.triu_indices(len(order), k=1)
    best = np.argsort(-worth[upper, lower], kind="stable")
    taken: set[int] = set()
    pairs = []
    for k in best:
        one, other = int(upper[k]), int(lower[k])
        if worth[one, other] <= 0.0 or len(taken) >= len(order) - 1:
            break
        if one not in taken and other not in taken:
            taken |= {one, other}
            pairs.append((order[one], order[other]))
    return pairs
