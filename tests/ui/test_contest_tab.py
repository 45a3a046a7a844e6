"""The Contest tab: the list comes in and is shown as it was understood; it is read at the desk, by keys alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import canned
import canned_profile
import pytest
from canned import tell
from contest_driving import JOKES, contest, drag, long_list, press, shown_tab
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from jokejudge_gui.batch.export import export_contest
from jokejudge_gui.batch.lists import SEPARATORS
from jokejudge_gui.core.errors import ErrorInfo
from jokejudge_gui.core.events import Failed, Finished, Interim, Stage, StageProgress, StageStarted, Started
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.core.verdicts import Status
from jokejudge_gui.history.store import HistoryStore
from jokejudge_gui.judge.contest.record import NOTHING, ContestRequest, ContestResult, EntryNote, RankedEntry
from jokejudge_gui.judge.contest.words import LITTLE_BETTER, NO_ESTIMATE
from jokejudge_gui.judge.kinds import KINDS
from jokejudge_gui.ui.contest.list_page import ListPage
from jokejudge_gui.ui.contest.tab import ContestTab
from jokejudge_gui.ui.contest.table import Column
from jokejudge_gui.ui.judge_worker import Job, JudgeWorker
from jokejudge_gui.ui.look.theme import font, theme
from jokejudge_gui.ui.widgets.base import text_width
from jokejudge_gui.ui.widgets.page import PageDialog

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
def tab(qtbot: QtBot, store: HistoryStore, worker: JudgeWorker) -> ContestTab:
    return shown_tab(qtbot, ContestTab(store, worker, examples=JOKES[:3]))


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


def choose(tab: ContestTab, text: str) -> None:
    """Choose an action of the list's menu."""
    next(action for action in tab.desk.menu.actions() if action.text() == text and action.isVisible()).trigger()


def test_a_list_is_shown_as_it_was_understood_before_anything_starts(
    tab: ContestTab, page: ListPage, qtbot: QtBot
) -> None:
    assert not page.sheet.isVisible()
    assert not tab.buttons.run_button.isEnabled()
    page.example_link.click()
    assert found(page) == list(JOKES[:3])
    page.set_text(f"{NUMBERED}\n10. {JOKES[0]}\n11. ")
    assert page.sheet.sentence.text() == "9 jokes found, 1 empty, 1 the same. Taken as a numbered list."
    assert page.sheet.first.text().startswith(f"1. {JOKES[0]}\n2. ")
    assert page.sheet.first.text().endswith("and 6 more")
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
    assert found(page) == ["One\nof two lines.", "Two."]
    page.sheet.separator.choose(1)
    assert found(page) == ["One", "of two lines.", "Two."]
    page.set_text("")
    assert page.sheet.separator.currentIndex() == 0


def test_what_cannot_be_read_is_named_and_the_rest_is_read(tab: ContestTab, page: ListPage) -> None:
    page.set_text('{"text": \n{')
    assert page.problem.title.text() == "Line 1 of the list isn't whole JSON."
    assert not tab.buttons.run_button.isEnabled()
    page.set_text('{"text": "One."}\n{"text": \n{"text": "Three."}')
    assert [item.text for item in page.list.jokes] == ["One.", "Three."]
    assert page.sheet.sentence.text().startswith("2 jokes found, 1 that can't be read.")
    assert page.sheet.out.text() == "Line 2 of the list isn't whole JSON."
    assert not page.problem.isVisible()
    tab.set_model_error(ErrorInfo(code="E", sentence="The model file is missing.", hint="Choose another."))
    assert page.failed_card.isVisible()
    assert not tab.buttons.run_button.isEnabled()
    tab.set_model_error(None)
    assert tab.buttons.run_button.isEnabled()


