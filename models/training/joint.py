"""Fits the map of one-liners from the states and the findings of the editor's heads; prints its figures on the
held-out third, and writes it into the model's audience head. Texts that the editor's heads were trained on are read by
heads fitted without them."""

from __future__ import annotations

import data
import numpy as np
from audience import pairs_of
from shipping import Array, Shipping
from solvers import mixture, pull

from jokejudge_gui.heads.audience import pool
from jokejudge_gui.learning.editor_fit import fit_editor
from jokejudge_gui.learning.editor_lesson import EditorLesson
from jokejudge_gui.learning.figures import FOLDS, out_of_fold

KIND = "ukp"
VERSION = "3"
"""Version of a head with such a map: answers that depend on it (votes, verdicts) aren't on the scale of version 2."""
PARTS = (1.0, 0.5, 0.3)
"""Parts of the kernel: states, findings of the editor's heads, form."""
STRENGTHS = {"ratings": 1.0, "pairs": 12.0}
_SPAN = 36.0
"""Characters: the spread of the lengths of two one-liners (``audience.measure_length``)."""


def fit(x: Array, rating: Array, pairs: Array, gap: Array, places: Array, by: str) -> Array:
    """Weights of the features x (texts, features), fitted on the texts at ``places``."""
    rows, number = x[places], len(places)
    gram = rows @ rows.T
    if by == "ratings":
        goal = (rating[places] - rating[places].mean()) / rating[places].std()
        centred = gram - gram.mean(axis=0) - gram.mean(axis=1)[:, None] + gram.mean()
        alpha = np.linalg.solve(centred + STRENGTHS[by] * np.eye(number), goal)
        return np.asarray((alpha - alpha.mean()) @ rows)
    of = np.full(len(x), -1)
    of[places] = np.arange(number)
    kept = (of[pairs] >= 0).all(axis=1)
    (a, b), gap = of[pairs[kept]].T, gap[kept]
    laplacian = np.zeros((number, number))
    for first, second, value in ((a, a, 1), (b, b, 1), (a, b, -1), (b, a, -1)):
        np.add.at(laplacian, (first, second), value)
    goal = np.bincount(a, gap, number) - np.bincount(b, gap, number)
    return np.asarray(np.linalg.solve(STRENGTHS[by] * np.eye(number) + laplacian @ gram, goal) @ rows)


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
    beside = np.array(found)
    blocks = np.array(states), beside[:, :outputs], beside[:, outputs:]
    rating, test = np.array([item.target for item in items]), np.array([item.test for item in items])
    fold = np.array([int(data.fraction(item.group, "fold") * FOLDS) for item in items])
    pairs, gap, strong, jokes = pairs_of(KIND, items, rating, test, test)

    def joined(inside: Array) -> tuple[Array, Array, Array, Array]:
        """Return the weights, the features' centre and scale, and the scores (texts,) as log-odds, out of fold
        ``inside``. Each block of features has its part of the kernel."""
        columns, centres, scales = [], [], []
        for values, part in zip(blocks, PARTS, strict=True):
            centre, scale = values[inside].mean(axis=0), values[inside].std(axis=0) + 1e-6
            standard = np.clip((values - centre) / scale, -8.0, 8.0)
            gain = np.sqrt(part / float((standard[inside] ** 2).sum(axis=1).mean()))
            columns.append(standard * gain)
            centres.append(centre)
            scales.append(scale / gain)
        x, places = np.hstack(columns), np.flatnonzero(inside)
        whole = [fit(x, rating, pairs, gap, places, by) for by in STRENGTHS]
        out = x @ np.stack(whole, axis=1)
        for column, by in enumerate(STRENGTHS):
            out[places, column] = out_of_fold(
                fold[places],
                lambda some, away, by=by: x[places[away]] @ fit(x, rating, pairs, gap, places[some], by),  # type: ignore[misc]
            )
        train = pairs[inside[pairs].all(axis=1)]
        shares = mixture(out[train[:, 0]] - out[train[:, 1]])
        weights = shares[0] * whole[0] + shares[1] * whole[1]
        return weights, np.concatenate(centres), np.concatenate(scales), out @ shares

    held, scores = test[pairs[:, 0]], joined(~test)[3]
    right = scores[pairs[:, 0]] > scores[pairs[:, 1]]
    shares = {"all": held, "jokes": held & jokes, "strong": held & strong}
    figures = {f"held out, {name}": round(float(right[some].mean()), 3) for name, some in shares.items()}
    print(figures)
    everything = np.ones(len(items), bool)
    weights, centre, scale, scores = joined(everything)
    gaps = np.array([float(len(items[a].text) - len(items[b].text)) for a, b in pairs])
    gamma, _ = pull((scores[pairs[:, 0]] - scores[pairs[:, 1]])[jokes], gaps[jokes], _SPAN)
    size = blocks[0].shape[1]
    constant = -float(scores[[item.joke for item in items]].mean())
    # The head standardises states by all its sets: the centre and scale among one-liners go into the weights.
    of_states = weights[:size] / scale[:size]
    constant -= float(of_states @ centre[:size])
    arrays = {
        "joint_weights": np.concatenate([of_states, weights[size:], [constant]]).astype(np.float32),
        "joint_centre": centre[size:].astype(np.float32),
        "joint_scale": scale[size:].astype(np.float32),
    }
    lengths = head.meta.length | {KIND: (round(gamma, 3), _SPAN)}
    changes = {"joint": {"kind": KIND, "editor": editor.mark}, "version": VERSION, "length": lengths}
    of.amend_head(changes, arrays, {"version": VERSION, "joint": figures})
