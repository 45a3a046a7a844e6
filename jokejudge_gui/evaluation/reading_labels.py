"""Readings of texts with the rubric in hand, as JSON lines (models/readings/README.md), to measure a judge against."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import InputError, UsageError
from ..files import parse_json
from ..learning.editor_data import CORE
from ..rubric.renamed import with_wider
from ..tables import read_bytes
from ..texts import clean_text

_HINT = "One JSON object a line, as in models/readings/README.md: text, joke, kinds, core, turn, faults."
_MOST_NAMES = 100


@dataclass(frozen=True)
class ReadText:
    """A text and what its readers found, where several read it together: ``joke``, ``complete`` 0…1 and ``factors``
    0…5 are means, ``kinds`` and ``faults`` those that any of them named, ``turns`` what each says it turns on."""

    text: str
    joke: float
    complete: float
    kinds: frozenset[str]
    factors: dict[str, float]
    faults: frozenset[str]
    turns: tuple[str, ...]


@dataclass
class ReadingsFile:
    """A file's texts; ``ids`` beside them. ``bad``: sentences about lines that can't be used."""

    name: str
    rows: list[ReadText] = field(default_factory=list)
    ids: list[str | None] = field(default_factory=list)
    bad: list[str] = field(default_factory=list)


def read_reference(source: str) -> ReadingsFile:
    """Read ``--reference``. Raises ``UsageError`` ``E_EVALUATE_EMPTY`` where no line can be used, ``InputError`` where
    the file can't be read."""
    try:
        lines = read_bytes(source).decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise InputError("E_INPUT_FILE", f"The file {source} isn't UTF-8 text.", "Save it as UTF-8.") from error
    found = ReadingsFile("standard input" if source == "-" else Path(source).name)
    of_text: dict[str, list[ReadText]] = {}
    ids: dict[str, str | None] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            value = parse_json(line)
            read = _reading(value)
        except (ValueError, KeyError, TypeError, AttributeError, InputError) as error:
            why = f"{error} is missing" if isinstance(error, KeyError) else str(error)
            found.bad.append(f"line {number} is no reading ({why[:80]})")
            continue
        of_text.setdefault(read.text, []).append(read)
        ids.setdefault(read.text, str(value["id"])[:200] if value.get("id") is not None else None)
    found.rows = [_together(group) for group in of_text.values()]
    found.ids = list(ids.values())
    if not found.rows:
        first = f"; {found.bad[0]}" if found.bad else ""
        raise UsageError("E_EVALUATE_EMPTY", f"{source} has no reading{first}.", _HINT)
    return found


def _reading(value: Any) -> ReadText:
    if not isinstance(value, dict) or not isinstance(value["text"], str):
        raise ValueError("it has no text")
    core = value.get("core") or ()
    if core and len(core) != len(CORE):
        raise ValueError(f"core holds {len(core)} scores, not {len(CORE)}")
    factors = dict(zip(CORE, map(_score, core), strict=False))
    factors |= {str(id): _score(score) for id, score in (value.get("more") or {}).items()}
    turn = value.get("turn") or ""
    if not isinstance(turn, str):
        raise ValueError("turn is no text")
    turn = turn.replace("\r\n", "\n").strip()
    return ReadText(
        text=clean_text(value["text"]),
        joke=_share(value.get("joke", 1)),
        complete=_share(value.get("complete", 1)),
        kinds=frozenset(with_wider(_names(value.get("kinds") or ()))),
        factors=factors,
        faults=_names(value.get("faults") or ()),
        turns=(turn,) if turn else (),
    )


def _together(group: list[ReadText]) -> ReadText:
    scored = {id for read in group for id in read.factors}
    return ReadText(
        text=group[0].text,
        joke=_mean(read.joke for read in group),
        complete=_mean(read.complete for read in group),
        kinds=frozenset().union(*(read.kinds for read in group)),
        factors={id: _mean(read.factors[id] for read in group if id in read.factors) for id in sorted(scored)},
        faults=frozenset().union(*(read.faults for read in group)),
        turns=tuple(dict.fromkeys(turn for read in group for turn in read.turns)),
    )


def _mean(values: Iterable[float]) -> float:
    known = list(values)
    return math.fsum(known) / len(known)


def _names(value: Any) -> frozenset[str]:
    if not isinstance(value, list | tuple) or len(value) > _MOST_NAMES or not all(isinstance(id, str) for id in value):
        raise ValueError("kinds and faults are lists of names")
    return frozenset(value)


def _score(value: Any) -> float:
    if type(value) not in (int, float) or not 0 <= value <= 5:
        raise ValueError("a score isn't 0 to 5")
    return float(value)


def _share(value: Any) -> float:
    if type(value) not in (int, float, bool) or not 0 <= value <= 1:
        raise ValueError("joke and complete are 0 or 1")
    return float(value)
