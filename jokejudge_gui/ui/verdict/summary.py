"""A verdict as plain text, for the clipboard."""

from __future__ import annotations

from ...judging.kinds import kind_of
from ...verdicts import VerdictResult


def verdict_text(result: VerdictResult) -> str:
    """Jokes, headline, findings, warnings, explanation and model."""
    kind = kind_of(result)
    subjects = kind.subjects(kind.request_of(result))
    # A kind without single texts tells its jokes among its findings.
    subjects = subjects if kind.fields else ()
    lines = [f"{subject.label}: {subject.text}" if subject.label else subject.text for subject in subjects]
    lines += ["", kind.headline(result).sentence]
    lines += [f"{fact.name}: {fact.text}" for fact in kind.facts(result)]
    for outline in kind.outlines(result):
        lines += outline.lines()
    lines += result.warnings
    if result.explanation:
        lines += ["", result.explanation]
    if result.model is not None:
        lines += ["", f"Judged by {result.model.name}"]
    return "\n".join(lines)
