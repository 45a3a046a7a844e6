"""The second round of readings (models/training/second.jsonl). Its texts are in $JOKEJUDGE_DATA and may not be
redistributed, so each line names its text by source and row. Kinds that were added to the criteria since are in
more_kinds.jsonl, by a digest of the text."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import data
import numpy as np

from jokejudge_gui.core.texts import clean_text
from jokejudge_gui.learning.editor_data import Readings, readings_of

MORE = Path(__file__).with_name("more_kinds.jsonl")
WEIGHT = 0.4
"""Weight of such a reading relative to one of the first round: two of its readers agree less (LOG.md)."""


def first_and_second(first: Path, second: Path | None = None, more: Path = MORE) -> Readings:
    """Both rounds together, with the kinds that were added since; for a text read in both, only the first counts."""
    lines = _lines(first)
    added = {line["text"]: line["kinds"] for line in _lines(more)}
    of_text: dict[str, list[dict[str, Any]]] = {}
    for line in [*lines, *(second_round(second, lines) if second else ())]:
        text = clean_text(line["text"])
        of_text.setdefault(text, []).append(line | {"kinds": [*line["kinds"], *added.get(digest(text), ())]})
    return readings_of(of_text)


def digest(text: str) -> str:
    """A digest that stands for a cleaned text where the text itself may not be stored."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def second_round(path: Path, first: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the lines with their texts, each reader's scores brought to the mean and spread of the ``first``
    round's."""
    lines = _lines(path)
    texts = {source: _texts(source) for source in {line["source"] for line in lines}}
    usual = _scores(first)
    found = []
    for reader in sorted({line["reader"] for line in lines}):
        mine = [line for line in lines if line["reader"] == reader]
        scores = _scores(mine)
        gain = usual.std(axis=0) / np.maximum(scores.std(axis=0), 0.1)
        for line in mine:
            text = texts[line["source"]].get(line["id"])
            if text is None:
                continue
            core = np.clip((np.array(line["core"]) - scores.mean(axis=0)) * gain + usual.mean(axis=0), 0.0, 5.0)
            turn = "" if line["turn"] is None else text[slice(*line["turn"])]
            said = {"text": text, "turn": turn, "core": list(core), "weight": WEIGHT}
            found.append(line | said)
    return found


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line.strip()]


def _scores(lines: Sequence[dict[str, Any]]) -> Any:
    """(jokes, 16)"""
    return np.array([line["core"] for line in lines if line["joke"]], dtype=np.float64)


def _texts(source: str) -> dict[str, str]:
    return {row["id"]: row["text"].replace("\r\n", "\n").strip() for row in data.rows(source)}
