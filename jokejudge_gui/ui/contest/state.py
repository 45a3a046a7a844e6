"""What the Contest tab knows of a contest: folded from events as they come, or read from the history."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ...batch.lines import pace
from ...core.events import Cancelled, Failed, Finished, Stage, StageProgress, StageStarted, Started
from ...history.query import HistoryEntry
from ...judge.contest.scoring import ContestRanked, DuelHeld, EntryRead
from ...judge.contest.types import ContestResult, Notes, RankedEntry, waiting
from ...judge.contest.words import jokes, ranked, summary
from ..look import wording
from ..verdict.tab import STORED_PHASES, Phase, VerdictState
from ..widgets.text import Run

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
    stage: Stage | None = None
    done: int = 0
    total: int | None = None
    note: str = ""
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
        match event:
            case Started(id=identity):
                self.start(identity)
            case StageStarted(stage=stage, total=total):
                self.enter(stage)
                self.stage, self.done, self.total, self.note = stage, 0, total, ""
                self._stage_begun, self._first = time.monotonic(), -1
            case StageProgress(stage=stage, done=done, total=total, note=note):
                self.stage, self.done, self.note = stage, done, note
                self.total = total if total is not None else self.total
                if self._first < 0:
                    self._first = done
            case ContestRanked(result=result):
                self.result = self.notes.on(result)
            case Finished(result=result):
                self._end("finished", result)
            case Failed(error=error, result=result):
                self.error = error
                self._end("failed", result)
            case Cancelled(result=result):
                self._end("stopped", result)
            case _:
                return

    def _end(self, phase: Phase, result: object) -> None:
        if isinstance(result, ContestResult):
            self.result = self.notes.on(result)
        self.phase = phase
        self.stage = None

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

    def told(self) -> list[Run]:
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
        if not sentences:
            return []
        return [(sentences[0], "strong"), ("".join(f" {each}" for each in sentences[1:]), "normal")]

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


def state_of_entry(entry: HistoryEntry) -> ContestState:
    """The state in which a stored contest ended."""
    row = entry.row
    result = entry.result if isinstance(entry.result, ContestResult) else None
    state = ContestState(id=row.id)
    if result is not None:
        state.notes = Notes.of(result)
    state._end(STORED_PHASES[row.status], result)
    if result is not None:
        state.title, state.context, state.count = result.title, result.context, len(result.entries)
    else:
        state.title = row.text_a.partition("\n")[0]
    state.error = (result.error if result is not None else None) or entry.error
    return state
