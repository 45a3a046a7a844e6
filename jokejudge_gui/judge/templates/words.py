"""A judged row as a kind of verdict, and in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from ...core.events import Event
from ...core.pages import Page, Row, Tone
from ...core.verdict_kinds import Subject, dumped
from ..judged_kind import JudgedKind, Work
from .record import FOUND, TemplateRequest, TemplateResult
from .scoring import points_words, text_of

_MOST_SEARCHED = 20_000
_TONES: dict[str | None, Tone] = {"PASS": "high", "FAIL": "low", None: "none"}
UNMEASURED = (
    "How often this model is right about rules and reasoning wasn't measured: look at the words that it quotes."
)


def page(result: TemplateResult) -> Page:
    """Return the page of a row: its total or the range where it is open, then every rule with its evidence."""
    name = f"{result.module} {result.module_name}".strip()
    given = (("Input", result.input), ("Output", result.output), ("Expected", result.expected))
    rows = [Row(text, label) for label, value in given if (text := text_of(value))]
    if result.reasoning:
        rows.append(Row(result.reasoning, "Reasoning"))
    span = result.total_range
    if result.evaluation is None or span is None:
        return Page(f"{name}: not judged", notes=result.warnings, rows=tuple(rows))
    low, high = span["least"], span["most"]
    asked = any(rule["told_by"] == "model" for rule in result.evaluation["rule_compliance"]["rules"])
    return Page(
        f"{name}: {result.verdict or 'not told'}, {points_words(low, high)}",
        badge=f"{low:.0f}" if low == high else f"{low:.0f}+",
        tone=_TONES[result.verdict],
        value=low,
        lead=(result.summary or "",),
        notes=(*result.warnings, *((UNMEASURED,) if asked or result.reasoning else ())),
        rows=(
            *rows,
            *_rows(result.evaluation),
            *(Row(tip, "Suggestion") for tip in result.improvement_suggestions or ()),
        ),
    )


def _rows(evaluation: dict[str, Any]) -> Iterator[Row]:
    correct, quality = evaluation["correctness"], evaluation["reasoning_quality"]
    yield Row(f"{correct['score']:g} of 40. {correct['details']}", "Correctness")
    for rule in evaluation["rule_compliance"]["rules"]:
        if rule["compliant"] is None:
            yield Row(f"Not told. {rule['why']}", rule["name"], quiet=True)
        else:
            yield Row(f"{'Kept' if rule['compliant'] else 'Broken'}. {rule['evidence']}", rule["name"])
    text = f"{quality['score']} of 20."
    if quality["score"] is None:
        text = f"{sum(quality['parts'].values())} points so far; the rest can't be judged with this model."
    yield Row(text, "Reasoning quality")


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
