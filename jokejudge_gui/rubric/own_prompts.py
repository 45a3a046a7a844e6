"""The prompts about items of the user's own, as a model reads them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..core.paths import criteria_dir
from ..engine.base import ChatFrame, Prompt
from .own_types import Section, factor_of
from .prompts import PromptBuilder, factor_line, parse_prompts


def id_of(name: str) -> str:
    """Return the id of a factor with this name: lower-case letters, digits and underscores."""
    letters = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
    return f"own_{letters}"[:40].rstrip("_") if letters else "own_factor"


_FAULTS = (
    "Faults that the program has learned are read from the model's states. About a fault of your own, or one whose "
    "meaning you changed, a model is asked:"
)
_NAME = "…"
_PLAIN = ChatFrame("", "", "")
"""The frame of prompts without a model's chat template."""


def asked_about(section: Section, fields: Mapping[str, str]) -> tuple[str, ...]:
    """Return the lines of the prompts about an item with these fields. Raises ``CriteriaError``."""
    if section == "fault":
        says = {"says": fields.get("says", "").strip() or _NAME}
        asked = own_fault_prompts(_PLAIN)
        return (_FAULTS, *(_text(asked.answer("own_fault", answer, says)) + " yes or no" for answer in ("has", "free")))
    prompts = _builder("prompts.xml", _PLAIN)
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
    """Return the prompts about faults of the user's own. Raises ``CriteriaError``."""
    return _builder("own_fault_prompts.xml", frame)


def listener_prompts(frame: ChatFrame) -> PromptBuilder:
    """Return the prompts about listeners. Raises ``CriteriaError``."""
    return _builder("listener_prompts.xml", frame)


def _builder(name: str, frame: ChatFrame) -> PromptBuilder:
    return PromptBuilder(parse_prompts(criteria_dir() / name, criteria_dir() / "prompts.rng"), frame, {})


def _text(prompt: Prompt) -> str:
    return "".join(segment.text for segment in prompt)
