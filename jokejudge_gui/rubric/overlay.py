"""The shipped criteria, the user's own criteria merged into them item by item, and checks of these."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..core.errors import CriteriaError
from ..core.paths import criteria_dir
from .audiences import AUDIENCES, Audiences, parse_audiences
from .notes import EditorWords, Fault, load_editor_words
from .own_types import (
    FIELDS,
    SECTIONS,
    Fields,
    Item,
    Key,
    OwnCriteria,
    OwnItem,
    Section,
    factor_of,
    fields_of,
    items_of,
    kind_of,
)
from .xml_parser import Criteria, OwnFault, load_criteria

_MOST_OWN = 60
"""Number of items of one section that a user may add or change."""
_LEAST: dict[Section, int] = {"kind": 2, "factor": 3}
_ID = re.compile(r"[a-z][a-z0-9_]{0,39}")
_OFF_BY = 0.001
"""The largest difference from 1 of the weights' sum: a third has no exact decimal."""


@dataclass(frozen=True)
class Rubric:
    """All criteria: those for questions and scores, the editor's words, and the listeners."""

    criteria: Criteria
    words: EditorWords
    audiences: Audiences

    @classmethod
    def shipped(cls) -> Rubric:
        """Return the shipped rubric, read once. Raises ``CriteriaError``."""
        return _shipped(criteria_dir())

    def items(self) -> dict[Key, Fields]:
        """Return every item with its fields."""
        return items_of(self.criteria, self.words)


@cache
def _shipped(folder: Path) -> Rubric:
    criteria = load_criteria(folder)
    return Rubric(criteria, load_editor_words(folder), parse_audiences(folder / AUDIENCES))


def merged(shipped: Rubric, own: OwnCriteria) -> tuple[Item, ...]:
    """Return all items with their effective fields, including those that are switched off; by section, in file order,
    the user's own last. ``own`` has no problems."""
    base = shipped.items()
    mine = {item.key: item for item in own.items}
    items: list[Item] = []
    for section, id in sorted(base | mine, key=lambda key: SECTIONS.index(key[0])):
        item, was = mine.get((section, id), OwnItem(section=section, id=id)), base.get((section, id), {})
        own_fields = fields_of(section)
        changed = tuple(name for name, value in item.fields.items() if value != was.get(name, ""))
        items.append(
            Item(
                section=section,
                id=id,
                fields={**dict.fromkeys(own_fields, ""), **was, **item.fields},
                off=item.off,
                shipped=bool(was),
                changed=changed,
                reworded=bool(was) and any(own_fields[name].meaning for name in changed),
            )
        )
    return _linked(items)


def _linked(items: list[Item]) -> tuple[Item, ...]:
    """Make kinds and factors name each other alike; kinds that the user gave a factor take precedence."""
    factors = {item.id: item.fields["factors"].split() for item in items if item.section == "kind"}
    for item in items:
        if item.section == "factor" and "kinds" in item.changed:
            wanted = item.fields["kinds"].split()
            for kind, names in factors.items():
                if (kind in wanted) != (item.id in names):
                    (names.append if kind in wanted else names.remove)(item.id)
    linked = []
    for item in items:
        fields = dict(item.fields)
        if item.section == "kind":
            fields["factors"] = " ".join(factors[item.id])
        elif item.section == "factor":
            fields["kinds"] = " ".join(kind for kind, names in factors.items() if item.id in names)
        linked.append(item.replaced(fields=fields))
    return tuple(linked)


def overlaid(shipped: Rubric, own: OwnCriteria) -> Rubric:
    """Return the rubric with the user's own criteria, which have no problems, merged in."""
    if own.empty:
        return shipped
    items = merged(shipped, own)
    kinds, factors, faults = ([item for item in items if item.section == name and not item.off] for name in SECTIONS)
    was = {kind.id: kind.was for kind in shipped.criteria.categories}
    scored = {item.id for item in factors}
    unread: dict[str, tuple[str, ...]] = {}
    for item in items:
        if item.unlearned:
            unread[item.section] = (*unread.get(item.section, ()), item.id)
    categories = []
    for kind in (kind_of(item.id, item.fields) for item in kinds):
        of_kind = tuple(factor for factor in kind.factors if factor in scored)
        categories.append(kind.replaced(factors=of_kind, was=was.get(kind.id, ())))
    criteria = shipped.criteria.replaced(
        categories=tuple(categories),
        factors=tuple(factor_of(item.id, item.fields) for item in factors),
        unread=unread,
        # A factor that a head scores needn't be asked about in each rating.
        always=tuple(item.id for item in factors if item.fields["always"] == "yes" and item.unlearned),
        weights={id: share for id, share in own.weights.items() if id in scored},
        own_faults=tuple(
            OwnFault(id=item.id, name=item.name, says=item.fields["says"], ask=item.fields["always"] == "yes")
            for item in faults
            if item.unlearned
        ),
    )
    # No head finds a fault that is new or has another meaning; a note that names one is never used.
    learned = (item for item in faults if not item.unlearned)
    words = tuple(Fault(id=item.id, name=item.name, says=item.fields["says"]) for item in learned)
    return Rubric(criteria.versioned(), shipped.words.replaced(faults=words), shipped.audiences)


