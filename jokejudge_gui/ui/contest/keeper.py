"""What a contest needs of the history beside its verdict: the user's marks are kept, and jokes seen before found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject, QTimer, Signal

from ...engine.base import CancelToken
from ...errors import JokeJudgeError, restore
from ...events import Failed
from ...history.store import HistoryStore
from ..frame.judge_worker import JobEvent, JudgeWorker
from .state import ContestState

_REST_MS = 500


@dataclass(frozen=True)
class _Seen:
    state: ContestState
    texts: frozenset[str]


@dataclass(frozen=True)
class _Kept:
    number: int


class Keeper(QObject):
    """Reads and writes in ``worker``'s thread. ``seen`` carries a state in which something was seen before; ``failed``
    an error."""

    seen = Signal(object)
    failed = Signal(object)

    def __init__(self, store: HistoryStore, worker: JudgeWorker, parent: QObject) -> None:
        super().__init__(parent)
        self._store, self._worker = store, worker
        self._waiting: ContestState | None = None
        self._number = 0
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(_REST_MS)
        self._rest.timeout.connect(self._write)

    def touch(self, state: ContestState) -> None:
        """The user's marks in a contest that has ended were changed."""
        if self._waiting is not None and self._waiting is not state:
            self.write_now()
        self._waiting = state
        self._number += 1
        self._rest.start()

    def write_now(self) -> None:
        """Write what is still to be written, here and now."""
        self._rest.stop()
        state, self._waiting = self._waiting, None
        result = state.marked() if state is not None else None
        if state is None or state.id is None or result is None:
            return
        try:
            self._store.amend(state.id, result)
        except JokeJudgeError as error:
            self.failed.emit(error)

    def _write(self) -> None:
        state, number = self._waiting, self._number
        result = state.marked() if state is not None else None
        if state is None or state.id is None or result is None:
            return
        identity = state.id

        def start(_token: CancelToken) -> Iterator[object]:
            self._store.amend(identity, result)
            yield _Kept(number)

        self._worker.submit("marks", start, self._on_event)

    def look_for(self, state: ContestState, texts: Sequence[str], before: str | None) -> None:
        """Find which of these texts were judged before; ``before``: by verdicts older than the one with this id."""

        def start(_token: CancelToken) -> Iterator[object]:
            yield _Seen(state, self._store.seen(texts, before))

        self._worker.submit("seen", start, self._on_event)

    def _on_event(self, item: JobEvent) -> None:
        match item.event:
            case _Kept(number=number) if number == self._number:
                self._waiting = None
            case _Seen(state=state, texts=texts) if texts:
                state.seen = texts
                self.seen.emit(state)
            case Failed(error=error):
                self.failed.emit(restore(error))
