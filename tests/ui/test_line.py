"""The line from 0 to 100: its words, and labels that keep out of each other's way."""

from __future__ import annotations

import itertools

import pytest
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from jokejudge_gui.ui.look.theme import theme
from jokejudge_gui.ui.widgets.base import text_width
from jokejudge_gui.ui.widgets.line import Line, LineLabels, placed

WIDTH = 470.0


def spans(labels: LineLabels, width: float = WIDTH) -> dict[str, tuple[float, float]]:
    font = theme().raw_font(12)
    return {text: (start, start + text_width(text, font)) for start, text in placed(labels, width)}


def apart(found: dict[str, tuple[float, float]], width: float = WIDTH) -> bool:
    edges = sorted(found.values())
    inside = edges[0][0] >= 0 and edges[-1][1] <= width + 0.5
    return inside and all(b[0] - a[1] >= 7.9 for a, b in itertools.pairwise(edges))


@pytest.mark.parametrize("figure", [0, 3, 31, 44, 49, 51, 53, 58, 66, 83, 97, 100])
@pytest.mark.parametrize("width", [320.0, WIDTH, 900.0])
def test_labels_stand_apart_and_within_the_line(figure: float, width: float) -> None:
    found = spans(LineLabels(tick="coin 50", rival=("longer wins", figure)), width=width)
    assert "coin 50" in found
    assert f"longer wins {figure}" in found
    assert apart(found, width)


def test_a_rival_that_does_as_well_as_a_coin_shares_its_label() -> None:
    found = spans(LineLabels(tick="coin 50", rival=("longer wins", 50.3)))
    assert set(found) == {"0", "coin and “longer wins” 50", "100"}


def test_an_end_gives_way_to_what_stands_there() -> None:
    assert "100" not in spans(LineLabels(tick="no effect 50", rival=("longer wins", 100.0)))


def test_it_says_its_figures_and_paints_ring_band_and_tick(qtbot: QtBot) -> None:
    shown = Line()
    shown.set_values(52.0, 95.0, 76.0, accessible="between 52 and 95 of 100, middle 76")
    qtbot.addWidget(shown)
    shown.resize(400, shown.sizeHint().height())
    assert shown.accessibleName() == "between 52 and 95 of 100, middle 76"
    image = shown.grab().toImage()
    y, tokens = image.height() // 2, theme().tokens
    assert image.pixelColor(8, y) == QColor(tokens.track)
    assert image.pixelColor(round(0.65 * 400), y) == QColor(tokens.tint2)
    assert image.pixelColor(round(0.76 * 400), y) == QColor(tokens.surface)
    assert image.pixelColor(round(0.76 * 400) - 5, y) == QColor(tokens.accent)
    shown.set_values(None, None, None, accessible="not known")
    assert shown.grab().toImage().pixelColor(round(0.65 * 400), y) == QColor(tokens.track)