def test_the_sheet_lists_what_it_leaves_out_and_reads_by_another_choice(page: ListPage) -> None:
    page.set_text(f"Sure! Here are 200 jokes\n- {JOKES[0]}\n17) “{JOKES[1]}”\n2. {JOKES[0]}\nHope this helps!")
    assert [item.text for item in page.list.jokes] == [*JOKES[:2]]
    assert page.sheet.sentence.text().startswith("2 jokes found, 1 the same, 2 left out.")
    assert page.sheet.out.text().startswith("Line 1 is left out as a preamble: Sure!")
    page.sheet.strip.click()
    assert found(page)[0] == "Sure! Here are 200 jokes"
    page.set_text("Witz|Nr\nA cow &amp; a sow walk into a bar.|1\nA goat walks out.|2")
    assert page.sheet.strip.isChecked()  # a new list is read as usual
    page.sheet.separator.choose(1)
    assert len(found(page)) == 3
    page.sheet.separator.choose([*SEPARATORS].index("bar") + 3)
    assert found(page) == ["A cow &amp; a sow walk into a bar.", "A goat walks out."]
    assert page.sheet.column.currentText() == "Jokes: Witz"
    page.sheet.unescape.click()
    assert found(page)[0] == "A cow & a sow walk into a bar."
    page.sheet.column.choose(1)
    assert found(page) == ["1", "2"]
    page.set_text("\n".join([*JOKES[:3], *(f"Note: number {n}" for n in range(40))]))
    assert page.sheet.out.text().count("\n") == 30
    assert page.sheet.out.text().endswith("and 10 more")


