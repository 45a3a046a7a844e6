"""The history row of one running verdict, from its beginning to its end."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from ..core.errors import ErrorInfo, JokeJudgeError
from ..core.verdict_kinds import Subject
from ..core.verdicts import Status, VerdictResult
from .store import HistoryStore

_log = logging.getLogger(__name__)


class VerdictRow:
    """The row of one verdict; no ``store``: it is to have none."""

    def __init__(self, store: HistoryStore | None) -> None:
        self._store = store
        self._begun = False

    def begin(self, kind: str, subjects: Sequence[Subject], result: VerdictResult, parent: str | None = None) -> None:
        """Add the row. ``parent``: the id of the verdict that this one belongs to."""
        if self._store is None:
            return
        self._store.begin(
            id=result.id,
            kind=kind,
            subjects=subjects,
            parent=parent,
            mode=result.mode,
            model=result.model,
            prompt_version=result.prompt_version,
            criteria_version=result.criteria_version,
            seed=result.seed,
        )
        self._begun = True

    def take_up(self, kind: str, subjects: Sequence[Subject], result: VerdictResult) -> None:
        """Go on with a row that is there and has ended."""
        if self._store is None:
            return
        self._store.take_up(
            id=result.id,
            kind=kind,
            subjects=subjects,
            mode=result.mode,
            model=result.model,
            prompt_version=result.prompt_version,
            criteria_version=result.criteria_version,
            seed=result.seed,
        )
        self._begun = True

    def save(self, result: VerdictResult) -> None:
        """Keep a result as far as it has come."""
        if self._store is not None and self._begun:
            self._store.save_partial(result.id, result)

    def end(self, status: Status, result: VerdictResult, error: ErrorInfo | None = None) -> None:
        """Close the row, if it was begun."""
        if self._store is not None and self._begun:
            self._store.end(result.id, status, result, error)
            self._begun = False

    def end_quietly(self, status: Status, result: VerdictResult, error: ErrorInfo | None = None) -> None:
        """End a row after a failure, whose own sentence matters more than the history's."""
        try:
            self.end(status, result, error)
        except JokeJudgeError as second:
            _log.warning("the history row could not be ended: %s", second)
