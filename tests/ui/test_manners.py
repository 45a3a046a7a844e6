"""Where the keyboard stays, what moves and what doesn't, and dialogs that answer to the usual keys."""

from __future__ import annotations

import canned
import pytest
import shots
from driving import Open, rate
from PySide6.QtCore import QPoint
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from jokejudge_gui.ui.look import theme
from jokejudge_gui.ui.widgets.base import Surface
from jokejudge_gui.ui.widgets.text import Label

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")


def test_a_message_moves_nothing(open_window: Open, qtbot: QtBot) -> None:
    window = open_window(start=False)
    before = window.stack.geometry()
    window.notices.say("error", "A sentence that is long enough to be one. " * 3)
    qtbot.wait(1)
    assert window.notices.isVisible()
    assert window.stack.geometry() == before
    wide = window.notices.width()
    window.notices.say("info", "Deleted 5 verdicts.", "Undo")
    assert window.notices.width() < 0.7 * wide
    assert window.notices.height() < 80  # one line
    window.notices.say("error", "A sentence that is long enough to be one. " * 3)
    qtbot.wait(1)
    page = window.notices.parentWidget()
    assert page.rect().contains(window.notices.geometry())
    window.resize(1024, 700)
    qtbot.wait(1)
    assert page.rect().contains(window.notices.geometry())


def test_a_short_message_hides_no_card_where_there_is_room(open_window: Open, qtbot: QtBot) -> None:
    window = open_window(start=False)
    rate_tab = window.by_kind["rate"]
    rate_tab.open(canned.entry(canned.read_rating()))
    for size in ((1360, 860), (1024, 700)):
        window.resize(*size)
        qtbot.wait(1)
        window.notices.say("info", "Deleted 5 verdicts.", "Undo")
        page, place = window.notices.parentWidget(), window.notices.geometry()
        assert page is not None
        for card in window.stack.currentWidget().findChildren(Surface):
            shown = card.visibleRegion().translated(card.mapTo(page, QPoint()))
            assert not (card.isVisible() and shown.intersects(place)), (size, card)


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_colours_and_sizes_follow_when_cards_change_columns(open_window: Open, qtbot: QtBot, mode: str) -> None:
    window = open_window(start=False)
    theme.theme().configure("dark" if mode == "light" else "light", 1.0)
    theme.theme().configure(mode, 1.25)
    for width in (800, 1360, 1000, 800):
        window.resize(width, 860)
        qtbot.wait(1)
        for tab in (window.by_kind["rate"], window.trust_tab):
            for label in tab.findChildren(Label):
                want = theme.theme().colour(label._token)
                assert label.palette().color(QPalette.ColorRole.WindowText) == want, label.text()
                assert label.font().pixelSize() == round(label._size * 1.25), label.text()


def test_several_selected_rows_stay_selected_when_something_is_written(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    for text in ("Our tailor was late.", "My dog has a bike.", "They named the printer."):
        rate(qtbot, window, text)
    pane = window.pane
    rows = pane.model.rows()
    pane.view.select(*(pane.model.index_of(row.id) for row in rows[:2]))
    chosen = pane.view.selected_ids()
    assert len(chosen) == 2
    window.verdicts.set_star(rows[2].id, True)
    assert pane.view.selected_ids() == chosen
    rate(qtbot, window, "A fourth joke.")
    assert pane.view.selected_ids() == chosen
    pane.delete_rows(rows[:2])
    assert len(pane.view.selected_ids()) <= 1


def test_settings_open_whole_on_the_screen(open_window: Open, qtbot: QtBot) -> None:
    width, height, scale = shots.SIZES["huge"]
    theme.theme().configure("light", scale)
    window = open_window(size=(width, height), start=False)
    window.open_settings()
    dialog = QApplication.activeModalWidget()
    qtbot.wait(10)
    assert dialog.screen().availableGeometry().contains(dialog.frameGeometry())
    dialog.close()
