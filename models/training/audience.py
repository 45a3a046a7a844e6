"""Fits the audience head of a model to people's votes, beside the baselines, and writes it with its card.

The figures are of a head fitted without the held-out texts; what ships is fitted, by the same recipe, on all texts. A
head has linear maps per kind of text, mixed and calibrated on pairs of people's votes, and a gate over kinds."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import data
import numpy as np
from shipping import Array, Reads, Shipping
from solvers import maps, mixture, pull, softmax_map

from jokejudge_gui.core.statistics import one_against_the_others
from jokejudge_gui.heads.audience import AudienceHead, AudienceMeta, Features, grams, pool
from jokejudge_gui.heads.files import FORMAT
from jokejudge_gui.judge.rating.admissibility_checker import REJECT_BELOW
from jokejudge_gui.learning.figures import FOLDS, hits, interval, out_of_fold, pair_calibration_error, resampled
from jokejudge_gui.learning.ridge import by_gradients
from jokejudge_gui.learning.wording import Wording, lengths, longer, of_counts

BUCKETS = 1 << 16
CLIP = 8.0
"""Standardised features are clipped to this, as in the program."""
LIMITS = {"rjokes": 800, "stupidstuff": 0}
"""Number of texts of a set that are read by the model; the others are read whole."""
OTHER, PLAIN, JOKES = "other", "plain", "hahackathon"
"""The kind of texts without maps of their own; texts that aren't jokes and have no ratings; the set whose readers
marked each text as a joke or not, the texts that aren't being ``PLAIN``."""
MAPPED = ("ukp", "headlines", "hahackathon")
"""Sets with enough votes for maps of their own; the texts of the others are of the kind "other", which has none."""
DENSE_STRENGTHS, SPARSE_STRENGTHS, JOKE_STRENGTHS = (1.0, 3.0, 10.0, 30.0), (0.3, 1.0, 3.0), (3.0, 10.0, 30.0, 100.0)
REJECTED = 0.005
"""Share of the jokes of any set that the log-odds of "joke or not" may reject, on the texts that set the odds."""
VERSION = "2"
TERMS = {
    "ukp": "UKPLab acl2019-GPPL-humour-metaphor, annotations CC BY 4.0; texts partly from the SemEval-2017 pun corpus",
    "headlines": "Humicroedit and FunLines, SemEval-2020 task 7; no terms stated",
    "hahackathon": "HaHackathon, SemEval-2021 task 7; no terms stated",
    "plain": "the texts of HaHackathon that its readers didn't take for jokes",
    "mechanics": "altsoph/humor-mechanics, MIT",
    "rjokes": "orionw/rJokesData, Reddit's terms",
    "stupidstuff": "taivop/joke-dataset, for research",
}
REPEATS = 400


# -- data sets beside the features of their texts


@dataclass
class Set:
    """One data set with the features of its texts. ``values``: (texts, features) as ``audience.pool`` returns them,
    zeros where the text wasn't ``read`` by the model; ``pairs``: (n, 2) places of texts, the first one the funnier, by
    ``gap``; ``strong``, ``jokes``: flags of the pairs."""

    name: str
    texts: list[str]
    counts: list[dict[int, float]]
    values: Array
    read: Array
    target: Array
    joke: Array
    test: Array
    fold: Array
    pairs: Array
    gap: Array
    strong: Array
    jokes: Array

    def training(self, everything: bool) -> Array:
        """Flags of the texts that a map may be trained on."""
        return self.read if everything else self.read & ~self.test

    def training_pairs(self, everything: bool) -> Array:
        return self.pairs[self.training(everything)[self.pairs].all(axis=1)]


