"""A list in the window: from a paste to a shortlist in a file by keyboard alone; stopped, cut off, reopened, long."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import canned
import canned_profile
import pytest
from contest_driving import JOKES, LONG, contest, open_list, press, rank, tab_of
from driving import Gate, Open, gated, save_as
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from jokejudge_gui.core.config import load_settings
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.core.verdicts import Status
from jokejudge_gui.judge.contest.record import ContestResult, EntryNote
from jokejudge_gui.ui.main_window import MainWindow
from jokejudge_gui.ui.rate.tab import RateTab
from jokejudge_gui.ui.settings import SettingsDialog

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")
NUMBERED = "\n".join(f"{number}. {text}" for number, text in enumerate(JOKES, start=1))
MANY = 1000


def type_key(key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    """Press a key wherever the keyboard is."""
    holder = QApplication.focusWidget()
    assert holder is not None
    QTest.keyClick(holder, key, modifiers)


def texts(window: MainWindow) -> list[str]:
    model = tab_of(window).desk.model
    return [entry.text for row in range(model.rowCount()) if (entry := model.entry(row)) is not None]


def test_by_keyboard_alone_200_dirty_lines_of_a_model_become_ten_jokes_in_an_order_in_a_file(
    open_window: Open, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One key a joke, one a choice between two, and few for all else."""
    window = open_window()
    tab, desk = tab_of(window), tab_of(window).desk
    pressed: list[Qt.Key] = []

    def key(key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        pressed.append(key)
        type_key(key, modifiers)

    letters = random.Random(3)
    words = ["".join(letters.choices("abcdefghiklmnoprstuvw", k=7)) for _ in range(2000)]
    marks = ("- {}", "{n}. {}", "{n}) “{}”", "* {}")
    jokes = [f"The {' '.join(letters.sample(words, 9))}." for _ in range(196)]
    lines = [marks[n % 4].format(joke, n=n % 90 + 1) for n, joke in enumerate(jokes)]
    frame = ["Sure! Here are 200 jokes", *lines[:100], "I'm sorry, but I can't write jokes about that.", *lines[100:]]
    QGuiApplication.clipboard().setText("\n".join([*frame, f"7. {jokes[0]}", "Let me know if you'd like more!"]))
    key(Qt.Key.Key_3, Qt.KeyboardModifier.ControlModifier)
    assert tab.list_page.editor.hasFocus()
    key(Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    sentence = "196 jokes found, 1 the same, 3 left out. "
    qtbot.waitUntil(lambda: tab.list_page.sheet.sentence.text().startswith(sentence))
    window.settings.contest_duels = 0
    key(Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert tab.live
    qtbot.waitUntil(lambda: not tab.live, timeout=4 * LONG)
    assert tab.state.phase == "finished"
    assert {entry.text for entry in tab.state.entries} == set(jokes)
    qtbot.waitUntil(lambda: not window.side_worker.busy, timeout=LONG)
    to_see = len(tab.state.desk.rows("rest"))
    for number in range(to_see):
        key(Qt.Key.Key_K if number < 10 else Qt.Key.Key_B if number % 2 else Qt.Key.Key_Space)
    assert desk.pane.end_heading.text() == f"All {to_see} seen, 10 kept."
    key(Qt.Key.Key_F)
    while desk.pane.final.isVisible():
        one, other = (joke.text() for joke in desk.pane.final.jokes)
        key(Qt.Key.Key_1 if one < other else Qt.Key.Key_2)
    kept = [entry.text for entry in tab.state.desk.rows("kept")]
    assert kept == sorted(kept)
    assert len(kept) == 10
    target = tmp_path / "shortlist.txt"
    save_as(monkeypatch, target)
    key(Qt.Key.Key_Space)  # on Export
    qtbot.waitUntil(lambda: "Exported 10 jokes" in window.notices.text, timeout=LONG)
    assert target.read_text(encoding="utf-8").splitlines() == kept
    assert len(pressed) <= to_see + 25 + 8


def held(open_window: Open, qtbot: QtBot) -> tuple[MainWindow, Gate]:
    """A window in which twelve jokes are being read, and the gate that holds the reading up."""
    gate = Gate()
    window = open_window(gated(gate))
    tab = tab_of(window)
    window.show_tab("contest")
    tab.list_page.set_text("\n".join(f"A joke about number {number}." for number in range(12)))
    window.run_current()
    qtbot.waitUntil(lambda: tab.state.usable, timeout=LONG)
    gate.closed.set()
    qtbot.waitUntil(gate.held.is_set, timeout=LONG)
    return window, gate


def test_a_stopped_contest_leaves_a_ranking_that_can_go_on(open_window: Open, qtbot: QtBot) -> None:
    window, gate = held(open_window, qtbot)
    tab = tab_of(window)
    assert tab.live
    window.escape()
    gate.opened.set()
    qtbot.waitUntil(lambda: not tab.live, timeout=LONG)
    assert tab.state.phase == "stopped"
    read = [entry.text for entry in tab.state.entries if entry.rank is not None]
    assert 0 < len(read) <= 12
    tab.desk.show_part("all")
    assert texts(window)[: len(read)] == read
    assert window.session.store.get(tab.state.id or "").row.status is Status.CANCELLED
    stopped = tab.state.id
    window.run_current()
    qtbot.waitUntil(lambda: not tab.live, timeout=2 * LONG)
    assert tab.state.phase == "finished"
    assert all(entry.rank is not None for entry in tab.state.entries)
    assert len(tab.state.entries) == 12
    assert tab.state.id == stopped
    qtbot.waitUntil(lambda: [row.status for row in window.pane.model.rows()] == [Status.FINISHED], timeout=LONG)


def test_back_in_the_contest_its_keys_work_at_once(open_window: Open, qtbot: QtBot) -> None:
    window = open_window(start=False)
    canned_profile.record(window.session.store, contest())
    tab = open_list(qtbot, window)
    ways = {
        "5": lambda: qtbot.mouseClick(window.tabs.segment("contest"), Qt.MouseButton.LeftButton),
        "7": lambda: type_key(Qt.Key.Key_3, Qt.KeyboardModifier.ControlModifier),
        "8": lambda: open_list(qtbot, window),
    }
    for steps, (row, back) in enumerate(ways.items(), 1):  # 6 is told
        window.show_tab("rate")
        window.by_kind["rate"].focus_editor()
        back()
        tab.desk.go_to("4")
        for _ in range(steps):
            type_key(Qt.Key.Key_Down)
        type_key(Qt.Key.Key_B)
        assert tab.state.desk.notes[row].mark == "bin"


def test_a_contest_is_one_row_of_the_history_that_opens_again_with_a_mark_just_set(
    open_window: Open, qtbot: QtBot
) -> None:
    window = open_window()
    tab = rank(qtbot, window, JOKES)
    rows = window.pane.model.rows
    qtbot.waitUntil(lambda: [row.status for row in rows()] == [Status.FINISHED], timeout=LONG)
    identity, first, before = tab.state.id or "", tab.state.desk.at, tab.state
    press(tab, Qt.Key.Key_K)
    tab.new_list()
    open_list(qtbot, window, identity)
    assert tab.page == "desk"
    marked = before.marked()
    assert tab.state.entries == marked.entries
    assert tab.state.desk.notes[first] == EntryNote("keep", read=True)
    second, before = tab.state.desk.at, tab.state
    window.open_verdict(identity)
    press(tab, Qt.Key.Key_B)  # while it is being read
    qtbot.waitUntil(lambda: tab.state is not before, timeout=LONG)
    assert (tab.state.desk.notes[first].mark, tab.state.desk.notes[second].mark) == ("keep", "bin")
    press(tab, Qt.Key.Key_L)
    window.close()  # nothing of it is written yet
    qtbot.waitUntil(window.is_closed, timeout=LONG)
    stored = open_window().session.store.get(identity).result
    assert isinstance(stored, ContestResult)
    assert {entry.user.mark for entry in stored.entries if entry.user.mark is not None} == {"bin", "keep", "later"}


def test_what_is_opened_last_is_shown_and_what_was_deleted_meanwhile_is_told(open_window: Open, qtbot: QtBot) -> None:
    window = open_window(start=False)
    tab, store = tab_of(window), window.session.store
    for result in (contest("c1"), contest("c2"), canned.rating("r1")):
        canned_profile.record(store, result)
    window.open_verdict("c1")
    assert tab.state.id is None  # it is being read
    window.open_verdict("c2")
    qtbot.waitUntil(lambda: tab.state.id is not None and not window.side_worker.busy, timeout=LONG)
    assert (tab.state.id, window.tabs.current()) == ("c2", "contest")
    window.open_verdict("c1")
    window.open_verdict("r1")
    qtbot.waitUntil(lambda: not window.side_worker.busy, timeout=LONG)
    assert (tab.state.id, window.tabs.current()) == ("c2", "rate")
    reading = Gate()
    reading.closed.set()
    window.side_worker.call("held", lambda: reading("read"), lambda _none: None)
    window.open_verdict("c1")
    store.delete(["c1"])
    store.purge()
    reading.opened.set()
    qtbot.waitUntil(lambda: bool(window.notices.text), timeout=LONG)
    assert tab.state.id == "c2"


def test_a_contest_that_ends_while_it_is_opened_is_shown_as_it_ended(open_window: Open, qtbot: QtBot) -> None:
    window, gate = held(open_window, qtbot)
    tab = tab_of(window)
    reading = Gate()
    reading.closed.set()
    window.side_worker.call("held", lambda: reading("read"), lambda _none: None)
    window.open_verdict(tab.state.id or "")
    gate.opened.set()
    qtbot.waitUntil(lambda: not tab.live, timeout=LONG)
    ended = tab.state
    reading.opened.set()
    qtbot.waitUntil(lambda: tab.state is not ended, timeout=LONG)
    assert tab.state.phase == "finished"
    assert tab.state.waiting == 0


def test_jokes_of_the_history_can_be_ranked_and_the_list_is_there_at_the_next_start(
    open_window: Open, qtbot: QtBot
) -> None:
    window = open_window(start=False)
    for number, text in enumerate(JOKES[:4]):
        canned_profile.record(window.session.store, canned.rating(f"r{number}", text))
    window.pane.refresh()
    menu = window.pane.build_menu(window.pane.model.rows())
    next(action for action in menu.actions() if action.text() == "Rank these 4 jokes").trigger()
    assert window.tabs.current() == "contest"
    typed = tab_of(window).texts()
    assert {item.text for item in tab_of(window).list_page.list.items} == set(JOKES[:4])
    tab_of(window).context.set_text("everyday life")
    window.close()
    qtbot.waitUntil(window.is_closed, timeout=LONG)
    again = tab_of(open_window(start=False))
    assert again.texts() == typed
    assert again.context.text() == "everyday life"


def test_rounds_and_duels_are_chosen_in_the_settings_and_held(
    open_window: Open, profile: Profile, qtbot: QtBot
) -> None:
    window = open_window()
    window.settings.contest_duels = 0
    tab = rank(qtbot, window, JOKES[:4])
    window.open_settings()
    controls = window.findChild(SettingsDialog).controls
    for field, words in (("contest_top", "5"), ("contest_duels", "20"), ("contest_rounds", "None")):
        controls[field].choose(controls[field].options.index(words))
    QApplication.activeModalWidget().close()
    saved = load_settings(profile)
    assert (saved.contest_top, saved.contest_duels, saved.contest_rounds) == (5, 20, 0)
    identity = tab.state.id
    next(action for action in tab.desk.menu.actions() if action.text() == "Hold rounds and duels").trigger()
    qtbot.waitUntil(lambda: tab.live, timeout=LONG)
    qtbot.waitUntil(lambda: not tab.live, timeout=LONG)
    result = tab.state.result
    assert (result.top, result.budget, result.shuffled) == (5, 20, 0)
    assert tab.state.id == identity


def test_a_list_that_a_crash_cut_off_opens_with_what_was_said_and_goes_on(
    open_window: Open, profile: Profile, qtbot: QtBot, tmp_path: Path
) -> None:
    gate = Gate()
    window = open_window(gated(gate))
    tab = tab_of(window)
    window.settings.contest_duels = 0
    window.show_tab("contest")
    tab.list_page.set_text("\n".join(f"A joke about number {number}." for number in range(300)))
    window.run_current()
    qtbot.waitUntil(lambda: tab.state.usable, timeout=LONG)
    gate.closed.set()
    qtbot.waitUntil(gate.held.is_set, timeout=LONG)
    identity = tab.state.id or ""
    tab.desk.show_part("all")
    best = tab.state.desk.at
    press(tab, Qt.Key.Key_K)

    def kept() -> bool:
        result = window.session.store.get(identity).result
        return isinstance(result, ContestResult) and any(one.user.mark == "keep" for one in result.entries)

    qtbot.waitUntil(kept, timeout=LONG)
    # The file as a crash at this moment would leave it.
    copy = tmp_path / "cut_off.sqlite"
    with closing(sqlite3.connect(profile.database)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)
        target.execute("UPDATE verdicts SET owner = 'another ' || owner")  # a process that has ended
        target.commit()
    window.escape()
    gate.opened.set()
    qtbot.waitUntil(lambda: not tab.live, timeout=LONG)
    window.close()
    qtbot.waitUntil(window.is_closed, timeout=LONG)
    for beside in profile.database.parent.glob(f"{profile.database.name}-*"):
        beside.unlink()
    copy.replace(profile.database)

    again = open_window()
    open_list(qtbot, again, identity)
    tab = tab_of(again)
    assert tab.state.phase == "interrupted"
    assert tab.desk.strip.facts.text().endswith(" of 300 judged")
    assert 0 < tab.state.waiting < 300
    again.run_current()
    qtbot.waitUntil(lambda: tab.live, timeout=LONG)
    qtbot.waitUntil(lambda: not tab.live, timeout=LONG)
    assert tab.state.phase == "finished"
    assert all(entry.rank is not None for entry in tab.state.entries)
    assert [entry.id for entry in tab.state.entries if entry.user.mark == "keep"] == [best]


def test_a_long_paste_in_rate_offers_the_contest(open_window: Open, qtbot: QtBot) -> None:
    window = open_window(start=False)
    rate = window.by_kind["rate"]
    assert isinstance(rate, RateTab)
    for text in (NUMBERED, "\n".join(JOKES[:5]), "\n".join(f"- {joke}" for joke in JOKES[:3])):
        window.show_tab("rate")
        rate.joke.set_text(text)
        qtbot.waitUntil(rate.list_link.isVisible, timeout=LONG)
        rate.list_link.click()
        assert window.tabs.current() == "contest"
        assert tab_of(window).texts() == (text,)
        assert tab_of(window).list_page.editor.hasFocus()
        window.show_tab("rate")
        rate.joke.set_text("Knock, knock.\nWho's there?\nBoo.\nBoo who?")
        qtbot.waitUntil(rate.list_link.isHidden, timeout=LONG)


def test_undo_in_the_final_duels_takes_back_a_later_deletion_first(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    tab = rank(qtbot, window, JOKES[:8])
    for _ in range(4):
        press(tab, Qt.Key.Key_K)
    tab.desk.begin_final()
    tab.desk.choose(True)
    window.pane.delete_rows(window.pane.model.rows())
    assert not window.pane.model.rows()
    window.undo()
    assert [row.id for row in window.pane.model.rows()] == [tab.state.id]
    assert tab.desk.undo_choice()
