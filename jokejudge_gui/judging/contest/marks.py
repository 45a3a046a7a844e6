"""What the user says of a contest's entries: keep, bin, star, tags, and versions that they wrote."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from .screening_types import ListScreening

if TYPE_CHECKING:
    from .types import ContestResult, RankedEntry

Mark = Literal["keep", "bin"]


class Said(NamedTuple):
    """What the user says of one entry."""

    mark: Mark | None = None
    starred: bool = False
    tags: tuple[str, ...] = ()


NOTHING = Said()


class Notes:
    """What the user says, by an entry's id, the versions that they wrote, and how the list was screened
    (``screening``; None changes nothing of what is kept). One thread may write while others read:
    what is said of an entry is replaced whole. A contest that runs puts it into all that it keeps."""

    def __init__(self, said: dict[str, Said] | None = None) -> None:
        self._said = dict(said or {})
        self._versions: dict[str, RankedEntry] = {}
        self.screening: ListScreening | None = None

    @classmethod
    def of(cls, result: ContestResult) -> Notes:
        """What a result holds."""
        found = cls({entry.id: said for entry in result.entries if (said := _said_in(entry)) != NOTHING})
        found.screening = result.screening
        return found

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Notes) and self._parts() == other._parts()

    __hash__ = None  # type: ignore[assignment]

    def _parts(self) -> tuple[object, ...]:
        return self._said, self._versions, self.screening

    def __getitem__(self, id: str) -> Said:
        return self._said.get(id, NOTHING)

    def __setitem__(self, id: str, said: Said) -> None:
        if said == NOTHING:
            self._said.pop(id, None)
        else:
            self._said[id] = said

    @property
    def kept(self) -> int:
        """How many entries are marked to be kept."""
        return sum(said.mark == "keep" for said in list(self._said.values()))

    def tags(self) -> tuple[str, ...]:
        """Every tag that an entry has, each once."""
        found: dict[str, str] = {}
        for said in list(self._said.values()):
            for tag in said.tags:
                found.setdefault(tag.casefold(), tag)
        return tuple(sorted(found.values(), key=str.casefold))

    def add_version(self, version: RankedEntry) -> None:
        """Keep an entry that is a new version of another one; it isn't ranked yet."""
        self._versions[version.id] = version

    def on(self, result: ContestResult) -> ContestResult:
        """The result with all that the user says."""
        entries = self.in_entries(result.entries)
        screening = self.screening or result.screening
        if entries is result.entries and screening == result.screening:
            return result
        return result.replaced(entries=entries, screening=screening)

    def in_entries(self, entries: tuple[RankedEntry, ...]) -> tuple[RankedEntry, ...]:
        """Entries with all that the user says; they themselves where nothing is new."""
        there = {entry.id for entry in entries}
        noted = [_with(entry, self[entry.id]) for entry in entries]
        added = [_with(each, self[each.id]) for each in list(self._versions.values()) if each.id not in there]
        if not added and all(one is other for one, other in zip(noted, entries, strict=True)):
            return entries
        return (*noted, *added)


def new_id(result: ContestResult) -> str:
    """The number of an entry that is added to a result."""
    ids = [entry.id for entry in result.entries]
    return str(max([len(ids), *(int(id) for id in ids if id.isdecimal() and len(id) < 19)]) + 1)


def waiting(entries: Sequence[RankedEntry]) -> int:
    """How many entries wait to be read."""
    return sum(entry.rank is None and entry.error is None for entry in entries)


def _said_in(entry: RankedEntry) -> Said:
    return Said(entry.mark, entry.starred, entry.tags)


def _with(entry: RankedEntry, said: Said) -> RankedEntry:
    if _said_in(entry) == said:
        return entry
    return entry.replaced(mark=said.mark, starred=said.starred, tags=said.tags)
