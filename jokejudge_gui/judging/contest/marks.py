"""What the user says of entries: keep, bin, star."""

from __future__ import annotations

from collections.abc import Mapping

from .types import ContestResult, Mark, RankedEntry


def marked(result: ContestResult, marks: Mapping[str, tuple[Mark | None, bool]]) -> ContestResult:
    """The contest with new marks, by entry id: the mark and whether it is starred. Others keep theirs."""
    entries = tuple(_with(entry, *marks[entry.id]) if entry.id in marks else entry for entry in result.entries)
    return ContestResult.model_validate({**dict(result), "entries": entries})


def _with(entry: RankedEntry, mark: Mark | None, starred: bool) -> RankedEntry:
    return RankedEntry.model_validate({**dict(entry), "mark": mark, "starred": starred})
