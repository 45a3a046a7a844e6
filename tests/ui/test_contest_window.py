"""A contest in the window: from a pasted list to a shortlist in a file by keyboard alone; stopped, reopened, long."""

from __future__ import annotations

from pathlib import Path

import canned
import canned_profile
import pytest
from contest_driving import JOKES, LONG, contest, press, rank, ranked, tab_of
from driving import Gate, Open, gated
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit
from pytestqt.qtbot import QtBot

from jokejudge_gui.core.verdicts import Status
from jokejudge_gui.judge.contest.types import ContestResult, EntryNote, Notes
from jokejudge_gui.ui.contest.ranking_model import Column
from jokejudge_gui.ui.main_window import MainWindow
from jokejudge_gui.ui.rate.tab import RateTab
from jokejudge_gui.ui.verdict.cards import looks_like_a_list

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")
NUMBERED = "\n".join(f"{number}. {text}" for number, text in enumerate(JOKES, start=1))
MANY = 1000


def type_key(key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    """Press a key wherever the keyboard is."""
    holder = QApplication.focusWidget()
    assert holder is not None
    QTest.keyClick(holder, key, modifiers)


def texts(window: MainWindow) -> list[str]:
    model = tab_of(window).ranking.model
    return [entry.text for row in range(model.rowCount()) if (entry := model.entry(row)) is not None]


def test_by_keyboard_alone_from_an_empty_window_to_an_exported_shortlist(
    open_window: Open, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window()
    tab = tab_of(window)
    QGuiApplication.clipboard().setText(NUMBERED)
    type_key(Qt.Key.Key_3, Qt.KeyboardModifier.ControlModifier)
    assert window.tabs.current() == "contest"
    for _ in range(20):
        if tab.list_page.editor.hasFocus():
            break
        type_key(Qt.Key.Key_Tab)
    assert tab.list_page.editor.hasFocus()
    type_key(Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: tab.list_page.sentence.text() == "9 jokes found.")
    type_key(Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert tab.live
    qtbot.waitUntil(lambda: not tab.live, timeout=LONG)
    assert tab.state.phase == "finished"
    assert tab.ranking.view.hasFocus()
    best = texts(window)
    assert set(best) == set(JOKES)

    type_key(Qt.Key.Key_K)
    type_key(Qt.Key.Key_B)
    type_key(Qt.Key.Key_Down)
    type_key(Qt.Key.Key_T)
    qtbot.waitUntil(lambda: isinstance(QApplication.focusWidget(), QLineEdit))
    for key in (Qt.Key.Key_E, Qt.Key.Key_N, Qt.Key.Key_D, Qt.Key.Key_Return):
        type_key(key)
    # The offscreen platform has no window manager that would make the window the active one again.
    window.activateWindow()
    qtbot.waitUntil(tab.ranking.view.hasFocus)
    type_key(Qt.Key.Key_S)
    type_key(Qt.Key.Key_K)
    assert tab.state.notes[tab.state.entries[3].id] == EntryNote("keep", starred=True, tags=("end",))

    type_key(Qt.Key.Key_C)
    type_key(Qt.Key.Key_A)
    qtbot.waitUntil(lambda: window.session.store.votes.count() == 1, timeout=LONG)
    type_key(Qt.Key.Key_Escape)
    assert tab.page == "ranking"
    type_key(Qt.Key.Key_F)
    assert texts(window) == [best[0], best[3]]
    target = tmp_path / "shortlist.txt"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_args, **_options: (str(target), ""))
    type_key(Qt.Key.Key_E)
    qtbot.waitUntil(lambda: "Exported 2 jokes" in window.notices.text, timeout=LONG)
    assert target.read_text(encoding="utf-8").splitlines() == [best[0], best[3]]


@pytest.mark.parametrize("name", ["kept.csv", "kept.md", "kept.html", "kept.jsonl", "kept.dpo.jsonl"])
def test_the_kept_are_exported_in_every_form(
    open_window: Open, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    window = open_window(start=False)
    canned_profile.record(window.session.store, contest())
    window.open_verdict("c1")
    target = tmp_path / name
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_args, **_options: (str(target), ""))
    tab_of(window).ranking_actions.export(kept_only=True)
    qtbot.waitUntil(target.exists, timeout=LONG)
    content = target.read_text(encoding="utf-8-sig")
    assert JOKES[0] in content
    assert JOKES[4] not in content


def test_a_stopped_contest_leaves_a_ranking_that_can_go_on(open_window: Open, qtbot: QtBot) -> None:
    gate = Gate()
    window = open_window(gated(gate))
    tab = tab_of(window)
    window.show_tab("contest")
    tab.list_page.set_text("\n".join(f"A joke about number {number}." for number in range(12)))
    window.run_current()
    qtbot.waitUntil(lambda: tab.state.usable, timeout=LONG)
    gate.closed.set()
    qtbot.waitUntil(gate.held.is_set, timeout=LONG)
    assert tab.live
    window.escape()
    gate.opened.set()
    qtbot.waitUntil(lambda: not tab.live, timeout=LONG)
    assert tab.state.phase == "stopped"
    read = [entry.text for entry in tab.state.entries if entry.rank is not None]
    assert 0 < len(read) <= 12
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


def test_a_stopped_contest_that_was_deleted_goes_on_in_a_row_of_its_own(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    waiting = tuple(
        entry.model_copy(update={"rank": None, "reading": None, "score": None}) for entry in contest().entries
    )
    canned_profile.record(window.session.store, contest(entries=waiting, held=(), decisive=()), Status.CANCELLED)
    window.open_verdict("c1")
    window.pane.refresh()
    window.pane.delete_rows(window.pane.model.rows())
    tab = tab_of(window)
    window.run_current()
    qtbot.waitUntil(lambda: not tab.live, timeout=LONG)
    assert tab.state.phase == "finished"
    assert tab.state.id != "c1"


def test_on_the_blind_page_ctrl_enter_begins_nothing(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    tab = rank(qtbot, window, JOKES)
    identity = tab.state.id
    press(tab, Qt.Key.Key_C)
    assert tab.page == "blind"
    type_key(Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert (tab.live, tab.page, tab.state.id) == (False, "blind", identity)


@pytest.mark.parametrize("by", ["click", "key", "opening"])
def test_back_in_the_contest_its_keys_work_at_once(open_window: Open, qtbot: QtBot, by: str) -> None:
    window = open_window(start=False)
    canned_profile.record(window.session.store, contest())
    window.open_verdict("c1")
    window.show_tab("rate")
    tab = tab_of(window)
    if by == "opening":
        window.by_kind["rate"].focus_editor()
        window.open_verdict("c1")
    elif by == "click":
        qtbot.mouseClick(window.tabs.segment("contest"), Qt.MouseButton.LeftButton)
    else:
        type_key(Qt.Key.Key_3, Qt.KeyboardModifier.ControlModifier)
    assert tab.isVisible()
    type_key(Qt.Key.Key_Down)
    type_key(Qt.Key.Key_Down)
    type_key(Qt.Key.Key_K)
    assert tab.state.notes["3"].mark == "keep"


def test_the_arrows_still_go_along_the_tabs(open_window: Open) -> None:
    window = open_window(start=False)
    window.tabs.segment("duel").click()
    window.tabs.segment("duel").setFocus(Qt.FocusReason.TabFocusReason)
    for shown in ("contest", "trust"):
        type_key(Qt.Key.Key_Right)
        assert window.tabs.current() == shown
        assert window.tabs.segment(shown).hasFocus()


def test_a_contest_is_one_row_of_the_history_that_opens_again_whole(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    tab = rank(qtbot, window, JOKES)
    press(tab, Qt.Key.Key_K)
    before = tab.state.marked()
    rows = window.pane.model.rows
    qtbot.waitUntil(lambda: len(rows()) == 1 and rows()[0].status is Status.FINISHED, timeout=LONG)
    assert rows()[0].kind == "contest"

    def kept() -> bool:
        stored = window.session.store.get(tab.state.id or "").result
        return isinstance(stored, ContestResult) and stored.entries[0].mark == "keep"

    qtbot.waitUntil(kept, timeout=LONG)
    identity = rows()[0].id
    tab.new_list()
    window.show_tab("rate")
    window.open_verdict(identity)
    assert window.tabs.current() == "contest"
    assert tab.page == "ranking"
    assert before is not None
    assert tab.state.entries == before.entries
    assert tab.state.notes == Notes({before.entries[0].id: EntryNote("keep")})


def test_a_joke_of_the_ranking_opens_as_a_rating_and_two_as_a_duel(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    tab = rank(qtbot, window, JOKES[:3])
    first, second = tab.state.entries[0].text, tab.state.entries[1].text
    press(tab, Qt.Key.Key_Return)
    assert window.tabs.current() == "rate"
    assert window.by_kind["rate"].texts() == (first,)
    qtbot.waitUntil(lambda: not window.by_kind["rate"].live, timeout=LONG)
    window.show_tab("contest")
    QTest.keyClick(tab.ranking.view, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    press(tab, Qt.Key.Key_D)
    assert window.tabs.current() == "duel"
    assert window.by_kind["duel"].texts() == (first, second)
    qtbot.waitUntil(lambda: not window.by_kind["duel"].live, timeout=LONG)


def test_jokes_of_the_history_can_be_ranked(open_window: Open) -> None:
    window = open_window(start=False)
    for number, text in enumerate(JOKES[:4]):
        canned_profile.record(window.session.store, canned.rating(f"r{number}", text))
    window.pane.refresh()
    menu = window.pane.build_menu(window.pane.model.rows())
    action = next(action for action in menu.actions() if action.text() == "Rank these 4 jokes")
    action.trigger()
    assert window.tabs.current() == "contest"
    assert {item.text for item in tab_of(window).list_page.model.items} == set(JOKES[:4])


def test_a_list_that_was_typed_is_there_at_the_next_start(open_window: Open, qtbot: QtBot) -> None:
    window = open_window(start=False)
    tab_of(window).list_page.set_text(NUMBERED)
    tab_of(window).context.set_text("everyday life")
    window.close()
    qtbot.waitUntil(window.is_closed, timeout=LONG)
    again = tab_of(open_window(start=False))
    assert again.texts() == (NUMBERED,)
    assert again.context.text() == "everyday life"


def long_contest() -> ContestResult:
    entries = tuple(
        ranked(place, f"A joke about number {place} of a thousand, told again.", 99 - place / 12, 12.0)
        for place in range(1, MANY + 1)
    )
    return contest("long", entries=entries, held=(), decisive=())


def test_a_thousand_jokes_are_rows_of_a_model_and_no_widgets(open_window: Open) -> None:
    window = open_window(start=False)
    tab = tab_of(window)
    canned_profile.record(window.session.store, long_contest())
    before = len(tab.findChildren(object))
    window.open_verdict("long")
    QApplication.processEvents()
    assert tab.ranking.model.rowCount() == MANY
    assert len(tab.findChildren(object)) < before + 20
    tab.ranking.view.sortByColumn(Column.JOKE, Qt.SortOrder.AscendingOrder)
    tab.ranking.view.select_row(MANY - 1)
    press(tab, Qt.Key.Key_K)
    assert tab.state.notes.kept == 1


@pytest.mark.parametrize("text", [NUMBERED, "\n".join(JOKES[:5]), "\n".join(f"- {joke}" for joke in JOKES[:3])])
def test_a_long_paste_in_rate_offers_the_contest(open_window: Open, qtbot: QtBot, text: str) -> None:
    window = open_window(start=False)
    rate = window.by_kind["rate"]
    assert isinstance(rate, RateTab)
    rate.joke.set_text(text)
    qtbot.waitUntil(rate.offer.isVisible, timeout=LONG)
    rate.offer.link.click()
    assert window.tabs.current() == "contest"
    assert tab_of(window).texts() == (text,)
    assert tab_of(window).list_page.editor.hasFocus()
    rate.joke.set_text(JOKES[0])
    qtbot.waitUntil(rate.offer.isHidden, timeout=LONG)


@pytest.mark.parametrize(
    "text",
    [
        JOKES[0],
        "Knock, knock.\nWho's there?\nBoo.\nBoo who?",
        "- Doctor, it hurts here.\n- Then don't go there.",
        "One line.\n\nAnother line.",
    ],
)
def test_a_joke_of_some_lines_is_no_list(text: str) -> None:
    assert looks_like_a_list(text) is None
