"""Features of a text's words and of the words that each may stand for: similarity of sound, likelihood of either in the
text as it was read, position and frequency.

The product of a word's row of the model's output matrix and a state is the word's logit there, so no second reading is
needed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Literal

import numpy as np
import numpy.typing as npt

from ..core.statistics import Vector
from ..engine.base import FloatArray, Scan
from .features import STOP_WORDS
from .sounds import LONGEST, Near, Phones, Sounds, vowels_of
from .words import stem

Ints = npt.NDArray[np.int64]
Link = Literal["sound", "part", "phrase", "sense"]
Rows = Callable[[Sequence[str]], tuple[FloatArray, Ints]]
"""``Engine.output_rows``."""
MOST_PLACES = 14
"""Number of content words of a text that are tried, the last ones."""
_MOST_NEAR, _MOST_INSIDE, _MOST_JOINED, _MOST_BEGUN = 70, 14, 6, 4
_COST_OF_LETTERS = 0.5
"""Cost of a word with which the written one begins by its letters alone: iron in ironically."""
_KEPT = 1 << 11
"""Number of words whose other words are kept, as words recur from text to text."""
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*(?:-[^\W\d_]+(?:['’][^\W\d_]+)*)*")
_INFLECTIONS = ("s", "es", "ed", "d", "ing", "ies", "ied", "n", "en", "er", "ers", "est", "'s")
_DOUBLED = re.compile(r"(.)\1")
_SHORTENED = re.compile("'(?:t|d|s|m|ll|re|ve)$")
_SPELLINGS = tuple(
    (re.compile(british), american)
    for british, american in (
        ("^(practi|licen|defen|offen|preten)s(?=e|ing$)", r"\1c"),
        ("(?<=[aeiouy])([b-df-hj-np-tv-z]{1,3})our", r"\1or"), ("is(?=(?:e|ed|es|er|ers|ing|ation)$)", "iz"),
        ("gement", "gment"), ("(?<=[bt])re$", "er"), ("ll(?=(?:ed|ing|er|ers)$)", "l"),
        ("(?<=[lnpm])t$", "ed"), ("ogue", "og"), ("^whisk(?:ey|ie)(?=s?$)", "whisky"), ("^grey", "gray"),
        ("^doughnut", "donut"), ("^plough", "plow"), ("^moustach", "mustach"), ("^pyjama", "pajama"),
        ("^cos(?=(?:y|ier|iest|ily)$)", "coz"), ("^jewellery$", "jewelry"), ("^yoghurt", "yogurt"),
        ("^ageing$", "aging"), ("^disc(?=s?$)", "disk"), ("^programme(?=s?$)", "program"),
        ("^(aunt|nann|hank|night|dogg|dadd|mumm|momm)ie$", r"\1y"),
    )
)  # fmt: skip
_BRITISH = re.compile("|".join(f"(?:{british.pattern})" for british, _ in _SPELLINGS))
_TINY = 1e-6
FEATURES = (
    "same", "inside", "begins", "joined", "cost", "cost for its length", "sounds the same", "first phone",
    "last phone", "vowels", "phones", "common", "rarer", "function word", "pieces", "in its place",
    "beside the word", "topic", "topic beside the word", "most anywhere", "before it", "nearest word",
    "two nearest words", "nearest beside the word", "stands in the text", "from the end", "last word",
    "last sentence", "surprise", "least surprise", "rank of surprise", "capital", "quoted", "own topic",
    "own nearest", "own two nearest", "known word", "own length", "said before", "same common", "same surprise",
    "same topic", "same nearest", "same from the end", "inside adverb", "cost surprise", "cost topic",
    "expected",
)  # fmt: skip
"""Features of each reading."""
HINTS = ("in the turn", "end of the turn", "same in the turn", "a pun", "same in a pun", "inside in a pun")
"""Features from the editor's heads: whether the word is in the turn, and whether the text is a pun."""


@dataclass(frozen=True)
class Place:
    """A word of the text: its characters, its first token and the one after its last."""

    start: int
    end: int
    text: str
    first: int
    after: int

    @cached_property
    def plain(self) -> str:
        return self.text.lower().replace("’", "'")


