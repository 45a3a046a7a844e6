"""Fits the head for offence to the ratings of jokes by HaHackathon's readers (0 to 5, twenty readers each), and prints
its figures on the held-out third of the texts:

    python models/training/offence.py MODEL.gguf CACHE [--write models]

It takes the states of the set ``hahackathon`` as far as ``features.py`` has read them.
"""

from __future__ import annotations

import argparse
import datetime
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import data
import numpy as np
import numpy.typing as npt
from sets import cached_states
from solvers import cross_fitted, fit

from jokejudge_gui.core.files import atomic_write, sha256_of
from jokejudge_gui.core.statistics import wilson
from jokejudge_gui.heads.audience import pool
from jokejudge_gui.heads.files import FORMAT
from jokejudge_gui.heads.offence import BUCKETS, STATED, TAKEN, OffenceHead, states_row
from jokejudge_gui.learning.ridge import platt
from jokejudge_gui.learning.wording import counted

Array = npt.NDArray[Any]
STRENGTHS = (10.0, 3.0, 1.0, 0.3)
FOLDS = 5
RESAMPLES = 500


def area(scores: Array, taken: Array) -> float:
    """Area under the ROC curve."""
    ranks = np.empty(len(scores))
    ranks[np.argsort(scores, kind="stable")] = np.arange(1, len(scores) + 1)
    count = int(taken.sum())
    return float((ranks[taken].sum() - count * (count + 1) / 2) / (count * (len(taken) - count)))


def interval(measure: Any, count: int) -> tuple[float, float]:
    """95 % interval of a figure by a bootstrap over texts. ``measure`` takes places of texts."""
    random = np.random.default_rng(7)
    values = [measure(random.integers(0, count, count)) for _ in range(RESAMPLES)]
    low, high = np.quantile(values, (0.025, 0.975))
    return round(float(low), 3), round(float(high), 3)


def rows_of(values: Array, texts: list[str], inside: Array) -> tuple[Array, Array, Array, Array]:
    """(texts, features), with the centre and scale of the states and the wording's rarity from the texts ``inside``."""
    centre, scale = values[inside].mean(axis=0), values[inside].std(axis=0) + 1e-6
    groups = counted(texts, BUCKETS)
    rarity = groups.rarity(np.flatnonzero(inside), least=2)
    words = groups.weighed(rarity.astype(np.float16)).dense()
    return np.hstack([np.stack([states_row(row, centre, scale) for row in values]), words]), centre, scale, rarity


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("cache", type=Path)
    parser.add_argument("--write", type=Path, help="folder models: head and card go to its folder offence")
    given = parser.parse_args(argv)
    sha256 = sha256_of(given.model)
    states = cached_states(given.cache, sha256, "hahackathon")
    said = data.offence()
    items = [item for item in data.items("hahackathon") if data.key(item.text) in states]
    values = np.stack([pool(states[data.key(item.text)].astype(np.float32), item.text) for item in items])
    texts = [item.text for item in items]
    target = np.array([said[data.key(text)] for text in texts])
    fold = np.array([int(data.fraction(item.group, "fold") * FOLDS) for item in items])
    test = np.array([item.test for item in items])
    taken = target >= TAKEN

    # The root brings the few very offensive texts nearer; otherwise they would determine the straight line alone.
    root = np.sqrt(target)[:, None]
    rows, *_ = rows_of(values, texts, ~test)
    found = cross_fitted(rows[~test], root[~test], fold[~test], STRENGTHS)
    slope, offset = platt(found.scores[:, 0], taken[~test].astype(np.float64))
    scores = found.of(rows[test])[:, 0]
    p = 1.0 / (1.0 + np.exp(-(slope * scores + offset)))
    mean, some = target[test], taken[test]
    correlation = float(np.corrcoef(scores, mean)[0, 1])
    stated = p >= STATED
    right = int(some[stated].sum())
    bins = np.clip((p * 10).astype(int), 0, 9)
    error = sum(
        abs(p[bins == b].mean() - some[bins == b].mean()) * (bins == b).mean() for b in range(10) if (bins == b).any()
    )
    figures = {
        "training_texts": int((~test).sum()),
        "test_texts": int(test.sum()),
        "correlation": [
            round(correlation, 3),
            *interval(lambda at: np.corrcoef(scores[at], mean[at])[0, 1], len(mean)),
        ],
        "area": [round(area(scores, some), 3), *interval(lambda at: area(scores[at], some[at]), len(mean))],
        "share_taken": round(float(some.mean()), 3),
        "stated": int(stated.sum()),
        "precision": [
            round(right / max(1, int(stated.sum())), 3),
            *(round(x, 3) for x in wilson(right, int(stated.sum()))),
        ],
        "recall": round(right / int(some.sum()), 3),
        "calibration_error": round(float(error), 3),
    }
    print(json.dumps(figures, indent=1))
    if given.write is None:
        return
    # The head that ships is trained on all texts, with the strength and the line found without the test texts.
    rows, centre, scale, rarity = rows_of(values, texts, np.ones(len(texts), bool))
    maps, bias = fit(rows, root, (float(found.strength[0]),))
    size = values.shape[1]
    meta = {
        "format": FORMAT,
        "model_sha256": sha256,
        "bias": float(bias[0, 0]),
        "slope": slope,
        "offset": offset,
        "correlation": round(correlation, 3),
    }
    arrays = {
        "centre": centre,
        "scale": scale,
        "weights": maps[0, :size, 0],
        "rarity": rarity,
        "words": maps[0, size:, 0],
    }
    folder = given.write / "offence"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{sha256[:16]}.npz").open("wb") as stream:
        OffenceHead.write(stream, meta, arrays)
    card = {
        "model": {"name": given.model.stem, "sha256": sha256},
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "command": "python models/training/offence.py MODEL.gguf CACHE --write models",
        "data": "HaHackathon, SemEval-2021 task 7: jokes, offence 0 to 5, the mean of 20 readers; no terms stated",
        "claim": f"mean offence of {TAKEN} or more; stated at a probability of {STATED} or more",
        "split": "by text: a third is held out; the head that ships was fitted once more on all texts",
        "figures": figures,
    }
    atomic_write(folder / f"{sha256[:16]}.json", json.dumps(card, indent=1) + "\n")


if __name__ == "__main__":
    main()