def read_set(reads: Reads, name: str) -> Set | None:
    """A whole set, with hidden states of the texts that are read; None if those are hardly any."""
    items = data.items(name)
    read = np.arange(len(items)) < LIMITS.get(name, len(items))
    if read.sum() < 200:
        return None
    of_text = {item.text: place for place, item in enumerate(items[: read.sum()])}
    pooled = {text: pool(scan.states.astype(np.float32), text) for text, scan in reads.each(list(of_text))}
    values = np.zeros((len(items), len(next(iter(pooled.values())))), np.float32)
    for text, row in pooled.items():
        values[of_text[text]] = row
    target = np.array([item.target for item in items])
    test = np.array([item.test for item in items])
    return Set(
        name,
        [item.text for item in items],
        [grams(item.text, BUCKETS) for item in items],
        values,
        read,
        target,
        np.array([item.joke for item in items]),
        test,
        np.array([int(data.fraction(item.group, "fold") * FOLDS) for item in items]),
        *pairs_of(name, items, target, test, read),
    )


def pairs_of(name: str, items: Sequence[data.Item], target: Array, test: Array, read: Array) -> tuple[Array, ...]:
    """Pairs with people's votes, or random ones with different means; both texts on one side of the split. Their gaps,
    and whether they are strong and jokes."""
    if name in data.VOTED:
        places = {data.key(item.text): place for place, item in enumerate(items)}
        rows = []
        for pair in data.VOTED[name]():
            a, b = places.get(data.key(pair.a)), places.get(data.key(pair.b))
            if a is not None and b is not None and test[a] == test[b]:
                rows.append(((a, b) if pair.gap > 0 else (b, a), abs(pair.gap), pair.strong, pair.jokes))
        return tuple(np.array(column) for column in zip(*rows, strict=True))
    random = np.random.default_rng(20)
    found = []
    for side in (False, True):
        members = np.flatnonzero((test == side) & read)
        chosen = random.choice(members, (min(6000, 20 * len(members)), 2))
        chosen = chosen[target[chosen[:, 0]] != target[chosen[:, 1]]]
        swap = target[chosen[:, 0]] < target[chosen[:, 1]]
        chosen[swap] = chosen[swap][:, ::-1]
        found.append(chosen)
    pairs = np.concatenate(found)
    gap = target[pairs[:, 0]] - target[pairs[:, 1]]
    strong = gap >= np.quantile(gap, 0.75) if len(pairs) else np.zeros(0, bool)  # nobody rated texts without pairs
    return pairs, gap, strong, np.ones(len(pairs), bool)


# -- one kind's linear maps, from ratings and from pairs, from states and from wording


def dense_ridge(x: Array, y: Array, strengths: Sequence[float]) -> list[Array]:
    """Weights for each strength, in units of the number of features; x and y are centred by the caller."""
    return [weights[:, 0] for weights in maps(x, y[:, None], strengths, scale=float(x.shape[1]))]


def learn(part: Set, x: Array | Wording, train: Array, by_pairs: bool) -> tuple[Array, Array]:
    """Fit one linear map on ratings, or on the differences of pairs, with the strength that orders held-out pairs best.
    Return its weights, and scores of the training texts by maps fitted without their fold."""
    strengths = SPARSE_STRENGTHS if isinstance(x, Wording) else DENSE_STRENGTHS
    out = np.zeros((len(strengths), len(part.target)))
    for fold in range(FOLDS):
        outside = np.flatnonzero(train & (part.fold == fold))
        for place, weights in enumerate(_fit(part, x, train & (part.fold != fold), by_pairs, strengths)):
            out[place, outside] = x.take(outside).times(weights) if isinstance(x, Wording) else x[outside] @ weights
    pairs = part.pairs[train[part.pairs].all(axis=1)]
    # Both texts of a pair are scored by maps fitted without them; within one fold they are on one scale as well.
    best = int(np.argmin([_loss(row[pairs[:, 0]] - row[pairs[:, 1]]) for row in out]))
    return _fit(part, x, train, by_pairs, strengths[best : best + 1])[0], out[best]


