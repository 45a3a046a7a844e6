"""Pairs of texts of one set and of two, the funnier text first, for across.py."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import data
import numpy as np
import numpy.typing as npt
from second import Said

from jokejudge_gui.learning.audience_fit import FOLDS

Array = npt.NDArray[Any]
RATED = ("ukp", "hahackathon", "mechanics", "rjokes")
"""Sets of jokes with people's ratings or votes, of texts of one or a few sentences."""
_SEED = 7
_TRIES = 12
_UNTOLD = 0.4
"""The share of random pairs of a set that is left out: those with the nearest ratings."""


@dataclass(frozen=True, eq=False)
class Texts:
    """Texts of all sets. ``target``: on the set's own scale; ``rank`` 0…1 among the set's jokes; ``funny`` 0…100 by an
    editor, whose reading has the weight ``careful`` 0…1. NaN where unknown."""

    text: list[str]
    set: Array
    joke: Array
    target: Array
    rank: Array
    funny: Array
    careful: Array
    test: Array
    fold: Array
    length: Array
    places: Mapping[str, int]

    @classmethod
    def of(cls, rows: Sequence[tuple[str, str, data.Item | None]], says: Mapping[str, Said]) -> Texts:
        """From each text with its set and its labelled item, if there is one."""
        text = [text for text, _, _ in rows]
        sets = np.array([name for _, name, _ in rows])
        joke = np.array([item is not None and item.joke for _, _, item in rows])
        target = np.array([np.nan if item is None or name == "plain" else item.target for _, name, item in rows])
        rank = np.full(len(rows), np.nan)
        for name in RATED:
            there = np.flatnonzero((sets == name) & ~np.isnan(target) & (joke | (name != "ukp")))
            rank[there] = (np.argsort(np.argsort(target[there], kind="stable")) + 0.5) / max(1, len(there))
        nobody = Said("", float("nan"), 0.0)
        said = [says.get(each, nobody) for each in text]
        return cls(
            text,
            sets,
            joke,
            target,
            rank,
            np.array([each.funny for each in said]),
            np.array([each.weight for each in said]),
            np.array([data.held_out(each) for each in text]),
            np.array([int(data.fraction(each, "fold") * FOLDS) for each in text]),
            np.array([float(len(each)) for each in text]),
            {data.key(each): place for place, each in enumerate(text)},
        )


@dataclass(frozen=True, eq=False)
class Pairs:
    """Places of the funnier text and of the other one, and each pair's weight."""

    a: Array
    b: Array
    weight: Array


def rated_pairs(texts: Texts, name: str, inside: Array, most: int = 4000) -> Pairs:
    """Pairs of one set: voted on, or random ones whose ratings aren't near each other."""
    if name == "ukp":
        rows = []
        for pair in data.ukp_pairs():
            a, b = texts.places.get(data.key(pair.a)), texts.places.get(data.key(pair.b))
            if a is not None and b is not None and inside[a] and inside[b]:
                rows.append((a, b, pair.gap) if pair.gap > 0 else (b, a, -pair.gap))
        return _pairs(np.array(rows).reshape(-1, 3))
    members = np.flatnonzero((texts.set == name) & inside & ~np.isnan(texts.target))
    return _apart(texts.target, _chosen(members, members, min(2 * most, 20 * len(members))), None, most)


def ranked_pairs(
    texts: Texts, name: str, other: str, inside: Array, *, share: float = 0.2, least: float = 0.0, most: int = 1000
) -> Pairs:
    """Pairs of a text of the best ``share`` of a set and one of the worst ``share`` of another; with ``share`` .5 any
    two texts whose ranks in their sets differ by ``least`` or more, the higher rank first."""
    if share == 0.5:
        known = ~np.isnan(texts.rank) & inside
        first, second = (np.flatnonzero((texts.set == each) & known) for each in (name, other))
        return _apart(texts.rank, _chosen(first, second, 4 * most), least, most)
    first = np.flatnonzero((texts.set == name) & (texts.rank > 1 - share) & inside)
    second = np.flatnonzero((texts.set == other) & (texts.rank < share) & inside)
    return _alike(_chosen(first, second, most))


def jokes_above_plain(texts: Texts, name: str, plain: str, inside: Array, most: int = 1000) -> Pairs:
    """Pairs of a joke of one set and a text of another that is no joke."""
    first = np.flatnonzero((texts.set == name) & texts.joke & inside)
    second = np.flatnonzero((texts.set == plain) & ~texts.joke & inside)
    return _alike(_chosen(first, second, most))


def editor_pairs(texts: Texts, inside: Array, gap: float = 15.0, most: int = 6000) -> Pairs:
    """Pairs of texts of two sets whose "funny" by an editor differs by ``gap`` or more."""
    members = np.flatnonzero(~np.isnan(texts.funny) & inside)
    chosen = _chosen(members, members, _TRIES * most)
    chosen = chosen[texts.set[chosen[:, 0]] != texts.set[chosen[:, 1]]]
    found = _apart(texts.funny, chosen, gap, most)
    far = np.minimum((texts.funny[found.a] - texts.funny[found.b]) / 30.0, 1.0)
    return Pairs(found.a, found.b, far * np.sqrt(texts.careful[found.a] * texts.careful[found.b]))


def _chosen(first: Array, second: Array, count: int) -> Array:
    """(count, 2) random places; (0, 2) where a side is empty."""
    if not len(first) or not len(second):
        return np.zeros((0, 2), np.int64)
    random = np.random.default_rng(_SEED)
    return np.stack([random.choice(first, count), random.choice(second, count)], axis=1)


def _apart(values: Array, chosen: Array, least: float | None, most: int) -> Pairs:
    """Pairs whose values differ by ``least`` or more (by default, more than the nearest share ``_UNTOLD``), the higher
    first; weighted by the difference."""
    gap = values[chosen[:, 0]] - values[chosen[:, 1]]
    if least is None:
        least = float(np.quantile(np.abs(gap), _UNTOLD)) if len(gap) else 0.0
    keep = np.flatnonzero((np.abs(gap) >= least) & (gap != 0))[:most]
    chosen, gap = chosen[keep], gap[keep]
    chosen = np.where((gap > 0)[:, None], chosen, chosen[:, ::-1])
    return Pairs(chosen[:, 0], chosen[:, 1], np.abs(gap) / max(float(np.abs(gap).mean()), 1e-9) if len(gap) else gap)


def _alike(chosen: Array) -> Pairs:
    return Pairs(chosen[:, 0], chosen[:, 1], np.ones(len(chosen)))


def _pairs(rows: Array) -> Pairs:
    return Pairs(rows[:, 0].astype(np.int64), rows[:, 1].astype(np.int64), rows[:, 2])
