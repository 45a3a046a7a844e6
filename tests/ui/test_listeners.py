"""Listeners in the window: chosen, greyed with the reason, described freely, measured, and asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import canned
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from jokejudge_gui.core.verdicts import FaultVoice, RatingResult
from jokejudge_gui.judge.plan.listeners import SAME, ListenerWorth, ListenerWorths, listener_version
from jokejudge_gui.rubric.audiences import parse_audiences
from jokejudge_gui.rubric.own_file import OwnFile
from jokejudge_gui.ui.main_window import MainWindow
from jokejudge_gui.ui.rate.listeners import NAME, ListenerField
from jokejudge_gui.ui.rate.tab import RateTab
from tests.fake_engine import FakeEngine

if TYPE_CHECKING:
    from PySide6.QtGui import QAction
    from pytestqt.qtbot import QtBot

Open = Callable[..., MainWindow]
BEES = "people who keep bees"


def rate_tab(window: MainWindow) -> RateTab:
    tab = window.by_kind["rate"]
    assert isinstance(tab, RateTab)
    return tab


def entries(field: ListenerField) -> dict[str, QAction]:
    return {action.text().strip(): action for action in field.menu().actions() if action.text()}


def knows(window: MainWindow, *ids: str) -> None:
    """The loaded model tells these listeners from anyone, and no others."""
    judge = window.session.judge
    assert judge is not None
    worth = {
        each.id: ListenerWorth(ratio=3.0 if each.id in ids else 1.0, area=0.9, low=0.8)
        for each in parse_audiences().listeners
    }
    files = window.session._files.listeners
    files.save(ListenerWorths(model_sha256=judge.model.sha256, version=listener_version(), texts=60, worth=worth))


def test_a_listener_is_chosen_from_the_menu_and_others_are_greyed_with_the_reason(
    open_window: Open, qtbot: QtBot
) -> None:
    window = open_window()
    knows(window, "family")
    tab = rate_tab(window)
    field = tab.listener
    assert not field.isVisible()
    QTest.mouseClick(field.link, Qt.MouseButton.LeftButton)
    assert field.isVisible()
    assert field.line.hasFocus()
    found = entries(field)
    assert found["Family"].isEnabled()
    assert not found["Students"].isEnabled()
    assert not found[SAME].isEnabled()
    found["Family"].setChecked(True)
    field.line.setText(f"{field.line.text()}; students;  {BEES} ")
    assert field.names() == ("Family", "students", BEES)
    assert field.notice.text().startswith("Won't be asked: Students")
    assert entries(field)["Family"].isChecked()
    tab.set_texts("Parallel lines have so much in common. It's a shame that they'll never meet.")
    tab.run()
    qtbot.waitUntil(lambda: not tab.live, timeout=20_000)
    result = tab.result
    assert isinstance(result, RatingResult)
    assert [(voice.name, voice.p is None) for voice in result.listeners] == [
        ("Family", False), ("Students", True), (BEES, True),
    ]  # fmt: skip
    tab.page.more_link.click()
    assert tab.listeners.isVisible()
    entries(field)["Family"].setChecked(False)
    assert field.names() == ("students", BEES)


def test_nobody_else_is_asked_but_whom_the_settings_name(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    tab = rate_tab(window)
    for listeners, count in (([], 0), (["family"], 1)):
        window.settings.listeners = listeners
        tab.set_texts(f"Two fish are in a tank. One drives. {count}")
        tab.run()
        qtbot.waitUntil(lambda: not tab.live, timeout=20_000)
        assert isinstance(tab.result, RatingResult)
        assert len(tab.result.listeners) == count


def test_one_that_is_not_known_is_measured_behind_verdicts_and_can_be_stopped(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    OwnFile(window.session.profile.criteria).set_item(
        "listener", "bees", {"name": "Keepers", "description": BEES, "likes": "A bee.\nA hive."}, new=True
    )
    with qtbot.waitSignal(window.criteria.changed):
        window.criteria.take_up()
    field = rate_tab(window).listener
    field.set_names(("keepers",))
    assert "Not measured on this model yet" in field.notice.text()
    assert field.measure_link.accessibleName() == "Measure these listeners"
    field.measure_link.click()
    assert field.measure_link.text() == "Stop"
    qtbot.waitUntil(lambda: not window.listener_measurer.live, timeout=60_000)
    assert "Not measured" not in field.notice.text()
    window.listener_measurer.measure()
    window.listener_measurer.stop()
    qtbot.waitUntil(lambda: not window.listener_measurer.live, timeout=60_000)
    assert window.listener_measurer.phase == "stopped"


def test_the_field_is_reached_by_keyboard_named_and_kept_as_a_draft(open_window: Open) -> None:
    tab = rate_tab(open_window(start=False))
    field = tab.listener
    assert NAME in field.line.accessibleName()
    assert field.choose_button.accessibleName() == "Choose listeners"
    own = [field.line, field.choose_button, field.close_button, field.measure_link]
    assert [widget for widget in tab.tab_order() if widget in own] == own
    field.link.setFocus()
    QTest.keyClick(field.link, Qt.Key.Key_Space)
    QTest.keyClicks(field.line, BEES)
    tab.set_texts("A joke.")
    draft = tab.draft()
    assert draft == ("A joke.", "", BEES)
    field.fold()
    assert field.link.hasFocus()
    assert tab.draft() == ("A joke.",)
    tab.put_draft(draft)
    assert (field.names(), field.isVisible(), tab.context.isVisible()) == ((BEES,), True, False)


@pytest.mark.parametrize("told", ["<b>", "&amp;"])
def test_faults_of_ones_own_stand_on_a_card_of_their_own(open_window: Open, told: str) -> None:
    tab = rate_tab(open_window(start=False))
    voices = (
        FaultVoice(id="long", name=f"Long {told}", p=None, reason="Not measured on this model."),
        FaultVoice(id="dull", name="Dull", p=0.81, usual=0.4),
    )
    tab.open(canned.entry(canned.read_rating(own_faults=voices)))
    tab.page.more_link.click()
    assert tab.own_faults.isVisible()
    first, second = tab.own_faults.text.text().splitlines()
    assert first.startswith("Dull: there, says the model (81 in 100; in a usual joke 40).")
    assert first.endswith("Nobody measured how often it is right.")
    assert second == f"Long {told}: not measured on this model."


def test_a_listener_of_ones_own_is_written_in_the_window(open_window: Open, qtbot: QtBot) -> None:
    from test_criteria import open_criteria, own_of, settle, shown, write

    window = open_window(lambda *_: FakeEngine())
    dialog = open_criteria(qtbot, window)
    dialog.sections.set_current("listener")
    dialog.begin_new()
    write(dialog, name="Viennese", description="people who know Vienna", likes="A waiter, contemptuous.")
    qtbot.waitUntil(lambda: "needs at least 2 lines" in dialog.form.rows["likes"].problem.text())
    write(dialog, likes="A waiter, contemptuous.\nA tram, late.")
    qtbot.waitUntil(dialog.form.save_button.isEnabled)
    assert "Listener: people who know Vienna" in dialog.form.preview.text()
    dialog.form.save_button.click()
    settle(qtbot, window)
    assert "Viennese  (your own)" in shown(dialog)
    assert "measured first" in dialog.form.effect.text()
    dialog.sections.set_current("fault")
    dialog.begin_new()
    write(dialog, name="Dull", says="puts one to sleep")
    qtbot.waitUntil(dialog.form.save_button.isEnabled)
    dialog.form.save_button.click()
    settle(qtbot, window)
    assert "never a finding" in dialog.form.effect.text()
    assert [item.id for item in own_of(window).load().items] == ["viennese", "dull"]
    dialog.close()
    assert "Viennese" in entries(rate_tab(window).listener)
