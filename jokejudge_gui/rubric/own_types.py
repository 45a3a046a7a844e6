"""The items that a user may add or change, and the fields of each section."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from pydantic import Field as Pydantic

from ..core.verdicts import Frozen
from .notes import EditorWords
from .xml_parser import Category, Criteria, Factor

Section = Literal["kind", "factor", "fault"]
SECTIONS: tuple[Section, ...] = get_args(Section)
TITLES: dict[Section, str] = {"kind": "Kinds", "factor": "Factors", "fault": "Faults"}

Form = Literal["line", "ids", "choice"]
"""The form of a field's value: a line of text; ids with blanks between them; one of ``choices``."""


@dataclass(frozen=True)
class Field:
    """A field of an item. ``most``: characters; ``needed``: a new item must have it; ``meaning``: after a change a
    model or a head would have to learn it anew; ``attribute``: an attribute in the file, otherwise an element; ``of``:
    the section of the items that ``ids`` name."""

    name: str
    label: str
    help: str
    form: Form = "line"
    most: int = 200
    needed: bool = True
    meaning: bool = False
    attribute: bool = False
    of: Section | None = None
    choices: tuple[str, ...] = ()


def _ids(name: str, label: str, help: str, of: Section, *, needed: bool = False) -> Field:
    return Field(name, label, help, form="ids", most=600, needed=needed, attribute=True, of=of)


_NAME = Field("name", "Name", "what it is called in verdicts", most=40, attribute=True)
_ASKED = Field(
    "always", "Use in ratings", "yes: a model is asked in each rating about one of your own, or with another meaning",
    form="choice", needed=False, attribute=True, choices=("no", "yes"),
)  # fmt: skip
FIELDS: dict[Section, tuple[Field, ...]] = {
    "kind": (
        _NAME,
        Field("group", "Group", "the heading under which it is listed", most=40, needed=False, attribute=True),
        Field("description", "Description", "a sentence that tells it from other kinds", meaning=True),
        Field("ask", "In a few words", "what such a joke does: “uses one word in two senses”", most=80, meaning=True),
        Field("example", "Example", "a short joke of this kind", most=300),
        _ids("factors", "Factors", "what such a joke is scored on, the most specific first", "factor", needed=True),
    ),
    "factor": (
        _NAME,
        Field("explanation", "Explanation", "a sentence that says what is scored", meaning=True),
        Field("zero", "At 0", "what a joke is like that scores 0", most=100, meaning=True),
        Field("middle", "In the middle", "what a joke is like that scores half", most=100, needed=False, meaning=True),
        Field("five", "At 5", "what a joke is like that scores all 5", most=100, meaning=True),
        Field("good", "Good example", "a short joke that does it well", most=300),
        Field("bad", "Bad example", "a short joke that does it badly", most=300),
        _ids("kinds", "Kinds", "the kinds of joke that it matters for", "kind"),
        _ASKED,
    ),
    "fault": (
        _NAME,
        Field("says", "What it does", "what such a text does, after “it”: “explains its own joke”", meaning=True),
        _ASKED,
    ),
}  # fmt: skip


def id_of(name: str) -> str:
    """Return the id of a factor with this name: lower-case letters, digits and underscores."""
    letters = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
    return f"own_{letters}"[:40].rstrip("_") if letters else "own_factor"


def fields_of(section: Section) -> dict[str, Field]:
    """Return the fields of a section by name, in order."""
    return {field.name: field for field in FIELDS[section]}


Key = tuple[Section, str]
Fields = dict[str, str]


class OwnItem(Frozen):
    """An item of the user's own, or a user's changes to a shipped one: ``fields`` holds only the differences from it;
    ``off``: it is switched off."""

    section: Section
    id: str
    fields: Fields = Pydantic(default_factory=dict)
    off: bool = False

    @property
    def key(self) -> Key:
        return self.section, self.id


