"""The leaderboard of the authors of a ranked list: its groups (by model, author, prompt) compared with one another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from ..core.errors import UsageError
from ..core.statistics import Vector
from ..core.verdicts import Frozen
from ..judge.contest.ranking import Posterior, highest, of_people, sigmoid_of
from ..judge.contest.types import ContestResult, Entry, RankedEntry
from ..judge.contest.words import ranked
from ..library.catalogue import are_kin

# -- strengths of groups -----------------------------------------------------------------------------------------------
# An opinion is a number for each joke (one draw from its distribution); groups and jokes are numbered from 0, and
# intervals come from many draws.

Whole = npt.NDArray[np.int64]

_PRECISION = 1.0 / 1.5**2
"""Prior of a group's strength (SCIENCE (e)): normal about 0 with a standard deviation of 1.5 log-odds."""
_EACH = 10.0
_LENGTH_PRECISION = 1.0 / 0.5**2
"""Prior of the length coefficient γ (SCIENCE (d)): normal about 0 with a standard deviation of 0.5."""
_STEPS = 60
_CLOSE = 1e-7
_MOST_PAIRS = 2000


@dataclass(frozen=True, eq=False)
class Pairs:
    """Jokes drawn to meet: ``first`` and ``second`` are indices in the list, always of two groups, and every pair of
    groups meets equally often. Each counts as ``weight`` duels, so that all together count as half as many as there are
    jokes: a joke's evidence counts once, however often it is drawn."""

    first: Whole
    second: Whole
    weight: float


def wins(values: Vector, group: Whole, count: int) -> Vector:
    """Return, (count, count), the share of pairs in which a joke of the row's group has the higher value, ties as half;
    .5 in the diagonal and where a group has no joke."""
    ordered = np.argsort(values, kind="stable")
    member = np.zeros((len(values) + 1, count))
    member[np.arange(1, len(values) + 1), group[ordered]] = 1.0
    up_to = member.cumsum(axis=0)
    sorted_values = values[ordered]
    below = up_to[np.searchsorted(sorted_values, values, "left")]
    below += up_to[np.searchsorted(sorted_values, values, "right")]
    sums = np.zeros((count, count))
    np.add.at(sums, group, below / 2.0)
    sizes = np.bincount(group, minlength=count).astype(np.float64)
    possible = np.outer(sizes, sizes)
    found: Vector = np.divide(sums, possible, out=np.full((count, count), 0.5), where=possible > 0)
    np.fill_diagonal(found, 0.5)
    return found


def bradley_terry(won: Vector) -> Vector:
    """Return the strengths of groups, log-odds about a mean of 0, that fit the shares ``won`` best: the maximum of
    n·Σ[w log σ(θg−θh) + (1−w) log σ(θh−θg)] − (λ/2)Σθ², by Newton's steps. n is the same for every pair, whatever the
    groups' sizes: the draws carry the uncertainty, and the prior only keeps the strength of a group that always wins
    finite."""
    n = np.full(won.shape, _EACH)
    np.fill_diagonal(n, 0.0)

    def slope_and_curve(theta: Vector) -> tuple[Vector, Vector]:
        p = sigmoid_of(theta[:, None] - theta[None, :])
        held = n * p * (1.0 - p)
        slope = (n * (won - p)).sum(axis=1) - _PRECISION * theta
        return slope, np.diag(held.sum(axis=1) + _PRECISION) - held

    theta = highest(np.zeros(len(won)), slope_and_curve, steps=_STEPS, close=_CLOSE)
    centred: Vector = theta - theta.mean()
    return centred


