"""Who wrote the better jokes: the groups of a ranked list (a model, an author, a prompt) against one another."""

from __future__ import annotations

import re
from collections.abc import Mapping
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from ..judging.contest.types import ContestResult, RankedEntry
from ..judging.contest.words import ranked
from ..judging.reading.estimate import correlation_of
from ..verdicts import Frozen

_DRAWS = 1000
_ENDS = 0.5
_LEAST_LETTERS = 4
_NORMAL = NormalDist()
_NAME = re.compile(r"[a-z]+")


class GroupStanding(Frozen):
    """A group of ``jokes``. ``win_rate`` 0…1: how often a joke of it, drawn at random, is found funnier than one of
    another group (all other groups count alike), with its 95 % interval; ``rank`` from 1 with the first and last that
    it may have. ``same_family``: its name and the judge's model seem to be of one family, which may favour it."""

    name: str
    jokes: int
    win_rate: float
    low: float
    high: float
    rank: int
    rank_low: int
    rank_high: int
    same_family: bool = False


def leaderboard(result: ContestResult, groups: Mapping[str, str]) -> tuple[GroupStanding, ...]:
    """The groups, best first; ``groups``: the group of each entry by its id. Entries without one, and those that have
    an earlier one's very text, don't count. Empty for fewer than two groups.

    The interval holds both what is uncertain: people's opinion of each joke, and which jokes the group happens to have
    in this list (a bootstrap within groups)."""
    entries = [entry for entry in ranked(result) if groups.get(entry.id, "").strip()]
    names = sorted({groups[entry.id].strip() for entry in entries})
    if len(names) < 2:
        return ()
    members = [np.array([at for at, entry in enumerate(entries) if groups[entry.id].strip() == name]) for name in names]
    mean, sd = _opinion(entries, by_judge=result.interval == "judge")
    random = np.random.default_rng(14)
    rates = np.empty((_DRAWS, len(names)))
    for draw in range(_DRAWS):
        drawn = mean + sd * random.standard_normal(len(entries))
        rates[draw] = _rates([drawn[places[random.integers(0, len(places), len(places))]] for places in members])
    point = rates.mean(axis=0)
    places = np.argsort(np.argsort(-rates, axis=1, kind="stable"), axis=1, kind="stable") + 1
    low, high = np.quantile(rates, (0.025, 0.975), axis=0)
    first, last = (
        np.quantile(places, 0.025, axis=0, method="lower"),
        np.quantile(places, 0.975, axis=0, method="higher"),
    )
    judge = result.model.name if result.model else ""
    return tuple(
        GroupStanding(
            name=names[at],
            jokes=len(members[at]),
            win_rate=float(point[at]),
            low=float(low[at]),
            high=float(high[at]),
            rank=rank,
            rank_low=min(rank, int(first[at])),
            rank_high=max(rank, int(last[at])),
            same_family=_kin(names[at], judge),
        )
        for rank, at in enumerate(sorted(range(len(names)), key=lambda k: (-point[k], names[k])), start=1)
    )


def _rates(values: list[npt.NDArray[np.float64]]) -> list[float]:
    """Win rate of each group against the mean of the others, by counting pairs."""
    ordered = [np.sort(each) for each in values]
    found = []
    for mine, own in enumerate(values):
        others = [
            float((np.searchsorted(theirs, own, "left") + np.searchsorted(theirs, own, "right")).mean())
            / (2 * len(theirs))
            for other, theirs in enumerate(ordered)
            if other != mine
        ]
        found.append(sum(others) / len(others))
    return found


def _opinion(entries: list[RankedEntry], *, by_judge: bool) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """What is believed of each joke: the judge's own score with its interval, or what people would say."""
    mean, sd = [], []
    for entry in entries:
        reading = entry.reading
        if by_judge or reading is None:
            mean.append(entry.score or 0.0)
            sd.append(((entry.high or 0.0) - (entry.low or 0.0)) / (2 * _NORMAL.inv_cdf(0.95)))
            continue
        known = reading.agreement is not None and reading.percentile is not None
        rho = correlation_of(reading.agreement or 0.5) if known else 0.0
        percentile = min(100.0 - _ENDS, max(_ENDS, reading.percentile or 50.0))
        mean.append(rho * _NORMAL.inv_cdf(percentile / 100.0))
        sd.append(float(np.sqrt(1.0 - rho * rho)))
    return np.array(mean), np.array(sd)


def _kin(name: str, judge: str) -> bool:
    """Whether two names begin with the same word of letters, as those of one family of models do."""
    one, other = _NAME.match(name.lower()), _NAME.match(judge.lower())
    return one is not None and other is not None and len(one[0]) >= _LEAST_LETTERS and one[0] == other[0]
