"""The devices of the editor's heads: kinds that say how a joke works.

They are learned from the readings, from more jokes of each device (positives.jsonl: a machine's jokes and labels, in
many voices, most with a plain text on their subject), and from the jokes of the families, which have one kind each.
A ridge in the space of the heads that are there (their points, traits and groups of words), of the readings' kinds and
the jokes' devices together; what it says out of fold (readings by text, jokes by voice) is brought to probabilities on
both. The heads' other outputs, and what was fitted on them, stay as they are.
"""

from __future__ import annotations

import json

import numpy as np
from data import HERE, lines
from shipping import Array, Shipping

from jokejudge_gui.core.files import atomic_writer
from jokejudge_gui.core.texts import clean_text
from jokejudge_gui.heads.editor import EditorHeads, measure, row_traits
from jokejudge_gui.heads.editor_file import word_groups_of
from jokejudge_gui.heads.features import CLIP
from jokejudge_gui.heads.files import MOST_BYTES, read_archive
from jokejudge_gui.learning.editor_fit import gaussian, with_companions
from jokejudge_gui.learning.figures import FOLDS, area, chances, out_of_fold
from jokejudge_gui.learning.ridge import platt

KINDS = {
    "misdirection": ("misdirection",), "satire": ("satire", "parody"), "irony": ("irony",), "dark": ("dark",),
    "self_mockery": ("self_deprecating",), "understatement": ("dry",), "absurd": ("absurdity",),
    "anti_joke": ("anti_joke",), "callback": ("callback",), "light_bulb": ("lightbulb",),
    "observation": ("observation",), "pun_phrase": ("literalism", "pun"), "exaggeration": ("exaggeration",),
    "pun_same_word": ("pun", "homophone", "bent_phrase", "double_entendre"),
}  # fmt: skip
"""The kinds of each device. The kinds of puns are learned besides, for what a text is called: the head for second
meanings was fitted on the heads' own probabilities of them."""
LEAST = {
    "misdirection": 0.5, "satire": 0.5, "parody": 0.5, "irony": 0.5, "dark": 0.65, "self_deprecating": 0.6,
    "dry": 0.6, "absurdity": 0.5, "silly": 0.7, "anti_joke": 0.4, "callback": 0.4, "lightbulb": 0.3,
    "observation": 0.4, "literalism": 0.5, "exaggeration": 0.4, "pun": 0.6, "homophone": 0.7, "bent_phrase": 0.5,
    "double_entendre": 0.8,
}  # fmt: skip
"""Probabilities from which kinds are named: right in .84 on jokes of other voices, out of fold (LOG.md)."""
PLAYED = frozenset(("homophone", "double_entendre", "bent_phrase", "portmanteau", "swifty", "name_play"))
"""Kinds of a family's joke that are puns."""
STRENGTH, JOKE, PLAIN, BEST = 0.8, 2.0, 1.0, 1.0
"""Strength of the ridge; weights of a joke, of a plain text, and of the joke of a family."""


