"""What belongs together, what is gone for good, who may read it, and what is left where a part of it is damaged."""

from __future__ import annotations

import gzip
import os
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from jokejudge_gui.core.errors import HistoryError
from jokejudge_gui.core.verdict_kinds import Subject, VoteScore
from jokejudge_gui.core.verdicts import ModelRef, Status
from jokejudge_gui.history import database, migrations
from jokejudge_gui.history.export import export
from jokejudge_gui.history.query import HistoryQuery
from jokejudge_gui.history.store import HistoryStore
from jokejudge_gui.judge.kinds import KINDS

DATA = Path(__file__).parent / "data"
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


def test_what_belongs_to_a_verdict_is_listed_with_it_alone(book):
    family(book)
    assert listed(book.store) == ["whole"]
    assert listed(book.store, parent="whole", sort="oldest") == ["one", "two"]
    assert book.store.get("one").row.parent == "whole"


def test_what_belongs_to_a_verdict_goes_and_comes_back_with_it(book, path):
    family(book)
    assert book.store.delete(["whole"]) == 1
    assert listed(book.store, parent="whole") == []
    assert book.store.undo_delete() == 1
    assert listed(book.store, parent="whole", sort="oldest") == ["one", "two"]
    book.store.delete(["whole"])
    assert book.store.purge() == 1
    with closing(sqlite3.connect(path)) as connection:
        for table in ("verdicts", "subjects", "results"):
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
    assert (row.kind, row.subjects, row.headline and row.headline.sentence) == (
        "opera", (Subject(text="A heron"),), "Bravo",
    )  # fmt: skip
    with pytest.raises(HistoryError) as caught:
        store.get("one")
    assert caught.value.code == "E_HISTORY_KIND"
    for form in ("csv", "jsonl", "markdown", "html"):
        assert export(store.entries(), form, tmp_path / form, KINDS) == 1
        assert "A heron" in (tmp_path / form).read_text(encoding="utf-8")
    assert store.check() == ()


@pytest.mark.parametrize("step", [2, 3, 4])
def test_a_saved_history_of_every_step_comes_whole_into_the_newest(path, step):
    path.parent.mkdir()
    path.write_bytes(gzip.decompress((DATA / f"version_{step}.sqlite3.gz").read_bytes()))
    seen: list[tuple[int, int]] = []
    store = HistoryStore(path, KINDS, progress=lambda done, total: seen.append((done, total)))
    assert listed(store, sort="oldest") == ["one", "two", "three", "four", "five"]
    assert listed(store, text="second draft") == ["three"]
    first = store.get("one").row
    assert (first.headline and first.headline.sentence, first.tags, first.starred) == (
        "3.5 of 5, as the model scores it", ("Puns", "food"), True,
    )  # fmt: skip
    assert store.get("three").row.headline == KINDS["duel"].headline(store.get("three").result)
    assert [subject.label for subject in store.get("three").row.subjects] == ["A", "B"]
    assert seen
    assert seen[-1][0] == seen[-1][1]
    votes = store.votes.find()
    assert len(votes) == (3 if step == 4 else 0)
    if votes:
        assert [(vote.choice, vote.text_b, vote.centred) for vote in votes] == [
            ("up", None, False), ("B", "Second draft", True), ("A", "There", True),
        ]  # fmt: skip
        assert len({vote.scale for vote in votes}) == 3
    store.close()


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
def test_what_is_purged_is_in_no_file_while_others_have_it_open(path, open_book):
    book, other = open_book(), open_book()
    copy = path.with_name("history.sqlite3.before-v6")
    copy.write_bytes(SECRET)
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
    assert not copy.exists()
    assert listed(other.store, sort="oldest") == ["keep", "noted"]


@pytest.mark.usefixtures("careless")
def test_votes_that_are_deleted_are_in_no_file(path, open_book):
    book, other = open_book(), open_book()
    book.store.votes.add(
        verdict_id="one", kind="rate", choice="up", blind=False, vote_score=VoteScore(scale="mean", value=3.0),
        model=ModelRef(name="m", sha256="a"), prompt_version="p", criteria_version="c",
        subjects=(Subject(text=SECRET.decode()),),
    )  # fmt: skip
    assert other.store.votes.count() == 1
    book.store.votes.delete_all()
    assert SECRET not in everything(path)


