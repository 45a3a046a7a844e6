"""What a contest needs of the history beside its verdict: what the user says is kept, and jokes seen before found."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from ...batch.contest import write_notes
from ...core.errors import JokeJudgeError, restore
from ...core.events import Failed
from ...engine.base import CancelToken
from ...history.query import HistoryRow
from ...history.store import HistoryStore
from ...judge.contest.types import ContestResult
from ...learning.entry_votes import thumbs, vote_on_entry, vote_on_pair
from ..judge_worker import JobEvent, JudgeWorker
from ..widgets.layout import single_shot
from .state import ContestState

_REST_MS = 500


@dataclass(frozen=True)
class _Seen:
    state: ContestState
    texts: frozenset[str]
    votes: Mapping[str, str]


@dataclass(frozen=True)
class _Kept:
    number: int
    state: ContestState
    row: HistoryRow | None


@dataclass(frozen=True)
class _Voted:
    state: ContestState
    votes: Mapping[str, str]


class Keeper(QObject):
    """Reads and writes in ``worker``'s thread. ``seen`` carries a state in which something was seen or voted on before;
    ``kept`` a history row whose tags were changed; ``voted`` a state whose votes were; ``failed`` an error."""

    seen = Signal(object)
    kept = Signal(object)
    voted = Signal(object)
    failed = Signal(object)

    def __init__(self, store: HistoryStore, worker: JudgeWorker, parent: QObject) -> None:
        super().__init__(parent)
        self._store, self.worker = store, worker
        self._waiting: ContestState | None = None
        self._number = 0
        self._rest = single_shot(self, self._write, _REST_MS)

    # What the user says

    def touch(self, state: ContestState) -> None:
        """The user has said something of a contest's entries; it may be running."""
        if self._waiting is not None and self._waiting is not state:
            self.write_now()
        self._waiting = state
        self._number += 1
        self._rest.start()

    def write_now(self) -> None:
        """Write what is still to be written, here and now."""
        self._rest.stop()
        state, self._waiting = self._waiting, None
        if state is None or state.id is None:
            return
        try:
            write_notes(self._store, state.id, state.notes)
        except JokeJudgeError as error:
            self.failed.emit(error)

    def _write(self) -> None:
        state, number = self._waiting, self._number
        if state is None or state.id is None:
            return
        identity, notes = state.id, state.notes

        def start(_token: CancelToken) -> Iterator[object]:
            yield _Kept(number, state, write_notes(self._store, identity, notes))

        self.worker.submit("marks", start, self._on_event)

    # Votes

    def vote(self, state: ContestState, result: ContestResult, id: str, choice: str | None) -> None:
        """Keep a thumb for an entry; None: take it back."""

        def change() -> None:
            if choice is not None:
                vote_on_entry(self._store, result, id, choice)
                return
            text = next(entry.text for entry in result.entries if entry.id == id)
            earlier = thumbs(self._store, [text]).get(text)
            if earlier is not None:
                self._store.votes.remove(earlier.id)

        self._vote(state, change)

    def choose(self, state: ContestState, result: ContestResult, ids: tuple[str, str], choice: str) -> None:
        """Keep a blind choice between two entries."""
        self._vote(state, lambda: vote_on_pair(self._store, result, ids, choice, blind=True))

    def _vote(self, state: ContestState, change: Callable[[], object]) -> None:
        texts = [entry.text for entry in state.entries]

        def start(_token: CancelToken) -> Iterator[object]:
            change()
            yield _Voted(state, self._thumbs(texts))

        self.worker.submit("vote", start, self._on_event)

    def _thumbs(self, texts: Sequence[str]) -> dict[str, str]:
        return {text: vote.choice for text, vote in thumbs(self._store, texts).items()}

    # What was before

    def look_for(self, state: ContestState, texts: Sequence[str], before: str | None) -> None:
        """Find which of these texts were judged before, and the votes on them; ``before``: by verdicts older than the
        one with this id."""

        def start(_token: CancelToken) -> Iterator[object]:
            yield _Seen(state, self._store.seen(texts, before), self._thumbs(texts))

        self.worker.submit("seen", start, self._on_event)

    def _on_event(self, item: JobEvent) -> None:
        match item.event:
            case _Kept(number=number, state=state, row=row):
                if number == self._number:
                    self._waiting = None
                if row is not None:
                    self.kept.emit(row)
            case _Seen(state=state, texts=texts, votes=votes) if texts or votes:
                state.seen, state.votes = texts, votes
                self.seen.emit(state)
            case _Voted(state=state, votes=votes):
                state.votes = votes
                self.voted.emit(state)
            case Failed(error=error):
                self.failed.emit(restore(error))
