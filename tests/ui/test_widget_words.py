"""Shared widgets: what they say to screen readers, and what they paint for it."""

from __future__ import annotations

import pytest
from widget_makers import check_bars, factor_bars, stage_list

from jokejudge_gui.ui.look.stylesheet import LIGHT
from jokejudge_gui.ui.widgets.base import hundredths
from jokejudge_gui.ui.widgets.duel_scale import DuelScale, OrdersPlot
from jokejudge_gui.ui.widgets.factor_bars import FactorBars, FactorRow
from jokejudge_gui.ui.widgets.gauge import Gauge
from jokejudge_gui.ui.widgets.labels import Chip, ScoreBadge

pytestmark = pytest.mark.usefixtures("scale")


def test_gauge_says_its_state(qtbot) -> None:
    shown = Gauge()
    qtbot.addWidget(shown)
    assert shown.accessibleName() == "No verdict yet"
    shown.set_running()
    assert shown.accessibleName() == "Judging"
    shown.set_value(3.4, 0.6)
    assert shown.accessibleName() == "Mean 3.4 of 5, plus or minus 0.6"
    shown.set_value(4.0)
    assert shown.accessibleName() == "Mean 4.0 of 5"
    shown.set_empty()
    assert shown.value is None


@pytest.mark.parametrize(
    ("value", "token"), [(4.1, "good_fill"), (2.9, "mid_fill"), (1.2, "bad_fill"), (3.5, "good_fill")]
)
def test_gauge_is_painted_in_the_colour_of_its_score(value: float, token: str, qtbot) -> None:
    shown = Gauge()
    qtbot.addWidget(shown)
    shown.set_value(value, 0.4)
    shown.resize(shown.sizeHint())
    image = shown.grab().toImage()
    colours = {image.pixelColor(x, y).name().upper() for x in range(image.width()) for y in range(image.height())}
    assert getattr(LIGHT, token) in colours


def test_factor_bars_say_every_row(qtbot) -> None:
    shown = factor_bars()
    qtbot.addWidget(shown)
    words = shown.accessibleDescription()
    assert "Wordplay: 5 of 5, expected 4.8, plus or minus 0.2, your average 3.1" in words
    assert "Clarity: no answer" in words
    assert "Economy: being scored" in words
    assert "Originality: not scored yet" in words


def test_best_factor_is_the_highest_and_only_when_asked(qtbot) -> None:
    shown = FactorBars()
    qtbot.addWidget(shown)
    rows = [
        FactorRow("A", score=4, expected=3.9, sd=0.1, state="done"),
        FactorRow("B", score=4, expected=4.2, sd=0.1, state="done"),
        FactorRow("C", score=None, state="done"),
    ]
    shown.set_rows(rows)
    assert shown.best_row() is None
    shown.set_rows(rows, best=True)
    assert shown.best_row() == 1
    shown.set_rows([rows[2]], best=True)
    assert shown.best_row() is None
    shown.set_rows([], best=True)
    assert shown.best_row() is None


def test_check_bars_say_what_failed_and_what_was_needed(qtbot) -> None:
    shown = check_bars()
    qtbot.addWidget(shown)
    assert "intent: failed, 0.04" in shown.accessibleDescription()
    assert "Needs 0.10" in shown.accessibleDescription()


@pytest.mark.parametrize(
    ("chance", "part", "said"),
    [
        (None, "", "Scale from A to B"),
        (100, "clearly A", "clearly A, 100 in 100 for A"),
        (85, "clearly A", "clearly A, 85 in 100 for A"),
        (84, "probably A", "probably A, 84 in 100 for A"),
        (65, "probably A", "probably A, 65 in 100 for A"),
        (64, "can’t tell", "can’t tell"),
        (50, "can’t tell", "can’t tell"),
        (36, "can’t tell", "can’t tell"),
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


def test_badges_say_score_and_side(qtbot) -> None:
    badge = ScoreBadge(4.14)
    qtbot.addWidget(badge)
    assert badge.accessibleName() == "Score 4.1 of 5"
    badge.set_score(5)
    assert badge.accessibleName() == "Score 5 of 5"
    badge.set_score(None)
    assert badge.accessibleName() == "No score"


@pytest.mark.parametrize(("p", "text"), [(0.79, ".79"), (1.0, "1.00"), (0.0, ".00"), (0.996, "1.00"), (-1, ".00")])
def test_probabilities_in_two_places(p: float, text: str) -> None:
    assert hundredths(p) == text


# Stages


def test_stage_says_its_state_and_time(qtbot) -> None:
    shown = stage_list()
    qtbot.addWidget(shown)
    assert shown.item("one").accessibleName() == "Stage 1, Admissible: done, 2.1 seconds"
    assert shown.item("three").accessibleName() == "Stage 3, Scores: idle"
    shown.set_state("three", "not run")
    assert shown.item("three").seconds.text() == "not run"
    shown.set_state("three", "done", 0.0004)
    assert shown.item("three").seconds.text() == ""
    assert shown.item("three").accessibleName() == "Stage 3, Scores: done"


def test_a_hint_shows_while_idle_and_comes_back_on_reset(qtbot) -> None:
    shown = stage_list()
    qtbot.addWidget(shown)
    assert shown.item("three").text.text() == "0 to 5."
    shown.set_state("three", "running")
    assert shown.item("three").text.isHidden()
    shown.reset()
    assert not shown.item("three").text.isHidden()
    assert shown.item("one").chips.items() == []
    assert shown.item("two").progress.isHidden()


def test_stopped_keeps_what_was_shown(qtbot) -> None:
    shown = stage_list()
    qtbot.addWidget(shown)
    shown.set_state("two", "stopped", 0.9)
    assert shown.item("two").text.text() == "4 of 7 scored"
    assert not shown.item("two").progress.isHidden()
