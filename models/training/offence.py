"""Fits the head for offence to the ratings of jokes by HaHackathon's readers (0 to 5, twenty readers each), and prints
its figures on the held-out third of the texts."""

from __future__ import annotations

import json

import data
import numpy as np
from shipping import Array, Shipping
from solvers import ridge

from jokejudge_gui.heads.audience import pool
from jokejudge_gui.heads.files import FORMAT
from jokejudge_gui.heads.offence import BUCKETS, STATED, TAKEN, OffenceHead, states_row
from jokejudge_gui.learning.figures import FOLDS, area, calibration_error, chances, out_of_fold
from jokejudge_gui.learning.ridge import platt
from jokejudge_gui.learning.wording import counted

STRENGTHS = (10.0, 3.0, 1.0, 0.3)


def rows_of(values: Array, texts: list[str], inside: Array) -> tuple[Array, dict[str, Array]]:
    """(texts, features), with the centre and scale of the states and the wording's rarity from the texts ``inside``."""
    centre, scale = values[inside].mean(axis=0), values[inside].std(axis=0) + 1e-6
    groups = counted(texts, BUCKETS)
    rarity = groups.rarity(np.flatnonzero(inside), least=2)
    states = np.stack([states_row(row, centre, scale) for row in values])
    rows = np.hstack([states, groups.weighed(rarity.astype(np.float16)).dense()])
    return rows, {"centre": centre, "scale": scale, "rarity": rarity}


def fit_offence(of: Shipping) -> None:
    said, items = data.offence(), data.items("hahackathon")
    texts = [item.text for item in items]
    values = np.stack([pool(scan.states, text) for text, scan in zip(texts, of.reads.scans(texts), strict=True)])
    target = np.array([said[data.key(text)] for text in texts])
    fold = np.array([int(data.fraction(item.group, "fold") * FOLDS) for item in items])
    test, taken = np.array([item.test for item in items]), target >= TAKEN
    # The root brings the few very offensive texts nearer; otherwise they would determine the straight line alone.
    root = np.sqrt(target)
    rows, _ = rows_of(values, texts, ~test)
    learned, goal = rows[~test], root[~test]

    def scored(inside: Array, outside: Array) -> Array:
        maps = ridge(learned[inside], goal[inside], STRENGTHS)
        return np.stack([learned[outside] @ weights + constant for weights, constant in maps], axis=1)

    out = out_of_fold(fold[~test], scored)
    place = int(((out - goal[:, None]) ** 2).sum(axis=0).argmin())  # the strength of least squared error
    strength = STRENGTHS[place : place + 1]
    slope, offset = platt(out[:, place], taken[~test].astype(np.float64))
    ((weights, constant),) = ridge(learned, goal, strength)
    scores = rows[test] @ weights + constant
    p = chances(slope * scores + offset)
    mean, some, stated = target[test], taken[test], p >= STATED
    correlation = round(float(np.corrcoef(scores, mean)[0, 1]), 3)
    figures = {
        "training_texts": int((~test).sum()),
        "test_texts": int(test.sum()),
        "correlation": correlation,
        "area": round(area(scores, some), 3),
        "share_taken": round(float(some.mean()), 3),
        "stated": int(stated.sum()),
        "precision": round(float(some[stated].mean()), 3),
        "recall": round(float(stated[some].mean()), 3),
        "calibration_error": round(calibration_error(p, some), 3),
    }
    print(json.dumps(figures, indent=1))
    # The head that ships is trained on all texts, with the strength and the line found without the test texts.
    rows, arrays = rows_of(values, texts, np.ones(len(texts), bool))
    ((weights, constant),) = ridge(rows, root, strength)
    size = values.shape[1]
    arrays |= {"weights": weights[:size], "words": weights[size:]}
    meta = {
        "format": FORMAT,
        "model_sha256": of.sha256,
        "bias": constant,
        "slope": slope,
        "offset": offset,
        "correlation": correlation,
    }
    card = {
        "command": "python models/training/ship.py MODEL.gguf CACHE --name NAME --only offence",
        "data": "HaHackathon, SemEval-2021 task 7: jokes, offence 0 to 5, the mean of 20 readers; no terms stated",
        "claim": f"mean offence of {TAKEN} or more; stated at a probability of {STATED} or more",
        "split": "by text: a third is held out; the head that ships was fitted once more on all texts",
        "figures": figures,
    }
    of.save("offence", lambda out: OffenceHead.write(out, meta, arrays), card)
