"""The contest in the Contest tab: the job's progress around its ``Desk``, and what of the desk is stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Self

from PySide6.QtCore import QObject

from ...core.errors import JokeJudgeError
from ...core.events import Stage
from ...history.query import HistoryEntry
from ...history.store import HistoryStore
from ...judge.contest.desk import Desk
from ...judge.contest.record import ContestResult, RankedEntry
from ...judge.contest.words import estimated, jokes
from ..judge_worker import JudgeWorker
from ..look import wording
from ..verdict.tab import JobTab, Phase, VerdictState
from ..widgets.layout import single_shot

_DONE = {Stage.READING: "judged", Stage.ROUNDS: "scored in shuffled rounds", Stage.DUELS: "duels held"}
_REST_MS = 500


@dataclass(eq=False)
class ContestState(VerdictState):
    """One contest as it is shown. ``count``: number of jokes."""

    title: str = ""
    count: int = 0
    desk: Desk = field(default_factory=Desk)
    result: ContestResult | None = field(default=None, kw_only=True)

    @property
    def entries(self) -> tuple[RankedEntry, ...]:
        """The entries known so far, best first."""
        return self.result.entries if self.result is not None else ()

    @property
    def usable(self) -> bool:
        """Whether there is anything to look through."""
        return bool(self.desk.entries)

    @property
    def resumable(self) -> bool:
        """Whether the contest ended early and can be continued."""
        cut_off = self.phase in ("stopped", "interrupted", "failed") and bool(self.entries)
        return cut_off or (not self.live and self.waiting > 0)

    @property
    def waiting(self) -> int:
        """Number of jokes that wait to be judged."""
        return sum(entry.rank is None and entry.error is None for entry in self.entries)

    @property
    def estimated(self) -> bool:
        """Whether the order is informative."""
        return self.result is None or estimated(self.result)

    def marked(self) -> ContestResult | None:
        """Return the result with the user's notes on its entries."""
        return None if self.result is None else self.desk.notes.on(self.result)

    def load(self, entry: HistoryEntry) -> Self:
        if isinstance(entry.result, ContestResult):
            self.desk = Desk(entry.result)
            self.title, self.count = entry.result.title, len(entry.result.entries)
        else:
            self.title = entry.row.text_a.partition("\n")[0]
        return super().load(entry)

    def _take(self, result: ContestResult) -> None:
        self.result = self.desk.notes.on(result)
        self.desk.take(self.result)

    def _end(self, phase: Phase, result: Any) -> None:
        super()._end(phase, result)
        if self.desk.led:
            self.desk.lead()

    # Words

    @property
    def heading(self) -> str:
        """The name of the list."""
        context = self.result.context if self.result is not None else self.context
        return self.title or (f"{jokes(self.count)} about {context}" if context else jokes(self.count))

    @property
    def facts(self) -> str:
        """The progress of judging the list, or the time that it took."""
        if self.live:
            what = _DONE.get(self.stage) if self.stage is not None else None
            return self.doing({}, "")[0] if what is None or not self.total else self.progress(f" {what}")
        if self.resumable:
            return f"{len(self.desk.entries):,} of {self.count:,} judged"
        took = self.result.stage_seconds.get(Stage.READING.value) if self.result is not None else None
        return "" if took is None else f"judged in {wording.seconds(took)}"


class ContestRecorder(QObject):
    """Reads and writes the history for a tab, in ``worker``'s thread."""

    def __init__(self, store: HistoryStore, worker: JudgeWorker, tab: JobTab) -> None:
        super().__init__(tab)
        self._store, self.worker, self._tab = store, worker, tab
        self._unwritten: dict[ContestState, int] = {}
        """The contests with notes that aren't in the history yet, with the number of the last change."""
        self._number = 0
        self._rest = single_shot(self, self.write_soon, _REST_MS)

    def touch(self, state: ContestState) -> None:
        """Note that the user changed the notes of a contest, which may be running, and write them soon."""
        self._number += 1
        self._unwritten[state] = self._number
        self._rest.start()

    def write_soon(self) -> int:
        """Write pending notes in the worker's thread, before its later calls. Return a number that grows with each
        change of notes."""
        self._rest.stop()
        for state, number in self._unwritten.items():
            if state.id is not None:
                write = partial(self._store.revise, state.id, state.desk.notes.on)
                self.worker.call("marks", write, partial(self._on_written, state, number), self._tab.trouble.emit)
        return self._number

    def _on_written(self, state: ContestState, number: int, _none: None) -> None:
        if self._unwritten.get(state) == number:
            del self._unwritten[state]

    def write_now(self) -> None:
        """Write pending notes in this thread."""
        self._rest.stop()
        states, self._unwritten = [*self._unwritten], {}
        try:
            for state in states:
                if state.id is not None:
                    self._store.revise(state.id, state.desk.notes.on)
        except JokeJudgeError as error:
            self._tab.trouble.emit(error)

    def seen(self, texts: Sequence[str]) -> Mapping[str, str]:
        """Return the newest verdict on each text that was judged before, by the text."""
        try:
            return self._store.seen(texts)
        except JokeJudgeError as error:
            self._tab.trouble.emit(error)
            return {}
