"""The audit as a kind of verdict: what is asked for, and what is told of it wherever verdicts are shown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from ...events import Event
from ...rubric.perturbations import parse_perturbations
from ...verdict_kinds import Fact, Headline, Subject
from ..judged_kind import JudgedKind, Work
from .judge import AuditJudge
from .types import AuditDraft, AuditedPair, AuditRequest, AuditResult
from .words import Names, headline, summary

_MOST_SEARCHED = 200_000


class AuditKind(JudgedKind[AuditRequest, AuditResult, AuditDraft]):
    """A model: what moves its verdicts though it shouldn't?"""

    name: ClassVar[str] = "audit"
    noun: ClassVar[str] = "audit"
    verb: ClassVar[str] = "Audit"
    fields: ClassVar[tuple[str, ...]] = ()
    request = AuditRequest
    result = AuditResult

    def subjects(self, request: AuditRequest) -> tuple[Subject, ...]:
        """One text that holds all jokes behind the name of their list, so that it is found by any of them."""
        lines = [name_of(request), *(text for case in request.cases for text in (case.text_a, case.text_b))]
        return (Subject(text="\n".join(lines)[:_MOST_SEARCHED]),)

    def given(self, result: AuditResult) -> dict[str, Any]:
        return {"cases": [pair.model_dump(exclude={"odds"}) for pair in result.pairs]}

    def draft(self, request: AuditRequest, id: str) -> AuditDraft:
        return AuditDraft(
            id=id,
            source=request.source,
            probes=request.probes,
            everything_asked=request.ask == "all",
            most_asked=request.most_asked,
            pairs=tuple(
                AuditedPair(id=case.id, text_a=case.text_a, text_b=case.text_b, winner=case.winner, gap=case.gap)
                for case in request.cases
            ),
        )

    def run(self, draft: AuditDraft, request: AuditRequest, work: Work) -> Iterator[Event | AuditDraft]:
        yield from AuditJudge(draft, request, work).run()

    def contract(self, result: AuditResult) -> dict[str, Any]:
        names = Names(parse_perturbations())
        return {
            "id": result.id,
            "source": result.source,
            "probes": list(result.probes),
            "not_run": list(names.not_run(result)) if result.voices else [],
            "perturbations": result.perturbations,
            "program": result.program,
            "criteria": result.criteria_version,
            "prompts": result.prompt_version,
            "head": result.head_version,
            "readings": result.readings,
            "unread": result.unread,
            "everything_asked": result.everything_asked,
            "most_asked": result.most_asked,
            "factors": list(result.factors),
            "summary": list(summary(result, names)),
            "voices": [voice.model_dump(mode="json") for voice in result.voices],
            "pairs": [pair.model_dump(mode="json") for pair in result.pairs],
            **result.contract_end(),
        }

    def headline(self, result: AuditResult) -> Headline:
        """How many strong biases. It has no value: an audit isn't funnier than another one."""
        strong, sentence = headline(result, Names(parse_perturbations()))
        badge = "–" if not result.voices else str(strong)
        return Headline(badge=badge, tone="none", sentence=sentence)

    def facts(self, result: AuditResult) -> Iterator[Fact]:
        yield Fact(name="Pairs", text=f"{len(result.pairs):,} from {result.source or 'a list'}")
        for line in summary(result, Names(parse_perturbations())):
            yield Fact(name="Finding", text=line)

    def columns(self, result: AuditResult) -> dict[str, object]:
        strong, sentence = headline(result, Names(parse_perturbations()))
        return {
            "text_a": f"Audit on {len(result.pairs):,} pairs",
            "strong_biases": strong if result.voices else None,
            "finding": sentence,
        }


def name_of(request: AuditRequest) -> str:
    """An audit's name in a row of the history."""
    return f"Audit on {len(request.cases):,} pairs of {request.source or 'a list'}"


AUDIT = AuditKind()
