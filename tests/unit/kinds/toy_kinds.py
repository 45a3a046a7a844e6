"""Two kinds that the program doesn't have: one that counts words, and one that is made of other verdicts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator

from jokejudge_gui.core.events import Event
from jokejudge_gui.core.pages import MarkedText, Page, Row
from jokejudge_gui.core.texts import clean_text
from jokejudge_gui.core.verdict_kinds import Request, Subject, VoteScore, scale_of
from jokejudge_gui.core.verdicts import VerdictResult
from jokejudge_gui.judge.judged_kind import JudgedKind, Work
from jokejudge_gui.judge.rating.kind import RATING
from jokejudge_gui.judge.rating.record import RatingRequest


class CountRequest(Request):
    """A text whose words are to be counted."""

    text: Annotated[str, AfterValidator(clean_text)]


class CountResult(VerdictResult):
    """How many words there are."""

    kind: ClassVar[str] = "count"
    text: str
    words: int | None = None


class CountKind(JudgedKind[CountRequest, CountResult]):
    """Counts words, after the model has read them."""

    name: ClassVar[str] = "count"
    noun: ClassVar[str] = "count"
    verb: ClassVar[str] = "Count"
    fields: ClassVar[tuple[str, ...]] = ("text",)
    request = CountRequest
    result = CountResult
    choices: ClassVar[tuple[str, ...]] = ("many", "few")
    question: ClassVar[str] = "Are they many?"

    def subjects(self, request: CountRequest) -> tuple[Subject, ...]:
        return (Subject(text=request.text),)

    def request_of(self, result: CountResult) -> CountRequest:
        return CountRequest(text=result.text)

    def run(self, draft: CountResult, request: CountRequest, work: Work) -> Iterator[Event | CountResult]:
        work.judge.engine.embed([draft.text], work.cancel)
        draft.words = len(draft.text.split())
        yield draft

    def contract(self, result: CountResult) -> dict[str, Any]:
        return {"id": result.id, "text": result.text, "words": result.words, **result.contract_end()}

    def words(self, result: CountResult) -> Page:
        rows = (Row(str(result.words), "Words"),)
        return Page(f"{result.words} words", str(result.words), texts=(MarkedText(result.text),), rows=rows)

    def columns(self, result: CountResult) -> dict[str, object]:
        return {"text_a": result.text, "words": result.words}

    def vote_score(self, result: CountResult) -> VoteScore | None:
        return None if result.words is None else VoteScore(scale=scale_of("words", result), value=float(result.words))


class PanelRequest(Request):
    """Two texts to be rated one after the other."""

    first: str
    second: str


class PanelResult(VerdictResult):
    """Both means."""

    kind: ClassVar[str] = "panel"
    first: str
    second: str
    means: tuple[float | None, ...] = ()


class PanelKind(JudgedKind[PanelRequest, PanelResult]):
    """Made of ratings, each a verdict of its own."""

    name: ClassVar[str] = "panel"
    noun: ClassVar[str] = "panel"
    verb: ClassVar[str] = "Ask a panel"
    fields: ClassVar[tuple[str, ...]] = ("first", "second")
    request = PanelRequest
    result = PanelResult

    def subjects(self, request: PanelRequest) -> tuple[Subject, ...]:
        return Subject(text=request.first, label="1"), Subject(text=request.second, label="2")

    def request_of(self, result: PanelResult) -> PanelRequest:
        return PanelRequest(first=result.first, second=result.second)

    def run(self, draft: PanelResult, request: PanelRequest, work: Work) -> Iterator[Event | PanelResult]:
        for text in (request.first, request.second):
            rated = yield from work.child(RATING, RatingRequest(text=text, forced=True, explain=False))
            draft.means = (*draft.means, rated.mean_score)
            yield draft

    def contract(self, result: PanelResult) -> dict[str, Any]:
        return {"id": result.id, "first": result.first, "second": result.second, **result.contract_end()}

    def words(self, _result: PanelResult) -> Page:
        return Page("Two ratings", "2")

    def columns(self, result: PanelResult) -> dict[str, object]:
        return {"text_a": result.first, "text_b": result.second}


COUNT = CountKind()
PANEL = PanelKind()
