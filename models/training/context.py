"""Fits the audience head for texts behind a topic or scene: captions of cartoons and replies to a hashtag.

Each text is read behind its context, which is a constant prompt, and pooled as the other heads' texts are. One map for
each kind, trained on ratings less the mean of their contest, with folds by contest: the figures are of contests left
out of training.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import data
import numpy as np
import numpy.typing as npt
from shipping import Shipping

from jokejudge_gui.core.files import atomic_writer
from jokejudge_gui.core.texts import clean_context, clean_text
from jokejudge_gui.engine.base import Segment
from jokejudge_gui.heads.audience import AudienceHead, pool
from jokejudge_gui.heads.files import FORMAT
from jokejudge_gui.learning.figures import hits, interval, resampled
from jokejudge_gui.learning.wording import counted

KINDS = ("captions", "hashtags")
SOURCES = {"captions": ("newyorker_captions", 4000, 0.2), "hashtags": ("hashtagwars", 3000, 0.5)}
"""File, number of texts to read, and least difference of the ratings of a pair."""
BUCKETS = 1 << 15
FOLDS = 5
STRENGTH = 10.0
CLIP = 8.0
_RESAMPLES = 500
Array = npt.NDArray[np.float64]


@dataclass
class Part:
    """One kind: texts, ratings, the number of their contest, and pooled states (texts, features)."""

    texts: list[str]
    rating: Array
    group: npt.NDArray[np.int64]
    values: Array


def rows_of(kind: str) -> list[dict[str, str]]:
    """Return a sample of a set's rows, in an order that depends on the texts alone."""
    name, most, _ = SOURCES[kind]
    seen = {(row["context"], row["text"]): row for row in data.rows(name) if row["text"].strip()}
    return sorted(seen.values(), key=lambda row: data.fraction(row["context"] + row["text"], "context"))[:most]


def read(of: Shipping) -> dict[str, Part]:
    """Return the states and labels of each kind, read with the model or from ``cache``."""
    found = {}
    for kind in KINDS:
        rows = rows_of(kind)
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
        found[kind] = Part(
            [row["text"] for row in rows],
            np.array([float(row["rating"]) for row in rows]),
            np.array([names.index(row["group"]) for row in rows]),
            np.load(path)["values"].astype(np.float64),
        )
    return found


def centred(values: Array, group: npt.NDArray[np.int64]) -> Array:
    """Return the values less the mean of their group."""
    found = np.array(values, dtype=np.float64)
    for each in np.unique(group):
        found[group == each] -= found[group == each].mean(axis=0)
    return found


def targets(part: Part) -> Array:
    """Return the ratings less the mean of their contest, divided by its spread."""
    found = centred(part.rating, part.group)
    for each in np.unique(part.group):
        inside = part.group == each
        found[inside] /= max(float(found[inside].std()), 1e-9)
    return found


def pairs_of(part: Part, gap: float) -> npt.NDArray[np.int64]:
    """Pairs (pairs, 2) of one contest, the better text first."""
    found = []
    for each in np.unique(part.group):
        inside = np.flatnonzero(part.group == each)
        better, worse = np.nonzero(part.rating[inside][:, None] - part.rating[inside][None] >= gap)
        found.append(np.stack([inside[better], inside[worse]], axis=1))
    return np.concatenate(found)


def gain_of(differences: Array, groups: npt.NDArray[np.int64]) -> float:
    """The maximum-likelihood factor that turns differences of pairs, the better one first, into log-odds; each contest
    has the same weight."""
    counts = np.bincount(groups)[groups]
    return float(min(np.arange(0, 8, 0.02), key=lambda gain: (np.logaddexp(0, -gain * differences) / counts).sum()))


def agreement(differences: Array, groups: npt.NDArray[np.int64]) -> tuple[float, float, float]:
    """Share of pairs in order, and its 95 % interval by a bootstrap over contests."""
    right = hits(differences)
    groups = np.unique(groups, return_inverse=True)[1]
    size, total = np.bincount(groups), np.bincount(groups, weights=right)
    random = np.random.default_rng(1)
    draws = resampled(len(size), lambda rows: total[rows].sum() / size[rows].sum(), _RESAMPLES, random)
    low, high = interval(draws)
    return float(right.mean()), float(low), float(high)


