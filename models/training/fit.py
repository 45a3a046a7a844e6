"""Fits a head: linear maps per kind of text, mixed and calibrated on pairs of people's votes, and a gate over kinds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from joke import JOKES, PLAIN, JokeMap, fit_joke
from linear import learn
from sets import Array, Set, gram_matrix, rarities, standardise, training
from solvers import mixture

from jokejudge_gui.heads.audience import LEAST_SHARE
from jokejudge_gui.learning.ridge import descend
from jokejudge_gui.learning.wording import Wording

OTHER = "other"
MAPPED = ("ukp", "headlines", "hahackathon")
"""Sets with enough votes for maps of their own; the texts of the others are of the kind "other", which has none."""
VOTED = ("ukp", "headlines")
"""Sets in which people compared pairs, or texts that belong together: their maps are fitted on pairs too."""


@dataclass
class Model:
    """A fitted head before it is rounded to the shipped file."""

    kinds: list[str]
    centre: Array
    scale: Array
    weights: Array
    grams: Array
    rarity: Array
    bias: Array
    gate: Array
    gate_bias: Array
    joke: JokeMap | None = None

    def parts(self, values: Array, counts: list[dict[int, float]]) -> tuple[Array, Array]:
        """Scores and shares of the kinds, each (texts, kinds)."""
        standard = standardise(values, self.centre, self.scale)
        scores = standard @ self.weights.T + self.bias
        if self.rarity.size:
            scores = scores + gram_matrix(counts, self.rarity).times(self.grams.T)
        return scores, shares(standard @ self.gate.T + self.gate_bias)


@dataclass
class KindFit:
    """One kind's map in log-odds. ``oof``: out-of-fold scores of its training texts."""

    weights: Array
    grams: Array
    bias: float
    oof: Array


def shares(logits: Array) -> Array:
    found = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(found / found.sum(axis=1, keepdims=True))


def differences(scores: Array, kinds: Array, pairs: Array) -> Array:
    """Log-odds that the first of each pair is the funnier, by the formula of ``audience.difference``."""
    a, b = pairs[:, 0], pairs[:, 1]
    both = kinds[a] * kinds[b] + LEAST_SHARE
    return np.asarray((both * (scores[a] - scores[b])).sum(axis=1) / both.sum(axis=1))


def fit_kind(part: Set, standard: Array, words: Wording, train: Array) -> KindFit:
    """The maps of one kind, mixed on training pairs by their out-of-fold scores."""
    known = train & part.read
    forms = (False, True) if part.name in VOTED else (False,)
    by_states = [learn(part, standard, known, by_pairs) for by_pairs in forms]
    by_grams = [learn(part, words, train, by_pairs) for by_pairs in forms]
    pairs = part.pairs[known[part.pairs].all(axis=1)]
    columns = np.stack([oof for _, oof in (*by_states, *by_grams)], axis=1)
    mixed = mixture(columns[pairs[:, 0]] - columns[pairs[:, 1]])
    weights, grams = np.zeros(standard.shape[1]), np.zeros(words.shape[1])
    for (of_states, _), (of_grams, _), one, other in zip(by_states, by_grams, mixed, mixed[len(forms) :], strict=False):
        weights += one * of_states
        grams += other * of_grams
    jokes = known & part.joke
    oof = columns @ mixed
    return KindFit(weights, grams, -float(oof[jokes].mean()), oof - oof[jokes].mean())


def fit_gate(x: Array, kind: Array, kinds: int, strength: float = 1e-4) -> tuple[Array, Array]:
    """Softmax regression; every kind has the same weight."""
    counts = np.bincount(kind, minlength=kinds)
    each = 1.0 / (kinds * counts[kind])
    target = np.eye(kinds)[kind]
    size = x.shape[1]
    x = x / np.sqrt(size)

    def loss(flat: Array) -> tuple[float, Array]:
        w = flat.reshape(kinds, size + 1)
        logits = x @ w[:, :-1].T + w[:, -1]
        logits -= logits.max(axis=1, keepdims=True)
        log_total = np.log(np.exp(logits).sum(axis=1))
        error = each[:, None] * (np.exp(logits - log_total[:, None]) - target)
        surprise = float(each @ (log_total - logits[np.arange(len(kind)), kind]))
        value = surprise + strength / 2 * float((w[:, :-1] ** 2).sum())
        gradient = np.concatenate([error.T @ x + strength * w[:, :-1], error.sum(axis=0)[:, None]], axis=1)
        return value, gradient.ravel()

    w = descend(loss, np.zeros(kinds * (size + 1))).reshape(kinds, size + 1)
    return w[:, :-1] / np.sqrt(size), w[:, -1]


