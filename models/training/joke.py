"""Joke or not: one map from states, trained on the texts that HaHackathon's readers took for jokes and on the others.

It has two uses. In the head it is part of the mixture for texts of an unknown kind. As log-odds it answers the
admissibility check "intent" where the model itself can't: the odds are set so that hardly any text that people rated
as a joke is rejected, in any set.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from linear import dense_ridge
from sets import Array, Set, standardise, training

from jokejudge_gui.judge.rating.admissibility_checker import REJECT_BELOW
from jokejudge_gui.learning.audience_fit import FOLDS

PLAIN = "plain"
"""Texts that aren't jokes and have no ratings; the negative examples of the map."""
JOKES = "hahackathon"
"""The set whose readers marked each text as a joke or not; the texts that aren't jokes are ``PLAIN``."""
STRENGTHS = (3.0, 10.0, 30.0, 100.0)
REJECTED = 0.005
"""Share of the jokes of any set that the log-odds may reject, on the texts that set the odds."""


@dataclass
class JokeMap:
    """``weights`` and ``middle``: the map, 0 at the mean of the rated jokes; ``slope`` and ``bias``: map to log-odds of
    "admit"."""

    weights: Array
    middle: float
    slope: float
    bias: float

    def odds(self, standard: Array) -> Array:
        """Log-odds of "admit"; rejected under ``REJECT_BELOW``."""
        return np.asarray(self.slope * (standard @ self.weights) + self.bias)


def fit_joke(sets: list[Set], centre: Array, scale: Array, *, everything: bool) -> JokeMap | None:
    """Fit the map by ridge regression, with the strength of the least squared error out of fold; None where a side is
    missing."""
    named = {part.name: part for part in sets}
    if PLAIN not in named or JOKES not in named:
        return None
    sides = [(named[JOKES], 1.0), (named[PLAIN], -1.0)]
    keeps = [training(part, everything) for part, _ in sides]
    x = np.vstack([standardise(p.values[k], centre, scale) for (p, _), k in zip(sides, keeps, strict=True)])
    label = np.concatenate([np.full(int(k.sum()), side) for (_, side), k in zip(sides, keeps, strict=True)])
    fold = np.concatenate([p.fold[k] for (p, _), k in zip(sides, keeps, strict=True)])
    centred, y = x - x.mean(axis=0), (label - label.mean()) / label.std()
    out = np.zeros((len(STRENGTHS), len(y)))
    for place in range(FOLDS):
        inside, outside = fold != place, fold == place
        for row, weights in enumerate(dense_ridge(centred[inside], y[inside], STRENGTHS)):
            out[row, outside] = x[outside] @ weights
    best = int(np.argmin([((row - row.mean() - y) ** 2).sum() for row in out]))
    weights = dense_ridge(centred, y, (STRENGTHS[best],))[0]
    jokes, plain = out[best][label > 0], out[best][label < 0]
    half, variance = (jokes.mean() - plain.mean()) / 2, (jokes.var() + plain.var()) / 2
    slope = 2 * half / variance
    least = min(
        [float(np.quantile(jokes, REJECTED))]
        + [
            float(np.quantile(standardise(part.values[keep], centre, scale) @ weights, REJECTED))
            for part in sets
            if part.name not in (PLAIN, JOKES) and (keep := training(part, everything) & part.joke).sum() > 100
        ]
    )
    return JokeMap(weights, float(jokes.mean()), slope, REJECT_BELOW - slope * least)


def figures(made: JokeMap, sets: list[Set], centre: Array, scale: Array) -> dict[str, Any]:
    """Share of the held-out texts of each set that is rejected; d′ on HaHackathon."""
    odds = {
        part.name: made.odds(standardise(part.values[part.test & part.read & flag], centre, scale))
        for part in sets
        for flag in [~part.joke if part.name == PLAIN else part.joke]
    }
    jokes, plain = odds[JOKES], odds[PLAIN]
    apart = (jokes.mean() - plain.mean()) / np.sqrt((jokes.var() + plain.var()) / 2)
    rejected = {
        name: [round(float((row < REJECT_BELOW).mean()), 4), len(row)] for name, row in odds.items() if len(row)
    }
    return {"d_prime": round(float(apart), 2), "rejected": rejected}
