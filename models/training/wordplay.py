"""Fits the head for wordplay of one model, with figures on puns whose words were left out of training.

The labelled data: puns.csv and pun_patterns.csv for training, and broken_puns.csv. The broken puns and the families cj
and cn (which name pun word and second word) are for figures only. Of the plain and flat texts of the other families and
of not_jokes.jsonl, those that the program would look at are training texts without a pun."""

from __future__ import annotations

import collections
import json
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import data
import numpy as np
from data import HERE, clean, lines
from shipping import Array, Shipping

from jokejudge_gui.core.statistics import auc
from jokejudge_gui.heads.features import STOP_WORDS
from jokejudge_gui.heads.sounds import Sounds, sounds
from jokejudge_gui.heads.wordplay import (
    WordplayHead,
    chosen,
    likeliest,
    may_be_pun,
    pun_odds,
    read_behind,
    softmax,
)
from jokejudge_gui.heads.wordplay_features import Place, Readings, hinted, readings_of
from jokejudge_gui.heads.words import stem
from jokejudge_gui.learning.figures import FOLDS, chances, out_of_fold
from jokejudge_gui.learning.ridge import descend, logistic

_USUAL = 300
"""Number of texts for the mean state of a token."""
_PLAIN = ("plain", "flat")
_MOST_WORDS = 60
"""Most words of a training text that is no joke."""
_MEASURED = "family ", "broken "
"""Sorts for figures only: a pun broken by a machine keeps much of the pun, and would teach that puns are none."""
_NO_JOKE = "no joke"
"""Training texts for how sure a reading is, not for which one is right: they would teach the look of a joke."""
RIGHT, _LEAST_SAID = 0.9, 8
"""Least share of right answers, and least number of texts for an estimate of it."""
_PRIOR, _CLIP = 2.0, 5.0


@dataclass(frozen=True)
class Marked:
    """A text and people's labels: the pun's word and the other one, "" where there are none."""

    text: str
    sort: str
    group: str
    pun: str = ""
    second: str = ""
    same: bool = False


@dataclass(frozen=True, eq=False)
class PunText:
    """One text. ``none``: it plays on no word. ``values``: (readings, FEATURES + HINTS), then BEHIND, too; ``right``
    (readings,): those that are right. ``learned``: False for texts that are only measured; ``ranked``: False for those
    that only teach how sure a reading is; ``sort``: the text's file, for figures."""

    text: str
    none: bool
    readings: Readings
    values: Array
    right: Array
    fold: int
    sort: str
    learned: bool
    ranked: bool


class Said(NamedTuple):
    """The likeliest reading of one text with another word, out of fold: the features for its probability, whether it
    was right, and the stated probability."""

    text: int
    values: Array
    right: bool
    p: float = 0.0


# -- texts and their measurements


def is_form(word: str, other: str) -> bool:
    """Whether the two are forms of one word."""
    return stem(word) == stem(other) or stem(word) == other or stem(other) == word


def marked_texts(families: Sequence[Mapping[str, Any]]) -> list[Marked]:
    """Return all texts, each once."""
    found: dict[str, Marked] = {}

    def add(text: str, *rest: Any) -> None:
        cleaned = clean(text)
        if cleaned is not None and cleaned not in found:
            found[cleaned] = Marked(cleaned, *rest)

    for row in data.rows("puns"):
        pun, second = row["pun_word"].lower(), row["second_word"].lower()
        group = stem(min(pun, second).split()[0]) if row["pun"] == "1" else row["id"]
        add(row["text"], "pun" if pun else "no pun", group, pun, second, row["same_spelling"] == "1")
    for row in data.rows("broken_puns"):
        group = "broken " + row["group"]
        if row["label"] == "1":
            add(row["text"], "whole", group, row["pun"].lower(), row["second"].lower(), row["is_het"] != "True")
        else:
            add(row["text"], "broken " + row["type"], group)
    for row in data.rows("pun_patterns"):
        pun, second = row["pun_word"].lower(), row["second_word"].lower()
        group = row["pattern"] + stem((pun or row["id"]).split()[0])
        if row["label"] == "1":
            same = pun == second or second in pun.split() or is_form(pun, second)
            add(row["text"], "pattern " + row["pattern"], group, pun, second, same)
        else:
            add(row["text"], "no pattern " + row["pattern"], group)
    for family in families:
        name, plain = family["id"], [one for one in family["variants"] if one["type"] in (*_PLAIN, "lost_word")]
        if name[:2] in ("cj", "cn"):
            pun, second = family.get("pun_word", "").lower(), family.get("second", "").lower()
            same = "|" in second
            add(family["best"], "family best", name, pun, pun if same else second, same)
            for variant in plain:
                add(variant["text"], "family " + variant["type"], name)
        else:
            add(next(each["text"] for each in plain if each["type"] in _PLAIN), _NO_JOKE, name)
    for row in lines(HERE / "not_jokes.jsonl"):
        if len(row["text"].split()) <= _MOST_WORDS:
            add(row["text"], _NO_JOKE, row["text"])
    return list(found.values())


