"""Which jokes of a list the user's history knows already, in these words or in others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..engine.base import CancelToken
from ..history.query import HistoryQuery, HistoryRow
from ..history.store import HistoryStore
from ..judging.reading.same_joke import LONGEST, THRESHOLD, likeness_of, signature

_WORDS = 4
_LOOKED_AT = 20


def seen_before(
    store: HistoryStore, texts: Sequence[str], *, leave_out: str | None = None, cancel: CancelToken | None = None
) -> dict[str, str]:
    """Text → id of the newest verdict about it or about another version of it; texts that are new are left out.
    ``leave_out``: a verdict that doesn't count, as the contest that is open. A version that shares none of a joke's
    longest words is not found. Raises ``HistoryError`` and ``Cancelled``."""
    found = {}
    for text in dict.fromkeys(texts):
        if cancel is not None:
            cancel.check()
        id = _newest(store, text, leave_out)
        if id is not None:
            found[text] = id
    return found


def _newest(store: HistoryStore, text: str, leave_out: str | None) -> str | None:
    own = signature(text)
    if not own.words or len(text) > LONGEST:
        return None
    # The longest words are the rarest ones: few texts have all of them, and a version has most.
    telling = sorted(own.telling, key=lambda word: (-len(word), word))[:_WORDS]
    for words in (telling, *([word] for word in telling)):
        rows = store.search(HistoryQuery(text=" ".join(words), limit=_LOOKED_AT))
        for row in rows:
            if row.id != leave_out and any(
                one == text or likeness_of(own, signature(one)) >= THRESHOLD for one in _jokes_of(row)
            ):
                return row.id
    return None


def _jokes_of(row: HistoryRow) -> Iterator[str]:
    """The texts of a verdict; of one about a whole list, its lines."""
    for subject in row.subjects:
        if len(subject.text) <= LONGEST:
            yield subject.text
        yield from (line for line in subject.text.split("\n")[:5000] if 0 < len(line) <= LONGEST)