def fit_context(of: Shipping) -> None:
    parts = read(of)
    everything = np.concatenate([part.values for part in parts.values()])
    centre, scale = everything.mean(axis=0), everything.std(axis=0) + 1e-6
    counts = {kind: counted([clean_text(text) for text in part.texts], BUCKETS) for kind, part in parts.items()}
    texts = [clean_text(text) for part in parts.values() for text in part.texts]
    rarity = counted(texts, BUCKETS).rarity()
    weights, wording, scores = [], [], []
    figures: dict[str, dict[str, Any]] = {}
    for kind, part in parts.items():
        plain = np.clip((part.values - centre) / scale, -CLIP, CLIP)
        plain_words = counts[kind].weighed(rarity).dense().astype(np.float64)
        states, words = centred(plain, part.group), centred(plain_words, part.group)
        inner, by_words = states @ states.T, words @ words.T
        one, two = 0.5 / np.diag(inner).mean(), 0.5 / np.diag(by_words).mean()
        kernel, target = one * inner + two * by_words, targets(part)
        fold = (
            np.array([data.fraction(str(each), "contest") for each in range(part.group.max() + 1)]).argsort().argsort()
        )
        fold = fold[part.group] % FOLDS
        out, whole = np.zeros(len(target)), np.zeros(len(target))
        across = one * plain @ states.T + two * plain_words @ words.T
        for away in range(FOLDS):
            inside, outside = np.flatnonzero(fold != away), np.flatnonzero(fold == away)
            near = kernel[np.ix_(inside, inside)] + STRENGTH * np.eye(len(inside))
            alpha = np.linalg.solve(near, target[inside])
            out[outside] = kernel[np.ix_(outside, inside)] @ alpha
            whole[outside] = across[np.ix_(outside, inside)] @ alpha
            whole[outside] -= np.mean(across[np.ix_(inside, inside)] @ alpha)
        pairs = pairs_of(part, SOURCES[kind][2])
        differences, groups = out[pairs[:, 0]] - out[pairs[:, 1]], part.group[pairs[:, 0]]
        lengths = np.array([len(text) for text in part.texts])
        gain = gain_of(differences, groups)
        share, low, high = agreement(differences, groups)
        longer = agreement((lengths[pairs[:, 0]] - lengths[pairs[:, 1]]).astype(float), groups)[0]
        figures[kind] = {
            "texts": len(part.texts),
            "contests": len(set(part.group.tolist())),
            "pairs": len(pairs),
            "agreement": [round(share, 3), round(low, 3), round(high, 3)],
            "longer": round(longer, 3),
        }
        told = f"{share:.3f} ({low:.3f} to {high:.3f}) of {len(pairs)} pairs of unseen contests"
        print(f"{kind}: {told}; longer {longer:.3f}")
        alpha = gain * np.linalg.solve(kernel + STRENGTH * np.eye(len(target)), target)
        weights.append(one * states.T @ alpha)
        wording.append(two * words.T @ alpha)
        scores.append(gain * whole)
    # The kind of a text: a linear map of its states, steep enough that one kind decides.
    standard = np.clip((everything - centre) / scale, -CLIP, CLIP)
    side = np.concatenate(
        [np.full(len(part.texts), sign) for sign, part in zip((1.0, -1.0), parts.values(), strict=True)]
    )
    near = standard @ standard.T
    gate = standard.T @ np.linalg.solve(near + 0.3 * np.diag(near).mean() * np.eye(len(side)), side - side.mean())
    place = standard @ gate
    middle = (place[side > 0].mean() + place[side < 0].mean()) / 2
    slope = 6.0 / max(float(place[side > 0].mean() - place[side < 0].mean()), 1e-9)
    print(f"the kind is recognised in {np.mean((place > middle) == (side > 0)):.3f} (of the texts learned from)")
    biases = [
        -float(np.mean(np.clip((part.values - centre) / scale, -CLIP, CLIP) @ w))
        for part, w in zip(parts.values(), weights, strict=True)
    ]
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
        "bias": np.array(biases),
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
