"""Names and years that a reader must know, or that date a joke, found by their spelling.

No model is asked, so the same text always has the same references. A name is a run of capitalised words that doesn't
merely begin a sentence and isn't among the words that nearly everyone understands (``criteria/common_names.xml``).
Where most words (a headline) or all letters are capitals, they carry no information, and no names are found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...rubric.audiences import CommonNames
from .record import Reference

_WORD = re.compile(r"[^\W\d_]+(?:(?:[-'’.]|&(?=[A-Z]))[^\W_]+)*\d*")
_JOINS = frozenset(["of", "the", "de", "la", "le", "da", "di", "du", "van", "von", "der", "del"])
"""Small words that may stand inside a name, between two capitalised ones."""
_ENDS = frozenset(".!?…:;–—/|>-")
_OPENS = frozenset("\"“”‘«'*([\n")
"""After these a sentence, a line, a quotation or speech begins."""
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
    references = [*_names(text, common)]
    for year in _YEAR.finditer(text):
        references.append(Reference(text=year[1], start=year.start(1), end=year.end(1), why="time"))
    named: dict[str, Reference] = {}
    for reference in sorted(references, key=lambda reference: reference.start):
        named.setdefault(reference.text.lower(), reference)
    return tuple(named.values())[:_MOST]


def _names(text: str, common: CommonNames) -> Iterator[Reference]:
    words = list(_WORD.finditer(text))
    long = [word[0] for word in words if len(word[0]) > 3]
    titled = sum(word[0].isupper() for word in long) > _MOST_TITLED * len(long)
    if len(words) >= _LEAST_WORDS and long and titled:
        return  # a headline, or all in capitals
    # A word that also occurs in small letters is no name.
    plain = common.known | _JOINS | {word[0].lower() for word in words if word[0][0].islower()}

    def is_common(word: str) -> bool:
        return word in common.known or _POSSESSIVE.sub("", word.replace("’", "'")) in plain

    for run in _runs(text, words):
        if _begins(text, run[0].start()):
            # A sentence's first word is capitalised anyway: it belongs to a name only before another capital.
            first = run[0][0].lower()
            if len(run) == 1 or (is_common(first) and first not in common.anyone):
                run = run[1:]
        if all(len(word[0]) == 1 or is_common(word[0].lower()) for word in run):
            continue
        # Words at either end that belong to no name, and an address, go; a first name stays ("Jimmy Fallon").
        while run and (run[0][0].islower() or run[0][0].lower() in _ADDRESS | common.words):
            run = run[1:]
        while run and (run[-1][0].islower() or run[-1][0].lower() in common.words):
            run = run[:-1]
        if not run:
            continue
        name = _POSSESSIVE.sub("", text[run[0].start() : run[-1].end()])
        if len(name) > 1 and " ".join(name.lower().split()) not in common.known:
            yield Reference(text=name, start=run[0].start(), end=run[0].start() + len(name), why="name")


def _begins(text: str, start: int) -> bool:
    """Whether a sentence begins at ``start``."""
    bare = text[:start].rstrip("".join(_OPENS) + " \t")
    return not bare or bare[-1] in _ENDS or not _OPENS.isdisjoint(text[len(bare) : start])


def _runs(text: str, words: list[Word]) -> Iterator[list[Word]]:
    """Runs of adjacent capitalised words, with joining words between two of them. Words all in capitals are as often
    emphasis as names."""
    runs: list[list[Word]] = [[]]
    for word in words:
        letters = word[0]
        run = runs[-1] if runs[-1] and _touch(text, runs[-1][-1].end(), word.start()) else []
        is_name = letters[0].isupper() and (len(letters) == 1 or any(letter.islower() for letter in letters[1:]))
        if is_name or (run and letters in _JOINS):
            runs += [] if run else [run]
            run.append(word)
        elif runs[-1]:
            runs.append([])
    for run in filter(None, runs):
        while run[-1][0].islower():
            run.pop()
        yield run


def _touch(text: str, end: int, start: int) -> bool:
    """Whether there is only a space, or the stop of an initial, between two words."""
    initial = end < 2 or not text[end - 2].isalnum() or text[end - 2 : end] in ("Dr", "St")
    return text[end:start] == " " or (text[end:start] == ". " and initial)
