"""Features of a text's letters, without a model: its length, marks, forms, and the semantic fields of its words;
features of its words for the turn and cuts; frequency of its phrases in other jokes.

They complement the hidden states: a question and its answer, a list or a dialogue are recognised more reliably by the
letters than by the states of a small model.
"""

from __future__ import annotations

import itertools
import math
import re
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from ..core.errors import ModelError, damaged
from ..core.lazily import np, npt
from ..core.paths import models_dir
from ..core.statistics import Vector
from .audience import WORD
from .files import DAMAGE, read_archive
from .words import compiled, forms, word_lists, words_named

_SENTENCE_END = re.compile(r"[.!?…][\"'”’)]*(?:\s+|$)|\n+")
_ENDING = frozenset(".?!")
_NAME_INSIDE = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]+")
_MARKS = "?!\",:;-(*.'"
_PLAIN = str.maketrans({"“": '"', "”": '"', "’": "'", "‘": "'", "—": "-", "–": "-"})


STOP_WORDS = words_named("stop")
"""Words of little meaning."""
_FIELDS = word_lists("field")
_FIELDS_OF = {word: [n for n, field in enumerate(_FIELDS) if word in field] for word in frozenset().union(*_FIELDS)}
"""The fields of each word."""
_PATTERNS = tuple(compiled(form, re.MULTILINE if form.startswith("(^|") else re.DOTALL) for _, form in forms("form"))
SURE_FORMS = {kind: compiled(form) for kind, form in forms("kind ")}
"""Kinds recognised by their form: if the pattern matches, the kind's probability is at least the share in which that
was right."""


def form(text: str) -> Vector:
    """Return the measures of ``text``: the same number for every text, all finite."""
    words = [word.lower().replace("’", "'") for word in WORD.findall(text)]
    count = max(1, len(words))
    measures = [math.log1p(len(text)), math.log1p(len(words)), math.log1p(text.count("\n"))]
    lengths = [len(WORD.findall(part)) for part in _SENTENCE_END.split(text) if part and WORD.search(part)] or [0]
    last, many = lengths[-1], len(lengths)
    measures += [math.log1p(many), sum(lengths) / many / 10, math.log1p(last), math.log1p(max(lengths)), last / count]
    measures += [float(many == 1), lengths[0] / count]
    plain = text.translate(_PLAIN)
    measures += [math.log1p(plain.count(mark)) for mark in _MARKS]
    measures += _letters(text, count)
    measures += _vocabulary(words, count)
    fields = Counter(itertools.chain.from_iterable(_FIELDS_OF.get(word, ()) for word in words))
    for field in range(len(_FIELDS)):
        measures += [float(fields[field] > 0), fields[field] / count]
    measures += [float(bool(pattern.search(text))) for pattern in _PATTERNS]
    return np.array(measures, dtype=np.float64)


def _letters(text: str, count: int) -> list[float]:
    letters = [character for character in text if character.isalpha()]
    capitals = sum(character.isupper() for character in letters) / max(1, len(letters))
    shouted = sum(word.isupper() and len(word) > 1 for word in WORD.findall(text)) / count
    names = len(_NAME_INSIDE.findall(text))
    measures = [capitals, float(capitals > 0.6), shouted, math.log1p(sum(c.isdigit() for c in text)), math.log1p(names)]
    measures += [names / count, float(text[-1:] in tuple(".!?\"”')")), float(text[:1].isupper())]
    return [*measures, float(bool(re.search(r"\bi\b", text))), float(bool(re.search(r"(^|[.!?] )[a-z]", text)))]


def _vocabulary(words: list[str], count: int) -> list[float]:
    content = [word for word in words if word not in STOP_WORDS and len(word) > 2]
    alike = sum(first[0] == second[0] for first, second in itertools.pairwise(content))
    measures = [sum(map(len, words)) / count, len(set(words)) / count, sum(w in STOP_WORDS for w in words) / count]
    measures += [float(len(words[-1])) if words else 0.0, float(max(map(len, words), default=0))]
    measures += [float(bool(words) and words[-1] in words[:-1]), sum(len(word) >= 8 for word in words) / count]
    return [*measures, alike / max(1, len(content) - 1), len({word[-3:] for word in content}) / max(1, len(content))]


