"""Deep mode in the window: switched on in the settings, its tree opened with the keyboard."""

from __future__ import annotations

import canned
from driving import LONG, Open, rate
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from jokejudge_gui.judge.rating.record import LAUGHS, Branch, Node, ReasoningTree
from jokejudge_gui.ui.rate.tab import RateTab
from jokejudge_gui.ui.settings import SettingsDialog

NODE = Node(
    id="factor:wit", kind="factor", name="Wit", before=2.0, after=3.0, error=0.4,
    doubts=("its answer is nearly even between the levels",),
    branches=(
        Branch(how="another wording", value=3.4),
        Branch(how="a strict reader", value=2.6, reason="the end is <b>plain</b>."),
    ),
)  # fmt: skip
LISTENERS = Node(
    id=LAUGHS, kind="verdict", name="Would laugh", before=43.0, after=55.0, error=12.0,
    branches=(Branch(how="another listener", value=67.0, listener="Students"),),
)  # fmt: skip
TREE = ReasoningTree(nodes=(NODE, LISTENERS), used_branches=3)


def test_a_node_opens_by_keyboard_and_closes_again(open_window: Open, qtbot: QtBot) -> None:
    window = open_window(start=False)
    tab = window.by_kind["rate"]
    assert isinstance(tab, RateTab)
    tab.open(canned.entry(canned.rating(tree=TREE)))
    tab.page.more_link.click()
    row, laughs = tab.tree.rows
    assert tab.tree.isVisible()
    assert "3 further readings of 2 things" in tab.tree.summary.text()
    assert row.line.text().startswith("Wit: 2.0 of 5 → 3.0 of 5 ± 0.4")
    assert not row.readings.isVisible()
    row.link.setFocus()
    QTest.keyClick(row.link, Qt.Key.Key_Space)
    assert row.readings.isVisible()
    assert row.readings.text() == (
        "• Another wording: 3.4 of 5\n• A strict reader: 2.6 of 5, because the end is <b>plain</b>."
    )
    assert row.link.accessibleName() == "Hide the 2 readings of wit"
    QTest.keyClick(row.link, Qt.Key.Key_Tab)
    assert laughs.link.hasFocus()
    QTest.keyClick(laughs.link, Qt.Key.Key_Return)
    assert laughs.readings.text() == "• Students: 67 in 100"
    QTest.keyClick(row.link, Qt.Key.Key_Space)
    assert not row.readings.isVisible()
    tab.open(canned.entry(canned.rating("other")))
    assert not tab.tree.isVisible()


def test_deep_is_switched_on_in_the_settings_and_judges_so(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    window.open_settings()
    dialog = window.findChild(SettingsDialog)
    assert dialog is not None
    dialog.group_switch.segment("model").click()
    dialog.mode_switch.segment("deep").click()
    dialog.close()
    assert window.settings.mode == "deep"
    rate(qtbot, window, canned.PARALLEL)
    tab = window.by_kind["rate"]
    assert isinstance(tab, RateTab)
    qtbot.waitUntil(lambda: tab.state.phase == "finished", timeout=LONG)
    assert tab.state.result is not None
    assert tab.state.result.tree is not None
    tab.page.more_link.click()
    assert tab.tree.isVisible()
