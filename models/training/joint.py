"""Fits the map of one-liners from the states and the findings of the editor's heads; prints its figures on the
held-out third, and writes it into the model's audience head. Texts that the editor's heads were trained on are read by
heads fitted without them."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import data
import numpy as np
import numpy.typing as npt
from shipping import Shipping
from solvers import mixture, pull

from jokejudge_gui.core.files import atomic_writer
from jokejudge_gui.heads.audience import pool
from jokejudge_gui.learning.audience_fit import FOLDS
from jokejudge_gui.learning.editor_fit import fit_editor
from jokejudge_gui.learning.editor_lesson import EditorLesson

KIND = "ukp"
VERSION = "3"
"""Version of a head with such a map: answers that depend on it (votes, verdicts) aren't on the scale of version 2."""
PARTS = (1.0, 0.5, 0.3)
"""Parts of the kernel: states, findings of the editor's heads, form."""
STRENGTHS = {"ratings": 1.0, "pairs": 12.0}
_SPAN = 36.0
"""Characters: length.py's spread of the lengths of two one-liners."""
Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Pairs:
    """Places of two texts, the first the funnier by ``gap``, and flags."""

    a: Array
    b: Array
    gap: Array
    jokes: Array
    strong: Array

    def keep(self, chosen: Array) -> Pairs:
        return Pairs(*(column[chosen] for column in (self.a, self.b, self.gap, self.jokes, self.strong)))


def pairs_of(items: list[data.Item]) -> Pairs:
    places = {data.key(item.text): place for place, item in enumerate(items)}
    rows = []
    for pair in data.ukp_pairs():
        a, b = places.get(data.key(pair.a)), places.get(data.key(pair.b))
        if a is not None and b is not None and items[a].test == items[b].test:
            first, second = (a, b) if pair.gap > 0 else (b, a)
            rows.append((first, second, abs(pair.gap), pair.jokes, pair.strong))
    return Pairs(*(np.array(column) for column in zip(*rows, strict=True)))


def fit(x: Array, rating: Array, pairs: Pairs, inside: Array, by: str) -> Array:
    """Weights of the features x (texts, features), fitted on the texts that are ``inside``."""
    places = np.flatnonzero(inside)
    rows, number = x[places], len(places)
    gram = rows @ rows.T
    if by == "ratings":
        goal = (rating[places] - rating[places].mean()) / rating[places].std()
        centred = gram - gram.mean(axis=0) - gram.mean(axis=1)[:, None] + gram.mean()
        alpha = np.linalg.solve(centred + STRENGTHS[by] * np.eye(number), goal)
        return np.asarray((alpha - alpha.mean()) @ rows)
    of = np.full(len(x), -1)
    of[places] = np.arange(number)
    kept = pairs.keep(inside[pairs.a] & inside[pairs.b])
    a, b = of[kept.a], of[kept.b]
    laplacian = np.zeros((number, number))
    for first, second, value in ((a, a, 1), (b, b, 1), (a, b, -1), (b, a, -1)):
        np.add.at(laplacian, (first, second), value)
    goal = np.bincount(a, kept.gap, number) - np.bincount(b, kept.gap, number)
    return np.asarray(np.linalg.solve(STRENGTHS[by] * np.eye(number) + laplacian @ gram, goal) @ rows)


def joined(x: Array, rating: Array, pairs: Pairs, inside: Array, fold: Array) -> tuple[Array, Array, Array]:
    """Return the weights; the scores (texts,) as log-odds, out of fold ``inside``; and the part of each learner."""
    out = np.zeros((len(x), 2))
    maps = []
    for column, by in enumerate(STRENGTHS):
        for part in range(FOLDS):
            there = inside & (fold == part)
            out[there, column] = x[there] @ fit(x, rating, pairs, inside & (fold != part), by)
        maps.append(fit(x, rating, pairs, inside, by))
        out[~inside, column] = x[~inside] @ maps[-1]
    train = pairs.keep(inside[pairs.a] & inside[pairs.b])
    parts = mixture(out[train.a] - out[train.b])
    return parts[0] * maps[0] + parts[1] * maps[1], out @ parts, parts


def block(values: Array, part: float, inside: Array) -> tuple[Array, Array, Array]:
    """Return the features, their centre and scale, so that the block has the weight ``part`` in the kernel."""
    centre, scale = values[inside].mean(axis=0), values[inside].std(axis=0) + 1e-6
    standard = np.clip((values - centre) / scale, -8.0, 8.0)
    gain = np.sqrt(part / float((standard[inside] ** 2).sum(axis=1).mean()))
    return standard * gain, centre, scale / gain


def shares(scores: Array, pairs: Pairs) -> str:
    right = scores[pairs.a] > scores[pairs.b]
    return f"all {right.mean():.3f}  jokes {right[pairs.jokes].mean():.3f}  strong {right[pairs.strong].mean():.3f}"