# Word by word: the turn of a joke and the words that could be cut, from the states of each word.

Span = tuple[int, int]
Ints: TypeAlias = "npt.NDArray[np.int64]"

CLIP = 5.0
"""Standardised features are limited to this, so that no unusual word has an unlimited effect."""
MOST_WORDS_SHOWN = 3
PLACES = 24
"""Number of measures of a word's place."""
_CROSSED = (0, 1, 5, 6, 8)
"""Columns of ``places`` that are multiplied with the leading axes of a word's states."""
_LEADING = 24
STOPS = 8
ENDS_SENTENCE = 10
"""Columns of ``places``: whether it is a word like *the* (``STOPS``), and whether a sentence ends after it."""
WINDOW = 17
"""Number of measures of a run of words."""


def words_of(text: str) -> list[Span]:
    """Return the first character of each word and the one after its last."""
    return [match.span() for match in WORD.finditer(text)]


def word_states(states: npt.NDArray[np.floating], spans: Sequence[Span], words: Sequence[Span]) -> Vector:
    """Return (words, size): the mean of the states of each word's tokens. ``spans``: of the tokens, the last ones of
    ``states`` (those before them are the model's opening)."""
    lead = max(0, len(states) - len(spans))
    means = np.zeros((len(words), states.shape[1]))
    own, begins, tokens = tokens_of(tuple(spans[: len(states) - lead]), tuple(words))
    if len(own):
        sums = np.add.reduceat(states[lead + tokens].astype(np.float64), begins, axis=0)
        means[own] = sums / np.diff(begins, append=len(tokens))[:, None]
    return means


@lru_cache(4)
def tokens_of(spans: tuple[Span, ...], words: tuple[Span, ...]) -> tuple[Ints, Ints, Ints]:
    """Return the words that share characters with tokens, the place where the tokens of each begin, and the tokens, all
    by their indices. ``spans``: of the tokens."""
    starts, ends = np.array(spans, np.int64).reshape(-1, 2).T
    first, after = np.array(words, np.int64).reshape(-1, 2, 1).transpose(1, 0, 2)
    of, tokens = np.nonzero((starts < after) & (ends > first))
    begins = np.flatnonzero(np.diff(of, prepend=-1))
    return of[begins], begins, tokens


def places(text: str, words: Sequence[Span]) -> Vector:
    """Return (words, PLACES): measures of each word's position and its context."""
    plain = [text[start:end].lower().replace("’", "'") for start, end in words]
    count = len(words)
    first: dict[str, int] = {}
    last: dict[str, int] = {}
    for number, word in enumerate(plain):
        first.setdefault(word, number)
        last[word] = number
    question, asked, broken = text.rfind("?"), text.find("?"), text.rfind("\n")
    logs: list[float] = np.log1p(np.arange(count + 1)).tolist()
    measures: list[tuple[float, ...]] = []
    for number, (start, end) in enumerate(words):
        left = count - 1 - number
        word, after, before = plain[number], text[end : end + 3], text[max(0, start - 1) : start]
        measures.append(
            (
                left == 0, left == 1, left == 2, left == 3, 4 <= left < 7, logs[left], number / count,
                logs[number], word in STOP_WORDS, len(word) / 8, not _ENDING.isdisjoint(after),
                after[:1] == ",", text[start].isupper(),
                before != "" and before in "\"'“”‘’", '"' in after or "”" in after,
                first[word] < number, last[word] > number, any(map(str.isdigit, word)),
                broken >= end, question >= end, 0 <= asked < start, logs[count], number == 0, "-" in after,
            )
        )  # fmt: skip
    return np.array(measures, dtype=np.float64).reshape(count, PLACES)


