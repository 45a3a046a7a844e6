"""A duel asked so that neither place nor name decides: in both orders, and in one sequence however the jokes are
named, so that a swapped duel is the mirror image to the last bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from ...core.statistics import sigmoid
from ...core.verdicts import Side
from ..asking.questions import Measure
from .record import OrderResult

T = TypeVar("T")


def each_once(text_a: str, text_b: str, act: Callable[[str], T]) -> tuple[T, T]:
    """Return what ``act`` makes of each text, alone; the text whose code points come first is its first."""
    made = {text: act(text) for text in sorted((text_a, text_b))}
    return made[text_a], made[text_b]


def both_orders(measure: Measure, text_a: str, text_b: str) -> tuple[OrderResult, OrderResult]:
    """Return the answers with A first and with B first. First is asked the order that begins with the joke whose code
    points come first."""
    sides: tuple[Side, Side] = ("A", "B") if text_a <= text_b else ("B", "A")
    answers = measure.pair(sorted((text_a, text_b)))
    orders = {}
    for side, odds in zip(sides, answers, strict=True):
        value = odds.value if side == "A" else -odds.value
        orders[side] = OrderResult(first=side, p_a=sigmoid(value), log_odds_a=value, label_mass=odds.mass)
    return orders["A"], orders["B"]


def consistent(a_first: OrderResult, b_first: OrderResult) -> bool:
    """Whether both orders prefer the same joke."""
    low, high = sorted((a_first.log_odds_a, b_first.log_odds_a))
    return low > 0 or high < 0


def position_bias(a_first: OrderResult, b_first: OrderResult) -> float:
    """Return half the difference of a joke's probability in first and in second place; positive: first is favoured."""
    return 0.5 * (a_first.p_a - b_first.p_a)
