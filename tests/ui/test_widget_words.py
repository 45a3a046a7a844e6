"""Shared widgets: what they say to screen readers, and what they paint for it."""

from __future__ import annotations

import pytest

from jokejudge_gui.ui.widgets.base import hundredths
from jokejudge_gui.ui.widgets.duel_scale import DuelScale, OrdersPlot
from jokejudge_gui.ui.widgets.labels import Chip

pytestmark = pytest.mark.usefixtures("scale")


@pytest.mark.parametrize(
    ("chance", "part", "said"),
    [
        (None, "", "Scale from A to B"),
        (100, "clearly A", "clearly A, 100 in 100 for A"),
        (85, "clearly A", "clearly A, 85 in 100 for A"),
        (84, "probably A", "probably A, 84 in 100 for A"),
        (65, "probably A", "probably A, 65 in 100 for A"),
        (64, "can't tell", "can't tell"),
        (50, "can't tell", "can't tell"),
        (36, "can't tell", "can't tell"),
        (35, "probably B", "probably B, 65 in 100 for B"),
        (15, "clearly B", "clearly B, 85 in 100 for B"),
    ],
)
@pytest.mark.parametrize("width", [240, 480, 1000])
def test_duel_scale_says_which_part_holds_and_the_chance(
    chance: int | None, part: str, said: str, width: int, scale: float, qtbot
) -> None:
    shown = DuelScale()
    qtbot.addWidget(shown)
    shown.set_chance(chance)
    assert (shown.part, shown.accessibleName()) == (part, said)
    shown.resize(round(width * scale), shown.sizeHint().height())
    assert not shown.grab().isNull()


def test_orders_plot_says_both_orders(qtbot) -> None:
    shown = OrdersPlot()
    qtbot.addWidget(shown)
    shown.set_orders(0.76, None)
    assert shown.accessibleDescription() == "A first: 0.76. B first: not measured yet"
    shown.set_orders(0.47, 0.91, False, 0.22)
    assert "inconsistent" in shown.accessibleDescription()
    assert "Position bias +0.22" in shown.accessibleDescription()


def test_chips_say_their_kind(qtbot) -> None:
    for kind, words in (
        ("passed", "intent passed .97"),
        ("failed", "intent failed .97"),
        ("outline", "intent not chosen .97"),
    ):
        chip = Chip(kind, "intent", ".97")
        qtbot.addWidget(chip)
        assert chip.accessibleName() == words
    written = Chip("written", "Geometry")
    qtbot.addWidget(written)
    assert written.accessibleName() == "Geometry written for this joke"


@pytest.mark.parametrize(("p", "text"), [(0.79, ".79"), (1.0, "1.00"), (0.0, ".00"), (0.996, "1.00"), (-1, ".00")])
def test_probabilities_in_two_places(p: float, text: str) -> None:
    assert hundredths(p) == text


# Stages
