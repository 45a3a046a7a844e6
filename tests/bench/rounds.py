"""Figures of shuffled rounds: held-out one-liners compared with people's scores.

    python -m tests.bench.rounds [--model PATH|NAME] [--head FOLDER] [--lists 4] [--size 40] [--rounds 3]

Data by $JOKEJUDGE_DATA. Spearman with people's best-worst scores of the readings alone, of the rounds' humor alone,
and of both, joined by the other lists' weight; the gain from joining, with its interval (jokes drawn anew); the spread
of scores over jokes and over rounds; the effects of place. ``--head``: an audience head fitted without these texts
(models/training/make.py --held-out); otherwise the figure of the readings is too high. Prints, asserts nothing.
"""

from __future__ import annotations

import argparse
import os
import random
import tempfile
import time
from pathlib import Path

import numpy as np
import numpy.typing as npt

from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.core.statistics import bootstrap, spearman
from jokejudge_gui.heads.audience import AudienceHead
from jokejudge_gui.judge.contest.types import ContestRequest, ContestResult
from jokejudge_gui.session.session import Session

from .contest import held_out_jokes, ranked
from .verdicts import processor

Vector = npt.NDArray[np.float64]
List = tuple[Vector, Vector, Vector]
"""People's scores, readings, humor of the rounds."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.rounds", description=__doc__)
    parser.add_argument("--model", default=None)
    parser.add_argument("--head", type=Path, default=None)
    parser.add_argument("--lists", type=int, default=4)
    parser.add_argument("--size", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=0)
    options = parser.parse_args()
    print(f"machine: {processor()}; load {os.getloadavg()[0]:.1f}")
    texts = held_out_jokes()
    random.Random(1).shuffle(texts)
    found: list[List] = []
    with tempfile.TemporaryDirectory() as name:
        session = Session(Profile.at(Path(name)), Settings(model=options.model, threads=options.threads))
        for _ in session.load():
            pass
        judge = session.judge
        assert judge is not None
        if options.head is not None:
            judge.head = AudienceHead.load(options.head / f"{judge.model.sha256[:16]}.npz")
        print(f"model: {judge.model.name}; {options.lists} lists of {options.size}, {options.rounds} rounds")
        for number in range(options.lists):
            chosen = dict(texts[number * options.size : (number + 1) * options.size])
            begin = time.perf_counter()
            result = ranked(session, ContestRequest.of_texts(list(chosen), budget=0, shuffled=options.rounds))
            found.append(measured(result, chosen))
            tell(result, found[-1], time.perf_counter() - begin)
        session.close()
    if len(found) > 1:
        join(found)


def measured(result: ContestResult, truth: dict[str, float]) -> List:
    """A list's three columns, for the entries with all of them."""
    rows = []
    for entry in result.entries:
        humor = [each.mean for each in entry.rounds if each.scale == "humor"]
        if entry.reading is not None and humor:
            rows.append((truth[entry.text], entry.reading.value, humor[0]))
    people, readings, humor_of = np.array(rows).T
    return people, readings, humor_of


def tell(result: ContestResult, found: List, seconds: float) -> None:
    people, readings, humor = found
    sds = [
        each.sd for entry in result.entries for each in entry.rounds if each.scale == "humor" and each.sd is not None
    ]
    places = next((each.effects for each in result.place_effects if each.scale == "humor"), ())
    print(
        f"readings {spearman(readings, people).value or 0:+.3f}  rounds {spearman(humor, people).value or 0:+.3f}  "
        f"rounds with readings {spearman(humor, readings).value or 0:+.3f}  "
        f"spread of jokes {humor.std():.2f}, of rounds {np.mean(sds) if sds else float('nan'):.2f}  "
        f"places {' '.join(f'{each:+.2f}' for each in places)}  {seconds:.0f} s"
    )
    lengths = np.array([len(entry.text) for entry in result.entries if entry.rounds and entry.reading is not None])
    print(f"  rounds with length {spearman(humor, lengths.astype(float)).value or 0:+.3f}")


def join(lists: list[List]) -> None:
    """Print readings, rounds and both over all lists; each list's weight comes from the others."""
    weights = [weight([other for k, other in enumerate(lists) if k != number]) for number in range(len(lists))]
    both = [readings + w * (humor - 5.5) for (_, readings, humor), w in zip(lists, weights, strict=True)]
    for name, columns in (
        ("readings", [readings for _, readings, _ in lists]),
        ("rounds", [humor for _, _, humor in lists]),
        ("both", both),
    ):
        found = [spearman(own, people).value or 0 for own, (people, _, _) in zip(columns, lists, strict=True)]
        print(f"{name:9} {np.mean(found):+.3f}")
    ends = np.cumsum([0, *(len(people) for people, _, _ in lists)])

    def added(times: Vector) -> float:
        gains = []
        for (people, readings, _), own, a, b in zip(lists, both, ends, ends[1:], strict=False):
            drawn = np.repeat(np.arange(b - a), times[a:b].astype(int))
            gains.append(
                (spearman(own[drawn], people[drawn]).value or 0) - (spearman(readings[drawn], people[drawn]).value or 0)
            )
        return float(np.mean(gains))

    low, high = bootstrap(int(ends[-1]), added)
    print(
        f"both add {added(np.ones(int(ends[-1]))):+.3f} ({low:+.3f} to {high:+.3f}); weights of the other lists: "
        f"{' '.join(f'{w:.2f}' for w in weights)} log-odds a point; of all lists {weight(lists):.3f}"
    )


def weight(lists: list[List]) -> float:
    """Log-odds for a point of humor beside the readings: least squares on people's scores, at least 0."""
    people, readings, humor = (np.concatenate([each[k] - each[k].mean() for each in lists]) for k in range(3))
    (a, b), *_ = np.linalg.lstsq(np.stack([readings, humor], axis=1), people, rcond=None)
    return max(0.0, float(b / a)) if a > 0 else 0.0


if __name__ == "__main__":
    main()
