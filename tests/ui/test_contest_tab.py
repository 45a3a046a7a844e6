"""The Contest tab: the list comes in and is shown as it was understood; the ranking is looked at and worked with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import canned
import canned_profile
import pytest
from canned import tell
from contest_driving import JOKES, contest, press
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from jokejudge_gui.batch.screening import OwnScoreFiles
from jokejudge_gui.core.errors import ErrorInfo
from jokejudge_gui.core.events import Cancelled, Failed, Finished, Stage, StageProgress, StageStarted, Started
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.core.verdicts import Status
from jokejudge_gui.history.store import HistoryStore
from jokejudge_gui.judge.contest.scoring import ContestRanked
from jokejudge_gui.judge.contest.types import ContestRequest, ContestResult, EntryNote
from jokejudge_gui.judge.kinds import KINDS
from jokejudge_gui.ui.contest.list_page import ListPage
from jokejudge_gui.ui.contest.ranking_model import EXTRA, Column
from jokejudge_gui.ui.contest.tab import ContestTab
from jokejudge_gui.ui.judge_worker import Job, JudgeWorker

# Of the offscreen platform, which has no window manager.
pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")
NUMBERED = "\n".join(f"{number}. {text}" for number, text in enumerate(JOKES, start=1))


@pytest.fixture
def store(profile: Profile) -> Iterator[HistoryStore]:
    canned_profile.fill_history(profile)
    made = HistoryStore(profile.database, KINDS)
    yield made
    made.close()


@pytest.fixture
def tab(qtbot: QtBot, store: HistoryStore, worker: JudgeWorker, profile: Profile) -> ContestTab:
    made = ContestTab(store, worker, OwnScoreFiles(profile))
    qtbot.addWidget(made)
    made.resize(1060, 800)
    made.show()
    return made


@pytest.fixture
def page(tab: ContestTab) -> ListPage:
    return tab.list_page


def found(page: ListPage) -> list[str]:
    return [item.text for item in page.model.items]


def places(tab: ContestTab) -> list[str]:
    """The ids of the rows from top to bottom."""
    model = tab.ranking.model
    return [entry.id for row in range(model.rowCount()) if (entry := model.entry(row)) is not None]


def marks(tab: ContestTab, row: int) -> str:
    return str(tab.ranking.model.index(row, Column.MARKS).data())


def running(tab: ContestTab) -> Job:
    job = Job("contest", lambda _token: ())
    tab.expect({"title": "Friday set", "entries": tuple({"text": text} for text in JOKES)})
    tab.begin(job)
    tell(tab, job, Started(id="c1", kind="contest"), StageStarted(stage=Stage.READING, total=9))
    return job


# -- the list ----------------------------------------------------------------------------------------------------------


def test_what_was_found_in_a_list_is_shown_before_anything_starts(tab: ContestTab, page: ListPage) -> None:
    assert page.welcome.isVisible()
    assert not tab.buttons.run_button.isEnabled()
    page.set_text(f"{NUMBERED}\n10. {JOKES[0]}\n11. ")
    assert page.sentence.text() == "9 jokes found, 1 empty, 1 the same."
    assert page.reading.caption_label.text() == "read as a numbered list"
    assert found(page)[1] == JOKES[1]
    assert page.model.index(9, 2).data() == "the same as 1"
    assert page.model.index(10, 2).data() == "empty"
    assert tab.buttons.run_button.isEnabled()


def test_what_is_typed_is_read_when_the_typing_rests(page: ListPage, qtbot: QtBot) -> None:
    page.editor.insertPlainText("One.\nTwo.")
    qtbot.waitUntil(lambda: found(page) == ["One.", "Two."])


def test_the_contest_gets_the_jokes_alone_with_topic_and_name(tab: ContestTab, page: ListPage, qtbot: QtBot) -> None:
    page.set_text("Friday set:\n- One.\n- Two.\n- One.\n- ")
    tab.context.set_text("everyday life")
    with qtbot.waitSignal(tab.asked) as asked:
        tab.run()
    request = ContestRequest.model_validate(asked.args[0])
    assert [(entry.id, entry.text) for entry in request.entries] == [("1", "One."), ("2", "Two.")]
    assert (request.context, request.title) == ("everyday life", "Friday set")


def test_each_joke_can_be_edited_in_place(page: ListPage, qtbot: QtBot) -> None:
    page.set_text(NUMBERED)
    page.view.setFocus()
    page.view.setCurrentIndex(page.model.index(2, 0))
    QTest.keyClick(page.view, Qt.Key.Key_Return)
    editor = page.view.indexWidget(page.view.currentIndex().siblingAtColumn(1)) or page.view.viewport().focusWidget()
    assert editor is not None
    QTest.keyClicks(editor, "Another.")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: found(page)[2] == "Another.")
    assert [*found(page)[:2], *found(page)[3:]] == [*JOKES[:2], *JOKES[3:]]
    assert page.view.currentIndex().row() == 2
    page.editor.undo()
    page.read_now()
    assert found(page) == list(JOKES)


def test_jokes_can_be_taken_out(page: ListPage, qtbot: QtBot) -> None:
    page.set_text("text,author\nOne.,Ann\nTwo.,Bob\nThree.,Cy\n")
    page.view.setCurrentIndex(page.model.index(1, 0))
    QTest.keyClick(page.view, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: found(page) == ["One.", "Three."])
    assert page.model.items[1].fields == {"author": "Cy"}


def test_a_list_can_be_read_another_way(page: ListPage) -> None:
    page.set_text("One\nof two lines.\n\nTwo.")
    assert found(page) == ["One\nof two lines.", "Two."]
    page.form_link.click()
    assert found(page) == ["One", "of two lines.", "Two."]
    page.form_link.click()
    assert found(page) == ["One\nof two lines.", "Two."]


def test_a_list_that_cannot_be_read_says_why(tab: ContestTab, page: ListPage) -> None:
    page.set_text('{"text": "One."}\n{')
    assert "Line 2 of the list can't be read" in page.problem.heading.text()
    assert not tab.buttons.run_button.isEnabled()
    page.set_text("One.")
    assert not page.problem.isVisible()
    assert tab.buttons.run_button.isEnabled()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("set.txt", "One.\r\nTwo.\r\n"),
        ("set.csv", "id,text\na,One.\nb,Two.\n"),
        ("set.csv", "One.\nTwo.\n"),
        ("set.jsonl", '{"text": "One."}\n{"text": "Two."}\n'),
    ],
)
def test_a_file_can_be_dropped_on_the_list(page: ListPage, tmp_path: Path, name: str, content: str) -> None:
    file = tmp_path / name
    file.write_bytes(content.encode())
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(file))])
    assert page.editor.canInsertFromMimeData(data)
    page.editor.insertFromMimeData(data)
    assert found(page) == ["One.", "Two."]
    assert page.name() == "set"


def test_a_file_that_cannot_be_read_leaves_the_list_as_it_is(
    tab: ContestTab, page: ListPage, tmp_path: Path, qtbot: QtBot
) -> None:
    page.set_text("One.")
    file = tmp_path / "latin.txt"
    file.write_bytes("é\n".encode() + b"caf\xe9")
    with qtbot.waitSignal(tab.trouble) as trouble:
        page.open_file(str(file))
    assert trouble.args[0].code == "E_INPUT_ENCODING"
    assert found(page) == ["One."]


def test_a_large_file_is_read_by_the_worker_and_one_of_3_gb_is_refused(
    tab: ContestTab, page: ListPage, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    import threading

    from jokejudge_gui.ui.contest import list_page

    threads: list[threading.Thread] = []
    opened = list_page._opened
    monkeypatch.setattr(
        list_page, "_opened", lambda path: (threads.append(threading.current_thread()), opened(path))[1]
    )
    file = tmp_path / "many.txt"
    file.write_text("".join(f"A joke number {n} about a long list of jokes in a file.\n" for n in range(1500)), "utf-8")
    page.open_file(str(file))
    qtbot.waitUntil(lambda: page.found is not None and len(page.found.jokes) == 1500)
    with file.open("r+b") as stream:
        stream.truncate(3 << 30)
    with qtbot.waitSignal(tab.trouble) as trouble:
        page.open_file(str(file))
    assert trouble.args[0].code == "E_INPUT_LARGE"
    assert threading.main_thread() not in threads


# -- while it runs -----------------------------------------------------------------------------------------------------


def test_what_is_ranked_so_far_is_shown_with_the_progress(tab: ContestTab) -> None:
    job = running(tab)
    assert tab.page == "ranking"
    half = contest().entries[:5]
    tell(
        tab,
        job,
        StageProgress(stage=Stage.READING, done=0, total=9, note="Reading the jokes"),
        ContestRanked(result=contest(entries=half)),
        StageProgress(stage=Stage.READING, done=5, total=9, note="Reading the jokes"),
    )
    assert places(tab) == ["1", "2", "3", "4", "5"]
    assert tab.ranking.doing.text().startswith("Reading the jokes: 5 of 9")
    assert tab.ranking.progress.fraction == pytest.approx(5 / 9)
    assert tab.ranking.stop_button.isVisible()
    tell(tab, job, Finished(result=contest()))
    assert len(places(tab)) == 9
    assert not tab.ranking.stop_button.isVisible()


def test_a_stopped_contest_has_a_ranking_and_can_go_on(tab: ContestTab, qtbot: QtBot) -> None:
    job = running(tab)
    waiting = tuple(entry.model_copy(update={"rank": None, "reading": None}) for entry in contest().entries[5:])
    half = contest(entries=(*contest().entries[:5], *waiting), held=(), decisive=())
    tell(tab, job, ContestRanked(result=half))
    press(tab, Qt.Key.Key_K)
    tell(tab, job, Cancelled(result=half))
    assert tab.ranking.summary.text().startswith("Stopped: this is the ranking of the 5 jokes read so far.")
    assert "4 more jokes wait to be read." in tab.ranking.summary.text()
    assert tab.ranking.go_on_button.isVisible()
    with qtbot.waitSignal(tab.asked) as asked:
        tab.run()
    request = ContestRequest.model_validate(asked.args[0])
    assert set(request.known.readings) == set(JOKES[:5])
    assert request.notes["1"] == EntryNote("keep")
    assert (request.title, request.context) == ("Friday set", "everyday life")


def test_marks_made_while_it_runs_are_kept(tab: ContestTab, store: HistoryStore, qtbot: QtBot) -> None:
    plain = contest(entries=tuple(entry.model_copy(update={"mark": None}) for entry in contest().entries))
    canned_profile.record(store, plain)
    job = running(tab)
    tell(tab, job, ContestRanked(result=plain))
    press(tab, Qt.Key.Key_K)
    tell(tab, job, ContestRanked(result=plain), Finished(result=plain))
    assert marks(tab, 0) == "keep"

    def stored() -> ContestResult:
        result = store.get("c1").result
        assert isinstance(result, ContestResult)
        return result

    qtbot.waitUntil(lambda: stored().entries[0].mark == "keep")


def test_a_failure_says_what_happened_above_what_is_ranked(tab: ContestTab) -> None:
    job = running(tab)
    tell(tab, job, Failed(error=ErrorInfo(code="E", sentence="The disk is full.", hint="Make room."), result=contest()))
    assert tab.failed.isVisible()
    assert tab.failed.heading.text() == "The disk is full."
    assert len(places(tab)) == 9


# -- the ranking -------------------------------------------------------------------------------------------------------


def test_a_ranking_says_what_it_is_worth(tab: ContestTab) -> None:
    tab.open(canned.entry(contest()))
    assert tab.ranking.heading.text() == "Friday set"
    assert tab.ranking.summary.text().startswith("The first three can't be told apart.")
    assert "66 of 100 pairs" in tab.ranking.summary.text()
    assert [str(tab.ranking.model.index(0, column).data()) for column in Column] == [
        "1", JOKES[0], "", "91", "1–3", "", "", "", "keep",
    ]  # fmt: skip
    assert [column for column in Column if tab.ranking.view.isColumnHidden(column)] == list(EXTRA)
    assert "another version" in marks(tab, 2)
    assert marks(tab, 5) == ""  # its model calls it stock, but no other joke has its phrases
    assert [tab.ranking.view.boundary_after(tab.ranking.model.index(row, 0)) for row in range(9)] == [
        False, False, True, False, False, False, True, False, False,
    ]  # fmt: skip


def test_jokes_that_were_judged_before_are_marked(tab: ContestTab, qtbot: QtBot) -> None:
    tab.open(canned.entry(contest()))
    qtbot.waitUntil(lambda: marks(tab, 6) == "seen before")
    assert marks(tab, 7) == ""


def test_keys_keep_bin_and_star(tab: ContestTab) -> None:
    plain = tuple(entry.model_copy(update={"mark": None, "starred": False}) for entry in contest().entries)
    tab.open(canned.entry(contest(entries=plain)))
    press(tab, Qt.Key.Key_K, Qt.Key.Key_B, Qt.Key.Key_S)
    assert [marks(tab, row).split(",")[0] for row in range(3)] == ["keep", "bin", "starred"]
    tab.ranking.view.select_row(0)
    assert tab.ranking.export_button.text() == "Export 1 kept joke…"
    press(tab, Qt.Key.Key_N)
    assert tab.ranking.view.currentIndex().row() == 2
    tab.ranking.view.select_row(0)
    press(tab, Qt.Key.Key_K)
    assert marks(tab, 0) == ""
    assert not tab.ranking.export_button.isEnabled()


def test_marks_are_written_at_once_when_the_program_ends(tab: ContestTab, store: HistoryStore) -> None:
    canned_profile.record(store, contest())
    tab.open(store.get("c1"))
    tab.ranking.view.select_row(3)
    press(tab, Qt.Key.Key_B)
    tab.keep()
    result = store.get("c1").result
    assert isinstance(result, ContestResult)
    assert [entry.mark for entry in result.entries[:4]] == ["keep", "keep", None, "bin"]
    assert store.get("c1").row.status is Status.FINISHED


def test_sorting_by_a_column_and_back_keeps_the_selected_joke(tab: ContestTab) -> None:
    tab.open(canned.entry(contest()))
    view = tab.ranking.view
    view.select_row(4)
    view.sortByColumn(Column.JOKE, Qt.SortOrder.AscendingOrder)
    assert places(tab)[0] == "3"
    assert view.current_id() == "5"
    assert not view.boundary_after(tab.ranking.model.index(2, 0))
    view.sortByColumn(Column.MARKS, Qt.SortOrder.AscendingOrder)
    assert places(tab)[:2] == ["2", "1"]
    assert places(tab)[-1] == "9"
    view.sortByColumn(Column.BAR, Qt.SortOrder.AscendingOrder)
    assert places(tab)[0] == "9"
    view.sortByColumn(Column.PLACE, Qt.SortOrder.AscendingOrder)
    assert places(tab) == [str(place) for place in range(1, 10)]
    press(tab, Qt.Key.Key_O)
    assert tab.ranking.model.sorted_by[0] is Column.JOKE


def test_a_joke_is_opened_as_a_rating_and_two_are_compared(tab: ContestTab, qtbot: QtBot) -> None:
    tab.open(canned.entry(contest()))
    with qtbot.waitSignal(tab.elsewhere_asked) as asked:
        press(tab, Qt.Key.Key_Return)
    assert asked.args == ["rate", {"text": JOKES[0], "context": "everyday life"}]
    with qtbot.waitSignal(tab.compare_asked) as compared:
        press(tab, Qt.Key.Key_D)
    assert compared.args == [JOKES[0]]
    QTest.keyClick(tab.ranking.view, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    with qtbot.waitSignal(tab.elsewhere_asked) as asked:
        press(tab, Qt.Key.Key_D)
    assert asked.args == ["duel", {"text_a": JOKES[0], "text_b": JOKES[1], "context": "everyday life"}]


def test_more_jokes_are_added_without_starting_again(tab: ContestTab, page: ListPage, qtbot: QtBot) -> None:
    tab.open(canned.entry(contest()))
    tab.ranking.add_button.click()
    assert page.adding.title.text() == "These jokes are added to Friday set."
    page.set_text("One more.")
    with qtbot.waitSignal(tab.asked) as asked:
        tab.run()
    request = ContestRequest.model_validate(asked.args[0])
    assert [entry.text for entry in request.entries] == [*JOKES, "One more."]
    assert len(request.known.readings) == 9


def test_one_can_go_back_to_the_ranking_from_the_list(tab: ContestTab, page: ListPage) -> None:
    assert not page.back_link.isVisible()
    tab.open(canned.entry(contest()))
    tab.ranking.list_button.click()
    assert tab.page == "list"
    page.back_link.click()
    assert tab.page == "ranking"
    assert tab.ranking.view.hasFocus()


def test_without_a_model_nothing_can_be_ranked(tab: ContestTab, page: ListPage) -> None:
    page.set_text("One.\nTwo.")
    tab.set_model_error(ErrorInfo(code="E", sentence="The model file is missing.", hint="Choose another."))
    assert page.failed_card.isVisible()
    assert not tab.buttons.run_button.isEnabled()
    tab.set_model_error(None)
    assert tab.buttons.run_button.isEnabled()


def test_export_without_anything_kept_says_how_to_keep(tab: ContestTab, qtbot: QtBot) -> None:
    plain = tuple(entry.model_copy(update={"mark": None}) for entry in contest().entries)
    tab.open(canned.entry(contest(entries=plain)))
    with qtbot.waitSignal(tab.notice) as said:
        press(tab, Qt.Key.Key_E)
    assert said.args == ["Nothing is kept yet. Press K on the jokes that you want to keep."]


def test_a_screen_reader_hears_a_row_in_words(tab: ContestTab) -> None:
    tab.open(canned.entry(contest()))
    index = tab.ranking.model.index(1, Column.JOKE)
    assert index.data(Qt.ItemDataRole.AccessibleTextRole) == (
        f"{JOKES[1]}. Place 2, perhaps 1 to 4; funnier than 88 in 100, most likely 67 to 98; in 2 duels; keep; "
        "starred; another version."
    )
