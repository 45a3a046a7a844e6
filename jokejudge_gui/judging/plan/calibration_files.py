"""Where calibrations lie: one file for each model, its figures by question, so that a question keeps what was measured
of it whatever else is reworded."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from ...files import atomic_write
from .calibration_types import Baseline, Calibration, CheckCalibration, DuelCalibration, ScoreCalibration
from .noise import Noise
from .question_keys import QuestionKeys, in_form
from .verbalisers import AnswerWords

FORMAT = 2
_NOISE = "noise"
_STEPS = "steps/"
_MOST_BYTES = 4 << 20
_MOST_ENTRIES = 4000
"""Entries that a file keeps: those of the present questions, and of others that were asked before, until it is full."""
Figures = TypeVar("Figures", bound=BaseModel)
Entries = dict[str, Any]


class CalibrationFiles:
    """Calibrations that ship with the program and those measured on this machine, the latter first, entry by entry."""

    def __init__(self, shipped: Path, own: Path) -> None:
        self._shipped = shipped
        self._own = own

    def load(self, sha256: str, keys: QuestionKeys) -> Calibration:
        """What is known of a model's answers to the questions with these keys. What is missing, and what can't be true
        (a damaged file, no number, too few levels), isn't in it, and will be measured."""
        found = [_entries(folder, sha256) for folder in (self._own, self._shipped)]

        def one(key: str, kind: type[Figures]) -> Figures | None:
            for entries in found:
                if key and key in entries:
                    try:
                        return kind.model_validate(entries[key])
                    except (ValidationError, RecursionError):
                        continue  # the shipped one may do; else it is measured: it is never the only copy of anything
            return None

        def several(wanted: Mapping[str, str], kind: type[Figures], form: str | None = "") -> dict[str, Figures]:
            known = {item: one(key if form == "" else in_form(key, form), kind) for item, key in wanted.items()}
            return {item: figures for item, figures in known.items() if figures is not None}

        check_words, alone_words = one(keys.check_words, AnswerWords), one(keys.alone_words, AnswerWords)
        check_form = check_words.form if check_words else None
        alone_form = alone_words.form if alone_words else None
        return Calibration(
            model_sha256=sha256,
            keys=keys,
            checks=several(keys.checks, CheckCalibration, check_form),
            categories=several(keys.categories, Baseline),
            relevance=several(keys.relevance, Baseline),
            scores=several(keys.scores, ScoreCalibration),
            duel=one(in_form(keys.duel, alone_form), DuelCalibration),
            noise=one(_NOISE, Noise),
            check_words=check_words,
            alone_words=alone_words,
        )

    def save(self, calibration: Calibration) -> Path:
        """Write a calibration among the user's own and return where. Entries of other questions stay."""
        return self._put(calibration.model_sha256, _as_entries(calibration))

    def steps(self, sha256: str, key: str) -> str | None:
        """Evaluation steps that a model wrote (empty: it couldn't), by the versions that ``key`` names."""
        value = _entries(self._own, sha256).get(_STEPS + key)
        return value if isinstance(value, str) else None

    def save_steps(self, sha256: str, key: str, steps: str) -> None:
        """Keep them."""
        self._put(sha256, {_STEPS + key: steps})

    def _put(self, sha256: str, mine: Entries) -> Path:
        before = _entries(self._own, sha256)
        kept = {key: value for key, value in before.items() if key not in mine}
        for key in list(kept)[: max(0, len(kept) + len(mine) - _MOST_ENTRIES)]:
            del kept[key]
        content = {"format": FORMAT, "model_sha256": sha256, "entries": {**kept, **mine}}
        path = self._own / _name(sha256)
        atomic_write(path, json.dumps(content, indent=1, ensure_ascii=False) + "\n")
        return path


def _name(sha256: str) -> str:
    return f"{sha256[:16]}.json"


def _entries(folder: Path, sha256: str) -> Entries:
    """A file's entries as they stand there; none where it is missing, damaged or of another model."""
    path = folder / _name(sha256)
    try:
        if not path.is_file() or path.stat().st_size > _MOST_BYTES:
            return {}
        # Not ``read_json``, which refuses a whole file for one number that isn't finite: here its entry alone is.
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(data, dict) or (data.get("format"), data.get("model_sha256")) != (FORMAT, sha256):
        return {}
    entries = data.get("entries")
    return entries if isinstance(entries, dict) else {}


def _as_entries(calibration: Calibration) -> Entries:
    """A calibration by key. What has no key can't be found again, and isn't kept."""
    keys = calibration.keys
    found: dict[str, BaseModel | None] = {
        _NOISE: calibration.noise,
        keys.check_words: calibration.check_words,
        keys.alone_words: calibration.alone_words,
        in_form(keys.duel, calibration.alone_form) if keys.duel else "": calibration.duel,
    }
    for item, check in calibration.checks.items():
        if item in keys.checks:
            found[in_form(keys.checks[item], calibration.check_form)] = check
    for wanted, figures in (
        (keys.categories, calibration.categories),
        (keys.relevance, calibration.relevance),
        (keys.scores, calibration.scores),
    ):
        found.update({wanted[item]: value for item, value in figures.items() if item in wanted})
    return {key: value.model_dump(mode="json") for key, value in found.items() if key and value is not None}
