"""What the user says of entries: keep, bin, star."""

from __future__ import annotations

from collections.abc import Mapping

from .types import ContestResult, Mark


def marked(result: ContestResult, marks: Mapping[str, tuple[Mark | None, bool]]) -> ContestResult:
    """The contest with new marks, by entry id: the mark and whether it is starred. Others keep theirs."""
    entries = []
    for entry in result.entries:
        mark, starred = marks.get(entry.id, (entry.mark, entry.starred))
        entries.append(entry.replaced(mark=mark, starred=starred))
    return result.replaced(entries=tuple(entries))
