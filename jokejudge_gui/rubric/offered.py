"""Factors that a model wrote for jokes that no known factor fits. They are kept for later jokes, and those used for
several jokes are offered to the user's own criteria."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

from pydantic import Field, ValidationError

from ..core.errors import CriteriaError
from ..core.files import alone, atomic_write, read_json
from ..core.paths import criteria_dir
from ..core.verdicts import FactorRef, Frozen
from ..engine.base import ChatFrame, Prompt
from .audiences import PROMPTS as LISTENERS
from .own_file import OwnFile
from .own_types import Item, Section, effect, factor_of
from .prompts import PromptBuilder, PromptSet, factor_line, parse_prompts

LEAST_JOKES = 3
"""Number of jokes that a factor must have been used for before it is offered."""
_MOST, _MOST_JOKES = 200, 50
_FORMAT = 1
_DEFINED = ("name", "explanation", "zero", "five", "good", "bad")


class OfferedFactor(Frozen):
    """A factor that a model wrote. ``jokes``: digests of the first jokes that it was used for; ``removed``: the user
    doesn't want it; ``promoted``: it is one of the user's own."""

    id: str = Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")
    name: str = Field(min_length=1, max_length=40)
    explanation: str = Field(max_length=200)
    zero: str = Field(max_length=100)
    five: str = Field(max_length=100)
    good: str = Field(max_length=300)
    bad: str = Field(max_length=300)
    jokes: tuple[str, ...] = Field(default=(), max_length=_MOST_JOKES)
    removed: bool = False
    promoted: bool = False

    @property
    def open(self) -> bool:
        """Whether it may be used for further jokes and offered."""
        return not (self.removed or self.promoted)

    @property
    def fields(self) -> dict[str, str]:
        """The fields of a factor of the user's own."""
        return {name: getattr(self, name) for name in _DEFINED}

    def ref(self) -> FactorRef:
        """Return it as a factor to be scored."""
        return FactorRef(
            id=self.id, name=self.name, origin="dynamic", explanation=self.explanation, zero=self.zero,
            five=self.five, good_example=self.good, bad_example=self.bad,
        )  # fmt: skip


class OfferedFile:
    """The factors that models wrote, in the folder of the user's own criteria. An unreadable file counts as empty,
    since it holds nothing that the user made."""

    def __init__(self, folder: Path) -> None:
        """``folder``: ``Profile.criteria``; nothing is created until a factor is kept."""
        self._path, self._lock = folder / "offered_factors.json", folder / "offered_factors.lock"

    def load(self) -> tuple[OfferedFactor, ...]:
        """Return all factors, including those that the user removed or promoted."""
        try:
            data = read_json(self._path)
        except (OSError, ValueError, RecursionError):
            return ()
        rows = data.get("factors") if isinstance(data, dict) and data.get("format") == _FORMAT else None
        found: dict[str, OfferedFactor] = {}
        for row in rows[:_MOST] if isinstance(rows, list) else ():
            try:
                item = OfferedFactor.model_validate(row)
            except (ValidationError, RecursionError):
                continue
            found.setdefault(item.id, item)
        return tuple(found.values())

    def known(self) -> tuple[FactorRef, ...]:
        """Return the factors that may be used for further jokes, the most used first."""
        return tuple(item.ref() for item in sorted(self.load(), key=lambda item: -len(item.jokes)) if item.open)

    def promoted(self) -> frozenset[str]:
        """Return the ids of the promoted factors."""
        return frozenset(item.id for item in self.load() if item.promoted)

    def offers(self) -> tuple[OfferedFactor, ...]:
        """Return the factors that were used for enough jokes to be offered."""
        return tuple(item for item in self.load() if item.open and len(item.jokes) >= LEAST_JOKES)

    def served(self, factor: FactorRef, joke: str) -> None:
        """Count a factor's use for a joke; a new factor is added. Raises ``SettingsError``."""
        mark = hashlib.sha256(joke.encode("utf-8", "surrogatepass")).hexdigest()[:16]

        def change(items: dict[str, OfferedFactor]) -> None:
            item = items.get(factor.id)
            if item is None:
                if len(items) >= _MOST:
                    least = min(items.values(), key=lambda each: (not each.open, len(each.jokes)))
                    del items[least.id]
                item = OfferedFactor(
                    id=factor.id, name=factor.name, explanation=factor.explanation, zero=factor.zero,
                    five=factor.five, good=factor.good_example, bad=factor.bad_example,
                )  # fmt: skip
            if mark not in item.jokes and len(item.jokes) < _MOST_JOKES:
                item = item.replaced(jokes=(*item.jokes, mark))
            items[factor.id] = item

        self._change(change)

    def remove(self, id: str) -> None:
        """Never use or offer a factor again. Raises ``CriteriaError``, ``SettingsError``."""
        self._mark(id, removed=True)

    def promote(self, id: str, own: OwnFile, fields: dict[str, str] | None = None) -> None:
        """Make a factor one of the user's own; ``fields`` replace those that the model wrote. Raises ``CriteriaError``,
        ``SettingsError``."""
        item = next((each for each in self.load() if each.id == id and each.open), None)
        if item is None:
            raise _no_such(id)
        own.set_item("factor", id, {**item.fields, **(fields or {})}, new=True)
        self._mark(id, promoted=True)

    def _mark(self, id: str, **marks: bool) -> None:
        def change(items: dict[str, OfferedFactor]) -> None:
            if id not in items or not items[id].open:
                raise _no_such(id)
            items[id] = items[id].replaced(**marks)

        self._change(change)

    def _change(self, change: Callable[[dict[str, OfferedFactor]], None]) -> None:
        with alone(self._lock):
            items = {item.id: item for item in self.load()}
            change(items)
            rows = [item.model_dump(mode="json") for item in items.values()]
            atomic_write(self._path, json.dumps({"format": _FORMAT, "factors": rows}, ensure_ascii=False) + "\n")