def _fit(part: Set, x: Array | Wording, inside: Array, by_pairs: bool, strengths: Sequence[float]) -> list[Array]:
    if by_pairs:
        kept = inside[part.pairs].all(axis=1)
        (a, b), gap = part.pairs[kept].T, part.gap[kept]
        if not isinstance(x, Wording):
            return dense_ridge(x[a] - x[b], gap, strengths)
        words, texts = x, x.shape[0]

        def forth(weights: Array) -> Array:
            of_texts = words.times(weights)
            return np.asarray(of_texts[a] - of_texts[b])

        def back(errors: Array) -> Array:
            return words.back((np.bincount(a, errors, texts) - np.bincount(b, errors, texts)).astype(np.float64))

        return [by_gradients(forth, back, gap, strength) for strength in strengths]
    y = part.target[inside]
    y = (y - y.mean()) / y.std()
    if isinstance(x, Wording):
        some = x.take(np.flatnonzero(inside))
        return [by_gradients(some.times, some.back, y, strength) for strength in strengths]
    rows = x[inside]
    return dense_ridge(rows - rows.mean(axis=0), y, strengths)


def _loss(differences: Array) -> float:
    """Log-loss of the pairs at the best scale."""
    if not differences.any():
        return float(np.log(2))
    return float(np.logaddexp(0, -mixture(differences[:, None])[0] * differences).mean())


# -- the head


@dataclass
class KindFit:
    """One kind's map in log-odds. ``oof``: out-of-fold scores of its training texts."""

    weights: Array
    grams: Array
    bias: float
    oof: Array


@dataclass
class Space:
    """How features are standardised and words weighted."""

    centre: Array
    scale: Array
    rarity: Array

    def standard(self, values: Array) -> Array:
        return np.clip((values - self.centre) / self.scale, -CLIP, CLIP)

    def words(self, counts: list[dict[int, float]]) -> Wording:
        """(texts, buckets), each row weighted as in the program."""
        return of_counts(counts, BUCKETS).weighed(self.rarity)


def differences(head: AudienceHead, part: Set, pairs: Array) -> Array:
    """Log-odds that the first of each pair is the funnier."""
    read = {place: head.features_of(part.values[place].astype(float), part.texts[place]) for place in np.unique(pairs)}
    return np.array([head.difference(read[a], read[b]) for a, b in pairs])


Fits = dict[str, KindFit]


def fit(sets: list[Set], *, everything: bool = False) -> tuple[AudienceHead, Fits]:
    """Return a head fitted on the training texts of ``sets``, or on all of their texts."""
    rated = [part for part in sets if part.name != PLAIN]
    trains = [np.ones(len(part.test), bool) if everything else ~part.test for part in rated]
    rows = [part.values[part.training(everything)] for part in rated]
    # Every kind has the same weight in the standardisation, as it does in the gate.
    centre = np.mean([row.mean(axis=0, dtype=np.float64) for row in rows], axis=0)
    scale = np.sqrt(np.mean([((row - centre) ** 2).mean(axis=0) for row in rows], axis=0)) + 1e-6
    counts = [
        c for part, train in zip(rated, trains, strict=True) for c, t in zip(part.counts, train, strict=True) if t
    ]
    # Buckets of one text or none aren't used; in the precision of the shipped file.
    space = Space(centre, scale, of_counts(counts, BUCKETS).rarity(least=2).astype(np.float16))
    fits = {
        part.name: _kind(part, space, train) for part, train in zip(rated, trains, strict=True) if part.name in MAPPED
    }
    head = assemble(sets, fits, space, everything=everything)
    head.arrays["quantiles"] = quantiles(head, sets, fits)
    return head, fits


def _kind(part: Set, space: Space, train: Array) -> KindFit:
    """The maps of one kind, mixed on training pairs by their out-of-fold scores."""
    standard, words, known = space.standard(part.values), space.words(part.counts), train & part.read
    forms = (False, True) if part.name in data.VOTED else (False,)
    by_states = [learn(part, standard, known, by_pairs) for by_pairs in forms]
    by_grams = [learn(part, words, train, by_pairs) for by_pairs in forms]
    pairs = part.pairs[known[part.pairs].all(axis=1)]
    columns = np.stack([oof for _, oof in (*by_states, *by_grams)], axis=1)
    mixed = mixture(columns[pairs[:, 0]] - columns[pairs[:, 1]])
    weights, of_words = np.zeros(standard.shape[1]), np.zeros(words.shape[1])
    for (of_states, _), (of_grams, _), one, other in zip(by_states, by_grams, mixed, mixed[len(forms) :], strict=False):
        weights += one * of_states
        of_words += other * of_grams
    oof = columns @ mixed
    middle = oof[known & part.joke].mean()
    return KindFit(weights, of_words, -float(middle), oof - middle)


