"""Fits the map of an audience head for texts of any kind (heads/audience.py) to the findings of the editor's heads,
prints its figures on sets left out of training and across sets, and writes it into the head.

Texts that the editor's heads were trained on are read by heads fitted without them. The map is trained on ratings and
votes inside each set, on jokes above plain texts, on the best fifth of one set above the worst of another, and, at less
weight, on an editor's "funny" for texts of different sets: those labels are a machine's.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import data
import numpy as np
import numpy.typing as npt
from across_pairs import RATED, Pairs, Texts, editor_pairs, jokes_above_plain, ranked_pairs, rated_pairs
from joint import held_out_findings, write_head
from second import Said, editor_says
from shipping import Shipping, wide
from solvers import mixture, pull

from jokejudge_gui.heads.audience import ACROSS, AudienceHead, Features
from jokejudge_gui.learning.audience_fit import FOLDS
from jokejudge_gui.learning.figures import pair_calibration_error as calibration_error
from jokejudge_gui.learning.ridge import descend

TEXTS = {"ukp": 3000, "hahackathon": 1500, "plain": 900, "mechanics": 720, "rjokes": 1500}
"""Number of texts read of each set, beside those that the editor read."""
LONGEST = 300
SOURCES = {"ukp_items": "ukp", "humor_mechanics": "mechanics", "rjokes_sample": "rjokes"}
WEIGHTS = {"rated": 1.0, "plain": 0.1, "fifths": 0.2, "editor": 0.6}
"""Weight of each kind of pairs."""
STRENGTH = 0.01
JOKE_PART, JOKE_CEILING = 0.3, -0.2
"""Ceiling and weight of the output "joke or not", the ceiling in deviations from the mean of all texts: it
distinguishes jokes from other texts, not the better joke. Its weight is relative to all other outputs together."""
OWN = {"other": 0.5, "plain": 0.5}
"""Weight of the map in differences of kinds without votes of their own."""
Array = npt.NDArray[Any]


@dataclass
class Space:
    """Standardised findings with a ceiling; ``gain``: the scale of each finding (a larger scale makes its weight
    cheaper)."""

    centre: Array
    scale: Array
    ceiling: Array
    gain: Array

    @classmethod
    def of(cls, found: Array) -> Space:
        ceiling = np.full(found.shape[1], 8.0)
        ceiling[-2] = JOKE_CEILING
        space = cls(found.mean(axis=0), found.std(axis=0) + 1e-6, ceiling, np.ones(len(ceiling)))
        spread = space.of_texts(found).var(axis=0)
        space.gain = space.gain / np.sqrt(np.delete(spread, -2).sum())
        space.gain[-2] = np.sqrt(JOKE_PART / spread[-2])
        return space

    def of_texts(self, found: Array) -> Array:
        return np.minimum(np.clip((found - self.centre) / self.scale, -8.0, 8.0), self.ceiling)


def fit_map(x: Array, tasks: Sequence[tuple[Pairs, float]], strength: float = STRENGTH) -> Array:
    """Weights (features,) by logistic ridge on differences, without a bias for the first or second place; each task has
    its given weight, however many its pairs."""
    tasks = [(pairs, counted) for pairs, counted in tasks if len(pairs.a)]
    a, b = (np.concatenate([getattr(pairs, side) for pairs, _ in tasks]) for side in ("a", "b"))
    weight = np.concatenate([pairs.weight / pairs.weight.sum() * counted for pairs, counted in tasks])
    weight = weight / weight.sum()
    gaps = x[a] - x[b]

    def loss(weights: Array) -> tuple[float, Array]:
        odds = gaps @ weights
        wrong = 1.0 / (1.0 + np.exp(np.clip(odds, -500.0, 500.0)))
        value = float(weight @ np.logaddexp(0.0, -odds)) + strength / 2.0 * float(weights @ weights)
        return value, strength * weights - gaps.T @ (weight * wrong)

    return descend(loss, np.zeros(x.shape[1]), steps=200, exact=1e-7)


def tasks_of(texts: Texts, inside: Array, left_out: str = "") -> list[tuple[Pairs, float]]:
    """Pairs to train on and their weights, without the set ``left_out``."""
    inside = inside & (texts.set != left_out)
    rated = [name for name in RATED if name != left_out]
    found = [(rated_pairs(texts, name, inside), WEIGHTS["rated"]) for name in rated]
    for name in rated:
        found.append((jokes_above_plain(texts, name, "plain", inside), WEIGHTS["plain"]))
        if "ukp" not in (name, left_out):
            found.append((jokes_above_plain(texts, name, "ukp", inside), WEIGHTS["plain"] / 2))
    for name in rated:
        for other in rated:
            if name != other:
                found.append((ranked_pairs(texts, name, other, inside), WEIGHTS["fifths"]))
    return [*found, (editor_pairs(texts, inside), WEIGHTS["editor"])]


def pairs_for_gain(texts: Texts, inside: Array) -> list[Pairs]:
    """Pairs that calibrate the map: neighbours in rank too, of one set and of two."""
    sets = [(name, other) for name in RATED for other in RATED if name < other]
    found = [ranked_pairs(texts, name, other, inside, share=0.5, least=0.2) for name, other in sets]
    found += [rated_pairs(texts, name, inside, most=1000) for name in ("mechanics", "rjokes")]
    found += [jokes_above_plain(texts, name, "plain", inside, most=400) for name in RATED]
    return [*found, editor_pairs(texts, inside, gap=10.0, most=3000)]


def read_texts(
    of: Shipping, known: dict[str, Array], outputs: int, says: dict[str, Said]
) -> tuple[Texts, Array, list[Features]]:
    """Return the texts of all sets, the findings of the editor's heads in them (texts, outputs), and the head's
    features."""
    head, editor = of.head, of.editor
    items: dict[str, tuple[str, data.Item]] = {}
    for name, most in TEXTS.items():
        short = [item for item in data.items(name) if len(item.text) <= LONGEST]
        items |= {item.text: (name, item) for place, item in enumerate(short) if place < most or item.text in known}
    rows: list[tuple[str, str, data.Item | None]] = [(text, name, item) for text, (name, item) in items.items()]
    rows += [(text, SOURCES.get(said.source, said.source), None) for text, said in says.items() if text not in items]
    of_text: dict[str, tuple[Array, Features]] = {}
    for text, kept in of.reads.each([text for text, _, _ in rows]):
        scan = wide(kept)
        found = editor.found(scan.states, text, scan.spans, scan.logprobs)[1]
        of_text[text] = known.get(text, found[:outputs]), head.of_states(scan.states, text, found)
    texts = Texts.of(rows, says)
    return texts, np.array([of_text[t][0] for t in texts.text]), [of_text[t][1] for t in texts.text]


def right(scores: Array, pairs: Sequence[Pairs]) -> float:
    return float(np.mean([np.mean(scores[p.a] > scores[p.b]) for p in pairs]))


def measure(texts: Texts, x: Array, odds: Callable[[Pairs, Array], tuple[Array, Array]]) -> dict[str, Any]:
    """Print and return the map's figures on sets left out of training and on the held-out third. ``odds``: returns, for
    pairs and scores, the differences of the head without and with the map."""
    figures: dict[str, Any] = {"sets that it didn't learn from": {}}
    everything = np.ones(len(x), bool)
    for name in RATED:
        scores = x @ fit_map(x, tasks_of(texts, ~texts.test, name))
        share = right(scores, [rated_pairs(texts, name, everything)])
        figures["sets that it didn't learn from"][name] = round(share, 3)
        print(f"{name}: learned without it, the map alone {share:.3f}", flush=True)
    scores = x @ fit_map(x, tasks_of(texts, ~texts.test))
    scores = scores * gain_of(texts, x, ~texts.test)
    two = [(name, other) for name in RATED for other in RATED if name != other]
    columns = {f"inside {name}": [rated_pairs(texts, name, texts.test)] for name in RATED}
    columns |= {
        "a joke above a plain text of another set": [jokes_above_plain(texts, n, "plain", texts.test) for n in RATED]
        + [jokes_above_plain(texts, name, "ukp", texts.test) for name in RATED if name != "ukp"],
        "best fifth above worst of another set": [ranked_pairs(texts, *names, texts.test) for names in two],
        "any two ranks of two sets": [
            ranked_pairs(texts, *names, texts.test, share=0.5, least=0.2) for names in two if names[0] < names[1]
        ],
        "an editor's, of two sets": [editor_pairs(texts, texts.test)],
    }
    columns["all pairs of two sets"] = [pairs for name in list(columns)[len(RATED) :] for pairs in columns[name]]
    print("held out: the map alone; the head without and with the map; calibration error")
    for name, groups in columns.items():
        before, after = (np.concatenate(side) for side in zip(*(odds(p, scores) for p in groups), strict=True))
        row = [right(scores, groups), float(np.mean(before > 0)), float(np.mean(after > 0)), calibration_error(after)]
        figures[name] = [round(value, 3) for value in row]
        print(f"{name:42} {row[0]:.3f}  {row[1]:.3f}  {row[2]:.3f}  {row[3]:.3f}", flush=True)
    return figures


def gain_of(texts: Texts, x: Array, inside: Array) -> float:
    """The factor that turns a difference of scores into log-odds, from scores out of fold."""
    scores, pairs = np.zeros(len(x)), []
    for part in range(FOLDS):
        there = inside & (texts.fold == part)
        scores[there] = x[there] @ fit_map(x, tasks_of(texts, inside & (texts.fold != part)))
        pairs += pairs_for_gain(texts, there)
    gaps = np.concatenate([scores[p.a] - scores[p.b] for p in pairs])
    return float(mixture(gaps[:, None])[0])


def pull_of(texts: Texts, scores: Array) -> tuple[float, float]:
    """γ and sd of length among jokes of different sets (as length.py computes them for one kind)."""
    everything = np.ones(len(scores), bool)
    pairs = [
        ranked_pairs(texts, name, other, everything, share=0.5, least=0.0)
        for name in RATED
        for other in RATED
        if name < other
    ]
    a, b = (np.concatenate([getattr(p, side) for p in pairs]) for side in ("a", "b"))
    gamma, sd = pull(scores[a] - scores[b], texts.length[a] - texts.length[b])
    return round(gamma, 3), round(sd, 1)


def fit_across(of: Shipping) -> None:
    """Fit the map, and write it into the model's audience head. The head has learned from the held-out texts, too, so
    the printed figures of what it is without the map are flattered."""
    known, outputs = held_out_findings(of)
    texts, found, features = read_texts(of, known, outputs, editor_says(of.readings, of.second))
    space = Space.of(found)
    x = space.of_texts(found) * space.gain

    editor, head = of.editor, of.head
    meta = {"editor": editor.mark, "kinds": {kind: part for kind, part in OWN.items() if kind in head.kinds}}

    def save(to: Path, weights: Array, gamma: float, sd: float) -> None:
        arrays = zip(ACROSS, (weights * space.gain, space.centre, space.scale, space.ceiling), strict=True)
        said = {"across": meta | {"length": [gamma, sd]}}
        write_head(to, said, {name: value.astype(np.float32) for name, value in arrays})

    with tempfile.TemporaryDirectory() as scratch:
        trial = Path(shutil.copy(of.path("heads", "npz"), scratch))
        save(trial, np.zeros(x.shape[1]), 0.0, 1.0)
        both = AudienceHead.load(trial)

    def odds(pairs: Pairs, scores: Array) -> tuple[Array, Array]:
        rows = []
        for a, b in zip(pairs.a, pairs.b, strict=True):
            one, other = (replace(features[place], across=float(scores[place])) for place in (a, b))
            rows.append((both.difference(replace(one, across=None), other), both.difference(one, other)))
        before, after = np.array(rows).T
        return before, after

    figures = measure(texts, x, odds)
    everything = np.ones(len(x), bool)
    weights = fit_map(x, tasks_of(texts, everything)) * gain_of(texts, x, everything)
    gamma, sd = pull_of(texts, x @ weights)
    print(f"spread of the scores {np.std(x @ weights):.3f}; pull of length {gamma} over {sd} characters")
    save(of.path("heads", "npz"), weights, gamma, sd)
    of.amend("cards", {"across": figures})
