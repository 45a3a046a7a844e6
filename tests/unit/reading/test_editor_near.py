"""How near texts lie to one another: one by one as in a verdict, and all at once as in learning."""

from __future__ import annotations

import numpy as np
import pytest

from jokejudge_gui.heads.audience import Points
from jokejudge_gui.heads.editor import TextRow, measure, row_traits
from jokejudge_gui.heads.editor_file import Companions, word_groups_of
from jokejudge_gui.learning.editor_fit import SHARES, companions, gaussian, usual_distance, with_companions
from tests.editor_engine import EditorEngine, texts

TEXTS = [*texts(12), "Nothing here is like another one!", "?!"]
READ = 10
"""Texts that say what is usual; the others are drafts."""


def rows_of(found: list[str]) -> list[TextRow]:
    engine = EditorEngine()
    scans = [engine.scan(text) for text in found]
    return [measure(scan.states, text, scan.spans, 64, scan.logprobs) for text, scan in zip(found, scans, strict=True)]


ROWS = rows_of(TEXTS)
TURN = [np.random.default_rng(place).random(len(row.words)) for place, row in enumerate(ROWS)]
ARRAYS = companions(ROWS, TURN, READ)
POINTS = np.random.default_rng(9).normal(size=(len(ROWS), 5))
REACH = 1.0 / (2.0 * usual_distance(POINTS))


def one_by_one(place: int) -> np.ndarray:
    found = Companions(ARRAYS)
    states = Points(POINTS).near(POINTS[place], REACH)
    return found.near(states, row_traits(ROWS[place], TURN[place]), TEXTS[place])


def test_a_verdict_finds_what_learning_found() -> None:
    together = with_companions(gaussian(POINTS, REACH), ARRAYS)
    assert np.array([one_by_one(place) for place in range(len(ROWS))]) == pytest.approx(together, abs=1e-5)
    assert together == pytest.approx(together.T, abs=1e-6)
    assert np.linalg.eigvalsh(together.astype(np.float64)).min() > -1e-5  # else no ridge could be fitted


def test_a_text_is_nearest_to_itself() -> None:
    for place, text in enumerate(TEXTS):
        near = one_by_one(place)
        assert int(near.argmax()) == place
        counted = any(ARRAYS["rarity_of_groups"][word_groups_of(text)] > 0)
        assert near[place] == pytest.approx(sum(SHARES) if counted else sum(SHARES[:2]), abs=1e-5)
        assert near.min() >= 0.0
