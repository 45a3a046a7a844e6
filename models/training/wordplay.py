"""Fit the head for wordplay of one model, and print its figures on puns whose words were left out of training.

    python models/training/wordplay.py MODEL.gguf CACHE --contrasts FOLDER --read [--write models]

$JOKEJUDGE_DATA names the folder of the labelled data: puns.csv and pun_patterns.csv for training, and broken_puns.csv;
FOLDER holds families.jsonl. The broken puns and the families cj and cn (which name pun word and second word) are for
figures only. Of the plain and flat texts of the other families and of not_jokes.jsonl, those that the program would
look at are training texts without a pun.
Figures are of puns and of stock forms whose words were left out of training. CACHE keeps the scans, as for sense.py,
and the measurements; --read reads the texts that are missing there.
"""

from __future__ import annotations

import collections
import json
import pickle
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from sense import arguments, clean, kept, read, rows, wide
from wordplay_fit import FOLDS, FittedWordplay, PunText, fit_wordplay, least_right

from jokejudge_gui.core.files import atomic_writer, sha256_of
from jokejudge_gui.core.statistics import auc
from jokejudge_gui.engine.loader import load_engine
from jokejudge_gui.heads.editor import EditorHeads
from jokejudge_gui.heads.features import STOP_WORDS
from jokejudge_gui.heads.sounds import Sounds, sounds
from jokejudge_gui.heads.wordplay import BEHIND, WordplayHead, likeliest, may_be_pun, pun_odds, read_behind, softmax
from jokejudge_gui.heads.wordplay_features import FEATURES, HINTS, Measurer, Place, Readings, hinted, stem

_IN_TURN = len(FEATURES) + HINTS.index("in the turn")
MODELS = Path(__file__).resolve().parents[1]
_USUAL = 300
"""Number of texts for the mean state of a token."""
_PLAIN = ("plain", "flat")
_MOST_WORDS = 60
"""Most words of a training text that is no joke."""
_MEASURED = "family ", "broken "
"""Sorts for figures only: a pun broken by a machine keeps much of the pun, and would teach that puns are none."""
_NO_JOKE = "no joke"
"""Training texts for how sure a reading is, not for which one is right: they would teach the look of a joke."""
_FORMS = ("daughter", "doctor", "never_die")
_RIGHT = (0.95, 0.9, 0.85, 0.8, 0.75)


@dataclass(frozen=True)
class Marked:
    """A text and people's labels: the pun's word and the other one, "" where there are none."""

    text: str
    sort: str
    group: str
    pun: str = ""
    second: str = ""
    same: bool = False
    supports: str = ""


@dataclass(frozen=True)
class Measured:
    """The measurements of a text before training."""

    readings: Readings
    words: tuple[Place, ...]
    supports: Any
    turn: tuple[int, int] | None
    pun: float


def is_form(word: str, other: str) -> bool:
    """Whether the two are forms of one word."""
    return stem(word) == stem(other) or stem(word) == other or stem(other) == word


def marked_texts(contrasts: Path) -> list[Marked]:
    """Return all texts, each once."""
    found: dict[str, Marked] = {}

    def add(text: str, *rest: Any, **more: Any) -> None:
        cleaned = clean(text)
        if cleaned is not None and cleaned not in found:
            found[cleaned] = Marked(cleaned, *rest, **more)

    for row in rows("puns"):
        pun, second = row["pun_word"].lower(), row["second_word"].lower()
        group = stem(min(pun, second).split()[0]) if row["pun"] == "1" else row["id"]
        same = row["same_spelling"] == "1"
        add(row["text"], "pun" if pun else "no pun", group, pun, second, same, row["words"])
    for row in rows("broken_puns"):
        group = "broken " + row["group"]
        if row["label"] == "1":
            same = row["is_het"] != "True"
            add(row["text"], "whole", group, row["pun"].lower(), row["second"].lower(), same)
        else:
            add(row["text"], "broken " + row["type"], group)
    for row in rows("pun_patterns"):
        pun, second = row["pun_word"].lower(), row["second_word"].lower()
        group = row["pattern"] + stem((pun or row["id"]).split()[0])
        if row["label"] == "1":
            add(row["text"], "pattern " + row["pattern"], group, pun, second, is_same(pun, second))
        else:
            add(row["text"], "no pattern " + row["pattern"], group)
    for line in (contrasts / "families.jsonl").read_text("utf-8").splitlines():
        family = json.loads(line)
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
    named = None
    if marked.same and marked.supports:
        spans = [part.strip().lower() for part in marked.supports.split("|")]
        named = np.array(
            [any(word.plain in re.findall(r"[\w'’-]+", span) for span in spans) for word in measured.words]
        )
    kind: Any = "none" if not marked.pun else "same" if marked.same else "other"
    return PunText(
        marked.text, kind, readings, values, right, place, measured.words, measured.supports, named, fold,
        sort=marked.sort, learned=learned, ranked=marked.sort != _NO_JOKE,
    )  # fmt: skip


