"""The line from 0 to 100: its words, and what it paints."""

from __future__ import annotations

from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from jokejudge_gui.ui.look.theme import theme
from jokejudge_gui.ui.widgets.line import Line


def test_it_says_its_figures_and_paints_ring_band_and_tick(qtbot: QtBot) -> None:
    shown = Line()
    shown.set_values(52.0, 95.0, 76.0, accessible="between 52 and 95 of 100, middle 76")
    qtbot.addWidget(shown)
    shown.resize(400, shown.sizeHint().height())
    assert shown.accessibleName() == "between 52 and 95 of 100, middle 76"
    image = shown.grab().toImage()
    y, tokens = 8, theme().tokens
    assert image.pixelColor(8, y) == QColor(tokens.track)
    assert image.pixelColor(round(0.65 * 400), y) == QColor(tokens.tint3)
    assert image.pixelColor(round(0.76 * 400), y) == QColor(tokens.surface)
    assert image.pixelColor(round(0.76 * 400) - 5, y) == QColor(tokens.accent)
    shown.set_values(None, None, None, accessible="not known")
    assert shown.grab().toImage().pixelColor(round(0.65 * 400), y) == QColor(tokens.track)
