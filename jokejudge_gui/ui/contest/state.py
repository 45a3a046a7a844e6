"""The state of a contest in the Contest tab, folded from events or read from the history."""

from __future__ import annotations

import threading
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
from ...judge.contest.contest_judge import DuelHeld, EntryRead
from ...judge.contest.desk import Cut, Desk, Part, cut_of
from ...judge.contest.notes import DeskState, EntryNote
from ...judge.contest.record import ContestResult, Notes, RankedEntry
from ...judge.contest.words import jokes
from ...learning.entry_votes import thumbs, vote_on_entry
from ..judge_worker import JudgeWorker
from ..look import wording
from ..verdict.tab import Phase, VerdictState, VerdictTab
from ..widgets.layout import single_shot

COUNTED = (StageProgress, EntryRead, DuelHeld)
"""Progress events that come once for each joke or duel, and needn't be drawn one by one."""


@dataclass(frozen=True)
class Undo:
    """Earlier notes on some entries, by id (``said``), and the id of the joke that was shown (``at``)."""

    said: Mapping[str, EntryNote]
    at: str


@dataclass
class ContestState(VerdictState):
    """One contest as it is shown. ``count``: number of jokes; ``notes``: the user's notes on them, which the judge of a
    running contest reads, too; ``seen``: texts that were rated or compared before; ``part``: the part of the list that
    is shown; ``at``: id of the current joke, empty where all are read; ``led``: the program chose that joke, so it
    moves to the best one when the contest ends; ``undone``: changes that can be undone, the last at the end."""

    title: str = ""
    count: int = 0
    notes: Notes = field(default_factory=Notes)
    seen: frozenset[str] = frozenset()
    part: Part = "read"
    at: str = ""
    led: bool = True
    undone: list[Undo] = field(default_factory=list)
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
        if not self.at:
            kept = self.notes.desk
            if kept is not None and kept.at in self.desk.entries:
                self.at, self.led = kept.at, False
                if self.desk.part_of(self.at) != self.part:
                    self.part = self.desk.part_of(self.at) if self.desk.stays(self.at) else "all"
            else:
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
        order, held = (result.order, result.held) if result is not None else ((), ())
        self.desk = Desk(self.entries, self.notes, order, held)

    # The user's notes

    def say(self, ids: Sequence[str], change: Callable[[EntryNote], EntryNote], *, undo: bool = True) -> None:
        """Change the notes on some entries. ``undo``: the change can be undone."""
        self.say_each({id: change(self.notes[id]) for id in ids}, undo=undo)

    def say_each(self, said: Mapping[str, EntryNote], *, undo: bool = True) -> None:
        """Set the notes on entries, by id."""
        before, blind = {id: self.notes[id] for id in said}, self.desk.blind
        if undo:
            self.led = False
            self.undone.append(Undo(before, self.at))
        for id, note in said.items():
            self.notes[id] = note
        # Marks don't change the parts, unless they end a blind reading.
        if blind != self.desk.blind or any((note.back, note.chosen) != before[id][-2:] for id, note in said.items()):
            self.divide()

    def undo(self) -> Undo | None:
        """Undo the last change and return it; None where there is none."""
        if not self.undone:
            return None
        last = self.undone.pop()
        self.at = last.at
        self.say_each(last.said, undo=False)
        return last

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

    @property
    def keeps(self) -> int:
        """Number of jokes that the cut keeps."""
        size, desk = len(self.pool), self.notes.desk
        wanted = desk.cut if desk is not None else None
        return min(size, round(size * _CUT) if wanted is None else wanted)

    def cut(self) -> Cut:
        return cut_of(self.pool, self.keeps)

    @property
    def estimated(self) -> bool:
        """Whether the order is informative: it follows from an estimate of people's preferences or from the model's
        answers."""
        result = self.result
        if result is None or result.interval == "judge":
            return True
        return any(entry.reading is not None and entry.reading.agreement is not None for entry in result.entries)

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
            return self.progress
        if self.resumable:
            return f"{len(self.desk.entries):,} of {self.count:,} read"
        seconds = self.result.stage_seconds.get(Stage.READING.value) if self.result is not None else None
        if seconds is None:
            return ""
        return f"read in {wording.seconds(seconds) if seconds < 10 or seconds >= 60 else f'{seconds:.0f} s'}"

    @property
    def progress(self) -> str:
        """The progress line."""
        if self.stage is None:
            return "Waiting: it begins when the model is free" if self.phase == "waiting" else ""
        if self.stage is Stage.LOADING:
            return wording.sentence_case(self.note or "loading the model")
        if self.stage is Stage.CALIBRATION:
            return "Measuring this model's habits, once for each model"
        what = {Stage.READING: "read", Stage.ROUNDS: "scored in shuffled rounds"}.get(self.stage, "duels held")
        if not self.total:
            return ""
        since = max(self._first, 0)
        left = wording.left(self.total - self.done, self.done - since, time.monotonic() - self._stage_begun)
        return f"{self.done:,} of {self.total:,} {what}{left}"

    def unranked(self) -> tuple[str, str] | None:
        """Return heading and sentence for a contest that ended with nothing to read; None for any other."""
        if self.usable or self.phase not in ("stopped", "interrupted", "finished"):
            return None
        if self.phase == "finished":
            return "Nothing could be read.", "None of them could be read as a joke."
        again = "Go on with it whenever you like." if self.resumable else "Begin again with a new list."
        return f"{'Stopped' if self.phase == 'stopped' else 'Cut off'} before anything was read.", again


