"""The contest in the Contest tab, folded from events or read from the history, and what the user says of it."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Self

from PySide6.QtCore import QObject

from ...batch.contest import write_notes
from ...core.errors import JokeJudgeError
from ...core.events import Stage, StageProgress, StageStarted
from ...core.texts import clean_text
from ...history.query import HistoryEntry, HistoryRow
from ...history.store import HistoryStore
from ...judge.contest.desk import Cut, Desk, Part, cut_of
from ...judge.contest.notes import DeskState, EntryNote
from ...judge.contest.record import ContestResult, Notes, RankedEntry
from ...judge.contest.words import estimated, jokes
from ...learning.taste import thumbs, vote_on_entry
from ..judge_worker import JudgeWorker
from ..look import wording
from ..verdict.tab import Phase, VerdictState, VerdictTab
from ..widgets.layout import single_shot

_CUT = 0.3
"""Share of the list that the cut keeps initially."""
_DONE = {Stage.READING: "read", Stage.ROUNDS: "scored in shuffled rounds", Stage.DUELS: "duels held"}
_REST_MS = 500


@dataclass(eq=False)
class ContestState(VerdictState):
    """One contest as it is shown. ``count``: number of jokes; ``notes``: the user's notes on them, which the judge of a
    running contest reads, too; ``seen``: texts that were rated or compared before; ``part``: the part of the list that
    is shown; ``at``: id of the current joke, empty where all are read; ``led``: the program chose that joke, so it
    moves to the best one when the contest ends; ``undone``: changes that can be undone, the last at the end: the
    earlier notes by id, and the joke that was shown."""

    title: str = ""
    count: int = 0
    notes: Notes = field(default_factory=Notes)
    seen: frozenset[str] = frozenset()
    part: Part = "read"
    at: str = ""
    led: bool = True
    undone: list[tuple[Mapping[str, EntryNote], str]] = field(default_factory=list)
    desk: Desk = field(default_factory=Desk)
    result: ContestResult | None = field(default=None, kw_only=True)
    _stage_begun: float = 0.0
    _first: int = 0

    @property
    def entries(self) -> tuple[RankedEntry, ...]:
        """The entries known so far, best first."""
        return self.result.entries if self.result is not None else ()

    @property
    def usable(self) -> bool:
        """Whether there is anything to read."""
        return bool(self.desk.entries)

    @property
    def resumable(self) -> bool:
        """Whether the contest ended early and can be continued."""
        cut_off = self.phase in ("stopped", "interrupted", "failed") and bool(self.entries)
        return cut_off or (not self.live and self.waiting > 0)

    @property
    def waiting(self) -> int:
        """Number of jokes that wait to be read."""
        return sum(entry.rank is None and entry.error is None for entry in self.entries)

    @property
    def current(self) -> RankedEntry | None:
        """The current joke."""
        return self.desk.entries.get(self.at)

    def marked(self) -> ContestResult | None:
        """Return the result with the user's notes on its entries."""
        return None if self.result is None else self.notes.on(self.result)

    def apply(self, event: object) -> None:
        """Process one event of the job."""
        super().apply(event)
        match event:
            case StageStarted():
                self._stage_begun, self._first = time.monotonic(), -1
            case StageProgress(done=done) if self._first < 0:
                self._first = done

    def load(self, entry: HistoryEntry) -> Self:
        if isinstance(entry.result, ContestResult):
            self.notes = Notes.of(entry.result)
            self.title, self.count = entry.result.title, len(entry.result.entries)
        else:
            self.title = entry.row.text_a.partition("\n")[0]
        return super().load(entry)

    def _take(self, result: ContestResult) -> None:
        self.result = self.notes.on(result)
        self.divide()
        kept = self.notes.desk
        if not self.at and kept is not None and kept.at in self.desk.entries:
            self.at, self.led = kept.at, False
            if self.desk.part_of(self.at) != self.part:
                self.part = self.desk.part_of(self.at) if self.desk.stays(self.at) else "all"
        elif not self.at:
            self._lead()

    def _end(self, phase: Phase, result: Any) -> None:
        super()._end(phase, result)
        if self.led:
            self._lead()

    def _lead(self) -> None:
        first = self.desk.next(self.part)
        self.at = first.id if first is not None else ""

    def divide(self) -> None:
        """Recompute the parts of the list, after a change of an entry or of the notes that decide its part."""
        result = self.result
        self.desk = Desk(self.entries, self.notes, *((result.order, result.held) if result is not None else ()))

    # The user's notes

    def say(self, ids: Sequence[str], *, undo: bool = True, **changes: object) -> None:
        """Change these fields of the notes on some entries. ``undo``: the change can be undone."""
        self.say_each({id: self.notes[id]._replace(**changes) for id in ids}, undo=undo)  # type: ignore[arg-type]

    def say_each(self, notes: Mapping[str, EntryNote], *, undo: bool = True) -> None:
        """Set the notes on entries, by id."""
        before, blind = {id: self.notes[id] for id in notes}, self.desk.blind
        if undo:
            self.led = False
            self.undone.append((before, self.at))
        for id, note in notes.items():
            self.notes[id] = note
        # Marks don't change the parts, unless they end a blind reading.
        parts = ("back", "chosen")
        moved = any(getattr(note, name) != getattr(before[id], name) for id, note in notes.items() for name in parts)
        if moved or blind != self.desk.blind:
            self.divide()

    def undo(self) -> list[str]:
        """Undo the last change; return the ids of its entries, none where there is no change."""
        if not self.undone:
            return []
        notes, self.at = self.undone.pop()
        self.say_each(notes, undo=False)
        if self.at and all(entry.id != self.at for entry in self.desk.rows(self.part)):
            self.part = "all"
        return list(notes)

    def keep_twin(self, id: str) -> list[str]:
        """Keep this twin instead of the others of its family, and go to it. Return the family's ids."""
        family = [id, *(twin.id for twin in self.desk.twins_of(id))]
        self.say_each({one: self.notes[one]._replace(chosen=one == id) for one in family})
        self.at = id
        return family

    def add_version(self, of: RankedEntry, text: str) -> bool:
        """Add a text as a new version of an entry, to be read when the contest continues. Return False where the list
        has the text already. Raises ``clean_text``'s errors."""
        clean, result = clean_text(text), self.marked()
        if result is None or any(one.text == clean for one in result.entries):
            return False
        self.notes.add_version(RankedEntry(id=result.next_id, text=clean, version_of=of.id))
        self.result = self.notes.on(result)
        self.count = len(self.result.entries)
        return True

    def keep_place(self, **changes: object) -> None:
        """Store the current joke and ``changes``, fields of ``DeskState``, in the notes."""
        before = self.notes.desk or DeskState()
        self.notes.desk = before.replaced(at="" if self.led else self.at, **changes)

    # The cut

    @property
    def pool(self) -> list[RankedEntry]:
        """The jokes that the cut divides, best first."""
        return self.desk.pool(self.part)

    def cut(self) -> Cut:
        """Return the cut through the jokes that are shown."""
        pool, desk = self.pool, self.notes.desk
        keep = round(len(pool) * _CUT) if desk is None or desk.cut is None else desk.cut
        return cut_of(pool, min(len(pool), keep))

    @property
    def estimated(self) -> bool:
        """Whether the order is informative."""
        return self.result is None or estimated(self.result)

    # Texts

    @property
    def heading(self) -> str:
        """The name of the list."""
        context = self.result.context if self.result is not None else self.context
        return self.title or (f"{jokes(self.count)} about {context}" if context else jokes(self.count))

    @property
    def facts(self) -> str:
        """The progress of reading the list, or the time that it took."""
        if self.live:
            return self._progress()
        if self.resumable:
            return f"{len(self.desk.entries):,} of {self.count:,} read"
        took = self.result.stage_seconds.get(Stage.READING.value) if self.result is not None else None
        if took is None:
            return ""
        return f"read in {wording.seconds(took) if took < 10 or took >= 60 else f'{took:.0f} s'}"

    def _progress(self) -> str:
        what = _DONE.get(self.stage) if self.stage is not None else None
        if what is None or not self.total:
            return self.doing({}, "")[0]
        done = self.done - max(self._first, 0)
        left = wording.left(self.total - self.done, done, time.monotonic() - self._stage_begun)
        return f"{self.done:,} of {self.total:,} {what}{left}"


