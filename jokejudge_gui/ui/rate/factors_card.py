"""The factors' bars with their legend."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtWidgets import QHBoxLayout

from ...verdicts import RatingResult
from ..look import wording
from ..widgets.cards import Card
from ..widgets.chips import Chip, ChipFlow
from ..widgets.controls import LinkButton
from ..widgets.factor_bars import FactorBars, FactorLegend, FactorRow
from ..widgets.text import Paragraph
from .state import FactorView, RateState

STRONGEST, WEAKEST = 3, 2


class FactorsCard(Card):
    """Bars fill in as factors are scored. Of a rating that is one reading: its kinds, the strongest and the weakest
    factors, and the others behind a link."""

    def __init__(self) -> None:
        self.legend = FactorLegend()
        super().__init__("Factors", "0 to 5", self.legend)
        self.kinds = ChipFlow()
        self.bars = FactorBars()
        self.more = LinkButton("")
        self.more.clicked.connect(self._unfold)
        self.weighted = Paragraph("", 13, 400, "text2")
        self.untold = Paragraph("", 13, 400, "text3")
        self.add(self.kinds)
        self.add(self.bars)
        self.add(self.weighted)
        line = QHBoxLayout()
        line.addWidget(self.more)
        line.addStretch(1)
        self.add_layout(line)
        self.add(self.untold)
        self._rows: list[FactorRow] = []
        self._best = False
        self._chosen: list[str] = []
        self._unfolded = False
        self._of: str | None = None
        self._state, self._averages = RateState(), {}  # type: tuple[RateState, Mapping[str, float]]

    def _unfold(self) -> None:
        self._unfolded = not self._unfolded
        self.show_state(self._state, self._averages)

    def show_state(self, state: RateState, averages: Mapping[str, float]) -> None:
        self._state, self._averages = state, averages
        if state.id != self._of:
            self._of, self._unfolded = state.id, False
        read = state.reads and bool(state.factors)
        best = state.phase == "finished" or (state.result is not None and state.result.mean_score is not None)
        # The best factor stands first in a whole verdict; while it runs rows keep their places.
        views = sorted(state.factors, key=_order) if state.phase == "finished" or read else state.factors
        folded = len(views) - STRONGEST - WEAKEST if read else 0
        if folded > 0 and not self._unfolded:
            views = [*views[:STRONGEST], *views[-WEAKEST:]]
        rows = [_row(view, averages) for view in views]
        if rows != self._rows or best != self._best:
            self._rows, self._best = rows, best
            self.bars.set_rows(rows, best)
            self.legend.set_average(any(row.average is not None for row in rows))
        words = _weighted(state.result) if state.result is not None else ""
        self.weighted.set_content(words)
        self.weighted.setVisible(bool(words))
        self._show_title("How an editor reads it" if read else "Factors")
        self._show_kinds([kind.name for kind in state.categories if kind.chosen] if read else [])
        untold = [wording.CHECK_LABELS.get(c.check, c.check) for c in state.checks if not c.reliable and c.passed]
        self._show_fold(folded, untold if read else [])

    def _show_title(self, title: str) -> None:
        if self.title_label.text() != title:
            self.title_label.setText(title)
            self.setAccessibleName(title)

    def _show_kinds(self, kinds: list[str]) -> None:
        if kinds != self._chosen:
            self._chosen = kinds
            self.kinds.set_chips([Chip("chosen", name) for name in kinds])
        self.kinds.setVisible(bool(kinds))

    def _show_fold(self, folded: int, untold: list[str]) -> None:
        self.more.setVisible(folded > 0)
        words = "Show fewer" if self._unfolded else f"{folded} more"
        self.more.setText(words)
        self.more.setAccessibleName(words if self._unfolded else f"{wording.count_of(folded, 'more factor')}")
        self.untold.setVisible(self._unfolded and folded > 0 and bool(untold))
        self.untold.set_content(f"Checks that this model can't make: {', '.join(untold)}." if untold else "")


def _weighted(result: RatingResult) -> str:
    """The weighted score, where the user set weights or the model was asked for scores."""
    asked = result.everything_asked or any(factor.source != "read" for factor in result.factors)
    if result.weighted_score is None or not (result.weights or asked):
        return ""
    how = "by your weights" if result.weights else "by how far each factor can be trusted"
    beside = ""
    if result.weights and result.mean_score is not None and result.max_score is not None:
        beside = f" The mean is {result.mean_score:.1f}, the best factor {result.max_score:.1f}."
    return f"Weighted {result.weighted_score:.1f} of 5, {how}.{beside}"


def _order(view: FactorView) -> tuple[float, float]:
    score = view.score
    if score is None or score.score is None:
        return (1.0, 0.0)
    return (-float(score.score), -(score.expected if score.expected is not None else 0.0))


def _row(view: FactorView, averages: Mapping[str, float]) -> FactorRow:
    score = view.score
    if score is None:
        return FactorRow(view.name, view.written, state="running" if view.running else "waiting")
    # Read and asked scores are on scales of their own.
    key = view.id if score.source == "asked" else f"{view.id}@{score.source}"
    average = averages.get(key) if not view.written else None
    note = "This model doesn't separate jokes on this factor." if score.separates is False else ""
    return FactorRow(view.name, view.written, score.score, score.expected, score.sd, average, "done", note)