def pairs_between(group: Whole, count: int, random: np.random.Generator) -> Pairs:
    """Return pairs of jokes of two groups, drawn at random."""
    members = [np.flatnonzero(group == each) for each in range(count)]
    meetings = [(one, other) for one in range(count) for other in range(one + 1, count)]
    each = max(1, _MOST_PAIRS // len(meetings))
    first = np.concatenate([random.choice(members[one], each) for one, _ in meetings])
    second = np.concatenate([random.choice(members[other], each) for _, other in meetings])
    return Pairs(first, second, len(group) / (2.0 * len(first)))


def length_controlled(values: Vector, lengths: Vector, group: Whole, count: int, pairs: Pairs) -> tuple[Vector, float]:
    """Return the strengths of groups for texts of equal length, and the length coefficient γ: the logistic model L = θg
    − θh + γ·tanh(Δlength/sd) of the higher value in each pair, at Δlength = 0 (SCIENCE (d))."""
    one, other = group[pairs.first], group[pairs.second]
    y = 0.5 + 0.5 * np.sign(values[pairs.first] - values[pairs.second])
    sd = max(float(np.std(lengths)), 1.0)
    pull = np.tanh((lengths[pairs.first] - lengths[pairs.second]) / sd)
    prior = np.append(np.full(count, _PRECISION), _LENGTH_PRECISION)

    def slope_and_curve(theta: Vector) -> tuple[Vector, Vector]:
        p = sigmoid_of(theta[one] - theta[other] + theta[-1] * pull)
        off = pairs.weight * (y - p)
        held = pairs.weight * p * (1.0 - p)
        slope = np.append(
            np.bincount(one, off, minlength=count) - np.bincount(other, off, minlength=count), float((off * pull).sum())
        )
        curve = np.zeros((count + 1, count + 1))
        np.add.at(curve, (one, one), held)
        np.add.at(curve, (other, other), held)
        np.add.at(curve, (one, other), -held)
        np.add.at(curve, (other, one), -held)
        side = np.bincount(one, held * pull, minlength=count) - np.bincount(other, held * pull, minlength=count)
        curve[-1, :-1] = side
        curve[:-1, -1] = side
        curve[-1, -1] = float((held * pull * pull).sum())
        return slope - prior * theta, curve + np.diag(prior)

    theta = highest(np.zeros(count + 1), slope_and_curve, steps=_STEPS, close=_CLOSE)
    strengths: Vector = theta[:-1] - theta[:-1].mean()
    return strengths, float(theta[-1])


def mean_chance(theta: Vector) -> Vector:
    """Return each group's win rate against the other groups, all weighted alike, by their strengths."""
    p = sigmoid_of(theta[:, None] - theta[None, :])
    found: Vector = (p.sum(axis=1) - 0.5) / (len(theta) - 1)
    return found


MOST_GROUPS = 100
LEAST_FOR_LENGTH = 40
"""Least number of jokes for estimating the length coefficient (SCIENCE (d))."""
_DRAWS = 1000
_LENGTH_DRAWS = 200
_MOST_NUMBERS = 4 * 10**7
_MOST_SHOWN = 8
_NORMAL = NormalDist()


class LengthControlled(Frozen):
    """``win_rate`` 0…1 between texts of equal length, with its 95 % interval."""

    win_rate: float
    low: float
    high: float


class RankedGroup(Frozen):
    """A group of ``jokes``. ``win_rate`` 0…1: the probability that a random joke of it is found funnier than one of
    another group (all other groups count alike), with its 95 % interval; ``rank`` from 1 with its first and last
    possible value. ``strength``: Bradley–Terry over groups, log-odds about a mean of 0, with its 95 % interval;
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
    """Return the columns of the list with at least two groups and no more than a leaderboard holds, in order."""
    values: dict[str, set[str]] = {}
    entries = ranked(result)
    for entry in entries:
        for name, value in entry.columns.items():
            if value.strip():
                values.setdefault(name, set()).add(value.strip())
    return tuple(name for name, found in values.items() if 2 <= len(found) <= min(MOST_GROUPS, len(entries) - 1))


def column_named(entries: Sequence[Entry | RankedEntry], wanted: str) -> str:
    """Return the column named ``wanted``, in any case. Raises ``UsageError`` ``E_CONTEST_COLUMN``."""
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


def leaderboard(result: ContestResult, column: str) -> tuple[RankedGroup, ...]:
    """Return the groups of a column of the list, best first. Entries without a value there, and those with exactly the
    text of an earlier one, don't count. Empty for fewer than two groups. Raises ``UsageError``: ``E_CONTEST_COLUMN``
    where there is no such column, ``E_CONTEST_GROUPS`` for more than ``MOST_GROUPS``.

    Intervals cover two uncertainties: people's opinion of each joke (the judge's own, where the ranking's intervals
    are the judge's), duels included, and the group's choice of jokes in this list (a bootstrap within groups)."""
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
        RankedGroup(
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
            same_family=are_kin(names[at], judge),
        )
        for rank, at in enumerate(sorted(range(len(names)), key=lambda k: (-rate[k], names[k])), start=1)
    )


_FIELDS = ("win_rate", "low", "high")


class _Draws:
    """Win rates and strengths of groups in many draws of opinion and of jokes; each (draws, groups)."""

    def __init__(self, opinion: Posterior, group: Whole, count: int) -> None:
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
        """Return win rates between texts of equal length: mean and the ends of the interval, each (groups,)."""
        found = []
        for _ in range(min(_LENGTH_DRAWS, len(self.rates))):
            values, again = self._draw()
            group = self._group[again]
            pairs = pairs_between(group, self._count, self._random)
            theta, _ = length_controlled(values[again], lengths[again], group, self._count, pairs)
            found.append(mean_chance(theta))
        return _summed(np.array(found))

    def _draw(self) -> tuple[Vector, Whole]:
        """Draw an opinion of each joke, and the jokes of each group."""
        values = self._opinion.mean + self._opinion.sd * self._random.standard_normal(len(self._group))
        again = [places[self._random.integers(0, len(places), len(places))] for places in self._members]
        return values, np.concatenate(again)


def _summed(values: Vector) -> tuple[Vector, Vector, Vector]:
    low, high = np.quantile(values, (0.025, 0.975), axis=0)
    return values.mean(axis=0), low, high


def _opinion(entries: Sequence[RankedEntry], *, by_judge: bool) -> Posterior:
    """Return the opinion of each joke: the judge's own score with its interval, or people's estimated opinion, updated
    by duels."""
    if by_judge:
        half = _NORMAL.inv_cdf(0.95)
        sd = [((entry.high or 0.0) - (entry.low or 0.0)) / (2 * half) for entry in entries]
        return Posterior(np.array([entry.score or 0.0 for entry in entries]), np.array(sd))
    readings = [entry.reading for entry in entries]
    return of_people(
        [50.0 if each is None or each.percentile is None else each.percentile for each in readings],
        [None if each is None or each.percentile is None else each.agreement for each in readings],
        [
            0.0 if each is None or entry.score is None else (entry.score - each.value) / each.unit
            for each, entry in zip(readings, entries, strict=True)
        ],
    )
