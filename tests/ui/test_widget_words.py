"""Shared widgets: what they say to screen readers, and what they paint for it."""

from __future__ import annotations

import pytest

from jokejudge_gui.ui.widgets.duel_scale import DuelScale

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
