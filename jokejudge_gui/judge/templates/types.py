"""A row's request, its evaluation and its result."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Field, field_validator

from ...core.errors import InputError
from ...core.texts import MOST_CHARACTERS, clean_text, without_controls
from ...core.verdict_kinds import Draft, Request
from ...core.verdicts import Frozen, VerdictResult
from ...rubric.templates import Module

Match = Literal["exact", "partial", "none"]
Outcome = Literal["PASS", "FAIL"]
By = Literal["program", "model"]
"""Whether the program or the model decided if a rule is kept."""

PARTS = (
    "progression",
    "evidence_referenced",
    "quotes",
    "evidence_selected",
    "confidence_matches",
    "uncertainty_acknowledged",
)
"""The six criteria of reasoning, in the template's order."""
PART_POINTS = {name: 4 if at < 4 else 2 for at, name in enumerate(PARTS)}
GROUPS = {
    "chain_of_thought": PARTS[:2],
    "evidence_usage": PARTS[2:4],
    "confidence_calibration": PARTS[4:],
}


class Correctness(Frozen):
    """Section 1. ``score`` 0…40. ``match``: exactly as expected, or (extraction) F1 of at least .8; ``precision``,
    ``recall``, ``f1`` (0…1): only for an extraction."""

    score: float
    output_value: Any
    expected_value: Any
    match: bool
    match_kind: Match
    details: str
    precision: float | None = None
    recall: float | None = None
    f1: float | None = None


class RuleVerdict(Frozen):
    """One rule. ``compliant``, ``score`` (0 or 10): None if open; ``evidence``: words of the output, or the program's
    counts; ``why``: why it is open."""

    name: str
    compliant: bool | None
    score: int | None
    evidence: str
    told_by: By | None = None
    why: str = ""


class RuleCompliance(Frozen):
    """Section 2. ``score`` 0…40, None where a rule is open."""

    score: int | None
    rules: tuple[RuleVerdict, ...]


class ReasoningQuality(Frozen):
    """Section 3. ``score`` 0…20 and its three groups (8, 8 and 4 points); None where a part is open. ``parts``: points
    of the known parts."""

    score: int | None
    chain_of_thought: int | None
    evidence_usage: int | None
    confidence_calibration: int | None
    parts: dict[str, int] = Field(default_factory=dict)


class Evaluation(Frozen):
    """The three sections."""

    correctness: Correctness
    rule_compliance: RuleCompliance
    reasoning_quality: ReasoningQuality


class TotalRange(Frozen):
    """Least and most points that a row can have, whatever the open rules and parts are."""

    least: float
    most: float


class Finding(Frozen):
    """A judged row. ``total_score`` 0…100 is None while points are open; ``verdict`` is None where ``total_range`` lies
    on both sides of the pass mark."""

    evaluation: Evaluation
    total_score: float | None
    total_range: TotalRange
    verdict: Outcome | None
    reason: str
    summary: str
    improvement_suggestions: tuple[str, ...]


def _readable(value: Any) -> Any:
    """A value of a row's JSON, its texts cleaned. Raises ``InputError``."""
    if isinstance(value, str):
        return without_controls(clean_text(value)) if value.strip() else ""
    if isinstance(value, list | tuple):
        return [_readable(each) for each in value]
    if isinstance(value, dict):
        return {without_controls(str(name)): _readable(each) for name, each in value.items()}
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
    """A row and its evaluation, complete or stopped. ``pack_version``: changes with any word of the pack."""

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
    finding: Finding | None = None


class TemplateDraft(Draft[TemplateResult], TemplateResult, frozen=False):
    """A ``TemplateResult`` in progress."""


# -- A module's outputs as values that can be compared -----------------------------------------------------------------

_TRUE, _FALSE = ("true", "yes", "1"), ("false", "no", "0")


def truth_of(value: Any) -> bool:
    """Return True or False from any spelling. Raises ``InputError`` ``E_TEMPLATE_VALUE``."""
    if isinstance(value, bool):
        return value
    word = str(value).strip().lower()
    if word in _TRUE or word in _FALSE:
        return word in _TRUE
    raise _wrong("true or false", value)


def label_of(value: Any) -> str:
    """Return a label as a text. Raises ``InputError`` ``E_TEMPLATE_VALUE``."""
    if isinstance(value, bool | int | str) and str(value).strip():
        return str(value).strip()
    raise _wrong("a label", value)


def labels_of(value: Any) -> tuple[str, ...]:
    """Return the labels that count as right: one, or a list. Raises ``InputError`` ``E_TEMPLATE_VALUE``."""
    if isinstance(value, list | tuple) and value:
        return tuple(label_of(each) for each in value)
    return (label_of(value),)


def items_of(value: Any) -> tuple[str, ...]:
    """Return the items of an extraction in their order, with duplicates: the members of a list, "name: value" for
    values by name, or a text as one item. Raises ``InputError`` ``E_TEMPLATE_VALUE``."""
    if value is None or value == "":
        return ()
    if isinstance(value, dict):
        return tuple(f"{name}: {each}" for name, held in value.items() for each in (items_of(held) or ("",)))
    if isinstance(value, list | tuple):
        return tuple(item for each in value for item in items_of(each))
    if isinstance(value, str | bool | int | float):
        return (" ".join(str(value).split()),)
    raise _wrong("a list", value)


def same_items(module: Module, items: Sequence[str]) -> set[str]:
    """Return items in the form for comparison: case-folded unless the module distinguishes case."""
    return set(items) if module.same_case else {item.casefold() for item in items}


def text_of(value: Any) -> str:
    """Return a value as shown to people and to the model."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict) and value and all(isinstance(each, str | int | float | list) for each in value.values()):
        return "\n".join(f"{name}: {_line(each)}" for name, each in value.items())
    return _line(value)


def _line(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple) and all(isinstance(each, str) for each in value):
        return "; ".join(value) if value else "(none)"
    return json.dumps(value, ensure_ascii=False)


def field_of(given: Any, field: str) -> Any:
    """Return a field of the row's input; the whole input for no name; None where it is missing."""
    if not field:
        return given
    return given.get(field) if isinstance(given, dict) else None


def _wrong(what: str, value: Any) -> InputError:
    shown = json.dumps(value, ensure_ascii=False)
    shown = shown if len(shown) <= 60 else shown[:59] + "…"
    return InputError(
        "E_TEMPLATE_VALUE",
        f"Where {what} should stand there is {shown}.",
        "See `jokejudge template show PACK` for what the module puts out.",
    )
