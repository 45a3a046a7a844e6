"""Fits the head for laughs: where people laugh in a longer text.

    export JOKEJUDGE_DATA=…  PYTHONPATH=.:models/training
    python models/training/laughs.py MODEL.gguf CACHE --name NAME

It takes about five minutes on one core once the texts are read.

Learned on the stretches of laughs.jsonl.gz (three shows recorded before an audience), written as one flow, as lines, or
as lines with speakers; on bits.jsonl, stand-up with marks where a room would laugh and plain texts, written for this;
and on strings of jokes and other texts, of which people laugh at the ends of the jokes. Everything is fitted three
times, without a show and a third of the bits: their mean ships, and the figures are of those that don't know the text.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import data
import numpy as np
from data import HERE, lines
from shipping import Array, Shipping

from jokejudge_gui.core.room import without_marks
from jokejudge_gui.core.statistics import auc, sigmoid
from jokejudge_gui.core.verdicts import LIKELY
from jokejudge_gui.core.words import sentences
from jokejudge_gui.heads.laughs import LaughsHead, beside, standard, tokens_of
from jokejudge_gui.judge.reader import STRAIGHT
from jokejudge_gui.learning.ridge import logistic
from jokejudge_gui.learning.teacher import digest

BITS = "bits"
_ENDED = ".!?…\"'"
LINES = ((1.0, 0.0, 0.0), 1.0), ((0.1, 0.7, 8.0), 1.0)
"""For dialogue and for a single speaker: the weights of a sentence of a show, a string and a bit, and the ridge."""
MADE, OF_JOKES, INSIDE, PLAIN = 240, (0.2, 0.4, 0.6, 0.6), 0.5, 2.0
"""Number of strings; shares of jokes among their parts; weight of a sentence within a line, behind which the recording
couldn't show a laugh, and of one in a plain text."""
GATE = 30.0
"""Prior precision of the weights that tell a single speaker from dialogue."""


@dataclass(eq=False)
class Stretch:
    """A text with the ends of its lines (characters) and whether people laughed there. ``show``: its name; "" of a
    string of jokes, BITS of a bit. ``read`` adds what a line is over, and the mean state."""

    text: str
    ends: list[tuple[int, int]]
    show: str = ""
    rows: Array = field(init=False)
    mean: Array = field(init=False)

    def __post_init__(self) -> None:
        self.spans, self.kind = sentences(self.text), {"": 1, BITS: 2}.get(self.show, 0)
        self.at = [
            next((n for n, (_, b) in enumerate(self.spans) if b >= end), len(self.spans) - 1) for end, _ in self.ends
        ]
        self.goal, self.weight = np.zeros(len(self.spans)), np.full(len(self.spans), INSIDE)
        for n, (end, laugh) in zip(self.at, self.ends, strict=True):
            if end >= self.spans[n][1]:
                self.goal[n], self.weight[n] = laugh, 1.0
        if not self.goal.any() and self.kind == 2:
            self.weight *= PLAIN


def joined(parts: Sequence[tuple[str, int]], between: str) -> tuple[str, list[tuple[int, int]]]:
    text, ends = "", list[tuple[int, int]]()
    for part, laugh in parts:
        text += (between if text else "") + " ".join(part.split())
        ends.append((len(text), laugh))
    return text.translate(STRAIGHT), ends


def recorded() -> list[Stretch]:
    """Return the stretches of the shows; half of them in one flow, as a monologue, and a fifth with speakers."""
    stretches = []
    for row in data.packed_lines("laughs"):
        spoken = row["lines"]
        style = int(digest(spoken[0]["text"] + spoken[-1]["text"])[:8], 16) % 10
        named = [((f"{one['speaker']}: " if style >= 8 else "") + one["text"], one["laugh"]) for one in spoken]
        text, ends = joined(named, " " if style < 5 else "\n")
        stretches.append(Stretch(text, ends, row["show"]))
    return stretches


def strung() -> list[Stretch]:
    """Return jokes and other texts strung together; people laugh at the end of a joke."""
    pools: dict[int, list[str]] = {1: [], 0: []}
    for name in ("families", "positives", "negatives", "not_jokes"):
        for row in lines(HERE / f"{name}.jsonl"):
            pools[int("best" in row or bool(row.get("joke")))].append(row.get("best") or row["text"])
            pools[0] += row.get("flat", [])[:1]
            pools[0] += [row["plain"]] if isinstance(row.get("plain"), str) else (row.get("plain") or [])[:1]
    mixed, strings = random.Random(48), []
    for pool in pools.values():
        pool[:] = [one for one in pool if 4 <= len(one.split()) <= 60]
        mixed.shuffle(pool)
    for _ in range(MADE):
        share = mixed.choice(OF_JOKES)
        kinds = [int(mixed.random() < share) for _ in range(mixed.randint(6, 10))]
        parts = ((" ".join(pools[kind].pop().translate(STRAIGHT).split()), kind) for kind in kinds)
        strings.append(
            Stretch(*joined([(f"{one}{'' if one[-1] in _ENDED else '.'}", kind) for one, kind in parts], " "))
        )
    return strings


def performed() -> list[Stretch]:
    """Return bits with marks where a room would laugh, and plain texts (bits.jsonl)."""
    stretches = []
    for row in lines(HERE / "bits.jsonl"):
        text, room = without_marks(row["text"])
        laughs = [(b, int(any(a < one.at <= b for one in room))) for a, b in sentences(text)]
        stretches.append(Stretch(text.translate(STRAIGHT), laughs, BITS))
    return stretches


