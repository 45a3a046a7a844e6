"""An editor's readings of jokes, and jokes in several drafts, as targets for training heads."""

from __future__ import annotations

import difflib
import math
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..core.statistics import Vector
from ..core.texts import clean_text
from ..heads.editor import TextRow
from ..heads.editor_file import Ints
from ..heads.features import SURE_FORMS, words_of
from ..heads.punchline import is_right
from ..rubric.xml_parser import with_wider
from .drafts_fit import load_drafts
from .figures import FOLDS
from .teacher import shipped_lines

LEAST_OF_A_KIND = 12
"""Least number of texts of a kind for it to be learned, unless its form shows it."""
CUTTABLE = ("padding", "tail", "explains")
"""Faults of a draft that consist of superfluous words."""


class Draft(NamedTuple):
    """One draft of a joke. ``fault``: None for the best one and its equal; ``best``: the best draft's text; ``turn``:
    known for the best one alone."""

    text: str
    best: str
    fault: str | None
    turn: str = ""


@dataclass(frozen=True, eq=False)
class Readings:
    """Texts with their readings, averaged where a text has several readers. ``fold`` (n,) 0…4, from the text's letters;
    ``joke``, ``complete`` (n,) 0…1; ``factors`` (n, 16) 0…5; ``kinds`` (n, k), ``faults`` (n, f): share of the readers
    who named it; ``turns``: the words on which the text turns, by each reader; ``weight`` (n,) 0…1: training weight of
    the text's most careful reading. Heads are measured on the texts with full weight."""

    texts: tuple[str, ...]
    fold: Ints
    joke: Vector
    complete: Vector
    factors: Vector
    kinds: Vector
    faults: Vector
    kind_ids: tuple[str, ...]
    fault_ids: tuple[str, ...]
    turns: tuple[tuple[str, ...], ...]
    weight: Vector

    def __len__(self) -> int:
        return len(self.texts)

    def keep(self, places: Ints) -> Readings:
        """Return the readings of some of the texts."""
        arrays = ("fold", "joke", "complete", "factors", "kinds", "faults", "weight")
        return replace(
            self,
            texts=tuple(self.texts[i] for i in places),
            turns=tuple(self.turns[i] for i in places),
            **{name: getattr(self, name)[places] for name in arrays},
        )

    def full(self) -> Ints:
        """Return the indices of the texts with full weight; all, if there is none."""
        full = np.flatnonzero(self.weight >= 1.0)
        return full if len(full) else np.arange(len(self))


def fold_of(text: str) -> int:
    """Return a fold 0…4, the same for texts of the same letters and digits."""
    letters = "".join(character for character in text.lower() if character.isalnum())
    return zlib.crc32(f"editor{letters}".encode("utf-8", "replace")) % FOLDS


def read_readings(path: Path) -> Readings:
    """Return the readings of a file, one a line as JSON (models/readings/README.md). Raises ``ModelError``
    ``E_FILE_DAMAGED``."""
    of_text: dict[str, list[dict[str, Any]]] = {}
    for text, row in shipped_lines(path, lambda row: (clean_text(row["text"]), row)):
        of_text.setdefault(text, []).append(row)
    return readings_of(of_text)