def held_out_findings(of: Shipping) -> tuple[dict[str, Array], int]:
    """Return the findings of the editor's heads in each text that they were trained on, by heads fitted without it; and
    their number."""
    lesson = EditorLesson(of.both_rounds, of.every_draft)
    rows = [lesson.row(text, scan) for text, scan in zip(lesson.texts, of.reads.scans(lesson.texts), strict=True)]
    count = len(of.both_rounds)
    values = fit_editor(rows[:count], of.both_rounds, rows[count:], of.every_draft).values
    return dict(zip(of.both_rounds.texts, values, strict=True)), values.shape[1]


def fit_joint(of: Shipping) -> None:
    """Fit the map, and write it into the model's audience head."""
    head, editor, items = of.head, of.editor, data.items(KIND)
    states, found = [], []
    for item, scan in zip(items, of.reads.scans([item.text for item in items]), strict=True):
        states.append(head.standardised(pool(scan.states, item.text)))
        found.append(editor.found(scan.states, item.text, scan.spans, scan.logprobs)[1])
    unseen, outputs = held_out_findings(of)
    for place, item in enumerate(items):
        if item.text in unseen:
            found[place][:outputs] = unseen[item.text]
    x, beside = np.array(states), np.array(found)
    rating, test = np.array([item.target for item in items]), np.array([item.test for item in items])
    fold = np.array([int(data.fraction(item.group, "fold") * FOLDS) for item in items])
    pairs = pairs_of(items)
    both = sum(item.text in unseen for item in items)
    print(f"{len(items)} texts, {both} of them read by the editor; {len(pairs.a)} pairs")
    train, held = pairs.keep(~test[pairs.a]), pairs.keep(test[pairs.a])

    def features(inside: Array) -> tuple[Array, Array, Array]:
        blocks = zip((x, beside[:, :outputs], beside[:, outputs:]), PARTS, strict=True)
        columns, centres, scales = zip(*(block(values, part, inside) for values, part in blocks), strict=True)
        return np.hstack(columns), np.concatenate(centres), np.concatenate(scales)

    scores = joined(features(~test)[0], rating, pairs, ~test, fold)[1]
    figures = {"states, editor, form": f"held out: {shares(scores, held)}"}
    print(f"cross-validated: {shares(scores, train)}   {figures}")
    everything = np.ones(len(items), bool)
    space, centre, scale = features(everything)
    weights, scores, parts = joined(space, rating, pairs, everything, fold)
    gaps = np.array([float(len(items[a].text) - len(items[b].text)) for a, b in zip(pairs.a, pairs.b, strict=True)])
    gamma, _ = pull((scores[pairs.a] - scores[pairs.b])[pairs.jokes], gaps[pairs.jokes], _SPAN)
    size = x.shape[1]
    print(f"parts {parts.round(2)}; spread of the scores {scores.std():.3f}; pull of length {gamma:.3f}")
    constant = -float(scores[[item.joke for item in items]].mean())
    # The head standardises states by all its sets: the centre and scale among one-liners go into the weights.
    of_states = weights[:size] / scale[:size]
    constant -= float(of_states @ centre[:size])
    said = {"kind": KIND, "editor": editor.mark}
    arrays = {
        "joint_weights": np.concatenate([of_states, weights[size:], [constant]]).astype(np.float32),
        "joint_centre": centre[size:].astype(np.float32),
        "joint_scale": scale[size:].astype(np.float32),
    }
    path = of.path("heads", "npz")
    lengths = length_of(path) | {KIND: [round(gamma, 3), _SPAN]}
    write_head(path, {"joint": said, "version": VERSION, "length": lengths}, arrays)
    of.amend("cards", {"version": VERSION, "joint": figures})


def length_of(path: Path) -> dict[str, list[float]]:
    """Return the figures of length in a head's file, by kind."""
    with np.load(path) as kept:
        return dict(json.loads(kept["meta"].tobytes()).get("length", {}))


def write_head(path: Path, changes: dict[str, Any], arrays: dict[str, Array]) -> None:
    """Write a head's file with other arrays and changed metadata; the odds are dropped where the joint map is new."""
    with np.load(path) as kept:
        parts = {name: kept[name] for name in kept.files}
    meta = json.loads(parts["meta"].tobytes()) | changes
    if "joint" in changes:
        parts = {name: value for name, value in parts.items() if not name.startswith("odds_")}
    parts |= arrays | {"meta": np.frombuffer(json.dumps(meta, sort_keys=True).encode(), np.uint8)}
    stream = io.BytesIO()
    np.savez_compressed(stream, allow_pickle=False, **parts)
    with atomic_writer(path) as target:
        target.write(stream.getvalue())
    path.chmod(0o644)
