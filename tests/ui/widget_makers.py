"""One of each shared widget, filled."""

from __future__ import annotations

from jokejudge_gui.ui.widgets.bars import CheckBars, CheckRow
from jokejudge_gui.ui.widgets.duel_scale import DuelScale, OrdersPlot
from jokejudge_gui.ui.widgets.factor_bars import FactorBars, FactorRow
from jokejudge_gui.ui.widgets.gauge import Gauge
from jokejudge_gui.ui.widgets.labels import Chip
from jokejudge_gui.ui.widgets.stage_list import StageList

LONG = "A rather long name that a model thought of for its very own factor"

STAGES = [("one", "Admissible", "Is it a joke?"), ("two", "Categories", "Which kinds?"), ("three", "Scores", "0 to 5.")]


def gauge() -> Gauge:
    widget = Gauge()
    widget.set_value(3.4, 0.6)
    return widget


def factor_bars() -> FactorBars:
    widget = FactorBars()
    widget.set_rows(
        [
            FactorRow("Wordplay", False, 5, 4.8, 0.2, 3.1, "done"),
            FactorRow(LONG, True, 2, 2.2, 1.9, None, "done"),
            FactorRow("Clarity", state="done"),
            FactorRow("Economy", average=2.0, state="running"),
            FactorRow("Originality"),
        ]
    )
    return widget


def check_bars() -> CheckBars:
    widget = CheckBars()
    widget.set_rows([CheckRow("intent", 0.04, False), CheckRow("appropriateness", 1.0, True)], 0.1)
    return widget


def duel_scale() -> DuelScale:
    widget = DuelScale()
    widget.set_chance(72)
    return widget


def orders_plot() -> OrdersPlot:
    widget = OrdersPlot()
    widget.set_orders(0.47, 0.91, False, 0.22)
    return widget


def stage_list() -> StageList:
    widget = StageList(STAGES)
    widget.set_state("one", "done", 2.1)
    widget.set_chips("one", [Chip("passed", word, ".97") for word in ("intent", "complete", "coherent", "apt")])
    widget.set_state("two", "running", 0.4)
    widget.set_text("two", "4 of 7 scored")
    widget.set_progress("two", 0.5)
    return widget
