"""Corrects "a joke" of the heads for sense by texts that families alone let them take wrongly: neat and felt texts that
are no jokes (negatives.jsonl), dry jokes and their plain twins (positives.jsonl), people's jokes and plain texts.

The networks learn from them; and a kernel ridge, with the heads' own kernel, learns what is then left between the
probability and the label; its texts are added to those of the kernel. Both are weighed, and the thresholds set, out of
fold by voice.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from string import digits
from typing import Any, NamedTuple

import data
import numpy as np
from data import HERE, lines
from shipping import Array, Shipping

from jokejudge_gui.core.statistics import auc
from jokejudge_gui.core.texts import clean_text
from jokejudge_gui.heads.sense import kernel, points, said_of, squares_of
from jokejudge_gui.heads.sense_features import SenseRow
from jokejudge_gui.judge.reader import STRAIGHT
from jokejudge_gui.learning.figures import chances, out_of_fold
from jokejudge_gui.learning.ridge import likeliest
from jokejudge_gui.learning.sense_fit import FittedSense, SenseItem
from jokejudge_gui.learning.sense_lesson import digest

FOLDS = 5
STRENGTH = 5.0
COUNT = 2.0
"""Weight of a text for the networks."""
NEW = ("positive", "twin", "negative")
"""Sorts of texts by whose voices left out the correction is weighed."""
REJECTED, SURE = 0.02, 0.5
"""Share of jokes that may wrongly be reported as having no turn; chance from which a text is a joke: in the fit jokes
and others weigh the same."""
PEOPLE, FAMILIES = 200, 220
FUNNY = 70.0
"""How funny a joke is beside its plain twin."""
COMPARED = ("positive", "negative"), ("positive", "twin"), ("people's", "their other texts"), ("best", "plain")


class Labelled(NamedTuple):
    """A text with its label. ``fold``: by voice, where it has one; ``beside``: the joke whose plain twin it is."""

    text: str
    sort: str
    joke: bool
    fold: int
    beside: str = ""

    @property
    def item(self) -> SenseItem:
        """What the networks learn from it."""
        funny = {"positive": FUNNY, "twin": 0.0}.get(self.sort)
        return SenseItem(
            self.text, self.beside or self.text, "x", self.sort, (float(self.joke), 1.0), (1.0, 0.0), funny
        )


def labelled(of: Shipping) -> list[Labelled]:
    """Return all texts, each once."""
    texts: dict[str, Labelled] = {}

    def add(text: str, sort: str, joke: bool, voice: str = "", beside: str = "") -> None:
        text, beside = (clean_text(one).translate(STRAIGHT) if one else "" for one in (text, beside))
        writer = voice.rstrip(digits) if voice.startswith("w") else voice  # of "w" several voices are one writer's
        texts.setdefault(text, Labelled(text, sort, joke, digest(writer or text) % FOLDS, beside))

    for name in ("positive", "negative"):
        for row in lines(HERE / f"{name}s.jsonl"):
            add(row["text"], name, row["joke"], row["voice"])
            if row.get("plain"):
                add(row["plain"], "twin", False, row["voice"], row["text"])
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


def corrected(
    found: FittedSense, items: list[Labelled], rows: Mapping[str, SenseRow]
) -> tuple[dict[str, Any], dict[str, Array], dict[str, Any]]:
    """Return meta and arrays of the heads that were fitted, corrected by ``items``, and the figures."""
    arrays = found.arrays
    read = [rows[item.text] for item in items]
    at = np.concatenate([points(row.pooled[None], row.measures[None], arrays) for row in read])
    before = np.array([arrays["said"][0] @ said_of(found.scores[row.text], row.intent) for row in read])
    sort, joke = np.array([item.sort for item in items]), np.array([float(item.joke) for item in items])
    fold = np.array([item.fold for item in items])
    near = kernel(at, at, arrays["reach"], squares_of(at)).astype(np.float32)
    rest = joke - chances(before)

    def alpha_of(inside: Array) -> Array:
        kept = near[np.ix_(inside, inside)] + np.float32(STRENGTH) * np.eye(len(inside), dtype=np.float32)
        return np.linalg.solve(kept, rest[inside].astype(np.float32))

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
    arrays = arrays | {
        "said": said,
        "support": np.concatenate([arrays["support"], at]),
        "alpha": np.concatenate([arrays["alpha"], alpha]),
    }
    return found.meta | {"no_turn": round(no_turn, 4), "sure": SURE}, arrays, figures
