"""Set phrases that a joke takes word by word: "He kicked the bucket, and the cow kicked him."

``models/set_phrases.txt`` holds the phrases, and forms of irregular words. Whether a text that contains one plays on it
is told by the editor's heads: the probabilities that it is a pun, that something is taken literally, and that it is a
joke.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import TYPE_CHECKING

from ..core.paths import models_dir
from ..core.statistics import sigmoid
from ..core.verdicts import Wordplay
from ..core.words import WORD
from .features import STOP_WORDS
from .words import stem

if TYPE_CHECKING:
    from .editor import EditorReading

SAID = 0.5
"""Probability from which it is said."""
_WEIGHTS = (1.94, 1.52, 1.67, 24.7, -23.4)
"""Of the phrase's words that aren't stop words, of the logarithms of the kinds *pun* and *literalism*, of the check
whether it is a joke, and the constant: logistic regression on 350 phrases in texts (models/training/LOG.md)."""
_LONGEST = 8
_OWNER, _SOMEBODY = "one's", "one"
_OWNERS = frozenset(("my", "your", "his", "her", "their", "our", "its", "a", "an", "the", "this", "that", _OWNER))
_SOMEBODIES = frozenset(("me", "you", "him", "her", "it", "us", "them", "someone", "somebody", "everyone", _SOMEBODY))
_BREAK = re.compile("[-.!?:;]")
"""A hyphen beside or among the words, or the end of a clause among them."""
_CURLY = str.maketrans("’", "'")


def literal_phrase(text: str, editor: EditorReading) -> Wordplay | None:
    """Return the set phrase that a text most likely takes word by word; None if it contains none, or hardly does."""
    kinds, best = editor.kinds, None
    told = [math.log(kinds.get(kind, 0.0) + 0.01) for kind in ("pun", "literalism")]
    for start, end in phrases_in(text):
        content = sum(word not in STOP_WORDS for word in WORD.findall(text[start:end].lower()))
        values = (content, *told, editor.joke, 1.0)
        p = sigmoid(sum(weight * value for weight, value in zip(_WEIGHTS, values, strict=True)))
        if p >= SAID and (best is None or p > best.p):
            best = Wordplay(start=start, end=end, text=text[start:end], second="", link="literal", p=p)
    return best


def phrases_in(text: str) -> list[tuple[int, int]]:
    """Return the characters of each set phrase in a text, the longest at each place."""
    table, forms = _table()
    words = [(match.start(), match.end(), match[0].lower().translate(_CURLY)) for match in WORD.finditer(text)]
    keys = [_key(word, forms) for _, _, word in words]
    spans, place = [], 0
    while place < len(words):
        sizes = range(min(_LONGEST, len(words) - place), 1, -1)
        size = next((size for size in sizes if tuple(keys[place : place + size]) in table), 1)
        start, end = words[place][0], words[place + size - 1][1]
        if size > 1 and not _BREAK.search(text[max(0, start - 1) : end + 1].rstrip(".!?:;,")):
            spans.append((start, end))
        place += size
    return spans


def _key(word: str, forms: dict[str, str]) -> str:
    """Return what stands for a word in a phrase: its stem; one sign for all owners and articles, one for persons."""
    if word in _OWNERS:
        return _OWNER
    if word in _SOMEBODIES:
        return _SOMEBODY
    return base(word, forms)


def base(word: str, forms: dict[str, str] | None = None) -> str:
    """Return the stem of a word, which its inflections share, irregular ones too. ``forms``: None for those that
    ship."""
    forms = _table()[1] if forms is None else forms
    whole = stem(stem(forms.get(word, word)))
    return whole.rstrip("e") if len(whole) > 3 else whole


@lru_cache(1)
def _table() -> tuple[frozenset[tuple[str, ...]], dict[str, str]]:
    """Return the phrases by their words' keys, without a leading article, and the base of each irregular form."""
    lines = (models_dir() / "set_phrases.txt").read_text("utf-8").splitlines()
    rules = [line.partition(" = ")[::2] for line in lines if " = " in line]
    forms = {form: base for base, irregular in rules for form in irregular.split()}
    table = set()
    for line in lines:
        if line and "=" not in line and not line.startswith("#"):
            keys = [_key(word.translate(_CURLY), forms) for word in WORD.findall(line.lower())]
            own = [key for key in keys if key not in (_OWNER, _SOMEBODY)]
            if len(own) > 1:
                table.add(tuple(keys[1:] if keys[0] == _OWNER else keys))
    return frozenset(table), forms