@dataclass(frozen=True, eq=False)
class WordHead:
    """Linear maps from a word's states and place to scores: in the turn, could be cut and, with a turn head, the turn's
    first, last and only word. ``centre``, ``scale`` (size,), ``axes`` (size, k), ``place_centre``, ``place_scale``
    (PLACES,), ``weights`` (features, 2 or 5), ``bias`` (2,) or (5,)."""

    centre: Vector
    scale: Vector
    axes: Vector
    place_centre: Vector
    place_scale: Vector
    weights: Vector
    bias: Vector

    def scores(self, states: npt.NDArray[np.floating], where: Vector) -> Vector:
        """Return the scores (words, 2 or 5), about 0…1."""
        return np.asarray(self.features(states, where) @ self.weights + self.bias)

    def features(self, states: npt.NDArray[np.floating], where: Vector) -> Vector:
        """Return (words, 4·k + PLACES + crossed): features of the word, the next and the previous one, and its
        difference from the text's mean."""
        axes = np.clip((states - self.centre) / self.scale, -CLIP, CLIP) @ self.axes
        place = np.clip((where - self.place_centre) / self.place_scale, -CLIP, CLIP)
        zero = np.zeros((1, axes.shape[1]))
        following, before = np.vstack([axes[1:], zero]), np.vstack([zero, axes[:-1]])
        leading = axes[:, :_LEADING]
        crossed = [0.7 * leading * place[:, [column]] for column in _CROSSED]
        return np.hstack([axes, following, 0.7 * before, axes - axes.mean(axis=0), 2.0 * place, *crossed])


def word_features(axes: int) -> int:
    """Return the number of columns of ``WordHead.features`` for so many axes."""
    return 4 * axes + PLACES + len(_CROSSED) * min(axes, _LEADING)


def best_window(scores: Vector, where: Vector, arrays: Mapping[str, Vector]) -> tuple[Span, float]:
    """Return the run of up to MOST_WORDS_SHOWN words within a sentence (first, after the last) that is likeliest to be
    the turn, and its log-odds. ``scores`` (words,): of the turn, of at least one word; ``arrays``: ``window_…`` of the
    heads' file."""
    count = len(scores)
    ends = where[:, ENDS_SENTENCE] > 0
    runs = [
        (a, a + size)
        for size in range(1, min(MOST_WORDS_SHOWN, count) + 1)
        for a in range(count - size + 1)
        if not ends[a : a + size - 1].any()
    ]
    top, total = float(scores.max()), max(float(np.abs(scores).sum()), 1e-9)
    measures = np.zeros((len(runs), WINDOW))
    for row, (a, b) in zip(measures, runs, strict=True):
        inside, size, left = scores[a:b], b - a, count - b
        total_inside, most = float(inside.sum()), float(inside.max())
        own: list[float] = [total_inside, most, float(inside.min()), total_inside / total]
        own += [scores[a - 1] if a else 0.0, scores[b] if b < count else 0.0, most - top, size == 2, size == 3]
        own += [left == 0, np.log1p(left), where[a, 8], where[b - 1, 8], where[b - 1, 10]]
        own += [bool(where[a : b - 1, 11].any()), total_inside * (size - 2), most * (size - 2)]
        row[:] = own
    *weights, bias = arrays["window_weights"]
    standard = np.clip((measures - arrays["window_centre"]) / arrays["window_scale"], -CLIP, CLIP)
    odds = standard @ np.array(weights) + float(bias)
    place = int(odds.argmax())
    return runs[place], float(odds[place])


def turn_stats(scores: Vector) -> Vector:
    """Return (6,): measures of the turn's certainty and position, from the scores (words,)."""
    count = len(scores)
    share = turn_shares(scores)
    middle = float(share @ np.arange(count))
    left = count - 1 - int(scores.argmax())
    spread = -float(share @ np.log(share + 1e-12))
    return np.array([scores.max(), left, np.log1p(left), middle / count, np.log1p(count - 1 - middle), spread])


