"""Features that distinguish a joke from a text that only resembles one: a model's states in set-up and end, and the
likelihood of each word."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from dataclasses import dataclass
from typing import get_args

import numpy as np

from ..core.statistics import Vector
from ..core.verdicts import Edit
from ..engine.base import Scan
from .near_duplicates import THRESHOLD, likeness
from .words import words_named

EDITS: tuple[Edit, ...] = get_args(Edit)[:7]
"""The relations that are told by the words alone, each with maps of its own."""
BLOCKS = 8
"""Number of vectors of a state's size that are measured of a text."""
MEASURES = 32

_MOST_WORDS = 18
_LEAST_WORDS = 3
_BORDER = re.compile(r'(?:[.!?…]+["”’\')\]]*|[,;:]["”’\']?|\s[-–—]+|[—–]|\n)\s*(?=\S)')
_SENTENCE = re.compile(r'(?<=[.!?…])["”’]?\s+|\n')
_WORD = re.compile(r"\w+(?:['’]\w+)*")


_COMMON = words_named("common")
_TINY = 1e-6


@dataclass(frozen=True, eq=False)
class SenseRow:
    """The measures of one text. ``pooled``: ``BLOCKS`` vectors of the states' size, concatenated; ``measures``: plain
    numbers; ``words``: number of words; ``intent``: log-odds that it is meant as a joke, by the audience head, 0
    without one."""

    text: str
    pooled: Vector
    measures: Vector
    words: int
    intent: float = 0.0


def end_of(text: str) -> int:
    """Return the first character of a text's last clause: the shortest one after a mark with at least three words; if
    that is long, or there is no mark, some of the last words."""
    words = [match.start() for match in re.finditer(r"\S+", text)]
    count = len(words)
    if count <= _LEAST_WORDS + 1:
        return words[count // 2] if count > 1 else 0
    last: tuple[int, int] | None = None
    for match in _BORDER.finditer(text):
        behind = sum(place >= match.end() for place in words)
        if _LEAST_WORDS <= behind < count:
            last = match.end(), behind
    if last is None or last[1] > _MOST_WORDS:
        return words[count - max(_LEAST_WORDS, min(12, round(0.4 * count)))]
    return last[0]


def measure_sense(text: str, scan: Scan, usual: Vector, intent: float = 0.0) -> SenseRow:
    """Measure a cleaned text that the model has read. ``usual``: the mean state of a token; ``intent``: see
    ``SenseRow``."""
    states = scan.states.astype(np.float32) - usual.astype(np.float32)
    logprobs, spans = scan.logprobs.astype(np.float64), np.array(scan.spans).reshape(-1, 2)
    count = len(states)
    border = end_of(text)
    first = min(max(int((spans[:, 1] <= border).sum()), 1), count - 1) if count > 1 else 0
    words = list(_WORD.finditer(text))
    last = max((n for n in range(count) if words and spans[n, 0] < words[-1].end()), default=count - 1)
    end, before = states[first:], states[:first] if first else states[:1]
    half = max(1, count // 2)
    blocks = [states[:half].mean(axis=0), states[half:].mean(axis=0) if count > 1 else states[0]]
    blocks += [states[-4:].mean(axis=0), states[-1], states[last], end.mean(axis=0), before.mean(axis=0)]
    blocks.append(states.std(axis=0))
    unit = states / (np.linalg.norm(states, axis=1, keepdims=True) + _TINY)
    cosines = unit[first:] @ unit[:first].T if 0 < first < count else np.zeros((1, 1))
    own = [n for n in range(count) if words and spans[n, 1] > words[-1].start() and spans[n, 0] < words[-1].end()]
    after = logprobs[1:] if count > 1 else np.zeros(1)
    ending = logprobs[first:] if count > 1 else np.zeros(1)
    opening = logprobs[1:first] if first > 1 else np.zeros(1)
    spoken = [match[0].lower() for match in words] or [""]
    behind = [match[0].lower() for match in words if match.start() >= border]
    ahead = {match[0].lower() for match in words if match.start() < border} - _COMMON
    sentences = [part for part in _SENTENCE.split(text) if part.strip()] or [""]
    measures = [np.log(len(spoken)), np.log(count), after.sum() / 30, after.mean(), after.min() / 5]
    measures += [np.log1p(len(behind)), ending.sum() / 20, ending.mean(), ending.min() / 5, ending[0] / 5]
    measures += [opening.mean(), logprobs[-1], sum(logprobs[own]) / 5, len(behind) / len(spoken)]
    measures += [text.count(",") / 3, sum(text.count(mark) for mark in '"“”‘’') / 4, text.count("?")]
    measures += [float(text.rstrip('"”’ ').endswith("?")), float(any(letter.isdigit() for letter in text))]
    measures += [10 * sum(letter.isupper() for letter in text) / len(text)]
    measures += [float(text.rstrip("\"”’')")[-1:] in ".!?…"), len(ahead & (set(behind) - _COMMON))]
    measures += [3 * len(spoken) / len(set(spoken)), np.mean([len(word) for word in spoken]) / 2]
    measures += [_cosine(blocks[5], blocks[6]), cosines.max(), cosines.max(axis=1).mean(), cosines[-1].max()]
    measures += [np.sort(after)[:3].mean() / 5]
    measures += [np.argsort(after)[:3].mean() / max(1, count - 1), np.log1p(len(sentences[-1].split())), len(sentences)]
    return SenseRow(
        text, np.concatenate(blocks).astype(np.float64), np.array(measures, np.float64), len(spoken), intent
    )


def _cosine(a: Vector, b: Vector) -> float:
    return float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b) + _TINY))


def edit_of(a: str, b: str) -> Edit:
    """Return the relation of the longer of two texts to the other; the same for (b, a)."""
    shorter, longer = sorted((_said(a), _said(b)), key=lambda words: (len(words), words))
    if not shorter:
        return "different"
    if longer[: len(shorter)] == shorter:
        return "cut" if len(longer) > len(shorter) else "word"
    matcher = difflib.SequenceMatcher(None, shorter, longer, autojunk=False)
    changed = [op for op in matcher.get_opcodes() if op[0] != "equal"]
    if all(op[0] == "insert" for op in changed):
        return "added"
    common = (Counter(shorter) & Counter(longer)).total()
    if common == len(longer):
        return "moved"
    most = max(sum(op[2] - op[1] for op in changed), sum(op[4] - op[3] for op in changed))
    if most <= 3 and len(changed) <= 2 and most <= 0.5 * len(longer):
        return "word"
    if common >= 0.85 * len(longer) and len(longer) - common <= 3:
        return "moved"
    same = next((n for n, (x, y) in enumerate(zip(shorter, longer, strict=False)) if x != y), len(shorter))
    if same >= 4 and same >= 0.3 * len(shorter):
        return "end"
    return "reworded" if likeness(a, b) >= THRESHOLD else "different"


def ends_sentence(text: str, words: int) -> bool:
    """Whether the first ``words`` words of a text end a sentence or a line of it."""
    matches = list(_WORD.finditer(text))
    if not 0 < words < len(matches):
        return True
    return any(mark in text[matches[words - 1].end() : matches[words].start()] for mark in ".!?…\n")


def _said(text: str) -> list[str]:
    return [match[0].lower().replace("’", "'") for match in _WORD.finditer(text)]
