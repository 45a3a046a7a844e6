"""Made-up users of a known taste: python -m tests.bench.taste [--users N].

How often a fit on their votes is kept, its distance from the truth, and the figure of the program's rule on 200 later
votes: the log-loss with the fit where it is kept and the taste of most people where it isn't, beside that taste for
everyone and a coin. Prints, asserts nothing.
"""

from __future__ import annotations

import argparse
import math
import random
import time

from jokejudge_gui.learning.taste import PRIOR, TasteVote, fit

LATER = 200


def vote(dice: random.Random, place: int, g: float) -> TasteVote:
    """A vote on a duel of standard log-odds."""
    odds = dice.gauss(0.0, 1.0)
    return TasteVote("odds", odds, dice.random() < 1 / (1 + math.exp(-g * odds)), (str(place), "other"))


def loss(answers: list[TasteVote], g: float) -> float:
    """Mean log-loss of p = 1/(1+e^−g·L)."""
    margins = (g * answer.value * (1 if answer.positive else -1) for answer in answers)
    return math.fsum(math.log1p(math.exp(-margin)) for margin in margins) / len(answers)


def row(g: float, number: int, users: int) -> str:
    kept = inside = 0
    found, ours, prior = [], [], []
    for seed in range(users):
        dice = random.Random(seed)
        taste = fit([vote(dice, place, g) for place in range(number)])
        later = [vote(dice, place, g) for place in range(LATER)]
        assert taste.g is not None
        assert taste.g_low is not None
        assert taste.g_high is not None
        kept += taste.kept
        inside += taste.g_low <= g <= taste.g_high
        found.append(taste.g)
        prior.append(loss(later, PRIOR))
        ours.append(loss(later, taste.g / taste.scales["odds"].sd) if taste.kept else prior[-1])
    means = [math.fsum(values) / users for values in (found, ours, prior)]
    return (
        f"{g:5.2f} {number:6d} {means[0]:8.2f} {inside / users:9.0%} {kept / users:6.0%}"
        f" {means[1]:11.3f} {means[2]:11.3f} {math.log(2):7.3f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=int, default=100)
    users = parser.parse_args().users
    begin = time.perf_counter()
    print("    g  votes  mean fit  interval   kept  later: ours  most people   coin")
    for g in (0.0, PRIOR, 1.0, 2.0):
        for number in (20, 50, 150):
            print(row(g, number, users))
    print(f"{users} users a row, {time.perf_counter() - begin:.0f} s")


if __name__ == "__main__":
    main()
