"""Who wrote the better jokes: the groups of a ranked list (a model, an author, a prompt) against one another."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist

import numpy as np

from ..errors import UsageError
from ..judging.contest.crowd import Opinion, of_people
from ..judging.contest.types import ContestResult, Entry, RankedEntry
from ..judging.contest.words import ranked
from ..library.families import are_kin
from ..verdicts import Frozen
from .group_strength import Vector, Whole, bradley_terry, length_controlled, mean_chance, pairs_between, wins

MOST_GROUPS = 100
LEAST_FOR_LENGTH = 40
"""So many jokes are needed before length's pull is known well enough to be taken out (SCIENCE (d))."""
_DRAWS = 1000
_LENGTH_DRAWS = 200
_MOST_NUMBERS = 4 * 10**7
_MOST_SHOWN = 8
_NORMAL = NormalDist()


class LengthControlled(Frozen):
    """``win_rate`` 0…1 as it would be between texts of one length, with its 95 % interval."""

    win_rate: float
    low: float
    high: float


class GroupStanding(Frozen):
    """A group of ``jokes``. ``win_rate`` 0…1: how often a joke of it, drawn at random, is found funnier than one of
    another group (all other groups count alike), with its 95 % interval; ``rank`` from 1 with the first and last that
    it may have. ``strength``: Bradley–Terry over groups, log-odds about a mean of 0, with its 95 % interval;
    ``length_controlled``: None for a list that is too short to tell. ``same_family``: its name and the judge's model
    seem to be of one family, which may favour it."""

    name: str
    jokes: int
    win_rate: float
    low: float
    high: float
    rank: int
    rank_low: int
    rank_high: int
    strength: float = 0.0
    strength_low: float = 0.0
    strength_high: float = 0.0
    length_controlled: LengthControlled | None = None
    same_family: bool = False


def columns_of(result: ContestResult) -> tuple[str, ...]:
    """Columns of the list that make at least two groups and no more than a leaderboard holds, in their order."""
    values: dict[str, set[str]] = {}
    entries = ranked(result)
    for entry in entries:
        for name, value in entry.columns.items():
            if value.strip():
                values.setdefault(name, set()).add(value.strip())
    return tuple(name for name, found in values.items() if 2 <= len(found) <= min(MOST_GROUPS, len(entries) - 1))


def column_named(entries: Sequence[Entry | RankedEntry], wanted: str) -> str:
    """The column that a person means by ``wanted``, whatever its case. Raises ``UsageError`` ``E_CONTEST_COLUMN``."""
    known = list(dict.fromkeys(name for entry in entries for name in entry.columns))
    found = next((name for name in known if name.strip().lower() == wanted.strip().lower()), None)
    if found is not None:
        return found
    shown = ", ".join(repr(name[:40]) for name in known[:_MOST_SHOWN])
    raise UsageError(
        "E_CONTEST_COLUMN",
        f"The list has no column {wanted!r} to group its jokes by"
        + (f": it has {shown}." if known else ", nor any other column beside the jokes."),
        "Name one of them." if known else "Give a CSV file or JSON lines with such a column.",
    )


