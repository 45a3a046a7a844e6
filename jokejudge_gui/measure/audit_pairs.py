"""Pairs of jokes for an audit: those that come with the program, or the user's own."""

from __future__ import annotations

import math
import random

from ..core.errors import JokeJudgeError
from ..core.texts import clean_text
from ..core.verdicts import Side
from ..core.vote_sets import shipped_votes
from ..judge.audit.trials import digest
from ..judge.audit.types import Case
from .evaluation import draw
from .labelled import LabelledPair, read_pairs

SHIPPED = "jokes that come with the program"
USUAL = 200
"""Default number of pairs of an audit."""
_TRIES = 50
_SEED = 1


def shipped_cases(number: int = USUAL) -> tuple[Case, ...]:
    """Return pairs of rated jokes that share no joke and differ in their rating, the same ones for the same number.
    Raises ``ModelError`` where the ratings can't be read."""
    rated = list(shipped_votes().ratings)
    # A shorter audit's pairs are the first ones of a longer audit.
    order = sorted({row.text: row for row in rated}.values(), key=lambda row: digest(row.text))
    shuffled = random.Random(_SEED).sample(order, len(order))
    cases: list[Case] = []
    while len(cases) < number and len(shuffled) > 1:
        one = shuffled.pop()
        other = next((row for row in reversed(shuffled[-_TRIES:]) if abs(row.value - one.value) > 1e-6), None)
        if other is None:
            continue
        shuffled.remove(other)
        cases.append(case_of(one.text, other.text, one.value - other.value))
    return tuple(cases)


def own_cases(source: str, number: int | None = None) -> tuple[Case, ...]:
    """Return at most ``number`` pairs of a labelled file, drawn at random. Raises what ``read_pairs`` raises."""
    file = read_pairs(source)
    found: dict[str, Case] = {}
    for place in draw(len(file.rows), number, _SEED):
        row = file.rows[place]
        try:
            case = case_of(row.text_a, row.text_b, _gap(row), row.winner)
        except JokeJudgeError:
            continue  # a text that can't be judged at all
        if case.text_a != case.text_b:
            found.setdefault(case.id, case)
    return tuple(found.values())


def case_of(text_a: str, text_b: str, gap: float, winner: Side | None = None) -> Case:
    """Return a pair with its id. ``gap``: people's preference for A, negative for B. Raises what ``clean_text``
    raises."""
    better: Side | None = winner or ("A" if gap > 0 else "B" if gap < 0 else None)
    id = digest("\0".join((clean_text(text_a), clean_text(text_b))))
    return Case(id=id, text_a=text_a, text_b=text_b, winner=better, gap=gap)


def _gap(row: LabelledPair) -> float:
    """Return the log-odds of the votes, with half a vote more on each side; ±1 where only the winner is known."""
    if row.votes_a is not None and row.votes_b is not None:
        return math.log((row.votes_a + 0.5) / (row.votes_b + 0.5))
    return 1.0 if row.winner == "A" else -1.0