def fit_devices(of: Shipping) -> None:
    """Add the devices to the editor's heads. They must have learned from ``both_rounds`` and ``every_draft`` of
    ``of``."""
    heads, readings, count = of.editor, of.both_rounds, len(of.both_rounds)
    arrays, rarity = heads.arrays, heads.arrays["rarity_of_groups"]
    if len(arrays["alpha"]) != count + len(of.every_draft):
        raise SystemExit("the editor's heads learned from other readings")
    jokes = [joke for joke in lines(HERE / "positives.jsonl") if "device" in joke]
    twins = [joke for joke in jokes if "plain" in joke]
    families = of.families() if of.contrasts is not None else []
    families = [family for family in families if family["kind"] in readings.kind_ids]
    texts = [joke["text"] for joke in jokes] + [joke["plain"] for joke in twins] + [one["best"] for one in families]
    texts = [clean_text(text) for text in texts]
    points, traits = [], []
    for text, scan in zip(texts, of.reads.scans(texts), strict=True):
        row = measure(scan.states, text, scan.spans, len(arrays["rarity"]), scan.logprobs)
        turn = heads.word_scores(row)[:, 0]
        points.append(heads.point(row, turn))
        traits.append(row_traits(row, turn))
    standard = (np.array(traits, np.float64) - arrays["traits_centre"]) / arrays["traits_scale"]
    own_points, own_traits = np.array(points), np.clip(standard, -CLIP, CLIP)
    groups = [ids[rarity[ids] > 0] for ids in map(word_groups_of, texts)]
    own_ids = np.concatenate(groups).astype(np.float64)
    own_ends = np.cumsum([len(ids) for ids in groups]).astype(np.float64)
    every = {
        **arrays,
        "traits": np.vstack([arrays["traits"], own_traits]),
        "group_ids": np.concatenate([arrays["group_ids"], own_ids]),
        "group_ends": np.concatenate([arrays["group_ends"], arrays["group_ends"][-1] + own_ends]),
    }
    by_states = gaussian(np.vstack([arrays["support"], own_points]), float(arrays["reach"][0]))
    rows = np.concatenate([np.arange(count), np.arange(len(arrays["alpha"]), len(by_states))])
    near = with_companions(by_states, every)[:, rows].astype(np.float64)
    devices = [kind for kind in dict.fromkeys(sum(KINDS.values(), ())) if kind in readings.kind_ids]
    goals = np.zeros((len(texts), len(devices)))
    for goal, joke in zip(goals, jokes, strict=False):
        named = KINDS.get(joke["device"], ())[: 1 if joke["device"] == "pun_same_word" else None]
        goal[[devices.index(kind) for kind in named if kind in devices]] = 1.0
    for goal, family in zip(goals[len(jokes) + len(twins) :], families, strict=True):
        own = {family["kind"], *(["pun"] if family["kind"] in PLAYED else [])}
        goal[[place for place, kind in enumerate(devices) if kind in own]] = 1.0
    goals = np.vstack([readings.kinds[:, [readings.kind_ids.index(kind) for kind in devices]], goals])
    own_weight = np.repeat([JOKE, PLAIN, BEST], [len(jokes), len(twins), len(families)])
    weight = np.concatenate([readings.weight, own_weight])
    voices = {voice: number % FOLDS for number, voice in enumerate(sorted({joke["voice"] for joke in jokes}))}
    writers = {family["id"][:2]: number % FOLDS for number, family in enumerate(families)}
    own_fold = [voices[joke["voice"]] for joke in (*jokes, *twins)] + [writers[one["id"][:2]] for one in families]
    fold = np.concatenate([readings.fold, np.array(own_fold)])

    def solved(inside: Array) -> tuple[Array, Array]:
        mean = np.average(goals[inside], axis=0, weights=weight[inside])
        system = near[np.ix_(rows[inside], inside)] + STRENGTH * np.diag(1.0 / weight[inside])
        alpha = np.zeros_like(goals)
        alpha[inside] = np.linalg.solve(system, goals[inside] - mean)
        return alpha, mean

    def scored(inside: Array, outside: Array) -> Array:
        alpha, mean = solved(inside)
        return np.asarray(near[rows[outside]] @ alpha + mean)

    values = out_of_fold(fold, scored)
    shown = np.concatenate([readings.full()[readings.joke[readings.full()] == 1.0], count + np.arange(len(jokes))])
    odds = np.array([platt(values[shown, column], goals[shown, column]) for column in range(len(devices))]).T
    p, named = chances(values[shown] * odds[0] + odds[1]), goals[shown] >= 0.5
    for name, part in (("readings", slice(0, -len(jokes))), ("jokes of other voices", slice(-len(jokes), None))):
        areas = [area(values[shown][part, column], named[part, column]) for column in range(len(devices))]
        stated = p[part].max(1) >= 0.5
        right = named[part][np.arange(len(stated)), p[part].argmax(1)][stated]
        print(f"{name}: area {np.mean(areas):.3f}; from .5: of {stated.mean():.2f}, right {right.mean():.3f}")
    alpha, mean = solved(np.arange(len(goals)))
    whole = np.zeros((len(near), len(devices)))
    whole[rows] = alpha
    content, _ = read_archive(of.path("editor", "npz"), MOST_BYTES)
    changed = {
        **arrays,
        "device_support": own_points,
        "device_traits": own_traits,
        "device_group_ids": own_ids,
        "device_group_ends": own_ends,
        "device_alpha": whole,
        "device_odds": np.vstack([mean, odds]),
    }
    with atomic_writer(of.path("editor", "npz")) as stream:
        EditorHeads.write(stream, json.loads(content or b"{}") | {"devices": devices, "least": LEAST}, changed)
    if of.editor.mark != heads.mark:
        raise SystemExit("the heads' other outputs have changed")
