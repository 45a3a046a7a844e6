"""The file itself: created, replaced, refused; damaged, locked, read-only, full."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from jokejudge_gui.core.errors import HistoryError
from jokejudge_gui.core.verdict_kinds import Subject
from jokejudge_gui.core.verdicts import Status
from jokejudge_gui.history import database
from jokejudge_gui.history.query import HistoryQuery
from jokejudge_gui.history.store import HistoryStore
from jokejudge_gui.judge.kinds import KINDS


def refused(path: Path, **options: float) -> HistoryError:
    with pytest.raises(HistoryError) as caught:
        HistoryStore(path, KINDS, **options)
    return caught.value


@pytest.fixture
def old(path: Path) -> Path:
    """A history of a development version, with its verdict still in its log."""
    path.parent.mkdir()
    connection = sqlite3.connect(path)
    connection.executescript(
        f"PRAGMA application_id = {database.APPLICATION_ID}; PRAGMA user_version = 6; CREATE TABLE verdicts (id TEXT);"
        " PRAGMA journal_mode = wal; INSERT INTO verdicts VALUES ('one')"
    )
    left = {file: file.read_bytes() for file in path.parent.iterdir() if not file.name.endswith("-shm")}
    connection.close()
    for file, content in left.items():
        file.write_bytes(content)
    return path


def test_a_history_of_a_development_version_is_refused_and_untouched(old):
    before = {file: file.read_bytes() for file in old.parent.iterdir() if not file.name.endswith("-shm")}
    assert refused(old).code == "E_HISTORY_DAMAGED"
    assert {file: file.read_bytes() for file in before} == before


def test_a_newer_history_is_refused_and_untouched_byte_for_byte(book, path):
    book.rate("one")
    book.store.close()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    before = path.read_bytes()
    error = refused(path)
    assert error.code == "E_HISTORY_NEWER"
    assert "99" in error.sentence
    assert "Update" in error.hint
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def foreign(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE bookmarks (url TEXT)")
    connection.close()


def torn(path: Path) -> None:
    with closing(HistoryStore(path, KINDS)) as store:
        for number in range(30):
            store.begin(
                id=f"r{number}", kind="rate", subjects=(Subject(text="A long joke. " * 50),), mode="quick", model=None,
                prompt_version="", criteria_version="", seed=1,
            )  # fmt: skip
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def one_byte(path: Path) -> None:
    """A history one byte of whose schema is damaged, so that SQLite's message can't be decoded."""
    with closing(HistoryStore(path, KINDS)):
        pass
    content = path.read_bytes()
    assert content.count(b"CREATE INDEX") > 0
    path.write_bytes(content.replace(b"CREATE INDEX", b"CREATE \xffNDEX", 1))


def renamed(path: Path) -> None:
    """A history one of whose columns has another name."""
    with closing(HistoryStore(path, KINDS)):
        pass
    with closing(sqlite3.connect(path)) as database:
        database.execute("ALTER TABLE verdicts RENAME COLUMN badge TO badfe")


@pytest.mark.parametrize(
    "made",
    [
        one_byte,
        renamed,
        lambda path: path.write_bytes(b"x"),
        lambda path: path.write_bytes(b"\x00" * 4096),
        lambda path: path.write_bytes(b"SQLite format 3\x00" + b"\xff" * 5000),
        foreign,
        torn,
    ],
)
def test_a_file_that_is_no_history_is_refused_and_untouched(path, made):
    path.parent.mkdir()
    made(path)
    before = path.read_bytes()
    error = refused(path)
    assert error.code == "E_HISTORY_DAMAGED"
    assert str(path) in error.sentence
    assert "Move the file away" in error.hint
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_damage_inside_a_history_is_told_when_it_is_met(book, open_book, path):
    for number in range(60):
        book.rate(f"r{number}", "A long joke. " * 50)
    book.store.close()
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + bytes(b ^ 0xA5 for b in whole[4096:]))
    with pytest.raises(HistoryError) as caught:
        list(open_book().store.entries())
    assert caught.value.code == "E_HISTORY_DAMAGED"


def test_a_history_locked_by_another_program_is_refused_at_the_start_and_later(book, path):
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert refused(path, busy_timeout=0.05).code == "E_HISTORY_LOCKED"
    with pytest.raises(HistoryError) as caught:
        book.begin("one")
    assert caught.value.code == "E_HISTORY_LOCKED"
    assert book.store.search(HistoryQuery()) == []
    other.execute("ROLLBACK")
    other.close()
    book.rate("one")
    assert book.store.count(HistoryQuery()) == 1


def test_a_full_disk_is_told_and_nothing_is_lost(path, monkeypatch):
    connect = database.connect

    def small(*arguments: object, **options: object) -> object:
        opened = connect(*arguments, **options)
        opened.execute("PRAGMA max_page_count = 80")
        return opened

    monkeypatch.setattr(database, "connect", small)
    store = HistoryStore(path, KINDS)

    def begin(number: int) -> None:
        store.begin(
            id=f"r{number}", kind="rate", subjects=(Subject(text="A joke. " * 500),), mode="quick", model=None,
            prompt_version="", criteria_version="", seed=1,
        )  # fmt: skip

    written = 0
    with pytest.raises(HistoryError) as caught:  # noqa: PT012
        for written in range(1000):
            begin(written)
    assert caught.value.code == "E_HISTORY_FULL"
    assert written > 0
    assert store.count(HistoryQuery()) == written
    store.close()


def test_a_file_that_vanished_does_not_come_back_empty_and_takes_no_more_verdicts(book, path):
    book.begin("one")
    for file in path.parent.iterdir():
        file.unlink()
    with ThreadPoolExecutor(1) as pool, pytest.raises(HistoryError) as caught:
        pool.submit(book.store.count, HistoryQuery()).result(120)
    assert caught.value.code == "E_HISTORY_READONLY"
    with pytest.raises(HistoryError) as caught:
        book.store.end("one", Status.FINISHED, book.rating("one"))
    assert caught.value.code == "E_HISTORY_GONE"
    assert not path.exists()
