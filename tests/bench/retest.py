"""Test and retest: is a rating the same if its questions are asked in other words?

    python -m tests.bench.retest [--model PATH|NAME] [--readings 60] [--ask plan all] [--seed 1] [--out FILE.json]

Each of N jokes that an editor read is rated three times, by Quick and by Deep, under three plans that ask the same in
other words (criteria/deep_prompts.xml and tests/bench/retest_prompts.xml), each calibrated by itself. Of Quick and of
Deep: the mean correlation of the factors' scores between two plans, how often the likeliest kind is the same, the
overlap of the chosen kinds (Jaccard), and the differences of the two modes, with 95 % intervals (jokes drawn anew);
questions, tokens and seconds a rating. If a plan asks nothing, all wordings are one, and r is 1 by construction.
Ctrl+C prints the figures so far; the same command continues from there (--data-dir). Prints, asserts nothing.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import os
import random
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path

import numpy as np

from jokejudge_gui.cli.running import interruptible
from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.errors import Cancelled
from jokejudge_gui.core.paths import Profile, models_dir
from jokejudge_gui.core.statistics import Vector, bootstrap
from jokejudge_gui.core.verdicts import Asked
from jokejudge_gui.engine.base import CancelToken, Choice, Engine, Prompt, Question
from jokejudge_gui.judge.main_judge import MainJudge
from jokejudge_gui.learning.deep_job import LEAST_FIT_TEXTS as LEAST_TEXTS
from jokejudge_gui.learning.deep_job import RATED, Both, Side, correlation, rate_both, table
from jokejudge_gui.learning.editor_data import read_readings
from jokejudge_gui.learning.jobs import ResultCache
from jokejudge_gui.session.session import Session

from .retest_plans import PLANS, reworded_judges
from .verdicts import processor

_TOGETHER = 10
"""Number of jokes that go through one plan before they go through the next, so that its constant prompts stay in
memory."""
_WARM = "A duck walks into a pharmacy and asks for a lip balm. Put it on my bill, it says."
Row = tuple[Both, ...]
"""One joke under all plans."""
Figure = tuple[float, float, float]


class Counted:
    """An engine that counts its questions."""

    def __init__(self, engine: Engine) -> None:
        self.questions = 0
        self._choose = engine.choose
        engine.choose = self._counting  # type: ignore[method-assign]

    def _counting(
        self, prompt: Prompt, questions: Sequence[Question], cancel: CancelToken | None = None
    ) -> list[Choice]:
        found = self._choose(prompt, questions, cancel)
        self.questions += len(questions)
        return found


def rated(
    judges: Sequence[MainJudge],
    texts: Sequence[str],
    ask: Asked,
    kept: ResultCache,
    count: Callable[[], int],
    cancel: CancelToken,
    seed: int = 1,
) -> Iterator[Row]:
    """Yield each text under all plans, as far as there is time: raises ``Cancelled``, and the file keeps the ratings so
    far."""
    for start in range(0, len(texts), _TOGETHER):
        part = texts[start : start + _TOGETHER]
        rows: list[list[Both]] = [[] for _ in part]
        for number, judge in enumerate(judges):
            warm = False
            for row, text in zip(rows, part, strict=True):
                key = hashlib.sha256(f"{seed} {number} {text}".encode()).hexdigest()[:32]
                name = f"{ask} {key}"
                if name not in kept.names and not warm:
                    for _ in judge.calibrate(duel=False, cancel=cancel):
                        pass
                    rate_both(judge, _WARM, ask, cancel)
                    warm = True
                both = partial(rate_both, judge, text, ask, cancel, seed=seed, questions=count)
                row.append(kept.get(name, RATED, both))
        yield from map(tuple, rows)


def figures(rows: Sequence[Row]) -> dict[str, dict[str, Figure]]:
    """Return value and 95 % interval, by measure, and by mode and the modes' difference."""
    found: dict[str, dict[str, Figure]] = {}
    measures: dict[str, Callable[[Sequence[Sequence[Side]], Vector], float]] = {
        "scores, r": _scores,
        "first kind the same": _first,
        "kinds, Jaccard": _jaccard,
    }
    quick = [[both.quick for both in row] for row in rows]
    deep = [[both.deep for both in row] for row in rows]
    for name, measure in measures.items():
        one, two = _prepared(measure, quick), _prepared(measure, deep)
        ones = np.ones(len(rows))
        found[name] = {
            "quick": (one(ones), *bootstrap(len(rows), one)),
            "deep": (two(ones), *bootstrap(len(rows), two)),
            "difference": (two(ones) - one(ones), *bootstrap(len(rows), lambda t, a=one, b=two: b(t) - a(t))),  # type: ignore[misc]
        }
    return found


def _prepared(
    measure: Callable[[Sequence[Sequence[Side]], Vector], float], rows: Sequence[Sequence[Side]]
) -> Callable[[Vector], float]:
    return lambda times: measure(rows, times)


