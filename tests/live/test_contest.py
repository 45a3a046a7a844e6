"""Contests on the embedded model: an entry says what its rating says, and shuffled rounds the same of the same list."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from jokejudge_gui import JokeJudge
from jokejudge_gui.core.config import Settings
from jokejudge_gui.heads.editor_file import NoteFigure
from jokejudge_gui.judge.contest.kind import CONTEST
from jokejudge_gui.judge.contest.record import UNREAD, ContestRequest, ContestResult
from jokejudge_gui.judge.rating import rating_judge
from jokejudge_gui.session.session import Session
from tests.ends import finished
from tests.live.conftest import NewProfile

JOKES = [
    "Why did the clock go to the doctor? It had two hands and nothing in them.",
    "My dentist told me that I need a crown. At last, I said, somebody has noticed.",
    "The shop opens at nine and closes at six on all weekdays.",
]


def test_an_entry_carries_the_words_of_its_rating(new_profile: NewProfile, monkeypatch: pytest.MonkeyPatch) -> None:
    class Sure(dict[str, NoteFigure]):
        """Every sentence was measured to be right."""

        def get(self, _name: str, _default: Any = None) -> Any:
            return NoteFigure(least=0.0, right=0.9, cases=100)

    words_of = rating_judge.compose
    sure = Sure(x=NoteFigure(least=1, right=0, cases=0))
    monkeypatch.setattr(
        rating_judge, "compose", lambda notes, findings, _figures, without: words_of(notes, findings, sure, without)
    )
    jokes = [*JOKES, "A horse walks into a bar. The barman asks: why the long face?"]
    with JokeJudge(data_dir=new_profile("notes").database.parent, history=False, threads=1) as judge:
        readings = {entry.text: entry.reading or UNREAD for entry in judge.rank_jokes(jokes).entries}
        silent = judge.rank_jokes(jokes, explain=False).entries
        for line in judge.rate_many(jokes):  # none of which is read against itself
            assert readings[line["text"]].note == (line["explanation"] or "") or readings[line["text"]].reason
    assert any(reading.note for reading in readings.values())
    assert not any(entry.reading.note for entry in silent if entry.reading is not None)


LIST = (
    "I bought running shoes; they are resting well.",
    "Parallel lines have so much in common. It's a shame they'll never meet.",
    "The exception proves the rule.",
    "The meeting could decide nothing, and took minutes.",
)


def ranked(session: Session, texts: tuple[str, ...]) -> ContestResult:
    return finished(session.run(CONTEST, ContestRequest.of_texts(texts, context="sport", budget=0, shuffled=2)))


def test_every_joke_is_scored_and_the_same_list_gives_the_same_scores(
    embedded_model: Path, new_profile: NewProfile
) -> None:
    session = Session(new_profile("rounds"), Settings(model=str(embedded_model), threads=1))
    try:
        one, other = ranked(session, LIST), ranked(session, LIST[::-1])
    finally:
        session.close()
    assert all(len(entry.rounds) == 3 and entry.relevance is not None for entry in one.entries)
    assert all(entry.originality is not None for entry in one.entries)
    assert [(e.text, e.rounds) for e in one.entries] == [(e.text, e.rounds) for e in other.entries]
