"""A duel for people to read."""

from __future__ import annotations

from ..verdicts import Drafts, DuelResult, side_of
from .console import Console
from .verdict_lines import by_model, heading, label, labelled_text, probability, start_of, tail, warnings, yours


def show_duel(console: Console, result: DuelResult, taste: str) -> None:
    """The winner first, then what was measured; what wasn't asked isn't named."""
    warnings(console, result)
    _headline(console, result)
    console.text("")
    for side, text in (("A", result.text_a), ("B", result.text_b)):
        label(console, side, start_of(console, text))
    _orders(console, result)
    _measured(console, result)
    yours(console, taste)
    by_model(console, result.panel)
    tail(console, result)


def _headline(console: Console, result: DuelResult) -> None:
    style = console.style
    if result.winner is None or result.confidence_factor is None:
        heading(console, "No answer")
        return
    band = f"{result.band}, " if result.band else ""
    factor = f"({band}confidence factor {result.confidence_factor:.2f})"
    if result.winner == "tie":
        heading(console, f"A tie  {factor}")
    elif result.within_noise:
        heading(console, f"Too close to call, {result.winner} ahead by less than the model's noise  {factor}")
    else:
        heading(console, f"{result.winner} is the funnier one  {factor}")
    if result.p_a is not None:
        left, right = probability(result.p_a), probability(1 - result.p_a)
        console.text(f"A {left} {style.paint(style.bar(result.p_a, 30), 'green')} {right} B")


def _orders(console: Console, result: DuelResult) -> None:
    if result.orders:
        orders = "  ".join(f"{order.first} first: A {probability(order.p_a)}" for order in result.orders)
        lean = "the audience estimate decides" if result.audience else "don't rely on it"
        agree = {True: "  (the orders agree)", False: f"  (the orders disagree: {lean})", None: ""}
        label(console, "Orders", orders + agree[result.consistent])
    if result.position_bias is not None:
        label(console, "Position", f"bias {result.position_bias:+.2f} in probability, taken out")


def _measured(console: Console, result: DuelResult) -> None:
    if len(result.shares) > 1:  # one measurement alone has all of the weight
        label(console, "Shares", "  ".join(f"{share.name} {share.share:.0%}" for share in result.shares))
    if result.measured_factor is not None and result.measured_factor != result.confidence_factor:
        label(console, "Measured", f"factor {result.measured_factor:.2f} before it was capped")
    if result.drafts:
        labelled_text(console, "Drafts", _drafts(result.drafts, named=not result.explanation))
    if result.length_controlled:
        label(console, "Length", f"A {probability(result.length_controlled.p_a)} with length taken out")
    if result.audience:
        label(console, "Audience", f"A {probability(result.audience.p_a)} from people's votes alone")


def _drafts(drafts: Drafts, *, named: bool) -> str:
    """``named``: name the fault of the worse draft, which the explanation else does."""
    better = side_of(drafts.p_a)
    right = f"(right in {drafts.agreement * 100:.0f} of 100 pairs of drafts)"
    if better == "tie":
        return f"two versions of one joke: an editor would hardly prefer either {right}"
    p = drafts.p_a if better == "A" else 1 - drafts.p_a
    fault = f"; what the other suffers from: {drafts.fault.replace('_', ' ')}" if drafts.fault and named else ""
    prefers = f"an editor prefers {better} with probability {probability(p)}"
    return f"two versions of one joke: {prefers} {right}{fault}"
