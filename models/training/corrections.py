"""Corrects "a joke" of the heads for sense by texts that they took wrongly: neat and felt texts that are no jokes
(negatives.jsonl), dry jokes and their plain twins (positives.jsonl), people's jokes and plain texts.

A kernel ridge, with the heads' own kernel, learns what is left between their probability and the label; its texts are
added to those of the kernel. Both are weighed, and the thresholds set, out of fold by voice.
"""

from __future__ import annotations

import itertools
import json
from typing import Any, NamedTuple

import data
import numpy as np
from data import HERE, lines
from shipping import Array, Shipping, wide

from jokejudge_gui.core.statistics import auc
from jokejudge_gui.core.texts import clean_text
from jokejudge_gui.heads.audience import pool
from jokejudge_gui.heads.sense import SenseHeads, kernel, said_of, squares_of
from jokejudge_gui.heads.sense_features import end_alone, measure_sense
from jokejudge_gui.judge.reader import STRAIGHT
from jokejudge_gui.learning.figures import chances, out_of_fold
from jokejudge_gui.learning.ridge import likeliest
from jokejudge_gui.learning.sense_lesson import digest

VERSION = "10"
FOLDS = 4
STRENGTH = 1.5
NEW = ("positive", "twin", "negative")
"""Sorts of texts by whose voices left out the correction is weighed."""
REJECTED, SURE = 0.02, 0.45
"""Share of jokes that may wrongly be reported as having no turn; chance from which a text is a joke: in the fit jokes
and others weigh the same, and what is brought to a judge of jokes is a joke more often than not."""
PEOPLE, FAMILIES = 200, 220
COMPARED = ("positive", "negative"), ("positive", "twin"), ("people's", "their other texts"), ("best", "plain")


class Labelled(NamedTuple):
    """A text with its label. ``fold``: by voice, where it has one."""

    text: str
    sort: str
    joke: bool
    fold: int


def labelled(of: Shipping) -> list[Labelled]:
    """Return all texts, each once."""
    texts: dict[str, Labelled] = {}

    def add(text: str, sort: str, joke: bool, voice: str = "") -> None:
        text = clean_text(text).translate(STRAIGHT)
        texts.setdefault(text, Labelled(text, sort, joke, (int(voice[1:]) if voice else digest(text)) % FOLDS))

    for name in ("positive", "negative"):
        for row in lines(HERE / f"{name}s.jsonl"):
            add(row["text"], name, row["joke"], row["voice"])
            if row.get("plain"):
                add(row["plain"], "twin", False, row["voice"])
    for row in lines(HERE / "not_jokes.jsonl"):
        add(row["text"], "not a joke", False)
    read = {data.key(text) for text in of.both_rounds.texts}
    for name in ("hahackathon", "ukp", "rjokes", "plain"):
        items = (item for item in data.items(name) if data.key(item.text) not in read and len(item.text) <= 400)
        for item in itertools.islice(items, PEOPLE):
            add(item.text, "people's" if item.joke else "their other texts", item.joke)
    for family in sorted(of.families(), key=lambda family: digest(family["id"]))[:FAMILIES]:
        add(family["best"], "best", True)
        for other in family["variants"]:
            if other["type"] in ("plain", "flat"):
                add(other["text"], other["type"], False)
    return list(texts.values())


def read(of: Shipping, heads: SenseHeads, items: list[Labelled]) -> tuple[Array, Array]:
    """Return each text's point, and the features of its probability."""
    audience, points, stated = of.head, [], []
    scans = dict(of.reads.each([part for item in items for part in (item.text, end_alone(item.text))]))
    for item in items:
        scan = wide(scans[item.text])
        intent = audience.joke_odds(pool(scan.states, item.text)) or 0.0
        row = measure_sense(item.text, scan, wide(scans[end_alone(item.text)]), heads.usual, intent)
        points.append(heads.point(row))
        stated.append(said_of(heads.of(row).scores, intent))
    return np.array(points), np.array(stated)


def correct(of: Shipping) -> None:
    """Correct the heads, and write them."""
    heads = SenseHeads.load(of.path("sense", "npz"))
    if heads.meta.version == VERSION:
        raise SystemExit("these heads are corrected already: fit them to the families first")
    items = labelled(of)
    points, features = read(of, heads, items)
    arrays = dict(heads.arrays)
    before = features @ arrays["said"][0]
    sort, joke = np.array([item.sort for item in items]), np.array([float(item.joke) for item in items])
    fold = np.array([item.fold for item in items])
    near = kernel(points, points, arrays["reach"], squares_of(points))
    rest = joke - chances(before)

    def alpha_of(inside: Array) -> Array:
        return np.linalg.solve(near[np.ix_(inside, inside)] + STRENGTH * np.eye(len(inside)), rest[inside])

    change = out_of_fold(fold, lambda inside, outside: near[np.ix_(outside, inside)] @ alpha_of(inside))
    x = np.stack([before, change, np.ones(len(items))], axis=1)
    new = np.isin(sort, NEW)
    even = np.where(joke > 0, new[joke == 0].sum() / new[joke > 0].sum(), 1.0)

    def weighed(use: Array) -> Array:
        return likeliest(x[use], joke[use], np.full(3, 0.01), counts=even[use])

    after = out_of_fold(fold, lambda inside, outside: x[outside] @ weighed(inside[new[inside]]))
    p = chances(after)
    no_turn = min(float(np.quantile(p[sort == name], REJECTED)) for name in ("positive", "people's"))
    figures: dict[str, Any] = {}
    for a, b in COMPARED:
        both = np.isin(sort, [a, b])
        aucs = [auc(odds[both], sort[both] == a) or 0.5 for odds in (before, after)]
        figures[f"AUC {a} against {b}, before and after"] = [round(share, 3) for share in aucs]
    for name in dict.fromkeys(sort.tolist()):
        mine = p[sort == name]
        shares = (float((mine >= SURE).mean()), float(((mine >= no_turn) & (mine < SURE)).mean()))
        figures[f"{name}: a joke, in doubt"] = [round(share, 3) for share in shares]
    print(json.dumps({"no_turn": no_turn, **figures}, indent=1))
    own, share, constant = weighed(np.flatnonzero(new)).tolist()
    said = arrays["said"].copy()
    said[0] *= own
    said[0, -1] += constant
    alpha = np.zeros((len(items), 3))
    alpha[:, 0] = alpha_of(np.arange(len(items))) * share / said[0, 0]
    arrays |= {
        "said": said,
        "support": np.concatenate([arrays["support"], points]),
        "alpha": np.concatenate([arrays["alpha"], alpha]),
    }
    meta = {
        "format": 2,
        "version": VERSION,
        "model_sha256": of.sha256,
        "no_turn": round(no_turn, 4),
        "sure": SURE,
        "agreement": heads.meta.agreement,
    }
    card, counts = of.card("sense"), {name: int((sort == name).sum()) for name in NEW}
    labels = (
        f" Corrected by {counts['negative']} texts that are no jokes, {counts['positive']} jokes and"
        f" {counts['twin']} plain texts on their subjects, written by large language models."
    )
    card |= {"version": VERSION, "labels": card["labels"].split(" Corrected by")[0] + labels, "corrected": figures}
    of.save("sense", lambda out: SenseHeads.write(out, meta, arrays), card)
