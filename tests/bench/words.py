"""What each set of answer words is worth on a model: python -m tests.bench.words [--model PATH|NAME] [--texts N].

Reads the rated texts and the contrast texts as a calibration does, and prints what it decides by: power of each form on
either half of the texts with its 95 % interval, its label mass, and which form is chosen. With ``--texts N`` (over 80,
what a calibration reads) also what the forms are worth on the next texts, less clearly funny or dull and never seen.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

import numpy as np

from jokejudge_gui.core.statistics import Z95
from jokejudge_gui.core.vote_sets import Rated, shipped_votes
from jokejudge_gui.judge.asking.questions import LogOdds, Measure
from jokejudge_gui.judge.plan.answer_words import (
    MARGIN,
    TEXTS,
    AnswerWords,
    Measured,
    check_words,
    extremes,
    words_from,
)
from jokejudge_gui.judge.plan.calibration import contrast_odds

from .judge import model_parser, open_judge

SHUFFLES, SEED = 400, 3


def main() -> None:
    parser = model_parser(__doc__)
    parser.add_argument("--texts", type=int, default=TEXTS)
    options = parser.parse_args()
    with open_judge(options) as judge:
        measure = judge.measure
        for name in ("alone", "reading"):
            measure.engine.warm(measure.prompts.constant_part(name))
        alone(measure, options.texts)
        show("mean d′ of the checks (chance 0)", measure, checks(measure))


def alone(measure: Measure, count: int) -> None:
    """The choice between the forms of the question about a joke alone, and their worth on further texts."""
    rated = shipped_votes().ratings
    first, further = extremes(rated, TEXTS), extremes(rated, max(count, TEXTS))
    answers: dict[str, dict[str, LogOdds]] = {}

    def steps(sides: Sequence[Sequence[Rated]]) -> Iterator[AnswerWords]:
        funny, dull = ([row.text for row in side] for side in sides)
        for text in (*funny, *dull):
            answers[text] = measure.alone_in_all_forms(text)
        yield words_from({text: answers[text] for text in (*funny, *dull)}, funny, dull)

    show("share of pairs ordered rightly (chance .50)", measure, steps(first))
    shuffled({row.text: answers[row.text] for side in first for row in side})
    if count > TEXTS:
        rest = [[row for row in side if row.text not in answers] for side in further]
        show("the same on the next texts", measure, steps(rest))


def shuffled(answers: dict[str, dict[str, LogOdds]]) -> None:
    """How often the rule, and one that asks for one standard error, takes other words where ratings mean nothing."""
    random = np.random.default_rng(SEED)
    texts, wrong = list(answers), {MARGIN: 0, 1.0: 0}
    for _ in range(SHUFFLES):
        mixed = [texts[place] for place in random.permutation(len(texts))]
        words = words_from(answers, mixed[: len(mixed) // 2], mixed[len(mixed) // 2 :])
        for margin in wrong:
            beaten = ((words.gain, 0.0), (words.apart, words.chance))
            wrong[margin] += all(part.value > limit + margin * part.error for part, limit in beaten)
    told = ", ".join(f"{count / SHUFFLES:.3f} with {margin} standard errors" for margin, count in wrong.items())
    print(f"other words although the ratings are shuffled ({SHUFFLES} times): {told}")


def checks(measure: Measure) -> Iterator[AnswerWords | None]:
    """The choice between the checks' forms, the default's answers read first."""
    steps = contrast_odds(measure)
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            yield from check_words(measure, *stop.value)
            return
        yield None


def show(power: str, measure: Measure, steps: Iterator[AnswerWords | None]) -> None:
    """Print a choice and what it cost."""
    began, before = time.monotonic(), measure.engine.usage.tokens_evaluated
    found = [step for step in steps if step is not None]
    seconds, tokens = time.monotonic() - began, measure.engine.usage.tokens_evaluated - before
    for words in found:
        print(f"\n{power}, {words.texts} texts, {tokens:,} tokens, {seconds:.0f} s")
        print(
            f"| {'form':<22} | label mass | answered | first half | second half | more than “{words.forms[0].form}” |"
        )
        for form in words.forms:
            gain = ", ".join(f"{half.value:+.2f} ± {half.error:.2f}" for half in form.gain)
            halves = " | ".join(interval(half) for half in form.power)
            print(f"| {form.form:<22} | {form.mass:.2f} | {form.answered:.2f} | {halves} | {gain} |")
        print(
            f"named by the halves: {words.named[0]}, {words.named[1]}; worth on the other half "
            f"{interval(words.apart)}, the default {interval(words.default)}, gain {words.gain.value:+.2f} ± "
            f"{words.gain.error:.2f}: the rule takes {words.form}"
        )


def interval(measured: Measured) -> str:
    """A figure with its 95 % interval."""
    low, high = (measured.value + sign * Z95 * measured.error for sign in (-1, 1))
    return f"{measured.value:.2f} ({low:.2f} to {high:.2f})"


if __name__ == "__main__":
    main()
