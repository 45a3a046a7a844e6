"""A topic or scene behind the joke: folded away, judged with it, kept with its verdict and with what was typed."""

from __future__ import annotations

import canned
import pytest
from driving import LONG, Open
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from jokejudge_gui.history.query import HistoryQuery
from jokejudge_gui.ui.verdict.tab import VerdictTab

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")
TOPIC = "#RuinADinnerIn4Words"


def judge(qtbot: QtBot, tab: VerdictTab) -> None:
    qtbot.mouseClick(tab.buttons.run_button, Qt.MouseButton.LeftButton)
    assert tab.live
    qtbot.waitUntil(lambda: not tab.live, timeout=LONG)


def unfolded(qtbot: QtBot, tab: VerdictTab) -> None:
    assert not tab.context.isVisible()
    qtbot.mouseClick(tab.context.link, Qt.MouseButton.LeftButton)
    assert tab.context.isVisible()
    assert not tab.context.link.isVisible()
    assert QApplication.focusWidget() is tab.context


@pytest.mark.parametrize("kind", ["rate", "duel"])
def test_a_topic_is_judged_kept_and_asked_again(open_window: Open, qtbot: QtBot, kind: str) -> None:
    window = open_window()
    window.show_tab(kind)
    tab = window.by_kind[kind]
    tab.set_texts(*(canned.PARALLEL, canned.GRAVITY)[: len(tab.kind.fields)])
    unfolded(qtbot, tab)
    qtbot.keyClicks(tab.context, f"  {TOPIC} ")
    judge(qtbot, tab)
    assert tab.result.context == TOPIC
    assert not tab.stale
    first = window.pane.model.rows()[0]
    window.verdicts.copy(kind)
    assert f"Topic or scene: {TOPIC}" in QGuiApplication.clipboard().text()
    window.verdicts.run_again(first.id)
    qtbot.waitUntil(lambda: not tab.live, timeout=LONG)
    rows = window.session.store.search(HistoryQuery())
    assert [window.session.store.get(row.id).result.context for row in rows] == [TOPIC, TOPIC]


def test_another_topic_makes_a_verdict_one_of_an_earlier_text(open_window: Open, qtbot: QtBot) -> None:
    window = open_window(start=False)
    tab = window.by_kind["rate"]
    tab.open(canned.entry(canned.read_rating(context=TOPIC)))
    assert tab.context.text() == TOPIC
    assert not tab.stale
    tab.context.setFocus()
    qtbot.keyClick(tab.context, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(tab.context, Qt.Key.Key_Delete)
    assert tab.stale
    tab.context.set_text(TOPIC)
    assert tab.context.text() == TOPIC
    tab.open(canned.entry(canned.read_rating()))
    assert tab.context.text() == ""
    assert tab.context.link.isVisible()