@dataclass(frozen=True, eq=False)
class Readings:
    """All readings of one text. ``places``: the words that are tried; ``of``: index of each reading's word;
    ``seconds``: the other word of each reading, or the same word; ``links``; ``taken``: the characters that the other
    word replaces; ``values`` (readings, FEATURES)."""

    places: tuple[Place, ...]
    of: Ints
    seconds: tuple[str, ...]
    links: tuple[Link, ...]
    taken: tuple[tuple[int, int], ...]
    values: Vector


def places_of(text: str, spans: Sequence[tuple[int, int]]) -> tuple[Place, ...]:
    """Return all words of a text with their tokens."""
    places = []
    token = 0
    for match in _WORD.finditer(text):
        while token < len(spans) and spans[token][1] <= match.start():
            token += 1
        after = token
        while after < len(spans) and spans[after][0] < match.end():
            after += 1
        if token < after:
            places.append(Place(match.start(), match.end(), match[0], token, after))
    return tuple(places)


@lru_cache(1 << 14)
def is_inflection(word: str, other: str) -> bool:
    """Whether one of the two is an inflection of the other: rumors of rumor."""
    short, long = (word, other) if len(word) <= len(other) else (other, word)
    if not long.startswith(short[:-1]):
        return False
    bare = short[:-1] if short[-1] in "ey" else short
    return any(long in (short + end, bare + end, short + short[-1] + end) for end in _INFLECTIONS)


@lru_cache(1 << 14)
def _spelled(word: str) -> str:
    """Return what spellings of a word share."""
    word = re.sub("[ '’-]", "", word)
    for british, american in _SPELLINGS if _BRITISH.search(word) else ():
        word = british.sub(american, word)
    return word


def hinted(readings: Readings, turn: tuple[int, int] | None, pun: float) -> Vector:
    """Return (readings, FEATURES + HINTS). ``turn``: its characters; ``pun``: log-odds that the text is a pun, by
    kind."""
    first, last = turn or (0, 0)
    within = np.array([first < place.end and place.start < last for place in readings.places], np.float64)[readings.of]
    ends = np.array([place.start < last <= place.end + 2 for place in readings.places], np.float64)[readings.of]
    same = np.array([link == "sense" for link in readings.links], np.float64)
    inside = np.array([link == "part" for link in readings.links], np.float64)
    kind = np.full(len(within), float(np.clip(pun, -4.0, 4.0)) / 2.0)
    added = (within, ends, same * within, kind, same * kind, inside * kind)
    return np.hstack([readings.values, np.stack(added, axis=1)])


# -- The other words that a word may stand for.


@dataclass(frozen=True, eq=False)
class _Others:
    """Words by their index in the table of sounds, −1 for the written word itself; ``sounds`` (words, 7): cost, cost
    for its length, first phone, last phone, vowels, phones, joined; ``link``, ``taken``: see ``Readings``."""

    places: list[int]
    sounds: FloatArray
    link: Link
    taken: tuple[int, int] = (0, 0)


def _chosen(
    table: Sounds, near: Near, most: int, link: Link, phones: Phones, own: Sequence[str], capital: bool, seen: set[str]
) -> _Others:
    """Return the ``most`` best words of ``near``, which sound like ``phones``, and add them to ``seen``. ``own``: the
    written words; ``capital``: they may be a name."""
    nearest, its_costs = near
    order = its_costs - 0.08 * table.commonness[nearest]
    if link == "part":
        order = order - 0.25 * table.lengths[nearest]
    written, places, costs = "".join(own), nearest.tolist(), its_costs.tolist()
    numbers: list[int] = []
    for number in np.argsort(order, kind="stable").tolist():
        second = table.words[places[number]]
        if (
            second in seen
            or len(second) < 2
            or second in own
            or (costs[number] >= 0.05 and any(is_inflection(second, p) for p in own))
        ):
            continue
        # Humor and humour, make-up and makeup; Denis and Dennis, whose names differ only in doubled letters.
        if written[:1] == second[:1] and _spelled(written) == _spelled(second):
            continue
        if capital and _DOUBLED.sub(r"\1", written) == _DOUBLED.sub(r"\1", second):
            continue
        if link == "part" and (second in STOP_WORDS or is_inflection(own[0], second)):
            continue
        seen.add(second)
        numbers.append(number)
        if len(numbers) == most:
            break
    rows, cost = nearest[numbers], its_costs[numbers].astype(np.float64)
    codes, lengths = table.codes[rows], table.lengths[rows]
    alike = table.vowels[rows] == vowels_of(np.array([phones], np.uint8))
    last = codes[np.arange(len(rows)), lengths - 1]
    joined = np.full(len(rows), len(own) > 1)
    sounds = cost, cost / lengths, codes[:, 0] == phones[0], last == phones[-1], alike, lengths, joined
    return _Others(rows.tolist(), np.stack(sounds, axis=1).astype(np.float32), link)