_CUT = 0.3
"""Share of the list that the cut keeps initially."""


def state_of_fields(fields: Mapping[str, object]) -> tuple[ContestState, list[str]]:
    """Return the state of a contest requested with these fields, and the texts of its jokes."""
    entries = fields.get("entries")
    texts = []
    if isinstance(entries, Sequence):
        texts = [each["text"] if isinstance(each, Mapping) else each.text for each in entries]
    state = ContestState("waiting", title=str(fields.get("title", "")), count=len(texts))
    if isinstance(notes := fields.get("notes"), Notes):
        # The judge's own object: with each reading it stores the notes made meanwhile.
        state.notes = notes
    return state, texts


_REST_MS = 500


class ContestRecorder(QObject):
    """Reads and writes the history for a tab, in ``worker``'s thread."""

    def __init__(self, store: HistoryStore, worker: JudgeWorker, tab: VerdictTab) -> None:
        super().__init__(tab)
        self._store, self.worker, self._tab = store, worker, tab
        self._unwritten: dict[int, ContestState] = {}
        self._given: dict[int, ContestState] = {}
        self._votes: deque[Callable[[], None]] = deque()
        self._number = 0
        self._rest = single_shot(self, self.write_soon, _REST_MS)

    # Notes and votes

    def touch(self, state: ContestState) -> None:
        """Note that the user changed the notes of a contest, which may be running, and write them soon."""
        self._unwritten = {number: one for number, one in self._unwritten.items() if one is not state}
        self._number += 1
        self._unwritten[self._number] = state
        self._rest.start()

    def write_soon(self) -> int:
        """Write pending notes in the worker's thread, before its later calls. Return a number that grows with each
        change of notes."""
        self._rest.stop()
        for number, state in [*self._unwritten.items()]:
            if state.id is not None:
                self._given[number] = self._unwritten.pop(number)
                write = partial(write_notes, self._store, state.id, state.notes)
                self.worker.call("marks", write, partial(self._on_kept, number, state.id), self._tab.trouble.emit)
        return self._number

    def write_now(self) -> None:
        """Write pending notes and votes in this thread."""
        self._rest.stop()
        last = {state.id: state for state in (*self._given.values(), *self._unwritten.values())}
        self._given, self._unwritten = {}, {}
        for identity, state in last.items():
            try:
                if identity is not None:
                    write_notes(self._store, identity, state.notes)
            except JokeJudgeError as error:
                self._tab.trouble.emit(error)
        for change in self._votes:
            try:
                change()
            except JokeJudgeError as error:
                self._tab.trouble.emit(error)

    def vote(self, result: ContestResult, id: str, choice: str | None) -> None:
        """Store a blind thumb for an entry; None: remove it."""

        once = threading.Lock()

        def change() -> None:
            if not once.acquire(blocking=False):
                return  # the other thread was first
            if choice is not None:
                vote_on_entry(self._store, result, id, choice, blind=True)
                return
            text = next(entry.text for entry in result.entries if entry.id == id)
            earlier = thumbs(self._store, [text]).get(text)
            if earlier is not None:
                self._store.votes.remove(earlier.id)

        self._votes.append(change)
        self.worker.call("vote", change, self._on_voted, self._on_no_vote)

    def _on_voted(self, _none: None) -> None:
        self._votes.popleft()
        self._tab.votes_changed.emit()

    def _on_no_vote(self, error: JokeJudgeError) -> None:
        self._votes.popleft()
        self._tab.trouble.emit(error)

    # Earlier verdicts

    def look_for(self, state: ContestState, texts: Sequence[str], before: str | None) -> None:
        """Find the texts that were judged before. ``before``: count only verdicts older than the one with this id."""
        self.worker.call(
            "seen", partial(self._store.seen, texts, before), partial(self._on_seen, state), self._tab.trouble.emit
        )

    def _on_kept(self, number: int, identity: str, row: HistoryRow | None) -> None:
        self._given = {other: one for other, one in self._given.items() if other > number or one.id != identity}
        if row is not None and row.id == self._tab.state.id:
            self._tab.set_marks(row)

    def _on_seen(self, state: ContestState, found: frozenset[str]) -> None:
        if found:
            state.seen = found
            if state is self._tab.state:
                self._tab.draw()
