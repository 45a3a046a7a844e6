"""What is said of a user's taste, in the same words at every door."""

from __future__ import annotations

from ..statistics import Fraction
from ..verdict_kinds import Standing
from .taste import FEWEST, Taste


def about(standing: Standing | None, taste: Taste) -> tuple[str, str] | None:
    """The user's own line beside a verdict: what counts, and how sure it is. None where the taste says nothing."""
    found = taste.estimate(standing)
    if found is None or standing is None:
        return None
    p, (low, high) = found.p, found.interval
    source = f"from {_votes(taste.votes)}"
    if not standing.centred:
        return f"Your taste: {percent(p)} % for a thumb up", f" (95 %: {percent(low)} to {percent(high)}), {source}."
    if found.log_odds == 0:
        return "Your taste: neither", f", {source}."
    side = "A"
    if found.log_odds < 0:
        side, p, low, high = "B", 1.0 - p, 1.0 - high, 1.0 - low
    return f"Your taste: {side}, {percent(p)} %", f" (95 %: {percent(low)} to {percent(high)}), {source}."


def progress(taste: Taste, others: int = 0) -> str:
    """How far the votes have come; ``others``: votes on other models' verdicts, which don't count here."""
    if taste.votes == 0 and others == 0:
        return f"No votes yet. From {FEWEST} on your taste is fitted."
    more = f" ({others} more on verdicts of other models)" if others else ""
    votes = f"{_votes(taste.votes)}{more}"
    if not taste.fitted:
        return f"{votes}. From {FEWEST} on your taste is fitted."
    if not taste.kept:
        return (
            f"{votes}. Your taste is not shown yet: tried on votes that were left out, it does no better "
            "than a coin or the taste of most people."
        )
    return f"{votes}. Tried on votes that were left out, your taste holds out."


def agreement(taste: Taste) -> str:
    """How often the user and the judge agree on duels; empty before the first."""
    whole, blind = taste.agreement, taste.blind_agreement
    if whole.n == 0:
        return ""
    sentence = f"You agree with the judge in {_fraction(whole, 'duel')}."
    if blind.n == whole.n:
        return sentence
    if blind.n == 0:
        return f"{sentence} You had seen its verdict by then, which makes agreeing likelier."
    return f"{sentence} In those you voted on before you saw its verdict, in {_fraction(blind)}."


def percent(p: float) -> int:
    """Whole percent; 0 and 100 are never claimed."""
    return min(99, max(1, round(100 * p)))


def _fraction(part: Fraction, noun: str = "") -> str:
    named = f" {noun}{'' if part.n == 1 else 's'}" if noun else ""
    assert part.low is not None
    assert part.high is not None
    return f"{part.right:.0f} of {part.n}{named} (95 %: {100 * part.low:.0f} to {100 * part.high:.0f} %)"


def _votes(count: int) -> str:
    return "1 vote" if count == 1 else f"{count:,} votes"
