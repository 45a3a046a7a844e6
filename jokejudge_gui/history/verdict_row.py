"""The history row of one running verdict, from its beginning to its end."""

from __future__ import annotations

import logging

from ..errors import JokeJudgeError
from ..verdicts import DuelResult, ErrorInfo, Kind, RatingResult, Result, Status
from .store import HistoryStore

_log = logging.getLogger(__name__)


class VerdictRow:
    """The row of one verdict, if it is to have one (``record``)."""

    def __init__(self, store: HistoryStore, record: bool) -> None:
        self._store = store
        self._record = record
        self._begun = False

    def begin(self, kind: Kind, result: RatingResult | DuelResult) -> None:
        if not self._record:
            return
        texts = (result.text, None) if isinstance(result, RatingResult) else (result.text_a, result.text_b)
        self._store.begin(
            id=result.id,
            kind=kind,
            text_a=texts[0],
            text_b=texts[1],
            mode=result.mode,
            model=result.model,
            prompt_version=result.prompt_version,
            criteria_version=result.criteria_version,
            seed=result.seed,
        )
        self._begun = True

    def save(self, result: Result) -> None:
        if self._begun:
            self._store.save_partial(result.id, result)

    def end(self, status: Status, result: Result, error: ErrorInfo | None = None) -> None:
        if self._begun:
            self._store.end(result.id, status, result, error)
            self._begun = False

    def end_quietly(self, status: Status, result: Result, error: ErrorInfo | None = None) -> None:
        """End a row after a failure, whose own sentence matters more than the history's."""
        try:
            self.end(status, result, error)
        except JokeJudgeError as second:
            _log.warning("the history row could not be ended: %s", second)
