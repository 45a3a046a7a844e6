"""A contest as a long run: what was found is written down as it comes, and the next run goes on from there."""

from __future__ import annotations

from collections.abc import Iterator

from ..engine.base import CancelToken
from ..errors import Cancelled as Stopped
from ..errors import JokeJudgeError, info
from ..events import Cancelled, Event, Failed
from ..judging.contest.kind import CONTEST
from ..judging.contest.reading import made_by
from ..judging.contest.steps import ChunkScored, DuelHeld, EntryRead
from ..judging.contest.types import ContestRequest, MadeBy
from ..session import Session
from .contest_file import ContestFile


def contest(
    session: Session,
    request: ContestRequest,
    file: ContestFile | None = None,
    *,
    record: bool = True,
    cancel: CancelToken | None = None,
) -> Iterator[Event]:
    """Rank the request's jokes; with ``file`` what it holds isn't read or asked again, and what is new is added.

    Yields what ``Session.run`` yields, the model's loading first. A run that was ended in any way, by a power cut too,
    comes to the same ranking when it goes on, to the last bit."""
    if file is None:
        yield from session.run(CONTEST, request, record=record, cancel=cancel)
        return
    try:
        judge = yield from session.ready(cancel)
        by = made_by(judge, everything=request.ask == "all")
        file.check(by)
        going_on = ContestRequest.model_validate({**dict(request), "known": file.known(by)})
        for event in session.run(CONTEST, going_on, record=record, cancel=cancel):
            _keep(file, event, by)
            yield event
    except Stopped:
        yield Cancelled()
    except JokeJudgeError as error:
        yield Failed(error=info(error))


def _keep(file: ContestFile, event: Event, by: MadeBy) -> None:
    """Write down what an event found, if it isn't there yet."""
    if isinstance(event, EntryRead) and event.reading is not None and event.text not in file.readings:
        file.add_reading(event.text, event.reading, by)
        file.readings[event.text] = event.reading
    elif isinstance(event, DuelHeld) and (pair := frozenset((event.text_a, event.text_b))) not in file.duels:
        file.add_duel(event.text_a, event.text_b, event.duel, by)
        file.duels[pair] = (event.text_a, event.text_b, event.duel)
    elif isinstance(event, ChunkScored) and event.texts not in file.chunks:
        file.add_chunk(event.texts, event.chunk, by)
        file.chunks[event.texts] = event.chunk
