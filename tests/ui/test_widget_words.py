"""Shared widgets: what they say to screen readers, and what they paint for it."""

from __future__ import annotations

import pytest
from widget_makers import check_bars, factor_bars, share_bar, stage_list

from jokejudge_gui.ui.look.stylesheet import LIGHT
from jokejudge_gui.ui.widgets.bars import ShareBar, ShareRow
from jokejudge_gui.ui.widgets.base import hundredths
from jokejudge_gui.ui.widgets.duel_scale import DuelScale, OrdersPlot, band_of, factor_text
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


def test_duel_scale_says_winner_band_and_cap(qtbot) -> None:
    shown = DuelScale()
    qtbot.addWidget(shown)
    shown.set_result(3.8, "A")
    assert shown.accessibleName() == "A is funnier: clear, factor 3.8"
    shown.set_result(2.0, "B", 2.6)
    assert shown.accessibleName() == "B is funnier: slight, factor 2.0, capped; 2.6 measured"
    shown.set_result(1.0, "tie", 1.0)
    assert shown.accessibleName() == "A tie: nearly identical, factor 1.0"


@pytest.mark.parametrize(
    ("factor", "band"),
    [
        (1.0, "nearly identical"),
        (1.1, "nearly identical"),
        (1.11, "slight"),
        (2.0, "slight"),
        (2.01, "clear"),
        (5.0, "clear"),
        (9.9, "strong"),
        (10.1, "overwhelming"),
        (1e9, "overwhelming"),
    ],
)
def test_bands_of_the_confidence_factor(factor: float, band: str) -> None:
    assert band_of(factor) == band


def test_a_factor_beyond_the_scale_is_not_claimed() -> None:
    assert factor_text(3.84) == "3.8×"
    assert factor_text(437.0) == "20+"


@pytest.mark.parametrize("width", [260, 480, 1000])
@pytest.mark.parametrize(
    ("factor", "winner", "measured"),
    [(1.0, "tie", None), (1.3, "A", None), (2.0, "B", 30.0), (1e6, "A", None), (20.0, "B", None)],
)
def test_duel_scale_paints_every_result_at_every_width(
    width: int, factor: float, winner: str, measured: float | None, scale: float, qtbot
) -> None:
    shown = DuelScale()
    qtbot.addWidget(shown)
    shown.set_result(factor, winner, measured)
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


def test_share_bar_says_its_shares(qtbot) -> None:
    shown = share_bar()
    qtbot.addWidget(shown)
    assert "Pair: 60 percent, leans A" in shown.accessibleDescription()


def test_share_bar_paints_without_any_share(qtbot) -> None:
    shown = ShareBar()
    qtbot.addWidget(shown)
    shown.set_rows([ShareRow("Pair", 0.0)])
    assert not shown.grab().isNull()


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
