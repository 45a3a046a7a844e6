"""The devices of the editor's heads: kinds that say how a joke works.

They are learned from the readings, from more jokes of each device (positives.jsonl: a machine's jokes and labels, in
many voices, most with a plain text on their subject), and from the jokes of the families, which have one kind each.
A ridge in the space of the heads that are there (their points, traits and groups of words), of the readings' kinds and
the jokes' devices together; what it says out of fold (readings by text, jokes by voice) is brought to probabilities on
both. The heads' other outputs, and what was fitted on them, stay as they are.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from shipping import Shipping

from jokejudge_gui.core.files import atomic_writer
from jokejudge_gui.core.statistics import Vector
from jokejudge_gui.core.texts import clean_text
from jokejudge_gui.heads.editor import EditorHeads, measure, row_traits
from jokejudge_gui.heads.editor_file import Ints, word_groups_of
from jokejudge_gui.heads.features import CLIP
from jokejudge_gui.heads.files import MOST_BYTES, read_archive
from jokejudge_gui.learning.editor_data import FOLDS
from jokejudge_gui.learning.figures import area
from jokejudge_gui.learning.ridge import platt

JOKES = Path(__file__).with_name("positives.jsonl")
KINDS = {
    "misdirection": ("misdirection",), "satire": ("satire", "parody"), "irony": ("irony",), "dark": ("dark",),
    "self_mockery": ("self_deprecating",), "understatement": ("dry",), "absurd": ("absurdity",),
    "anti_joke": ("anti_joke",), "callback": ("callback",), "light_bulb": ("lightbulb",),
    "observation": ("observation",), "pun_phrase": ("literalism",), "exaggeration": ("exaggeration",),
}  # fmt: skip
"""The kinds of each device. Puns stay as they are: the head for second meanings was fitted on their probabilities."""
STRENGTH, JOKE, PLAIN, BEST = 0.8, 2.0, 1.0, 1.0
"""Strength of the ridge; weights of a joke, of a plain text, and of the joke of a family."""


Texts = tuple[Vector, Vector, list[Ints]]


def kernel(a: Texts, b: Texts, heads: EditorHeads) -> Vector:
    """Return (texts of a, texts of b): the heads' similarities of texts (points, traits, groups of words)."""
    arrays = heads.arrays
    shares, rarity = arrays["near_shares"], arrays["rarity_of_groups"]
    near = np.zeros((len(a[0]), len(b[0])))
    reaches = (arrays["reach"][0], arrays["traits_reach"][0])
    for x, y, reach, share in zip(a[:2], b[:2], reaches, shares, strict=False):
        away = np.maximum((x**2).sum(1)[:, None] + (y**2).sum(1) - 2.0 * x @ y.T, 0.0)
        near += share * np.exp(-reach * away)
    columns = np.unique(np.concatenate([*b[2], np.zeros(1, np.int64)]))
    counted = []
    for texts in (a[2], b[2]):
        table = np.zeros((len(texts), len(columns)), np.float32)
        for row, groups in zip(table, texts, strict=True):
            shared = groups[np.isin(groups, columns)]
            row[np.searchsorted(columns, shared)] = rarity[shared] / max(1e-9, float(np.linalg.norm(rarity[groups])))
        counted.append(table)
    near += shares[2] * (counted[0] @ counted[1].T)
    return near