# Checks of the user's own criteria.


class OwnError(CriteriaError):
    """A problem in the user's own criteria. ``key``: the item, None for the criteria as a whole; ``field``: the item's
    field."""

    def __init__(self, sentence: str, hint: str, key: Key | None = None, field: str = "") -> None:
        super().__init__("E_CRITERIA_OWN", sentence, hint)
        self.key, self.field = key, field


def problems(shipped: Rubric, own: OwnCriteria) -> list[OwnError]:
    """Return all problems of the user's own criteria; empty where they can be used as they are."""
    return list(item_problems(own, shipped.items())) or list(_whole_problems(merged(shipped, own), own.weights))


def item_problems(own: OwnCriteria, shipped: Mapping[Key, Fields]) -> Iterator[OwnError]:
    """Yield the problems of single items and of the ids that they name."""
    keys = {*shipped, *(item.key for item in own.items)}
    for section, count in Counter(item.section for item in own.items).items():
        if count > _MOST_OWN:
            sentence = f"There are {count} {section}s of your own; at most {_MOST_OWN} fit into what a model is asked."
            yield OwnError(sentence, "Remove some.")
    for item in own.items:
        for sentence, hint, field in _item_problems(item, shipped.get(item.key), keys):
            yield OwnError(sentence, hint, item.key, field)


def _item_problems(item: OwnItem, base: Fields | None, keys: Collection[Key]) -> Iterator[tuple[str, str, str]]:
    """Yield sentence, hint and field for each problem of an item."""
    fields, first = fields_of(item.section), FIELDS[item.section][0].name
    if not _ID.fullmatch(item.id):
        hint = "Use up to 40 small letters, digits and underscores, beginning with a letter."
        yield f"“{item.id[:60]}” can't be an id.", hint, "id"
        return
    for name in item.fields.keys() - fields.keys():
        yield f"A {item.section} has no field “{name}”.", f"It has {', '.join(fields)}.", name
    if base is None and not item.fields.get(first):
        sentence = f"No {item.section} “{item.id}” comes with this version of the program."
        yield sentence, "To make it one of your own, give it all its fields; otherwise take it out.", first
        return
    for name, field in fields.items():
        if base is not None and name not in item.fields:
            continue
        value, what = item.fields.get(name, ""), f"“{field.label}” of the {item.section} “{item.id}”"
        names = value.split() if field.of is not None else []
        if not value.strip():
            if field.needed:
                yield f"{what} is empty.", f"Write {field.help}.", name
            continue
        if (bad := next(filter(_unwritable, value), None)) is not None:
            yield f"{what} holds a character that can't be written (U+{ord(bad):04X}).", "Remove it.", name
        if len(value) > field.most:
            yield f"{what} is {len(value)} characters long.", f"At most {field.most} fit.", name
        if field.choices and value not in field.choices:
            yield f"{what} can't be “{value[:40]}”.", f"Use {' or '.join(field.choices)}.", name
        for other in names:
            if field.of is not None and (field.of, other) not in keys:
                yield f"{what} names “{other[:60]}”, but there is no such {field.of}.", _see(field.of), name
        if len(set(names)) != len(names):
            yield f"{what} names something twice.", "Keep one of them.", name


def _unwritable(character: str) -> bool:
    """Whether a file or a prompt can't contain the character."""
    return character != "\n" and (unicodedata.category(character) in ("Cc", "Cs") or character in "\ufffe\uffff")


def _see(section: Section) -> str:
    return f"Use the id of a {section} that there is: `jokejudge criteria list {section}` shows them."


def _whole_problems(items: Collection[Item], weights: Mapping[str, float]) -> Iterator[OwnError]:
    """Yield the problems of all items together, and of the weights."""
    on = [item for item in items if not item.off]
    factors = {item.id for item in on if item.section == "factor"}
    names: dict[tuple[str, str], Item] = {}
    for item in on:
        other = names.setdefault((item.section, item.name.casefold()), item)
        if other is not item:
            mine = item if item.origin != "shipped" else other
            sentence = f"Two {item.section}s are called “{item.name}”."
            yield OwnError(sentence, "Give one of them another name.", mine.key, "name")
        if item.section == "kind" and not factors.intersection(item.fields["factors"].split()):
            sentence = f"The kind “{item.id}” has no factor left that it is scored on."
            yield OwnError(sentence, "Give it a factor, or switch it off.", item.key, "factors")
    for section, least in _LEAST.items():
        count = sum(item.section == section for item in on)
        if count < least:
            yield OwnError(f"Only {count} {section}s would be left.", f"Leave at least {least} of them on.")
    all_factors = {item.id for item in items if item.section == "factor"}
    for id, share in weights.items():
        if id not in all_factors:
            yield OwnError(f"A weight is given for “{id[:60]}”, but there is no such factor.", _see("factor"))
        if not math.isfinite(share) or not 0 < share <= 1:
            yield OwnError(f"The weight of “{id[:60]}” is {share:g}.", "Weights are above 0 and at most 1.")
            return
    total = math.fsum(weights.values())
    if weights and abs(total - 1.0) > _OFF_BY:
        yield OwnError(f"The weights sum to {total:.3g}, not to 1.", "Change one of them so that they sum to 1.")