def test_a_copy_is_removed_after_thirty_days(path, open_book):
    open_book()
    old, new = (path.with_name(f"history.sqlite3.before-v{number}") for number in (4, 5))
    for copy in (old, new):
        copy.write_bytes(b"old verdicts")
    long_ago = new.stat().st_mtime - (migrations.COPY_DAYS + 1) * 86_400
    os.utime(old, (long_ago, long_ago))
    open_book()
    assert [old.exists(), new.exists()] == [False, True]


@pytest.mark.skipif(os.name != "posix", reason="modes are of POSIX systems")
def test_nobody_else_may_read_a_history_its_log_or_its_copy(path):
    before = os.umask(0)
    try:
        path.parent.mkdir(mode=0o755)
        path.write_bytes(gzip.decompress((DATA / "version_4.sqlite3.gz").read_bytes()))
        store = HistoryStore(path, KINDS)
        store.set_note("one", "a note")
        names = [f"{path.name}{suffix}" for suffix in ("", "-wal", "-shm", ".before-v6")]
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
    assert [damage.id for damage in book.store.check()] == ["bad"]
    with pytest.raises(HistoryError) as caught:
        book.store.get("bad")
    assert (caught.value.code, "heron" in str(caught.value)) == ("E_HISTORY_ENTRY", False)
    assert caught.value.__suppress_context__


@pytest.mark.parametrize(
    "change", ["parent = 12345678", "parent = x'00'", "deleted_at = ''", "deleted_at = x'00'", "deleted_at = 9e999"]
)
def test_a_verdict_that_damage_hides_is_listed_again(book, open_book, path, change):
    book.rate("good", timing=2)
    book.rate("bad", timing=4)
    book.store.close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"UPDATE verdicts SET {change} WHERE id = 'bad'")
        connection.commit()
    store = open_book().store
    assert {row.id for row in store.search(HistoryQuery())} == {"good", "bad"}
    assert store.delete(["bad"]) == 1
    assert store.undo_delete() == 1


def test_a_value_that_is_not_finite_is_none(book, path):
    book.rate("one", mean=3.0)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE verdicts SET badge = '3', tone = 'middle', sentence = '3 of 5', value = 9e999")
        connection.commit()
    (row,) = book.store.search(HistoryQuery())
    assert row.headline is not None
    assert row.headline.value is None


def test_a_result_with_a_number_that_no_judge_gives_cannot_be_read(book, path):
    book.rate("one", "A joke of 1e308 words and 12345678901234567890 more.", mean=3.0, timing=3)
    assert book.store.get("one").result is not None
    for huge in ("-1e308", "1e400", "NaN"):
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(
                "UPDATE results SET body = replace(body, '\"mean_score\":3.0', '\"mean_score\":' || ?)", (huge,)
            )
            connection.commit()
        with pytest.raises(HistoryError, match="can't be read"):
            book.store.get("one")
        (entry,) = book.store.entries()
        assert entry.result is None
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(
                "UPDATE results SET body = replace(body, '\"mean_score\":' || ?, '\"mean_score\":3.0')", (huge,)
            )
            connection.commit()


def test_a_damaged_search_index_is_told_when_something_is_written(book, open_book, path):
    book.rate("one")
    book.store.close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE verdicts_fts_data SET block = x'00ff'")
        connection.commit()
    again = open_book()
    with pytest.raises(HistoryError) as caught:
        again.begin("two")
    assert caught.value.code == "E_HISTORY_DAMAGED"


def test_a_text_that_is_not_utf8_is_read_as_far_as_it_goes(book, path):
    book.rate("one", "A pelican")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE subjects SET text = CAST(x'41ff42' AS TEXT)")
        connection.commit()
    assert book.store.get("one").row.subjects[0].text == "A\N{REPLACEMENT CHARACTER}B"


