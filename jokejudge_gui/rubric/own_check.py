"""Checks of the user's own criteria: each problem is a sentence with a next step."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from ..core.errors import CriteriaError
from .own_types import FIELDS, SECTIONS, Field, Fields, Item, Key, OwnCriteria, OwnItem, Section, fields_of

MOST_OWN = 60
"""Number of items of one section that a user may add or change."""
_LEAST_KINDS, _LEAST_FACTORS = 2, 3
_ID = re.compile(r"[a-z][a-z0-9_]{0,39}")
_OFF_BY = 0.001
"""The largest difference from 1 of the weights' sum: a third has no exact decimal."""


@dataclass(frozen=True)
class Problem:
    """A problem in the user's own criteria. ``key``: the item, None for the criteria as a whole; ``field``: the item's
    field."""

    sentence: str
    hint: str
    key: Key | None = None
    field: str = ""

    def __str__(self) -> str:
        return str(self.error())

    def error(self, where: str = "") -> CriteriaError:
        """Return the problem as an error; ``where``: the beginning of its sentence."""
        sentence = where + (self.sentence[:1].lower() + self.sentence[1:] if where else self.sentence)
        return CriteriaError("E_CRITERIA_OWN", sentence, self.hint)


def item_problems(own: OwnCriteria, shipped: Mapping[Key, Fields]) -> Iterator[Problem]:
    """Yield the problems of single items and of the ids that they name."""
    allowed = known_ids(own, shipped)
    for section in SECTIONS:
        count = sum(item.section == section for item in own.items)
        if count > MOST_OWN:
            yield Problem(
                f"There are {count} {section}s of your own; at most {MOST_OWN} fit into what a model is asked.",
                "Remove some.",
            )
    seen: set[Key] = set()
    for item in own.items:
        if item.key in seen:
            yield Problem(f"The {item.section} “{item.id}” is there twice.", "Keep one of them.", item.key)
        seen.add(item.key)
        yield from _item(item, shipped.get(item.key), allowed)


def known_ids(own: OwnCriteria, shipped: Mapping[Key, Fields]) -> dict[Section, set[str]]:
    """Return the ids that may be named, by section."""
    keys = {*shipped, *(item.key for item in own.items)}
    return {section: {id for of, id in keys if of == section} for section in SECTIONS}


def _item(item: OwnItem, base: Fields | None, allowed: Mapping[Section, Collection[str]]) -> Iterator[Problem]:
    def problem(sentence: str, hint: str, field: str) -> Problem:
        return Problem(sentence, hint, item.key, field)

    if not _ID.fullmatch(item.id):
        hint = "Use up to 40 small letters, digits and underscores, beginning with a letter."
        yield problem(f"“{item.id[:60]}” can't be an id.", hint, "id")
        return
    fields = fields_of(item.section)
    unknown = [name for name in item.fields if name not in fields]
    if unknown:
        sentence = f"A {item.section} has no field “{unknown[0]}”."
        yield problem(sentence, f"It has {', '.join(fields)}.", unknown[0])
    first = FIELDS[item.section][0].name
    if base is None and not item.fields.get(first):
        sentence = f"No {item.section} “{item.id}” comes with this version of the program."
        hint = "To make it one of your own, give it all its fields; otherwise take it out."
        yield problem(sentence, hint, first)
        return
    for name, field in fields.items():
        value = item.fields.get(name)
        if value is None and base is not None:
            continue
        for sentence, hint in _value(field, value or "", item, allowed):
            yield problem(sentence, hint, name)


def _value(
    field: Field, value: str, item: OwnItem, allowed: Mapping[Section, Collection[str]]
) -> Iterator[tuple[str, str]]:
    """Yield a sentence and a hint for each problem."""
    what = f"“{field.label}” of the {item.section} “{item.id}”"
    if not value.strip():
        if field.needed:
            yield f"{what} is empty.", f"Write {field.help}."
        return
    bad = next((c for c in value if _unwritable(c)), None)
    if bad is not None:
        yield f"{what} holds a character that can't be written (U+{ord(bad):04X}).", "Remove it."
    if len(value) > field.most:
        yield f"{what} is {len(value)} characters long.", f"At most {field.most} fit."
    if field.form == "choice" and value not in field.choices:
        yield f"{what} can't be “{value[:40]}”.", f"Use {' or '.join(field.choices)}."
    if field.form == "ids" and field.of is not None:
        names = value.split()
        for name in names:
            if name not in allowed[field.of]:
                yield f"{what} names “{name[:60]}”, but there is no such {field.of}.", _see(field.of)
        if len(set(names)) != len(names):
            yield f"{what} names something twice.", "Keep one of them."


def _unwritable(character: str) -> bool:
    """Whether a file or a prompt can't contain the character."""
    return character != "\n" and (unicodedata.category(character) in ("Cc", "Cs") or character in "\ufffe\uffff")


def _see(section: Section) -> str:
    return f"Use the id of a {section} that there is: `jokejudge criteria list {section}` shows them."


def whole_problems(items: Collection[Item], weights: Mapping[str, float]) -> Iterator[Problem]:
    """Yield the problems of all items together, and of the weights."""
    on = [item for item in items if not item.off]
    for section in SECTIONS:
        names: dict[str, Item] = {}
        for item in (candidate for candidate in on if candidate.section == section):
            other = names.setdefault(item.name.casefold(), item)
            if other is not item:
                mine = item if item.origin != "shipped" else other
                sentence = f"Two {section}s are called “{item.name}”."
                yield Problem(sentence, "Give one of them another name.", mine.key, "name")
    kinds = [item for item in on if item.section == "kind"]
    factors = {item.id for item in on if item.section == "factor"}
    for kind in kinds:
        if not any(name in factors for name in kind.fields["factors"].split()):
            sentence = f"The kind “{kind.id}” has no factor left that it is scored on."
            yield Problem(sentence, "Give it a factor, or switch it off.", kind.key, "factors")
    for count, least, what in ((len(kinds), _LEAST_KINDS, "kinds"), (len(factors), _LEAST_FACTORS, "factors")):
        if count < least:
            yield Problem(f"Only {count} {what} would be left.", f"Leave at least {least} of them on.")
    yield from weight_problems(weights, {item.id for item in items if item.section == "factor"})


def weight_problems(weights: Mapping[str, float], factors: Collection[str]) -> Iterator[Problem]:
    """Yield the problems of weights of these factors."""
    for id, share in weights.items():
        if id not in factors:
            yield Problem(f"A weight is given for “{id[:60]}”, but there is no such factor.", _see("factor"))
        if not math.isfinite(share) or not 0 < share <= 1:
            yield Problem(f"The weight of “{id[:60]}” is {share:g}.", "Weights are above 0 and at most 1.")
            return
    total = math.fsum(weights.values())
    if weights and abs(total - 1.0) > _OFF_BY:
        yield Problem(f"The weights sum to {total:.3g}, not to 1.", "Change one of them so that they sum to 1.")