def assemble(sets: list[Set], fits: Fits, space: Space, *, everything: bool) -> AudienceHead:
    """Assemble the maps of the mapped sets among ``sets``, mixtures of them (and of "joke or not") for the other sets
    and for texts unlike any of these jokes, and the gate."""
    kinds = [part.name for part in sets if part.name in MAPPED]
    kinds += [OTHER] * any(part.name not in (*MAPPED, PLAIN) for part in sets)
    kinds += [PLAIN] * any(part.name == PLAIN for part in sets)
    mapped = [kind for kind in kinds if kind in MAPPED]
    weights = np.stack([fits[kind].weights for kind in mapped])
    words = np.stack([fits[kind].grams for kind in mapped])
    bias = np.array([fits[kind].bias for kind in mapped])
    joke = fit_joke(sets, space, everything=everything)
    if len(kinds) > len(mapped):
        if joke is not None:
            weights, words = np.vstack([weights, joke[0]]), np.vstack([words, np.zeros_like(words[:1])])
            bias = np.append(bias, -joke[1])
        gaps = {}
        for part in sets:
            if part.name != PLAIN:  # at most 1,000 training pairs, so that no set dominates
                pairs = part.training_pairs(everything)[:1000]
                texts, places = np.unique(pairs, return_inverse=True)
                a, b = places.reshape(pairs.shape).T
                scores = space.standard(part.values[texts]) @ weights.T
                scores = scores + space.words([part.counts[text] for text in texts]).times(words.T)
                gaps[part.name] = scores[a] - scores[b]
        shares = dict(zip(mapped, np.eye(len(bias)), strict=False))
        if OTHER in kinds:
            shares[OTHER] = mixture(np.concatenate([rows for name, rows in gaps.items() if name not in MAPPED]))
        if PLAIN in kinds:
            # A set's own map, and "joke or not" in the set whose jokes it was trained on, count nothing there: the
            # mixture is fitted for texts of an unknown kind.
            for name, left in gaps.items():
                if name in mapped:
                    left[:, mapped.index(name)] = 0
                if name == JOKES:
                    left[:, len(mapped) :] = 0
            shares[PLAIN] = mixture(np.concatenate(list(gaps.values())))
        rows = np.array([shares[kind] for kind in kinds])
        weights, words, bias = rows @ weights, rows @ words, rows @ bias
    inputs = [space.standard(part.values[part.training(everything)]) for part in sets]
    kind = np.repeat(
        [kinds.index(part.name if part.name in kinds else OTHER) for part in sets], [len(x) for x in inputs]
    )
    gate, gate_bias = _gate(np.concatenate(inputs), kind, len(kinds))
    arrays = {**vars(space), "weights": weights, "grams": words, "bias": bias, "gate": gate, "gate_bias": gate_bias}
    if joke is not None:
        arrays["joke"] = joke[2]
    meta = AudienceMeta(format=1, model_sha256="0" * 64, version=VERSION, kinds=kinds, agreement=0.0, one_person=0.0)
    return AudienceHead(meta, arrays)


def _gate(x: Array, kind: Array, kinds: int, strength: float = 1e-4) -> tuple[Array, Array]:
    """Softmax regression; every kind has the same weight."""
    each = 1.0 / (kinds * np.bincount(kind, minlength=kinds)[kind])
    root = np.sqrt(x.shape[1])
    w = softmax_map(x / root, kind, kinds, each, strength)
    return w[:, :-1] / root, w[:, -1]


