"""Kinds that were merged into others: readings, heads and verdicts of before still name them by their old ids."""

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


def kind_today(id: str) -> str:
    """The id that a kind has now."""
    found = merged_kinds().get(id)
    return found.id if found is not None else id


def kinds_today(ids: Iterable[str]) -> tuple[str, ...]:
    """Ids that they have now, in their order, each once."""
    return tuple(dict.fromkeys(map(kind_today, ids)))
