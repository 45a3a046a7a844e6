"""At work with a ranking: tags, thumbs, blind choices, new versions, parts of the list; and what is chosen before."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import canned_profile
import pytest
from contest_driving import JOKES, LONG, contest, press, rank, tab_of
from driving import Gate, Open, gated
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from jokejudge_gui.core.config import Settings, load_settings
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.history.query import HistoryQuery
from jokejudge_gui.history.votes import Vote
from jokejudge_gui.judge.contest.types import ContestRequest, ContestResult
from jokejudge_gui.ui.contest.marking import TagDialog, VersionDialog
from jokejudge_gui.ui.contest.ranking_model import EXTRA, Column
from jokejudge_gui.ui.contest.ranking_page import blind_pairs
from jokejudge_gui.ui.contest.tab import ContestTab
from jokejudge_gui.ui.main_window import MainWindow

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")


@pytest.fixture
def window(open_window: Open) -> MainWindow:
    """It shows a contest of the history; no model is loaded."""
    made = open_window(start=False)
    canned_profile.record(made.session.store, contest())
    made.open_verdict("c1")
    tab_of(made).ranking.view.select_row(0)
    return made


def marks(tab: ContestTab, row: int) -> str:
    return str(tab.ranking.model.index(row, Column.MARKS).data())


def stored(window: MainWindow, id: str = "c1") -> ContestResult:
    result = window.session.store.get(id).result
    assert isinstance(result, ContestResult)
    return result


def votes(window: MainWindow) -> list[Vote]:
    return window.session.store.votes.find()


def type_into(dialog: QWidget | None, text: str) -> None:
    holder = QApplication.focusWidget()
    assert dialog is not None
    assert holder is not None
    QTest.keyClicks(holder, text)
    QTest.keyClick(holder, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)


def shown(tab: ContestTab) -> list[str]:
    model = tab.ranking.model
    return [entry.id for row in range(model.rowCount()) if (entry := model.entry(row)) is not None]


def test_tags_are_kept_with_the_jokes_and_the_history_finds_the_contest_by_them(
    window: MainWindow, qtbot: QtBot
) -> None:
    tab = tab_of(window)
    window.session.store.set_tags("c1", ["mine"])
    press(tab, Qt.Key.Key_T)
    dialog = window.findChild(TagDialog)
    qtbot.waitUntil(lambda: QApplication.focusWidget() is dialog.field)
    type_into(dialog, "Opener, short,opener")
    assert marks(tab, 0) == "keep, Opener, short"
    qtbot.waitUntil(lambda: stored(window).entries[0].tags == ("Opener", "short"), timeout=LONG)
    qtbot.waitUntil(lambda: window.session.store.get("c1").row.tags == ("mine", "Opener", "short"), timeout=LONG)
    assert [row.id for row in window.session.store.search(HistoryQuery(text="opener"))] == ["c1"]

    press(tab, Qt.Key.Key_T)
    dialog = window.findChildren(TagDialog)[-1]
    qtbot.waitUntil(lambda: QApplication.focusWidget() is dialog.field)
    type_into(dialog, "short")
    qtbot.waitUntil(lambda: window.session.store.get("c1").row.tags == ("mine", "short"), timeout=LONG)


def test_of_several_jokes_the_tags_that_all_have_are_changed_and_others_stay(window: MainWindow, qtbot: QtBot) -> None:
    tab = tab_of(window)
    for id, tags in (("1", ("a", "b")), ("2", ("b", "c"))):
        tab.state.notes[id] = tab.state.notes[id]._replace(tags=tags)
    QTest.keyClick(tab.ranking.view, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    press(tab, Qt.Key.Key_T)
    dialog = window.findChild(TagDialog)
    assert dialog.tags == ("b",)
    qtbot.waitUntil(lambda: QApplication.focusWidget() is dialog.field)
    type_into(dialog, "d")
    assert [tab.state.notes[id].tags for id in ("1", "2")] == [("a", "d"), ("c", "d")]


def test_a_thumb_goes_up_down_and_away_and_counts_for_the_users_taste(window: MainWindow, qtbot: QtBot) -> None:
    tab = tab_of(window)
    for choice, words in (("up", "funny to you"), ("down", "not funny to you")):
        press(tab, Qt.Key.Key_V)
        qtbot.waitUntil(lambda choice=choice: tab.state.votes == {JOKES[0]: choice}, timeout=LONG)
        assert words in marks(tab, 0).split(", ")
        assert [(vote.kind, vote.choice, vote.text_a) for vote in votes(window)] == [("rate", choice, JOKES[0])]
    press(tab, Qt.Key.Key_V)
    qtbot.waitUntil(lambda: tab.state.votes == {}, timeout=LONG)
    assert votes(window) == []


def test_two_jokes_are_chosen_between_without_their_places(window: MainWindow, qtbot: QtBot) -> None:
    tab = tab_of(window)
    press(tab, Qt.Key.Key_C)
    assert tab.page == "blind"
    pair = tab.blind.pair
    assert pair is not None
    told = " ".join(each.text.text() for each in tab.blind.sides.values())
    assert told == f"{pair[0].text} {pair[1].text}"
    holder = QApplication.focusWidget()
    assert holder is not None
    QTest.keyClick(holder, Qt.Key.Key_B)
    qtbot.waitUntil(lambda: len(votes(window)) == 1, timeout=LONG)
    (vote,) = votes(window)
    assert (vote.kind, vote.blind) == ("duel", True)
    assert {"A": vote.text_a, "B": vote.text_b}[vote.choice] == pair[1].text
    assert tab.blind.pair != pair
    window.escape()
    assert tab.page == "ranking"
    assert tab.ranking.view.hasFocus()


def test_the_two_that_are_selected_are_the_ones_to_choose_between(window: MainWindow) -> None:
    tab = tab_of(window)
    QTest.keyClick(tab.ranking.view, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    press(tab, Qt.Key.Key_C)
    assert tab.blind.pair is not None
    assert {one.id for one in tab.blind.pair} == {"1", "2"}
    tab.blind.sides["A"].button.click()
    assert tab.page == "ranking"


def test_pairs_are_of_chance_the_same_again_and_near_each_other() -> None:
    entries = contest().entries
    pairs = blind_pairs(entries, "seed")
    assert pairs == blind_pairs(entries, "seed")
    assert pairs != blind_pairs(entries, "another")
    assert all(abs(int(a.id) - int(b.id)) <= 5 for a, b in pairs)
    assert {int(a.id) < int(b.id) for a, b in pairs} == {True, False}


def test_an_edited_joke_is_a_new_version_beside_the_old_one_and_read_when_going_on(
    window: MainWindow, qtbot: QtBot
) -> None:
    tab = tab_of(window)
    press(tab, Qt.Key.Key_F2)
    dialog = window.findChild(VersionDialog)
    qtbot.waitUntil(lambda: QApplication.focusWidget() is dialog.editor)
    type_into(dialog, "Smoking cures salmon.")
    assert shown(tab)[:3] == ["1", "10", "2"]
    assert marks(tab, 1) == "a new version, not read yet"
    assert tab.ranking.go_on_button.isVisible()
    assert tab.ranking.summary.text().startswith("1 more joke waits to be read.")
    qtbot.waitUntil(lambda: len(stored(window).entries) == 10, timeout=LONG)
    assert [entry.text for entry in stored(window).entries[:9]] == list(JOKES)
    with qtbot.waitSignal(tab.asked) as asked:
        tab.go_on()
    request = ContestRequest.model_validate(asked.args[0])
    assert [(one.id, one.text, one.version_of) for one in request.entries[-1:]] == [
        ("10", "Smoking cures salmon.", "1")
    ]


def test_a_part_of_the_list_is_shown_and_a_mark_takes_nothing_away(window: MainWindow) -> None:
    tab = tab_of(window)
    press(tab, Qt.Key.Key_F)
    assert shown(tab) == ["1", "2"]
    assert tab.ranking.chips["kept"].isChecked()
    press(tab, Qt.Key.Key_K)
    assert shown(tab) == ["1", "2"]
    press(tab, Qt.Key.Key_F)
    assert shown(tab) == ["1", "3", "4", "5", "6", "7", "8"]
    tab.ranking.chips["starred"].click()
    assert shown(tab) == ["2"]
    tab.ranking.chips["starred"].click()
    assert len(shown(tab)) == 9


def test_what_else_is_known_of_the_jokes_has_columns_to_sort_by(window: MainWindow) -> None:
    tab, view = tab_of(window), tab_of(window).ranking.view
    entries = tuple(
        entry.replaced(originality=number / 10, columns={"prompt": "p", "author": "ZYXWVUTSR"[number]})
        for number, entry in enumerate(contest().entries)
    )
    canned_profile.record(window.session.store, contest("c2", entries=entries))
    window.open_verdict("c2")
    assert [column for column in EXTRA if not view.isColumnHidden(column)] == [Column.ORIGINALITY, Column.LISTED]
    row = [str(tab.ranking.model.index(3, column).data()) for column in (Column.ORIGINALITY, Column.LISTED)]
    assert row == ["30", "W"]
    assert tab.ranking.model.headerData(Column.LISTED, Qt.Orientation.Horizontal) == "Author"
    view.sortByColumn(Column.LISTED, Qt.SortOrder.AscendingOrder)
    assert shown(tab)[0] == "9"
    view.sortByColumn(Column.ORIGINALITY, Qt.SortOrder.AscendingOrder)
    assert shown(tab)[0] == "1"
    window.open_verdict("c1")
    assert all(view.isColumnHidden(column) for column in EXTRA)


def test_duels_and_best_places_are_chosen_before_it_starts_and_remembered(
    open_window: Open, profile: Profile, settings: Settings, qtbot: QtBot
) -> None:
    window = open_window()
    tab = tab_of(window)
    effort = tab.list_page.effort
    effort.top.choose(effort.top.options.index("Best 5"))
    effort.duels.choose(effort.duels.options.index("At most 20 duels"))
    effort.rounds.choose(effort.rounds.options.index("No rounds"))
    saved = load_settings(profile)
    assert (saved.contest_top, saved.contest_duels, saved.contest_rounds) == (5, 20, 0)
    rank(qtbot, window, JOKES[:4])
    result = tab.state.result
    assert result is not None
    assert (result.top, result.budget, result.shuffled) == (5, 20, 0)


def test_a_contest_that_a_crash_cut_off_opens_with_what_was_said_and_goes_on(
    open_window: Open, profile: Profile, qtbot: QtBot, tmp_path: Path
) -> None:
    gate = Gate()
    window = open_window(gated(gate))
    tab = tab_of(window)
    window.show_tab("contest")
    tab.list_page.set_text("\n".join(f"A joke about number {number}." for number in range(300)))
    effort = tab.list_page.effort
    effort.duels.choose(effort.duels.options.index("No duels"))
    window.run_current()
    qtbot.waitUntil(lambda: tab.state.usable, timeout=LONG)
    gate.closed.set()
    qtbot.waitUntil(gate.held.is_set, timeout=LONG)
    identity = tab.state.id or ""
    tab.ranking.view.select_row(0)
    best = tab.ranking.view.current_id()
    press(tab, Qt.Key.Key_K)
    qtbot.waitUntil(lambda: any(one.mark == "keep" for one in stored(window, identity).entries), timeout=LONG)
    # The file as a crash at this moment would leave it.
    copy = tmp_path / "cut_off.sqlite"
    with closing(sqlite3.connect(profile.database)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)
    window.escape()
    gate.opened.set()
    qtbot.waitUntil(lambda: not tab.live, timeout=LONG)
    window.close()
    qtbot.waitUntil(window.is_closed, timeout=LONG)
    for beside in profile.database.parent.glob(f"{profile.database.name}-*"):
        beside.unlink()
    copy.replace(profile.database)

    again = open_window()
    again.open_verdict(identity)
    tab = tab_of(again)
    assert tab.state.phase == "interrupted"
    assert tab.ranking.summary.text().startswith("Cut off: this is the ranking of the")
    assert 0 < tab.state.waiting < 300
    again.run_current()
    qtbot.waitUntil(lambda: tab.live, timeout=LONG)
    qtbot.waitUntil(lambda: not tab.live, timeout=LONG)
    assert tab.state.phase == "finished"
    assert all(entry.rank is not None for entry in tab.state.entries)
    assert [entry.id for entry in tab.state.entries if entry.mark == "keep"] == [best]
