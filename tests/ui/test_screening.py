"""Screening in the Contest tab: limits and what they cost, and the blind vote; kept with the contest."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import canned_profile
import pytest
from contest_driving import JOKES, MADE, screenable, shown_tab
from driving import save_as
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from jokejudge_gui.batch.screening import OwnScoreFiles, OwnScores
from jokejudge_gui.core.errors import JokeJudgeError
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.history.store import HistoryStore
from jokejudge_gui.judge.contest.desk import chance
from jokejudge_gui.judge.contest.notes import ListScreening, Thresholds
from jokejudge_gui.judge.contest.record import ContestRequest, ContestResult
from jokejudge_gui.judge.kinds import KINDS
from jokejudge_gui.ui.contest.screening import ScreeningPane
from jokejudge_gui.ui.contest.tab import ContestTab
from jokejudge_gui.ui.judge_worker import JudgeWorker

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")


@pytest.fixture
def store(profile: Profile) -> Iterator[HistoryStore]:
    with closing(HistoryStore(profile.database, KINDS)) as made:
        yield made


@pytest.fixture
def tab(qtbot: QtBot, store: HistoryStore, worker: JudgeWorker, profile: Profile) -> ContestTab:
    return shown_tab(qtbot, ContestTab(store, worker, OwnScoreFiles(profile)))


def opened(tab: ContestTab, store: HistoryStore, result: ContestResult) -> ScreeningPane:
    """The screening of a contest that the history holds."""
    canned_profile.record(store, result)
    return again(tab, store, result.id)


def again(tab: ContestTab, store: HistoryStore, id: str) -> ScreeningPane:
    tab.open(store.get(id))
    tab.draw()  # a long list is drawn in a step of its own
    tab.desk.show_screening()
    return tab.desk.screening


def kept(tab: ContestTab, store: HistoryStore) -> ListScreening:
    tab.keep()
    result = store.get("c1").result
    assert isinstance(result, ContestResult)
    assert result.screening is not None
    return result.screening


def rows(tab: ContestTab) -> dict[str, str]:
    """The decision of each joke as the table has it, with its chance, the best first."""
    model = tab.desk.model
    found = [[str(model.index(row, column).data()) for column in range(3)] for row in range(model.rowCount())]
    return {joke: decision for _, decision, joke in found}


def best(tab: ContestTab) -> float:
    """The first joke's chance."""
    return float(next(iter(rows(tab).values())).rpartition(" ")[2])


def choose(page: ScreeningPane, id: str) -> None:
    """Press the key of a joke, wherever it stands."""
    at = [*page.ballot.choices].index(id)
    QTest.keyClick(page.ballot, (Qt.Key.Key_1, Qt.Key.Key_2, Qt.Key.Key_3)[at])


def test_the_keyboard_goes_from_the_list_through_the_screening_to_what_follows(
    tab: ContestTab, store: HistoryStore
) -> None:
    page = opened(tab, store, screenable(0.8))
    tab.desk.table.setFocus()
    visited = []
    for _ in range(12):
        QTest.keyClick(tab.focusWidget(), Qt.Key.Key_Tab)
        visited.append(tab.focusWidget())
    wanted = [page.back_link, page.vote_button, page.import_link, page.limits.sliders["reject"]]
    assert [widget for widget in visited if widget in wanted] == wanted


def test_each_joke_has_its_chance_decision_and_reason(tab: ContestTab, store: HistoryStore) -> None:
    page = opened(tab, store, screenable(0.85))
    assert next(iter(rows(tab).values())).startswith("Vote now ")
    model, reasons = tab.desk.model, set()
    for row in range(model.rowCount()):
        entry = model.entry(row)
        assert entry is not None
        tab.desk.go_to(entry.id)
        assert page.joke.text() == entry.text
        reasons.add(page.why.text().partition(": ")[2])
    assert {"high (0.85 or more).", "a better version is in the list.", "under 0.70."} <= reasons
    assert "Vote on 3 now" in page.summary.text()


def test_both_errors_move_with_the_limits_which_stay_in_order_or_come_from_the_list(
    tab: ContestTab, store: HistoryStore, qtbot: QtBot
) -> None:
    page = opened(tab, store, screenable(0.64, 30))
    before = page.limits.errors.text()
    assert before.startswith("Good ones you'd lose: about")
    page.limits.sliders["promote"].setValue(40)
    assert page.limits.limits == Thresholds(reject=0.4, high=0.4, promote=0.4)
    qtbot.waitUntil(lambda: page.limits.errors.text() != before)
    assert "Weak ones you'd read: about" in page.limits.errors.text()
    assert kept(tab, store).thresholds.reject == 0.4
    page.limits.reset_link.click()
    qtbot.waitUntil(lambda: page.limits.errors.text() == before)
    page.limits.propose_button.click()
    proposed = page.limits.limits
    assert proposed.reject < 0.7
    assert kept(tab, store).thresholds == proposed
    assert again(tab, store, "c1").limits.limits == proposed