def is_pun_word(place: Place, pun: str) -> bool:
    parts = [part for part in re.findall(r"[^\W\d_]+(?:['’-][^\W\d_]+)*", pun) if part not in STOP_WORDS]
    return place.plain == pun or any(place.plain == part or is_form(place.plain, part) for part in parts)


def is_second(found: str, second: str, table: Sounds) -> bool:
    """Whether a word is the labelled one, one of its forms, or sounds the same."""
    if found == second or is_form(found, second):
        return True
    if " " in second or "-" in second:
        return any(found == part for part in re.split("[ -]", second) if len(part) > 3)
    return table.phones(found) == table.phones(second)


def measured(of: Shipping, texts: Sequence[Marked]) -> tuple[list[PunText], dict[str, Array]]:
    """Return the measurements of the texts, with the mean state and mean row used for them."""
    engine, editor, table = of.reads.engine, of.editor, sounds()
    scans = of.reads.scans([one.text for one in texts])
    usual = np.concatenate([scan.states[1:] for scan in scans[:_USUAL]]).mean(axis=0)
    rows, sizes = engine.output_rows([f" {word}" for word in table.words[:8000]])
    mean_row = rows[np.cumsum(sizes) - sizes].mean(axis=0)
    found = []
    for one, scan in zip(texts, scans, strict=True):
        reading, _ = editor.found(scan.states, one.text, scan.spans, scan.logprobs)
        pun = pun_odds(reading.kinds)
        if one.sort == _NO_JOKE and not may_be_pun(pun):
            continue
        try:
            readings = readings_of(one.text, scan, table, engine.output_rows, usual, mean_row)
        except ValueError:
            continue
        readings = replace(readings, values=readings.values.astype(np.float32))
        values = hinted(readings, (reading.turn.start, reading.turn.end) if reading.turn else None, pun)
        places = np.array([bool(one.pun) and is_pun_word(place, one.pun) for place in readings.places])
        place = places[readings.of]
        same = np.array([link == "sense" for link in readings.links])
        right = place & same
        if one.pun and not one.same:
            right = place & ~same & np.array([is_second(each, one.second, table) for each in readings.seconds])
        fold, learned = zlib.crc32(one.group.encode()) % FOLDS, not one.sort.startswith(_MEASURED)
        ranked = one.sort != _NO_JOKE
        found.append(PunText(one.text, not one.pun, readings, values, right, fold, one.sort, learned, ranked))
    return found, {"usual": usual, "mean_row": mean_row}


def behind(of: Shipping, texts: Sequence[PunText], scores: Sequence[Array]) -> list[PunText]:
    """Return the texts with the values of reading on behind the likeliest words."""
    spans = {text: scan.spans for text, scan in of.reads.each([each.text for each in texts])}
    found = []
    for each, own in zip(texts, scores, strict=True):
        numbers = likeliest(each.readings, own)
        more = read_behind(each.text, spans[each.text], each.readings, numbers, of.reads.engine.choose)
        found.append(replace(each, values=np.hstack([each.values, more])))
    return found


# -- the maps


def maps_of(texts: Sequence[PunText]) -> tuple[Array, Array, Array, list[Array]]:
    """Return the values' centre and scale, the map of all texts, and each text's scores by the map of the other
    folds."""
    used = [each for each in texts if each.learned and each.ranked]
    every = np.concatenate([each.values[::3] for each in used])
    centre, scale = every.mean(axis=0), every.std(axis=0) + 1e-3

    def standard(values: Array) -> Array:
        return np.asarray(np.clip((values - centre) / scale, -_CLIP, _CLIP))

    folds = [_readings_map([each for each in used if each.fold != fold], standard) for fold in range(FOLDS)]
    scores = [standard(each.values) @ folds[each.fold][:-1] + folds[each.fold][-1] for each in texts]
    return centre, scale, _readings_map(used, standard), scores


