"""Fits the odds that a text is in the upper half of people's votes (heads/audience.py), prints its figures on whole
sources left out, and writes it into the model's audience head.

A Gaussian kernel over states and the editor's findings learns places within three sources of jokes that many people
rated one by one. The odds are calibrated on each source by a map of the two others, and on texts by a map of other
texts, all with the same weight. Sources whose votes say little of a single text (upvotes, which reposts share at ρ .02
to .45; a site's mean of few; edits of headlines) aren't learned from.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import data
import numpy as np
from shipping import Array, Shipping, wide

from jokejudge_gui.core.statistics import ranks
from jokejudge_gui.heads.audience import Odds, normal_of, pool
from jokejudge_gui.learning.figures import FOLDS, chances, out_of_fold
from jokejudge_gui.learning.ridge import likeliest

LEARNED = {"ukp": 1500, "hahackathon": 1900, "mechanics": 600}
"""Number of texts that are learned from, by source."""
LONGEST, AXES, REACH = 500, 128, 1.25
STRENGTH = {"score": 4.0, "near": 1.0}
EDITED, STEADY = 170, 100.0
"""Number of texts of a source that are read with three trivial edits each; how much less what those change counts."""
SYNONYMS = {
    "Bob": "Tom", "John": "Peter", "Mary": "Anna", "Dave": "Steve", "big": "large", "said": "told me",
    "wife": "husband", "man": "guy", "went": "walked", "always": "constantly", "doctor": "physician", "old": "elderly",
    "get": "obtain", "house": "home", "I'm": "I am", "don't": "do not", "didn't": "did not", "my": "our",
    "the": "this", "a": "one",
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Rated:
    """Texts with their points; ``place``: within their source, on the normal scale; ``source``: its number."""

    points: Array
    place: Array
    source: Array


def edits(text: str) -> list[str]:
    """Return three trivial edits of a text: its last mark, a comma, a name or a synonym."""
    changed = [text[:-1] if text[-1] in ".!?" else text + "."]
    if place := re.search(r"\b(and|but|so|because|when|that|to|in|with)\b", text[8:]):
        before, after = text[: 8 + place.start()].rstrip(), text[8 + place.start() :]
        changed.append(f"{before.rstrip(',')} {after}" if before.endswith(",") else f"{before}, {after}")
    for word, other in SYNONYMS.items():
        changed += [re.sub(rf"\b{word}\b", other, text, count=1)] if re.search(rf"\b{word}\b", text) else []
    changed += [text.replace(". ", "! ", 1), "Well, " + text[0].lower() + text[1:]]
    return [edit for edit in dict.fromkeys(changed) if edit != text][:3]


def features(of: Shipping, texts: Sequence[str]) -> Array:
    """Return standardised states of each text, the last token's left out, and the editor's findings."""
    head, editor, rows = of.head, of.editor, {}
    width = len(editor.factors) + len(editor.learned_kinds) + len(editor.faults) + 2
    size = editor.embedding_size
    for text, kept in of.reads.each(texts):
        scan = wide(kept)
        states = head.standardised(pool(scan.states, text))[: 4 * size]
        states[3 * size :] = 0.0  # a final mark changes it most
        found = editor.found(scan.states, text, scan.spans, scan.logprobs)[1][:width]
        rows[text] = np.concatenate([states, found]).astype(np.float32)
    return np.array([rows[text] for text in texts])


def space_of(values: Array, edited: tuple[Array, Array], size: int) -> Odds:
    """Return the axes and scales: those of the widest spread, drawn in where trivial edits change them."""
    found = values[:, 4 * size :]
    centre, scale = found.mean(axis=0), found.std(axis=0) + 1e-6
    states = values[:, : 4 * size]
    axes = np.linalg.svd((states - states.mean(axis=0))[::6], full_matrices=False)[2][:AXES].T
    axes = axes / np.sqrt((states @ axes).var(axis=0).sum())
    turn = np.zeros((values.shape[1], AXES + len(centre)))
    turn[: len(axes), :AXES] = axes
    turn[len(axes) :, AXES:] = np.eye(len(centre)) / np.sqrt(len(centre))
    empty = np.zeros(0)
    space = Odds(turn, centre, scale, empty, empty, empty, empty)
    points = space.points(states, found)
    change = np.subtract(*(space.points(side[:, : 4 * size], side[:, 4 * size :]) for side in edited))
    spread, ways = np.linalg.eigh(change.T @ change / len(change) / 2.0 / points.var(axis=0).mean())
    return replace(space, axes=turn @ (ways / np.sqrt(1.0 + STEADY * np.maximum(spread, 0.0))) @ ways.T)


def read_texts(of: Shipping) -> tuple[Odds, Rated]:
    """Return the map's axes and scales, and the texts in it: jokes that the editor's heads weren't trained on, where
    there are enough."""
    read = {data.key(text) for text in of.both_rounds.texts}
    texts: list[list[str]] = []
    places = []
    for name, most in LEARNED.items():
        jokes = [item for item in data.items(name) if item.joke and len(item.text) <= LONGEST]
        unread = [item for item in jokes if data.key(item.text) not in read]
        items = (unread if len(unread) >= most / 2 else jokes)[:most]
        texts.append([item.text for item in items])
        order = ranks(np.array([item.target for item in items]))
        places += [normal_of(100.0 * (rank - 0.5) / len(items)) for rank in order]
    values = features(of, [text for some in texts for text in some])
    pairs = [(text, edit) for some in texts for text in some[:EDITED] for edit in edits(text)]
    edited = features(of, [text for text, _ in pairs]), features(of, [edit for _, edit in pairs])
    size = of.editor.embedding_size
    space = space_of(values, edited, size)
    points = space.points(values[:, : 4 * size], values[:, 4 * size :])
    return space, Rated(points, np.array(places), np.repeat(np.arange(len(texts)), [len(some) for some in texts]))


def likeness(points: Array, reach: float) -> Array:
    squares = (points**2).sum(axis=1)
    return np.asarray(np.exp(-np.maximum(squares[:, None] + squares - 2.0 * points @ points.T, 0.0) / reach))


def fit(near: Array, texts: Rated, at: Array) -> tuple[Array, float]:
    """Return the weights (texts, 2) of the texts at ``at``, and the constant of the score: kernel ridges on places,
    differences within a source alone, and on 1."""
    inner = near[np.ix_(at, at)]
    own = texts.source[at][:, None] == np.unique(texts.source[at])
    counts = own.sum(axis=0)
    weight = np.sqrt(own @ (len(at) / (counts * len(counts))))

    def within(values: Array) -> Array:
        return np.asarray(values - own @ (own.T.astype(float) @ values / counts.reshape(-1, *[1] * (values.ndim - 1))))

    centred = within(within(inner).T) * weight[:, None] * weight
    alpha = np.linalg.solve(centred + STRENGTH["score"] * np.eye(len(at)), weight * texts.place[at]) * weight
    alpha = within(alpha)
    close = np.linalg.solve(inner**2 + STRENGTH["near"] * np.eye(len(at)), np.ones(len(at)))
    return np.stack([alpha, close], axis=1), -float((inner @ alpha).mean())


def scores(near: Array, texts: Rated, at: Array, outside: Array) -> Array:
    alpha, mean = fit(near, texts, at)
    some = near[np.ix_(outside, at)]
    return np.asarray((some @ alpha[:, 0] + mean) * np.clip(some**2 @ alpha[:, 1], 0.0, 1.0))


Parts = Sequence[tuple[Array, Array]]


def gain_of(parts: Parts) -> float:
    """Return the factor that makes scores log-odds, from parts of scores and labels that weigh the same."""
    x, upper = (np.concatenate(side) for side in zip(*parts, strict=True))
    counts = np.concatenate([np.full(len(labels), 1000.0 / len(labels)) for _, labels in parts])
    return float(likeliest(x[:, None], upper, np.ones(1), counts=counts)[0])


def figures(name: str, parts: Parts) -> dict[str, float]:
    """Print and return the share that leans and the share right of these; parts weigh the same."""
    p, upper = (np.concatenate(side) for side in zip(*parts, strict=True))
    weight = np.concatenate([np.full(len(labels), 1.0 / len(labels) / len(parts)) for _, labels in parts])
    leans = np.abs(p - 0.5) >= 0.1
    right = float(weight[leans] @ ((p > 0.5) == (upper > 0.5))[leans] / weight[leans].sum())
    print(f"{name:34} leans {weight[leans].sum():.3f}  right {right:.3f}", flush=True)
    return {"leans": round(float(weight[leans].sum()), 3), "right": round(right, 3)}


def fit_odds(of: Shipping) -> None:
    """Fit the map, and write it into the model's audience head."""
    space, texts = read_texts(of)
    some = texts.points[::7]
    apart = ((some[:, None] - some) ** 2).sum(axis=2)
    reach = REACH * float(np.median(apart[np.triu_indices(len(some), 1)]))
    near = likeness(texts.points, reach)
    upper = (texts.place > 0).astype(float)

    def scored(inside: Array, outside: Array) -> Array:
        return scores(near, texts, inside, outside)

    other = out_of_fold(texts.source, scored)
    same = out_of_fold(np.random.default_rng(0).integers(0, FOLDS, len(upper)), scored)
    numbers = range(len(LEARNED))
    left_out, seen = ([(out[texts.source == n], upper[texts.source == n]) for n in numbers] for out in (other, same))

    def odds(parts: Parts, gains: Sequence[float]) -> Parts:
        return [(chances(gain * x), y) for gain, (x, y) in zip(gains, parts, strict=True)]

    # A user's text comes from none of the sources.
    gain = gain_of([*left_out, *left_out, *seen])
    gains = [
        gain_of([part for n in numbers if n != away for part in (left_out[n], left_out[n], seen[n])])
        for away in numbers
    ]
    outside, inside = odds(left_out, gains), odds(seen, [gain] * len(LEARNED))
    said = {
        "sources left out": figures("sources left out", outside),
        "texts left out": figures("texts left out", inside),
        **{f"{name} left out": figures(f"{name} left out", [outside[n]]) for n, name in enumerate(LEARNED)},
    }
    alpha, mean = fit(near, texts, np.arange(len(upper)))
    fitted = replace(
        space,
        support=texts.points,
        reach=np.array([reach]),
        alpha=alpha * np.array([gain, 1.0]),
        mean=np.array([mean * gain]),
    )
    of.amend_head({}, {f"odds_{name}": value for name, value in vars(fitted).items()}, {"odds": said})