def test_files_are_dropped_or_opened_and_one_of_3_gb_or_in_no_encoding_leaves_the_list(
    page: ListPage, tmp_path: Path, qtbot: QtBot
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
    for path, sentence in ((file, "holds more than 16 MB"), (latin, "isn't UTF-8")):
        page.open_file(str(path))
        qtbot.waitUntil(lambda sentence=sentence: sentence in page.problem.title.text())
    assert len(found(page)) == 1500


def test_the_list_grows_in_its_order_while_it_is_read_and_can_be_marked_meanwhile(
    tab: ContestTab, store: HistoryStore, qtbot: QtBot
) -> None:
    canned_profile.record(store, PLAIN)
    job = running(tab)
    reading = StageProgress(stage=Stage.READING, done=0, total=9, note="Reading the jokes")
    tell(tab, job, reading, Interim(result=contest(entries=PLAIN.entries[:5])), reading.replaced(done=5))
    assert rows(tab) == ["1", "2", "4", "5"]  # 3 is a twin of 2
    tab.desk.show_progress()
    assert tab.desk.strip.facts.text().startswith("5 of 9 judged")
    assert tab.desk.strip.stop_button.isVisible()
    press(tab, Key.Key_K)
    tell(tab, job, Interim(result=PLAIN), Finished(result=PLAIN))
    assert rows(tab) == ["1", "2", "4", "5", "7", "8", "9"]  # 6 is widely told
    assert tab.state.desk.at == "2"
    assert not tab.desk.strip.stop_button.isVisible()
    qtbot.waitUntil(lambda: stored(store).entries[0].user.mark == "keep")


@pytest.mark.parametrize(("key", "at"), [(None, "1"), (Key.Key_Down, "8")])
def test_a_list_that_nobody_touched_opens_at_its_best_joke(tab: ContestTab, key: Qt.Key | None, at: str) -> None:
    job = running(tab)
    tell(tab, job, Interim(result=contest(entries=PLAIN.entries[6:8])))
    assert tab.state.desk.at == "7"  # the best that was read by then
    if key is not None:
        press(tab, key)
    tell(tab, job, Interim(result=PLAIN), Finished(result=PLAIN))
    assert tab.state.desk.at == at


def test_a_failure_says_what_happened_above_what_was_read(tab: ContestTab) -> None:
    job = running(tab)
    tell(tab, job, Failed(error=ErrorInfo(code="E", sentence="The disk is full.", hint="Make room."), result=contest()))
    assert tab.failed.isVisible()
    assert tab.failed.title.text() == "The disk is full."
    assert tab.desk.model.rowCount() == 7


def test_the_tiles_add_up_and_exactly_one_is_on(read: ContestTab) -> None:
    tiles = read.desk.strip.tiles
    kept, judged, *parts = (button.tile.size for button in tiles)
    assert (kept, judged) == (0, 200)
    assert sum(parts) == 200
    QTest.mouseClick(tiles[2], Qt.MouseButton.LeftButton)
    assert [button.part for button in tiles if button.isChecked()] == ["out"]
    assert len(rows(read)) == parts[0]
    assert tiles[2].accessibleName().startswith("7 left out, ")
    text, reason = (text_width(words, font(size)) for words, size in (("7 left out", 15), (tiles[2].tile.about, 12)))
    assert tiles[2].sizeHint().width() > reason > text
    read.set_room("medium")
    assert tiles[2].sizeHint().width() < reason  # there the reasons are in the tooltips
    QTest.keyClick(read.desk.table, Key.Key_2, Qt.KeyboardModifier.AltModifier)
    assert len(rows(read)) == 200
    QTest.keyClick(read.desk.table, Key.Key_1, Qt.KeyboardModifier.AltModifier)
    assert read.desk.pane.end_heading.text() == "Nothing is kept yet."


def test_the_cut_says_what_is_before_it_goes_by_one_and_by_ten_and_is_seen_in_the_table(
    read: ContestTab, qtbot: QtBot
) -> None:
    cut, strip = read.desk.strip.cut, read.desk.strip
    before = cut.value()
    assert strip.sentence.text().startswith(f"The first {before} of ")
    assert " hold about " in strip.sentence.text()
    cut.setFocus()
    QTest.keyClick(cut, Key.Key_Left)
    assert cut.value() == before + 1  # to the left are more
    QTest.keyClick(cut, Key.Key_PageUp)
    QTest.keyClick(cut, Key.Key_Right)
    assert cut.value() == before - 10
    assert f"The first {before - 10} of" in cut.accessibleDescription()
    at = QPoint(cut.width() // 2, cut.height() // 2)
    QTest.mouseClick(cut, Qt.MouseButton.LeftButton, pos=at)
    assert cut.value() > 20
    assert read.desk.table.visualRect(read.desk.model.index(cut.value(), Column.JOKE)).top() > 0  # it is in view
    row = read.desk.table.visualRect(read.desk.model.index(cut.value(), Column.JOKE))
    drawn = read.desk.table.viewport().grab().toImage()
    assert drawn.pixelColor(row.right() - 2, row.top() + 1) == theme().colour("accent")
    assert read.state.desk.notes.kept == 0  # it marks nothing by itself
    before = cut.value()
    press(read, Key.Key_B)
    with qtbot.waitSignal(read.notice) as notice:
        choose(read, f"Keep the first {before}, to the cut")
    assert notice.args == [f"Kept {before - 1} jokes more. Ctrl+Z undoes it."]  # what was binned stays binned
    assert read.state.desk.notes.kept == before - 1
    press(read, Key.Key_U)
    assert read.state.desk.notes.kept == 0


def test_of_an_unknown_kind_or_nothing_no_more_is_said_and_a_single_joke_has_no_cut(tab: ContestTab) -> None:
    entries = [e.replaced(reading=e.reading and e.reading.replaced(agreement=None)) for e in long_list(40).entries]
    tab.open(canned.entry(long_list(40, entries=tuple(entries))))
    assert tab.desk.strip.sentence.text() == NO_ESTIMATE
    assert not tab.desk.strip.cut.isEnabled()
    tab.open(canned.entry(contest(entries=contest().entries[:1], held=())))
    assert not tab.desk.strip.cut.isVisible()
    failed = RankedEntry(id="1", text="", error=ErrorInfo(code="E", sentence="It is empty."))
    tab.open(canned.entry(contest(entries=(failed,), held=())))
    assert [button.tile.title for button in tab.desk.strip.tiles] == [
        "0 kept", "1 judged", "1 left out", "0 to read",
    ]  # fmt: skip
    assert tab.desk.pane.end_heading.text() == "Nothing to see here."


def test_keys_keep_bin_put_off_and_undo_go_on_and_are_kept(read: ContestTab, store: HistoryStore) -> None:
    first, pane = rows(read), read.desk.pane
    assert read.state.desk.at == first[0]
    press(read, Key.Key_K, Key.Key_B, Key.Key_L, Key.Key_Space)
    assert [read.state.desk.notes[id].mark for id in first[:4]] == ["keep", "bin", "later", None]
    assert read.state.desk.notes[first[3]].read
    assert read.state.desk.at == first[4]
    assert pane.progress.text() == "3 seen, 1 kept, 184 to go"
    assert pane.place_in_list.text() == "5 of 187"
    QTest.keyClick(read.desk.table, Key.Key_Space, Qt.KeyboardModifier.ShiftModifier)
    assert read.state.desk.at == first[3]
    press(read, Key.Key_U)
    assert (read.state.desk.at, read.state.desk.notes[first[2]].mark) == (first[2], None)
    press(read, Key.Key_U)
    assert (read.state.desk.at, read.state.desk.notes[first[1]].mark) == (first[1], None)
    press(read, Key.Key_Up)
    assert pane.facts.text().startswith("kept · ")  # where the list isn't shown, this tells
    press(read, Key.Key_K)  # the same key again
    assert read.state.desk.notes[first[0]].mark is None
    pane.keep_button.click()
    read.desk._looked.timeout.emit()  # the joke was shown for two seconds
    assert read.state.desk.notes[first[1]].read
    read.desk.strip.cut.setValue(33)
    before = read.state
    read.keep()
    assert [entry.user.mark for entry in stored(store).entries if entry.id in first[:2]] == ["keep", None]
    read.open(store.get("c1"))  # as after a restart
    assert read.state is not before
    assert (read.state.desk.at, read.state.desk.notes, read.desk.strip.cut.value()) == (
        before.desk.at,
        before.desk.notes,
        33,
    )
    glance = store.get("c1").row.glance
    assert (glance.badge, glance.headline.endswith("; 1 kept")) == ("200", True)


def test_those_put_off_come_back_last_and_then_all_are_seen(tab: ContestTab) -> None:
    entries = tuple(entry.replaced(like=()) for entry in PLAIN.entries[:3])
    tab.open(canned.entry(contest(entries=entries, held=())))
    tab.desk.export(kept_only=True)  # nothing is kept
    press(tab, Key.Key_L, Key.Key_K, Key.Key_B)
    assert tab.state.desk.at == "1"
    press(tab, Key.Key_K)
    assert tab.desk.pane.at_end
    assert not tab.desk.table.selectionModel().hasSelection()
    assert tab.desk.pane.end_heading.text() == "All 3 seen, 2 kept."
    assert tab.desk.pane.export_button.text() == "Export 2 kept jokes"
    assert tab.desk.pane.export_button.hasFocus()
    tab.desk.pane.undo_button.click()
    assert not tab.desk.pane.at_end
    assert tab.state.desk.at == "1"


def test_what_is_left_out_says_why_and_can_be_put_back_and_of_twins_another_can_be_kept(read: ContestTab) -> None:
    read.desk.strip.tiles[2].click()
    out, pane, why = rows(read), read.desk.pane, read.desk.model.index(0, Column.MARK).data()
    assert why in ("a heading", "a refusal", "a remark")
    assert pane.notes.text() == f"Left out: {why}."
    assert not pane.text.marks()  # a guess at the turn isn't told then
    assert "turn" not in pane.facts.text()
    pane.back_link.click()
    assert rows(read) == out[1:]
    press(read, Key.Key_U)
    assert rows(read) == out
    read.desk.strip.tiles[3].click()
    assert rows(read) == ["8", "41", "74", "107", "140", "173"]
    mark = read.desk.model.index(0, Column.MARK)
    assert mark.data() == "2"
    assert mark.data(Qt.ItemDataRole.AccessibleTextRole).endswith("has a twin.")
    read.state.desk.say(["8"], mark="later")
    assert mark.data() == ""  # a mark alone, and no number that it would cover
    (twin,) = read.desk.pane.twins
    text, link = twin
    assert text.text() == read.state.desk.entries["9"].text
    link.click()
    assert rows(read)[0] == read.state.desk.at == "9"
    press(read, Key.Key_U)
    assert rows(read)[0] == "8"


def test_the_joke_is_shown_with_its_turn_its_facts_and_its_place(read: ContestTab, qtbot: QtBot) -> None:
    pane, entry = read.desk.pane, read.state.desk.entries[read.state.desk.at]
    assert pane.text.text() == entry.text
    assert [mark.kind for mark in pane.text.marks()] == ["turn"]
    assert pane.facts.text().startswith(f"{len(entry.text.split())} words · ")
    assert "turn at word" in pane.facts.text()
    assert read.desk.model.index(0, Column.PLACE).data() == "1–71"
    assert pane.place.text() == "place 1 to 71"
    press(read, Key.Key_K)
    spoken = read.desk.model.index(0, Column.JOKE).data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == f"{entry.text} Place 1 to 71 of 200; leans to the upper half, 6 in 10; kept."
    entries = tuple(entry.replaced(seen="h1" if entry.id == "7" else None) for entry in contest().entries)
    read.open(canned.entry(contest(entries=entries)))
    read.desk.go_to("7")
    assert pane.facts.text().endswith("in your history")


def test_the_list_is_searched_and_column_heads_sort_it(read: ContestTab) -> None:
    read.desk.go_to(next(id for id in reversed(rows(read)) if "dentist" not in read.state.desk.entries[id].text))
    assert read.desk.table.verticalScrollBar().value() > 0
    press(read, Key.Key_Slash)
    QTest.keyClicks(read.desk.search, "dentist day 1")
    assert read.desk.table.verticalScrollBar().value() == 0  # the first one that is found is seen
    assert 0 < len(rows(read)) < 30
    assert read.state.desk.notes.count("keep", "bin") == 0  # letters are text there
    QTest.keyClick(read.desk.search, Key.Key_Return)
    assert read.desk.table.hasFocus()
    assert read.state.desk.at == rows(read)[0]
    read.stop()
    assert len(rows(read)) == 187
    head = read.desk.table.header()
    place = QPoint(head.sectionViewportPosition(Column.JOKE) + 30, head.height() // 2)
    QTest.mouseClick(head.viewport(), Qt.MouseButton.LeftButton, pos=place)
    texts = [read.state.desk.entries[id].text for id in rows(read)]
    assert texts == sorted(texts, key=str.casefold)
    assert read.desk.model.headerData(Column.JOKE, Qt.Orientation.Horizontal) == "Joke ↑"


def test_blind_reading_hides_places_until_twenty_jokes_are_kept_or_binned(read: ContestTab) -> None:
    choose(read, "Hide or show places")
    assert read.desk.model.index(0, Column.PLACE).data() == ""
    assert read.desk.table.isColumnHidden(Column.LEAN)
    assert not read.desk.strip.cut.isVisible()
    assert read.desk.pane.place.text() == ""
    for number in range(20):
        press(read, Key.Key_K if number % 2 else Key.Key_B)
    assert read.desk.model.index(0, Column.PLACE).data() == "1–71"
    assert read.desk.strip.cut.isVisible()


def test_a_joke_is_opened_in_rate_or_compared_with_another(tab: ContestTab, qtbot: QtBot) -> None:
    tab.open(canned.entry(contest()))
    tab.desk.show_part("all")
    tab.desk.go_to("1")
    with qtbot.waitSignal(tab.elsewhere_asked) as asked:
        press(tab, Key.Key_Return)
    assert asked.args == ["rate", {"text": JOKES[0], "context": "everyday life"}]
    with qtbot.waitSignal(tab.compare_asked) as compared:
        press(tab, Key.Key_D)
    assert compared.args == [JOKES[0]]
    QTest.keyClick(tab.desk.table, Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.clipboard().text() == JOKES[0]
    with qtbot.waitSignal(tab.elsewhere_asked) as asked:
        at = tab.desk.table.visualRect(tab.desk.model.index(1, Column.JOKE)).center()
        QTest.mouseClick(tab.desk.table.viewport(), Qt.MouseButton.LeftButton, pos=at)
        QTest.mouseDClick(tab.desk.table.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert asked.args[1]["text"] == JOKES[1]


def test_the_kept_jokes_are_ordered_by_keys_by_drag_and_by_duels_and_copied_and_exported_so(
    read: ContestTab, store: HistoryStore, tmp_path: Path
) -> None:
    press(read, *[Key.Key_K] * 4)
    first = [entry.id for entry in read.state.desk.rows("kept")]
    QTest.keyClick(read.desk.table, Key.Key_1, Qt.KeyboardModifier.AltModifier)
    assert rows(read) == first
    read.desk.go_to(first[0])
    QTest.keyClick(read.desk.table, Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    assert rows(read) == [first[1], first[0], *first[2:]]
    assert read.state.desk.at == first[0]
    QTest.keyClick(read.desk.table, Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert rows(read) == first
    drag(read.desk.table, 3, 0)
    assert rows(read) == [first[3], *first[:3]]
    press(read, Key.Key_U)
    assert rows(read) == first
    press(read, Key.Key_F)
    pane, better = read.desk.pane, {id: place for place, id in enumerate(reversed(first))}
    assert pane.final.isVisible()
    assert pane.final.words.text() == "Choice 1 of at most 5"
    assert not pane.progress.isVisible()  # it counts jokes, not choices
    press(read, Key.Key_0, Key.Key_Equal)
    pane.final.equal_button.click()
    while pane.final.isVisible():
        press(read, Key.Key_0)
    assert rows(read) == first  # who finds all equal keeps the order
    press(read, Key.Key_F)
    press(read, Key.Key_2, Key.Key_2)
    read.desk.show_part("all")  # to look elsewhere keeps what was chosen
    press(read, Key.Key_F)
    assert [joke.text() for joke in pane.final.jokes][1] == read.state.desk.entries[first[0]].text
    of_text = {entry.text: id for id, entry in read.state.desk.entries.items()}
    press(read, Key.Key_1, Key.Key_U)  # a choice is undone
    for _ in range(5):
        if pane.final.isVisible():
            one, other = (of_text[joke.text()] for joke in pane.final.jokes)
            press(read, Key.Key_1 if better[one] < better[other] else Key.Key_2)
    assert not pane.final.isVisible()
    ends = (pane.export_button, pane.final_button, pane.copy_button, pane.set_button)
    assert all(button.isVisible() and not button.visibleRegion().isEmpty() for button in ends)
    assert rows(read) == first[::-1]
    texts = [read.state.desk.entries[id].text for id in first[::-1]]
    press(read, Key.Key_C)
    assert QApplication.clipboard().text().splitlines() == texts
    read.keep()
    for name in ("ten.txt", "ten.csv", "ten.html"):
        assert export_contest(stored(store), tmp_path / name, kept_only=True) == 4
        written = (tmp_path / name).read_text(encoding="utf-8")
        assert sorted(texts, key=written.index) == texts
    assert "can't be told apart" not in written  # a sheet to print is the user's list, not the model's
    assert "<h1>Friday set: 4 jokes</h1>" in written
    read.open(store.get("c1"))  # as after a restart
    read.desk.show_part("kept")
    assert rows(read) == first[::-1]


def test_the_kept_jokes_are_gone_through_one_by_one_and_what_is_binned_there_leaves_the_place(
    read: ContestTab,
) -> None:
    press(read, *[Key.Key_K] * 4)
    first, desk = [entry.id for entry in read.state.desk.rows("kept")], read.desk
    divide = desk.pane.x()
    QTest.keyClick(desk.table, Key.Key_1, Qt.KeyboardModifier.AltModifier)
    assert read.state.desk.at == first[0]
    press(read, Key.Key_Space)
    assert read.state.desk.at == first[1]
    press(read, Key.Key_B)
    assert read.state.desk.at == first[2]
    press(read, Key.Key_Space, Key.Key_K)  # the last one, not kept after all
    assert (rows(read), read.state.desk.at) == ([first[0], first[2]], first[2])
    press(read, Key.Key_Space)
    assert desk.pane.end_heading.text() == "2 kept, in your order."
    assert desk.pane.export_button.hasFocus()
    assert desk.pane.x() == divide  # the joke is where it was, whatever is beside it
    read.changes.undo()
    assert desk.table.hasFocus()  # so that its keys work


def test_going_on_keeps_what_was_judged_in_view(tab: ContestTab, store: HistoryStore) -> None:
    waiting = tuple(RankedEntry(id=entry.id, text=entry.text) for entry in PLAIN.entries[5:])
    canned_profile.record(store, contest(entries=(*PLAIN.entries[:5], *waiting), held=()), Status.CANCELLED)
    tab.open(store.get("c1"))
    before = rows(tab)
    assert tab.desk.strip.facts.text() == "5 of 9 judged"
    press(tab, Key.Key_K)
    tab.asked.connect(tab.expect)
    tab.desk.strip.go_on_button.click()
    tab.begin(Job("contest", lambda _token: ()))
    assert tab.live
    assert rows(tab) == before
    assert tab.desk.strip.tiles[1].tile.title == "5 judged"
    assert tab.desk.strip.tiles[0].tile.title == "1 kept"
    press(tab, Key.Key_U)  # a change that was made before
    assert tab.desk.strip.tiles[0].tile.title == "0 kept"


def test_the_windows_title_says_how_far_a_long_contest_is(tab: ContestTab) -> None:
    job = running(tab)
    tell(tab, job, StageProgress(stage=Stage.READING, done=5, total=9, note=""))
    tab._tick()
    assert tab.windowTitle() == "5 of 9 – JokeJudge"
    tab.hide()  # the user is elsewhere
    notices: list[str] = []
    tab.notice.connect(notices.append)
    tell(tab, job, Finished(result=PLAIN))
    assert tab.windowTitle() == "JokeJudge"
    assert notices == ["Friday set: judged."]


def test_the_order_says_what_it_rests_on(read: ContestTab) -> None:
    choose(read, "About this order…")
    (order,) = read.findChildren(PageDialog)
    assert "People would agree with this order in about 66 of 100 pairs." in order.view.text()
    order.close()


def test_more_jokes_are_added_to_a_list_whose_jokes_are_not_judged_again(
    tab: ContestTab, page: ListPage, qtbot: QtBot
) -> None:
    tab.open(canned.entry(contest()))
    tab.desk.strip.add_button.click()
    assert page.adding.title.text() == "These jokes are added to Friday set."
    page.set_text("One more.")
    tab.asked.connect(tab.expect)
    with qtbot.waitSignal(tab.asked) as asked:
        tab.run()
    tab.begin(Job("contest", lambda _token: ()))
    assert len(rows(tab)) == 7  # what was judged stays in view
    request = ContestRequest.model_validate(asked.args[0])
    assert [entry.text for entry in request.entries] == [*JOKES, "One more."]
    assert sum(entry.reading is not None for entry in request.known.entries) == 9


def test_one_at_a_time_where_there_is_little_room(read: ContestTab) -> None:
    read.set_room("narrow")
    desk, strip = read.desk, read.desk.strip
    assert not desk.table_card.isVisible()
    assert desk.pane.isVisible()
    assert strip.part_button.currentText() == "187 to read"
    assert not strip.cut.isVisible()
    assert strip.cut_button.text() == f"Cut {strip.cut.value()}"
    strip.cut_button.setFocus()
    QTest.keyClick(strip.cut_button, Key.Key_Space)
    assert strip.cut.isVisible()
    QTest.keyClick(QApplication.focusWidget(), Key.Key_PageDown)
    assert strip.cut_button.text() == f"Cut {strip.cut.value()}" == "Cut 66"
    assert strip.sentence.text().startswith("The first 66 of 187 hold about ")
    strip.cut_button.click()
    assert not strip.cut.isVisible()
    press(read, Key.Key_K)
    assert read.state.desk.notes.kept == 1
    press(read, Key.Key_T)
    assert desk.table_card.isVisible()
    assert not desk.pane.isVisible()
    read.stop()  # Esc
    assert desk.pane.isVisible()
    press(read, Key.Key_K, Key.Key_F)
    while desk.pane.final.isVisible():
        press(read, Key.Key_1)
    assert desk.pane.end_text.text().startswith("Press T to show the list.")
    assert read.state.desk.notes["1"] == EntryNote("keep", read=True)


def test_a_key_on_a_button_is_not_read_as_a_number_of_things(read: ContestTab) -> None:
    pane = read.desk.pane
    buttons = (pane.keep_button, pane.bin_button, pane.later_button, pane.final.equal_button, *pane.final.buttons)
    words = ("Keep (key K)", "Bin (key B)", "Later (key L)", "Equal (key 0)", "This one (key 1)", "This one (key 2)")
    assert tuple(button.text() for button in buttons) == words


def test_devices_have_no_more_room_than_they_need(read: ContestTab) -> None:
    table = read.desk.table
    table.resize(600, 400)
    table.share_width()
    assert not table.isColumnHidden(Column.DEVICE)
    assert 0 < table.columnWidth(Column.DEVICE) <= 100
    few = long_list(40)
    bare = [one.replaced(reading=one.reading.replaced(device="")) for one in few.entries[:35] if one.reading]
    read.open(canned.entry(long_list(40, entries=(*bare, *few.entries[35:]))))
    table.resize(600, 400)
    table.share_width()
    assert table.isColumnHidden(Column.DEVICE)  # nearly all of them have none


def test_an_order_little_better_than_chance_is_called_that_and_has_no_cut(tab: ContestTab) -> None:
    short = long_list(20)
    tab.open(canned.entry(short.replaced(entries=tuple(_alike(entry) for entry in short.entries))))
    assert tab.desk.strip.sentence.text() == LITTLE_BETTER
    assert not any(act.text().startswith("Keep the first") and act.isVisible() for act in tab.desk.menu.actions())
    assert not any(tab.desk.model.index(row, Column.PLACE).data() for row in range(tab.desk.model.rowCount()))


def _alike(entry: RankedEntry) -> RankedEntry:
    return entry.replaced(rank_low=1, rank_high=20, reading=entry.read.replaced(percentile=55.0))


def test_told_before_says_from_where_on(tab: ContestTab) -> None:
    tab.open(canned.entry(contest()))
    (tile,) = (tile for tile in tab.desk.strip.tiles if tile.part == "known")
    assert "told before: in three collections of jokes or more, or five times in them" in tile.toolTip()
    tab.desk.go_to("6")
    assert "in three collections" in tab.desk.pane.notes.toolTip()
    tab.desk.go_to("1")
    assert not tab.desk.pane.notes.toolTip()
