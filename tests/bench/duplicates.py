"""Precision and recall of recognising versions of one joke: by words and letter groups, by states, and by both.

    python -m tests.bench.duplicates [--states 110] [--model PATH|NAME] [--threads N]

Readings and drafts are beside $JOKEJUDGE_DATA. Versions: the best draft of a joke with its equal wording and with a
worse one. Different jokes: all pairs of readings under 250 characters, except those that a model's reading showed to be
the same joke twice (same_jokes.txt: digests of both texts; checked down to a likeness of .30). From both: the precision
of a threshold in lists of each length in which a tenth of the jokes has another version. Then a hard list, the drafts
of ``--states`` jokes and the 300 readings that are nearest to another one, for states too: the share of versions found
at a precision of .95. --states 0 needs no model. Prints, asserts nothing.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.files import parse_json
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.heads.near_duplicates import Signature, likeness_of, same_ending, signature, threshold_of
from jokejudge_gui.session.session import Session

from .verdicts import processor

THRESHOLDS = (0.24, 0.28, 0.32, 0.36, 0.40, 0.44, 0.48, 0.52, 0.6)
LISTS = (60, 100, 300, 1000, 3000, 10_000)
LONGEST, NEAREST = 250, 300
_LEAST_GROUPS = 3
Vector = npt.NDArray[np.float64]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.duplicates", description=__doc__)
    parser.add_argument("--states", type=int, default=110)
    parser.add_argument("--model", default=None)
    parser.add_argument("--threads", type=int, default=0)
    options = parser.parse_args()
    print(f"machine: {processor()}; load {os.getloadavg()[0]:.1f}")
    folder = Path(os.environ["JOKEJUDGE_DATA"]).parent / "readings"
    drafts = rows_of(folder / "drafts.jsonl")
    families = [[row["best"], row["equal"], row["worse"][0]["text"]] for row in drafts]
    texts = [row["text"] for row in rows_of(folder / "readings.jsonl")]
    readings = list(dict.fromkeys(text for text in texts if len(text) < LONGEST))
    same = {frozenset(line.split()) for line in (Path(__file__).parent / "same_jokes.txt").read_text().splitlines()}
    near = near_pairs(readings)
    by_words(families, readings, near, same)
    if options.states:
        by_states(options, families[: options.states], readings, near, same)


def rows_of(path: Path) -> list[dict[str, Any]]:
    with path.open("rb") as stream:
        return [parse_json(line) for line in stream]


def near_pairs(texts: list[str]) -> list[tuple[float, int, int]]:
    """Return pairs that share some letter groups, with their likeness."""
    signs = [signature(text) for text in texts]
    return [
        (near_by(signs[i], signs[j]), i, j)
        for i in range(len(texts))
        for j in range(i + 1, len(texts))
        if len(signs[i].letters & signs[j].letters) > _LEAST_GROUPS
    ]


def near_by(one: Signature, other: Signature) -> float:
    """The likeness of two texts; 0 if neither's ending occurs in the other."""
    return likeness_of(one, other) if same_ending(one, other) else 0.0


def digests(one: str, other: str) -> frozenset[str]:
    return frozenset(hashlib.sha256(text.encode()).hexdigest()[:12] for text in (one, other))


def by_words(
    families: list[list[str]], readings: list[str], near: list[tuple[float, int, int]], same: set[frozenset[str]]
) -> None:
    versions = np.array(
        [near_by(signature(family[0]), signature(other)) for family in families for other in family[1:]]
    )
    others = np.array([value for value, i, j in near if digests(readings[i], readings[j]) not in same])
    pairs = len(readings) * (len(readings) - 1) / 2
    print(f"{len(versions)} pairs of versions; {len(readings)} readings, {pairs:,.0f} pairs")
    print("threshold  versions found  different jokes, of a million pairs")
    for threshold in THRESHOLDS:
        wrong = (others >= threshold).sum() / pairs
        print(f"{threshold:9.2f}  {(versions >= threshold).mean():14.3f}  {1e6 * wrong:10.1f}")
    print("jokes  threshold  precision there  and at .28")
    for count in LISTS:
        found = []
        for threshold in (threshold_of(count), 0.28):
            right = count / 10 * (versions >= threshold).mean()
            found.append(right / (right + (others >= threshold).sum() / pairs * count * (count - 1) / 2))
        print(f"{count:5}  {threshold_of(count):9.2f}  {found[0]:15.3f}  {found[1]:10.3f}")


def by_states(
    options: argparse.Namespace,
    families: list[list[str]],
    readings: list[str],
    near: list[tuple[float, int, int]],
    same: set[frozenset[str]],
) -> None:
    chosen: dict[int, None] = {}
    for _, i, j in sorted(near, reverse=True):
        if len(chosen) < NEAREST:
            chosen |= {i: None, j: None}
    texts = [text for family in families for text in family] + [readings[place] for place in chosen]
    with tempfile.TemporaryDirectory() as name:
        session = Session(Profile.at(Path(name)), Settings(model=options.model, threads=options.threads))
        for _ in session.load():
            pass
        assert session.judge is not None
        print(f"{len(texts)} texts; model: {session.judge.model.name}")
        means = np.array(
            [states.mean(axis=0) for states in session.judge.engine.embed_together(texts)], dtype=np.float64
        )
        session.close()
    family = [place // 3 if place < 3 * len(families) else -1 - place for place in range(len(texts))]
    one, other = np.triu_indices(len(texts), 1)
    truth = np.array(
        [family[i] == family[j] or digests(texts[i], texts[j]) in same for i, j in zip(one, other, strict=True)]
    )
    signs = [signature(text) for text in texts]
    words = np.array([likeness_of(signs[i], signs[j]) for i, j in zip(one, other, strict=True)])
    states = cosines(means)[one, other]
    for way, values in (("words and letters", words), ("states", states)):
        tell(way, values, truth)
    for weight in (0.25, 0.5, 1.0, 2.0):
        tell(f"words and letters + {weight} states", words + weight * states, truth)


def cosines(means: Vector) -> Vector:
    """Cosines of each pair of rows, about the mean of all."""
    rows = (means - means.mean(axis=0)) / (means.std(axis=0) + 1e-6)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    found: Vector = rows @ rows.T
    return found


def tell(way: str, values: Vector, truth: npt.NDArray[np.bool_]) -> None:
    order = np.argsort(-values, kind="stable")
    right = np.cumsum(truth[order])
    good = np.flatnonzero(right / np.arange(1, len(order) + 1) >= 0.95)
    share = right[good[-1]] / truth.sum() if len(good) else 0.0
    last = f"{values[order[good[-1]]]:.2f}" if len(good) else "none"
    print(f"  {way:32} {share:.3f} of versions found at a precision of .95 (from {last})")


if __name__ == "__main__":
    main()
