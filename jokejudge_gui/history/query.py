"""What is asked of the history, and what it answers."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from ..verdicts import ErrorInfo, Frozen, Kind, Mode, ModelRef, Result, Status, Winner

Sort = Literal["newest", "oldest", "score_high", "score_low"]


class HistoryQuery(Frozen):
    """Which verdicts, in which order, and which page of them.

    ``text``: words that must all occur (the last may be a beginning); empty lists everything. An empty ``kinds`` or
    ``statuses`` means any. ``tag`` is a whole tag, whatever its case. Verdicts without a score come last in both score
    orders. ``after``: id of the last row of the page before; quicker than ``offset`` and unmoved by new rows."""

    text: str = ""
    kinds: tuple[Kind, ...] = ()
    statuses: tuple[Status, ...] = ()
    starred: bool | None = None
    tag: str | None = None
    sort: Sort = "newest"
    limit: int = Field(100, ge=0)
    offset: int = Field(0, ge=0)
    after: str | None = None


class HistoryRow(Frozen):
    """A verdict as lists show it. ``created`` is aware, in UTC. ``mean_score`` in 0…5, ratings only;
    ``confidence_factor`` ≥ 1, duels only. ``error`` is a sentence."""

    id: str
    kind: Kind
    created: datetime
    status: Status
    text_a: str
    text_b: str | None = None
    mean_score: float | None = None
    winner: Winner | None = None
    confidence_factor: float | None = None
    starred: bool = False
    tags: tuple[str, ...] = ()
    note: str = ""
    model_name: str | None = None
    error: str | None = None
    admissible: bool | None = None


class HistoryEntry(Frozen):
    """A verdict whole. ``result`` is None where the job ended before there was any; ``error`` says why it failed."""

    row: HistoryRow
    result: Result | None
    mode: Mode
    seed: int
    prompt_version: str
    criteria_version: str
    model: ModelRef | None
    error: ErrorInfo | None = None
