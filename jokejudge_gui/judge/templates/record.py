"""A row of another judge's outputs: what is asked about it, and what was found."""

from __future__ import annotations

import json
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, field_validator

from ...core.errors import InputError
from ...core.texts import MOST_CHARACTERS, clean_text, without_controls
from ...core.verdict_kinds import Request
from ...core.verdicts import VerdictResult


def _readable(value: Any) -> Any:
    """A value of a row's JSON, its texts cleaned. Raises ``InputError``."""
    match value:
        case str():
            return without_controls(clean_text(value)) if value.strip() else ""
        case list() | tuple():
            return [_readable(item) for item in value]
        case dict():
            return {without_controls(str(name)): _readable(item) for name, item in value.items()}
    return value


def _bounded(value: Any) -> Any:
    value = _readable(value)
    if len(json.dumps(value, ensure_ascii=False)) > MOST_CHARACTERS:
        raise InputError(
            "E_INPUT_TOO_LONG",
            f"A value of the row has over {MOST_CHARACTERS:,} characters, more than can be judged.",
            "Shorten it to what matters.",
        )
    return value


Value = Annotated[Any, AfterValidator(_bounded)]


class TemplateRequest(Request):
    """An ``output`` of a module, with its ``input`` (a text, or texts and lists by name), the ``expected`` output, and
    its reasoning. ``pack``: a shipped one's name or a file; ``confidence``: 0…1, stated by the module."""

    pack: str = ""
    module: str = ""
    input: Value = ""
    output: Value = None
    expected: Value = None
    reasoning: Annotated[str, AfterValidator(_bounded)] = ""
    confidence: float | None = None

    @field_validator("confidence")
    @classmethod
    def _share(cls, confidence: float | None) -> float | None:
        if confidence is not None and not 0.0 <= confidence <= 1.0:
            raise InputError(
                "E_TEMPLATE_CONFIDENCE", "The row's confidence isn't a number from 0 to 1.", "Give it as a probability."
            )
        return confidence


class TemplateResult(VerdictResult):
    """A row and its evaluation. ``pack_version`` changes with any word of the pack. ``evaluation``: the three sections
    ``correctness``, ``rule_compliance`` and ``reasoning_quality`` as in seeds/unified_judge_template.txt, None of a
    stopped verdict; ``total_score`` 0…100: None while points are open; ``total_range``: the least and the most points
    that the row can have; ``verdict``: PASS, FAIL, or None where that range lies on both sides of the pass mark."""

    kind: ClassVar[str] = "template"
    pack: str = ""
    pack_version: str = ""
    module: str = ""
    module_name: str = ""
    input: Any = ""
    output: Any = None
    expected: Any = None
    reasoning: str = ""
    confidence: float | None = None
    evaluation: dict[str, Any] | None = None
    total_score: float | None = None
    total_range: dict[str, float] | None = None
    verdict: str | None = None
    summary: str | None = None
    improvement_suggestions: tuple[str, ...] | None = None


FOUND = ("evaluation", "total_score", "total_range", "verdict", "summary", "improvement_suggestions")
"""The fields of the object of seeds/unified_judge_template.txt, with some added."""
