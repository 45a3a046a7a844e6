"""Fits the head for wordplay of one model, with figures on puns whose words were left out of training.

The labelled data: puns.csv and pun_patterns.csv for training, and broken_puns.csv. The broken puns and the families cj
and cn (which name pun word and second word) are for figures only. Of the plain and flat texts of the other families and
of not_jokes.jsonl, those that the program would look at are training texts without a pun."""

from __future__ import annotations

import collections
import json
import pickle
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import data
import numpy as np
from sense import clean
from shipping import Shipping
from wordplay_fit import FOLDS, FittedWordplay, PunText, fit_wordplay

from jokejudge_gui.core.files import atomic_writer
from jokejudge_gui.core.statistics import auc
from jokejudge_gui.heads.features import STOP_WORDS
from jokejudge_gui.heads.sounds import Sounds, sounds
from jokejudge_gui.heads.wordplay import BEHIND, WordplayHead, likeliest, may_be_pun, pun_odds, read_behind, softmax
from jokejudge_gui.heads.wordplay_features import FEATURES, HINTS, Measurer, Place, Readings, hinted
from jokejudge_gui.heads.words import stem

_IN_TURN = len(FEATURES) + HINTS.index("in the turn")
_USUAL = 300
"""Number of texts for the mean state of a token."""
_PLAIN = ("plain", "flat")
_MOST_WORDS = 60
"""Most words of a training text that is no joke."""
_MEASURED = "family ", "broken "
"""Sorts for figures only: a pun broken by a machine keeps much of the pun, and would teach that puns are none."""
_NO_JOKE = "no joke"
"""Training texts for how sure a reading is, not for which one is right: they would teach the look of a joke."""


@dataclass(frozen=True)
class Marked:
    """A text and people's labels: the pun's word and the other one, "" where there are none."""

    text: str
    sort: str
    group: str
    pun: str = ""
    second: str = ""
    same: bool = False


@dataclass(frozen=True)
class Measured:
    """The measurements of a text before training."""

    readings: Readings
    turn: tuple[int, int] | None
    pun: float


def is_form(word: str, other: str) -> bool:
    """Whether the two are forms of one word."""
    return stem(word) == stem(other) or stem(word) == other or stem(other) == word


def marked_texts(families: Sequence[Mapping[str, Any]]) -> list[Marked]:
    """Return all texts, each once."""
    found: dict[str, Marked] = {}

    def add(text: str, *rest: Any, **more: Any) -> None:
        cleaned = clean(text)
        if cleaned is not None and cleaned not in found:
            found[cleaned] = Marked(cleaned, *rest, **more)

    for row in data.rows("puns"):
        pun, second = row["pun_word"].lower(), row["second_word"].lower()
        group = stem(min(pun, second).split()[0]) if row["pun"] == "1" else row["id"]
        same = row["same_spelling"] == "1"
        add(row["text"], "pun" if pun else "no pun", group, pun, second, same, row["words"])
    for row in data.rows("broken_puns"):
        group = "broken " + row["group"]
        if row["label"] == "1":
            same = row["is_het"] != "True"
            add(row["text"], "whole", group, row["pun"].lower(), row["second"].lower(), same)
        else:
            add(row["text"], "broken " + row["type"], group)
    for row in data.rows("pun_patterns"):
        pun, second = row["pun_word"].lower(), row["second_word"].lower()
        group = row["pattern"] + stem((pun or row["id"]).split()[0])
        if row["label"] == "1":
            add(row["text"], "pattern " + row["pattern"], group, pun, second, is_same(pun, second))
        else:
            add(row["text"], "no pattern " + row["pattern"], group)
    for family in families:
        if family["id"][:2] in ("cj", "cn"):
            pun, second = family.get("pun_word", "").lower(), family.get("second", "").lower()
            same = "|" in second
            add(family["best"], "family best", family["id"], pun, pun if same else second, same, second if same else "")
            for variant in family["variants"]:
                if variant["type"] in (*_PLAIN, "lost_word"):
                    add(variant["text"], "family " + variant["type"], family["id"])
        else:
            add(next(each["text"] for each in family["variants"] if each["type"] in _PLAIN), _NO_JOKE, family["id"])
    for line in (Path(__file__).with_name("not_jokes.jsonl")).read_text("utf-8").splitlines():
        text = json.loads(line)["text"]
        if len(text.split()) <= _MOST_WORDS:
            add(text, _NO_JOKE, text)
    return list(found.values())


