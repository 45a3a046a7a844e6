"""Two runs on the same labelled rows: which one is right more often, and whether that is more than chance."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..statistics import Correlation, Difference, Fraction, Vector, bootstrap, fraction, ranks, spearman
from ..verdicts import Frozen, Mode, ModelRef


class RunRef(Frozen):
    """One of the two runs. ``file``: its name; ``answers`` in it, of them ``unused``: without an answer of the other
    run, without a label, or an error."""

    file: str
    model: ModelRef | None
    mode: Mode
    program: str
    answers: int
    unused: int


class Paired(Frozen):
    """Right or wrong on the same rows (½: a tie). ``only_first``, ``only_second``: rows on which that run did better;
    ``p``: McNemar's exact test, two-sided, over those rows; ``difference``: the first's share right less the second's,
    its interval by bootstrap over rows. None where there is no row."""

    first: Fraction
    second: Fraction
    only_first: int
    only_second: int
    p: float | None
    difference: Difference | None


class PairedRank(Frozen):
    """Rank correlation with people's ratings of the same texts; ``difference`` as in ``Paired``."""

    first: Correlation
    second: Correlation
    difference: Difference | None


class Comparison(Frozen):
    """``duels``: pairs in which people named a winner; ``admission``: texts of which is known whether they are humour;
    ``ratings``: the audience's estimate where both runs have one (else the score), and people's ratings; ``kinds``,
    ``turns``: texts that were read with the rubric in hand, and whether the likeliest kind is one of a reader's and the
    words on which it turns are found."""

    first: RunRef
    second: RunRef
    duels: Paired | None = None
    admission: Paired | None = None
    ratings: PairedRank | None = None
    kinds: Paired | None = None
    turns: Paired | None = None

    @property
    def parts(self) -> tuple[tuple[str, Paired], ...]:
        """What is right or wrong, by name, as far as it was compared."""
        named = (
            ("Pairs, people's winner", self.duels),
            ("Admission of humour", self.admission),
            ("Likeliest kind, beside readings", self.kinds),
            ("Words on which it turns, beside readings", self.turns),
        )
        return tuple((name, part) for name, part in named if part is not None)


class ComparedRow(Frozen):
    """A row that both runs answered. ``what``: pair, admission, rating, kind or turn; ``people``: their word;
    ``first``, ``second``: what each run says, and whether that is right (1, ½, 0; None for a rating)."""

    what: str
    text_a: str
    text_b: str = ""
    people: str
    first: str
    second: str
    first_right: float | None = None
    second_right: float | None = None


def mcnemar(only_first: int, only_second: int) -> float:
    """p of McNemar's exact test, two-sided: how often a fair coin would split the rows on which two judges differ at
    least as unevenly. 1 where they differ on none."""
    n, least = only_first + only_second, min(only_first, only_second)
    # Sums of logarithms: a binomial coefficient of thousands of rows is beyond a float.
    terms = [
        math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) - n * math.log(2.0) for k in range(least + 1)
    ]
    return min(1.0, 2.0 * math.fsum(map(math.exp, terms)))


def paired(first: Sequence[float] | Vector, second: Sequence[float] | Vector) -> Paired:
    """Compare hits (1, ½ or 0) of two judges on the same rows."""
    one, two = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    only_first, only_second = int((one > two).sum()), int((two > one).sum())
    return Paired(
        first=fraction(one),
        second=fraction(two),
        only_first=only_first,
        only_second=only_second,
        p=mcnemar(only_first, only_second) if len(one) else None,
        difference=_difference(one - two),
    )


def _difference(gap: Vector) -> Difference | None:
    if not len(gap):
        return None
    low, high = bootstrap(len(gap), lambda times: float(times @ gap) / len(gap), repeats=1000)
    value = float(gap.mean())
    return Difference(value=value, low=min(low, value), high=max(high, value))


def paired_rank(people: Sequence[float], first: Sequence[float], second: Sequence[float]) -> PairedRank:
    """Compare two judges' numbers by how they go with ``people``'s on the same texts."""
    scale, one, two = (np.asarray(values, dtype=np.float64) for values in (people, first, second))
    found = spearman(scale, one), spearman(scale, two)

    def apart(times: Vector) -> float | None:
        drawn = np.repeat(np.arange(len(scale)), times.astype(np.int64))
        order = ranks(scale[drawn])
        a, b = _correlation(order, ranks(one[drawn])), _correlation(order, ranks(two[drawn]))
        return None if a is None or b is None else a - b

    difference = None
    if found[0].value is not None and found[1].value is not None:
        value = found[0].value - found[1].value
        low, high = bootstrap(len(scale), apart)
        if math.isfinite(low) and math.isfinite(high):
            difference = Difference(value=value, low=min(low, value), high=max(high, value))
    return PairedRank(first=found[0], second=found[1], difference=difference)


def _correlation(x: Vector, y: Vector) -> float | None:
    x, y = x - x.mean(), y - y.mean()
    size = math.sqrt(float(x @ x) * float(y @ y))
    return float(x @ y) / size if size > 0 else None


BY_ROWS = (
    "Intervals (95 %) are by bootstrap over rows, which takes rows as independent; where one text stands in many pairs "
    "they are wider in truth."
)
COMPARED = f"Plus: the first does better. {BY_ROWS}"


def rank_words(found: PairedRank) -> str:
    """Which run goes better with people's ratings, in a sentence."""
    first, second, gap = found.first.value, found.second.value, found.difference
    if first is None or second is None or gap is None:
        return "How the two go with people's ratings can't be told."
    text = f"Ranked beside people's ratings the first has {first:.2f}, the second {second:.2f}".replace("-", "−")
    if gap.low > 0 or gap.high < 0:
        return f"{text}. The {'first' if gap.value > 0 else 'second'} does better by more than chance."
    return f"{text}. The difference may be chance."


def comparison_words(found: Paired) -> str:
    """Which run does better, in a sentence or two."""
    if found.p is None or found.difference is None:
        return "No row has an answer in both runs."
    n, gap = found.first.n, 100 * found.difference.value
    first, second = (100 * (share.share or 0.0) for share in (found.first, found.second))
    text = f"The first is right in {first:.0f} of 100, the second in {second:.0f}, on the same {n:,}"
    if found.only_first == found.only_second:
        return f"{text}. Neither does better."
    better = "first" if gap > 0 else "second"
    low, high = sorted(abs(end) if (end > 0) == (gap > 0) else -abs(end) for end in (
        100 * found.difference.low, 100 * found.difference.high
    ))  # fmt: skip
    span = f"{abs(gap):.1f} more of 100 ({low:.1f} to {high:.1f})".replace("-", "−")
    sure = "That is more than chance" if found.p < 0.05 else "That may be chance"
    return f"{text}. The {better} has {span}. {sure} (McNemar, p = {found.p:.2g})."