def turn_shares(scores: Vector) -> Vector:
    """Return the scores as shares of the turn, each > 0, summing to 1."""
    raised = np.clip(scores, 0.001, 1.0) ** 1.5
    return np.asarray(raised / raised.sum())


# The frequency of a text's phrases in other jokes, which shows stock forms and set phrases without a model.
# models/phrases.npz holds phrases of two to four words that occur in more than one of some 17,000 jokes that weren't
# read with the rubric, as hashes with counts; no text can be recovered from it (models/training/phrases.py makes it).

SIZES = (2, 3, 4)
MOST = 255
"""Largest stored count of a phrase."""
MEASURES = 3 + 5 * (len(SIZES) - 1)
_OFTEN = 3
_LAST = 3
_WORD = re.compile(r"[a-z0-9']+")
_MOST_BYTES = 10**7


def phrase_hashes(text: str, size: int) -> npt.NDArray[np.uint32]:
    """Return (phrases,): CRC-32 of every ``size`` consecutive words."""
    words = _WORD.findall(text.lower().replace("’", "'"))
    runs = [" ".join(words[at : at + size]) for at in range(len(words) - size + 1)]
    return np.array([zlib.crc32(phrase.encode()) for phrase in runs], dtype=np.uint32)


class Phrases:
    """The table of phrases. ``hashes`` (n,) in order, ``counts`` (n,) 2…MOST: number of jokes with each; ``mark``
    identifies the table."""

    def __init__(self, hashes: npt.NDArray[np.uint32], counts: npt.NDArray[np.uint8]) -> None:
        if hashes.dtype != np.uint32 or counts.dtype != np.uint8 or hashes.shape != counts.shape or hashes.ndim != 1:
            raise ValueError("it holds no phrases")
        if not (hashes[1:] > hashes[:-1]).all():
            raise ValueError("its phrases aren't in order")
        self.hashes, self.counts = hashes, counts
        self.mark = f"{zlib.crc32(counts.tobytes(), zlib.crc32(hashes.tobytes())):08x}"

    def measures(self, text: str) -> Vector:
        """Return (MEASURES,): for each number of words the shares of the text's phrases that occur in other jokes and
        in more than a few, and the mean log count; for longer phrases also the number that occur, and the mean log
        count of the last ones."""
        measures: list[float] = []
        for size in SIZES:
            counts = self._counts(phrase_hashes(text, size))
            measures += [float((counts > 0).mean()), float((counts > _OFTEN).mean()), float(np.log1p(counts).mean())]
            if size > SIZES[0]:
                measures += [float(np.log1p((counts > 0).sum())), float(np.log1p(counts[-_LAST:]).mean())]
        return np.array(measures)

    def _counts(self, hashes: npt.NDArray[np.uint32]) -> Vector:
        """Return the counts (phrases,), a single 0 without phrases."""
        if not len(hashes) or not len(self.hashes):
            return np.zeros(max(1, len(hashes)))
        places = np.minimum(np.searchsorted(self.hashes, hashes), len(self.hashes) - 1)
        return np.where(self.hashes[places] == hashes, self.counts[places], 0).astype(np.float64)


@lru_cache(1)
def phrases() -> Phrases:
    """Return the shipped table. Raises ``ModelError`` ``E_FILE_DAMAGED``."""
    path = models_dir() / "phrases.npz"
    try:
        return Phrases(**read_archive(path, _MOST_BYTES)[1])
    except DAMAGE as error:
        raise damaged(path, error, "verdicts come without the editor's note") from error


def must_be_today(mark: str, file: str) -> None:
    """Check that the heads in ``file`` were trained with the shipped table, by its ``mark``. Raises ``ModelError``
    ``E_EDITOR_OLD`` or ``E_FILE_DAMAGED``."""
    if mark != phrases().mark:
        raise ModelError(
            "E_EDITOR_OLD",
            f"The editor's heads {file} learned with another table of phrases than this program has.",
            "Write `jokejudge models fit --editor` to teach the model anew, or install the program again; verdicts "
            "come without the editor's note until then.",
        )
