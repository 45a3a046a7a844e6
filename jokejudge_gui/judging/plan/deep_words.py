"""What was measured of Deep beside Quick, in words, wherever it is shown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...verdicts import Asked
from .deep_worth import Compared, Costs, DeepDuels, DeepRatings, DeepWorth

TITLE = "Deep against Quick"
UNMEASURED = "What Deep adds to Quick wasn't measured on this model."
REWORDED = "Its questions were reworded since, so these figures are of the earlier ones."
_WAYS: dict[Asked, str] = {"plan": "", "all": "with every question asked"}


class Row(NamedTuple):
    """A line of the table: of which verdicts (``section``) and what was measured, Quick's figure, Deep's, their
    difference with its interval, and on how many texts or pairs."""

    section: str
    name: str
    quick: str
    deep: str
    difference: str
    n: int


def verdict_line(found: DeepWorth | None, ask: Asked) -> str:
    """What was measured of a rating that asks so, in a sentence; empty where it wasn't."""
    ratings = found.of(ask) if found is not None else None
    if ratings is None:
        return ""
    if not ratings.moved:
        # That nothing is asked, and what follows, the verdict says by itself.
        return f"Measured on {ratings.texts} jokes: Deep's scores and kinds are Quick's, at {_times(ratings.costs)}."
    return ratings_line(ratings)


def lines(found: DeepWorth, mark: str = "") -> tuple[str, ...]:
    """All that was measured, a sentence for each part. ``mark``: today's questions; empty: not known."""
    said = [ratings_line(each) for each in found.ratings]
    if found.duels is not None:
        said.append(duels_line(found.duels))
    if mark and found.questions != mark:
        said.append(REWORDED)
    return tuple(said)


def ratings_line(found: DeepRatings) -> str:
    """What Deep adds to ratings, and what it costs."""
    way = f", {_WAYS[found.ask]}," if _WAYS[found.ask] else ""
    at = f"at {_times(found.costs)}, measured on {found.texts} jokes that an editor read"
    if not found.moved:
        return f"On this model{way} Deep adds nothing to ratings: scores and kinds are Quick's, {at}."
    said = _judged([("scores", found.factors), ("kinds", found.kinds)])
    if not said:
        some = f"Deep changes {_cents(found.moved)} of 100 ratings"
        return f"On this model{way} {some}, {at}; whether for the better can't be told."
    return f"On this model{way} {said}, {at}."


def duels_line(found: DeepDuels) -> str:
    """What Deep adds to duels, and what it costs."""
    at = f"at {_times(found.costs)}, measured on {found.right.n} pairs that people voted on"
    if not found.moved:
        return f"In duels Deep prefers the same joke as Quick each time, {at}."
    return f"In duels {_judged([('preferences', found.right)])}, {at}."


def rows(found: DeepWorth) -> Iterator[Row]:
    """The figures as a table."""
    for each in found.ratings:
        section = f"Ratings {_WAYS[each.ask]}".strip()
        if each.factors is not None:
            yield _row(section, "Scores, correlation with an editor's", each.factors)
        if each.kinds is not None:
            yield _row(section, "Likeliest kind is one of an editor's", each.kinds)
        yield _cost(section, "Tokens a rating", each.costs, each.texts)
    if found.duels is not None:
        yield _row("Duels", "As people voted", found.duels.right)
        yield _cost("Duels", "Tokens a duel", found.duels.costs, found.duels.right.n)


def figure(value: float, *, signed: bool = False) -> str:
    """``.57``, ``-.02``, ``1.00``; signed ``+.02``, and ``.00`` where nothing is left to be signed."""
    text = f"{value:.2f}"
    text = "0.00" if text == "-0.00" else text
    sign = "+" if signed and float(text) > 0 else ""
    return sign + text.replace("0.", ".", 1)


def between(found: Compared) -> str:
    """``+.02 (-.01 to +.05)``."""
    low, high = figure(found.low, signed=True), figure(found.high, signed=True)
    return f"{figure(found.difference, signed=True)} ({low} to {high})"


def _row(section: str, name: str, found: Compared) -> Row:
    return Row(section, name, figure(found.quick), figure(found.deep), between(found), found.n)


def _cost(section: str, name: str, costs: Costs, n: int) -> Row:
    times = f"× {costs.times:.1f}" if costs.times is not None else ""
    return Row(section, name, f"{costs.quick.tokens:,.0f}", f"{costs.deep.tokens:,.0f}", times, n)


def _judged(parts: list[tuple[str, Compared | None]]) -> str:
    """Which parts Deep makes better, which worse, and of which that can't be told; empty where none was measured."""
    better = [name for name, found in parts if found is not None and found.low > 0]
    worse = [name for name, found in parts if found is not None and found.high < 0]
    unsure = [name for name, found in parts if found is not None and found.low <= 0 <= found.high]
    said = []
    if better:
        said.append(f"Deep's {' and '.join(better)} are better than Quick's")
    if worse:
        what = " and ".join(worse)
        said.append(f"its {what} are worse" if said else f"Deep's {what} are worse than Quick's")
    if unsure:
        rest = " and ".join(unsure)
        if said:
            said.append(f"of {rest} it can't be told whether they are")
        else:
            said.append(f"it can't be told that Deep adds anything to {rest}")
    return "; ".join(said)


def _times(costs: Costs) -> str:
    return f"{costs.times:.1f} times Quick's tokens" if costs.times is not None else f"{costs.deep.tokens:,.0f} tokens"


def _cents(share: float) -> str:
    return f"{100 * share:.0f}"
