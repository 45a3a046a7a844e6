"""The wording of many texts as a matrix holds what a head reads of each of them."""

from __future__ import annotations

import numpy as np

from jokejudge_gui.heads.audience import grams, weigh
from jokejudge_gui.learning.wording import counted, lengths

BUCKETS = 256
TEXTS = ["A duck walks in.", "", "“Bill me,” said the duck; the duck left.", "?!", "naïve café"]


def test_a_row_is_what_a_head_reads_of_its_text() -> None:
    counts = counted(TEXTS, BUCKETS)
    rarity = counts.rarity()
    weighed = counts.weighed(rarity).dense()
    for row, text in zip(weighed, TEXTS, strict=True):
        expected = np.zeros(BUCKETS)
        if found := grams(text, BUCKETS):
            places, values = weigh(found, rarity)
            expected[places] = values
        np.testing.assert_allclose(row, expected, atol=1e-6)


def test_products_are_those_of_the_dense_matrix() -> None:
    matrix = counted(TEXTS, BUCKETS).beside(lengths(TEXTS))
    dense = matrix.dense().astype(float)
    random = np.random.default_rng(1)
    weights, scores = random.normal(size=(BUCKETS + 2, 3)), random.normal(size=len(TEXTS))
    np.testing.assert_allclose(matrix.times(weights), dense @ weights, atol=1e-5)
    np.testing.assert_allclose(matrix.times(weights[:, 0]), dense @ weights[:, 0], atol=1e-5)
    np.testing.assert_allclose(matrix.back(scores), dense.T @ scores, atol=1e-5)
