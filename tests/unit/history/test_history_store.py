"""Writing verdicts, reading them back, changing, deleting and averaging them."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading

import pytest

from jokejudge_gui.core.errors import HistoryError
from jokejudge_gui.core.verdicts import Status
from jokejudge_gui.history.query import HistoryQuery, split_title, with_progress, with_title
from jokejudge_gui.history.store import HistoryStore

OTHER_PROCESS = """
import sys
from pathlib import Path
from jokejudge_gui.history.store import HistoryStore
from jokejudge_gui.judge.kinds import KINDS
from jokejudge_gui.core.verdict_kinds import Subject
store = HistoryStore(Path(sys.argv[1]), KINDS)
store.begin(id="other", kind="rate", subjects=(Subject(text="Mine"),), mode="quick", model=None, prompt_version="1",
            criteria_version="1", seed=1)
print("begun", flush=True)
sys.stdin.readline()
import os; os._exit(9)
"""


def ids(store: HistoryStore, **query: object) -> list[str]:
    return [row.id for row in store.search(HistoryQuery.model_validate(query))]


def test_a_store_that_vanished_leaves_its_verdict_interrupted_with_what_was_known(book, open_book):
    book.begin("one")
    partial = book.rating("one", timing=2)
    book.store.save_partial("one", partial)
    book.store.close()
    entry = open_book().store.get("one")
    assert entry.row.status is Status.INTERRUPTED
    assert entry.result == partial


def test_another_living_process_keeps_its_verdict_and_a_dead_one_loses_it(book, open_book, path):
    process = subprocess.Popen(
        [sys.executable, "-c", OTHER_PROCESS, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with process:
        assert process.stdout.readline() == "begun\n"
        assert open_book().store.get("other").row.status is Status.RUNNING
        assert book.store.mark_interrupted() == 0
        process.communicate("die\n", timeout=120)
    assert process.returncode == 9
    assert book.store.mark_interrupted() == 1
    assert book.store.get("other").row.status is Status.INTERRUPTED


def test_star_tags_and_note_are_kept_and_tidied(book, open_book):
    book.rate("one")
    book.store.star("one", True)
    book.store.set_tags("one", ["  set   list ", "Puns", "puns", "", " ", "a\nb", "x\x00\ud800"])
    book.store.set_note("one", "Open with\nthis\x00 one \ud83d")
    row = open_book().store.get("one").row
    assert row.starred
    assert row.tags == ("set list", "Puns", "a b", "x?")
    assert row.note == "Open with\nthis one ?"
    book.store.star("one", False)
    book.store.set_tags("one", [])
    row = book.store.get("one").row
    assert (row.starred, row.tags) == (False, ())
    assert ids(book.store, tag="puns") == []


def test_deleted_verdicts_are_hidden_everywhere_and_come_back_last_first(book, open_book):
    for id in ("a", "b", "c", "d"):
        book.rate(id, f"Joke {id}")
    assert book.store.delete(["a", "b", "nobody"]) == 2
    assert book.store.delete(["c", "a"]) == 1
    assert ids(book.store) == ["d"]
    assert ids(book.store, text="joke") == ["d"]
    assert [entry.row.id for entry in book.store.entries()] == ["d"]
    assert book.store.count(HistoryQuery()) == book.store.count(HistoryQuery(text="joke")) == 1
    with pytest.raises(HistoryError, match="no verdict a"):
        book.store.get("a")
    later = open_book().store
    assert later.undo_delete() == 1
    assert ids(later) == ["d", "c"]
    assert later.undo_delete() == 2
    assert ids(later) == ["d", "c", "b", "a"]
    assert later.undo_delete() == 0


def test_tags_are_counted_and_status_and_title_are_read_from_tags_and_note(book):
    for id in ("a", "b", "c"):
        book.rate(id, f"Joke {id}")
    book.store.set_tags("a", with_progress(["Draft", "Club"], "done"))
    book.store.set_tags("b", ["club"])
    book.store.set_note("a", with_title(" The  opener ", "Slowly."))
    assert book.store.tags() == {"club": 2, "done": 1}
    row = book.store.row("a")
    assert (row.title, row.progress, row.tags) == ("The opener", "done", ("done", "Club"))
    assert split_title(row.note) == ("The opener", "Slowly.")
    assert (book.store.row("b").title, book.store.row("b").progress) == ("", "")
    book.store.delete(["b"])
    assert book.store.tags() == {"club": 1, "done": 1}


def test_purge_removes_for_good_what_was_deleted_and_nothing_else(book, path):
    book.rate("keep", "A pelican")
    book.rate("drop", "A secretword heron")
    book.store.set_tags("drop", ["tagged"])
    book.begin("runs")
    book.store.delete(["drop", "runs"])
    assert book.store.purge() == 1
    assert book.store.purge() == 0
    assert book.store.undo_delete() == 1
    assert ids(book.store) == ["runs", "keep"]
    book.store.end("runs", Status.CANCELLED, None)
    book.store.close()
    assert b"secretword" not in path.read_bytes()
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT count(*) FROM results").fetchone() == (1,)
    assert connection.execute("SELECT count(*) FROM verdict_tags").fetchone() == (0,)
    connection.close()


def test_the_revision_changes_with_every_write_of_anyone_and_only_then(book, open_book):
    other = open_book().store
    seen = [book.store.revision()]
    assert book.store.revision() == seen[-1]
    book.store.search(HistoryQuery())
    assert book.store.revision() == seen[-1]
    book.rate("one")
    seen.append(book.store.revision())
    other.star("one", True)
    seen.append(book.store.revision())
    thread = threading.Thread(target=book.store.set_note, args=("one", "n"))
    thread.start()
    thread.join(120)
    seen.append(book.store.revision())
    assert len(set(seen)) == 4


def test_many_threads_write_and_read_at_once(book):
    failures: list[Exception] = []

    def work(number: int) -> None:
        try:
            for turn in range(5):
                book.rate(f"{number}-{turn}", f"thread {number}", timing=number)
                assert book.store.get(f"{number}-{turn}").row.text_a == f"thread {number}"
                book.store.search(HistoryQuery(text="thread"))
        except (HistoryError, AssertionError, sqlite3.Error) as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert failures == []
    assert book.store.count(HistoryQuery()) == 30


@pytest.mark.parametrize("field", ['"stage_seconds": 1', '"mean_score": NaN'])
def test_a_result_that_cannot_be_read_is_an_error_for_one_and_no_obstacle_for_all(book, path, field):
    book.rate("good")
    book.rate("bad")
    with sqlite3.connect(path) as connection:
        body = f'{{"id": "bad", "text": "A joke.", {field}}}'
        connection.execute("UPDATE results SET body = ? WHERE seq = 2", (body,))
    connection.close()
    with pytest.raises(HistoryError) as caught:
        book.store.get("bad")
    assert caught.value.code == "E_HISTORY_ENTRY"
    bad, good = book.store.entries()
    assert (bad.result, bad.row.error) == (None, "The stored result can't be read.")
    assert good.result is not None


def test_a_result_with_fields_that_have_gone_since_opens_without_them(book, path):
    book.rate("old")
    older = '{"branches": 12, "tokens": 60000}'
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE results SET body = json_set(body, '$.shift', 1, '$.budget', json(?))", (older,))
    connection.close()
    assert book.store.get("old").result == book.rating("old", "A joke.").replaced(budget=12)


@pytest.mark.parametrize("status", [Status.FINISHED, Status.CANCELLED, Status.INTERRUPTED])
def test_a_revised_verdict_has_its_new_result_and_its_old_end(book, status):
    book.begin("a", "One.")
    book.store.end("a", status, book.rating("a", "One.", timing=1))
    before = book.store.get("a").row
    book.store.revise("a", lambda _stored: book.rating("a", "One.", timing=4))
    assert book.store.get("a").result == book.rating("a", "One.", timing=4)
    assert book.store.get("a").row.status is status
    assert book.store.get("a").row.created == before.created


def test_texts_are_seen_if_a_verdict_of_their_own_is_about_them(book):
    book.rate("a", "One.")
    book.duel("b", "Two.", "Three.")
    book.begin("whole", "A list")
    book.begin("part", "Of the list", parent="whole")
    book.rate("later", "Four.")
    texts = ["One.", "Three.", "Of the list", "Four.", "Never."]
    assert book.store.seen(texts) == {"One.": "a", "Three.": "b", "Four.": "later"}
    assert book.store.seen(texts, before="whole") == {"One.": "a", "Three.": "b"}
    book.store.delete(["a"])
    assert book.store.seen(texts, before="whole") == {"Three.": "b"}
