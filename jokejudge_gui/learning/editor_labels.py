"""What a reading says of single words: the turn, and words of a worse draft that the better one does without."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

import numpy as np

from ..judging.reading.editor import TextRow
from ..judging.reading.editor_turn import TIMES
from ..judging.reading.editor_words import words_of
from ..statistics import Vector


def named_words(row: TextRow, turns: Sequence[str]) -> list[list[int]]:
    """The words of each reader's turn that stands in the text, in a row."""
    return [found for turn in turns if (found := _inside(row, turn))]


def turn_labels(row: TextRow, turns: Sequence[str]) -> Vector | None:
    """(words,): share of the readers in whose turn a word is; None where no reader named one."""
    named = named_words(row, turns)
    if not named:
        return None
    labels = np.zeros(len(row.words))
    for found in named:
        labels[found] += 1.0 / len(named)
    return labels


def edge_labels(row: TextRow, turns: Sequence[str]) -> Vector | None:
    """(words, 3): share of the readers whose turn a word begins, ends, and is alone; None where no reader named one."""
    named = named_words(row, turns)
    if not named:
        return None
    labels = np.zeros((len(row.words), 3))
    for found in named:
        labels[found[0], 0] += 1.0 / len(named)
        labels[found[-1], 1] += 1.0 / len(named)
        if len(found) == 1:
            labels[found[0], 2] += 1.0 / len(named)
    return labels


def right_runs(row: TextRow, turns: Sequence[str], runs: Sequence[tuple[int, int]]) -> Vector:
    """(runs,): share of the readers by whom a run is right: it shares a word with theirs and is no longer than TIMES
    as long."""
    named = named_words(row, turns)
    labels = np.zeros(len(runs))
    for found in named:
        for place, (a, b) in enumerate(runs):
            labels[place] += (a <= found[-1] and found[0] < b and b - a <= TIMES * len(found)) / len(named)
    return labels


def cut_labels(row: TextRow, best: str) -> Vector:
    """(words,): 1 for words that the best draft hasn't where this one has them, by the longest common runs."""
    mine = [row.text[start:end].lower() for start, end in row.words]
    its = [best[start:end].lower() for start, end in words_of(best)]
    labels = np.zeros(len(mine))
    if row.text != best:
        for tag, a, b, c, d in difflib.SequenceMatcher(None, mine, its, autojunk=False).get_opcodes():
            if tag == "delete" or (tag == "replace" and b - a > d - c):
                labels[a:b] = 1.0
    return labels


def _inside(row: TextRow, turn: str) -> list[int]:
    """Words that the turn touches, where it stands last."""
    start = row.text.rfind(turn) if turn else -1
    if start < 0:
        return []
    return [i for i, (a, b) in enumerate(row.words) if a < start + len(turn) and b > start]
