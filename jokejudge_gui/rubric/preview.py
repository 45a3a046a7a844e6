"""What a model is asked about an item, in the words that it is asked with."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from ..engine.base import ChatFrame, Prompt
from .constants import factor_line
from .items import factor_of
from .own_types import Section
from .prompts import PromptBuilder, parse_prompts

_UNASKED: dict[str, str] = {
    "fault": "A model isn't asked about faults: the program reads them off what the model makes of the text.",
    "note": "A model isn't asked about notes: the program says them where all their conditions hold.",
}
_NAME = "…"


def asked_about(section: Section, fields: Mapping[str, str]) -> tuple[str, ...]:
    """Lines of the prompts that speak of an item with these fields, or a sentence that says why there are none.
    Raises ``CriteriaError``."""
    if section in _UNASKED:
        return (_UNASKED[section],)
    prompts = _prompts()
    name = fields.get("name", "").strip() or _NAME
    if section == "kind":
        return (
            f"The name stands in the list of kinds: … {name.lower()} …",
            f"{_text(prompts.answer('reading', 'category'))} {name.lower()}",
        )
    needed = ("name", "explanation", "zero", "middle", "five", "good", "bad")
    filled = {field: fields.get(field, "").strip() or ("" if field == "middle" else _NAME) for field in needed}
    return (
        factor_line(factor_of("factor", filled)),
        _text(prompts.answer("scoring", "relevance", {"factor": name.lower()})) + " yes or no",
        _text(prompts.answer("scoring", "ascending", {"factor": name})) + "0 to 5)",
        _text(prompts.answer("scoring", "descending", {"factor": name})) + "5 to 0)",
    )


@cache
def _prompts() -> PromptBuilder:
    """The prompts without a model's chat template, read once."""
    return PromptBuilder(parse_prompts(), ChatFrame("", "", ""), {})


def _text(prompt: Prompt) -> str:
    return "".join(segment.text for segment in prompt)