def state_of_fields(fields: Mapping[str, object]) -> tuple[ContestState, list[str]]:
    """Return the state of a contest requested with these fields, and the texts of its jokes."""
    entries = fields.get("entries")
    texts = []
    if isinstance(entries, Sequence):
        texts = [entry["text"] if isinstance(entry, Mapping) else entry.text for entry in entries]
    state = ContestState("waiting", title=str(fields.get("title", "")), count=len(texts))
    if isinstance(notes := fields.get("notes"), Notes):
        # The judge's own object: with each reading it stores the notes made meanwhile.
        state.notes = notes
    return state, texts


class ContestRecorder(QObject):
    """Reads and writes the history for a tab, in ``worker``'s thread."""

    def __init__(self, store: HistoryStore, worker: JudgeWorker, tab: VerdictTab) -> None:
        super().__init__(tab)
        self._store, self.worker, self._tab = store, worker, tab
        self._unwritten: dict[ContestState, int] = {}
        """The contests with notes that aren't in the history yet, with the number of the last change."""
        self._votes: deque[Callable[[], None]] = deque()
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
                write = partial(write_notes, self._store, state.id, state.notes)
                self.worker.call("marks", write, partial(self._on_written, state, number), self._tab.trouble.emit)
        return self._number

    def write_now(self) -> None:
        """Write pending notes and votes in this thread."""
        self._rest.stop()
        unwritten, self._unwritten = self._unwritten, {}
        for state in unwritten:
            if state.id is not None:
                self._try(partial(write_notes, self._store, state.id, state.notes))
        self._try(self._write_votes)

    def _try(self, act: Callable[[], object]) -> None:
        try:
            act()
        except JokeJudgeError as error:
            self._tab.trouble.emit(error)

    def _on_written(self, state: ContestState, number: int, row: HistoryRow | None) -> None:
        if self._unwritten.get(state) == number:
            del self._unwritten[state]
        if row is not None and row.id == self._tab.state.id:
            self._tab.set_marks(row)

    def vote(self, result: ContestResult, id: str, choice: str | None) -> None:
        """Store a blind thumb for an entry; None: remove it."""

        def change() -> None:
            if choice is not None:
                vote_on_entry(self._store, result, id, choice, blind=True)
                return
            text = next(entry.text for entry in result.entries if entry.id == id)
            earlier = thumbs(self._store, [text]).get(text)
            if earlier is not None:
                self._store.votes.remove(earlier.id)

        self._votes.append(change)
        self.worker.call("vote", self._write_votes, self._on_voted, self._tab.trouble.emit)

    def _on_voted(self, _none: None) -> None:
        self._tab.votes_changed.emit()

    def _write_votes(self) -> None:
        """Write all pending votes; each is taken by one thread alone."""
        while self._votes:
            try:
                change = self._votes.popleft()
            except IndexError:
                return
            change()

    def find_seen(self, state: ContestState, texts: Sequence[str], before: str | None) -> None:
        """Find the texts that were judged before. ``before``: count only verdicts older than the one with this id."""
        find = partial(self._store.seen, texts, before)
        self.worker.call("seen", find, partial(self._on_seen, state), self._tab.trouble.emit)

    def _on_seen(self, state: ContestState, seen: frozenset[str]) -> None:
        state.seen = seen
        if seen and state is self._tab.state:
            self._tab.draw()
