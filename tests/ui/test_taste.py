"""Votes in the window, and the user's own taste beside the general one."""

from __future__ import annotations

import canned
import canned_profile
import pytest
from driving import Open
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from jokejudge_gui.core.config import load_settings
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.core.verdicts import Kind, Status
from jokejudge_gui.history.votes import Vote
from jokejudge_gui.ui.main_window import MainWindow
from jokejudge_gui.ui.settings import SettingsDialog
from jokejudge_gui.ui.verdict.cards import VoteButtons

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")


@pytest.fixture
def window(open_window: Open, profile: Profile) -> MainWindow:
    """With a history and no model."""
    canned_profile.fill_history(profile)
    return open_window(start=False)


def card(window: MainWindow, kind: Kind) -> VoteButtons:
    return window.by_kind[kind].vote


def chosen(window: MainWindow, kind: Kind) -> list[str]:
    return [choice for choice, button in card(window, kind).by_choice.items() if button.isChecked()]


def press(qtbot: QtBot, window: MainWindow, kind: Kind, choice: str) -> None:
    qtbot.mouseClick(card(window, kind).by_choice[choice], Qt.MouseButton.LeftButton)


def votes(window: MainWindow) -> list[Vote]:
    return window.session.store.votes.find()


def settings(window: MainWindow) -> SettingsDialog:
    window.open_settings()
    dialog = QApplication.activeModalWidget()
    assert isinstance(dialog, SettingsDialog)
    return dialog


@pytest.mark.parametrize(("kind", "id", "choices"), [("rate", "h10", ("up", "down")), ("duel", "h9", ("A", "B"))])
def test_a_vote_is_kept_changed_and_taken_back_by_pressing(
    window: MainWindow, qtbot: QtBot, kind: Kind, id: str, choices: tuple[str, str]
) -> None:
    window.open_verdict(id)
    assert card(window, kind).isVisible()
    assert chosen(window, kind) == []
    assert card(window, kind).caption == "No votes yet. After 20 votes JokeJudge learns your taste."
    press(qtbot, window, kind, choices[0])
    assert [(vote.verdict_id, vote.choice, vote.blind) for vote in votes(window)] == [(id, choices[0], False)]
    assert chosen(window, kind) == [choices[0]]
    assert card(window, kind).caption == "1 vote. After 20 votes JokeJudge learns your taste."
    press(qtbot, window, kind, choices[1])
    assert [vote.choice for vote in votes(window)] == [choices[1]]
    assert chosen(window, kind) == [choices[1]]
    press(qtbot, window, kind, choices[1])
    assert votes(window) == []
    assert chosen(window, kind) == []


@pytest.mark.parametrize("change", [{"admissible": False, "mean_score": None}, {"mean_score": None}])
def test_a_verdict_without_a_score_asks_nothing(window: MainWindow, change: dict[str, object]) -> None:
    window.by_kind["rate"].open(canned.entry(canned.rating(factors=(), **change), Status.CANCELLED))
    assert not card(window, "rate").isVisible()


def test_a_taste_that_holds_out_stands_beside_the_general_opinion(window: MainWindow) -> None:
    window.open_verdict("h10")
    assert not window.by_kind["rate"].taste_line.isVisible()
    canned_profile.vote(window.session)
    window.taste.refresh()
    line = window.by_kind["rate"].taste_line
    assert line.isVisible()
    assert line.text().startswith("Your taste: 71\u00a0% for a thumb up (95\u00a0%: ")
    assert line.text().endswith("from 25 votes.")
    window.open_verdict("h9")
    line = window.by_kind["duel"].taste_line
    assert line.isVisible()
    assert line.text().startswith("Your taste: A, 68\u00a0% (95\u00a0%: ")
    assert "You agree with the judge in 10 of 13 duels" in card(window, "duel").caption
    assert "before you saw its verdict, in 4 of 5" in card(window, "duel").caption
    window.open_verdict("h4")
    assert window.by_kind["duel"].taste_line.text().startswith("Your taste: B, ")


def test_one_switch_takes_questions_and_lines_away_and_keeps_the_votes(
    window: MainWindow, profile: Profile, qtbot: QtBot
) -> None:
    canned_profile.vote(window.session)
    window.open_verdict("h9")
    assert window.by_kind["duel"].taste_line.isVisible()
    dialog = settings(window)
    qtbot.mouseClick(dialog.controls["use_taste"].segment("Off"), Qt.MouseButton.LeftButton)
    dialog.close()
    assert not window.by_kind["duel"].taste_line.isVisible()
    assert not card(window, "duel").isVisible()
    assert load_settings(profile).use_taste is False
    window.open_verdict("h10")
    assert not card(window, "rate").isVisible()
    assert len(votes(window)) == 25
    dialog = settings(window)
    dialog.controls["use_taste"].set_current("Shown")
    dialog.close()
    assert card(window, "rate").isVisible()
    assert window.by_kind["rate"].taste_line.isVisible()