def fit(sets: list[Set], *, everything: bool = False) -> tuple[Model, dict[str, KindFit]]:
    """Return a head fitted on the training texts of ``sets``, or on all of their texts."""
    rated = [part for part in sets if part.name != PLAIN]
    trains = [np.ones(len(part.test), bool) if everything else ~part.test for part in rated]
    rows = [part.values[training(part, everything)] for part in rated]
    # Every kind has the same weight in the standardisation, as it does in the gate.
    centre = np.mean([row.mean(axis=0, dtype=np.float64) for row in rows], axis=0)
    scale = np.sqrt(np.mean([((row - centre) ** 2).mean(axis=0) for row in rows], axis=0)) + 1e-6
    rarity = rarities(
        [c for part, train in zip(rated, trains, strict=True) for c, t in zip(part.counts, train, strict=True) if t]
    )
    fits = {}
    for part, train in zip(rated, trains, strict=True):
        if part.name in MAPPED:
            standard = standardise(part.values, centre, scale)
            fits[part.name] = fit_kind(part, standard, gram_matrix(part.counts, rarity), train)
    return assemble(sets, fits, centre, scale, rarity, everything=everything), fits


def assemble(
    sets: list[Set], fits: dict[str, KindFit], centre: Array, scale: Array, rarity: Array, *, everything: bool
) -> Model:
    """Assemble the maps of the mapped sets among ``sets``, mixtures of them (and of "joke or not") for the other sets
    and for texts unlike any of these jokes, and the gate."""
    kinds = [part.name for part in sets if part.name in MAPPED]
    kinds += [OTHER] * any(part.name not in (*MAPPED, PLAIN) for part in sets)
    kinds += [PLAIN] * any(part.name == PLAIN for part in sets)
    mapped = [kind for kind in kinds if kind in MAPPED]
    weights = np.stack([fits[kind].weights for kind in mapped])
    grams = np.stack([fits[kind].grams for kind in mapped])
    bias = np.array([fits[kind].bias for kind in mapped])
    joke = fit_joke(sets, centre, scale, everything=everything)
    if len(kinds) > len(mapped):
        if joke is not None:
            weights, grams = np.vstack([weights, joke.weights]), np.vstack([grams, np.zeros_like(grams[:1])])
            bias = np.append(bias, -joke.middle)
        gaps = {
            part.name: _scores_of_winners_less_losers(part, weights, grams, centre, scale, rarity, everything)
            for part in sets
            if part.name != PLAIN
        }
        shares_of = dict(zip(mapped, np.eye(len(bias)), strict=False))
        if OTHER in kinds:
            shares_of[OTHER] = mixture(np.concatenate([rows for name, rows in gaps.items() if name not in MAPPED]))
        if PLAIN in kinds:
            shares_of[PLAIN] = _shares_elsewhere(gaps, mapped)
        rows = np.array([shares_of[kind] for kind in kinds])
        weights, grams, bias = rows @ weights, rows @ grams, rows @ bias
    inputs = [standardise(part.values[training(part, everything)], centre, scale) for part in sets]
    places = [kinds.index(part.name if part.name in kinds else OTHER) for part in sets]
    kind = np.concatenate([np.full(len(x), place) for place, x in zip(places, inputs, strict=True)])
    gate, gate_bias = fit_gate(np.concatenate(inputs), kind, len(kinds))
    return Model(kinds, centre, scale, weights, grams, rarity, bias, gate, gate_bias, joke)


def _shares_elsewhere(gaps: dict[str, Array], mapped: list[str]) -> Array:
    """Weight of each map on texts of a set left out of its training, from the training pairs of every set. A set's own
    map, and "joke or not" in the set whose jokes it was trained on, count nothing there: the mixture is fitted for
    texts of an unknown kind."""
    columns = []
    for name, rows in gaps.items():
        left = rows.copy()
        if name in mapped:
            left[:, mapped.index(name)] = 0
        if name == JOKES:
            left[:, len(mapped) :] = 0
        columns.append(left)
    return mixture(np.concatenate(columns))


def _scores_of_winners_less_losers(
    part: Set, weights: Array, grams: Array, centre: Array, scale: Array, rarity: Array, everything: bool
) -> Array:
    """Return (pairs, maps) over at most 1,000 training pairs, so that no set dominates."""
    pairs = part.pairs[training(part, everything)[part.pairs].all(axis=1)][:1000]
    texts, places = np.unique(pairs, return_inverse=True)
    a, b = places.reshape(pairs.shape).T
    scores = standardise(part.values[texts], centre, scale) @ weights.T
    scores = scores + gram_matrix([part.counts[text] for text in texts], rarity).times(grams.T)
    return np.asarray(scores[a] - scores[b])