def measure(model: Path, sha256: str, texts: Sequence[str], cache: Path) -> tuple[dict[str, Measured], Any]:
    """Return the measurements of each text that was read, with the mean state and mean row used for them."""
    editor = EditorHeads.find(sha256, MODELS / "editor")
    if editor is None:
        raise SystemExit("fit the editor's heads first")
    place = cache / f"wordplay-{sha256[:16]}-{editor.mark}.pickle"  # our own file: never one from elsewhere
    found: dict[str, Measured] = {}
    means: Any = None
    if place.is_file():
        found, means = pickle.loads(place.read_bytes())
    missing = [text for text in texts if text not in found]
    scans = kept(cache) if missing else {}
    missing = [text for text in missing if text in scans]
    if not missing:
        return found, means
    engine = load_engine(model, sha256=sha256, threads=1)
    try:
        if means is None:
            states = [scans[text].states[1:] for text in missing[:_USUAL]]
            common = engine.output_rows([f" {word}" for word in sounds().words[:8000]])
            usual = np.concatenate(states).astype(np.float32).mean(axis=0)
            means = usual, np.stack([each[0] for each in common]).mean(axis=0)
        measurer = Measurer(sounds(), engine.output_rows, *means)
        for number, text in enumerate(missing, start=1):
            scan = wide(scans[text])
            reading, _ = editor.found(scan.states, text, scan.spans, scan.logprobs)
            try:
                readings, words, supports = measurer.readings(text, scan)
            except ValueError:
                continue
            readings = replace(readings, values=readings.values.astype(np.float32))
            turn = (reading.turn.start, reading.turn.end) if reading.turn else None
            found[text] = Measured(readings, words, supports.astype(np.float32), turn, pun_odds(reading.kinds))
            if number % 500 == 0 or number == len(missing):
                print(f"measured {number} of {len(missing)}", flush=True)
                with atomic_writer(place) as stream:
                    pickle.dump((found, means), stream, protocol=4)
    finally:
        engine.close()
    return found, means


class ReadOn:
    """``fit_wordplay``'s ``behind``: reads the texts not read on before, and keeps the values beside the
    measurements."""

    def __init__(self, model: Path, sha256: str, texts: Sequence[PunText], cache: Path) -> None:
        self._place = cache / f"behind-{sha256[:16]}.pickle"
        self._kept: dict[Any, Any] = pickle.loads(self._place.read_bytes()) if self._place.is_file() else {}
        self._texts = texts
        self._spans = {text: scan.spans for text, scan in kept(cache).items()}
        self._engine = load_engine(model, sha256=sha256, threads=1)

    def __call__(self, number: int, scores: Any) -> Any:
        text, readings = self._texts[number].text, self._texts[number].readings
        found = np.zeros((len(readings.seconds), len(BEHIND)))
        if not (numbers := likeliest(readings, scores)):
            return found
        key = text, *((*readings.taken[each], readings.seconds[each]) for each in numbers)
        if key not in self._kept:
            spans = [(int(first), int(last)) for first, last in self._spans[text]]
            self._kept[key] = read_behind(text, spans, readings, numbers, self._engine.choose)[numbers]
            if len(self._kept) % 500 == 0:
                self._save()
        found[numbers] = self._kept[key]
        return found

    def close(self) -> None:
        self._engine.close()
        self._save()

    def _save(self) -> None:
        print(f"read on behind words of {len(self._kept)} texts", flush=True)
        with atomic_writer(self._place) as stream:
            pickle.dump(self._kept, stream, protocol=4)


