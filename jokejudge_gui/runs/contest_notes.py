"""What the user says of a stored contest's jokes: kept in its row, and its tags among those of the contest."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..errors import UsageError
from ..history.query import HistoryRow
from ..history.store import HistoryStore
from ..judging.contest.marks import Notes, Said
from ..judging.contest.types import ContestResult
from ..verdicts import VerdictResult


def write_notes(store: HistoryStore, id: str, notes: Notes) -> HistoryRow | None:
    """Write notes into the stored contest, which may be running, and the jokes' tags to those of the contest, so that
    the history finds it by them; the row, if its tags were changed. Raises what the history raises."""
    before: list[str] = []
    tags = list(notes.tags())

    def change(result: VerdictResult) -> VerdictResult:
        if not isinstance(result, ContestResult):
            raise _no_contest()
        before.extend(Notes.of(result).tags())
        return notes.on(result)

    def tagged(there: tuple[str, ...]) -> list[str] | None:
        gone = {tag.casefold() for tag in before}
        return None if tags == before else [*(tag for tag in there if tag.casefold() not in gone), *tags]

    store.revise(id, change, tagged)
    return None if tags == before else store.get(id).row


def say_of_entries(store: HistoryStore, id: str, entries: Sequence[str], change: Callable[[Said], Said]) -> Notes:
    """Change what is said of these entries (their ids) of a stored contest; all that is said then. Raises
    ``UsageError`` ``E_CONTEST_NONE`` for another verdict and ``E_CONTEST_ENTRY`` for an entry that it doesn't have,
    and what the history raises."""
    result = stored_contest(store, id)
    there = {entry.id for entry in result.entries}
    for entry in entries:
        if entry not in there:
            raise UsageError(
                "E_CONTEST_ENTRY",
                f"The contest has no joke with the id {entry!r}.",
                "jokejudge history show with --json lists the ids.",
            )
    notes = Notes.of(result)
    for entry in entries:
        notes[entry] = change(notes[entry])
    write_notes(store, id, notes)
    return notes


def stored_contest(store: HistoryStore, id: str) -> ContestResult:
    """The contest with this id. Raises ``UsageError`` ``E_CONTEST_NONE`` for another verdict, or one without a result,
    and what the history raises."""
    result = store.get(id).result
    if not isinstance(result, ContestResult):
        raise _no_contest()
    return result


def _no_contest() -> UsageError:
    return UsageError(
        "E_CONTEST_NONE", "This verdict isn't a contest, so it has no list of jokes.", "Give the id of a contest."
    )