def test_a_result_that_is_not_json_does_not_keep_its_verdict_from_being_deleted(book, path):
    book.rate("one", timing=3)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE results SET body = 'torn {'")
        connection.commit()
    assert [damage.id for damage in book.store.check()] == ["one"]
    assert book.store.delete(["one"]) == 1


SPOILT = [
    "DROP TABLE results; CREATE VIEW results AS SELECT 1 AS seq, '' AS body",
    "DROP TABLE votes",
    "ALTER TABLE verdicts DROP COLUMN seconds",
    "DROP TRIGGER verdicts_fts_update",
    "CREATE TRIGGER more AFTER UPDATE ON verdicts BEGIN DELETE FROM votes; END",
    "DROP VIEW verdict_words",
    "DROP TRIGGER verdicts_fts_update; CREATE TRIGGER verdicts_fts_update AFTER UPDATE ON verdicts BEGIN"
    " UPDATE subjects SET text = 'Another joke.'; END",
    "DROP VIEW verdict_words; CREATE VIEW verdict_words AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1"
    " FROM n) SELECT i AS seq, '' AS subjects, '' AS note, '' AS tags, '' AS explanation FROM n",
    "CREATE INDEX slow ON subjects (hex(zeroblob(100000000)))",
    "CREATE TABLE more (seq REFERENCES verdicts (seq) ON DELETE RESTRICT)",
    "PRAGMA user_version = 4",
]


@pytest.mark.parametrize("spoil", SPOILT)
def test_tables_that_are_not_the_programs_are_refused_in_words(book, open_book, path, spoil):
    book.rate("one")
    book.store.close()
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(spoil)
    with pytest.raises(HistoryError) as caught:
        open_book()
    assert caught.value.code == "E_HISTORY_DAMAGED"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no fifos")
def test_a_fifo_in_the_files_place_is_refused_without_waiting_for_it(path, open_book):
    path.parent.mkdir()
    os.mkfifo(path)
    with pytest.raises(HistoryError, match="not a plain file"):
        open_book()


def test_a_history_that_was_removed_takes_no_more_verdicts_in_silence(book, path):
    book.begin("one")
    for file in path.parent.iterdir():
        file.unlink()
    with pytest.raises(HistoryError) as caught:
        book.store.end("one", Status.FINISHED, book.rating("one"))
    assert caught.value.code == "E_HISTORY_GONE"


def test_an_empty_file_is_not_taken_for_a_history_without_a_word(path):
    path.parent.mkdir()
    path.touch()
    with closing(HistoryStore(path, KINDS)) as store:
        assert "was empty" in store.notes[0]
    with closing(HistoryStore(path, KINDS)) as store:
        assert store.notes == ()


def test_undoing_a_deletion_of_nothing_brings_back_nothing(book):
    book.rate("one")
    book.rate("two")
    book.store.delete(["one"])
    assert book.store.delete(["one"]) == 0
    assert book.store.undo_delete(["two"]) == 0
    assert listed(book.store) == ["two"]
    assert book.store.undo_delete(["one"]) == 1


def test_a_page_of_any_size_may_be_asked_for(book):
    book.rate("one")
    assert listed(book.store, limit=10**20) == ["one"]
    assert listed(book.store, offset=10**20) == []


@pytest.mark.parametrize("version", [2, 3, 4])
def test_an_old_history_with_a_trigger_of_its_own_is_refused_before_any_step_runs(path, open_book, version):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.decompress((DATA / f"version_{version}.sqlite3.gz").read_bytes()))
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "DROP TRIGGER verdicts_fts_update; CREATE TRIGGER verdicts_fts_update AFTER DELETE ON verdicts"
            " BEGIN UPDATE verdicts SET text_a = 'Another joke.'; END"
        )
    before = path.read_bytes()
    with pytest.raises(HistoryError) as caught:
        open_book()
    assert caught.value.code == "E_HISTORY_DAMAGED"
    assert path.read_bytes() == before
