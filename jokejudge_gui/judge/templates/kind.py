"""A judged row as a kind of verdict."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from ...core.events import Event
from ...core.pages import Page
from ...core.verdict_kinds import Subject, dumped
from ..judged_kind import JudgedKind, Work
from .record import FOUND, TemplateRequest, TemplateResult
from .scoring import text_of
from .words import page

_MOST_SEARCHED = 20_000


class TemplateKind(JudgedKind[TemplateRequest, TemplateResult]):
    """The verdict on an output of another judge's module by the module's template."""

    name: ClassVar[str] = "template"
    noun: ClassVar[str] = "template verdict"
    verb: ClassVar[str] = "Template"
    request = TemplateRequest
    result = TemplateResult

    def subjects(self, request: TemplateRequest) -> tuple[Subject, ...]:
        """Return one text with module, input and output, so that a search for any of them finds the row."""
        parts = (request.module, text_of(request.input), text_of(request.output))
        return (Subject(text="\n".join(filter(None, parts))[:_MOST_SEARCHED]),)

    def run(self, draft: TemplateResult, request: TemplateRequest, work: Work) -> Iterator[Event | TemplateResult]:
        from .template_judge import TemplateJudge  # a stored verdict is shown without its judge

        yield from TemplateJudge(draft, request, work).run()

    def contract(self, result: TemplateResult) -> dict[str, Any]:
        names = ("id", "pack", "pack_version", "module", "input", "reasoning", *FOUND)
        return {**dumped(result, *names), **result.contract_end()}

    def words(self, result: TemplateResult) -> Page:
        return page(result)

    def columns(self, result: TemplateResult) -> dict[str, object]:
        span = result.total_range or {}
        return {
            "text_a": text_of(result.output), "module": result.module, "passed": result.verdict,
            "points_least": span.get("least"), "points_most": span.get("most"),
        }  # fmt: skip


TEMPLATE = TemplateKind()
