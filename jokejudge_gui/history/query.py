"""Queries of the history, and their results."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from ..core.errors import ErrorInfo
from ..core.verdict_kinds import Headline, Subject
from ..core.verdicts import Frozen, Mode, ModelRef, Status, VerdictResult

Sort = Literal["newest", "oldest", "score_high", "score_low"]


class HistoryQuery(Frozen):
    """A query: which verdicts, in which order, and which page of them.

    ``text``: words that must all occur (the last may be a beginning); empty lists everything. An empty ``kinds`` or
    ``statuses`` means any. ``tag`` is a whole tag, whatever its case. The score orders go by the headline's value;
    verdicts without one come last in both. ``parent``: list the children of the verdict with this id; None: the
    verdicts without a parent. ``after``: id of the last row of the previous page; quicker than ``offset`` and not
    affected by new rows.
    """

    text: str = ""
    kinds: tuple[str, ...] = ()
    statuses: tuple[Status, ...] = ()
    starred: bool | None = None
    tag: str | None = None
    sort: Sort = "newest"
    parent: str | None = None
    limit: int = Field(100, ge=0)
    offset: int = Field(0, ge=0)
    after: str | None = None


class HistoryRow(Frozen):
    """A verdict as a row of a list. ``created`` is aware, in UTC. ``headline`` is None if there is no readable result.
    ``parent``: the id of the parent verdict. ``error`` is a sentence."""

    id: str
    kind: str
    created: datetime
    status: Status
    subjects: tuple[Subject, ...]
    headline: Headline | None = None
    parent: str | None = None
    starred: bool = False
    tags: tuple[str, ...] = ()
    note: str = ""
    model_name: str | None = None
    error: str | None = None

    @property
    def texts(self) -> tuple[str, ...]:
        """Its texts, in the order of its kind's ``fields``."""
        return tuple(subject.text for subject in self.subjects)

    @property
    def text_a(self) -> str:
        """The first text."""
        return self.subjects[0].text if self.subjects else ""

    @property
    def text_b(self) -> str | None:
        """The second text, if there is one."""
        return self.subjects[1].text if len(self.subjects) > 1 else None


class HistoryEntry(Frozen):
    """A verdict with its result. ``result`` is None if the job ended before there was any, or if it can't be read;
    ``error``: the reason why the job failed."""

    row: HistoryRow
    result: VerdictResult | None
    mode: Mode
    seed: int
    prompt_version: str
    criteria_version: str
    model: ModelRef | None
    error: ErrorInfo | None = None
