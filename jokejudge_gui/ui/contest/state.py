"""What the Contest tab knows of a contest: folded from events as they come, or read from the history."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field

from ...events import Cancelled, Failed, Finished, Stage, StageProgress, StageStarted, Started
from ...history.query import HistoryEntry
from ...judging.contest.screening_types import ListScreening
from ...judging.contest.steps import ContestRanked
from ...judging.contest.types import ContestResult, Mark, RankedEntry
from ...judging.contest.words import jokes, ranked, summary
from ...runs.pace import pace
from ..look import wording
from ..verdict.verdict_state import STORED_PHASES, Phase, VerdictState
from ..widgets.text import Run

Said = tuple[Mark | None, bool]
"""What the user says of an entry: kept, binned or neither; and whether it is starred."""


@dataclass
class ContestState(VerdictState):
    """One contest as it is shown. ``count``: how many jokes take part; ``said``: by an entry's id; ``seen``: texts that
    were rated or compared before; ``screening``: limits and votes, where the list was screened."""

    title: str = ""
    count: int = 0
    said: dict[str, Said] = field(default_factory=dict)
    seen: frozenset[str] = frozenset()
    screening: ListScreening | None = None
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
        return self.phase in ("stopped", "interrupted", "failed") and bool(self.entries)

    @property
    def kept(self) -> int:
        """How many jokes are marked to be kept."""
        return sum(mark == "keep" for mark, _ in self.said.values())

    def said_of(self, id: str) -> Said:
        """What the user says of an entry."""
        return self.said.get(id, (None, False))

    def marked(self) -> ContestResult | None:
        """The result with what the user says of its entries."""
        if self.result is None:
            return None
        entries = []
        for entry in self.entries:
            mark, starred = self.said_of(entry.id)
            same = (entry.mark, entry.starred) == (mark, starred)
            entries.append(entry if same else entry.replaced(mark=mark, starred=starred))
        return self.result.replaced(entries=tuple(entries), screening=self.screening)

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
                self.result = result
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
            self.result = result
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
        doing = "Reading the jokes" if self.stage is Stage.READING else "Duels where they decide something"
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
        if self.resumable:
            read = len(ranked(self.result))
            cut = {"stopped": "Stopped", "interrupted": "Cut off", "failed": "Ended by an error"}[self.phase]
            unread = sum(entry.rank is None and entry.error is None for entry in self.entries)
            rest = f" {jokes(unread)} more {'waits' if unread == 1 else 'wait'} to be read." if unread else ""
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


def said_in(entries: Iterable[RankedEntry]) -> dict[str, Said]:
    """What a stored result holds of the user's marks."""
    return {entry.id: (entry.mark, entry.starred) for entry in entries if entry.mark or entry.starred}


def state_of_entry(entry: HistoryEntry) -> ContestState:
    """The state in which a stored contest ended."""
    row = entry.row
    result = entry.result if isinstance(entry.result, ContestResult) else None
    state = ContestState(id=row.id)
    state._end(STORED_PHASES[row.status], result)
    if result is not None:
        state.title, state.context, state.count = result.title, result.context, len(result.entries)
        state.said = said_in(result.entries)
        state.screening = result.screening
    else:
        state.title = row.text_a.partition("\n")[0]
    state.error = (result.error if result is not None else None) or entry.error
    return state
