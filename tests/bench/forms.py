"""Figures of the questions' wording on a model: python -m tests.bench.forms [--model PATH|NAME] [--threads N].

Kinds of joke: each kind's own example is read, and the rank of that kind among all 70 is printed; by chance it is the
35th, and among the first six in .09. Scores: label mass, and the spread of the expected scores over varied jokes.
"""

from __future__ import annotations

from statistics import fmean, median

from jokejudge_gui.judge.asking.questions import Measure, deviation, expectation, level_distribution
from jokejudge_gui.judge.plan.calibration import Baseline
from jokejudge_gui.judge.plan.question_keys import BASELINE_JOKES

from .judge import model_parser, open_judge

CHOSEN = 6


def main() -> None:
    with open_judge(model_parser(__doc__).parse_args()) as judge:
        kinds(judge.measure)
        scores(judge.measure)


def kinds(measure: Measure) -> None:
    """Print how well a kind is recognised by its name's log-probability, compared with its mean over varied jokes."""
    categories = measure.criteria.categories
    rows = [measure.reading(joke).categories for joke in measure.criteria.contrast.baseline[:BASELINE_JOKES]]
    base = {
        c.id: Baseline(mean=fmean(r[c.id] for r in rows), sd=deviation([r[c.id] for r in rows])) for c in categories
    }
    before = measure.engine.usage.tokens_evaluated
    places = []
    for category in categories:
        found = measure.reading(category.example).categories
        z = {name: base[name].z(value) for name, value in found.items()}
        places.append(sum(value > z[category.id] for value in z.values()))
    tokens = (measure.engine.usage.tokens_evaluated - before) / len(categories)
    among = fmean(place < CHOSEN for place in places)
    print(
        f"kinds: the right one at place {median(places) + 1:.0f} of {len(places)} (median), among the first {CHOSEN} "
        f"in {among:.2f} (chance {CHOSEN / len(places):.2f}); {tokens:.0f} tokens a text, checks included"
    )


def scores(measure: Measure) -> None:
    """Print label mass of the levels and the spread of expected scores over varied jokes, factor by factor."""
    factors = measure.shared_factors()
    found = [measure.levels(joke, factors) for joke in measure.criteria.contrast.baseline[:BASELINE_JOKES]]
    masses = [fmean(row[factor.id].mass for row in found) for factor in factors]
    spreads = [deviation([expectation(level_distribution(row[factor.id])) for row in found]) for factor in factors]
    print(
        f"scores: label mass {fmean(masses):.2f} (least {min(masses):.2f}), under .5 on "
        f"{sum(mass < 0.5 for mass in masses)} of {len(factors)} factors; deviation of the expected score "
        f"{median(spreads):.2f} (median), {max(spreads):.2f} (largest)"
    )


if __name__ == "__main__":
    main()
