"""The file itself: created, migrated, refused; damaged, locked, read-only, full."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from jokejudge_gui.core.errors import HistoryError
from jokejudge_gui.core.verdict_kinds import Subject
from jokejudge_gui.core.verdicts import Status
from jokejudge_gui.history import database, migrations
from jokejudge_gui.history.query import HistoryQuery
from jokejudge_gui.history.store import HistoryStore
from jokejudge_gui.judge.kinds import KINDS

DATA = Path(__file__).parent / "data"
"""Model and criteria of the saved histories."""


def refused(path: Path, **options: float) -> HistoryError:
    with pytest.raises(HistoryError) as caught:
        HistoryStore(path, KINDS, **options)
    return caught.value


def schema(path: Path) -> str:
    """What the program itself declares; the search index's inner tables are SQLite's own affair."""
    connection = sqlite3.connect(path)
    rows = connection.execute(
        "SELECT sql || ';' FROM sqlite_master WHERE sql IS NOT NULL AND name NOT GLOB 'sqlite_*'"
        " AND name NOT GLOB 'verdicts_fts_[cdi]*' OR name GLOB 'verdicts_fts_*' AND type = 'trigger' ORDER BY name"
    ).fetchall()
    connection.close()
    return "\n".join(sql for (sql,) in rows) + "\n"


def old_database(path: Path) -> None:
    path.parent.mkdir(parents=True)
    connection = sqlite3.connect(path)
    connection.executescript((DATA / "version_1.sql").read_text(encoding="utf-8"))
    connection.close()


def contents(path: Path) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(path)
    rows = connection.execute("SELECT * FROM verdicts LEFT JOIN results USING (seq) ORDER BY seq").fetchall()
    connection.close()
    return rows


def test_a_new_history_has_the_pinned_schema(path):
    HistoryStore(path, KINDS).close()
    assert schema(path) == (DATA / "schema.sql").read_text(encoding="utf-8")


def test_an_old_history_is_brought_to_the_pinned_schema_with_all_that_was_in_it(path):
    old_database(path)
    before = contents(path)
    store = HistoryStore(path, KINDS)
    assert schema(path) == (DATA / "schema.sql").read_text(encoding="utf-8")
    assert [row.id for row in store.search(HistoryQuery(sort="oldest"))] == ["one", "two", "three", "four", "five"]
    for text, id in [("cafe", "one"), ("keep this", "one"), ("second draft", "three"), ("lands", "one")]:
        assert [row.id for row in store.search(HistoryQuery(text=text))] == [id]
    first = store.get("one")
    assert (first.row.starred, first.row.tags, first.row.note) == (True, ("Puns", "food"), "keep this one")
    assert first.result is not None
    assert store.get("four").row.status is Status.INTERRUPTED
    assert store.get("five").row.error == "It is too long."
    assert store.undo_delete() == 1
    store.close()
    copy = path.with_name("history.sqlite3.before-v6")
    assert contents(copy) == before
    assert {file.name for file in path.parent.iterdir()} == {path.name, copy.name}


def test_a_history_that_counted_averages_is_kept_without_them(path):
    migrations.prepare(path, 0.2, KINDS, migrations.STEPS[:5])
    HistoryStore(path, KINDS).close()
    assert schema(path) == (DATA / "schema.sql").read_text(encoding="utf-8")


def test_a_failed_migration_leaves_the_old_file_usable_and_a_copy(path, monkeypatch):
    old_database(path)
    before = contents(path)
    broken = (*migrations.STEPS[:1], "CREATE TABLE half (x); INSERT INTO nowhere VALUES (1);")
    with pytest.raises(HistoryError) as caught:
        migrations.prepare(path, 0.2, KINDS, broken)
    assert caught.value.code == "E_HISTORY_MIGRATION"
    assert "version 2" in caught.value.sentence
    assert contents(path) == before == contents(migrations.copy_name(path, 2))
    assert "half" not in schema(path)
    migrations.prepare(path, 0.2, KINDS, migrations.STEPS[:1])
    HistoryStore(path, KINDS).close()
    assert schema(path) == (DATA / "schema.sql").read_text(encoding="utf-8")


def test_a_step_that_fails_keeps_the_steps_before_it(path):
    old_database(path)
    broken = (*migrations.STEPS[:2], "INSERT INTO nowhere VALUES (1);")
    with pytest.raises(HistoryError, match="version 3"):
        migrations.prepare(path, 0.2, KINDS, broken)
    migrations.prepare(path, 0.2, KINDS, migrations.STEPS[:2])
    HistoryStore(path, KINDS).close()
    assert schema(path) == (DATA / "schema.sql").read_text(encoding="utf-8")


def test_no_copy_is_made_of_a_new_or_current_history(path):
    HistoryStore(path, KINDS).close()
    HistoryStore(path, KINDS).close()
    assert [file.name for file in path.parent.iterdir()] == [path.name]


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


def test_a_newer_history_in_use_by_its_program_is_refused(book, path):
    book.rate("one")
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    assert refused(path).code == "E_HISTORY_NEWER"
    connection.close()


@pytest.mark.parametrize(
    "content",
    [
        b"x",
        b"just a text file\n" * 100,
        b"\x00" * 4096,
        b"SQLite format 3\x00",
        b"SQLite format 3\x00" + b"\xff" * 5000,
    ],
)
def test_a_file_that_is_no_database_is_refused_and_untouched(path, content):
    path.parent.mkdir()
    path.write_bytes(content)
    error = refused(path)
    assert error.code == "E_HISTORY_DAMAGED"
    assert str(path) in error.sentence
    assert "Move the file away" in error.hint
    assert path.read_bytes() == content
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_torn_history_is_refused_and_untouched(book, path):
    for number in range(30):
        book.rate(f"r{number}", "A long joke. " * 50)
    book.store.close()
    torn = path.read_bytes()[: path.stat().st_size // 2]
    path.write_bytes(torn)
    assert refused(path).code == "E_HISTORY_DAMAGED"
    assert path.read_bytes() == torn


def test_damage_inside_a_history_is_told_when_it_is_met(book, open_book, path):
    for number in range(60):
        book.rate(f"r{number}", "A long joke. " * 50)
    book.store.close()
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + bytes(b ^ 0xA5 for b in whole[4096:]))
    with pytest.raises(HistoryError) as caught:
        list(open_book().store.entries())
    assert caught.value.code == "E_HISTORY_DAMAGED"


def test_the_database_of_another_program_is_refused_and_untouched(path):
    path.parent.mkdir()
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE bookmarks (url TEXT)")
    connection.close()
    before = path.read_bytes()
    error = refused(path)
    assert (error.code, "not a history" in error.sentence) == ("E_HISTORY_DAMAGED", True)
    assert path.read_bytes() == before


def test_an_empty_file_becomes_a_history(path):
    path.parent.mkdir()
    path.touch()
    HistoryStore(path, KINDS).close()
    assert path.stat().st_size > 0


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


def test_closing_a_locked_history_leaves_the_marking_to_the_next_start(book, open_book, path):
    book.begin("one")
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    book.store.close()
    other.execute("ROLLBACK")
    other.close()
    assert open_book().store.get("one").row.status is Status.INTERRUPTED


def test_two_first_starts_at_once_both_work(tmp_path, path):
    code = (
        "import sys, pathlib; from jokejudge_gui.history import HistoryStore as H; "
        "from jokejudge_gui.judge.kinds import KINDS; H(pathlib.Path(sys.argv[1]), KINDS).close()"
    )
    both = [subprocess.Popen([sys.executable, "-c", code, str(path)], stderr=subprocess.PIPE) for _ in range(3)]
    assert [process.communicate(timeout=120)[1] for process in both] == [b"", b"", b""]
    assert [process.returncode for process in both] == [0, 0, 0]
    assert schema(path) == (DATA / "schema.sql").read_text(encoding="utf-8")


def test_a_folder_that_cannot_be_made_is_read_only(tmp_path):
    (tmp_path / "file").write_text("in the way")
    error = refused(tmp_path / "file" / "history.sqlite3")
    assert error.code == "E_HISTORY_READONLY"
    assert "--data-dir" in error.hint


def test_a_folder_in_the_file_s_place_is_read_only(path):
    path.mkdir(parents=True)
    assert refused(path).code == "E_HISTORY_READONLY"


def test_a_history_that_may_only_be_read_is_refused(path, monkeypatch):
    HistoryStore(path, KINDS).close()
    connect = sqlite3.connect

    def reading(name: str, **options: object) -> sqlite3.Connection:
        return connect(name.replace("mode=rwc", "mode=ro").replace("mode=rw", "mode=ro"), **options)

    monkeypatch.setattr(database.sqlite3, "connect", reading)
    assert refused(path).code == "E_HISTORY_READONLY"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the super-user may write anywhere")
def test_a_read_only_folder_is_refused(path):
    path.parent.mkdir()
    path.parent.chmod(0o500)
    assert refused(path).code == "E_HISTORY_READONLY"


def test_a_full_disk_is_told_and_nothing_is_lost(path, monkeypatch):
    connect = database.connect

    def small(*arguments: object, **options: object) -> object:
        opened = connect(*arguments, **options)
        opened.execute("PRAGMA max_page_count = 60")
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


def test_a_file_that_vanished_does_not_come_back_empty(book, path):
    import threading

    for file in path.parent.iterdir():
        file.unlink()
    caught: list[HistoryError] = []

    def read() -> None:
        try:
            book.store.count(HistoryQuery())
        except HistoryError as error:
            caught.append(error)

    thread = threading.Thread(target=read)
    thread.start()
    thread.join(120)
    assert [error.code for error in caught] == ["E_HISTORY_READONLY"]
    assert not path.exists()


def test_unknown_errors_of_the_database_pass_through(path):
    assert database.in_words(sqlite3.IntegrityError("UNIQUE constraint failed"), path) is None
    assert database.in_words(sqlite3.ProgrammingError("bug"), path) is None


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (sqlite3.SQLITE_CORRUPT, "E_HISTORY_DAMAGED"),
        (sqlite3.SQLITE_NOTADB, "E_HISTORY_DAMAGED"),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, "E_HISTORY_LOCKED"),
        (sqlite3.SQLITE_READONLY_DIRECTORY, "E_HISTORY_READONLY"),
        (sqlite3.SQLITE_CANTOPEN, "E_HISTORY_READONLY"),
        (sqlite3.SQLITE_FULL, "E_HISTORY_FULL"),
        (sqlite3.SQLITE_IOERR_WRITE, "E_HISTORY_IO"),
    ],
)
def test_known_errors_of_the_database_are_put_into_words(path, code, expected):
    error = sqlite3.OperationalError("something")
    error.sqlite_errorcode = code
    found = database.in_words(error, path)
    assert found is not None
    assert (found.code, str(path) in found.sentence, bool(found.hint)) == (expected, True, True)