class OwnCriteria(Frozen):
    """All additions and changes of a user. ``weights``: by factor id, each 0…1, with the sum 1; empty: none are set."""

    items: tuple[OwnItem, ...] = ()
    weights: dict[str, float] = Pydantic(default_factory=dict)

    @property
    def empty(self) -> bool:
        return not self.items and not self.weights

    def item(self, section: Section, id: str) -> OwnItem:
        """Return the user's version of an item; one without changes where there is none."""
        return next((item for item in self.items if item.key == (section, id)), OwnItem(section=section, id=id))

    def with_item(self, item: OwnItem) -> OwnCriteria:
        """Return a copy with this item in place of one with its id; one that changes nothing is left out."""
        items = {own.key: own for own in self.items} | {item.key: item}
        return self.replaced(items=tuple(own for own in items.values() if own.fields or own.off))


class Item(OwnItem):
    """An item as the program uses it, with all its fields and their origin. ``shipped``: it comes with the program;
    ``changed``: names of fields that the user wrote; ``reworded``: its meaning differs from the one that the program
    learned."""

    shipped: bool
    changed: tuple[str, ...] = ()
    reworded: bool = False

    @property
    def name(self) -> str:
        return self.fields.get("name") or self.id

    @property
    def unlearned(self) -> bool:
        """Whether its meaning is one that the program hasn't learned or measured."""
        return self.reworded or not self.shipped

    @property
    def origin(self) -> Literal["shipped", "changed", "own"]:
        """The item's origin: shipped, changed by the user, or the user's own."""
        if not self.shipped:
            return "own"
        return "changed" if self.changed or self.off else "shipped"


# Sentences on the user's own criteria, for the window and the terminal.

ORIGINS: Mapping[str, str] = {"shipped": "", "changed": "changed", "own": "your own"}
_ASKED_ALL = "it only takes part where every question is asked (Settings, Ask the model; in the terminal --ask all)"


def effect(item: Item) -> str:
    """Return a sentence on the effect of the user's changes; empty where verdicts are made as before."""
    if item.off:
        return "It is switched off: it takes no part in verdicts."
    if not item.unlearned:
        return ""
    why = "The program has learned its earlier meaning" if item.shipped else "The program hasn't learned it"
    if item.section == "fault":
        kept = " Change only its name to keep it." if item.shipped else ""
        asked = "a model is asked about it in each rating" if item.fields.get("always") == "yes" else _ASKED_ALL
        return f"{why}, so it is never a finding: verdicts show it apart, as not measured, and {asked}.{kept}"
    if item.fields.get("always") == "yes":
        return f"{why}, so it isn't measured; a model is asked about it in each rating."
    return f"{why}, so it isn't measured: {_ASKED_ALL}."


def found_in(item: Item, words: str) -> bool:
    """Whether an item contains all of these words, in any case."""
    content = " ".join((item.id, *item.fields.values())).casefold()
    return all(word in content for word in words.casefold().split())


# Conversion of criteria to items with text fields, for people, and back, for judges.

_OWN_GROUP = "Your own"


def items_of(criteria: Criteria, words: EditorWords) -> dict[Key, Fields]:
    """Return every item of the criteria with its fields as texts."""
    items: dict[Key, Fields] = {}
    of_factor: dict[str, list[str]] = {}
    for kind in criteria.categories:
        items["kind", kind.id] = {
            **kind.model_dump(include={"name", "group", "description", "ask", "example"}),
            "factors": " ".join(kind.factors),
        }
        for factor in kind.factors:
            of_factor.setdefault(factor, []).append(kind.id)
    for factor_item in criteria.factors:
        items["factor", factor_item.id] = {
            **factor_item.model_dump(include={"name", "explanation", "zero", "middle", "five"}),
            "good": factor_item.good_example,
            "bad": factor_item.bad_example,
            "kinds": " ".join(of_factor.get(factor_item.id, ())),
            "always": "yes" if factor_item.id in criteria.always else "no",
        }
    for fault in words.faults:
        items["fault", fault.id] = {"name": fault.name, "says": fault.says, "always": "no"}
    return items


def kind_of(id: str, fields: Mapping[str, str]) -> Category:
    """Return a kind of joke, with the factors of its field."""
    given = {"id": id, "group": fields.get("group") or _OWN_GROUP, "factors": fields["factors"].split()}
    return Category.model_validate({**fields, **given})


def factor_of(id: str, fields: Mapping[str, str]) -> Factor:
    """Return a factor."""
    same = {name: fields.get(name, "") for name in ("name", "explanation", "zero", "middle", "five")}
    return Factor.model_validate({**same, "id": id, "good_example": fields["good"], "bad_example": fields["bad"]})
