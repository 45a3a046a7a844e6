"""How many votes screening saves: python -m tests.bench.screening [--lists 400] [--variants 5].

Made-up lists of versions whose worth to people is known, a judge that is right in a given share of pairs, and voters
who choose the better one more often the better it is. Asking about all (the seeds' way: thirty people compare three of
them) against screening with the thresholds given: at most three are shown, until fifteen votes. Prints, asserts
nothing.
"""

from __future__ import annotations

import argparse
import math
from datetime import UTC, datetime
from statistics import NormalDist

import numpy as np

from jokejudge_gui.judging.contest.types import ContestResult, RankedEntry, Reading
from jokejudge_gui.judging.reading.estimate import correlation_of
from jokejudge_gui.runs.screening import ENOUGH_VOTES, Ballot, Thresholds, leader, screen

_NORMAL = NormalDist()
_ALL_SHOWN, _ALL_VOTES = 3, 30
_NOW = datetime(2026, 1, 1, tzinfo=UTC)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.screening", description=__doc__)
    parser.add_argument("--lists", type=int, default=400)
    parser.add_argument("--variants", type=int, default=5)
    options = parser.parse_args()
    print(f"{options.lists} lists of {options.variants}; comparisons = votes x versions shown; worth in sd of versions")
    print("judge right  reject high promote   asking about all   screening   saved   promoted   none passed")
    for agreement in (0.60, 0.66, 0.75, 0.85):
        for limits in (Thresholds(), Thresholds(reject=0.5, high=0.7, promote=0.8)):
            row(agreement, limits, options.lists, options.variants)


def row(agreement: float, limits: Thresholds, lists: int, variants: int) -> None:
    random = np.random.default_rng(5)
    asked, worth, asked_all, worth_all = [], [], [], []
    promoted = fallback = 0
    rho = correlation_of(agreement)
    for _ in range(lists):
        truth = random.normal(size=variants)
        heard = rho * truth + math.sqrt(1 - rho * rho) * random.normal(size=variants)
        shown = random.permutation(variants)[:_ALL_SHOWN]
        winner = voted(random, truth, list(map(int, shown)), _ALL_VOTES)
        asked_all.append(_ALL_VOTES * len(shown))
        worth_all.append(truth[winner])
        found = screen(as_result(heard, agreement), limits)
        fallback += found.fallback
        if found.promoted is not None:
            promoted += 1
            asked.append(0)
            worth.append(truth[int(found.promoted)])
            continue
        now = [int(entry.id) for entry in found.shown]
        votes = ENOUGH_VOTES if len(now) > 1 else 0
        asked.append(votes * len(now))
        worth.append(truth[voted(random, truth, now, votes)])
    saved = 1 - np.mean(asked) / np.mean(asked_all)
    print(
        f"{agreement:11.2f}  {limits.reject:6.2f} {limits.high:4.2f} {limits.promote:7.2f}"
        f"   {np.mean(asked_all):5.0f} ({np.mean(worth_all):+.2f})    {np.mean(asked):5.0f} ({np.mean(worth):+.2f})"
        f"  {saved:5.0%}   {promoted / lists:8.0%}   {fallback / lists:11.0%}"
    )


def as_result(heard: np.ndarray, agreement: float) -> ContestResult:
    """What a contest would say of versions with these scores, in standard deviations of jokes."""
    order = np.argsort(-heard)
    entries = []
    for rank, at in enumerate(order, start=1):
        percentile = 100 * _NORMAL.cdf(float(heard[at]))
        reading = Reading(value=float(heard[at]), percentile=percentile, agreement=agreement)
        entries.append(
            RankedEntry(id=str(at), text=f"Version {at}.", rank=rank, percentile=percentile, reading=reading)
        )
    return ContestResult(id="c", entries=tuple(entries))


def voted(random: np.random.Generator, truth: np.ndarray, shown: list[int], votes: int) -> int:
    """Who wins a vote among those shown; a tie goes to the first of them."""
    if votes == 0 or len(shown) == 1:
        return shown[0]
    odds = np.exp(truth[shown])
    choices = random.choice(shown, size=votes, p=odds / odds.sum())
    ballots = [Ballot(choice=str(choice), among=tuple(map(str, shown)), when=_NOW) for choice in choices]
    ahead, _ = leader(ballots, _NOW)
    return int(ahead) if ahead is not None else shown[0]


if __name__ == "__main__":
    main()