def id_of(name: str) -> str:
    """Return the id of a factor with this name: lower-case letters, digits and underscores."""
    letters = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
    return f"own_{letters}"[:40].rstrip("_") if letters else "own_factor"


def _no_such(id: str) -> CriteriaError:
    return CriteriaError(
        "E_CRITERIA_OWN",
        f"No factor “{id[:60]}” is offered.",
        "`jokejudge criteria offered` shows those that are.",
    )


# The prompts about an item, as the model reads them.

OWN_FAULTS = "own_fault_prompts.xml"
_UNASKED: dict[str, str] = {
    "note": "A model isn't asked about notes: the program says them where all their conditions hold.",
}
_FAULTS = (
    "Faults that the program has learned are read from the model's states. About a fault of your own, or one whose "
    "meaning you changed, a model is asked:"
)
_NAME = "…"


def asked_about(section: Section, fields: Mapping[str, str]) -> tuple[str, ...]:
    """Return the lines of the prompts about an item with these fields, or a sentence that says why there are none.
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


def own_effect(item: Item, fields: Mapping[str, str]) -> str:
    """Return a sentence on the effect of the user's changes to an item, with these fields: whether a model is asked
    about it, and the cost. Empty where verdicts are made as before. Raises ``CriteriaError``."""
    sentence = effect(item.replaced(fields=dict(fields)))
    if not sentence or item.off or item.section not in ("kind", "factor", "fault"):
        return sentence
    lines = [line for line in asked_about(item.section, fields) if line != _FAULTS]
    words = sum(len(line.split()) for line in lines)
    first = "" if item.section == "fault" else " Before the first time the model's answers about it are measured, once."
    return f"{sentence} Each time the model then reads some {words} words more.{first}"


def own_fault_prompts(frame: ChatFrame) -> PromptBuilder:
    """Return the prompts about faults of the user's own. Raises ``CriteriaError``."""
    return PromptBuilder(_parsed(OWN_FAULTS), frame, {})


def listener_prompts(frame: ChatFrame) -> PromptBuilder:
    """Return the prompts about listeners. Raises ``CriteriaError``."""
    return PromptBuilder(_parsed(LISTENERS), frame, {})


def _parsed(name: str) -> PromptSet:
    return parse_prompts(criteria_dir() / name, criteria_dir() / "prompts.rng")


@cache
def _prompts() -> PromptBuilder:
    """Return the prompts without a model's chat template, read once."""
    return PromptBuilder(parse_prompts(), ChatFrame("", "", ""), {})


def _text(prompt: Prompt) -> str:
    return "".join(segment.text for segment in prompt)
