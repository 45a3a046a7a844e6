"""Criteria as items with fields, as people read and edit them, and back to what judges use."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping

from .audiences import Audiences, Listener
from .notes import PARTS, EditorWords, Fault, NoteRule, Part, wording
from .own_types import Section
from .types import Category, Criteria, Factor, OwnFault

Key = tuple[Section, str]
Fields = dict[str, str]
_SURE = "sure:"
_OWN_GROUP = "Your own"


def items_of(criteria: Criteria, words: EditorWords, audiences: Audiences) -> dict[Key, Fields]:
    """Every item of the criteria with its fields as texts; a note's id is made from its first sentence."""
    found: dict[Key, Fields] = {}
    of_factor: dict[str, list[str]] = {}
    for kind in criteria.categories:
        found["kind", kind.id] = {
            **kind.model_dump(include={"name", "group", "description", "ask", "example"}),
            "factors": " ".join(kind.factors),
        }
        for factor in kind.factors:
            of_factor.setdefault(factor, []).append(kind.id)
    for each in criteria.factors:
        found["factor", each.id] = {
            **each.model_dump(include={"name", "explanation", "zero", "middle", "five"}),
            "good": each.good_example,
            "bad": each.bad_example,
            "kinds": " ".join(of_factor.get(each.id, ())),
            "always": "yes" if each.id in criteria.always else "no",
        }
    for fault in words.faults:
        found["fault", fault.id] = {"name": fault.name, "says": fault.says, "always": "no"}
    for listener in audiences.listeners:
        found["listener", listener.id] = {
            "name": listener.name,
            "description": listener.words,
            "likes": "\n".join(listener.likes),
            "group": listener.group,
        }
    for part, rule in rules_of(words):
        found["note", note_id(part, rule)] = _fields_of(part, rule)
    return found


def rules_of(words: EditorWords) -> Iterator[tuple[Part, NoteRule]]:
    """All notes with the part that they belong to."""
    for part in PARTS:
        for rule in getattr(words.notes, part):
            yield part, rule


def note_id(part: Part, rule: NoteRule) -> str:
    """The id of a note, which has none in its file: of what it says and when."""
    digest = hashlib.sha256(repr(sorted(_fields_of(part, rule).items())).encode("utf-8")).hexdigest()
    return f"note_{digest[:8]}"


def kind_of(id: str, fields: Mapping[str, str]) -> Category:
    """A kind of joke, its factors as they stand in the field."""
    return Category(
        id=id,
        name=fields["name"],
        group=fields.get("group") or _OWN_GROUP,
        description=fields["description"],
        ask=fields["ask"],
        example=fields["example"],
        factors=tuple(fields["factors"].split()),
    )


def factor_of(id: str, fields: Mapping[str, str]) -> Factor:
    """A factor."""
    return Factor(
        id=id,
        name=fields["name"],
        explanation=fields["explanation"],
        zero=fields["zero"],
        middle=fields.get("middle", ""),
        five=fields["five"],
        good_example=fields["good"],
        bad_example=fields["bad"],
    )


def fault_of(id: str, fields: Mapping[str, str]) -> Fault:
    """A fault."""
    return Fault(id=id, name=fields["name"], says=fields["says"])


def own_fault_of(id: str, fields: Mapping[str, str]) -> OwnFault:
    """A fault that no head has learned in this meaning."""
    return OwnFault(id=id, name=fields["name"], says=fields["says"], ask=fields.get("always") == "yes")


def listener_of(id: str, fields: Mapping[str, str], *, own: bool) -> Listener:
    """A listener. ``own``: what was measured of the one that ships doesn't hold for it."""
    return Listener.model_validate(
        {
            "id": id,
            "name": fields["name"],
            "group": fields.get("group") or "audience",
            "words": fields["description"],
            "likes": tuple(fields["likes"].split("\n")),
            "own": own,
        }
    )


def rule_of(fields: Mapping[str, str]) -> NoteRule:
    """A note. Raises ``CriteriaError`` for a sentence that can't be filled."""
    wordings = []
    for line in fields["say"].split("\n"):
        sure, text = line.startswith(_SURE), line.removeprefix(_SURE).strip()
        wordings.append(wording(text, sure=sure))
    return NoteRule.model_validate(
        {
            **{name: fields.get(name, "").split() for name in ("kinds", "any", "high", "low", "faults", "unless")},
            "crowd": fields.get("crowd") or None,
            "least": fields.get("least") or "0",
            "weak": {"yes": True, "no": False}.get(fields.get("weak", "")),
            "wordings": wordings,
        }
    )


def _fields_of(part: Part, rule: NoteRule) -> Fields:
    return {
        "part": part,
        "say": "\n".join(f"{_SURE} {each.text}" if each.sure else each.text for each in rule.wordings),
        **{name: " ".join(getattr(rule, name)) for name in ("kinds", "any", "high", "low", "faults", "unless")},
        "least": f"{rule.least:g}" if rule.least else "",
        "crowd": rule.crowd or "",
        "weak": {True: "yes", False: "no", None: ""}[rule.weak],
    }
