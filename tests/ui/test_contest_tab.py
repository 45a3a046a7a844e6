"""The Contest tab: the list comes in and is shown as it was understood; it is read at the desk, by keys alone."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import canned
import canned_profile
import pytest
from canned import tell
from contest_driving import JOKES, LONG, contest, long_list, press, shown_tab
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from jokejudge_gui.batch.screening import OwnScoreFiles
from jokejudge_gui.core.errors import ErrorInfo
from jokejudge_gui.core.events import Failed, Finished, Interim, Stage, StageProgress, StageStarted, Started
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.history.query import HistoryQuery
from jokejudge_gui.history.store import HistoryStore
from jokejudge_gui.judge.contest.notes import NOTHING, EntryNote
from jokejudge_gui.judge.contest.record import ContestRequest, ContestResult, RankedEntry
from jokejudge_gui.judge.contest.words import NO_ESTIMATE
from jokejudge_gui.judge.kinds import KINDS
from jokejudge_gui.ui.contest.dialogs import PEOPLE, AskingDialog, OrderDialog
from jokejudge_gui.ui.contest.list_page import ListPage
from jokejudge_gui.ui.contest.tab import ContestTab
from jokejudge_gui.ui.contest.table import Column
from jokejudge_gui.ui.judge_worker import Job, JudgeWorker
from jokejudge_gui.ui.look.theme import px
from tests import kinds_of_file

# Of the offscreen platform, which has no window manager.

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")
PLAIN = contest(entries=tuple(entry.replaced(user=NOTHING) for entry in contest().entries))
NUMBERED = "\n".join(f"{number}. {text}" for number, text in enumerate(JOKES, start=1))
Key = Qt.Key


@pytest.fixture
def store(profile: Profile) -> Iterator[HistoryStore]:
    canned_profile.fill_history(profile)
    with closing(HistoryStore(profile.database, KINDS)) as made:
        yield made


@pytest.fixture
def tab(qtbot: QtBot, store: HistoryStore, worker: JudgeWorker, profile: Profile) -> ContestTab:
    return shown_tab(qtbot, ContestTab(store, worker, OwnScoreFiles(profile), examples=JOKES[:3]))


@pytest.fixture
def page(tab: ContestTab) -> ListPage:
    return tab.list_page


@pytest.fixture
def read(tab: ContestTab, store: HistoryStore) -> ContestTab:
    """A tab that shows a list of 200, of which nothing was read, kept in the history."""
    canned_profile.record(store, long_list())
    tab.open(store.get("c1"))
    tab.desk.table.setFocus()
    return tab


def found(page: ListPage) -> list[str]:
    return [item.text for item in page.list.items] if page.list is not None else []


def rows(tab: ContestTab) -> list[str]:
    """The ids of the rows from top to bottom."""
    model = tab.desk.model
    return [entry.id for row in range(model.rowCount()) if (entry := model.entry(row)) is not None]


def stored(store: HistoryStore, id: str = "c1") -> ContestResult:
    result = store.get(id).result
    assert isinstance(result, ContestResult)
    return result


def running(tab: ContestTab) -> Job:
    job = Job("contest", lambda _token: ())
    tab.expect({"title": "Friday set", "entries": tuple({"text": text} for text in JOKES)})
    tab.begin(job)
    tell(tab, job, Started(id="c1", kind="contest"), StageStarted(stage=Stage.READING, total=9))
    return job


def choose(menu: object, text: str) -> None:
    """Choose an action of a menu."""
    next(action for action in menu.actions() if action.text() == text).trigger()  # type: ignore[attr-defined]


def test_a_list_is_shown_as_it_was_understood_before_anything_starts(
    tab: ContestTab, page: ListPage, qtbot: QtBot
) -> None:
    assert not page.reading.isVisible()
    assert not tab.buttons.run_button.isEnabled()
    page.example_link.click()
    assert found(page) == list(JOKES[:3])
    page.set_text(f"{NUMBERED}\n10. {JOKES[0]}\n11. ")
    assert page.sentence.text() == "9 jokes found, 1 empty, 1 the same. Read as a numbered list."
    assert page.first.text().startswith(f"1. {JOKES[0]}\n2. ")
    assert page.first.text().endswith("and 6 more")
    page.set_text("")
    page.editor.insertPlainText("Friday set:\n- One.\n- Two.\n- One.\n- ")
    qtbot.waitUntil(lambda: found(page)[:2] == ["One.", "Two."])  # read when the typing rests
    tab.context.set_text("everyday life")
    with qtbot.waitSignal(tab.asked) as asked:
        tab.buttons.run_button.click()
    request = ContestRequest.model_validate(asked.args[0])
    assert [(entry.id, entry.text) for entry in request.entries] == [("1", "One."), ("2", "Two.")]
    assert (request.context, request.title) == ("everyday life", "Friday set")
    page.set_text("One\nof two lines.\n\nTwo.")
    for jokes in (["One\nof two lines.", "Two."], ["One", "of two lines.", "Two."], ["One\nof two lines.", "Two."]):
        assert found(page) == jokes
        page.form_link.click()  # it is read another way


def test_what_cannot_be_read_is_named_and_the_rest_is_read(tab: ContestTab, page: ListPage) -> None:
    page.set_text('{"text": "One."}\n{')
    assert "Line 2 of the list can't be read" in page.problem.heading.text()
    assert not tab.buttons.run_button.isEnabled()
    page.set_text('{"text": "One."}\n{"text": \n{"text": "Three."}')
    assert found(page) == ["One.", "Three."]
    assert page.first.text().splitlines()[-1].startswith("Line 2 of the list can't be read")
    assert not page.problem.isVisible()
    tab.set_model_error(ErrorInfo(code="E", sentence="The model file is missing.", hint="Choose another."))
    assert page.failed_card.isVisible()
    assert not tab.buttons.run_button.isEnabled()
    tab.set_model_error(None)
    assert tab.buttons.run_button.isEnabled()


def test_files_are_dropped_or_opened_and_one_of_3_gb_or_in_no_encoding_leaves_the_list(
    tab: ContestTab, page: ListPage, tmp_path: Path, qtbot: QtBot
) -> None:
    for name, content in (
        ("set.txt", "One.\r\nTwo.\r\n"),
        ("set.csv", "id,text\na,One.\nb,Two.\n"),
        ("set.jsonl", '{"text": "One."}\n{"text": "Two."}\n'),
    ):
        file, data = tmp_path / name, QMimeData()
        file.write_bytes(content.encode())
        data.setUrls([QUrl.fromLocalFile(str(file))])
        page.set_text("")
        assert page.editor.canInsertFromMimeData(data)
        page.editor.insertFromMimeData(data)
        qtbot.waitUntil(lambda: found(page) == ["One.", "Two."])
        assert page.name() == "set"
    file, latin = tmp_path / "many.txt", tmp_path / "latin.txt"
    file.write_text("".join(f"A joke number {n} about a long list of jokes in a file.\n" for n in range(1500)), "utf-8")
    page.open_file(str(file))
    qtbot.waitUntil(lambda: len(found(page)) == 1500)
    with file.open("r+b") as stream:
        stream.truncate(3 << 30)
    latin.write_bytes("é\n".encode() + b"caf\xe9")
    for path, code in ((file, "E_INPUT_LARGE"), (latin, "E_INPUT_ENCODING")):
        with qtbot.waitSignal(tab.trouble) as trouble:
            page.open_file(str(path))
        assert trouble.args[0].code == code
    assert len(found(page)) == 1500


@pytest.mark.parametrize("kind", kinds_of_file.KINDS)
def test_any_kind_of_file_holds_the_same_jokes_as_for_the_terminal(
    page: ListPage, tmp_path: Path, qtbot: QtBot, kind: str
) -> None:
    page.open_file(str(kinds_of_file.write(tmp_path, kind)))
    qtbot.waitUntil(lambda: page.list is not None and len(page.list.jokes) == 3)
    assert page.list is not None
    assert [item.text for item in page.list.jokes] == kinds_of_file.jokes(kind)
    assert kinds_of_file.NOTES.get(kind, "") in page.first.text()


def test_what_is_to_be_said_of_a_file_stands_under_its_list(page: ListPage, tmp_path: Path, qtbot: QtBot) -> None:
    file = tmp_path / "set.csv"
    file.write_bytes("id,text\n1,Мой пёс, and I.\n2,A &quot;dog&quot;.\n3,One.\n".encode("koi8_r"))
    page.open_file(str(file))
    qtbot.waitUntil(lambda: found(page) == ["Мой пёс, and I.", "A &quot;dog&quot;.", "One."])
    said = page.first.text()
    assert "it was read as KOI8-R" in said
    assert "1 row has more cells than the header" in said
    assert "1 text holds HTML" in said
    page.set_text("id,text,author\n1,One, two.,Ann\n2,Three.,Bob\n")
    assert found(page) == ["", "Three."]
    assert "The row on line 2 has 4 cells, the header 3." in page.first.text()
    assert "KOI8-R" not in page.first.text()


def test_the_list_grows_in_its_order_while_it_is_read_and_can_be_marked_meanwhile(
    tab: ContestTab, store: HistoryStore, qtbot: QtBot
) -> None:
    canned_profile.record(store, PLAIN)
    job = running(tab)
    reading = StageProgress(stage=Stage.READING, done=0, total=9, note="Reading the jokes")
    tell(tab, job, reading, Interim(result=contest(entries=PLAIN.entries[:5])), reading.replaced(done=5))
    assert rows(tab) == ["1", "2", "4", "5"]  # 3 is a twin of 2
    tab.desk.show_progress()
    assert tab.desk.strip.facts.text().startswith("5 of 9 read")
    assert tab.desk.strip.stop_button.isVisible()
    press(tab, Key.Key_K)
    tell(tab, job, Interim(result=PLAIN), Finished(result=PLAIN))
    assert rows(tab) == ["1", "2", "4", "5", "6", "7", "8", "9"]
    assert tab.state.at == "2"
    assert not tab.desk.strip.stop_button.isVisible()
    qtbot.waitUntil(lambda: stored(store).entries[0].user.mark == "keep")


@pytest.mark.parametrize(("key", "at"), [(None, "1"), (Key.Key_Down, "6")])
def test_a_list_that_nobody_touched_opens_at_its_best_joke(tab: ContestTab, key: Qt.Key | None, at: str) -> None:
    job = running(tab)
    tell(tab, job, Interim(result=contest(entries=PLAIN.entries[4:6])))
    assert tab.state.at == "5"  # the best that was read by then
    if key is not None:
        press(tab, key)
    tell(tab, job, Interim(result=PLAIN), Finished(result=PLAIN))
    assert tab.state.at == at


def test_a_failure_says_what_happened_above_what_was_read(tab: ContestTab) -> None:
    job = running(tab)
    tell(tab, job, Failed(error=ErrorInfo(code="E", sentence="The disk is full.", hint="Make room."), result=contest()))
    assert tab.failed.isVisible()
    assert tab.failed.heading.text() == "The disk is full."
    assert tab.desk.model.rowCount() == 8


def test_the_tiles_add_up_and_exactly_one_is_on(read: ContestTab) -> None:
    tiles = read.desk.strip.tiles
    counts = [button.tile.count for button in tiles]
    assert counts[0] == 200 == sum(counts[1:])
    QTest.mouseClick(tiles[1], Qt.MouseButton.LeftButton)
    assert [button.part for button in tiles if button.isChecked()] == ["out"]
    assert len(rows(read)) == counts[1]
    assert tiles[1].accessibleName().startswith("7 left out, ")
    QTest.keyClick(read.desk.table, Key.Key_1, Qt.KeyboardModifier.AltModifier)
    assert len(rows(read)) == 200


def test_the_cut_says_what_it_keeps_goes_by_one_and_by_ten_and_is_seen_in_the_table(read: ContestTab) -> None:
    cut, strip = read.desk.strip.cut, read.desk.strip
    before = cut.value()
    assert strip.sentence.text().startswith(f"Keep {before}: about ")
    assert "that people would like; at random" in strip.sentence.text()
    cut.setFocus()
    QTest.keyClick(cut, Key.Key_Left)
    assert cut.value() == before + 1  # to the left are more
    QTest.keyClick(cut, Key.Key_PageUp)
    QTest.keyClick(cut, Key.Key_Right)
    assert cut.value() == before - 10
    assert f"Keep {before - 10} of" in cut.accessibleDescription()
    at = QPoint(cut.width() // 2, cut.height() // 2)
    QTest.mousePress(cut, Qt.MouseButton.LeftButton, pos=at)
    assert read.desk.table.cut_row == cut.value() > 20
    QTest.mouseRelease(cut, Qt.MouseButton.LeftButton, pos=at)
    assert read.desk.table.cut_row is None
    assert read.state.notes.kept == 0  # it marks nothing by itself
    choose(read.desk.menu(), f"Keep these {cut.value()}")
    assert read.state.notes.kept == cut.value()


def test_of_an_unknown_kind_or_nothing_no_more_is_said_and_a_single_joke_has_no_cut(tab: ContestTab) -> None:
    entries = [e.replaced(reading=e.reading and e.reading.replaced(agreement=None)) for e in long_list(40).entries]
    tab.open(canned.entry(long_list(40, entries=tuple(entries))))
    assert tab.desk.strip.sentence.text() == NO_ESTIMATE
    assert not tab.desk.strip.cut.isEnabled()
    tab.open(canned.entry(contest(entries=contest().entries[:1], held=(), decisive=())))
    assert not tab.desk.strip.cut.isVisible()
    failed = RankedEntry(id="1", text="", error=ErrorInfo(code="E", sentence="It is empty."))
    tab.open(canned.entry(contest(entries=(failed,), held=(), decisive=())))
    assert [button.tile.title for button in tab.desk.strip.tiles] == ["1 read", "1 left out", "0 to read"]
    assert tab.desk.pane.end_heading.text() == "Nothing to read here."


def test_keys_keep_bin_put_off_and_undo_go_on_and_are_kept(read: ContestTab, store: HistoryStore) -> None:
    first, pane = rows(read), read.desk.pane
    assert read.state.at == first[0]
    press(read, Key.Key_K, Key.Key_B, Key.Key_L, Key.Key_Space)
    assert [read.state.notes[id].mark for id in first[:4]] == ["keep", "bin", "later", None]
    assert read.state.notes[first[3]].read
    assert read.state.at == first[4]
    assert pane.progress.text() == "3 read, 1 kept, 184 to go"
    assert pane.place_in_list.text() == "5 of 187"
    QTest.keyClick(read.desk.table, Key.Key_Space, Qt.KeyboardModifier.ShiftModifier)
    assert read.state.at == first[3]
    press(read, Key.Key_U, Key.Key_U)
    assert (read.state.at, read.state.notes[first[2]].mark) == (first[2], None)
    QTest.keyClick(read.desk.table, Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert (read.state.at, read.state.notes[first[1]].mark) == (first[1], None)
    press(read, Key.Key_Up, Key.Key_K)  # the same key again
    assert read.state.notes[first[0]].mark is None
    pane.keep_button.click()
    read.desk._read.timeout.emit()  # the joke was shown for two seconds
    assert read.state.notes[first[1]].read
    read.desk.strip.cut.setValue(33)
    before = read.state
    read.keep()
    assert [entry.user.mark for entry in stored(store).entries if entry.id in first[:2]] == ["keep", None]
    read.open(store.get("c1"))  # as after a restart
    assert read.state is not before
    assert (read.state.at, read.state.notes, read.desk.strip.cut.value()) == (before.at, before.notes, 33)
    glance = store.get("c1").row.glance
    assert glance is not None
    assert (glance.badge, glance.headline.endswith("; 1 kept")) == ("200", True)


def test_those_put_off_come_back_last_and_then_all_are_read(tab: ContestTab) -> None:
    entries = tuple(entry.replaced(like=()) for entry in PLAIN.entries[:3])
    tab.open(canned.entry(contest(entries=entries, held=(), decisive=())))
    tab.desk.export(kept_only=True)  # nothing is kept
    press(tab, Key.Key_L, Key.Key_K, Key.Key_B)
    assert tab.state.at == "1"
    press(tab, Key.Key_K)
    assert tab.desk.pane.at_end
    assert not tab.desk.table.chosen()
    assert tab.desk.pane.end_heading.text() == "All 3 read, 2 kept."
    assert tab.desk.pane.export_button.text() == "Export 2 kept jokes"
    assert tab.desk.pane.export_button.hasFocus()
    tab.desk.pane.undo_button.click()
    assert not tab.desk.pane.at_end
    assert tab.state.at == "1"


def test_what_is_left_out_says_why_and_can_be_put_back_and_of_twins_another_can_be_kept(read: ContestTab) -> None:
    read.desk.strip.tiles[1].click()
    out, pane, why = rows(read), read.desk.pane, read.desk.model.index(0, Column.MARK).data()
    assert why in ("a heading", "a refusal", "a remark")
    assert pane.notes.text() == f"Left out: {why}."
    assert not pane.text.marks()  # a guess at the turn isn't told then
    assert "turn" not in pane.facts.text()
    pane.back_link.click()
    assert rows(read) == out[1:]
    press(read, Key.Key_U)
    assert rows(read) == out
    read.desk.strip.tiles[2].click()
    assert rows(read) == ["8", "41", "74", "107", "140", "173"]
    assert read.desk.model.index(0, Column.MARK).data() == "2"
    press(read, Key.Key_Right)
    assert rows(read)[:3] == ["8", "9", "41"]
    press(read, Key.Key_Left)
    (twin,) = read.desk.pane.twins
    assert twin.text.text() == read.state.desk.entries["9"].text
    twin.link.click()
    assert rows(read)[0] == read.state.at == "9"
    press(read, Key.Key_U)
    assert rows(read)[0] == "8"


def test_the_joke_is_shown_with_its_turn_its_facts_and_its_place(read: ContestTab, qtbot: QtBot) -> None:
    pane, entry = read.desk.pane, read.state.desk.entries[read.state.at]
    assert pane.text.text() == entry.text
    assert [mark.kind for mark in pane.text.marks()] == ["turn"]
    assert pane.facts.text().startswith(f"{len(entry.text.split())} words · ")
    assert "turn at word" in pane.facts.text()
    assert pane.place.text() == f"place {entry.rank_low} to {entry.rank_high}"
    press(read, Key.Key_K)
    spoken = read.desk.model.index(0, Column.JOKE).data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == f"{entry.text} Place {entry.rank_low} to {entry.rank_high} of 200; kept."
    read.open(canned.entry(contest()))
    qtbot.waitUntil(lambda: bool(read.state.seen))
    read.desk.go_to("7")
    assert pane.facts.text().endswith("rated before")


def test_the_list_is_searched_and_column_heads_sort_it(read: ContestTab) -> None:
    read.desk.go_to(next(id for id in reversed(rows(read)) if "dentist" not in read.state.desk.entries[id].text))
    assert read.desk.table.verticalScrollBar().value() > 0
    press(read, Key.Key_Slash)
    QTest.keyClicks(read.desk.search, "dentist day 1")
    assert read.desk.table.verticalScrollBar().value() == 0  # the first one that is found is seen
    assert 0 < len(rows(read)) < 30
    assert read.state.notes.decided == 0  # letters are text there
    QTest.keyClick(read.desk.search, Key.Key_Return)
    assert read.desk.table.hasFocus()
    assert read.state.at == rows(read)[0]
    read.stop()
    assert len(rows(read)) == 187
    head = read.desk.table.header()
    place = QPoint(head.sectionViewportPosition(Column.JOKE) + 30, head.height() // 2)
    QTest.mouseClick(head.viewport(), Qt.MouseButton.LeftButton, pos=place)
    texts = [read.state.desk.entries[id].text for id in rows(read)]
    assert texts == sorted(texts, key=str.casefold)
    assert read.desk.model.headerData(Column.JOKE, Qt.Orientation.Horizontal) == "First words ↑"


def test_blind_reading_hides_places_until_twenty_votes_which_count_for_the_users_taste(
    read: ContestTab, store: HistoryStore, worker: JudgeWorker, qtbot: QtBot
) -> None:
    choose(read.desk.menu(), "Read blind")
    assert not read.desk.model.placed
    assert not read.desk.strip.cut.isVisible()
    assert read.desk.pane.place.text() == ""
    free = threading.Event()
    worker.call("busy", free.wait, lambda _none: None)
    press(read, Key.Key_K)
    assert store.votes.count() == 0
    read.keep()  # as at the program's end: a vote that waits in the worker is kept, once
    free.set()
    qtbot.waitUntil(lambda: not worker.busy, timeout=LONG)
    (vote,) = store.votes.find()
    assert (vote.kind, vote.choice, vote.blind) == ("rate", "up", True)
    press(read, Key.Key_U)
    qtbot.waitUntil(lambda: store.votes.count() == 0, timeout=LONG)
    for number in range(20):
        press(read, Key.Key_K if number % 2 else Key.Key_B)
    assert read.desk.model.placed
    assert read.desk.strip.cut.isVisible()
    qtbot.waitUntil(lambda: store.votes.count() == 20, timeout=LONG)


def test_a_joke_is_opened_in_rate_two_are_compared_and_several_marked_at_once(tab: ContestTab, qtbot: QtBot) -> None:
    tab.open(canned.entry(contest()))
    tab.desk.show_part("all")
    tab.desk.go_to("1")
    with qtbot.waitSignal(tab.elsewhere_asked) as asked:
        press(tab, Key.Key_Return)
    assert asked.args == ["rate", {"text": JOKES[0], "context": "everyday life"}]
    with qtbot.waitSignal(tab.compare_asked) as compared:
        press(tab, Key.Key_D)
    assert compared.args == [JOKES[0]]
    QTest.keyClick(tab.desk.table, Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    with qtbot.waitSignal(tab.elsewhere_asked) as asked:
        press(tab, Key.Key_D)
    assert asked.args == ["duel", {"text_a": JOKES[0], "text_b": JOKES[1], "context": "everyday life"}]
    press(tab, Key.Key_B)
    assert [tab.state.notes[id].mark for id in ("1", "2", "3")] == ["bin", "bin", None]


def test_tags_are_kept_with_the_jokes_and_the_order_says_what_can_be_told_apart(
    read: ContestTab, store: HistoryStore, qtbot: QtBot
) -> None:
    choose(read.desk.menu(), "About this order…")
    (order,) = read.findChildren(OrderDialog)
    assert order.view.lead.text().endswith(PEOPLE)
    order.close()
    choose(read.desk.row_menu(), "Tags…")
    dialog = read.findChild(AskingDialog)
    dialog.field.setText("Opener, short")
    dialog.accept()
    assert read.state.notes[read.state.at].tags == ("Opener", "short")
    qtbot.waitUntil(lambda: store.get("c1").row.tags == ("Opener", "short"), timeout=LONG)
    assert [row.id for row in store.search(HistoryQuery(text="opener"))] == ["c1"]


def test_a_new_version_and_more_jokes_are_read_when_going_on(tab: ContestTab, page: ListPage, qtbot: QtBot) -> None:
    tab.open(canned.entry(contest()))
    tab.desk.strip.add_button.click()
    assert page.adding.title.text() == "These jokes are added to Friday set."
    page.set_text("One more.")
    with qtbot.waitSignal(tab.asked) as asked:
        tab.run()
    request = ContestRequest.model_validate(asked.args[0])
    assert [entry.text for entry in request.entries] == [*JOKES, "One more."]
    assert sum(entry.reading is not None for entry in request.known.entries) == 9
    page.back_link.click()
    for text, said in (("Smoking cures salmon.", "Added as"), (JOKES[4], "This text is in the list already.")):
        choose(tab.desk.row_menu(), "Write a new version…")
        dialog = tab.findChildren(AskingDialog)[-1]
        dialog.field.setPlainText(text)
        with qtbot.waitSignal(tab.notice) as notice:
            dialog.accept()
        assert notice.args[0].startswith(said)
    assert tab.desk.strip.facts.text() == "9 of 10 read"
    with qtbot.waitSignal(tab.asked) as asked:
        tab.desk.strip.go_on_button.click()
    request = ContestRequest.model_validate(asked.args[0])
    new = request.entries[-1]
    assert (new.id, new.text, new.version_of) == ("10", "Smoking cures salmon.", tab.state.at)


@pytest.mark.parametrize("width", [740, 940, 1300])
def test_the_list_beside_the_joke_is_as_wide_as_it_can_be_and_no_wider(read: ContestTab, width: int) -> None:
    read.set_room("medium", 16)
    read.resize(width, 640)
    table, pane = read.desk.table, read.desk.pane
    for act in (lambda: read.desk.show_part("out"), lambda: read.desk.show_part("all"), read.desk.show_screening):
        act()
        QApplication.processEvents()
        assert table.horizontalScrollBar().maximum() == 0
        assert table.columnWidth(Column.JOKE) >= px(90)
    read.desk.show_screening(on=False)
    assert pane.minimumSizeHint().width() <= pane.width()


def test_one_at_a_time_where_there_is_little_room(read: ContestTab) -> None:
    read.set_room("narrow", 16)
    desk, strip = read.desk, read.desk.strip
    assert not desk.table_card.isVisible()
    assert desk.pane.isVisible()
    assert strip.part_button.shown == "187 to read"
    assert strip.cut_button.text() == f"Cut {strip.cut.value()}"
    QTest.keyClick(desk, Key.Key_K)
    assert read.state.notes.kept == 1
    QTest.keyClick(desk, Key.Key_T)
    assert desk.table_card.isVisible()
    assert not desk.pane.isVisible()
    press(read, Key.Key_T)
    assert desk.pane.isVisible()
    assert read.state.notes["1"] == EntryNote("keep", read=True)
