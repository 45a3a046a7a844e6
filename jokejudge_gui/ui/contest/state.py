"""What the Contest tab knows of a contest: folded from events as they come, or read from the history."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Self

from PySide6.QtCore import QObject, Signal

from ...batch.contest import write_notes
from ...batch.lines import pace
from ...core.errors import JokeJudgeError
from ...core.events import Stage, StageProgress, StageStarted
from ...history.query import HistoryEntry, HistoryRow
from ...history.store import HistoryStore
from ...judge.contest.scoring import ContestRanked, DuelHeld, EntryRead
from ...judge.contest.types import ContestResult, Notes, RankedEntry, waiting
from ...judge.contest.words import jokes, ranked, summary
from ...learning.entry_votes import thumbs, vote_on_entry, vote_on_pair
from ..judge_worker import JudgeWorker
from ..look import wording
from ..look.wording import Run
from ..verdict.tab import VerdictState
from ..widgets.layout import single_shot

_DOING = {Stage.READING: "Reading the jokes", Stage.ROUNDS: "Scoring the jokes in shuffled rounds"}
COUNTED = (StageProgress, EntryRead, DuelHeld)
"""Events that come once for each joke or duel: they say how far it has come, and needn't be drawn one by one."""


@dataclass
class ContestState(VerdictState):
    """One contest as it is shown. ``count``: how many jokes take part; ``notes``: what the user says of them, which the
    judge of a running contest reads, too; ``seen``: texts that were rated or compared before; ``votes``: the user's
    thumbs, up or down, by text."""

    title: str = ""
    count: int = 0
    notes: Notes = field(default_factory=Notes)
    seen: frozenset[str] = frozenset()
    votes: Mapping[str, str] = field(default_factory=dict)
    result: ContestResult | None = field(default=None, kw_only=True)
    _stage_begun: float = 0.0
    _first: int = 0

    @property
    def entries(self) -> tuple[RankedEntry, ...]:
        """As far as they are known, best first."""
        return self.result.entries if self.result is not None else ()

    @property
    def usable(self) -> bool:
        """Whether there is a ranking to look at."""
        return any(entry.rank is not None for entry in self.entries)

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
            case ContestRanked(result=result):
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

    # In words

    @property
    def heading(self) -> str:
        """What the contest is called."""
        context = self.result.context if self.result is not None else self.context
        return self.title or (f"{jokes(self.count)} about {context}" if context else jokes(self.count))

    @property
    def facts(self) -> str:
        """What was done, in a line."""
        parts = [jokes(self.count)] if self.title else []
        if self.title and self.context:
            parts.append(f"topic: {self.context}")
        if self.result is not None and not self.live:
            read = sum(entry.rank is not None and entry.same_as is None for entry in self.entries)
            seconds = self.result.stage_seconds.get(Stage.READING.value)
            if seconds is not None and read:
                parts.append(f"read in {wording.seconds(seconds)}")
            if held := len(self.result.held):
                parts.append(f"{wording.count_of(held, 'duel')} where they decide something")
        return " · ".join(parts)

    @property
    def progress(self) -> tuple[str, float]:
        """What is going on, in a line, and how much of it is done (0…1)."""
        if self.stage is None:
            return ("Waiting: it begins when the model is free", 0.0) if self.phase == "waiting" else ("", 0.0)
        total = self.total or 0
        share = self.done / total if total else 0.0
        if self.stage is Stage.LOADING:
            return wording.sentence_case(self.note or "loading the model"), share if total else 0.0
        if self.stage is Stage.CALIBRATION:
            return "Measuring this model's habits, once for each model", share
        doing = _DOING.get(self.stage, "Duels where they decide something")
        if not total:
            return doing, 0.0
        since = max(self._first, 0)
        speed = pace(self.done - since, total - since, time.monotonic() - self._stage_begun).strip()
        return f"{doing}: {self.done:,} of {total:,}{f' · {speed}' if speed else ''}", share

    def summary(self) -> list[Run]:
        """What the ranking is worth, the most important sentence first."""
        if self.result is None or not self.usable:
            return []
        sentences = summary(self.result)
        if self.phase == "finished" and self.waiting:
            sentences.insert(0, _more(self.waiting))
        elif self.resumable:
            read = len(ranked(self.result))
            cut = {"stopped": "Stopped", "interrupted": "Cut off", "failed": "Ended by an error"}[self.phase]
            rest = f" {_more(self.waiting)}" if self.waiting else ""
            sentences.insert(0, f"{cut}: this is the ranking of the {jokes(read)} read so far.{rest}")
        return wording.first_strong(sentences)

    def unranked(self) -> tuple[str, str] | None:
        """Heading and sentence of a contest that ended without a ranking; None for any other."""
        if self.usable or self.phase not in ("stopped", "interrupted", "finished"):
            return None
        if self.phase == "finished":
            return "Nothing could be ranked.", "None of them could be read as a joke."
        again = "Go on with it whenever you like." if self.resumable else "Press New list to begin again."
        return f"{'Stopped' if self.phase == 'stopped' else 'Cut off'} before anything was read.", again


def _more(waiting: int) -> str:
    return "1 more joke waits to be read." if waiting == 1 else f"{waiting:,} more jokes wait to be read."


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
        write = partial(write_notes, self._store, state.id, state.notes)
        self.worker.call("marks", write, partial(self._on_kept, number), self.failed.emit)

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

        def vote() -> dict[str, str]:
            change()
            return self._thumbs(texts)

        self.worker.call("vote", vote, partial(self._on_voted, state), self.failed.emit)

    def _thumbs(self, texts: Sequence[str]) -> dict[str, str]:
        return {text: vote.choice for text, vote in thumbs(self._store, texts).items()}

    # What was before

    def look_for(self, state: ContestState, texts: Sequence[str], before: str | None) -> None:
        """Find which of these texts were judged before, and the votes on them; ``before``: by verdicts older than the
        one with this id."""

        def look() -> tuple[frozenset[str], dict[str, str]]:
            return self._store.seen(texts, before), self._thumbs(texts)

        self.worker.call("seen", look, partial(self._on_seen, state), self.failed.emit)

    def _on_kept(self, number: int, row: HistoryRow | None) -> None:
        if number == self._number:
            self._waiting = None
        if row is not None:
            self.kept.emit(row)

    def _on_seen(self, state: ContestState, found: tuple[frozenset[str], dict[str, str]]) -> None:
        if any(found):
            state.seen, state.votes = found
            self.seen.emit(state)

    def _on_voted(self, state: ContestState, votes: dict[str, str]) -> None:
        state.votes = votes
        self.voted.emit(state)
