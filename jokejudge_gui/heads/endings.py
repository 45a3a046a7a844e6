"""Two versions that begin alike: what the longer one adds behind the other, and which of two ends belongs to its
beginning.

What stands behind a text is its punchline, where that was only a beginning, or else an explanation, a further line or a
plain sentence. The weights (models/endings.json) are of calibrated probabilities and of measures of the words, so they
hold for every model with heads for sense; models/training/endings.py fits them.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Sequence
from functools import cache
from itertools import takewhile

import numpy as np

from ..core.errors import damaged
from ..core.files import read_json
from ..core.paths import models_dir
from ..core.statistics import Vector, logit
from ..core.verdicts import Edit, Frozen
from ..engine.base import Scan
from .sense import SenseReading
from .words import words_named

_WORD = re.compile(r"\w+(?:['’]\w+)*")
_MARKS = " .,;:!?…—–-”\"'’)"
_COMMON = words_named("common")
_LEAST_TAIL = 2
"""Least number of words that count as something behind a text."""
_FEW = 3
"""Most small words alone that count as nothing behind a text, in its last clause."""
_MOST_INNER = 3
"""Most words that the longer text may have more before that."""
_QUOTED = re.compile(r"[“\"'‘]([^”\"'’]{2,30})[”\"'’]")


class Endings(Frozen):
    """``kinds``: what may stand behind a text, with the share of such pairs in which the shorter text is the better
    one; ``centre``, ``scale``: of the features of ``tail_features``, ``weights``: of each kind, the constant first;
    ``explains``: a pattern of words that explain; ``end``: weights for two texts with different ends: of the
    log-odds by the heads for sense, and of the differences in "funny" and in the gain of the ends by their beginning,
    which counts up to ``most_gain`` nats; ``word``: of the first two, where a few words differ; ``agreement``: share of
    held-out pairs of each kind that were right."""

    kinds: dict[str, float]
    centre: tuple[float, ...]
    scale: tuple[float, ...]
    weights: dict[str, tuple[float, ...]]
    explains: str
    end: tuple[float, float, float]
    word: tuple[float, float]
    most_gain: float
    agreement: dict[Edit, float]


@cache
def endings() -> Endings:
    """Return the shipped weights. Raises ``ModelError`` ``E_FILE_DAMAGED``."""
    path = models_dir() / "endings.json"
    try:
        return Endings.model_validate(read_json(path))
    except (OSError, ValueError) as error:
        raise damaged(path, error) from error


def tail_of(shorter: str, longer: str) -> str | None:
    """Return what ``longer`` has behind all of ``shorter``; None where it has nothing there, or much more before."""
    words, ahead = list(_WORD.finditer(longer)), [match[0].lower() for match in _WORD.finditer(shorter)]
    matcher = difflib.SequenceMatcher(None, ahead, [match[0].lower() for match in words], autojunk=False)
    changed = [op for op in matcher.get_opcodes() if op[0] != "equal"]
    if not ahead or not changed or any(op[0] != "insert" for op in changed):
        return None
    *inner, (_, place, _, first, last) = changed
    if place < len(ahead) or last - first < _LEAST_TAIL or sum(op[4] - op[3] for op in inner) > _MOST_INNER:
        return None
    few = last - first <= _FEW and all(word[0].lower() in _COMMON for word in words[first:last])
    tail = longer[words[first - 1].end() :]
    return None if few and tail[:1].isspace() else tail


def tail_features(shorter: SenseReading, longer: SenseReading, tail: str, explains: str) -> Vector:
    """Return the features of a text and what ``longer`` has behind it; ``explains``: see ``Endings``."""
    own, behind = shorter.row.text, [match[0].lower() for match in _WORD.finditer(tail)]
    ahead = {match[0].lower() for match in _WORD.finditer(own)}
    content = [word for word in behind if word not in _COMMON and len(word) > 2]
    marks = "".join(takewhile(lambda letter: not letter.isalnum(), tail))
    own_sense, its = shorter.sense, longer.sense
    # A text that is known to be a joke, whatever the heads read in it, isn't its beginning alone.
    joke = max(own_sense.joke, 0.5) if own_sense.said == "joke" else own_sense.joke
    measures = [logit(p or 0.0, 1e-3) for p in (own_sense.whole, joke, its.joke, its.whole)]
    measures += [any(mark in marks for mark in ".!?…\n"), math.log(len(behind) / max(1, len(ahead)))]
    measures += [math.log(len(behind) + 1), min(3, len(re.findall(explains, tail, re.IGNORECASE)))]
    measures += [sum(word in ahead for word in content) / (1 + len(content))]
    measures += [any(quoted.lower() in own.lower() for quoted in _QUOTED.findall(tail))]
    return np.array([*measures, tail.lstrip(".,!? ")[:1] in "\"“‘'"], dtype=np.float64)


def judged_tail(shorter: SenseReading, longer: SenseReading, tail: str) -> tuple[Edit, float]:
    """Return what stands behind the shorter text, and the log-odds that the shorter one is the better version."""
    shipped = endings()
    features = (tail_features(shorter, longer, tail, shipped.explains) - shipped.centre) / shipped.scale
    scores = np.array([weights[0] + features @ weights[1:] for weights in shipped.weights.values()])
    shares = np.exp(scores - scores.max())
    shares /= shares.sum()
    p = float(shares @ [shipped.kinds[name] for name in shipped.weights])
    likeliest = list(shipped.weights)[int(shares.argmax())]
    edit: Edit = "cut" if likeliest == "cut" else "explained" if likeliest == "explained" else "tagged"
    return edit, logit(p)


def ends_of(a: str, b: str) -> tuple[str, str] | None:
    """Return the ends in which two texts with the same beginning differ; None where they end alike."""
    words = [list(_WORD.finditer(text)) for text in (a, b)]
    pairs = takewhile(lambda pair: pair[0][0].lower() == pair[1][0].lower(), zip(*words, strict=False))
    same = sum(1 for _ in pairs)
    if not same or same == min(map(len, words)) or words[0][-1][0].lower() == words[1][-1][0].lower():
        return None
    first, second = (text[own[same - 1].end() :].lstrip(_MARKS) for text, own in zip((a, b), words, strict=True))
    return first, second


def by_itself(end: str) -> str:
    """Return an end for reading it by itself: preceded by a mark, so that its first word has a probability too."""
    return (", " if end[:1].islower() else ". ") + end


def gain(scan: Scan, text: str, alone: Scan, end: str) -> float:
    """Return log p(end behind its beginning) − log p(end by itself), in nats, from the scans of ``text`` and of
    ``by_itself(end)``."""
    return _log_p(scan, len(text) - len(end)) - _log_p(alone, len(by_itself(end)) - len(end))


def _log_p(scan: Scan, start: int) -> float:
    inside: Sequence[bool] = [n > 0 and last > start for n, (_, last) in enumerate(scan.spans)]
    return float(scan.logprobs.astype(np.float64)[inside].sum())


def judged_ends(odds: float, funny: float, gains: tuple[float, float] | None) -> float:
    """Return the log-odds that the first of two texts with different ends is the better one. ``odds``: by the
    heads for sense; ``funny``: the difference of that score in units of its spread; ``gains``: of both ends, None where
    they differ in a few words, of which the plainer ones are the likelier."""
    shipped = endings()
    if gains is None:
        by_odds, by_fun = shipped.word
        return by_odds * odds + by_fun * funny
    first, second = (min(value, shipped.most_gain) for value in gains)
    by_odds, by_fun, by_gain = shipped.end
    return by_odds * odds + by_fun * funny + by_gain * (first - second)