def is_same(pun: str, second: str) -> bool:
    return pun == second or second in pun.split() or is_form(pun, second)


def is_pun_word(place: Place, pun: str) -> bool:
    parts = [part for part in re.findall(r"[^\W\d_]+(?:['’-][^\W\d_]+)*", pun) if part not in STOP_WORDS]
    return place.plain == pun or any(place.plain == part or is_form(place.plain, part) for part in parts)


def is_second(found: str, second: str, table: Sounds) -> bool:
    """Whether a word is the labelled one, one of its forms, or sounds the same."""
    if found == second or is_form(found, second):
        return True
    if " " in second or "-" in second:
        return any(found == part for part in re.split("[ -]", second) if len(part) > 3)
    return table.cost(table.phones(found), table.phones(second)) < 0.01


def pun_text(marked: Marked, measured: Measured, fold: int, *, learned: bool) -> PunText:
    readings = measured.readings
    values = hinted(readings, measured.turn, measured.pun)
    places = np.array([bool(marked.pun) and is_pun_word(place, marked.pun) for place in readings.places])
    place = places[readings.of]
    same = np.array([link == "sense" for link in readings.links])
    right = place & same
    if marked.pun and not marked.same:
        table = sounds()
        right = place & ~same & np.array([is_second(each, marked.second, table) for each in readings.seconds])
    kind: Any = "none" if not marked.pun else "same" if marked.same else "other"
    return PunText(
        marked.text, kind, readings, values, right, place, fold,
        sort=marked.sort, learned=learned, ranked=marked.sort != _NO_JOKE,
    )  # fmt: skip


def measure(of: Shipping, texts: Sequence[str]) -> tuple[dict[str, Measured], Any]:
    """Return the measurements of each text, with the mean state and mean row used for them."""
    engine, editor = of.reads.engine, of.editor
    scans = dict(zip(texts, of.reads.scans(texts), strict=True))
    usual = np.concatenate([scans[text].states[1:] for text in texts[:_USUAL]]).mean(axis=0)
    rows, sizes = engine.output_rows([f" {word}" for word in sounds().words[:8000]])
    means = usual, rows[np.cumsum(sizes) - sizes].mean(axis=0)
    measurer = Measurer(sounds(), engine.output_rows, *means)
    found: dict[str, Measured] = {}
    for text, scan in scans.items():
        reading, _ = editor.found(scan.states, text, scan.spans, scan.logprobs)
        try:
            readings, _ = measurer.readings(text, scan)
        except ValueError:
            continue
        readings = replace(readings, values=readings.values.astype(np.float32))
        turn = (reading.turn.start, reading.turn.end) if reading.turn else None
        found[text] = Measured(readings, turn, pun_odds(reading.kinds))
    return found, means


class ReadOn:
    """``fit_wordplay``'s ``behind``: reads on behind words, and keeps the values in CACHE."""

    def __init__(self, of: Shipping, texts: Sequence[PunText]) -> None:
        self._place = of.cache / f"behind-{of.sha256[:16]}.pickle"  # our own file: never one from elsewhere
        self._kept: dict[Any, Any] = pickle.loads(self._place.read_bytes()) if self._place.is_file() else {}
        self._texts, self._engine = texts, of.reads.engine
        self._spans = {text: scan.spans for text, scan in of.reads.each([each.text for each in texts])}

    def __call__(self, number: int, scores: Any) -> Any:
        text, readings = self._texts[number].text, self._texts[number].readings
        found = np.zeros((len(readings.seconds), len(BEHIND)))
        if not (numbers := likeliest(readings, scores)):
            return found
        key = text, *((*readings.taken[each], readings.seconds[each]) for each in numbers)
        if key not in self._kept:
            spans = self._spans[text]
            self._kept[key] = read_behind(text, spans, readings, numbers, self._engine.choose)[numbers]
        found[numbers] = self._kept[key]
        return found

    def keep(self) -> None:
        with atomic_writer(self._place) as stream:
            pickle.dump(self._kept, stream, protocol=4)


