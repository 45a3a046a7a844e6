"""Fits what stands behind a text, and which of two ends belongs to its beginning (models/endings.json), on texts that
the heads for sense weren't fitted on: edits.jsonl, families.jsonl, readings, drafts. Prints the shares that are right
out of fold by joke. One file for every model, fitted with the embedded one."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from data import HERE, MODELS, lines
from sense import drafts_held_out
from shipping import Array, Shipping, wide
from solvers import softmax_map

from jokejudge_gui.core.files import atomic_write
from jokejudge_gui.core.texts import clean_text
from jokejudge_gui.heads.audience import pool
from jokejudge_gui.heads.drafts import DraftHeads, DraftReading, differences, reading
from jokejudge_gui.heads.endings import by_itself, ends_of, gain, tail_features, tail_of
from jokejudge_gui.heads.near_duplicates import same_joke
from jokejudge_gui.heads.sense import SenseHeads, SenseReading
from jokejudge_gui.heads.sense_features import edit_of, end_of
from jokejudge_gui.learning.drafts_fit import load_drafts
from jokejudge_gui.learning.figures import FOLDS, out_of_fold
from jokejudge_gui.learning.ridge import likeliest
from jokejudge_gui.learning.sense_lesson import digest, load_sentences, stopped

KINDS = {"cut": 0.01, "explained": 0.985, "plain": 0.97, "tagged": 0.5}
"""What may stand behind a text, with the share of pairs in which the shorter one is the better version: as our own
texts have it, and a half for a further line that is a joke, too."""
EXPLAINS = (
    r"\b(get it|in other words|that is|that's because|the joke|funny|pun|play on|double meaning|meaning|means?"
    r"|sounds? like|as in|you see|because|since|so (?:he|she|it|they|i|the)|both|literally|instead|really|actually"
    r"|which is|usually|normally|ironic\w*|of course|turns? out|not only|two (?:ways|senses|meanings)|the point"
    r"|supposed to|expect\w*|taken? (?:for|as)|mistak\w*|refers?)\b"
)
_SPOKEN = (
    "Get it? {p}, {s}.", "“{P}” sounds like “{s}”, you see.", "The joke is that “{p}” also means {s}.", "(As in {s}.)",
    "It's a play on “{p}” and “{s}”.", "{P} is a pun on {s}.", "That's because {p} and {s} sound alike.",
    "You have to think of {s} here.", "{P} can be two things, and one has to do with {s}.", "In other words, {s}.",
    "Meaning {s}, of course, not only {p}.", "By {p} I mean the other kind, the {s} kind.",
)  # fmt: skip
_BEFORE = (
    "{}", "{}", "{}", "It's funny because {l}", "You see, {l}", "The joke is that {l}", "({})", "In other words, {l}",
)  # fmt: skip
_OWN = (
    ("cut", "torso", 3.0), ("plain", "plain", 3.0), ("tagged", "tagged", 6.0), ("end", "flat", 2.0),
    ("end", "killed", 2.0), ("end", "foreign", 3.0),
)  # fmt: skip
"""Sorts of our own pairs, the other text of each, and its weight: the few further lines that are jokes count most."""
_FAMILIES, _READINGS = 300, 240
_MOST_GAIN, _PRIOR = 4.0, 3.0


class Pair(NamedTuple):
    """Two versions; ``sort``: what the longer one has behind the shorter one, or ``end``; ``weight``: in training;
    ``drafts``: log-odds of the better one by draft heads that weren't fitted on it, which stand in for the heads for
    sense where those were."""

    joke: str
    sort: str
    better: str
    worse: str
    weight: float = 1.0
    drafts: float | None = None


def own(sentences: Sequence[str]) -> Iterator[Pair]:
    texts = lines(HERE / "edits.jsonl")
    for number, one in enumerate(texts):
        name, best, torso = one["id"], one["best"], one["torso"].rstrip()
        for sort, of, weight in _OWN:
            if of in one:
                yield Pair(name, sort, best, one[of], weight)
        yield Pair(name, "plain", best, f"{best} {sentences[-1 - number % len(sentences)]}", 2.0)
        for text in one["explained"]:
            yield Pair(name, "explained", best, text, 3.0)
        for away in () if "foreign" in one else (3, 11):
            other = texts[(number + away) % len(texts)]
            yield Pair(name, "end", best, torso + other["best"][len(other["torso"].rstrip()) :], 3.0)


def families(sentences: Sequence[str]) -> Iterator[Pair]:
    every = sorted(lines(HERE / "families.jsonl"), key=lambda one: digest(one["id"]))
    for number, one in enumerate(every[: _FAMILIES + 120]):
        name, best, pun = one["id"], one["best"], one.get("pun_word")
        second = (one.get("second") or "").split("|")[0]
        if number < _FAMILIES or (pun and second):
            yield Pair(name, "cut", best, one["torso"])
            yield Pair(name, "cut", best, stopped(one["torso"].rstrip(' ,;:-—–"“‘')))
        if number < _FAMILIES:
            yield Pair(name, "plain", best, f"{stopped(best)} {sentences[digest(best) % len(sentences)]}")
            yield Pair(name, "end", best, one["flat"][0] if number % 2 else one["wrong_end"][0])
        if number < _FAMILIES and number % 3 == 1:
            further = every[(number + 37) % _FAMILIES]["best"]
            yield Pair(name, "plain", best, f"{stopped(best)} {further}", 0.5)
        if pun and second:
            said = _SPOKEN[digest(name) % len(_SPOKEN)].format(p=pun, P=pun[:1].upper() + pun[1:], s=second)
            yield Pair(name, "explained", best, f"{stopped(best)} {said}")


def begun(joke: str, text: str) -> Iterator[Pair]:
    """Yield a text and its beginning without the last clause, broken off, and ended like a sentence; none where too
    little is left."""
    start = text[: end_of(text)].rstrip(' ,;:-—–"“‘')
    if len(start.split()) >= 4 and not text.lower().startswith("knock"):
        yield Pair(joke, "cut", text, start, 0.5)
        yield Pair(joke, "cut", text, stopped(start))


def read(sentences: Sequence[str]) -> Iterator[Pair]:
    rows = (MODELS / "readings" / "readings.jsonl").read_text("utf-8").splitlines()
    seen = {json.loads(line)["text"] for line in sorted(rows, key=digest)[:160]}  # the heads for sense had these
    every = {one["text"]: one for one in map(json.loads, rows)}
    jokes = [
        one for one in sorted(every.values(), key=lambda one: digest(json.dumps(one)))
        if one["joke"] and one["complete"] and one["text"] not in seen and 6 <= len(one["text"].split()) <= 60
        and len(one["works"].split()) > 4
    ]  # fmt: skip
    for number, one in enumerate(jokes[:_READINGS]):
        text, why = one["text"], one["works"].strip()
        said = _BEFORE[number % len(_BEFORE)].format(why, l=why[:1].lower() + why[1:])
        yield Pair(text, "explained", text, f"{stopped(text)} {said}")
        if number % 2:
            yield from begun(text, text)
        yield Pair(text, "plain", text, f"{stopped(text)} {sentences[digest(text) % len(sentences)]}")


def drafts(of: Shipping) -> Iterator[Pair]:
    jokes = load_drafts(of.drafts)
    odds = drafts_held_out(dict(of.reads.each([text for joke in jokes for text in joke.texts])))
    for joke in jokes:
        for text, fault in joke.worse:
            sort, name = {"explains": "explained", "tail": "plain"}.get(fault), f"{joke.best}\0{text}"
            if sort is not None and tail_of(joke.best, text) is not None:
                yield Pair(joke.id, sort, joke.best, text)
            elif edit_of(joke.best, text) in ("end", "word") and name in odds:
                yield Pair(joke.id, "end", joke.best, text, 0.4, odds[name])
        yield from begun(joke.id, joke.best)


def softmax_fit(x: Array, kind: Array, weight: Array) -> Array:
    """Return (kinds, features + 1): weights of a ridge softmax regression, the constant first."""
    return np.roll(softmax_map(x, kind, len(KINDS), weight, _PRIOR, 1e-2), 1, axis=1)


def softmax(scores: Array) -> Array:
    odds = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(odds / odds.sum(axis=1, keepdims=True))


def fit(of: Shipping) -> None:
    """Fit and measure, and write models/endings.json."""
    sentences = load_sentences(MODELS / "contrasts" / "families.jsonl")
    heads, head = SenseHeads.load(of.path("sense", "npz")), of.head
    by_drafts = DraftHeads.load(of.path("drafts", "npz"))
    pairs = [
        pair._replace(better=clean_text(pair.better), worse=clean_text(pair.worse))
        for pair in (*own(sentences), *families(sentences), *read(sentences), *drafts(of))
    ]
    every = list(dict.fromkeys(text for pair in pairs for text in (pair.better, pair.worse)))
    ends = [by_itself(end) for pair in pairs if pair.sort == "end" for end in ends_of(pair.better, pair.worse) or ()]
    scans = dict(of.reads.each([*every, *ends]))

    def sensed(text: str) -> SenseReading:
        scan = wide(scans[text])
        return heads.read(text, scan, head.joke_odds(pool(scan.states, text)) or 0.0)

    def drafted(text: str) -> DraftReading:
        return reading(text, wide(scans[text]))

    readings = {text: sensed(text) for text in every}
    tails, rows, of_ends, apart = list[Pair](), list[Array](), list[Pair](), list[list[float]]()
    for pair in pairs:
        one, other = readings[pair.better], readings[pair.worse]
        if pair.sort != "end":
            shorter, longer = (one, other) if pair.sort != "cut" else (other, one)
            if (tail := tail_of(shorter.row.text, longer.row.text)) is not None:
                tails.append(pair)
                rows.append(tail_features(shorter, longer, tail, EXPLAINS))
        elif (two := ends_of(pair.better, pair.worse)) is not None:
            odds = pair.drafts
            if odds is None:
                near = same_joke(pair.better, pair.worse)
                told = by_drafts.compare(drafted(pair.better), drafted(pair.worse)).log_odds_a if near else 0.0
                odds = heads.compare(one, other, told, lambda a, b: differences(drafted(a), drafted(b))).log_odds_a
            gains = [
                min(_MOST_GAIN, gain(scans[text], text, scans[by_itself(end)], end))
                for text, end in zip((pair.better, pair.worse), two, strict=True)
            ]
            of_ends.append(pair)
            apart.append([odds, float(one.scores[2] - other.scores[2]) / heads.funny_spread, gains[0] - gains[1]])
    x, kind = np.array(rows), np.array([list(KINDS).index(pair.sort) for pair in tails])
    centre, scale = x.mean(axis=0), x.std(axis=0) + 1e-9
    weight, better = np.array([pair.weight for pair in tails]), np.array(list(KINDS.values()))
    x = (x - centre) / scale

    def stated(use: Array, away: Array) -> Array:
        """(texts, 2): the probability that the shorter one is the better version, and the likeliest kind."""
        shares = softmax(np.column_stack([np.ones(len(away)), x[away]]) @ softmax_fit(x[use], kind[use], weight[use]).T)
        return np.column_stack([shares @ better, shares.argmax(axis=1)])

    d, count = np.array(apart), np.array([pair.weight for pair in of_ends])
    few = np.array([edit_of(pair.better, pair.worse) == "word" for pair in of_ends])
    d[few, 2] = 0.0  # of a few words the plainer ones are the likelier

    def ends_fit(use: Array) -> Array:
        """The weights where a few words differ, and where more do."""
        parts = [use[few[use] == some] for some in (True, False)]
        weights = (likeliest(d[at], np.ones(len(at)), np.full(3, 1.0), counts=count[at]) for at in parts)
        return np.array(list(weights))

    def folds(of_pairs: list[Pair]) -> Array:
        return np.array([zlib.crc32(pair.joke.encode()) % FOLDS for pair in of_pairs])

    p, top = out_of_fold(folds(tails), stated).T
    right, clear = (p > 0.5) == (kind != 0), kind != 3
    figures = {
        edit: round(float(right[clear & np.isin(top, numbers)].mean()), 3)
        for edit, numbers in (("cut", (0,)), ("explained", (1,)), ("tagged", (2, 3)))
    }
    odds_of_ends = out_of_fold(
        folds(of_ends), lambda use, away: (d[away] * ends_fit(use)[(~few[away]).astype(int)]).sum(1)
    )
    figures["end"] = round(float((odds_of_ends > 0).mean()), 3)
    print(f"right of all: {right[clear].mean():.3f}; {figures}")
    of_few, of_more = ends_fit(np.arange(len(d))).round(4).tolist()
    content = {
        "kinds": KINDS,
        "explains": EXPLAINS,
        "most_gain": _MOST_GAIN,
        "centre": centre.tolist(),
        "scale": scale.tolist(),
        "weights": dict(zip(KINDS, softmax_fit(x, kind, weight).round(4).tolist(), strict=True)),
        "end": of_more,
        "word": of_few[:2],
        "agreement": figures,
    }
    atomic_write(of.models / "endings.json", json.dumps(content, indent=1) + "\n")