def readings_of(of_text: dict[str, list[dict[str, Any]]]) -> Readings:
    """Return readings, from rows by cleaned text. Kinds of fewer than LEAST_OF_A_KIND texts are left out, unless their
    form shows them. A reading may have a ``weight``; a text's readings of the greatest weight are averaged."""
    of_text = {text: [row | {"kinds": with_wider(row["kinds"])} for row in rows] for text, rows in of_text.items()}
    texts = tuple(of_text)
    weight = np.array([max(float(row.get("weight", 1.0)) for row in group) for group in of_text.values()])
    rows = [
        [row for row in group if row.get("weight", 1.0) == most]
        for group, most in zip(of_text.values(), weight, strict=True)
    ]
    named = [{kind for row in group for kind in row["kinds"]} for group in rows]
    counts = Counter(kind for kinds_named in named for kind in kinds_named)
    kinds = tuple(sorted(kind for kind, n in counts.items() if n >= LEAST_OF_A_KIND or kind in SURE_FORMS))
    faults = tuple(sorted({fault for group in rows for row in group for fault in row["faults"]}))
    return Readings(
        texts=texts,
        fold=np.array([fold_of(text) for text in texts], dtype=np.int64),
        joke=np.array([np.mean([row["joke"] for row in group]) for group in rows]),
        complete=np.array([np.mean([row["complete"] for row in group]) for group in rows]),
        factors=np.array([np.mean([row["core"] for row in group], axis=0) for group in rows], dtype=np.float64),
        kinds=_shares(rows, "kinds", kinds),
        faults=_shares(rows, "faults", faults),
        kind_ids=kinds,
        fault_ids=faults,
        turns=tuple(
            tuple(turn for row in group if (turn := row["turn"].replace("\r\n", "\n").strip())) for group in rows
        ),
        weight=weight,
    )


def read_drafts(path: Path) -> list[Draft]:
    """Return every draft of a file of drafts, each text once. Raises what ``load_drafts`` raises."""
    drafts: dict[str, Draft] = {}
    for joke in load_drafts(path):
        drafts.setdefault(joke.best, Draft(joke.best, joke.best, None, joke.turn))
        for text, fault in ((joke.equal, None), *joke.worse):
            drafts.setdefault(text, Draft(text, joke.best, fault))
    return list(drafts.values())


def _shares(rows: Sequence[Sequence[dict[str, Any]]], key: str, ids: Sequence[str]) -> Vector:
    shares = [[np.mean([name in row[key] for row in group]) for name in ids] for group in rows]
    return np.array(shares, dtype=np.float64).reshape(len(rows), len(ids))


# --------------------------------------------------------------------------------------------------------------------
# Labels of single words from readings: the turn, and words of a worse draft that the better one leaves out.


def named_words(row: TextRow, turns: Sequence[str]) -> list[list[int]]:
    """Return, for each reader's turn that is in the text, the indices of its words."""
    return [places for turn in turns if (places := _inside(row, turn))]


def turn_labels(row: TextRow, turns: Sequence[str]) -> Vector | None:
    """Return (words, 4): share of the readers whose turn a word is in, begins, ends, and is alone; None where no reader
    named one."""
    named = named_words(row, turns)
    if not named:
        return None
    labels = np.zeros((len(row.words), 4))
    for places in named:
        labels[places, 0] += 1.0 / len(named)
        labels[places[0], 1] += 1.0 / len(named)
        labels[places[-1], 2] += 1.0 / len(named)
        if len(places) == 1:
            labels[places[0], 3] += 1.0 / len(named)
    return labels


def right_share(row: TextRow, turns: Sequence[str], shown: tuple[int, int]) -> float:
    """Return the share of the readers for whom the words shown are right (``punchline.is_right``)."""
    named = named_words(row, turns)
    return math.fsum(is_right(shown, (places[0], places[-1] + 1)) / len(named) for places in named)


def cut_labels(row: TextRow, best: str) -> Vector:
    """Return (words,): 1 for words that the best draft leaves out, by the longest common runs."""
    mine = [row.text[start:end].lower() for start, end in row.words]
    its = [best[start:end].lower() for start, end in words_of(best)]
    labels = np.zeros(len(mine))
    if row.text != best:
        for tag, a, b, c, d in difflib.SequenceMatcher(None, mine, its, autojunk=False).get_opcodes():
            if tag == "delete" or (tag == "replace" and b - a > d - c):
                labels[a:b] = 1.0
    return labels


def _inside(row: TextRow, turn: str) -> list[int]:
    """Return the indices of the words that the turn touches, at its last occurrence."""
    start = row.text.rfind(turn) if turn else -1
    if start < 0:
        return []
    return [i for i, (a, b) in enumerate(row.words) if a < start + len(turn) and b > start]
