"""What else the model is asked for: listeners, chosen, greyed with the reason or described freely; and deep mode."""

from __future__ import annotations

from typing import TYPE_CHECKING

import canned
from driving import LONG, Open, rate
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from jokejudge_gui.judge.asking.worth import ItemWorth, Worth
from jokejudge_gui.judge.rating.record import RatingResult
from jokejudge_gui.ui.main_window import MainWindow
from jokejudge_gui.ui.rate.listeners import NAME, ListenerField
from jokejudge_gui.ui.rate.tab import RateTab
from jokejudge_gui.ui.settings import SettingsDialog
from tests.fake_engine import FakeEngine

if TYPE_CHECKING:
    from PySide6.QtGui import QAction
    from pytestqt.qtbot import QtBot

BEES = "people who keep bees"


def rate_tab(window: MainWindow) -> RateTab:
    tab = window.by_kind["rate"]
    assert isinstance(tab, RateTab)
    return tab


def entries(field: ListenerField) -> dict[str, QAction]:
    return {action.text().strip(): action for action in field.menu().actions() if action.text()}


def test_a_listener_is_chosen_from_the_menu_or_greyed_with_the_reason(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    tab = rate_tab(window)
    field = tab.listener
    assert not field.isVisible()
    judge = window.session.judge
    assert judge is not None
    field.set_text(BEES)
    assert not entries(field)["Family"].isEnabled()
    good = Worth(value=0.6, low=0.4, high=0.8, n=80)
    item = ItemWorth(kind="factor", id="wit", measured="r", asked=good)
    judge.plan = judge.plan.replaced(items=(*judge.plan.items, item))
    entries(field)["Family"].setChecked(True)
    assert field.names() == (BEES, "Family")
    tab.set_texts("Parallel lines have so much in common. It's a shame that they'll never meet.")
    tab.run()
    qtbot.waitUntil(lambda: not tab.live, timeout=20_000)
    assert isinstance(tab.result, RatingResult)
    assert [(voice.name, voice.p is None) for voice in tab.result.listeners] == [(BEES, False), ("Family", False)]
    assert "Family: would laugh" in tab.page.more.rows.text()
    entries(field)["Family"].setChecked(False)
    assert field.names() == (BEES,)


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


def test_the_field_is_reached_by_keyboard_named_and_kept_as_a_draft(open_window: Open) -> None:
    tab = rate_tab(open_window(start=False))
    field = tab.listener
    assert NAME in field.line.accessibleName()
    assert field.choose_button.accessibleName() == "Choose listeners"
    own = [field.line, field.choose_button, field.close_button]
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


def test_a_listener_of_ones_own_is_written_in_the_window(open_window: Open, qtbot: QtBot) -> None:
    from test_criteria import open_criteria, own_of, settle, shown, write

    window = open_window(lambda *_: FakeEngine())
    dialog = open_criteria(qtbot, window)
    dialog.sections.set_current("listener")
    dialog.begin_new()
    write(dialog, name="Viennese", description="people who know Vienna")
    qtbot.waitUntil(dialog.form.save_button.isEnabled)
    assert "Listener: people who know Vienna" in dialog.form.preview.text()
    dialog.form.save_button.click()
    settle(qtbot, window)
    assert "Viennese  (your own)" in shown(dialog)
    assert "measured to have worth" in dialog.form.effect.text()
    dialog.sections.set_current("fault")
    dialog.begin_new()
    write(dialog, name="Dull", says="puts one to sleep")
    qtbot.waitUntil(dialog.form.save_button.isEnabled)
    dialog.form.save_button.click()
    settle(qtbot, window)
    assert "never a finding" in dialog.form.effect.text()
    assert [item.id for item in own_of(window).load().items] == ["own_viennese", "own_dull"]
    dialog.close()
    assert "Viennese" in entries(rate_tab(window).listener)


def test_deep_is_switched_on_in_the_settings_and_judges_so(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    window.open_settings()
    dialog = window.findChild(SettingsDialog)
    assert dialog is not None
    dialog.group_switch.segment("Model and judging").click()
    dialog.controls["mode"].segment("Deep").click()
    dialog.close()
    assert window.settings.mode == "deep"
    rate(qtbot, window, canned.PARALLEL)
    tab = window.by_kind["rate"]
    assert isinstance(tab, RateTab)
    qtbot.waitUntil(lambda: tab.state.phase == "finished", timeout=LONG)
    assert tab.state.result is not None
    assert tab.state.result.tree is not None
    assert "Deep" in tab.page.more.rows.text()
