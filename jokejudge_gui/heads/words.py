"""The lists of words and the forms of texts that heads were trained with: resources/heads/words.txt and forms.txt."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from ..core.paths import resources_dir


@cache
def _lines(file: str) -> tuple[tuple[str, str], ...]:
    """Return the name and the content of each line, in order."""
    lines = (resources_dir() / "heads" / file).read_text(encoding="utf-8").split("\n")
    named = (line.partition("\t") for line in lines if line and not line.startswith("#"))
    return tuple((name, content) for name, _, content in named)


def word_lists(name: str) -> tuple[frozenset[str], ...]:
    """Return all lists of this name."""
    return tuple(frozenset(words.split()) for label, words in _lines("words.txt") if label == name)


def words_named(name: str) -> frozenset[str]:
    """Return the one list of this name."""
    [words] = word_lists(name)
    return words


@cache
def forms(prefix: str = "") -> tuple[tuple[str, str], ...]:
    """Return the forms whose names begin with ``prefix``, each with the rest of its name and its regular expression."""
    return tuple((name.removeprefix(prefix), form) for name, form in _lines("forms.txt") if name.startswith(prefix))


def compiled(form: str, flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
    return re.compile(form, re.IGNORECASE | flags)


_ENDINGS = ("ing", "ies", "ied", "ed", "es", "er", "'s", "s", "d", "n", "e", "y")


@lru_cache(1 << 14)
def stem(word: str) -> str:
    """Return a word without its inflectional ending: rumor for rumors and rumored."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word
