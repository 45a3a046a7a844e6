"""Leaving a text out of the editor's heads is what fitting them again without it would give."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest

from jokejudge_gui.heads.editor import EditorHeads
from jokejudge_gui.heads.editor_file import EditorMeta
from jokejudge_gui.learning.editor_fit import STRENGTHS, HeldOutHeads, fit_editor, gaussian, with_companions
from tests.editor_engine import drafts, readings
from tests.editor_fitted import SHA, rows_of

COUNT = 60
WEIGHT = np.where(np.arange(COUNT) % 3, 1.0, 0.4)
READINGS = dataclasses.replace(readings(COUNT), weight=WEIGHT)
DRAFTS = drafts(8)
FACTORS, KINDS = 16, 2


@pytest.fixture(scope="module")
def heads() -> EditorHeads:
    drafts = rows_of([draft.text for draft in DRAFTS])
    fitted = fit_editor(rows_of(READINGS.texts), READINGS, drafts, DRAFTS)
    meta = {**fitted.meta, "model_sha256": SHA, "version": "1", "factors": [f"factor_{i}" for i in range(FACTORS)]}
    return EditorHeads(EditorMeta.model_validate_json(json.dumps(meta)), dict(fitted.arrays))


def kernel_of(heads: EditorHeads) -> np.ndarray:
    arrays = heads.arrays
    return with_companions(gaussian(arrays["support"], arrays["reach"][0]), arrays).astype(np.float64)


def without(
    kernel: np.ndarray, place: int, goal: np.ndarray, mean: np.ndarray, rows: np.ndarray, strength: float
) -> np.ndarray:
    """The outputs of text ``place`` by heads that were fitted to the other ``rows``."""
    others = rows[rows != place]
    system = kernel[np.ix_(others, others)] + strength * np.diag(1.0 / WEIGHT[others])
    found: np.ndarray = kernel[place, others] @ np.linalg.solve(system, goal[others] - mean) + mean
    return found


def test_a_text_left_out_has_the_outputs_of_heads_that_never_saw_it(heads: EditorHeads) -> None:
    kernel, mean, apart = kernel_of(heads), heads.arrays["mean"], HeldOutHeads(heads)
    values = kernel @ heads.arrays["alpha"] + mean
    jokes, everything = np.flatnonzero(READINGS.joke == 1.0), np.arange(COUNT)
    kinds = slice(FACTORS, FACTORS + KINDS)
    for place in range(0, COUNT, 7):
        found = apart(kernel[place], values[place])
        expected = without(kernel, place, READINGS.kinds, mean[kinds], everything, STRENGTHS["kinds"])
        assert found[kinds] == pytest.approx(expected, abs=1e-3)
        assert np.abs(values[place, kinds] - expected).max() > 0.01
        expected = without(kernel, place, READINGS.complete[:, None], mean[-1:], everything, STRENGTHS["complete"])
        assert found[-1:] == pytest.approx(expected, abs=1e-3)
        faults = slice(kinds.stop, -2)
        assert (found[faults] == values[place, faults]).all()
        if place in jokes:
            expected = without(kernel, place, READINGS.factors, mean[:FACTORS], jokes, STRENGTHS["factors"])
            assert found[:FACTORS] == pytest.approx(expected, abs=1e-2)


def test_a_text_that_was_never_learned_from_keeps_its_outputs(heads: EditorHeads) -> None:
    values = np.arange(float(len(heads.arrays["mean"])))
    near = np.full(COUNT + len(DRAFTS), 0.8 * heads.nearest)
    assert HeldOutHeads(heads)(near, values).tolist() == values.tolist()
    near[3] = 0.95 * heads.nearest
    assert HeldOutHeads(heads)(near, values).tolist() != values.tolist()