@lru_cache(_KEPT)
def _others(table: Sounds, word: str, capital: bool) -> tuple[_Others, ...]:
    """Return the other words that a word by itself may stand for."""
    whole = word.replace("-", "")
    phones = table.phones(whole)[: 2 * LONGEST]
    tries: list[tuple[Near, int, Link, Phones]] = [
        (table.near(phones, 0.4 + 0.26 * len(phones)), _MOST_NEAR, "sound", phones)
    ]
    if len(phones) > 4 and whole.endswith("ly"):
        tries.append((table.near(phones[:-2], 0.9), _MOST_JOINED, "part", phones[:-2]))
    tries.append((table.inside(phones, 0.5), _MOST_INSIDE, "part", phones))
    begun = [whole[:size] + end for size in range(3, len(whole) - 1) for end in ("", "e")]
    places = np.array([table.place[word_begun] for word_begun in begun if word_begun in table.place], np.int64)
    tries.append(((places, np.full(len(places), _COST_OF_LETTERS, np.float32)), _MOST_BEGUN, "part", phones))
    seen = {word, whole}
    some = (one for one in tries if len(one[0][0]))
    return tuple(_chosen(table, near, most, link, spoken, [whole], capital, seen) for near, most, link, spoken in some)


def _others_there(table: Sounds, place: Place, words: Sequence[Place]) -> Iterator[_Others]:
    """Yield the word itself, and the other words that it may stand for, by itself or together with a neighbour."""
    own, capital = (place.start, place.end), place.text[0].isupper()
    whole = place.plain.replace("-", "")
    phones = table.phones(whole)[: 2 * LONGEST]
    yield _Others([-1], np.array([[0, 0, 1, 1, 1, len(phones), 0]], np.float32), "sense", own)
    if not phones:
        return
    seen = {place.plain, whole}
    for others in _others(table, place.plain, capital):
        seen.update(table.words[row] for row in others.places)
        yield replace(others, taken=own)
    number = words.index(place)
    before = words[number - 1] if number else None
    after = words[number + 1] if number + 1 < len(words) else None
    joined = []
    if after is not None and after.start - place.end <= 1:
        joined.append((after.plain, (*phones, *table.phones(after.plain)), (place.start, after.end)))
    if before is not None and before.plain in STOP_WORDS and place.start - before.end <= 1:
        joined.append((before.plain, (*table.phones(before.plain), *phones), (before.start, place.end)))
    for other, both, taken in joined:
        if len((near := table.near(both, 0.22 * len(both)))[0]):
            others = _chosen(table, near, _MOST_JOINED, "sound", both, [whole, other], capital, seen)
            yield replace(others, taken=taken)


