"""Capitalised words that nearly everyone understands, read from criteria/common_names.xml."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..paths import criteria_dir
from .xml_file import read_xml

COMMON_NAMES = "common_names.xml"
_ANYONE, _WORDS = "anyone", "small words"


@dataclass(frozen=True)
class CommonNames:
    """In lower case, names of several words with spaces between them. ``known``: all that need no knowledge;
    ``anyone``: those of them that may be a part of a name that needs some ("Jimmy Fallon"); ``words``: those that are
    part of no name."""

    known: frozenset[str]
    anyone: frozenset[str]
    words: frozenset[str]


def parse_common_names(path: Path | None = None) -> CommonNames:
    """Raises ``CriteriaError``."""
    path = path or criteria_dir() / COMMON_NAMES
    groups: dict[str, frozenset[str]] = {}
    for element in read_xml(path, path.with_suffix(".rng")).iterfind("names"):
        names = frozenset(name.lower().replace("_", " ") for name in (element.text or "").split())
        groups[str(element.get("of"))] = groups.get(str(element.get("of")), frozenset()) | names
    nothing: frozenset[str] = frozenset()
    return CommonNames(
        known=nothing.union(*groups.values()),
        anyone=groups.get(_ANYONE, nothing),
        words=groups.get(_WORDS, nothing),
    )