def leaderboard(result: ContestResult, column: str, *, architecture: str = "") -> tuple[GroupStanding, ...]:
    """The groups that a column of the list makes, best first; ``architecture``: the judge's, if its name says nothing
    of its family. Entries without a value there, and those that have an earlier one's very text, don't count. Empty for
    fewer than two groups. Raises ``UsageError``: ``E_CONTEST_COLUMN`` where there is no such column,
    ``E_CONTEST_GROUPS`` for more than ``MOST_GROUPS``.

    Intervals hold both what is uncertain: people's opinion of each joke (the judge's own, where the ranking's intervals
    are the judge's), duels included, and which jokes the group happens to have in this list (a bootstrap within
    groups)."""
    column = column_named(result.entries, column)
    entries = [entry for entry in ranked(result) if entry.columns.get(column, "").strip()]
    names = sorted({entry.columns[column].strip() for entry in entries})
    if len(names) < 2:
        return ()
    if len(names) > MOST_GROUPS:
        raise UsageError(
            "E_CONTEST_GROUPS",
            f"The column {column!r} makes {len(names):,} groups; a leaderboard holds at most {MOST_GROUPS}.",
            "Group by a column with fewer values.",
        )
    place = {name: at for at, name in enumerate(names)}
    group = np.array([place[entry.columns[column].strip()] for entry in entries])
    found = _Draws(_opinion(entries, by_judge=result.interval == "judge"), group, len(names))
    lengths = np.array([len(entry.text) for entry in entries], dtype=np.float64)
    controlled = found.controlled(lengths) if len(entries) >= LEAST_FOR_LENGTH else None
    order = np.argsort(np.argsort(-found.rates, axis=1, kind="stable"), axis=1, kind="stable") + 1
    first = np.quantile(order, 0.025, axis=0, method="lower")
    last = np.quantile(order, 0.975, axis=0, method="higher")
    rate, low, high = _summed(found.rates)
    strength, weak, strong = _summed(found.strengths)
    judge = result.model.name if result.model else ""
    return tuple(
        GroupStanding(
            name=names[at],
            jokes=int((group == at).sum()),
            win_rate=float(rate[at]),
            low=float(low[at]),
            high=float(high[at]),
            rank=rank,
            rank_low=min(rank, int(first[at])),
            rank_high=max(rank, int(last[at])),
            strength=float(strength[at]),
            strength_low=float(weak[at]),
            strength_high=float(strong[at]),
            length_controlled=None
            if controlled is None
            else LengthControlled(**{key: float(v[at]) for key, v in zip(_FIELDS, controlled, strict=True)}),
            same_family=are_kin(names[at], judge, architecture),
        )
        for rank, at in enumerate(sorted(range(len(names)), key=lambda k: (-rate[k], names[k])), start=1)
    )


_FIELDS = ("win_rate", "low", "high")


class _Draws:
    """Win rates and strengths of groups in many draws of opinion and of jokes; each (draws, groups)."""

    def __init__(self, opinion: Opinion, group: Whole, count: int) -> None:
        self._opinion, self._group, self._count = opinion, group, count
        self._members = [np.flatnonzero(group == each) for each in range(count)]
        self._random = np.random.default_rng(14)
        draws = int(min(_DRAWS, max(100, _MOST_NUMBERS // (len(group) * count))))
        rates, strengths = [], []
        for _ in range(draws):
            values, again = self._draw()
            won = wins(values[again], group[again], count)
            rates.append((won.sum(axis=1) - 0.5) / (count - 1))
            strengths.append(bradley_terry(won))
        self.rates: Vector = np.array(rates)
        self.strengths: Vector = np.array(strengths)

    def controlled(self, lengths: Vector) -> tuple[Vector, Vector, Vector]:
        """Win rates between texts of one length: mean and the ends of the interval, each (groups,)."""
        found = []
        for _ in range(min(_LENGTH_DRAWS, len(self.rates))):
            values, again = self._draw()
            group = self._group[again]
            pairs = pairs_between(group, self._count, self._random)
            theta, _ = length_controlled(values[again], lengths[again], group, self._count, pairs)
            found.append(mean_chance(theta))
        return _summed(np.array(found))

    def _draw(self) -> tuple[Vector, Whole]:
        """What might be thought of each joke, and the jokes that each group might have."""
        values = self._opinion.mean + self._opinion.sd * self._random.standard_normal(len(self._group))
        again = [places[self._random.integers(0, len(places), len(places))] for places in self._members]
        return values, np.concatenate(again)


def _summed(values: Vector) -> tuple[Vector, Vector, Vector]:
    low, high = np.quantile(values, (0.025, 0.975), axis=0)
    return values.mean(axis=0), low, high


def _opinion(entries: Sequence[RankedEntry], *, by_judge: bool) -> Opinion:
    """What is believed of each joke: the judge's own score with its interval, or what people would say, moved by what
    duels found."""
    if by_judge:
        half = _NORMAL.inv_cdf(0.95)
        sd = [((entry.high or 0.0) - (entry.low or 0.0)) / (2 * half) for entry in entries]
        return Opinion(np.array([entry.score or 0.0 for entry in entries]), np.array(sd))
    readings = [entry.reading for entry in entries]
    return of_people(
        [50.0 if each is None or each.percentile is None else each.percentile for each in readings],
        [None if each is None or each.percentile is None else each.agreement for each in readings],
        [
            0.0 if each is None or entry.score is None else (entry.score - each.value) / each.unit
            for each, entry in zip(readings, entries, strict=True)
        ],
    )