def fit_devices(of: Shipping) -> None:
    """Add the devices to the editor's heads, and print what was measured. They must have learned from ``both_rounds``
    and ``every_draft`` of ``of``."""
    heads, readings, count = of.editor, of.both_rounds, len(of.both_rounds)
    arrays, rarity = heads.arrays, heads.arrays["rarity_of_groups"]
    if len(arrays["alpha"]) != count + len(of.every_draft):
        raise SystemExit("the editor's heads learned from other readings")
    jokes = [joke for line in JOKES.read_text("utf-8").splitlines() if "device" in (joke := json.loads(line))]
    twins = [joke for joke in jokes if "plain" in joke]
    families = [family for family in of.families() if family["kind"] in readings.kind_ids]
    texts = [clean_text(joke["text"]) for joke in jokes] + [clean_text(joke["plain"]) for joke in twins]
    texts += [clean_text(family["best"]) for family in families]
    points, traits = [], []
    for text, scan in zip(texts, of.reads.scans(texts), strict=True):
        row = measure(scan.states, text, scan.spans, len(arrays["rarity"]), scan.logprobs)
        turn = heads.word_scores(row)[:, 0]
        points.append(heads.point(row, turn))
        traits.append(row_traits(row, turn))
    groups = [ids[rarity[ids] > 0] for ids in map(word_groups_of, texts)]
    ends = arrays["group_ends"].astype(np.int64)
    old = np.split(arrays["group_ids"].astype(np.int64), ends[:-1])
    standard = (np.array(traits, np.float64) - arrays["traits_centre"]) / arrays["traits_scale"]
    more = (np.array(points), np.clip(standard, -CLIP, CLIP), groups)
    near = kernel(
        (np.vstack([arrays["support"], more[0]]), np.vstack([arrays["traits"], more[1]]), [*old, *groups]),
        (np.vstack([arrays["support"][:count], more[0]]), np.vstack([arrays["traits"][:count], more[1]]),
         [*old[:count], *groups]),
        heads,
    )  # fmt: skip
    devices = [kind for kinds in KINDS.values() for kind in kinds if kind in readings.kind_ids]
    goals = np.zeros((len(texts), len(devices)))
    for goal, joke in zip(goals, jokes, strict=False):
        goal[[devices.index(kind) for kind in KINDS.get(joke["device"], ()) if kind in devices]] = 1.0
    for goal, family in zip(goals[len(jokes) + len(twins) :], families, strict=True):
        goal[[place for place, kind in enumerate(devices) if kind == family["kind"]]] = 1.0
    goals = np.vstack([readings.kinds[:, [readings.kind_ids.index(kind) for kind in devices]], goals])
    weight = np.concatenate(
        [readings.weight, np.repeat([JOKE, PLAIN], [len(jokes), len(twins)]), np.full(len(families), BEST)]
    )
    voices = {voice: number % FOLDS for number, voice in enumerate(sorted({joke["voice"] for joke in jokes}))}
    writers = {family["id"][:2]: number % FOLDS for number, family in enumerate(families)}
    families_fold = [writers[family["id"][:2]] for family in families]
    fold = np.concatenate([readings.fold, [voices[joke["voice"]] for joke in (*jokes, *twins)], families_fold])
    rows = np.concatenate([np.arange(count), np.arange(len(arrays["alpha"]), len(near))])

    def solved(inside: Ints) -> tuple[Vector, Vector]:
        mean = np.average(goals[inside], axis=0, weights=weight[inside])
        system = near[np.ix_(rows[inside], inside)] + STRENGTH * np.diag(1.0 / weight[inside])
        alpha = np.zeros_like(goals)
        alpha[inside] = np.linalg.solve(system, goals[inside] - mean)
        return alpha, mean

    values = np.zeros_like(goals)
    for part in range(FOLDS):
        alpha, mean = solved(np.flatnonzero(fold != part))
        outside = np.flatnonzero(fold == part)
        values[outside] = near[rows[outside]] @ alpha + mean
    shown = np.concatenate([readings.full()[readings.joke[readings.full()] == 1.0], count + np.arange(len(jokes))])
    odds = [platt(values[shown, column], goals[shown, column]) for column in range(len(devices))]
    report(devices, values[shown], goals[shown], odds, len(jokes))
    alpha, mean = solved(np.arange(len(goals)))
    whole = np.zeros((len(near), len(devices)))
    whole[rows] = alpha
    content, _ = read_archive(of.path("editor", "npz"), MOST_BYTES)
    meta: dict[str, Any] = json.loads(content or b"{}") | {"devices": devices}
    changed = {
        **arrays,
        "device_support": more[0],
        "device_traits": more[1],
        "device_group_ids": np.concatenate(groups).astype(np.float64),
        "device_group_ends": np.cumsum([len(ids) for ids in groups]).astype(np.float64),
        "device_alpha": whole,
        "device_odds": np.vstack([mean, np.array(odds).T]),
    }
    with atomic_writer(of.path("editor", "npz")) as stream:
        EditorHeads.write(stream, meta, changed)
    if of.editor.mark != heads.mark:
        raise SystemExit("the heads' other outputs have changed")


def report(devices: list[str], values: Vector, goals: Vector, odds: list[tuple[float, float]], jokes: int) -> None:
    """Print, out of fold, the mean area under the curve, and how often the likeliest device that is stated is right."""
    p = 1.0 / (1.0 + np.exp(-(values * [a for a, _ in odds] + [b for _, b in odds])))
    for name, part in (("readings", slice(0, -jokes)), ("jokes of other voices", slice(-jokes, None))):
        named = (goals[part] >= 0.5).astype(np.float64)
        areas = [area(values[part, column], named[:, column]) for column in range(len(devices))]
        print(f"{name}: area {np.mean(areas):.3f}")
        first, right = p[part].max(1), named[np.arange(len(named)), p[part].argmax(1)] == 1.0
        for least in (0.4, 0.5, 0.65):
            stated = first >= least
            print(f"  from {least}: of {stated.mean():.2f}, right {right[stated].mean():.3f}")