def test_where_none_passes_the_best_is_shown_anyway_and_an_unknown_chance_is_said(
    tab: ContestTab, store: HistoryStore
) -> None:
    page = opened(tab, store, screenable(0.5))
    assert "None is good enough" in page.summary.text()
    assert sum(decision.startswith("Best") for decision in rows(tab).values()) == 1
    assert not page.vote_button.isVisible()
    blank = screenable(id="c2")
    entries = tuple(e.replaced(reading=e.reading and e.reading.replaced(agreement=None)) for e in blank.entries)
    opened(tab, store, blank.replaced(entries=entries))
    assert "it isn't known how people" in page.summary.text()
    assert not page.limits.isVisible()


def test_the_vote_is_blind_by_keys_can_be_undone_and_after_fifteen_the_winner_is_promoted(
    tab: ContestTab, store: HistoryStore
) -> None:
    page = opened(tab, store, screenable(0.8, 11))
    page.vote_button.click()
    texts = " ".join(button.accessibleName() for button in page.ballot.choices.values())
    assert not any(figure in texts for figure in ("0.9", "0.8", "%"))
    assert not tab.desk.table.isVisible()
    page.ballot.name.setText("Ann")
    orders = set()
    for _ in range(6):
        orders.add(tuple(page.ballot.choices))
        choose(page, "2")
    assert len(orders) > 1
    QTest.keyClick(page.ballot, Qt.Key.Key_S)
    QTest.keyClick(page.ballot, Qt.Key.Key_U)
    assert "5 votes so far" in page.ballot.summary.text()
    ballots = kept(tab, store).ballots
    assert {(ballot.choice, ballot.voter) for ballot in ballots} == {("2", "Ann")}
    assert set(ballots[0].among) == set(page.ballot.choices)
    QTest.keyClick(page.ballot, Qt.Key.Key_Escape)
    assert page.face == "list"
    assert "5 votes so far" in again(tab, store, "c1").votes.text()
    page.vote_button.click()
    for _ in range(10):
        choose(page, "2")
    assert page.face == "list"
    assert "People have chosen, after 15 votes" in page.summary.text()
    assert [row for row, decision in rows(tab).items() if decision.startswith("Promoted")] == [JOKES[1]]
    assert kept(tab, store).promoted == "2"
    page.vote_button.click()
    assert page.face == "vote"
    assert "2" not in page.ballot.choices


def test_votes_go_to_a_file_and_come_from_one_once_a_full_disk_leaves_it_and_added_jokes_keep_them(
    tab: ContestTab, store: HistoryStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    page = opened(tab, store, screenable(0.8, 11))
    page.vote_button.click()
    choose(page, "2")
    page.ballot.done_button.click()
    file = tmp_path / "votes.jsonl"
    save_as(monkeypatch, file)
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(file), ""))
    with qtbot.waitSignal(tab.to_export) as job:
        page.export_link.click()
    assert [event.count for event in job.args[0](None)] == [1]
    before = file.read_bytes()
    with qtbot.waitSignal(tab.notice) as said:
        page.import_link.click()
    assert said.args[0].startswith("Added 0 votes.")
    assert len(kept(tab, store).ballots) == 1

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(JokeJudgeError, match="No space left"):
            next(job.args[0](None))
    assert file.read_bytes() == before

    page.back_link.click()
    assert tab.desk.pane.isVisible()
    tab.desk.strip.add_button.clicked.emit()
    tab.list_page.set_text("One more joke.")
    with qtbot.waitSignal(tab.asked) as asked:
        tab.run()
    screening = ContestRequest.model_validate(asked.args[0]).notes.screening
    assert screening is not None
    assert len(screening.ballots) == 1


def test_own_scores_from_the_terminal_make_the_chances_one_s_own(
    tab: ContestTab, store: HistoryStore, profile: Profile
) -> None:
    page = opened(tab, store, screenable(0.75, 30))
    before = best(tab)
    assert not page.own.isVisible()
    given = {entry.text: (chance(entry) or 0.5, 2.0) for entry in screenable(0.75, 30).entries[:24]}
    OwnScoreFiles(profile).put(MADE, OwnScores(head=MADE.head).with_scores(given))
    page = again(tab, store, "c1")
    assert "You scored 24 jokes, 0 of them 6 or more." in page.own.text()
    assert best(tab) < before
    assert "good to you" in page.limits.errors.text()
    own = kept(tab, store).own
    assert own is not None
    assert own.n == 24


def test_a_long_list_is_screened_beside_the_window(tab: ContestTab, store: HistoryStore, qtbot: QtBot) -> None:
    opened(tab, store, screenable(0.8, 1600))
    qtbot.waitUntil(lambda: tab.desk.model.screening is not None and tab.desk.model.rowCount() == 1609, timeout=20_000)