def fit_joke(sets: list[Set], space: Space, *, everything: bool) -> tuple[Array, float, Array] | None:
    """Fit "joke or not": one map from states, trained on the texts that HaHackathon's readers took for jokes and on the
    others, by ridge regression with the strength of the least squared error out of fold. Return it; its mean on the
    rated jokes; and the map to log-odds of "admit", set so that hardly any text that people rated as a joke is
    rejected, in any set. None where a side is missing."""
    named = {part.name: part for part in sets}
    if PLAIN not in named or JOKES not in named:
        return None
    sides = [(part, part.training(everything), side) for part, side in ((named[JOKES], 1.0), (named[PLAIN], -1.0))]
    x = np.vstack([space.standard(part.values[keep]) for part, keep, _ in sides])
    label = np.concatenate([np.full(int(keep.sum()), side) for _, keep, side in sides])
    fold = np.concatenate([part.fold[keep] for part, keep, _ in sides])
    centred, y = x - x.mean(axis=0), (label - label.mean()) / label.std()

    def scored(inside: Array, outside: Array) -> Array:
        return np.stack([x[outside] @ w for w in dense_ridge(centred[inside], y[inside], JOKE_STRENGTHS)], axis=1)

    out = out_of_fold(fold, scored).T
    best = int(np.argmin([((row - row.mean() - y) ** 2).sum() for row in out]))
    weights = dense_ridge(centred, y, (JOKE_STRENGTHS[best],))[0]
    jokes, plain = out[best][label > 0], out[best][label < 0]
    half, variance = (jokes.mean() - plain.mean()) / 2, (jokes.var() + plain.var()) / 2
    slope = 2 * half / variance
    others = [
        space.standard(part.values[keep]) @ weights
        for part in sets
        if part.name not in (PLAIN, JOKES) and (keep := part.training(everything) & part.joke).sum() > 100
    ]
    least = min(float(np.quantile(scores, REJECTED)) for scores in (jokes, *others))
    return weights, float(jokes.mean()), np.append(slope * weights, REJECT_BELOW - slope * least)


# -- held-out figures with intervals, beside length and n-grams; across data sets; calibration


def figure(differences: Array, pairs: Array, keep: Array) -> list[float]:
    """A share of the pairs to ``keep``, with its 95 % interval (bootstrap over texts, as pairs share texts)."""
    right, pairs = hits(differences)[keep], pairs[keep]
    texts, places = np.unique(pairs, return_inverse=True)
    a, b = places.reshape(pairs.shape).T

    def share(rows: Array) -> float:
        times = np.bincount(rows, minlength=len(texts))
        weight = times[a] * times[b]
        return float(right @ weight / weight.sum()) if weight.sum() else np.nan

    draws = resampled(len(texts), share, REPEATS, np.random.default_rng(7))
    return [round(float(value), 3) for value in (right.mean(), *interval(draws[np.isfinite(draws)]))]


def gram_baseline(learn_from: list[Set], tested: Set, space: Space, pairs: Array) -> Array:
    """Differences of pairs by one ridge over word and letter groups and the length, fitted on the training texts of
    ``learn_from``, each set standardised."""
    counts: list[dict[int, float]] = []
    sizes, targets = [], []
    mean = lengths([text for text, test in zip(learn_from[0].texts, learn_from[0].test, strict=True) if not test])
    for part in learn_from:
        train = np.flatnonzero(~part.test)
        counts += [part.counts[place] for place in train]
        sizes.append(lengths([part.texts[place] for place in train]))
        targets.append((part.target[train] - part.target[train].mean()) / part.target[train].std())

    def matrix(counted: list[dict[int, float]], size: Array) -> Wording:
        return space.words(counted).beside((size - mean.mean(axis=0)) / 0.5)

    x = matrix(counts, np.concatenate(sizes))
    scores = matrix(tested.counts, lengths(tested.texts)).times(
        by_gradients(x.times, x.back, np.concatenate(targets), 1.0)
    )
    return np.asarray(scores[pairs[:, 0]] - scores[pairs[:, 1]])