def readings_of(text: str, scan: Scan, table: Sounds, rows: Rows, usual: Vector, mean_row: Vector) -> Readings:
    """Return the readings of a text that the model has read as ``scan``. ``usual``: the mean state of a token,
    ``mean_row``: the mean row of a word. Raises ``ValueError`` without a word to try or with other tokens than were
    read."""
    words = places_of(text, scan.spans)
    tried = tuple(word for word in words if is_content(word))[-MOST_PLACES:]
    if not tried:
        raise ValueError("there is no word to try")
    own_rows = rows([text])[0].astype(np.float32)
    if len(own_rows) != len(scan.states):
        raise ValueError("the text has other tokens than were read")
    of, seconds, links, taken, sounds = [], list[str](), list[Link](), list[tuple[int, int]](), []
    for number, place in enumerate(tried):
        for others in _others_there(table, place, words):
            count = len(others.places)
            of += [number] * count
            seconds += [table.words[row] if row >= 0 else place.plain for row in others.places]
            links += [others.link] * count
            taken += [others.taken] * count
            sounds.append(others.sounds)
    places = np.array(of, np.int64)
    names = {name: number for number, name in enumerate(dict.fromkeys([*seconds, *(w.plain for w in words)]))}
    pieces, sizes = rows([f" {name}" for name in names])
    vectors = pieces[np.cumsum(sizes) - sizes].astype(np.float32)
    own = vectors - mean_row.astype(np.float32)
    own = np.asarray(own / (np.linalg.norm(own, axis=1, keepdims=True) + _TINY))
    known = np.array([table.place.get(name, -1) for name in names])
    common_of = np.where(known >= 0, table.commonness[known], np.float32(4.5))
    read = _TextRead(scan, words, tried, own_rows, usual.astype(np.float32))
    chosen = np.array([names[second] for second in seconds])
    mine = np.array([names[place.plain] for place in tried])
    second_rows = vectors[chosen]
    cost, by_length, first, last, vowels, phones, joined = np.concatenate(sounds).T
    same = np.array([link == "sense" for link in links], np.float32)
    inside = np.array([link == "part" for link in links], np.float32)
    begins = inside * np.array([tried[n].plain.startswith(second) for n, second in zip(of, seconds, strict=True)])
    common, own_common = common_of[chosen], common_of[mine]
    function = np.array([name in STOP_WORDS for name in names], np.float32)[chosen]
    in_table = np.array([place.plain in table.place for place in tried], np.float32)
    in_place = read.in_place(second_rows, places)
    mine_in_place = read.in_place(vectors[mine], np.arange(len(tried)))
    topic, mine_topic = second_rows @ read.topic, vectors[mine] @ read.topic
    anywhere = (second_rows @ read.moved.T).max(axis=1)
    before = read.before(second_rows, places)
    content = [place for place in words if is_content(place)]
    at = np.array([content.index(place) for place in tried])
    stems = [stem(name) for name in names]
    number_of = {name: number for number, name in enumerate(stems)}
    kin = np.array([number_of[name] for name in stems])
    there = np.array([names[place.plain] for place in content])
    near, near_two = _nearest(own[chosen], own[there], at[places], kin[chosen][:, None] == kin[there])
    own_near, own_two = _nearest(own[mine], own[there], at, kin[mine][:, None] == kin[there])
    in_text = {stem(place.plain) for place in words}
    stands = (1 - same) * np.array([name in in_text for name in stems], np.float32)[chosen]
    adverb = np.array([place.plain.endswith("ly") for place in tried], np.float32)
    by_place = read.by_place(text, content)[places].T
    away, is_last, final, surprise, least, rank, capital, quoted, length, repeated = by_place
    zero = (cost < 0.01) * (1 - same)
    columns = (
        same, inside, begins, joined, cost, by_length, zero, first, last, vowels, phones / 5, common - 7,
        common - own_common[places], function, sizes.astype(np.float32)[chosen] - 1, in_place / 4,
        (in_place - mine_in_place[places]) / 4, topic, topic - mine_topic[places], anywhere / 4, before, near, near_two,
        near - own_near[places], stands, away, is_last, final, surprise, least, rank, capital, quoted,
        mine_topic[places], own_near[places], own_two[places], in_table[places], length, repeated,
        same * (own_common[places] - 7), same * surprise, same * mine_topic[places], same * own_two[places],
        same * away, inside * adverb[places], cost * surprise, cost * (topic - mine_topic[places]),
        (1 - same) * np.maximum(in_place - mine_in_place[places], 0) / 4,
    )  # fmt: skip
    values = np.stack(columns, axis=1).astype(np.float64)
    return Readings(tried, places, tuple(seconds), tuple(links), tuple(taken), values)


