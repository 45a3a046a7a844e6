"""Readings of jokes by a careful reader, and jokes in several drafts, as targets that heads are fitted to."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError
from ..judging.reading.editor_form import SURE_FORMS
from ..judging.reasoning.examples import CORE as CORE
from ..rubric.renamed import with_wider
from ..statistics import Vector
from ..texts import clean_text
from .ridge import Ints

FOLDS = 5
LEAST_OF_A_KIND = 12
"""A kind that fewer texts have isn't learned, unless the letters show it."""
CUTTABLE = ("padding", "tail", "explains")
"""Faults of a draft that are words too many."""


@dataclass(frozen=True, eq=False)
class Draft:
    """One draft of a joke: ``fault`` is None for the best one and its equal; ``best`` the best draft's text; ``turn``
    is known of the best alone."""

    group: str
    text: str
    best: str
    fault: str | None
    turn: str = ""


@dataclass(frozen=True, eq=False)
class Readings:
    """Texts with what was read in them, where several read one text averaged. ``fold`` (n,) 0…4 by the letters of the
    text; ``joke``, ``complete`` (n,) 0…1; ``factors`` (n, 16) 0…5; ``kinds`` (n, k), ``faults`` (n, f): share of the
    readers who named it; ``turns``: what each reader said the text turns on; ``weight`` (n,) 0…1: what the text's most
    careful reading counts in learning. Heads are measured on the texts that count in full."""

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
        """The same of some of the texts."""
        return Readings(
            texts=tuple(self.texts[i] for i in places),
            fold=self.fold[places],
            joke=self.joke[places],
            complete=self.complete[places],
            factors=self.factors[places],
            kinds=self.kinds[places],
            faults=self.faults[places],
            kind_ids=self.kind_ids,
            fault_ids=self.fault_ids,
            turns=tuple(self.turns[i] for i in places),
            weight=self.weight[places],
        )

    def full(self) -> Ints:
        """Places of the texts that count in full; all, if none does."""
        found = np.flatnonzero(self.weight >= 1.0)
        return found if len(found) else np.arange(len(self))


def fold_of(text: str) -> int:
    """0…4, the same for texts of the same letters and digits."""
    letters = "".join(character for character in text.lower() if character.isalnum())
    return zlib.crc32(f"editor{letters}".encode("utf-8", "replace")) % FOLDS


def read_readings(path: Path) -> Readings:
    """The readings of a file, one a line as JSON (models/readings/README.md). Raises ``InputError`` ``E_READINGS``."""
    of_text: dict[str, list[dict[str, Any]]] = {}
    for line in _lines(path):
        of_text.setdefault(clean_text(line["text"]), []).append(line)
    return readings_of(of_text)


def readings_of(of_text: dict[str, list[dict[str, Any]]]) -> Readings:
    """Readings by cleaned text; kinds that fewer than LEAST_OF_A_KIND texts have are left
    out, unless the letters show them. A reading may have a ``weight``; of one text the weightiest ones are averaged."""
    of_text = {text: [row | {"kinds": with_wider(row["kinds"])} for row in rows] for text, rows in of_text.items()}
    texts = tuple(of_text)
    weight = np.array([max(_weight(row) for row in group) for group in of_text.values()])
    rows = [
        [row for row in group if _weight(row) == most] for group, most in zip(of_text.values(), weight, strict=True)
    ]
    named = [{kind for row in group for kind in row["kinds"]} for group in rows]
    counts = Counter(kind for found in named for kind in found)
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
    """Every draft of a file of drafts, each text once. Raises ``InputError`` ``E_READINGS``."""
    found: dict[str, Draft] = {}
    for line in _lines(path):
        group, best = line["id"], clean_text(line["best"])
        found.setdefault(best, Draft(group, best, best, None, line["turn"].strip()))
        equal = clean_text(line["equal"])
        found.setdefault(equal, Draft(group, equal, best, None))
        for worse in line["worse"]:
            text = clean_text(worse["text"])
            found.setdefault(text, Draft(group, text, best, worse["fault"]))
    return list(found.values())


def draft_faults(drafts: Sequence[Draft], fault_ids: Sequence[str]) -> Vector:
    """(drafts, faults): 1 where a draft has the fault."""
    return np.array([[float(draft.fault == fault) for fault in fault_ids] for draft in drafts]).reshape(
        len(drafts), len(fault_ids)
    )


def _weight(row: dict[str, Any]) -> float:
    return float(row.get("weight", 1.0))


def _shares(rows: Sequence[Sequence[dict[str, Any]]], key: str, ids: Sequence[str]) -> Vector:
    found = [[np.mean([name in row[key] for row in group]) for name in ids] for group in rows]
    return np.array(found, dtype=np.float64).reshape(len(rows), len(ids))


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    try:
        lines = path.read_bytes().decode("utf-8").split("\n")
        found = [json.loads(line) for line in lines if line.strip()]
    except (OSError, ValueError) as error:
        raise InputError(
            "E_READINGS", f"The readings {path.name} can't be read ({error}).", "Install the program again."
        ) from error
    yield from found