def measure(sets: list[Set], head: AudienceHead, fits: Fits, space: Space) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the figures of every set, printed one after another."""
    rated = [part for part in sets if part.name != PLAIN]
    for part in rated:
        chosen = np.flatnonzero((part.test & part.read)[part.pairs].all(axis=1))
        pairs, strong, jokes = part.pairs[chosen], part.strong[chosen], part.jokes[chosen]
        gaps = differences(head, part, pairs)
        columns = {
            "head": gaps,
            "longer": longer(
                [part.texts[place] for place in pairs[:, 0]], [part.texts[place] for place in pairs[:, 1]]
            ),
            "n-grams and length": gram_baseline([part], part, space, pairs),
        }
        if len(sets) > 1:
            gone = {part.name, PLAIN} if part.name == JOKES else {part.name}
            without = assemble([one for one in sets if one.name not in gone], fits, space, everything=False)
            columns["head without this set"] = differences(without, part, pairs)
            others = [one for one in rated if one is not part]
            columns["n-grams without this set"] = gram_baseline(others, part, space, pairs)
        slices = {"all": np.ones(len(pairs), bool), "strong": strong}
        if not jokes.all():
            slices |= {"jokes": jokes, "strong jokes": strong & jokes}
        sure = np.abs(gaps) >= np.log(5)
        right = round(float((gaps[sure] > 0).mean()), 3) if sure.any() else None
        entry: dict[str, Any] = {
            "training_texts": int((~part.test & part.read).sum()),
            "test_pairs": {name: int(keep.sum()) for name, keep in slices.items()},
            "agreement": {
                name: {piece: figure(column, pairs, keep) for piece, keep in slices.items() if keep.sum() > 20}
                for name, column in columns.items()
            },
            "ece": round(pair_calibration_error(gaps), 3),
            "log_loss": round(float(np.logaddexp(0, -gaps).mean()), 3),
            "stated_5_to_1": {"pairs": int(sure.sum()), "right": right} if sure.any() else None,
        }
        print(part.name, json.dumps(entry["agreement"]), flush=True)
        yield part.name, entry


def joke_figures(head: AudienceHead, sets: list[Set]) -> dict[str, Any]:
    """Share of the held-out texts of each set that "joke or not" rejects; d′ on HaHackathon."""
    if "joke" not in head.arrays:
        return {}
    odds = {}
    for part in sets:
        some = part.test & part.read & (~part.joke if part.name == PLAIN else part.joke)
        odds[part.name] = np.array([head.joke_odds(row.astype(float)) for row in part.values[some]])
    jokes, plain = odds[JOKES], odds[PLAIN]
    apart = (jokes.mean() - plain.mean()) / np.sqrt((jokes.var() + plain.var()) / 2)
    rejected = {n: [round(float((row < REJECT_BELOW).mean()), 4), len(row)] for n, row in odds.items() if len(row)}
    return {"joke_or_not": {"d_prime": round(float(apart), 2), "rejected": rejected}}


def quantiles(head: AudienceHead, sets: list[Set], fits: Fits) -> Array:
    """101 quantiles of the score over jokes with people's votes, each set with the same weight. The scores are out of
    fold: a head spreads its training texts more widely than new ones."""
    values, weights = [], []
    for part in sets:
        chosen = np.flatnonzero(~part.test & part.joke & part.read)
        read = [head.features_of(part.values[place].astype(float), part.texts[place]) for place in chosen]
        if read:
            scores, shares = np.array([one.scores for one in read]), np.array([one.kinds for one in read])
            if part.name in fits:
                scores[:, head.kinds.index(part.name)] = fits[part.name].oof[chosen]
            values.append((scores * shares).sum(axis=1))
            weights.append(np.full(len(read), 1 / len(read)))
    value, weight = np.concatenate(values), np.concatenate(weights)
    order = np.argsort(value)
    reached = (np.cumsum(weight[order]) - weight[order] / 2) / weight.sum()
    return np.maximum.accumulate(np.interp(np.linspace(0, 1, 101), reached, value[order]))


def fit_audience(of: Shipping) -> None:
    """Fit the audience head; and once without the held-out texts, for the figures and for what is fitted on those."""
    sets = [part for name in data.SETS if (part := read_set(of.reads, name)) is not None]
    head, fits = fit(sets)
    space = Space(*(head.arrays[name] for name in ("centre", "scale", "rarity")))
    found = dict(measure(sets, head, fits, space))
    macro = np.mean([found[name]["agreement"]["head"]["all"][0] for name in MAPPED if name in found])
    # The share of single voters who agree with the majority of the others; ties of the others don't count.
    right, asked = np.sum([one_against_the_others(*votes) for votes in data.held_out_votes()], axis=0)
    agreement = round(found["ukp"]["agreement"]["head"]["all"][0], 3)
    figures = {"version": VERSION, "agreement": agreement, "one_person": round(float(right / asked), 3)}
    card = {
        **figures,
        "command": "python models/training/ship.py MODEL.gguf CACHE --name NAME --only heads",
        "features": "final hidden states of the bare text (after BOS where the model wants one), means of the halves "
        f"and of the last four tokens, the last token, three lengths, word and letter groups in {BUCKETS} buckets",
        "split": "by text: a third of the texts of each set is held out; the official development set of the headlines",
        "data": {part.name: TERMS[part.name] for part in sets},
        "kinds": list(head.kinds),
        "figures": found,
        **joke_figures(head, sets),
        "macro_agreement": round(float(macro), 3),
        "intervals": "95 %, bootstrap over texts",
    }

    def save(folder: Path, head: AudienceHead, fitted: str) -> None:
        meta = {"format": FORMAT, "kinds": list(head.kinds), "model_sha256": of.sha256, **figures}
        write = partial(AudienceHead.write, meta=meta, arrays=head.arrays)
        of.save("heads", write, card | {"fitted_on": fitted}, folder, "cards")

    save(of.held_out, head, "the texts that aren't held out; the figures are of this very head")
    fitted = "all texts, by the recipe that the figures are of; those are without the held-out texts"
    save(of.models, fit(sets, everything=True)[0], fitted)


# -- the share of length in a head's answers


LENGTH_SETS = {"ukp": "ukp", "hahackathon": "hahackathon", "other": "mechanics"}
"""The head's kind, and the set that it is measured on. Headlines of one pair differ by a word only."""
_PAIRS, _MOST = 6000, 3000


