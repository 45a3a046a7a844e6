"""What a model is asked about an item, in the words that it is asked with."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from ..engine.base import ChatFrame, Prompt
from ..paths import criteria_dir
from .audiences import PROMPTS as LISTENERS
from .constants import factor_line
from .items import factor_of
from .own_types import Section
from .prompts import PromptBuilder, PromptSet, parse_prompts

OWN_FAULTS = "own_fault_prompts.xml"
_UNASKED: dict[str, str] = {
    "note": "A model isn't asked about notes: the program says them where all their conditions hold.",
}
_FAULTS = (
    "Faults that the program has learned are read off what the model makes of the text. About one of your own, or with "
    "another meaning, a model is asked:"
)
_NAME = "…"


def asked_about(section: Section, fields: Mapping[str, str]) -> tuple[str, ...]:
    """Lines of the prompts that speak of an item with these fields, or a sentence that says why there are none.
    Raises ``CriteriaError``."""
    if section in _UNASKED:
        return (_UNASKED[section],)
    if section == "fault":
        says = {"says": fields.get("says", "").strip() or _NAME}
        asked = own_fault_prompts(ChatFrame("", "", ""))
        return (_FAULTS, *(_text(asked.answer("own_fault", answer, says)) + " yes or no" for answer in ("has", "free")))
    if section == "listener":
        who = {"listener": fields.get("description", "").strip() or _NAME}
        asked = listener_prompts(ChatFrame("", "", ""))
        return tuple(_text(asked.answer("listener", each, who)) + " yes or no" for each in ("laughs", "cold"))
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


def own_fault_prompts(frame: ChatFrame) -> PromptBuilder:
    """What a model is asked about faults of the user's own. Raises ``CriteriaError``."""
    return PromptBuilder(_parsed(OWN_FAULTS), frame, {})


def listener_prompts(frame: ChatFrame) -> PromptBuilder:
    """What a model is asked for listeners. Raises ``CriteriaError``."""
    return PromptBuilder(_parsed(LISTENERS), frame, {})


def _parsed(name: str) -> PromptSet:
    return parse_prompts(criteria_dir() / name, criteria_dir() / "prompts.rng")


@cache
def _prompts() -> PromptBuilder:
    """The prompts without a model's chat template, read once."""
    return PromptBuilder(parse_prompts(), ChatFrame("", "", ""), {})


def _text(prompt: Prompt) -> str:
    return "".join(segment.text for segment in prompt)
