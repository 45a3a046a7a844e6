"""The editor's heads' predictions for a text without training on it: leave one out. In ridge regression that needs no
new fit: with G the inverse of the system, an output of text i without i itself is the output + α_i·(λ/w_i − 1/G_ii),
w_i being the text's weight (the leave-one-out residual is α_i/G_ii)."""

from __future__ import annotations

import numpy as np

from ..core.statistics import Vector
from ..heads.editor import EditorHeads
from .editor_fit import strengths_of, with_companions

_SAME = 0.85
"""Least nearness to a training text for being that text; nearness is 1 at no distance, and points are kept as bytes."""


class HeldOutHeads:
    """Leaves training texts out of one model's heads."""

    def __init__(self, heads: EditorHeads, *, faults: bool = False) -> None:
        """``faults``: for these outputs as well, which takes a minute longer, since drafts are training data for
        them."""
        arrays = heads.arrays
        support, alpha = arrays["support"], arrays["alpha"]
        factors, kinds, last = len(heads.factors), len(heads.learned_kinds), alpha.shape[1]
        groups = {
            "factors": slice(0, factors),
            "kinds": slice(factors, factors + kinds),
            "joke": slice(last - 2, last - 1),
            "complete": slice(last - 1, last),
            **({"faults": slice(factors + kinds, last - 2)} if faults else {}),
        }
        strengths = strengths_of(arrays)
        self._shift = np.zeros_like(alpha)
        lengths = (support**2).sum(axis=1)
        near = np.exp(-arrays["reach"][0] * np.maximum(lengths[:, None] + lengths - 2.0 * support @ support.T, 0.0))
        near = with_companions(near, arrays)
        self._same = _SAME * heads.nearest
        for name, columns in groups.items():
            rows = np.flatnonzero((alpha[:, columns] != 0).any(axis=1))
            if len(rows):
                ridge = strengths[name] / arrays["weight"][rows]
                own = np.diag(np.linalg.inv(near[np.ix_(rows, rows)] + np.diag(ridge)))
                self._shift[rows, columns] = alpha[rows, columns] * (ridge - 1.0 / own)[:, None]

    def __call__(self, near: Vector, values: Vector) -> Vector:
        """Return the corrected values: see ``Unlearn``."""
        place = int(near.argmax())
        corrected: Vector = values + self._shift[place] if near[place] >= self._same else values
        return corrected
