"""What belongs together, what is gone for good, who may read it, and what is left where a part of it is damaged."""

from __future__ import annotations

import os
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from jokejudge_gui.core.errors import HistoryError
from jokejudge_gui.core.verdict_kinds import Subject, VoteScore
from jokejudge_gui.core.verdicts import ModelRef, Status
from jokejudge_gui.history import database
from jokejudge_gui.history.export import export
from jokejudge_gui.history.query import HistoryQuery
from jokejudge_gui.history.store import HistoryStore
from jokejudge_gui.judge.kinds import KINDS

SECRET = b"zanzibarquux"


def listed(store: HistoryStore, **query: object) -> list[str]:
    return [row.id for row in store.search(HistoryQuery.model_validate(query))]


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def family(book) -> None:
    book.begin("whole", "One and two")
    for id in ("one", "two"):
        book.begin(id, f"Part {id}", parent="whole")
        book.store.end(id, Status.FINISHED, book.rating(id, f"Part {id}", timing=4))
    book.store.end("whole", Status.FINISHED, book.rating("whole", "One and two"))


def test_what_belongs_to_a_verdict_goes_and_comes_back_with_it(book, path):
    family(book)
    assert book.store.delete(["whole"]) == 1
    assert listed(book.store, parent="whole") == []
    assert book.store.undo_delete() == 1
    assert listed(book.store, parent="whole", sort="oldest") == ["one", "two"]
    book.store.delete(["whole"])
    assert book.store.purge() == 1
    with closing(sqlite3.connect(path)) as connection:
        for table in ("verdicts", "words", "results"):
            assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)


def test_a_verdict_whose_part_still_runs_is_not_purged(book):
    book.begin("whole")
    book.begin("part", parent="whole")
    book.store.end("whole", Status.FINISHED, None)
    book.store.delete(["whole"])
    assert book.store.purge() == 0
    book.store.end("part", Status.FINISHED, None)
    assert book.store.purge() == 1


def test_a_verdict_of_a_newer_program_is_kept_shown_and_exported_but_not_opened(book, open_book, path, tmp_path):
    book.rate("one", "A heron")
    book.store.close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE verdicts SET kind = 'opera', badge = '7', tone = 'high', sentence = 'Bravo'")
        connection.commit()
    store = open_book().store
    (row,) = store.search(HistoryQuery(text="heron"))
    assert (row.kind, row.subjects, row.glance and row.glance.headline) == (
        "opera", (Subject(text="A heron"),), "Bravo",
    )  # fmt: skip
    with pytest.raises(HistoryError) as caught:
        store.get("one")
    assert caught.value.code == "E_HISTORY_KIND"
    for form in ("csv", "jsonl", "markdown", "html"):
        assert export(store.entries(), form, tmp_path / form, KINDS) == 1
        assert "A heron" in (tmp_path / form).read_text(encoding="utf-8")
    assert store.check() == ()


def everything(path: Path) -> bytes:
    return b"".join(file.read_bytes() for file in path.parent.iterdir())


@pytest.fixture
def careless(monkeypatch: pytest.MonkeyPatch) -> None:
    """A SQLite that doesn't overwrite what is deleted unless it is told to."""
    connect = sqlite3.connect

    def opened(*arguments: object, **options: object) -> sqlite3.Connection:
        connection = connect(*arguments, **options)  # type: ignore[call-overload]
        connection.execute("PRAGMA secure_delete = OFF")
        return connection

    monkeypatch.setattr(database.sqlite3, "connect", opened)


@pytest.mark.usefixtures("careless")
def test_what_is_purged_is_in_no_file_while_others_have_it_open_nor_are_deleted_votes(path, open_book):
    book, other = open_book(), open_book()
    book.rate("keep", "A pelican")
    book.rate("drop", f"A {SECRET.decode()} heron", explanation=f"Works. {SECRET.decode()}.")
    book.rate("noted", "A coot")
    book.store.set_note("noted", f"to {SECRET.decode()}")
    book.store.set_note("noted", "")
    book.store.set_tags("noted", [SECRET.decode()])
    book.store.set_tags("noted", [])
    assert listed(other.store, text="coot") == ["noted"]
    book.store.delete(["drop"])
    assert SECRET in everything(path)
    assert book.store.purge() == 1
    assert SECRET not in everything(path)
    assert listed(other.store, sort="oldest") == ["keep", "noted"]
    book.store.votes.add(
        verdict_id="one", kind="rate", choice="up", blind=False, vote_score=VoteScore(scale="mean", value=3.0),
        model=ModelRef(name="m", sha256="a"), prompt_version="p", criteria_version="c",
        subjects=(Subject(text=SECRET.decode()),),
    )  # fmt: skip
    assert other.store.votes.count() == 1
    assert SECRET in everything(path)
    book.store.votes.delete_all()
    assert SECRET not in everything(path)


@pytest.mark.skipif(os.name != "posix", reason="modes are of POSIX systems")
def test_nobody_else_may_read_a_history_or_its_log(path):
    before = os.umask(0)
    try:
        path.parent.mkdir(mode=0o755)
        path.touch(mode=0o666)
        store = HistoryStore(path, KINDS)
        store.votes.remove("one")
        names = [f"{path.name}{suffix}" for suffix in ("", "-wal", "-shm")]
        assert {file.name: mode(file) for file in path.parent.iterdir()} == dict.fromkeys(names, 0o600)
        store.close()
        fresh = path.parent / "new" / "deep" / "h.sqlite3"
        HistoryStore(fresh, KINDS).close()
        assert [mode(fresh), mode(fresh.parent), mode(fresh.parent.parent)] == [0o600, 0o700, 0o700]
    finally:
        os.umask(before)


DAMAGE = ["created = 'whenever'", "tone = 'loud', badge = 'x'", "created = x'00'", "seed = 'many'"]


@pytest.mark.parametrize("change", DAMAGE)
def test_a_damaged_row_is_left_out_and_named_and_its_text_not_quoted(book, path, tmp_path, change):
    book.rate("good", "A pelican")
    book.rate("bad", "A heron")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"UPDATE verdicts SET {change} WHERE id = 'bad'")
        connection.commit()
    named: list[str] = []
    assert [entry.row.id for entry in book.store.entries(left_out=named.append)] == ["good"]
    assert named == ["bad"]
    assert book.store.check() == ("bad",)
    with pytest.raises(HistoryError) as caught:
        book.store.get("bad")
    assert (caught.value.code, "heron" in str(caught.value)) == ("E_HISTORY_ENTRY", False)
    assert caught.value.__suppress_context__
