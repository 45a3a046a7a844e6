"""Fits the audience head for texts behind a topic or scene: captions of cartoons and replies to a hashtag.

Each text is read behind its context, which is a constant prompt, and pooled as the other heads' texts are. One map for
each kind, trained on ratings less the mean of their contest, with folds by contest: the figures are of contests left
out of training.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import data
import numpy as np
from shipping import Array, Shipping

from jokejudge_gui.core.files import atomic_writer
from jokejudge_gui.core.texts import clean_context, clean_text
from jokejudge_gui.engine.base import Segment
from jokejudge_gui.heads.audience import AudienceHead, pool
from jokejudge_gui.heads.files import FORMAT
from jokejudge_gui.learning.figures import FOLDS, hits, interval, out_of_fold, resampled
from jokejudge_gui.learning.wording import counted

KINDS = ("captions", "hashtags")
SOURCES = {"captions": ("newyorker_captions", 4000, 0.2), "hashtags": ("hashtagwars", 3000, 0.5)}
"""File, number of texts to read, and least difference of the ratings of a pair."""
BUCKETS, STRENGTH, CLIP = 1 << 15, 10.0, 8.0


@dataclass
class Part:
    """One kind: texts, ratings, the number of their contest, and pooled states (texts, features)."""

    texts: list[str]
    rating: Array
    group: Array
    values: Array


def read(of: Shipping) -> Iterator[Part]:
    """Yield the states and labels of a sample of each kind, in an order that depends on the texts alone."""
    for kind in KINDS:
        name, most, _ = SOURCES[kind]
        seen = {(row["context"], row["text"]): row for row in data.rows(name) if row["text"].strip()}
        rows = sorted(seen.values(), key=lambda row: data.fraction(row["context"] + row["text"], "context"))[:most]
        path = of.cache / f"context-{kind}-{of.sha256[:16]}.npz"
        if not path.is_file():
            values = []
            for row in rows:
                prompt = (Segment(clean_context(row["context"]) + "\n", constant=True),)
                text = clean_text(row["text"])
                values.append(pool(of.reads.engine.embed([text], prompt=prompt)[0], text).astype(np.float32))
            with atomic_writer(path) as stream:
                np.savez(stream, values=np.array(values))
        names = sorted({row["group"] for row in rows})
        yield Part(
            [row["text"] for row in rows],
            np.array([float(row["rating"]) for row in rows]),
            np.array([names.index(row["group"]) for row in rows]),
            np.load(path)["values"].astype(np.float64),
        )


def centred(values: Array, group: Array) -> Array:
    """Return the values less the mean of their group."""
    found = np.array(values, dtype=np.float64)
    for each in np.unique(group):
        found[group == each] -= found[group == each].mean(axis=0)
    return found


def gain_of(differences: Array, groups: Array) -> float:
    """The maximum-likelihood factor that turns differences of pairs, the better one first, into log-odds; each contest
    has the same weight."""
    counts = np.bincount(groups)[groups]
    return float(min(np.arange(0, 8, 0.02), key=lambda gain: (np.logaddexp(0, -gain * differences) / counts).sum()))


def agreement(differences: Array, groups: Array) -> list[float]:
    """Share of pairs in order, and its 95 % interval by a bootstrap over contests."""
    right = hits(differences)
    groups = np.unique(groups, return_inverse=True)[1]
    size, total = np.bincount(groups), np.bincount(groups, weights=right)
    random = np.random.default_rng(1)
    draws = resampled(len(size), lambda rows: total[rows].sum() / size[rows].sum(), 500, random)
    return [round(float(value), 3) for value in (right.mean(), *interval(draws))]


def fit_map(part: Part, plain: Array, plain_words: Array, least: float) -> tuple[Array, Array, Array, dict[str, Any]]:
    """Return the weights of states and of words, each text's score out of fold, and the figures. ``least``: difference
    of the ratings of a pair."""
    states, words = centred(plain, part.group), centred(plain_words, part.group)
    target = centred(part.rating, part.group)
    for each in np.unique(part.group):
        target[part.group == each] /= max(float(target[part.group == each].std()), 1e-9)
    inner, by_words = states @ states.T, words @ words.T
    one, two = 0.5 / np.diag(inner).mean(), 0.5 / np.diag(by_words).mean()
    kernel, across = one * inner + two * by_words, one * plain @ states.T + two * plain_words @ words.T

    def alpha_of(inside: Array) -> Array:
        return np.linalg.solve(kernel[np.ix_(inside, inside)] + STRENGTH * np.eye(len(inside)), target[inside])

    def scored(inside: Array, outside: Array) -> Array:
        alpha = alpha_of(inside)
        whole = across[np.ix_(outside, inside)] @ alpha - np.mean(across[np.ix_(inside, inside)] @ alpha)
        return np.column_stack([kernel[np.ix_(outside, inside)] @ alpha, whole])

    order = np.array([data.fraction(str(each), "contest") for each in range(part.group.max() + 1)])
    out, whole = out_of_fold(order.argsort().argsort()[part.group] % FOLDS, scored).T
    found = []
    for each in np.unique(part.group):  # pairs of one contest, the better text first
        inside = np.flatnonzero(part.group == each)
        better, worse = np.nonzero(part.rating[inside][:, None] - part.rating[inside][None] >= least)
        found.append(np.stack([inside[better], inside[worse]], axis=1))
    a, b = np.concatenate(found).T
    groups = part.group[a]
    figures = {
        "texts": len(part.texts),
        "contests": len(set(part.group.tolist())),
        "pairs": len(a),
        "agreement": agreement(out[a] - out[b], groups),
    }
    gain = gain_of(out[a] - out[b], groups)
    alpha = gain * alpha_of(np.arange(len(target)))
    return one * states.T @ alpha, two * words.T @ alpha, gain * whole, figures


def fit_context(of: Shipping) -> None:
    parts = list(read(of))
    everything = np.concatenate([part.values for part in parts])
    centre, scale = everything.mean(axis=0), everything.std(axis=0) + 1e-6
    standard = np.clip((everything - centre) / scale, -CLIP, CLIP)
    words = counted([clean_text(text) for part in parts for text in part.texts], BUCKETS)
    rarity = words.rarity()
    border = len(parts[0].texts)
    pieces = [np.arange(border), np.arange(border, len(everything))]
    maps = [
        fit_map(part, standard[own], words.take(own).weighed(rarity).dense().astype(np.float64), SOURCES[kind][2])
        for part, own, kind in zip(parts, pieces, KINDS, strict=True)
    ]
    weights, wording, scores, shares = zip(*maps, strict=True)
    figures: dict[str, Any] = dict(zip(KINDS, shares, strict=True))
    print(figures)
    # The kind of a text: a linear map of its states, steep enough that one kind decides.
    side = np.repeat([1.0, -1.0], [len(own) for own in pieces])
    near = standard @ standard.T
    gate = standard.T @ np.linalg.solve(near + 0.3 * np.diag(near).mean() * np.eye(len(side)), side - side.mean())
    place = standard @ gate
    middle = (place[side > 0].mean() + place[side < 0].mean()) / 2
    slope = 6.0 / max(float(place[side > 0].mean() - place[side < 0].mean()), 1e-9)
    meta = {
        "format": FORMAT,
        "kinds": list(KINDS),
        "version": "context 1",
        "model_sha256": of.sha256,
        "agreement": figures["captions"]["agreement"][0],
        "one_person": 0.0,
        "kind_agreement": {kind: found["agreement"][:2] for kind, found in figures.items()},
    }
    arrays = {
        "centre": centre,
        "scale": scale,
        "weights": np.stack(weights),
        "bias": np.array([-float(np.mean(standard[own] @ w)) for own, w in zip(pieces, weights, strict=True)]),
        "gate": np.stack([slope * gate, -slope * gate]),
        "gate_bias": np.array([-slope * middle, slope * middle]),
        "grams": np.stack(wording),
        "rarity": rarity,
        "quantiles": np.quantile(np.concatenate(scores), np.linspace(0, 1, 101)),
    }
    card = {
        "version": meta["version"],
        "data": {
            "captions": "nextml/caption-contest-data-api, CC BY 4.0: captions of the New Yorker's contest",
            "hashtags": "HashtagWars, SemEval-2017 task 6; no terms stated",
        },
        "split": f"{FOLDS} folds by contest",
        "figures": figures,
    }
    of.save("heads/context", lambda out: AudienceHead.write(out, meta, arrays), card)
