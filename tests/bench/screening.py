"""The votes that screening saves: python -m tests.bench.screening [--lists 400] [--variants 5] [--scores].

Made-up lists of versions with known worth to people, a judge that is right in a given share of pairs, and voters who
choose the better one more often the better it is. Asking about all (the seeds' way: thirty people compare three of
them) is compared with screening by the given thresholds: at most three are shown, until fifteen votes. ``proposed``:
the limits that each list itself justifies.

``--scores``: figures of a person's own scale after 20, 24 and 30 scores. Made-up people agree with the crowd as far as
a reader of Jester does (a pair in .61), and call a joke good that they find better than a share of all jokes.
Log-losses of 200 other jokes each, in nats. Prints, asserts nothing.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from datetime import UTC, datetime
from statistics import NormalDist

import numpy as np

from jokejudge_gui.heads.audience import correlation_of
from jokejudge_gui.judge.contest.screening import ENOUGH_VOTES, leader, proposed, screen
from jokejudge_gui.judge.contest.types import Ballot, ContestResult, RankedEntry, Reading, Thresholds
from jokejudge_gui.learning.taste import OwnScore, fit_scale

_NORMAL = NormalDist()
_ALL_SHOWN, _ALL_VOTES = 3, 30
_NOW = datetime(2026, 1, 1, tzinfo=UTC)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.screening", description=__doc__)
    parser.add_argument("--lists", type=int, default=400)
    parser.add_argument("--variants", type=int, default=5)
    parser.add_argument("--scores", action="store_true")
    options = parser.parse_args()
    if options.scores:
        own_scores(options.lists)
        return
    print(f"{options.lists} lists of {options.variants}; comparisons = votes x versions shown; worth in sd of versions")
    print("judge right  reject high promote   asking about all   screening   saved   promoted   none passed")
    for agreement in (0.60, 0.66, 0.75, 0.85):
        for limits in (Thresholds(), Thresholds(reject=0.5, high=0.7, promote=0.8), None):
            row(agreement, limits, options.lists, options.variants)


def row(agreement: float, limits: Thresholds | None, lists: int, variants: int) -> None:
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
        result = as_result(heard, agreement)
        found = screen(result, limits or proposed(result))
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
        f"{agreement:11.2f}  {_named(limits)}"
        f"   {np.mean(asked_all):5.0f} ({np.mean(worth_all):+.2f})    {np.mean(asked):5.0f} ({np.mean(worth):+.2f})"
        f"  {saved:5.0%}   {promoted / lists:8.0%}   {fallback / lists:11.0%}"
    )


def _named(limits: Thresholds | None) -> str:
    if limits is None:
        return f"{'proposed':>19}"
    return f"{limits.reject:6.2f} {limits.high:4.2f} {limits.promote:7.2f}"


def own_scores(people: int) -> None:
    """Print how much closer a person's own chances are to their taste, by how strict they are."""
    random = np.random.default_rng(7)
    print(f"{people} people; judge right with the crowd in .66 of pairs, a person with the crowd in .61")
    print("good to them   scores   most people's   own, if used   own, always   share alone   used")
    crowd = correlation_of(0.61)
    for share in (0.5, 0.3, 0.15):
        for count in (20, 24, 30):
            losses = np.array([_person(random, count, share, crowd) for _ in range(people)])
            plain, used, always, base, kept = losses.mean(axis=0)
            print(
                f"{share:12.2f}  {count:7}   {plain:13.3f}   {used:12.3f}   {always:11.3f}   {base:11.3f}   {kept:4.0%}"
            )


def _person(random: np.random.Generator, count: int, share: float, crowd: float) -> tuple[float, ...]:
    """Log-losses on other jokes: of most people's chances, of the scale where it is used, of the scale, of the share of
    good ones; and whether the scale was used."""
    rho, other = correlation_of(0.66), 200
    heard = random.normal(size=count + other)
    liked = rho * heard + math.sqrt(1 - rho * rho) * random.normal(size=count + other)
    mine = crowd * liked + math.sqrt(1 - crowd * crowd) * random.normal(size=count + other)
    good = mine > _NORMAL.inv_cdf(1.0 - share)
    chances = [_NORMAL.cdf(rho * float(z) / math.sqrt(1 - rho * rho)) for z in heard]
    scale = fit_scale([
        OwnScore(text=str(at), chance=chances[at], score=9.0 if good[at] else 2.0) for at in range(count)
    ])  # fmt: skip
    assert scale is not None
    later = range(count, count + other)

    def loss(p_of: Callable[[float], float]) -> float:
        return float(np.mean([-math.log(p_of(chances[at]) if good[at] else 1.0 - p_of(chances[at])) for at in later]))

    plain, always = loss(lambda p: p), loss(scale.p)
    known = (scale.good + 1.0) / (scale.n + 2.0)
    return plain, always if scale.kept else plain, always, loss(lambda _p: known), float(scale.kept)


def as_result(heard: np.ndarray, agreement: float) -> ContestResult:
    """A contest's result for versions with these scores, in standard deviations of jokes."""
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
    """The winner of a vote among those shown; the first of them in a tie."""
    if votes == 0 or len(shown) == 1:
        return shown[0]
    odds = np.exp(truth[shown])
    choices = random.choice(shown, size=votes, p=odds / odds.sum())
    ballots = [Ballot(choice=str(choice), among=tuple(map(str, shown)), when=_NOW) for choice in choices]
    ahead, _ = leader(ballots, _NOW)
    return int(ahead) if ahead is not None else shown[0]


if __name__ == "__main__":
    main()
