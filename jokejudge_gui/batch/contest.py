"""A contest as a long run: results are written as they come, and the next run continues from there."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from .. import __version__
from ..core.events import Event, last_event
from ..engine.base import CancelToken
from ..judge.contest.contest_judge import made_by
from ..judge.contest.kind import CONTEST
from ..judge.contest.record import ContestRequest, HeldDuel, Reading, Results, ScoredChunk, Texts
from ..session.session import Session
from .build import build_id
from .lines import Line, LinesFile

_NAMES: dict[str, type[Reading] | type[HeldDuel] | type[ScoredChunk]] = {
    "reading": Reading, "duel": HeldDuel, "chunk": ScoredChunk
}  # fmt: skip
"""The name of each sort of result in its line."""


class ContestFile(LinesFile):
    """The file of a contest: every reading, duel and chunk of a shuffled round is a line of its own as soon as it is
    known. Opening reads those about this topic (``context``) into ``results``; others stay in the file. Raises what
    ``LinesFile`` raises."""

    def __init__(self, path: Path, context: str) -> None:
        self.results = Results(context=context)
        super().__init__(path, "contest")
        self.results.keep = self._write_result

    def keep(self, line: Line) -> bool:
        name = min(_NAMES.keys() & line.keys(), default="result")
        result = _NAMES[name].model_validate(line[name])
        if line["context"] == self.results.context:
            self.results.add(tuple(map(str, line["texts"])), result)
        return True

    def _write_result(self, texts: Texts, result: Reading | HeldDuel | ScoredChunk) -> None:
        name = next(name for name, sort in _NAMES.items() if isinstance(result, sort))
        digest = hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass")).hexdigest()[:24]
        its = {"texts": texts, name: result.model_dump(exclude={"a", "b", "ids"}), "context": self.results.context}
        made = {"made_by": self.results.made_by.model_dump(), "program": __version__, "build": build_id()}
        self.append({"id": f"{name}-{digest}", **its, **made, "error": None})


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
    if file is not None:
        judge = yield from session.ready(cancel)
        results = file.results
        results.made_by, results.mode = made_by(judge, everything=request.ask == "all"), request.mode
        file.check(results.made_by.model_dump())
        request = request.replaced(known=results)
    yield from session.run(CONTEST, request, record=record, cancel=cancel)