class _TextRead:
    """One text as it was read, in numbers. ``words``: all of them; ``tried``: those that may have a second meaning;
    ``rows``: of its own tokens in the output matrix."""

    def __init__(
        self, scan: Scan, words: tuple[Place, ...], tried: tuple[Place, ...], rows: FloatArray, usual: FloatArray
    ) -> None:
        self.words, self.tried = words, tried
        self.states, self.logprobs = scan.states.astype(np.float32), scan.logprobs.astype(np.float32)
        self.moved = self.states - usual
        self.topic = self.moved.mean(axis=0)
        # The log-normaliser of each place's softmax, computed from the token that actually follows.
        self.normaliser = np.zeros(len(self.states), np.float32)
        self.normaliser[:-1] = (self.states[:-1] * rows[1:]).sum(axis=1) - self.logprobs[1:]

    def in_place(self, rows: FloatArray, of: Ints) -> FloatArray:
        """Return the log-probability (nats) of each row's word in place of the word that it belongs to; −10 for the
        text's first word, where it is unknown."""
        first = np.array([place.first for place in self.tried])[of]
        before = np.maximum(first - 1, 0)
        chances = (rows * self.states[before]).sum(axis=1) - self.normaliser[before]
        return np.clip(np.where(first > 0, chances, -10.0), -25.0, 0.0)

    def before(self, rows: FloatArray, of: Ints) -> FloatArray:
        """Return how much the text before each word raises the logit of each row's word."""
        first = np.maximum(np.array([place.first for place in self.tried]), 1)
        means = np.cumsum(self.moved, axis=0)[first - 1] / first[:, None]
        return np.asarray((rows * means[of]).sum(axis=1))

    def by_place(self, text: str, content: Sequence[Place]) -> FloatArray:
        """Return (tried, 10): distance from the end, last word, last sentence, surprisal, the least likely token, rank
        of surprisal, capital within a sentence, quoted, length, said before."""
        words = self.words
        ends = [match.end() for match in re.finditer(r"[.!?…]+|\n", text)]
        sentences = [sum(end <= word.start for end in ends) for word in words]
        surprises = np.array([-self.logprobs[word.first : word.after].sum() for word in words], np.float32)
        order = np.argsort(
            np.argsort(surprises[[words.index(place) for place in content]], kind="stable"), kind="stable"
        )
        ranks = np.asarray(order / max(1, len(content) - 1), np.float32)
        measures = []
        for place in self.tried:
            number = words.index(place)
            inside = self.logprobs[place.first : place.after]
            before = text[place.start - 1 : place.start]
            repeated = any(stem(word.plain) == stem(place.plain) for word in words[:number])
            opens = number == 0 or sentences[number] != sentences[number - 1]
            measures.append(
                (
                    math.log1p(len(words) - 1 - number), float(place is content[-1]),
                    float(sentences[number] == sentences[-1]),
                    min(20.0, float(surprises[number])) / 8, max(-15.0, float(inside.min())) / 8,
                    float(ranks[content.index(place)]), float(place.text[0].isupper() and not opens),
                    float(before in ("'", '"', "“", "‘")), len(place.text) / 8, float(repeated),
                )
            )  # fmt: skip
        return np.array(measures, np.float32)


def is_content(word: Place) -> bool:
    """Whether a word has a meaning of its own."""
    return len(word.text) > 1 and word.plain not in STOP_WORDS and not _SHORTENED.search(word.plain)


def _nearest(
    rows: FloatArray, others: FloatArray, skipped: Ints, kin: npt.NDArray[np.bool_]
) -> tuple[FloatArray, FloatArray]:
    """Return the similarity of each row to the nearest of ``others``, and the mean of those to the two nearest, without
    the one at ``skipped`` and its ``kin``, (rows, others)."""
    alike = rows @ others.T
    alike[np.arange(len(rows)), skipped] = -1.0
    alike[kin] = -1.0
    order = np.sort(np.maximum(alike, 0.0), axis=1)
    nearest = order[:, -1]
    return nearest, nearest if order.shape[1] < 2 else (nearest + order[:, -2]) / 2