def figures(texts: Sequence[PunText], fitted: FittedWordplay) -> dict[str, Any]:
    """Figures out of fold. Texts that weren't trained on are scored by the maps of all folds but their own."""
    strength = np.array([softmax(scores)[1] for scores in fitted.scores])
    sorts = np.array([each.sort for each in texts])
    kinds = np.array([each.kind for each in texts])
    best = [int(scores.argmax()) for scores in fitted.scores]
    said: dict[int, Any] = {}
    supported = {number: (p, right) for number, p, right in fitted.supported}
    for each in fitted.said:
        least = fitted.meta["sense" if each.same else "sound"]
        if each.p >= least and (each.text not in said or each.p > said[each.text].p):
            said[each.text] = each
    found: dict[str, Any] = {}
    for sort in dict.fromkeys(sorts.tolist()):
        mine = np.flatnonzero(sorts == sort).tolist()
        row: dict[str, Any] = {"texts": len(mine)}
        for kind in ("other", "same"):
            own = [n for n in mine if kinds[n] == kind]
            if not own:
                continue
            spoken = [said[n] for n in own if n in said]
            row[kind] = {
                "texts": len(own),
                "word found": share(texts[n].place[best[n]] for n in own),
                "right one among the readings": share(texts[n].right.any() for n in own),
                "said": share(n in said for n in own),
                "right where said": share(each.right for each in spoken),
            }
            if kind == "other":
                row[kind]["first of all other words"] = share(
                    _first(texts[n], fitted.scores[n], 1, known=False) for n in own
                )
                row[kind]["first, the word known"] = share(_first(texts[n], fitted.scores[n], 1) for n in own)
                row[kind]["among three, the word known"] = share(_first(texts[n], fitted.scores[n], 3) for n in own)
            else:
                two = [supported[n] for n in own if n in supported]
                sure = [right for p, right in two if p >= fitted.meta["support"]]
                row[kind]["supports stated"] = round(len(sure) / len(own), 3)
                row[kind]["supports right, of two"] = share(right / 2 for right in sure)
        if (kinds[mine] != "none").all():
            inside = [texts[n].place & (texts[n].values[:, _IN_TURN] > 0) for n in mine]
            row["marked"] = share(
                own.any() or (n in said and bool(texts[n].place[said[n].number]))
                for n, own in zip(mine, inside, strict=True)
            )
        if (kinds[mine] == "none").all():
            row["said"] = share(n in said for n in mine)
        found[sort] = row
    puns, none = sorts == "pun", sorts == "no pun"
    found["said so that so many are right"] = {
        kind: {str(least): _said_from(texts, fitted, kind == "same", least) for least in _RIGHT}
        for kind in ("other", "same")
    }
    found["AUC"] = {
        "puns against no puns": _auc(strength, puns, none),
        "same word": _auc(strength, puns & (kinds == "same"), none),
        "families' bests against plain and flat": _auc(
            strength, sorts == "family best", np.isin(sorts, [f"family {each}" for each in _PLAIN])
        ),
    }
    for sort in dict.fromkeys(sorts.tolist()):
        if sort.startswith("broken "):
            found["AUC"][sort] = _auc(strength, sorts == "whole", sorts == sort)
        elif sort.startswith("pattern "):
            found["AUC"][sort] = _auc(strength, sorts == sort, sorts == "no " + sort)
    broken = [value for name, value in found["AUC"].items() if name.startswith("broken ")]
    found["AUC"]["broken, mean"] = round(float(np.mean(broken)), 3) if broken else None
    return found


def _said_from(texts: Sequence[PunText], fitted: FittedWordplay, same: bool, least: float) -> list[float | None]:
    """For puns.csv, at the least probability at which a share ``least`` of the answers is right: the share of puns of
    one kind with an answer, and the share of these answers that is right. For another sense of the same word, its two
    words are answered, too."""
    two = {number: (p, right / 2) for number, p, right in fitted.supported}
    kind = "same" if same else "other"
    puns = sum(each.sort == "pun" and each.kind == kind for each in texts)
    stated = []
    for each in fitted.said:
        if each.same == same and texts[each.text].sort in ("pun", "no pun"):
            p, right = two.get(each.text, (0.0, 0.0)) if same else (1.0, 1.0)
            if p or not same or texts[each.text].kind != "same":
                stated.append((each.p * (p or 1.0), right * each.right))
    from_on = least_right(stated, least)
    kept = [right for p, right in stated if p >= from_on]
    return [round(len(kept) / puns, 3) if kept else 0.0, share(kept)]


