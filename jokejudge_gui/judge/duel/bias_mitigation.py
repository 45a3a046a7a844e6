"""Both orders, in one fixed order: the pair is sorted before anything is asked and the answers are mapped back."""

from __future__ import annotations

from dataclasses import dataclass

from ...core.statistics import sigmoid
from ...core.verdicts import OrderResult, Side
from ..asking.questions import LogOdds


@dataclass(frozen=True)
class CanonicalPair:
    """Two jokes sorted by their code points. ``swapped``: the first is the user's B."""

    first: str
    second: str
    swapped: bool

    @property
    def identical(self) -> bool:
        return self.first == self.second

    def side(self, place: int) -> Side:
        """Which of the user's jokes stands at canonical place 0 or 1."""
        return "B" if (place == 1) != self.swapped else "A"

    def for_a(self, log_odds_of_first: float) -> float:
        """A log-odds for the canonical first joke as one for the user's A."""
        return -log_odds_of_first if self.swapped else log_odds_of_first


def canonical(text_a: str, text_b: str) -> CanonicalPair:
    """The pair in its canonical order, the same whichever way round it came."""
    if text_b < text_a:
        return CanonicalPair(text_b, text_a, swapped=True)
    return CanonicalPair(text_a, text_b, swapped=False)


def order_result(pair: CanonicalPair, place: int, odds_of_first_shown: LogOdds) -> OrderResult:
    """One order's answer. ``place``: which canonical joke was shown first."""
    side = pair.side(place)
    value = odds_of_first_shown.value if side == "A" else -odds_of_first_shown.value
    return OrderResult(first=side, p_a=sigmoid(value), log_odds_a=value, label_mass=odds_of_first_shown.mass)


def is_consistent(orders: tuple[OrderResult, ...]) -> bool:
    """Whether both orders name the same joke."""
    first, second = orders
    return (first.log_odds_a > 0) == (second.log_odds_a > 0) and first.log_odds_a != 0 and second.log_odds_a != 0


def position_bias(orders: tuple[OrderResult, ...]) -> float:
    """Half the difference of a joke's probability in first and in second place; positive: first is favoured."""
    by_first = {order.first: order.p_a for order in orders}
    return 0.5 * (by_first["A"] - by_first["B"])