def measure_length(of: Shipping) -> None:
    """Measure the share of length in the shipped head's answers, by kind of text, and write it into the head: on pairs
    of texts that people voted on or graded, the head's log-odds D are split into D′ + γ·tanh(Δlength/sd), γ by least
    squares, so that D′ doesn't depend on length on those pairs."""
    head, shares = of.head, {}
    for kind, name in LENGTH_SETS.items():
        items = data.items(name)
        texts = [item.text for item in items][:_MOST]
        values = {text: pool(scan.states.astype(np.float32), text) for text, scan in of.reads.each(texts)}
        if name == "ukp":  # only jokes that were voted on as pairs
            pairs = [(pair.a, pair.b) for pair in data.ukp_pairs() if pair.jokes and {pair.a, pair.b} <= values.keys()]
        else:
            jokes = [item for item in items if item.joke and item.text in values]
            drawn = np.random.default_rng(1).integers(0, len(jokes), (_PAIRS, 2))
            pairs = [(jokes[a].text, jokes[b].text) for a, b in drawn if jokes[a].target != jokes[b].target]
        read: dict[str, Features] = {}
        for text in {text for pair in pairs for text in pair}:
            read[text] = head.features_of(values[text], text)
        odds = np.array([head.difference(read[a], read[b]) for a, b in pairs])
        gamma, sd = pull(odds, np.array([float(len(a) - len(b)) for a, b in pairs]))
        print(f"{kind}: {len(pairs)} pairs: gamma {gamma:.3f}, sd {sd:.1f}")
        shares[kind] = [round(gamma, 3), round(sd, 1)]
    of.amend_head({"length": shares}, {}, {})
