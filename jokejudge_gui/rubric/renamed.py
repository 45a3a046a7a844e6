"""Kinds that were merged into others, which readings, heads and verdicts of before still name by their old ids; and
kinds that lie within wider ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from types import MappingProxyType

from ..errors import CriteriaError
from .types import Category
from .xml_parser import parse_categories


@cache
def merged_kinds() -> Mapping[str, Category]:
    """Old id → the shipped kind that it belongs to now; nothing where the file can't be read, which is told when the
    criteria are loaded."""
    try:
        return MappingProxyType({old: kind for kind in parse_categories() for old in kind.was})
    except CriteriaError:
        return MappingProxyType({})


@cache
def wider_kinds() -> Mapping[str, str]:
    """Id of a shipped kind → that of the wider kind that every such joke is of, too; nothing where the file can't be
    read."""
    try:
        return MappingProxyType({kind.id: kind.within for kind in parse_categories() if kind.within})
    except CriteriaError:
        return MappingProxyType({})


def kind_today(id: str) -> str:
    """The id that a kind has now."""
    found = merged_kinds().get(id)
    return found.id if found is not None else id


def kinds_today(ids: Iterable[str]) -> tuple[str, ...]:
    """Ids that they have now, in their order, each once."""
    return tuple(dict.fromkeys(map(kind_today, ids)))


def with_wider(ids: Iterable[str]) -> tuple[str, ...]:
    """Ids of today, and behind them those of the wider kinds that they lie within, each once."""
    found = kinds_today(ids)
    wider = wider_kinds()
    return tuple(dict.fromkeys((*found, *(wider[id] for id in found if id in wider))))
