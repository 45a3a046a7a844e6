"""The card of the editor's heads: what each answer is worth on this model, measured on texts that the heads hadn't
seen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from ...errors import ModelError
from ...verdicts import Frozen, ModelRef


class ItemFigure(Frozen):
    """``worth``: correlation with the readings (factors), or area under the curve (all else), with its 95 % interval
    from ``low`` to ``high``; ``n``: texts, ``named``: those in which a reader named it."""

    worth: float
    low: float
    high: float
    n: int
    named: int


class EditorFigures(Frozen):
    """Figures of the heads as a whole. ``kinds_first``: how often the likeliest kind is one of the reader's, of all
    jokes; ``kinds_first_shown``: of those jokes (share ``kinds_any``) for which a kind has p ≥ .5; precision and recall
    of kinds and faults at p ≥ .5; ``*_error``: calibration errors, of those stated at p ≥ .1; ``turn``: the words shown
    overlap the reader's and are no longer than three times theirs."""

    factors: float
    factors_shown: int
    kinds: float
    kinds_first: float
    kinds_first_shown: float
    kinds_any: float
    kinds_precision: float
    kinds_recall: float
    kinds_error: float
    faults: float
    faults_precision: float
    faults_recall: float
    faults_error: float
    turn: float
    turn_error: float
    joke: float
    complete: float
    cut: float


class EditorCard(Frozen):
    """``items[section][id]``; sections: factor, kind, fault, check."""

    format: Literal[1] = 1
    model: ModelRef
    version: str
    date: str
    command: str
    data: str
    readings: int
    drafts: int
    note: str
    figures: EditorFigures
    items: dict[str, dict[str, ItemFigure]]

    @classmethod
    def load(cls, path: Path) -> EditorCard:
        """Raises ``ModelError`` ``E_EDITOR_DAMAGED``."""
        try:
            return cls.model_validate_json(path.read_bytes())
        except (OSError, ValidationError) as error:
            raise ModelError(
                "E_EDITOR_DAMAGED",
                f"The card of the editor's heads {path.name} can't be read.",
                "Delete it and the heads beside it, or install the program again.",
            ) from error

    def text(self) -> str:
        """As it is written to a file."""
        return json.dumps(self.model_dump(mode="json"), indent=1, ensure_ascii=False) + "\n"
