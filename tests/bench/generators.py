"""Can a text's generator be recognised by perplexity? python -m tests.bench.generators MODEL MODEL… [--jokes 12].

Each MODEL (a GGUF file) writes jokes; they, and jokes that people wrote, are read by every one of the models. A model's
log-probability per character is standardised by that of other jokes of people's, and the model that gives a text the
highest one is guessed if it is at least --least deviations above people's jokes, else nobody is. Prints, for the texts
of each writer, the guesses, the share of right ones with its 95 % interval, and the false ones among people's jokes.
Asserts nothing; the program guesses only if these figures justify it.
"""

from __future__ import annotations

import argparse
from collections import Counter
from contextlib import closing
from pathlib import Path

import numpy as np

from jokejudge_gui.core.statistics import wilson
from jokejudge_gui.engine.base import Engine, Sampling, Segment
from jokejudge_gui.engine.loader import load_engine
from jokejudge_gui.rubric.xml_parser import load_criteria

from .verdicts import processor

_SYSTEM = "You are a comedian who writes short jokes. Answer with the joke alone."
_TOPICS = (
    *("cats", "the office", "marriage", "doctors", "school", "food", "computers", "travel", "money", "sleep"),
    *("dogs", "the weather", "neighbours", "birthdays", "music", "cars", "sport", "holidays", "shopping", "time"),
)
PEOPLE = "people"


def opened(path: Path) -> Engine:
    return load_engine(path, sha256="0" * 64, threads=1, state_folder=None, state_limit=0)


def written(engine: Engine, count: int) -> list[str]:
    """Return jokes written by the model, one for each topic."""
    frame, found = engine.frame, []
    for number in range(count):
        prompt = (
            Segment(frame.before_system, True, True),
            Segment(_SYSTEM, True),
            Segment(frame.before_user, True, True),
            Segment(f"Write a short joke about {_TOPICS[number % len(_TOPICS)]}."),
        )
        branch = (Segment(frame.before_answer, False, True),)
        sampling = Sampling(max_tokens=60, temperature=0.8, seed=number + 1)
        text = "".join(piece.text for piece in engine.generate(prompt, [branch], sampling)).strip()
        if len(text) >= 20:
            found.append(text)
    return found


def likelihood(engine: Engine, text: str) -> float:
    """Mean log-probability of a character, in nats."""
    return float(engine.scan(text).logprobs.sum()) / len(text)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.generators", description=__doc__)
    parser.add_argument("models", type=Path, nargs="+")
    parser.add_argument("--jokes", type=int, default=12)
    parser.add_argument("--least", type=float, default=2.0)
    options = parser.parse_args()
    names = [path.stem for path in options.models]
    people = list(load_criteria().contrast.baseline)
    half = len(people) // 2
    texts: list[tuple[str, str]] = [(PEOPLE, text) for text in people[half:]]
    for name, path in zip(names, options.models, strict=True):
        with closing(opened(path)) as engine:
            made = written(engine, options.jokes)
        texts += [(name, text) for text in made]
        print(f"{name} wrote {len(made)}, such as: {' '.join(made[0].split())[:100] if made else '–'}", flush=True)
    z = np.zeros((len(texts), len(names)))
    for place, path in enumerate(options.models):
        with closing(opened(path)) as engine:
            known = np.array([likelihood(engine, text) for text in people[:half]])
            z[:, place] = [(likelihood(engine, text) - known.mean()) / known.std() for _, text in texts]
    print(f"machine: {processor()}; {half} of people's jokes to compare with")
    for writer in (PEOPLE, *names):
        rows = z[[place for place, (who, _) in enumerate(texts) if who == writer]]
        guesses = [names[int(row.argmax())] if row.max() >= options.least else "not known" for row in rows]
        right = sum(guess == ("not known" if writer == PEOPLE else writer) for guess in guesses)
        low, high = wilson(right, len(guesses)) if guesses else (0.0, 1.0)
        told = ", ".join(f"{guess} {count}" for guess, count in Counter(guesses).most_common())
        print(f"{writer}: {told}; right {right} of {len(guesses)} ({low:.2f}–{high:.2f})")


if __name__ == "__main__":
    main()