def figures(texts: Sequence[PunText], fitted: FittedWordplay) -> dict[str, Any]:
    """Figures out of fold. Texts that weren't trained on are scored by the maps of all folds but their own."""
    strength = np.array([softmax(scores)[1] for scores in fitted.scores])
    sorts, kinds = np.array([each.sort for each in texts]), np.array([each.kind for each in texts])
    said: dict[int, Any] = {}
    for each in fitted.said:
        least = 2.0 if each.same else fitted.meta["sound"]
        if each.p >= least and (each.text not in said or each.p > said[each.text].p):
            said[each.text] = each
    found: dict[str, Any] = {}
    for sort in dict.fromkeys(sorts.tolist()):
        mine = np.flatnonzero(sorts == sort).tolist()
        row: dict[str, Any] = {"texts": len(mine), "said": share(n in said for n in mine)}
        for kind in ("other", "same"):
            if own := [n for n in mine if kinds[n] == kind]:
                right = share(said[n].right for n in own if n in said)
                row[kind] = {"texts": len(own), "said": share(n in said for n in own), "right where said": right}
        if (kinds[mine] != "none").all():
            inside = [texts[n].place & (texts[n].values[:, _IN_TURN] > 0) for n in mine]
            row["marked"] = share(
                own.any() or (n in said and bool(texts[n].place[said[n].number]))
                for n, own in zip(mine, inside, strict=True)
            )
        found[sort] = row
    found["AUC"] = {"puns against no puns": _auc(strength, sorts == "pun", sorts == "no pun")}
    for sort in dict.fromkeys(sorts.tolist()):
        if sort.startswith("broken "):
            found["AUC"][sort] = _auc(strength, sorts == "whole", sorts == sort)
        elif sort.startswith("pattern "):
            found["AUC"][sort] = _auc(strength, sorts == sort, sorts == "no " + sort)
    return found


def share(hits: Any) -> float | None:
    values = [float(hit) for hit in hits]
    return round(float(np.mean(values)), 3) if values else None


def _auc(strength: Any, above: Any, below: Any) -> float | None:
    used = above | below
    found = auc(strength[used], above[used]) if above.any() and below.any() else None
    return None if found is None else round(found, 3)


def fit_puns(of: Shipping) -> None:
    texts = marked_texts(of.families())
    measured, means = measure(of, [each.text for each in texts])
    items = [
        pun_text(each, measured[each.text], fold_of(each), learned=not each.sort.startswith(_MEASURED))
        for each in texts
        if each.text in measured and (each.sort != _NO_JOKE or may_be_pun(measured[each.text].pun))
    ]
    behind = ReadOn(of, items)
    fitted = fit_wordplay(items, behind)
    behind.keep()
    found = figures(items, fitted)
    print(json.dumps({"thresholds": fitted.meta, **found}, indent=1))
    meta = {"format": 1, "model_sha256": of.sha256, "editor": of.editor.mark, **fitted.meta}
    arrays = {**fitted.arrays, "usual": means[0], "mean_row": means[1]}
    card = {
        "model_sha256": of.sha256,
        "learned_from": "puns.csv, pun_patterns.csv, the whole texts of broken_puns.csv (SemEval-2017 task 7, CC BY-NC,"
        " with additions of PunEval and Pun Unintended, no terms stated); none of their texts is in these files",
        "texts": dict(collections.Counter(each.sort for each in items)),
        "figures": found,
    }
    of.save("wordplay", lambda out: WordplayHead.write(out, meta, arrays), card)


def fold_of(marked: Marked) -> int:
    return zlib.crc32(marked.group.encode()) % FOLDS