def read(of: Shipping, stretches: list[Stretch]) -> tuple[Array, Array]:
    """Read the stretches, and return the centre and spread of states."""
    scans = dict(of.reads.each([one.text for one in stretches]))
    some = np.concatenate([scans[one.text].states[::9].astype(np.float32) for one in stretches])
    centre, scale = some.mean(axis=0), some.std(axis=0) + 1e-3
    for one in stretches:
        x = standard(scans[one.text].states.astype(np.float32), centre, scale)
        places = tokens_of(one.spans, scans[one.text].spans)
        one.rows, one.mean = beside(x, one.text, one.spans, places).astype(np.float32), x.mean(axis=0, dtype=np.float64)
    return centre, scale


def line_of(stretches: list[Stretch], counts: Sequence[float], strength: float) -> Array:
    """Return a line of spread one, by a ridge. ``counts``: the weight of each kind of text."""
    stretches = [one for one in stretches if counts[one.kind]]
    x, goal = np.concatenate([one.rows for one in stretches]), np.concatenate([one.goal for one in stretches])
    weight = np.concatenate([one.weight * counts[one.kind] for one in stretches]).astype(np.float32)
    kind = np.repeat([one.kind for one in stretches], [len(one.goal) for one in stretches])
    spread = x.std(axis=0) + 1e-3
    for own in (kind == one for one in {*kind.tolist()}):
        x[own] -= np.average(x[own], axis=0, weights=weight[own])
        goal[own] -= np.average(goal[own], weights=weight[own])
    x /= spread
    inner = ((x.T * weight) @ x).astype(np.float64) + strength * weight.sum() * np.eye(x.shape[1])
    solved = np.linalg.solve(inner, x.T @ (weight * goal))
    return np.asarray(solved / spread / (x @ solved).std())


def of_lines(stretches: Sequence[Stretch], scores: Sequence[Array]) -> tuple[Array, Array]:
    """Return the score of each line, which is that of the sentence that it ends in, and whether people laughed."""
    values = [its[n] for one, its in zip(stretches, scores, strict=True) for n in one.at]
    return np.array(values, np.float64), np.array([laugh for one in stretches for _, laugh in one.ends]) == 1


def figures_of(stretches: Sequence[Stretch], odds: Sequence[Array]) -> dict[str, Any]:
    """Return the figures of texts whose log-odds are of what doesn't know them."""
    figures: dict[str, Any] = {"likely from": LIKELY}
    names = ["plain" if one.kind == 2 and not one.goal.any() else one.show for one in stretches]
    for name in sorted({*names}):
        own = [n for n, its in enumerate(names) if its == name]
        values, laughed = of_lines([stretches[n] for n in own], [odds[n] for n in own])
        likely = values >= np.log(LIKELY / (1.0 - LIKELY))
        shares = {"area": auc(values, laughed), "likely": likely.mean(), "right": laughed[likely].mean()}
        figures[name] = {key: round(float(share), 3) for key, share in shares.items() if share is not None}
    return figures


def fit(of: Shipping) -> None:
    """Fit without each part of the texts, measure on that part, and ship the mean."""
    every = recorded() + strung() + (bits := performed())
    centre, scale = read(of, every)
    shows = sorted({one.show for one in every} - {"", BITS})
    drawn, gates, away = list[Array](), list[Array](), list[tuple[Stretch, Array, float]]()
    for left, show in enumerate(shows):
        out = [one for one in every if one.show == show] + bits[left :: len(shows)]
        inside = [one for one in every if one not in out]
        drawn.append(np.stack([line_of(inside, *how) for how in LINES]))
        alone = np.array([one.kind > 0 for one in inside], np.float64)
        gates.append(logistic(np.stack([one.mean for one in inside]), alone, GATE))
        away += [(one, one.rows @ drawn[-1].T, sigmoid(float(np.append(one.mean, 1.0) @ gates[-1]))) for one in out]
    maps = []  # of each line's score to log-odds, by the texts that it is for
    for kind in (0, 1):
        some = [(one, scores[:, [kind]]) for one, scores, _ in away if one.kind == 2 * kind]
        scores, laughed = of_lines(*zip(*some, strict=True))
        maps.append(logistic(scores, laughed.astype(np.float64)))
    slope, offset = np.transpose(maps)
    odds = [(scores * slope + offset) @ (1.0 - p, p) for _, scores, p in away]
    figures = figures_of([one for one, *_ in away], odds)
    print(json.dumps(figures, indent=1))
    arrays = {"centre": centre, "scale": scale, "gate": np.mean(gates, axis=0), "offset": offset,
              "line": np.mean(drawn, axis=0) * slope[:, None]}  # fmt: skip
    area = float(np.mean([figures[name]["area"] for name in shows]))
    card = {
        "command": "python models/training/laughs.py MODEL.gguf CACHE --name NAME",
        "data": "laughs.jsonl.gz: lines of three comedies recorded before an audience, and whether it laughed "
        "(ranyadshalom/seinfeld_laugh_corpus); bits.jsonl: written by a large language model, with marks where a room "
        "would laugh; jokes and other texts of models/training strung together",
        "split": "a show and a third of the bits left out, from which the calibration is",
        "figures": figures,
    }
    meta = {"format": 1, "model_sha256": of.sha256, "area": round(area, 3)}
    of.save("laughs", lambda out: LaughsHead.write(out, meta, arrays), card)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("cache", type=Path)
    parser.add_argument("--name", required=True)
    fit(Shipping(**vars(parser.parse_args())))
