"""Scored examples near a joke, from the readings that come with the program."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ...paths import models_dir

_WORD = re.compile(r"\w+(?:['’]\w+)*")
_COMMON = frozenset(
    _WORD.findall(
        "the a an and or but of to in on at for with by from as is are was were be been it its he she they we you i my "
        "your his her our their me him them this that not no do does did have has had will would can could so if then "
        "there what who when where how why which"
    )
)
_LONGEST = 200
"""Characters of an example; longer ones cost too many tokens."""
CORE = (
    "wordplay", "surprise", "economy", "clarity", "punchline", "setup", "originality", "wit", "logic", "imagery",
    "recognition", "misdirection", "accessibility", "playfulness", "daring", "truth",
)  # fmt: skip
"""The factors of a reading's 16 scores, in their order."""


@dataclass(frozen=True)
class Example:
    """A text with an editor's scores 0…5 by factor."""

    text: str
    scores: dict[str, int]
    words: frozenset[str]


@cache
def shipped_examples(core: tuple[str, ...], path: Path | None = None) -> tuple[Example, ...]:
    """Short jokes that an editor read; ``core``: the factors in the order of the readings. Lines that can't be read are
    left out."""
    found = []
    file = path or models_dir() / "readings" / "readings.jsonl"
    try:
        lines = file.read_text("utf-8").splitlines()
    except OSError:
        return ()
    for line in lines:
        try:
            row = json.loads(line)
            text, scores = row["text"], row["core"]
            if row.get("joke") and isinstance(text, str) and len(text) <= _LONGEST and len(scores) == len(core):
                known = {name: int(score) for name, score in zip(core, scores, strict=True)}
                found.append(Example(" ".join(text.split()), known, telling_words(text)))
        except (ValueError, KeyError, TypeError, RecursionError):
            continue
    return tuple(found)


def nearest(text: str, examples: Sequence[Example], count: int) -> list[Example]:
    """Those that share most telling words with a text, as a share of both; never the text itself. Ties go to the one
    that comes first."""
    words = telling_words(text)
    plain = " ".join(text.split())
    others = [example for example in examples if example.text != plain]
    ranked = sorted(others, key=lambda example: -_likeness(words, example.words))
    return ranked[:count]


def telling_words(text: str) -> frozenset[str]:
    """The words of a text that say what it is about, in small letters."""
    return frozenset(word for word in _WORD.findall(text.lower()) if word not in _COMMON)


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    return 2.0 * len(one & other) / max(1, len(one) + len(other))
