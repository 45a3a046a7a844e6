"""What the Contest tab knows of a contest: folded from events as they come, or read from the history."""

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
from ...core.events import Interim, Stage, StageProgress, StageStarted
from ...history.query import HistoryEntry, HistoryRow
from ...history.store import HistoryStore
from ...judge.contest.desk import Cut, Desk, Part, cut_of
from ...judge.contest.scoring import DuelHeld, EntryRead
from ...judge.contest.types import ContestResult, DeskState, EntryNote, Notes, RankedEntry, waiting
from ...judge.contest.words import jokes
from ...learning.entry_votes import thumbs, vote_on_entry
from ..judge_worker import JudgeWorker
from ..look import wording
from ..verdict.tab import Phase, VerdictState, VerdictTab
from ..widgets.layout import single_shot

COUNTED = (StageProgress, EntryRead, DuelHeld)
"""Events that come once for each joke or duel: they say how far it has come, and needn't be drawn one by one."""


@dataclass(frozen=True)
class Undo:
    """What was said of some entries before, and which joke was shown."""

    said: Mapping[str, EntryNote]
    at: str


@dataclass
class ContestState(VerdictState):
    """One contest as it is shown. ``count``: how many jokes take part; ``notes``: what the user says of them, which the
    judge of a running contest reads, too; ``seen``: texts that were rated or compared before; ``part``: the part of the
    list that is shown, ``at``: id of the joke that is read, empty where all are, ``led``: the program chose it, so at
    the end it shows the best one; ``undone``: what can be undone, the last at the end."""

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
        """As far as they are known, best first."""
        return self.result.entries if self.result is not None else ()

    @property
    def usable(self) -> bool:
        """Whether there is anything to read."""
        return bool(self.desk.entries)

    @property
    def resumable(self) -> bool:
        """Whether it ended before its time and can go on."""
        cut_off = self.phase in ("stopped", "interrupted", "failed") and bool(self.entries)
        return cut_off or (not self.live and self.waiting > 0)

    @property
    def waiting(self) -> int:
        """How many jokes wait to be read."""
        return waiting(self.entries)

    def marked(self) -> ContestResult | None:
        """The result with what the user says of its entries."""
        return None if self.result is None else self.notes.on(self.result)

    def apply(self, event: object) -> None:
        """Take in one event of the job."""
        super().apply(event)
        match event:
            case StageStarted():
                self._stage_begun, self._first = time.monotonic(), -1
            case StageProgress(done=done) if self._first < 0:
                self._first = done
            case Interim(result=ContestResult() as result):
                self._take(result)

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
        """Find the parts of the list anew: an entry or what decides its part has changed."""
        result = self.result
        order, held = (result.order, result.held) if result is not None else ((), ())
        self.desk = Desk(self.entries, self.notes, order, held)

    # What the user says

    def say(self, ids: Sequence[str], change: Callable[[EntryNote], EntryNote], *, undo: bool = True) -> None:
        """Change what is said of some entries. ``undo``: it can be undone."""
        self.say_each({id: change(self.notes[id]) for id in ids}, undo=undo)

    def say_each(self, said: Mapping[str, EntryNote], *, undo: bool = True) -> None:
        """Say this of entries, by id."""
        before, blind = {id: self.notes[id] for id in said}, self.desk.blind
        if undo:
            self.led = False
            self.undone.append(Undo(before, self.at))
        for id, note in said.items():
            self.notes[id] = note
        # Marks leave the parts as they are, but for a blind reading that ends with them.
        if blind != self.desk.blind or any((note.back, note.chosen) != before[id][-2:] for id, note in said.items()):
            self.divide()

    def undo(self) -> Undo | None:
        """Take the last change back; None where there is none."""
        if not self.undone:
            return None
        last = self.undone.pop()
        self.at = last.at
        self.say_each(last.said, undo=False)
        return last

    def keep_place(self, **changes: object) -> None:
        """Keep where the reading stands, and how (fields of ``DeskState``)."""
        before = self.notes.desk or DeskState()
        self.notes.desk = before.replaced(at="" if self.led else self.at, **changes)

    # The cut

    @property
    def pool(self) -> list[RankedEntry]:
        """The jokes that the cut goes through, best first."""
        return self.desk.pool(self.part)

    @property
    def keeps(self) -> int:
        """How many of them the cut keeps."""
        size, desk = len(self.pool), self.notes.desk
        wanted = desk.cut if desk is not None else None
        return min(size, round(size * _CUT) if wanted is None else wanted)

    def cut(self) -> Cut:
        return cut_of(self.pool, self.keeps)

    @property
    def estimated(self) -> bool:
        """Whether the order says anything: it follows from an estimate of what people would like, or from what the
        model answered."""
        result = self.result
        if result is None or result.interval == "judge":
            return True
        return any(entry.reading is not None and entry.reading.agreement is not None for entry in result.entries)

    # In words

    @property
    def heading(self) -> str:
        """What the list is called."""
        context = self.result.context if self.result is not None else self.context
        return self.title or (f"{jokes(self.count)} about {context}" if context else jokes(self.count))

    @property
    def facts(self) -> str:
        """How far the list was read by the judge, or in which time."""
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
        """What is going on, in a line."""
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
        """Heading and sentence of a contest that ended without anything to read; None for any other."""
        if self.usable or self.phase not in ("stopped", "interrupted", "finished"):
            return None
        if self.phase == "finished":
            return "Nothing could be read.", "None of them could be read as a joke."
        again = "Go on with it whenever you like." if self.resumable else "Begin again with a new list."
        return f"{'Stopped' if self.phase == 'stopped' else 'Cut off'} before anything was read.", again


