"""Make the table of pronunciations (models/sounds.npz).

    python models/training/sounds.py CMUDICT COUNTS models

CMUDICT: the file cmudict.dict of the CMU Pronouncing Dictionary (free; models/sounds.txt holds its licence). COUNTS:
lines of a word and its number of occurrences in print (frequency_dictionary_en_82_765.txt of SymSpell, MIT); American
spellings and names missing there are counted in the jokes of $JOKEJUDGE_DATA. The table has the commonest words, one
pronunciation each and a second one if it differs, and rules for the sound of a letter between others, learned from the
same words.
"""

from __future__ import annotations

import collections
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import data
import numpy as np
import numpy.typing as npt

from jokejudge_gui.core.files import atomic_writer
from jokejudge_gui.heads.sounds import FORMAT, LONGEST, PHONES, Phones, load_sounds, rule_keys

_CODE = {name: code for code, name in enumerate(PHONES)}
_MOST_WORDS = 40_000
_ROUNDS = 4
_LEARNED = 25_000
"""Number of words that the rules are learned from."""
_LEAST = 3
"""Least number of letters that a rule holds for."""


def pronunciations(path: Path) -> dict[str, list[Phones]]:
    """All pronunciations of each word in the dictionary."""
    found: dict[str, list[Phones]] = collections.defaultdict(list)
    for line in path.read_text("utf-8").splitlines():
        name, *phones = line.split("#")[0].split()
        word = re.sub(r"\(\d+\)$", "", name)
        found[word].append(tuple(_CODE["AX" if phone == "AH0" else phone.rstrip("012")] for phone in phones))
    return found


_JOKES = ("ukp_items", "hahackathon", "humor_mechanics", "rjokes_sample", "stupidstuff")


def counts(path: Path) -> dict[str, float]:
    """Number of occurrences of each word in print; an estimate for words counted in jokes alone."""
    lines = (line.split() for line in path.read_text("utf-8-sig").splitlines())
    found = {word: float(count) for word, count in lines}
    seen: collections.Counter[str] = collections.Counter()
    for name in _JOKES:
        for row in data.rows(name):
            seen.update(re.findall("[a-z]+", row["text"].lower()))
    times = float(np.median([found[word] / count for word, count in seen.items() if word in found and count >= 10]))
    for word, count in seen.items():
        if count >= 3 and word not in found:
            found[word] = times * count
    return found


Pairs = Sequence[tuple[str, Phones]]


def align(pairs: Pairs) -> list[list[Phones]]:
    """For each word the phones, none to two, that each of its letters stands for."""
    chances: dict[tuple[str, Phones], float] = {}
    aligned: list[list[Phones]] = []
    for turn in range(_ROUNDS):
        seen: collections.Counter[tuple[str, Phones]] = collections.Counter()
        aligned = [_aligned(word, phones, chances if turn else {}) for word, phones in pairs]
        for (word, _), parts in zip(pairs, aligned, strict=True):
            seen.update(zip(word, parts, strict=True))
        letters = collections.Counter(letter for word, _ in pairs for letter in word)
        chances = {key: float(np.log(count / letters[key[0]])) for key, count in seen.items()}
    return aligned


def _aligned(word: str, phones: Phones, chances: Mapping[tuple[str, Phones], float]) -> list[Phones]:
    """The likeliest alignment; at first the one nearest to the diagonal."""
    rows, columns = len(word), len(phones)
    best: dict[int, tuple[float, list[Phones]]] = {0: (0.0, [])}  # by the number of phones so far
    for row, letter in enumerate(word, 1):
        longer: dict[int, tuple[float, list[Phones]]] = {}
        for column in sorted(best, reverse=True):
            score, parts = best[column]
            for end in range(column, min(column + 2, columns) + 1):
                part = phones[column:end]
                gain = -abs(row / rows - end / columns) - 0.5 * (len(part) != 1)
                if chances:
                    gain = chances.get((letter, part), -12.0)
                if end not in longer or score + gain > longer[end][0]:
                    longer[end] = score + gain, [*parts, part]
        best = longer
    if columns in best:
        return best[columns][1]
    return [phones[row : row + 1] for row in range(rows - 1)] + [phones[rows - 1 :]]


def rules(pairs: Pairs, aligned: Sequence[Sequence[Phones]]) -> dict[str, Phones]:
    """The sounds of letters between others; without rules that follow from the rules of fewer letters."""
    seen: dict[str, collections.Counter[Phones]] = collections.defaultdict(collections.Counter)
    shorter: dict[str, str] = {}
    for (word, _), parts in zip(pairs, aligned, strict=True):
        for place, part in enumerate(parts):
            keys = rule_keys(word, place)
            for key, after in zip(keys, [*keys[1:], ""], strict=True):
                seen[key][part] += 1
                shorter[key] = after
    found: dict[str, Phones] = {}

    def chain(key: str) -> Iterator[str]:
        while key:
            yield key
            key = shorter[key]

    level = {key: sum(1 for _ in chain(key)) for key in seen}
    for key in sorted(seen, key=lambda each: (level[each], each)):
        top, times = seen[key].most_common(1)[0]
        before = next((found[one] for one in chain(shorter[key]) if one in found), None)
        clear = times >= _LEAST and times >= seen[key].get(before or (), 0) + 2
        if top != before and (level[key] == 1 or clear):
            found[key] = top
    return found


def main(cmudict: Path, counted: Path, folder: Path) -> None:
    known, often = pronunciations(cmudict), counts(counted)
    fit = [word for word in known if word in often and re.fullmatch("[a-z]{2,}|[ai]", word)]
    fit.sort(key=lambda word: (-often[word], word))
    both = ((word, phones) for word in fit[:_MOST_WORDS] for phones in dict.fromkeys(known[word][:2]))
    table = [(word, phones) for word, phones in both if len(phones) <= LONGEST]
    learned = [(word, known[word][0]) for word in fit[:_LEARNED] if len(word) > 2]
    found = rules(learned, align(learned))

    def letters(words: Iterable[str]) -> npt.NDArray[np.uint8]:
        return np.frombuffer("\n".join(words).encode("ascii"), np.uint8)

    def codes(sounds: Iterable[Phones]) -> npt.NDArray[np.uint8]:
        return np.array([code for phones in sounds for code in phones], np.uint8)

    path = folder / "sounds.npz"
    with atomic_writer(path) as stream:
        np.savez_compressed(
            stream,
            meta=np.frombuffer(str(FORMAT).encode(), np.uint8),
            letters=letters(word for word, _ in table),
            lengths=np.array([len(phones) for _, phones in table], np.uint8),
            phones=codes(phones for _, phones in table),
            commonness=np.array([round(10 * np.log10(often[word])) for word, _ in table], np.uint8),
            keys=letters(found),
            sizes=np.array([len(sound) for sound in found.values()], np.uint8),
            rules=codes(found.values()),
        )
    print(f"{len(load_sounds(path).words):,} pronunciations, {len(found):,} rules, {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:4]))
