"""A contest as a long run: results are written as they come, and the next run continues from there."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterator
from pathlib import Path

from .. import __version__
from ..core.errors import UsageError
from ..core.events import Event, last_event
from ..core.verdicts import Mode
from ..engine.base import CancelToken
from ..history.store import HistoryStore
from ..judge.contest.contest_judge import DuelHeld, EntryRead, made_by
from ..judge.contest.kind import CONTEST
from ..judge.contest.record import (
    ContestMadeBy,
    ContestRequest,
    ContestResult,
    HeldDuel,
    RankedEntry,
    Reading,
    ScoredChunk,
)
from ..judge.contest.rounds import ChunkScored
from ..session.session import Session
from .build import build_id
from .lines import Line, LinesFile


class ContestFile(LinesFile):
    """The file of a contest: every reading, duel and chunk of a shuffled round is a line of its own as soon as it is
    known. Opening reads the lines of an earlier run. Raises ``UsageError`` ``E_CONTEST_OUT`` for a file that isn't a
    contest's, and what ``LinesFile`` raises."""

    refused = ("E_CONTEST_OUT", "a line of a contest", "Give --out a new name.")

    def __init__(self, path: Path, context: str) -> None:
        """``context``: the topic; readings about another one stay in the file and aren't used."""
        self._context = context
        self.readings: dict[str, Reading] = {}
        self.duels: dict[frozenset[str], tuple[str, str, HeldDuel]] = {}
        self.chunks: dict[tuple[str, ...], ScoredChunk] = {}
        self._made: set[ContestMadeBy] = set()
        super().__init__(path, "contest")

    def check(self, made_by: ContestMadeBy) -> None:
        """Raise ``UsageError`` ``E_CONTEST_OUT`` where lines come from another model, head or wording."""
        if self._made - {made_by}:
            raise UsageError(
                "E_CONTEST_OUT",
                f"{self.path} holds readings of another model or version, which can't be mixed with these.",
                "Give --out a new name.",
            )

    def known(self, made_by: ContestMadeBy, mode: Mode) -> ContestResult:
        """Return all results so far as a contest, in which a text is its own id."""
        texts = {
            *self.readings,
            *(text for *both, _ in self.duels.values() for text in both),
            *itertools.chain(*self.chunks),
        }
        return ContestResult(
            id="",
            made_by=made_by,
            context=self._context,
            mode=mode,
            entries=tuple(RankedEntry(id=text, text=text, reading=self.readings.get(text)) for text in texts),
            held=tuple(duel.replaced(a=one, b=other) for one, other, duel in self.duels.values()),
            scored=tuple(chunk.replaced(ids=texts) for texts, chunk in self.chunks.items()),
        )

    def add(self, event: Event, made_by: ContestMadeBy) -> None:
        """Write the result that an event of the contest brings, unless it is there already."""
        if isinstance(event, EntryRead) and event.reading is not None:
            if self.readings.get(event.text) != event.reading:
                self.readings[event.text] = event.reading
                self._add("read", (event.text,), {"text": event.text, "reading": event.reading.model_dump()}, made_by)
        elif isinstance(event, DuelHeld) and (pair := frozenset((event.text_a, event.text_b))) not in self.duels:
            self.duels[pair] = (event.text_a, event.text_b, event.duel)
            duel = event.duel.model_dump(include={"p_a", "drafts", "verdict"})
            texts = {"text_a": event.text_a, "text_b": event.text_b}
            self._add("duel", (event.text_a, event.text_b), {**texts, "duel": duel}, made_by)
        elif isinstance(event, ChunkScored) and event.texts not in self.chunks:
            self.chunks[event.texts] = event.chunk
            chunk = event.chunk.model_dump(include={"round", "scores", "words"})
            self._add("chunk", event.texts, {"texts": list(event.texts), "chunk": chunk}, made_by)

    def _add(self, of: str, texts: tuple[str, ...], line: Line, made_by: ContestMadeBy) -> None:
        digest = hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass")).hexdigest()[:24]
        made = {"made_by": made_by.model_dump(), "program": __version__, "build": build_id()}
        self.append({"id": f"{of}-{digest}", **line, "context": self._context, **made, "error": None})

    def keep(self, line: Line) -> bool:
        made_by = ContestMadeBy.model_validate(line["made_by"])
        mine = line["context"] == self._context
        if "duel" in line:
            one, other = str(line["text_a"]), str(line["text_b"])
            duel = HeldDuel.model_validate({"a": "", "b": "", **line["duel"]})
            if mine:
                self.duels[frozenset((one, other))] = (one, other, duel)
        elif "chunk" in line:
            texts = tuple(str(text) for text in line["texts"])
            chunk = ScoredChunk.model_validate({"ids": (), **line["chunk"]})
            if mine:
                self.chunks[texts] = chunk
        else:
            reading = Reading.model_validate(line["reading"])
            if mine:
                self.readings[str(line["text"])] = reading
        self._made.add(made_by)
        return True


@last_event
def contest(
    session: Session,
    request: ContestRequest,
    file: ContestFile | None = None,
    *,
    record: bool = True,
    cancel: CancelToken | None = None,
) -> Iterator[Event]:
    """Rank the request's jokes; the results in ``file`` aren't read or asked again, and new ones are added to it.

    Yields what ``Session.run`` yields, the model's loading first. A run that was interrupted in any way, even by a
    power cut, gives the same ranking when it continues, to the last bit."""
    if file is None:
        yield from session.run(CONTEST, request, record=record, cancel=cancel)
        return
    judge = yield from session.ready(cancel)
    by = made_by(judge, everything=request.ask == "all")
    file.check(by)
    going_on = ContestRequest.model_validate({**dict(request), "known": file.known(by, request.mode)})
    for event in session.run(CONTEST, going_on, record=record, cancel=cancel):
        file.add(event, by)
        yield event


def stored_contest(store: HistoryStore, id: str) -> ContestResult:
    """Return the contest with this id. Raises ``UsageError`` ``E_CONTEST_NONE`` for another kind of verdict, or one
    without a result, and what the history raises."""
    result = store.get(id).result
    if not isinstance(result, ContestResult):
        raise UsageError(
            "E_CONTEST_NONE", "This verdict isn't a contest, so it has no list of jokes.", "Give the id of a contest."
        )
    return result
