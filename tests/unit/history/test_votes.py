"""Votes: kept, replaced, taken back, exported; they outlive their verdict and come into an older file."""

from __future__ import annotations

import json

from jokejudge_gui.core.verdict_kinds import Subject, VoteScore
from jokejudge_gui.core.verdicts import ModelRef
from jokejudge_gui.history.store import HistoryStore
from jokejudge_gui.history.votes import Vote, export_votes


def cast(store: HistoryStore, verdict_id: str | None, choice: str = "up", **changes: object) -> Vote:
    duel = choice in ("A", "B")
    text_a, text_b = changes.pop("text_a", "First."), changes.pop("text_b", "Second.")
    pair = (Subject(label="A", text=str(text_a)), Subject(label="B", text=str(text_b)))
    values = {
        "kind": "duel" if duel else "rate",
        "blind": False,
        "vote_score": VoteScore(scale="odds", value=-0.25, centred=True)
        if duel
        else VoteScore(scale="mean", value=3.5),
        "model": ModelRef(name="test-model", sha256="ab" * 32),
        "prompt_version": "p1",
        "criteria_version": "c1",
        "subjects": pair if duel else (Subject(text=str(text_a)),),
    }
    return store.votes.add(verdict_id=verdict_id, choice=choice, **(values | changes))  # type: ignore[arg-type]


def test_a_vote_comes_back_as_it_was_given_after_a_restart(book, open_book):
    third = VoteScore(scale="audience", value=-1 / 3)
    given = [
        cast(book.store, "one", "up", text_a="Zwölf 🦆\r\n\u202e…", blind=True, vote_score=third),
        cast(book.store, "two", "B"),
        cast(book.store, None, "A"),
    ]
    book.store.close()
    votes = open_book().store.votes
    assert votes.find() == given
    assert [vote.created.utcoffset().total_seconds() for vote in given] == [0, 0, 0]
    assert votes.get("one") == given[0]
    assert votes.get("none") is None
    assert votes.count() == 3


def test_a_vote_is_replaced_by_another_and_taken_back_by_its_verdict_or_by_itself(book):
    first = cast(book.store, "one", "A", blind=True)
    second, loose = cast(book.store, "one", "B"), cast(book.store, None)
    assert book.store.votes.find() == [second, loose]
    assert (second.id != first.id, second.blind) == (True, False)
    assert book.store.votes.remove("one")
    assert not book.store.votes.remove("one")
    assert book.store.votes.find() == [loose]
    assert book.store.votes.remove(loose.id)
    assert book.store.votes.count() == 0


def test_a_vote_outlives_its_verdict(book):
    book.rate("one", "A joke.")
    vote = cast(book.store, "one", text_a="A joke.")
    book.store.delete(["one"])
    assert book.store.purge() == 1
    assert book.store.votes.find() == [vote]


def test_all_votes_are_deleted_overwritten_and_brought_back(book, path):
    given = [cast(book.store, "one", text_a="a text nobody else has"), cast(book.store, None, "A")]
    gone = book.store.votes.delete_all()
    assert list(gone) == given
    assert book.store.votes.find() == []
    assert book.store.votes.delete_all() == ()
    since = cast(book.store, "one", "down")
    book.store.votes.restore(gone)
    assert book.store.votes.find() == [given[1], since]
    book.store.votes.delete_all()
    book.store.close()
    assert b"nobody else has" not in path.read_bytes()


def test_json_lines_hold_all_of_a_vote(book, tmp_path):
    cast(book.store, "one", "B", text_a="Ümläut “quoted”\n=1+1", blind=True)
    target = tmp_path / "sub" / "votes.jsonl"
    assert export_votes(book.store.votes.find(), target) == 1
    (line,) = target.read_text(encoding="utf-8").splitlines()
    record = json.loads(line)
    assert record.pop("id")
    assert record == {
        "verdict_id": "one",
        "kind": "duel",
        "created": "2025-05-01T12:00:01.000000Z",
        "choice": "B",
        "blind": True,
        "measure": "odds",
        "scale": "odds",
        "centred": True,
        "value": -0.25,
        "model_name": "test-model",
        "model_sha256": "ab" * 32,
        "prompt_version": "p1",
        "criteria_version": "c1",
        "text_a": "Ümläut “quoted”\n=1+1",
        "text_b": "Second.",
        "subjects": [{"text": "Ümläut “quoted”\n=1+1", "label": "A"}, {"text": "Second.", "label": "B"}],
    }
