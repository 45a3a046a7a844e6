"""Figures of several models together: python -m tests.bench.ensemble CACHE MODEL MODEL… [--write FOLDER].

CACHE holds hidden states of UKP's one-liners that models/training/features.py read (JOKEJUDGE_DATA names the folder of
the data), and each MODEL is a GGUF file. A head of each model is fitted by ridge regression in ten folds of texts, so
that every figure is out of fold. Prints each model's share of right pairs, that of all joined as in a panel, both with
intervals over texts, and the correlation of their errors; --write keeps the latter. With --memory GB it then rates
jokes with all of them as a panel of that budget and prints its cost; with --readings N those jokes are N of the
reference readings, and it prints how often each model and the panel agree with the reading, with intervals. CACHE may
be ``-``: no votes are measured then.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.errors import JokeJudgeError
from jokejudge_gui.core.files import atomic_write, sha256_of
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.core.statistics import bootstrap, pearson, ranks, wilson
from jokejudge_gui.core.verdicts import RatingResult
from jokejudge_gui.engine.address_space import taken
from jokejudge_gui.judge.panel import FILE, independent_votes, join
from jokejudge_gui.judge.rating.kind import RATING
from jokejudge_gui.measure.template_stages import read_stage_readings, shipped_readings
from jokejudge_gui.session.session import Session

from .verdicts import processor

Array = Any
_FOLDS, _STRENGTH = 10, 1.0
_LEAST_GAP = 0.1
JOKE = "I told my wife she was drawing her eyebrows too high. She looked surprised."


def out_of_fold(values: Array, target: Array, fold: Array) -> Array:
    """Predictions (texts,) by kernel ridge regression, each from the other folds' texts."""
    found = np.zeros(len(target))
    for number in range(_FOLDS):
        test, train = fold == number, fold != number
        centre, scale = values[train].mean(axis=0), values[train].std(axis=0) + 1e-6
        x = np.clip((values - centre) / scale, -8, 8)
        kernel = x @ x[train].T / x.shape[1]
        mean = target[train].mean()
        weights = np.linalg.solve(kernel[train] + _STRENGTH * np.eye(train.sum()), target[train] - mean)
        found[test] = kernel[test] @ weights + mean
    return found


def right_pairs(score: Array, target: Array, times: Array | None = None) -> float:
    """Share of pairs of texts in people's order, among those whose scores differ by ``_LEAST_GAP`` or more."""
    one, two = np.triu_indices(len(target), 1)
    apart = np.abs(target[one] - target[two]) >= _LEAST_GAP
    one, two = one[apart], two[apart]
    hits = 0.5 + 0.5 * np.sign((score[one] - score[two]) * (target[one] - target[two]))
    weight = np.ones(len(one)) if times is None else times[one] * times[two]
    return float((hits * weight).sum() / weight.sum())


def normal(values: Array) -> Array:
    """Return standard normal scores of the ranks."""
    from statistics import NormalDist

    return np.array([NormalDist().inv_cdf((rank - 0.5) / len(values)) for rank in ranks(values)])


def measure(cache: Path, models: list[Path]) -> list[dict[str, Any]]:
    sys.path.insert(0, "models/training")
    import data
    from sets import cached_states

    from jokejudge_gui.heads.audience import pool

    hashes = [sha256_of(model) for model in models]
    states = [cached_states(cache, sha256, "ukp") for sha256 in hashes]
    items = [item for item in data.items("ukp") if all(data.key(item.text) in each for each in states)]
    target = np.array([item.target for item in items])
    fold = np.array([int(data.fraction(item.text, "panel") * _FOLDS) for item in items])
    said = []
    for each in states:
        values = np.stack([pool(each[data.key(item.text)].astype(np.float32), item.text) for item in items])
        said.append(normal(out_of_fold(values.astype(np.float64), target, fold)))
    people = normal(target)
    print(f"{len(items)} texts, {_FOLDS} folds; pairs at least {_LEAST_GAP} apart on a scale of −1…1")
    worths = [right_pairs(score, target) for score in said]
    errors = np.eye(len(models))
    rows = []
    for i in range(len(models)):
        for j in range(i):
            rest = [score - pearson(score, people).value * people for score in (said[i], said[j])]
            found = pearson(*rest)
            errors[i, j] = errors[j, i] = found.value
            print(
                f"errors of {models[j].stem} and {models[i].stem}: {found.value:.2f} ({found.low:.2f}–{found.high:.2f})"
            )
            rows.append(
                {
                    "models": [hashes[j], hashes[i]],
                    "correlation": round(found.value, 3),
                    "low": round(found.low, 3),
                    "high": round(found.high, 3),
                    "n": len(items),
                }
            )
    joint = join(worths, errors)
    together = sum(factor * score for factor, score in zip(joint.factors, said, strict=True))
    for name, score, share in zip([model.stem for model in models], said, joint.shares, strict=True):
        told(name, score, target, f"; weight {share:.2f}")
    told("together", together, target, f"; expected {joint.agreement:.3f}")
    best = said[int(np.argmax(worths))]
    gain = right_pairs(together, target) - max(worths)
    low, high = bootstrap(
        len(target), lambda times: right_pairs(together, target, times) - right_pairs(best, target, times), repeats=300
    )
    print(f"together against the best single one: {gain:+.3f} ({low:+.3f} to {high:+.3f})")
    print(f"{len(models)} models count as {independent_votes(errors):.2f} independent ones")
    return rows


