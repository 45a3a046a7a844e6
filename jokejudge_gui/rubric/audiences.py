"""The possible listeners of a joke, read from criteria/audiences.xml."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ..core.paths import criteria_dir
from ..core.verdicts import Frozen
from .xml_parser import read_xml, tidy, value_of

AUDIENCES = "audiences.xml"


class Listener(Frozen):
    """A possible listener of a joke. ``words``: the description that the model reads; ``own``: the program doesn't ship
    it in these words."""

    id: str
    name: str
    group: Literal["audience", "humour"]
    words: str
    own: bool = False


def described(words: str) -> Listener:
    """Return the listener that the user only described, in a verdict's request."""
    return Listener(id="", name=words, group="audience", words=words, own=True)


class Audiences(Frozen):
    """All listeners in file order, the user's own last. ``anyone``: an ordinary listener."""

    anyone: str
    listeners: tuple[Listener, ...]


def parse_audiences(path: Path | None = None) -> Audiences:
    """Read the listeners. Raises ``CriteriaError``."""
    root = read_xml(path or criteria_dir() / AUDIENCES)
    listeners = tuple(
        value_of(Listener, element, words=tidy(element.findtext("is"))) for element in root.iterfind("listener")
    )
    return Audiences(anyone=tidy(root.findtext("anyone/is")), listeners=listeners)


# Capitalised words that nearly everyone understands, read from criteria/common_names.xml.


@dataclass(frozen=True)
class CommonNames:
    """Capitalised words in lower case; names of several words have spaces between them. ``known``: all that need no
    knowledge; ``anyone``: those of them that may be a part of a name that needs some ("Jimmy Fallon"); ``words``: those
    that are part of no name."""

    known: frozenset[str]
    anyone: frozenset[str]
    words: frozenset[str]


def parse_common_names(path: Path | None = None) -> CommonNames:
    """Read the common names. Raises ``CriteriaError``."""
    path = path or criteria_dir() / "common_names.xml"
    groups: dict[str, set[str]] = {"anyone": set(), "small words": set()}
    for element in read_xml(path).iterfind("names"):
        names = (name.lower().replace("_", " ") for name in (element.text or "").split())
        groups.setdefault(str(element.get("of")), set()).update(names)
    anyone, words = frozenset(groups["anyone"]), frozenset(groups["small words"])
    return CommonNames(frozenset().union(*groups.values()), anyone, words)