def _scores(rows: Sequence[Sequence[Side]], times: Vector) -> float:
    """Mean over factors and pairs of plans; a factor counts where enough jokes have it under both."""
    ids = sorted({id for row in rows for side in row for id in side.factors})
    tables = [table([row[plan].factors for row in rows], ids) for plan in range(len(rows[0]))]
    found = []
    for one, two in itertools.combinations(tables, 2):
        there = np.isfinite(one) & np.isfinite(two)
        for place in range(len(ids)):
            here = there[:, place]
            if here.sum() >= LEAST_TEXTS:
                found.append(correlation(one[here, place], two[here, place], times[here]))
    return float(np.mean(found)) if found else float("nan")


def _first(rows: Sequence[Sequence[Side]], times: Vector) -> float:
    def likeliest(side: Side) -> str:
        return max(side.kinds, key=lambda id: side.kinds[id], default="")

    same = [np.mean([likeliest(a) == likeliest(b) for a, b in itertools.combinations(row, 2)]) for row in rows]
    return float(np.array(same) @ times / times.sum())


def _jaccard(rows: Sequence[Sequence[Side]], times: Vector) -> float:
    def alike(a: Side, b: Side) -> float:
        one, two = set(a.chosen), set(b.chosen)
        return len(one & two) / len(one | two) if one | two else 1.0

    found = [np.mean([alike(a, b) for a, b in itertools.combinations(row, 2)]) for row in rows]
    return float(np.array(found) @ times / times.sum())


def tell(ask: Asked, rows: Sequence[Row], alike: bool) -> dict[str, object]:
    """Print a table; return the same as fields."""
    sides = {
        "quick": [both.quick for row in rows for both in row],
        "deep": [both.deep for row in rows for both in row],
    }
    costs = {
        mode: [float(np.mean([getattr(side, what) for side in some])) for what in ("questions", "tokens", "seconds")]
        for mode, some in sides.items()
    }
    print(f"\n--ask {ask}: {len(rows)} readings" + ("" if alike else f", {PLANS} plans"))
    found: dict[str, dict[str, Figure]] = {}
    if alike:
        print("Nothing is asked, so the plans are one in all wordings: r = 1 by construction, for Quick and for Deep.")
    else:
        found = figures(rows)
        print(f"{'':<22}{'Quick':>22}{'Deep':>22}{'difference':>24}")
        for name, by in found.items():
            cells = [f"{value:.3f} ({low:.3f} to {high:.3f})" for value, low, high in by.values()]
            print(f"{name:<22}{cells[0]:>22}{cells[1]:>22}{cells[2]:>24}")
    for mode, (questions, tokens, seconds) in costs.items():
        print(f"{mode:<6} a rating: {questions:.1f} questions, {tokens:.0f} tokens, {seconds:.2f} s")
    times = costs["deep"][1] / costs["quick"][1] if costs["quick"][1] else float("nan")
    print(f"Deep costs {times:.2f} times Quick's tokens (asked: at most 2 where it adds nothing)")
    return {"ask": ask, "readings": len(rows), "one_wording": alike, "figures": found, "costs": costs, "times": times}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.retest", description=__doc__)
    parser.add_argument("--model", default=None)
    parser.add_argument("--readings", type=int, default=60)
    parser.add_argument("--ask", nargs="+", choices=("plan", "all"), default=["plan", "all"])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--out", type=Path, default=None)
    parser.add_argument("--data-dir", type=Path, default=None, help="where what is rated is kept, to go on from there")
    options = parser.parse_args()
    print(f"machine: {processor()}; load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() if options.data_dir is None else nullcontext(options.data_dir) as folder:
        session = Session(Profile.at(Path(folder)), Settings(model=options.model, threads=options.threads))
        told = list(_measured(session, Path(folder), options))
        session.close()
    if options.out is not None:
        options.out.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


def _measured(session: Session, folder: Path, options: argparse.Namespace) -> Iterator[dict[str, object]]:
    for _ in session.load():
        pass
    judge = session.judge
    assert judge is not None
    print(f"model: {judge.model.name} ({judge.model.sha256[:16]})")
    readings = read_readings(models_dir() / "readings" / "readings.jsonl")
    texts = [text for text, joke in zip(readings.texts, readings.joke, strict=True) if joke == 1.0]
    random.Random(options.seed).shuffle(texts)
    texts = texts[: options.readings]
    count = Counted(judge.engine)
    judges = reworded_judges(judge, folder / "retest")
    kept = ResultCache(folder / f"retest-{judge.model.sha256[:16]}.jsonl", judge.deep_mark)
    with interruptible() as cancel:
        for ask in options.ask:
            alike = ask == "plan" and judge.reads_alone
            rows: list[Row] = []
            try:
                for row in rated(judges[:1] if alike else judges, texts, ask, kept, lambda: count.questions, cancel):
                    rows.append(row)
            except Cancelled:
                print(f"Stopped after {len(rows)} readings; the same command goes on from there.")
            if rows:
                yield tell(ask, rows, alike)
            if cancel.cancelled:
                return


if __name__ == "__main__":
    main()
