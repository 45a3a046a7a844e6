"""Fits the audience head for texts behind a topic or scene: captions of cartoons and replies to a hashtag.

Each text is read behind its context by the model with a low-rank adapter, which ``adapter.py`` trains together with the
last linear layers. Here these layers become a head of the program: scaled on contests that the adapter never saw, and
read, as everything that is measured, by the program's own engine.

    python models/training/context.py tokens MODEL.gguf TOKENS.json     # what adapter.py learns from
    python models/training/ship.py … --only context                    # needs CACHE/adapter.gguf and CACHE/adapter.npz
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import data
import numpy as np
import numpy.typing as npt
from shipping import Shipping

from jokejudge_gui.core.errors import InputError
from jokejudge_gui.core.files import sha256_of
from jokejudge_gui.core.texts import clean_context, clean_text
from jokejudge_gui.engine.base import Segment
from jokejudge_gui.heads.audience import AudienceHead, pool
from jokejudge_gui.heads.files import FORMAT
from jokejudge_gui.judge.reader import STRAIGHT
from jokejudge_gui.learning.figures import hits, interval, resampled

KINDS = {"captions": 0.2, "hashtags": 0.5}
"""Kinds, with the least difference of the ratings of a pair."""
NO_SCENE = "A cartoon"
AWAY = {"captions": 12, "hashtags": 14}
"""Number of contests that the adapter never saw."""
MOST = {"captions": 90, "hashtags": 60}
"""Texts of such a contest that are read."""
CLIP = 8.0
_RESAMPLES = 500
_LONGEST = 80
_MOST_ALIKE = 0.2
"""Largest share of a contest's texts with the same rating: some contests are nearly all at the lowest."""
Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Entry:
    """A text of a contest. ``error``: of its rating; 0 if unknown."""

    text: str
    context: str
    group: str
    rating: float
    error: float


def entries(kind: str) -> dict[str, list[Entry]]:
    """Return the texts of each contest, those of contests that are left out first; texts in an order of their own."""
    seen: dict[tuple[str, str], Entry] = {}
    for row in _rows(kind):
        try:
            text, context = (clean_text(row["text"]).translate(STRAIGHT), clean_context(row["context"]))
        except InputError:
            continue
        error = float(row.get("se") or (0.65 / np.sqrt(float(row["n"])) if "n" in row else 0.0))
        entry = Entry(text, context.translate(STRAIGHT), row["group"], float(row["rating"]), error)
        seen.setdefault((row["group"], text), entry)
    contests: dict[str, list[Entry]] = {}
    for entry in sorted(seen.values(), key=lambda entry: data.fraction(entry.text, "caption")):
        contests.setdefault(entry.group, []).append(entry)
    usable = {group: one for group, one in contests.items() if kind != "captions" or _spread(one)}
    return dict(sorted(usable.items(), key=lambda pair: hashlib.sha256(f"contest{pair[0]}".encode()).digest()))


def _rows(kind: str) -> Iterator[dict[str, str]]:
    if kind == "hashtags":
        yield from data.rows("hashtagwars")
        return
    with gzip.open(data.folder() / "newyorker_more.csv.gz", "rt", encoding="utf-8", newline="") as stream:
        yield from csv.DictReader(stream)
    yield from data.rows("newyorker_captions")


def _spread(contest: list[Entry]) -> bool:
    counts = np.unique([entry.rating for entry in contest], return_counts=True)[1]
    return bool(counts.max() <= _MOST_ALIKE * len(contest))


def write_tokens(model: Path, out: Path) -> None:
    """Write the tokens and ratings of every text, and whether its contest is left out."""
    from jokejudge_gui.engine.binding import NativeModel

    tokens = partial(NativeModel(str(model)).tokenize, special=False)
    kinds: dict[str, list[dict[str, Any]]] = {}
    for kind in KINDS:
        for number, contest in enumerate(entries(kind).values()):
            texts = [(tokens(each.text), each.rating, each.error) for each in contest]
            kept = [each for each in texts if 0 < len(each[0]) <= _LONGEST]
            part = {"lead": tokens(contest[0].context + "\n"), "texts": kept, "away": number < AWAY[kind]}
            kinds.setdefault(kind, []).append(part)
    out.write_text(json.dumps(kinds))


def agreement(differences: Array, groups: npt.NDArray[np.int64]) -> tuple[float, float, float]:
    """Share of pairs in order, and its 95 % interval by a bootstrap over contests."""
    right = hits(differences)
    groups = np.unique(groups, return_inverse=True)[1]
    size, total = np.bincount(groups), np.bincount(groups, weights=right)
    random = np.random.default_rng(1)
    draws = resampled(len(size), lambda rows: total[rows].sum() / size[rows].sum(), _RESAMPLES, random)
    low, high = interval(draws)
    return float(right.mean()), float(low), float(high)


def spearman(a: Array, b: Array) -> float:
    return float(
        np.corrcoef(*((each[:, None] > each[None]).sum(1) - (each[:, None] < each[None]).sum(1) for each in (a, b)))[
            0, 1
        ]
    )


@dataclass
class Part:
    """Texts of contests left out: ratings, numbers of their contests, and pooled states (texts, features)."""

    rating: Array
    group: npt.NDArray[np.int64]
    values: Array

    def pairs(self, gap: float) -> npt.NDArray[np.int64]:
        """Pairs (2, pairs) of one contest, the better text first."""
        apart = self.rating[:, None] - self.rating[None]
        return np.array(np.nonzero((self.group[:, None] == self.group[None]) & (apart >= gap)))

    def spearman(self, scores: Array) -> float:
        """Mean rank correlation of scores and ratings within the contests."""
        inside = [self.group == each for each in np.unique(self.group)]
        return round(float(np.mean([spearman(scores[each], self.rating[each]) for each in inside])), 3)


