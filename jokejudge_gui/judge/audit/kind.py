"""The audit as a kind of verdict: the biases of a model's verdicts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from ...core.events import Event
from ...core.pages import Page
from ...core.verdict_kinds import Subject
from ..judged_kind import JudgedKind, Work
from .record import FIELD_NAMES, AuditRequest, AuditResult
from .words import headline, not_run, page, summary

_MOST_SEARCHED = 200_000
_SAME = (
    "id", "source", "probes", "perturbations", "program", "readings", "unread", "everything_asked", "most_asked",
    "factors", "voices", "pairs",
)  # fmt: skip
"""The fields whose name in JSON is the same."""


class AuditKind(JudgedKind[AuditRequest, AuditResult]):
    """The biases of a model's verdicts."""

    name: ClassVar[str] = "audit"
    noun: ClassVar[str] = "audit"
    verb: ClassVar[str] = "Audit"
    request = AuditRequest
    result = AuditResult

    def subjects(self, request: AuditRequest) -> tuple[Subject, ...]:
        """Return one text with all jokes after the name of their list, so that a search for any of them finds the
        audit."""
        name = f"Audit on {len(request.cases):,} pairs of {request.source or 'a list'}"
        lines = [name, *(text for case in request.cases for text in (case.text_a, case.text_b))]
        return (Subject(text="\n".join(lines)[:_MOST_SEARCHED]),)

    def given(self, result: AuditResult) -> dict[str, Any]:
        return {"cases": result.pairs}

    def asked(self, request: AuditRequest) -> dict[str, Any]:
        return {"everything_asked": request.ask == "all", "pairs": request.cases}

    def run(self, draft: AuditResult, request: AuditRequest, work: Work) -> Iterator[Event | AuditResult]:
        from .audit_judge import run_audit  # a stored audit is shown without its judge

        yield from run_audit(draft, request, work)

    def contract(self, result: AuditResult) -> dict[str, Any]:
        return {
            **result.model_dump(mode="json", include=set(_SAME)),
            **{name: getattr(result, field) for name, field in FIELD_NAMES.items()},
            "not_run": list(not_run(result)) if result.voices else [],
            "summary": list(summary(result)),
            **result.contract_end(),
        }

    def words(self, result: AuditResult) -> Page:
        return page(result)

    def columns(self, result: AuditResult) -> dict[str, object]:
        strong, sentence = headline(result)
        return {
            "text_a": f"Audit on {len(result.pairs):,} pairs",
            "strong_biases": strong if result.voices else None,
            "finding": sentence,
        }


AUDIT = AuditKind()
