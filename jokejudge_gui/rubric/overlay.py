"""The shipped criteria, with the user's own criteria merged into them item by item."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..core.paths import criteria_dir
from .audiences import AUDIENCES, Audiences, parse_audiences
from .notes import EditorWords, Fault, load_editor_words
from .own_check import Problem, item_problems, whole_problems
from .own_types import (
    SECTIONS,
    Fields,
    Item,
    Key,
    OwnCriteria,
    factor_of,
    fields_of,
    items_of,
    kind_of,
)
from .xml_parser import Criteria, OwnFault, load_criteria


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


def problems(shipped: Rubric, own: OwnCriteria) -> list[Problem]:
    """Return all problems of the user's own criteria; empty where they can be used as they are."""
    base = shipped.items()
    return list(item_problems(own, base)) or list(whole_problems(merged(shipped, own), own.weights))


def merged(shipped: Rubric, own: OwnCriteria) -> tuple[Item, ...]:
    """Return all items with their effective fields, including those that are switched off; by section, in file order,
    the user's own last. ``own`` has no problems."""
    base = shipped.items()
    mine = {item.key: item for item in own.items}
    items: list[Item] = []
    for key in (*base, *(key for key in mine if key not in base)):
        item = mine.get(key)
        section = key[0]
        given = item.fields if item else {}
        was = base.get(key, {})
        empty = dict.fromkeys(fields_of(section), "")
        changed = tuple(name for name, value in given.items() if value != was.get(name, ""))
        items.append(
            Item(
                section=section,
                id=key[1],
                fields={**empty, **was, **given},
                shipped=key in base,
                changed=changed,
                off=item is not None and item.off,
                reworded=key in base and any(fields_of(section)[name].meaning for name in changed),
            )
        )
    return tuple(_linked(sorted(items, key=lambda item: SECTIONS.index(item.section))))


def _linked(items: list[Item]) -> list[Item]:
    """Make kinds and factors name each other alike; kinds that the user gave a factor take precedence."""
    factors = {item.id: item.fields["factors"].split() for item in items if item.section == "kind"}
    for item in items:
        if item.section == "factor" and "kinds" in item.changed:
            wanted = item.fields["kinds"].split()
            for kind, names in factors.items():
                if kind in wanted and item.id not in names:
                    names.append(item.id)
                elif kind not in wanted and item.id in names:
                    names.remove(item.id)
    linked = []
    for item in items:
        fields = item.fields
        if item.section == "kind":
            fields = {**fields, "factors": " ".join(factors[item.id])}
        elif item.section == "factor":
            fields = {**fields, "kinds": " ".join(kind for kind, names in factors.items() if item.id in names)}
        linked.append(item.replaced(fields=fields))
    return linked


def overlaid(shipped: Rubric, own: OwnCriteria) -> Rubric:
    """Return the rubric with the user's own criteria merged in. Raises ``CriteriaError`` for the first problem."""
    if own.empty:
        return shipped
    for problem in problems(shipped, own):
        raise problem.error()
    items = merged(shipped, own)
    on = [item for item in items if not item.off]
    scored = {item.id for item in on if item.section == "factor"}
    weights = {id: share for id, share in own.weights.items() if id in scored}
    was = {kind.id: kind.was for kind in shipped.criteria.categories}
    criteria = shipped.criteria.replaced(
        categories=tuple(
            kind.replaced(
                factors=tuple(factor for factor in kind.factors if factor in scored), was=was.get(kind.id, ())
            )
            for kind in (kind_of(item.id, item.fields) for item in on if item.section == "kind")
        ),
        factors=tuple(factor_of(item.id, item.fields) for item in on if item.section == "factor"),
        unread=_unread(items),
        # A factor that a head scores needn't be asked about in each rating.
        always=tuple(
            item.id for item in on if item.section == "factor" and item.fields["always"] == "yes" and _new(item)
        ),
        weights=weights,
        own_faults=tuple(
            OwnFault(id=item.id, name=item.name, says=item.fields["says"], ask=item.fields["always"] == "yes")
            for item in on
            if item.section == "fault" and _new(item)
        ),
    )
    return Rubric(criteria.versioned(), _words(shipped.words, on), shipped.audiences)


def _new(item: Item) -> bool:
    """Whether its meaning is one that the program hasn't learned or measured."""
    return item.reworded or not item.shipped


def _unread(items: tuple[Item, ...]) -> dict[str, tuple[str, ...]]:
    unread: dict[str, tuple[str, ...]] = {}
    for item in items:
        if _new(item):
            unread[item.section] = (*unread.get(item.section, ()), item.id)
    return unread


def _words(shipped: EditorWords, on: list[Item]) -> EditorWords:
    """Return the editor's words. Faults that are new or have another meaning are left out, because no head finds them;
    a note that names one is never used."""
    faults = (item for item in on if item.section == "fault" and not _new(item))
    return shipped.replaced(
        faults=tuple(Fault(id=item.id, name=item.name, says=item.fields["says"]) for item in faults)
    )