def share(hits: Any) -> float | None:
    values = [float(hit) for hit in hits]
    return round(float(np.mean(values)), 3) if values else None


def _first(text: PunText, scores: Any, most: int, *, known: bool = True) -> bool:
    """Whether the right word is among the ``most`` likeliest other words."""
    other = np.array([link != "sense" for link in text.readings.links])
    allowed = other & text.place if known else other
    order = np.argsort(-np.where(allowed, scores, -np.inf))[:most]
    return bool(text.right[order].any())


def _auc(strength: Any, above: Any, below: Any) -> float | None:
    used = above | below
    found = auc(strength[used], above[used]) if above.any() and below.any() else None
    return None if found is None else round(found, 3)


def main() -> None:
    given = arguments(__doc__).parse_args()
    sha256 = sha256_of(given.model)
    texts = marked_texts(given.contrasts)
    if given.read:
        known = kept(given.cache)
        read(given.model, sha256, given.cache, [each.text for each in texts if each.text not in known])
    measured, means = measure(given.model, sha256, [each.text for each in texts], given.cache)
    items = [
        pun_text(each, measured[each.text], fold_of(each), learned=not each.sort.startswith(_MEASURED))
        for each in texts
        if each.text in measured and (each.sort != _NO_JOKE or may_be_pun(measured[each.text].pun))
    ]
    behind = ReadOn(given.model, sha256, items, given.cache)
    fitted = fit_wordplay(items, behind)
    found = figures(items, fitted)
    unseen = [replace(item, fold=_form_of(item) if _form_of(item) >= 0 else item.fold) for item in items]
    apart = figures(unseen, fit_wordplay(unseen, behind))
    behind.close()
    found["forms left out"] = {
        "AUC": {name: value for name, value in apart["AUC"].items() if name.startswith("pattern")},
        "marked": {sort: row["marked"] for sort, row in apart.items() if sort.startswith("pattern")},
    }
    print(json.dumps({"thresholds": fitted.meta, **found}, indent=1))
    if given.write:
        write(given.write, sha256, fitted, means, found, collections.Counter(each.sort for each in items))


def fold_of(marked: Marked) -> int:
    return zlib.crc32(marked.group.encode()) % FOLDS


def _form_of(item: PunText) -> int:
    """The number of a text's stock form, -1 for none."""
    for number, pattern in enumerate(_FORMS):
        if item.sort.endswith(" " + pattern) or _is_form_of(pattern, item.text):
            return number
    return -1


def _is_form_of(pattern: str, text: str) -> bool:
    start = {"daughter": "she was only", "doctor": "doctor, doctor", "never_die": "old "}[pattern]
    return text.lower().startswith(start) and (pattern != "never_die" or "never die" in text.lower())


def write(folder: Path, sha256: str, fitted: FittedWordplay, means: Any, found: dict[str, Any], texts: Any) -> None:
    """Write the head and its card."""
    editor = EditorHeads.find(sha256, MODELS / "editor")
    assert editor is not None
    meta = {"format": 1, "model_sha256": sha256, "editor": editor.mark, **fitted.meta}
    place = folder / "wordplay"
    place.mkdir(exist_ok=True)
    with atomic_writer(place / f"{sha256[:16]}.npz") as stream:
        WordplayHead.write(stream, meta, {**fitted.arrays, "usual": means[0], "mean_row": means[1]})
    card = {
        "model_sha256": sha256,
        "learned_from": "puns.csv, pun_patterns.csv, the whole texts of broken_puns.csv (SemEval-2017 task 7, CC BY-NC,"
        " with additions of PunEval and Pun Unintended, no terms stated); none of their texts is in these files",
        "texts": dict(texts),
        "figures": found,
    }
    with atomic_writer(place / f"{sha256[:16]}.json") as stream:
        stream.write((json.dumps(card, indent=1) + "\n").encode())


if __name__ == "__main__":
    main()