def told(name: str, score: Array, target: Array, more: str) -> None:
    low, high = bootstrap(len(target), lambda times: right_pairs(score, target, times), repeats=300)
    print(f"{name}: {right_pairs(score, target):.3f} ({low:.3f}–{high:.3f}){more}")


def panel(models: list[Path], gigabytes: float, count: int) -> None:
    """Rate jokes with all models as a panel; print its greatest cost and the share of right answers."""
    readings = read_stage_readings(shipped_readings(), count) if count else [{"text": JOKE}]
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(
            together=list(map(str, models)), panel_memory_bytes=round(gigabytes * 1e9), explain=False, threads=1
        )
        session = Session(Profile.at(Path(folder)), settings)
        right: dict[str, list[float]] = {}
        try:
            before = taken("VmRSS")
            for reading in readings:
                last = list(session.ask(RATING, (reading["text"],), forced=True))[-1]
                result = getattr(last, "result", None)
                if not isinstance(result, RatingResult) or result.panel is None:
                    raise SystemExit(str(last))
                said = {"the panel": result}
                for member in result.panel.members:
                    own = session.store.get(member.verdict).result if member.verdict is not None else None
                    if isinstance(own, RatingResult):
                        said[member.model.name] = own
                for name, each in said.items():
                    right.setdefault(name, []).extend(hits(each, reading))
            peak = (taken("VmHWM") - before) / 1e9
            print(f"machine: {processor()}; {len(readings)} texts rated by {len(models)} models")
            print(f"peak of resident memory: {peak:.2f} GB of {gigabytes:g} GB")
        except JokeJudgeError as error:
            print(error)
        finally:
            session.close()
    if not count:
        return
    for name, found in right.items():
        low, high = wilson(sum(found), len(found))
        print(f"{name}: {sum(found) / len(found):.3f} ({low:.3f}–{high:.3f}) of {len(found)} findings")
    names = [name for name in right if name != "the panel"]
    best = max(names, key=lambda name: sum(right[name]))
    gaps = np.array(right["the panel"]) - np.array(right[best])
    low, high = bootstrap(len(gaps), lambda times: float((gaps * times).sum() / times.sum()), repeats=300)
    print(f"the panel against {best}: {gaps.mean():+.3f} ({low:+.3f} to {high:+.3f})")


def hits(result: RatingResult, reading: dict[str, Any]) -> list[float]:
    """1 or 0 for each label of a reading: is it a joke, is it whole, is its likeliest kind one of its kinds."""
    passed = {check.check: float(check.passed) for check in result.admissibility}
    found = []
    for name, said in (("intent", "joke"), ("completeness", "complete")):
        if isinstance(reading.get(said), int | float):
            found.append(float(passed.get(name, 1.0) == float(reading[said] >= 0.5)))
    if reading.get("kinds"):
        top = max(result.categories, key=lambda each: (each.chosen, each.p), default=None)
        found.append(float(top is not None and top.id in reading["kinds"]))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cache", type=Path)
    parser.add_argument("models", type=Path, nargs="+")
    parser.add_argument("--write", type=Path, metavar="FOLDER")
    parser.add_argument("--memory", type=float, metavar="GB")
    parser.add_argument("--readings", type=int, default=0, metavar="N")
    options = parser.parse_args()
    rows = [] if options.cache == Path("-") else measure(options.cache, options.models)
    if options.write is not None and rows:
        about = "errors of audience heads about people's scores of one-liners (UKP, CC BY 4.0), out of fold"
        found = {"about": about, "command": "python -m tests.bench.ensemble CACHE MODEL… --write models/panels"}
        atomic_write(options.write / FILE, json.dumps({**found, "pairs": rows}, indent=1) + "\n")
    if options.memory is not None:
        panel(options.models, options.memory, options.readings)


if __name__ == "__main__":
    main()
