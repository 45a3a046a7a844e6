"""Names and years that a reader must know, or that date a joke, found by their spelling.

No model is asked, so the same text always has the same references. A name is a run of capitalised words that doesn't
merely begin a sentence and isn't among the words that nearly everyone understands (``criteria/common_names.xml``).
Where most words (a headline) or all letters are capitals, they carry no information, and no names are found.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from ...rubric.audiences import CommonNames
from .record import Reference

_WORD = re.compile(r"[^\W\d_]+(?:(?:[-'’.]|&(?=[A-Z]))[^\W_]+)*\d*")
_JOINS = frozenset(["of", "the", "de", "la", "le", "da", "di", "du", "van", "von", "der", "del"])
"""Small words that may stand inside a name, between two capitalised ones."""
_ENDS = frozenset(".!?…:;–—/|>-")
_OPENS = frozenset("\"“”‘«'*([\n")
"""After these a sentence, a line, a quotation or speech begins."""
_LOOK_BACK = 40
_YEAR = re.compile(
    r"(?<![\w$£€.,:/-])(?:(?:in|since|of|from|until|before|after|by|the|year|circa|during|summer|spring|autumn|winter|"
    r"january|february|march|april|may|june|july|august|september|october|november|december)\s+|\()"
    r"((?:19[0-9]|20[0-3])\d(?:['’]?s)?)(?![\w%]|[.,:/-]\d)",
    re.IGNORECASE,
)
_MOST_TITLED = 0.65
"""Least share of capitalised words at which capitals are a style."""
_LEAST_WORDS = 6
"""Least number of words for which that share is used."""
_MOST = 5
"""The most references of a text, the first ones."""
_ADDRESS = frozenset(["mr", "mrs", "ms", "miss", "dr", "sir", "uncle", "aunt", "the", "a", "my"])
Word = re.Match[str]
_POSSESSIVE = re.compile(r"['’]s?$")


def find_references(text: str, common: CommonNames) -> tuple[Reference, ...]:
    """Return the references of a cleaned text in its order, each name once. ``common``: names that everybody knows."""
    references = [*_names(text, common), *_years(text)]
    named: dict[str, Reference] = {}
    for reference in sorted(references, key=lambda reference: reference.start):
        named.setdefault(reference.text.lower(), reference)
    return tuple(named.values())[:_MOST]


def _years(text: str) -> Iterator[Reference]:
    for match in _YEAR.finditer(text):
        yield Reference(text=match[1], start=match.start(1), end=match.end(1), why="time")


def _names(text: str, common: CommonNames) -> Iterator[Reference]:
    words = list(_WORD.finditer(text))
    if _capitals_tell_nothing([word.group() for word in words]):
        return
    # A word that also occurs in small letters is no name.
    small = {word.group().lower() for word in words if word.group()[0].islower()}
    for run in _runs(text, words):
        if _begins(text, run[0].start()):
            # A sentence's first word is capitalised anyway: it belongs to a name only before another capital.
            first = run[0].group().lower()
            if len(run) == 1 or (_is_common(first, common, small) and first not in common.anyone):
                run = run[1:]
        run = _trimmed(run, common, small)
        if not run:
            continue
        start, end = run[0].start(), run[-1].end()
        end -= len(suffix[0]) if (suffix := _POSSESSIVE.search(text[start:end])) else 0
        name = text[start:end]
        if end - start > 1 and " ".join(name.lower().split()) not in common.known:
            yield Reference(text=name, start=start, end=end, why="name")


def _begins(text: str, start: int) -> bool:
    """Whether a sentence begins at ``start``."""
    before = text[max(0, start - _LOOK_BACK) : start]
    bare = before.rstrip("".join(_OPENS) + " \t")
    return not bare or bare[-1] in _ENDS or not _OPENS.isdisjoint(before[len(bare) :])


def _capitals_tell_nothing(words: list[str]) -> bool:
    """Whether a text is a headline, or all in capitals."""
    long = [word for word in words if len(word) > 3]
    if len(words) < _LEAST_WORDS or not long:
        return False
    return sum(word[0].isupper() for word in long) > _MOST_TITLED * len(long)


def _runs(text: str, words: list[Word]) -> Iterator[list[Word]]:
    """Runs of adjacent capitalised words, with joining words between two of them."""
    runs: list[list[Word]] = [[]]
    for word in words:
        letters = word.group()
        run = runs[-1] if runs[-1] and _touch(text, runs[-1][-1].end(), word.start()) else []
        if _is_name(letters) or (run and letters in _JOINS):
            runs += [] if run else [run]
            run.append(word)
        elif runs[-1]:
            runs.append([])
    for run in filter(None, runs):
        while run[-1].group().islower():
            run.pop()
        yield run


def _touch(text: str, end: int, start: int) -> bool:
    """Whether there is only a space, or the stop of an initial, between two words."""
    between = text[end:start]
    initial = between == ". " and (
        end < 2 or not text[end - 2].isalnum() or text[max(0, end - 2) : end] in ("Dr", "St")
    )
    return between == " " or initial


def _is_name(word: str) -> bool:
    """Whether a word is a capital with small letters, or one letter; words all in capitals are as often emphasis as
    names."""
    return word[0].isupper() and (len(word) == 1 or any(letter.islower() for letter in word[1:]))


def _is_common(word: str, common: CommonNames, small: Collection[str]) -> bool:
    plain = _POSSESSIVE.sub("", word.lower().replace("’", "'"))
    return plain in common.known or word.lower() in common.known or plain in small or plain in _JOINS


def _trimmed(run: list[Word], common: CommonNames, small: Collection[str]) -> list[Word]:
    """The run, if any of its words needs knowledge, without an address before it and without words at either end that
    belong to no name; a first name stays before another name ("Jimmy Fallon")."""
    if all(len(word.group()) == 1 or _is_common(word.group(), common, small) for word in run):
        return []
    while run and (run[0].group().islower() or run[0].group().lower() in _ADDRESS | common.words):
        run = run[1:]
    while run and (run[-1].group().islower() or run[-1].group().lower() in common.words):
        run = run[:-1]
    return run
