"""What the Duel tab knows of a duel: folded from events as they come, or read from the history."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...core.events import (
    DuelMeasured,
    OrderDone,
)
from ...core.verdicts import DuelResult, OrderResult, side_of
from ..look import wording
from ..verdict.tab import VerdictState


@dataclass
class DuelState(VerdictState):
    """One duel as it is shown. ``swapped``: A and B are exchanged against its row in the history."""

    text_a: str = ""
    text_b: str = ""
    orders: list[OrderResult] = field(default_factory=list)
    result: DuelResult | None = field(default=None, kw_only=True)
    swapped: bool = field(default=False, kw_only=True)

    @property
    def texts(self) -> tuple[str, ...]:
        return self.text_a, self.text_b

    @property
    def measured(self) -> bool:
        """Whether there is an answer to show."""
        return self.result is not None and self.result.winner is not None and self.result.confidence_factor is not None

    @property
    def unseen(self) -> bool:
        return super().unseen and not self.orders

    @property
    def seconds(self) -> float | None:
        """Time so far, or what the whole took."""
        if self.live:
            return self.so_far
        return self.result.seconds if self.result is not None else None

    def apply(self, event: object) -> None:
        """Take in one event of the job."""
        super().apply(event)
        match event:
            case OrderDone(order=order):
                self.orders.append(order)
                self.done = len(self.orders)
            case DuelMeasured(result=result):
                self._take(result)

    def swap(self) -> None:
        """Exchange A and B; the verdict stays that of the stored row."""
        self.text_a, self.text_b = self.text_b, self.text_a
        self.swapped = not self.swapped
        if self.result is not None:
            self.explanation = ""
            self._take(self.result.mirrored())

    def as_stored(self, choice: str) -> str:
        return {"A": "B", "B": "A"}.get(choice, choice) if self.swapped else choice

    def _take(self, result: DuelResult) -> None:
        self.result = result
        if result.orders:
            self.orders = list(result.orders)
        if result.explanation:
            self.explanation = result.explanation


def heading(result: DuelResult) -> str:
    """The answer in a few words."""
    if result.winner == "tie":
        return "A tie"
    if result.within_noise:
        return "Too close to call"
    if result.consistent is False and result.audience is None:
        return f"{result.winner}, but uncertain"
    if result.band == "nearly identical":
        return f"{result.winner}, by a hair"
    return f"{result.winner} wins"


def sentence(result: DuelResult) -> str:
    """How sure the answer is, in words."""
    factor = result.confidence_factor or 1.0
    band = (result.band or "").capitalize()
    if result.winner == "tie":
        named = f"{band}: neither" if band else "Neither"
        return f"{named} is funnier than the other."
    if result.drafts is not None:
        odds = "more than 20" if factor > 20 else f"about {factor:.1f}".removesuffix(".0")
        return f"{band}: {result.winner} is {odds} times as likely to be the one that an editor prefers."
    shown = f"{factor:.0f}" if factor >= 9.95 else f"{factor:.1f}".removesuffix(".0")
    if result.within_noise:
        return f"{band}: what {result.winner} is ahead by is less than the numerical noise of this model's answers."
    if result.band == "nearly identical":
        return f"{band}: the two can hardly be told apart."
    if factor > 20:
        return f"{band}: {result.winner} is more than 20 times as likely to be the funnier one."
    how = "at most" if result.consistent is False and result.audience is None else "about"
    return f"{band}: {result.winner} is {how} {shown} times as likely to be the funnier one."


def drafts_words(result: DuelResult) -> str:
    """What is said of two versions of one joke; empty for two jokes."""
    if result.drafts is None:
        return ""
    right = f"right in {100 * result.drafts.agreement:.0f} of 100"
    return f"Two versions of one joke: judged by an editor's drafts, {right}."


def has_details(result: DuelResult) -> bool:
    """Whether there are several measurements to show one by one."""
    return bool(result.orders) or len(result.shares) > 1


def length_words(result: DuelResult) -> tuple[str, str]:
    """What was done about the lengths, and what it changed; the latter empty for a tie."""
    if result.length_controlled is None:
        return "", ""
    more = len(result.text_a) - len(result.text_b)
    longer = "A" if more > 0 else "B"
    extra = wording.count_of(abs(more), "extra character")
    lead = f"With {longer}'s {extra} taken into account." if more else "Both are equally long."
    if result.winner == "tie":
        return lead, ""
    controlled = side_of(result.length_controlled.p_a)
    if controlled == "tie":
        return lead, "It would be a tie."
    return lead, f"The winner {'stays the same' if controlled == result.winner else 'would change'}."


def length_line(result: DuelResult) -> str:
    """The same in one sentence with its figure; empty where the length says nothing."""
    lead, ends = length_words(result)
    if result.length_controlled is None or len(result.text_a) == len(result.text_b):
        return ""
    figure = f"p(A) is {wording.probability(result.length_controlled.p_a)}"
    return f"{lead.removesuffix('.')}, {figure}.{' ' if ends else ''}{ends}"


def disagreement(result: DuelResult) -> str | None:
    """What the banner says when the two orders disagree; None when they don't."""
    if result.consistent is not False:
        return None
    if result.audience is not None:
        return (
            "Asked for the funnier of the two, the model names the joke in the same place both times. "
            "That answer hardly counts here; the audience estimate, which reads each joke alone, decides."
        )
    if result.winner == "tie":
        return "Each joke wins in one order only. Treat it as a toss-up."
    won = [o.first for o in result.orders if (o.p_a > 0.5) == (result.winner == "A")]
    where = "first" if result.winner in won else "second"
    text = f"{result.winner} wins only when it comes {where}"
    measured, factor = result.measured_factor, result.confidence_factor
    if measured is not None and factor is not None and measured > factor * 1.005:
        return f"{text}, so the confidence is capped at {factor:.1f} (measured {measured:.1f}). Treat it as a toss-up."
    return f"{text}. Treat it as a toss-up."
