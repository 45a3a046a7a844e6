"""The leaderboard of a list's groups in the window."""

from __future__ import annotations

import canned
from contest_driving import LONG, contest, tab_of
from driving import Open
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from jokejudge_gui.core.verdicts import ModelRef
from jokejudge_gui.judge.contest.types import ContestResult, RankedEntry, Reading
from jokejudge_gui.ui.contest.leaderboard import KIN_HINT as KIN
from jokejudge_gui.ui.contest.leaderboard import LeaderboardDialog
from jokejudge_gui.ui.judge_worker import JudgeWorker


def ranked(count: int, id: str = "c") -> ContestResult:
    entries = []
    for at in range(count):
        percentile = 80.0 if at % 2 else 30.0
        reading = Reading(value=percentile / 50 - 1, percentile=percentile, agreement=0.8)
        columns = {"model": ("smollm2-360m", "qwen3-8b & <b>")[at % 2], "prompt": f"p{at % 3}"}
        text = f"A joke of {at} words.".ljust(20 + at)
        entries.append(
            RankedEntry(id=str(at), text=text, rank=at + 1, score=reading.value, reading=reading, columns=columns)
        )
    return ContestResult(id=id, entries=tuple(entries), model=ModelRef(name="SmolLM2 135M", sha256="0" * 64))


def test_a_column_is_chosen_and_its_groups_are_shown(qtbot: QtBot, worker: JudgeWorker) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    dialog = LeaderboardDialog(ranked(44), worker, parent)
    dialog.show()
    qtbot.waitUntil(lambda: bool(dialog.table.board), timeout=LONG)
    assert [each.name for each in dialog.table.board] == ["qwen3-8b & <b>", "smollm2-360m"]
    assert "Rank 1: qwen3-8b & <b>, wins" in dialog.table.accessibleDescription()
    assert "at one length" in dialog.table.accessibleDescription()
    assert dialog.kin.text() == KIN
    dialog.choice.choose(0)
    dialog.choice.choose(1)  # the first answer comes too late: another column is wanted by now
    qtbot.waitUntil(lambda: bool(dialog.table.board), timeout=LONG)
    qtbot.waitUntil(lambda: not worker.busy, timeout=LONG)
    assert len(dialog.table.board) == 3
    assert not dialog.kin.isVisible()


def test_the_menu_of_a_list_with_columns_opens_it(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    window.show_tab("contest")
    tab = tab_of(window)
    tab.open(canned.entry(contest()))
    words = [action.text() for action in tab.desk.menu().actions()]
    assert "Groups…" not in words  # nothing says who wrote what
    assert "Screening and votes…" in words
    tab.open(canned.entry(ranked(44)))
    next(action for action in tab.desk.menu().actions() if action.text() == "Groups…").trigger()
    (dialog,) = window.findChildren(LeaderboardDialog)
    qtbot.waitUntil(lambda: bool(dialog.table.board), timeout=LONG)
    assert dialog.table.board[0].name == "qwen3-8b & <b>"
    QTest.mouseClick(dialog.close_button, Qt.MouseButton.LeftButton)
    assert not dialog.isVisible()
