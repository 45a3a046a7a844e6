"""A kind that the program doesn't have: it counts words."""

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


COUNT = CountKind()
