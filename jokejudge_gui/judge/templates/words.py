"""A judged row in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...core.pages import Page, Row, Tone
from .record import TemplateResult
from .scoring import points_words, text_of

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