_CUT = 0.3
"""Share of the list that the cut keeps at first."""


def state_of_fields(fields: Mapping[str, object]) -> tuple[ContestState, list[str]]:
    """The state of a contest that was asked for by these fields of a request, and the texts that take part."""
    entries = fields.get("entries")
    texts = []
    if isinstance(entries, Sequence):
        texts = [each["text"] if isinstance(each, Mapping) else each.text for each in entries]
    state = ContestState("waiting", title=str(fields.get("title", "")), count=len(texts))
    if isinstance(notes := fields.get("notes"), Notes):
        # The judge's own: it keeps with each reading what is said meanwhile.
        state.notes = notes
    return state, texts


_REST_MS = 500


class ContestRecorder(QObject):
    """Reads and writes for a tab in ``worker``'s thread."""

    def __init__(self, store: HistoryStore, worker: JudgeWorker, tab: VerdictTab) -> None:
        super().__init__(tab)
        self._store, self.worker, self._tab = store, worker, tab
        self._unwritten: dict[int, ContestState] = {}
        self._given: dict[int, ContestState] = {}
        self._votes: deque[Callable[[], None]] = deque()
        self._number = 0
        self._rest = single_shot(self, self.write_soon, _REST_MS)

    # What the user says

    def touch(self, state: ContestState) -> None:
        """The user has said something of a contest's entries; it may be running."""
        self._unwritten = {number: one for number, one in self._unwritten.items() if one is not state}
        self._number += 1
        self._unwritten[self._number] = state
        self._rest.start()

    def write_soon(self) -> int:
        """Have what is still to be written written in the worker's thread, before what it is asked for later. Returns
        a number that is another one whenever something was said since."""
        self._rest.stop()
        for number, state in [*self._unwritten.items()]:
            if state.id is not None:
                self._given[number] = self._unwritten.pop(number)
                write = partial(write_notes, self._store, state.id, state.notes)
                self.worker.call("marks", write, partial(self._on_kept, number, state.id), self._tab.trouble.emit)
        return self._number

    def write_now(self) -> None:
        """Write what isn't written yet, here and now."""
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
        """Keep a blind thumb for an entry; None: take it back."""

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

    # What was before

    def look_for(self, state: ContestState, texts: Sequence[str], before: str | None) -> None:
        """Find which of these texts were judged before; ``before``: by verdicts older than the one with this id."""
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
