"""The factors' bars with their legend."""

from __future__ import annotations

from collections.abc import Mapping

from ..widgets.cards import Card
from ..widgets.factor_bars import FactorBars, FactorLegend, FactorRow
from .state import FactorView, RateState


class FactorsCard(Card):
    """Bars fill in as factors are scored."""

    def __init__(self) -> None:
        self.legend = FactorLegend()
        super().__init__("Factors", "0 to 5", self.legend)
        self.bars = FactorBars()
        self.add(self.bars)
        self._rows: list[FactorRow] = []
        self._best = False

    def show_state(self, state: RateState, averages: Mapping[str, float]) -> None:
        best = state.phase == "finished" or (state.result is not None and state.result.mean_score is not None)
        # The best factor stands first in a whole verdict; while it runs rows keep their places.
        views = sorted(state.factors, key=_order) if state.phase == "finished" else state.factors
        rows = [_row(view, averages) for view in views]
        if rows != self._rows or best != self._best:
            self._rows, self._best = rows, best
            self.bars.set_rows(rows, best)
            self.legend.set_average(any(row.average is not None for row in rows))


def _order(view: FactorView) -> tuple[float, float]:
    score = view.score
    if score is None or score.score is None:
        return (1.0, 0.0)
    return (-float(score.score), -(score.expected if score.expected is not None else 0.0))


def _row(view: FactorView, averages: Mapping[str, float]) -> FactorRow:
    score = view.score
    average = averages.get(view.id) if not view.written else None
    if score is None:
        return FactorRow(view.name, view.written, average=average, state="running" if view.running else "waiting")
    note = "This model doesn't separate jokes on this factor." if score.separates is False else ""
    return FactorRow(view.name, view.written, score.score, score.expected, score.sd, average, "done", note)
