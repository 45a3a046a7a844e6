"""A judged row as a kind of verdict: what is asked for, and what is told of it wherever verdicts are shown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from ...core.events import Event
from ...core.verdict_kinds import Fact, Headline, Subject, Tone
from ..judged_kind import JudgedKind, Work
from .judge import TemplateJudge
from .types import Finding, TemplateDraft, TemplateRequest, TemplateResult, text_of

_MOST_SEARCHED = 20_000
_TONES: dict[str | None, Tone] = {"PASS": "high", "FAIL": "low", None: "none"}


class TemplateKind(JudgedKind[TemplateRequest, TemplateResult, TemplateDraft]):
    """An output of another judge's module: does it meet the module's template?"""

    name: ClassVar[str] = "template"
    noun: ClassVar[str] = "template verdict"
    verb: ClassVar[str] = "Template"
    fields: ClassVar[tuple[str, ...]] = ()
    request = TemplateRequest
    result = TemplateResult
    grows = TemplateDraft

    def subjects(self, request: TemplateRequest) -> tuple[Subject, ...]:
        """One text that holds module, input and output, so that a row is found by any of them."""
        parts = (request.module, text_of(request.input), text_of(request.output))
        return (Subject(text="\n".join(part for part in parts if part)[:_MOST_SEARCHED]),)

    def run(self, draft: TemplateDraft, request: TemplateRequest, work: Work) -> Iterator[Event | TemplateDraft]:
        yield from TemplateJudge(draft, request, work).run()

    def contract(self, result: TemplateResult) -> dict[str, Any]:
        found = result.finding
        judged = found.model_dump(mode="json", include=set(OBJECT)) if found is not None else {}
        return {
            **{name: getattr(result, name) for name in ("id", "pack", "pack_version", "module", "input", "reasoning")},
            **{name: judged.get(name) for name in OBJECT},
            **result.contract_end(),
        }

    def headline(self, result: TemplateResult) -> Headline:
        """The total; its range where it can't be told."""
        found = result.finding
        name = f"{result.module} {result.module_name}".strip()
        if found is None:
            return Headline(badge="–", tone="none", sentence=f"{name}: not judged")
        low = found.total_range.least
        badge = f"{low:.0f}" if found.total_score is not None else f"{low:.0f}+"
        return Headline(badge=badge, tone=_TONES[found.verdict], sentence=f"{name}: {outcome_of(found)}", value=low)

    def facts(self, result: TemplateResult) -> Iterator[Fact]:
        found = result.finding
        yield Fact(name="Module", text=f"{result.module} {result.module_name}".strip())
        yield Fact(name="Input", text=text_of(result.input))
        yield Fact(name="Output", text=text_of(result.output))
        yield Fact(name="Expected", text=text_of(result.expected))
        if found is None:
            return
        correct = found.evaluation.correctness
        yield Fact(name="Verdict", text=outcome_of(found))
        yield Fact(name="Correctness", text=f"{correct.score:g} of 40. {correct.details}")
        for rule in found.evaluation.rule_compliance.rules:
            yield Fact(name=rule.name, text=rule_words(rule.compliant, rule.evidence, rule.why))
        yield Fact(name="Reasoning", text=reasoning_words(found))
        for tip in found.improvement_suggestions:
            yield Fact(name="Suggestion", text=tip)

    def columns(self, result: TemplateResult) -> dict[str, object]:
        found = result.finding
        return {
            "text_a": text_of(result.output),
            "module": result.module,
            "passed": found.verdict if found else None,
            "points_least": found.total_range.least if found else None,
            "points_most": found.total_range.most if found else None,
        }


OBJECT = ("evaluation", "total_score", "total_range", "verdict", "summary", "improvement_suggestions")
"""The fields of the object of seeds/unified_judge_template.txt, with some added."""


def points_of(found: Finding) -> str:
    """ "85 points", or "58 to 88 points" where not all can be told."""
    low, high = found.total_range.least, found.total_range.most
    return f"{low:g} points" if found.total_score is not None else f"{low:g} to {high:g} points"


def outcome_of(found: Finding) -> str:
    """The verdict with its points."""
    return f"{found.verdict or 'not told'}, {points_of(found)}"


def rule_words(compliant: bool | None, evidence: str, why: str) -> str:
    """What became of a rule."""
    if compliant is None:
        return f"Not told. {why}"
    return f"{'Kept' if compliant else 'Broken'}. {evidence}"


def reasoning_words(found: Finding) -> str:
    """Points of the reasoning, group by group."""
    quality = found.evaluation.reasoning_quality
    if quality.score is not None:
        return f"{quality.score} of 20."
    known = sum(quality.parts.values())
    return f"{known} points of what can be told; the rest can't be told with this model."


TEMPLATE = TemplateKind()