def read(of: Shipping, adapter: Path, kind: str, scene: str = "") -> Part:
    """Read the contests left out behind their own context, ``none`` or the ``wrong`` one."""
    contests = [contest[: MOST[kind]] for contest in list(entries(kind).values())[: AWAY[kind]]]
    if kind == "hashtags":  # the show's few choices, and as many others
        chosen = [sorted(each, key=lambda entry: -entry.rating) for each in list(entries(kind).values())[: AWAY[kind]]]
        contests = [each[: MOST[kind]] for each in chosen]
    values, ratings, groups = [], [], []
    for number, contest in enumerate(contests):
        context = contests[(number + 1) % len(contests)][0].context if scene == "wrong" else contest[0].context
        prompt = (Segment((NO_SCENE if scene == "none" else context) + "\n", constant=True),)
        states = of.reads.engine.embed([entry.text for entry in contest], prompt=prompt, adapter=adapter)
        values += [pool(each, entry.text) for each, entry in zip(states, contest, strict=True)]
        ratings += [entry.rating for entry in contest]
        groups += [number] * len(contest)
        print(kind, scene, number, flush=True)
    return Part(np.array(ratings), np.array(groups), np.array(values))


def gain_of(differences: Array, groups: npt.NDArray[np.int64]) -> float:
    """The maximum-likelihood factor that turns differences of pairs, the better one first, into log-odds; each contest
    has the same weight."""
    counts = np.bincount(groups)[groups]
    return float(min(np.arange(0, 8, 0.02), key=lambda gain: (np.logaddexp(0, -gain * differences) / counts).sum()))


def fit_context(of: Shipping) -> None:
    adapter, layers = of.cache / "adapter.gguf", np.load(of.cache / "adapter.npz")
    parts = {kind: read(of, adapter, kind) for kind in KINDS}
    other = {scene: read(of, adapter, "captions", scene) for scene in ("none", "wrong")}
    everything = np.concatenate([part.values for part in parts.values()])
    centre, scale = everything.mean(axis=0), everything.std(axis=0) + 1e-6
    standard = {kind: np.clip((part.values - centre) / scale, -CLIP, CLIP) for kind, part in parts.items()}
    weights, biases, scores = [], [], []
    figures: dict[str, dict[str, Any]] = {}
    for kind, part in parts.items():
        raw = np.zeros(len(centre))
        half, last = layers[kind]
        size = len(half)
        raw[:size], raw[size : 2 * size], raw[3 * size : 4 * size] = half / 2, half / 2, last
        score = standard[kind] @ (raw * scale)
        one, two = part.pairs(KINDS[kind])
        gain = gain_of(score[one] - score[two], part.group[one])
        near, far = part.pairs(1e-9)
        figures[kind] = {
            "texts": len(score),
            "contests": len(set(part.group.tolist())),
            "agreement": [round(x, 3) for x in agreement(score[near] - score[far], part.group[near])],
            "pairs apart": [round(x, 3) for x in agreement(score[one] - score[two], part.group[one])],
            "spearman": part.spearman(score),
        }
        if kind == "captions":
            for scene, its in other.items():
                by = np.clip((its.values - centre) / scale, -CLIP, CLIP) @ (raw * scale)
                figures[kind][f"spearman, {scene} scene"] = its.spearman(by)
        print(kind, json.dumps(figures[kind]), "gain", gain, flush=True)
        weights.append(gain * raw * scale)
        biases.append(-gain * float(score.mean()))
        scores.append(gain * (score - score.mean()))
    # The kind of a text: a linear map of its states, steep enough that one kind decides.
    side = np.concatenate([np.full(len(part), sign) for sign, part in zip((1.0, -1.0), standard.values(), strict=True)])
    rows = np.concatenate(list(standard.values()))
    near_to = rows @ rows.T
    gate = rows.T @ np.linalg.solve(near_to + 0.3 * np.diag(near_to).mean() * np.eye(len(side)), side - side.mean())
    place = rows @ gate
    middle = (place[side > 0].mean() + place[side < 0].mean()) / 2
    slope = 6.0 / max(float(place[side > 0].mean() - place[side < 0].mean()), 1e-9)
    meta = {
        "format": FORMAT,
        "kinds": list(KINDS),
        "version": "context 2",
        "model_sha256": of.sha256,
        "agreement": figures["captions"]["agreement"][0],
        "one_person": 0.0,
        "kind_agreement": {kind: its["agreement"][:2] for kind, its in figures.items()},
        "adapter": sha256_of(adapter),
    }
    arrays = {
        "centre": centre,
        "scale": scale,
        "weights": np.stack(weights),
        "bias": np.array(biases),
        "gate": np.stack([slope * gate, -slope * gate]),
        "gate_bias": np.array([-slope * middle, slope * middle]),
        "grams": np.zeros((len(KINDS), 0)),
        "rarity": np.zeros(0),
        "quantiles": np.quantile(np.concatenate(scores), np.linspace(0, 1, 101)),
    }
    card = {
        "version": meta["version"],
        "data": {
            "captions": "nextml/caption-contest-data-api, CC BY 4.0: captions of the New Yorker's contest",
            "hashtags": "HashtagWars, SemEval-2017 task 6; no terms stated",
        },
        "split": "whole contests that the adapter never saw",
        "figures": figures,
    }
    of.save("heads/context", lambda out: AudienceHead.write(out, meta, arrays), card)
    shutil.copyfile(adapter, of.path("heads/context", "lora"))


if __name__ == "__main__":
    write_tokens(Path(sys.argv[2]), Path(sys.argv[3]))