def _readings_map(texts: Sequence[PunText], standard: Any) -> Array:
    """(values + 1,): weights and bias, by a softmax over the readings of each text and "none". A pun without a right
    reading is left out."""
    used = [each for each in texts if each.none or each.right.any()]
    rows = np.concatenate([standard(each.values) for each in used]).astype(np.float32)
    sizes = [len(each.values) for each in used]
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    of = np.repeat(np.arange(len(used)), sizes)
    right = np.concatenate([each.right for each in used])
    none = np.array([each.none for each in used])
    start = np.zeros(rows.shape[1] + 1)
    start[-1] = -5.0

    def slope(at: Array) -> tuple[float, Array]:
        scores = (rows @ at[:-1].astype(np.float32)).astype(np.float64) + at[-1]
        top = np.maximum(np.maximum.reduceat(scores, starts), 0.0)
        raised = np.exp(scores - top[of])
        total = np.add.reduceat(raised, starts) + np.exp(-top)
        kept = raised * right
        good = np.where(none, np.exp(-top), np.add.reduceat(kept, starts))
        loss = float((np.log(total) - np.log(np.maximum(good, 1e-300))).sum()) + 0.5 * _PRIOR * float(at[:-1] @ at[:-1])
        pull = raised / total[of] - np.where(none[of], 0.0, kept / np.maximum(good, 1e-300)[of])
        gradient = np.append(rows.T @ pull.astype(np.float32), pull.sum())
        gradient[:-1] += _PRIOR * at[:-1]
        return loss, gradient

    return descend(slope, start, steps=150, exact=1e-6)


def calibrated(texts: Sequence[PunText], scores: Sequence[Array]) -> tuple[list[Said], Array]:
    """Return the likeliest readings with another word, with calibrated probabilities by maps of other folds; and the
    map fitted on all."""
    found = [
        Said(number, values, bool(each.right[best]))
        for number, (each, own) in enumerate(zip(texts, scores, strict=True))
        for best, values in chosen(each.readings, own, each.values)
        if each.readings.links[best] != "sense"
    ]
    rows, hits = np.stack([each.values for each in found]), np.array([each.right for each in found], np.float64)
    learned = np.array([texts[each.text].learned for each in found])

    def map_of(use: Array) -> Array:
        return logistic(rows[use[learned[use]]], hits[use[learned[use]]])

    def scored(inside: Array, outside: Array) -> Array:
        own = map_of(inside)
        return np.array([row @ own[:-1] + own[-1] for row in rows[outside]])

    p = chances(out_of_fold(np.array([texts[each.text].fold for each in found]), scored))
    stated = [each._replace(p=float(one)) for each, one in zip(found, p, strict=True)]
    return stated, map_of(np.arange(len(found)))


def least_right(stated: Sequence[tuple[float, float]]) -> float:
    """The least probability from which on the share ``RIGHT`` is right; one that is never stated if there is none."""
    found, right = 1.0, 0.0
    for number, (p, hit) in enumerate(sorted(stated, key=lambda each: -each[0]), start=1):
        right += hit
        if number >= _LEAST_SAID and right >= RIGHT * number:
            found = p
    return found


def figures(texts: Sequence[PunText], scores: Sequence[Array], stated: Sequence[Said], least: float) -> dict[str, Any]:
    """Figures out of fold by sort of text: the share in which a second word is said, and of these the share right.
    Texts that weren't trained on are scored by the maps of all folds but their own."""
    strength, sorts = np.array([softmax(own)[1] for own in scores]), np.array([each.sort for each in texts])
    said = {each.text: each for each in stated if each.p >= least}
    found: dict[str, Any] = {}
    for sort in dict.fromkeys(sorts.tolist()):
        mine = np.flatnonzero(sorts == sort).tolist()
        right = [said[n].right for n in mine if n in said]
        row = {"texts": len(mine), "said": len(right) / len(mine)}
        found[sort] = row | ({"right where said": float(np.mean(right))} if right else {})
    puns = np.isin(sorts, ["pun", "no pun"])
    return found | {"AUC, puns against no puns": auc(strength[puns], sorts[puns] == "pun")}


def fit_puns(of: Shipping) -> None:
    """Fit two maps on all texts, and measure each fold with maps of the other folds: one chooses the words behind which
    a text is read on, the other takes those values, too."""
    items, means = measured(of, marked_texts(of.families()))
    _, _, first, scores = maps_of(items)
    items = behind(of, items, scores)
    centre, scale, weights, scores = maps_of(items)
    stated, whole = calibrated(items, scores)
    least = least_right([(each.p, each.right) for each in stated if items[each.text].learned])
    bias = {"bias": float(weights[-1]), "first_bias": float(first[-1]), "sound": least}
    found = figures(items, scores, stated, least)
    print(json.dumps({"thresholds": bias, **found}, indent=1))
    arrays = {"centre": centre, "scale": scale, "first_weights": first[:-1], "weights": weights[:-1], "said": whole}
    meta = {"format": 1, "model_sha256": of.sha256, "editor": of.editor.mark, **bias}
    card = {
        "model_sha256": of.sha256,
        "learned_from": "puns.csv, pun_patterns.csv, the whole texts of broken_puns.csv (SemEval-2017 task 7, CC BY-NC,"
        " with additions of PunEval and Pun Unintended, no terms stated); none of their texts is in these files",
        "texts": dict(collections.Counter(each.sort for each in items)),
        "figures": found,
    }
    of.save("wordplay", lambda out: WordplayHead.write(out, meta, {**arrays, **means}), card)
