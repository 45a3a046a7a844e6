"""What the editor's heads would find in a text if they hadn't learned from it: each of their texts left out by itself.

In ridge regression that needs no new fit: with G the inverse of the system, an output of text i without i itself is the
output + α_i·(λ/w_i − 1/G_ii), w_i being what the text counts (the leave-one-out residual is α_i/G_ii).
"""

from __future__ import annotations

import numpy as np

from ..judging.reading.editor import EditorHeads
from ..statistics import Vector
from .editor_fit import strengths_of
from .editor_kernel import with_companions

_SAME = 0.85
"""A text this near to one that was learned from is that one; nearness is 1 at no distance, and points are kept as
bytes."""


class Apart:
    """Leaves texts out of one model's heads. Faults, which drafts teach as well, are left as they are."""

    def __init__(self, heads: EditorHeads) -> None:
        arrays = heads.arrays
        support, self._alpha = arrays["support"], arrays["alpha"]
        factors, kinds = len(heads.factors), len(heads.learned_kinds)
        last = self._alpha.shape[1]
        groups = {
            "factors": slice(0, factors),
            "kinds": slice(factors, factors + kinds),
            "joke": slice(last - 2, last - 1),
            "complete": slice(last - 1, last),
        }
        strengths = strengths_of(arrays)
        self._shift = np.zeros_like(self._alpha)
        lengths = (support**2).sum(axis=1)
        near = np.exp(-arrays["reach"][0] * np.maximum(lengths[:, None] + lengths - 2.0 * support @ support.T, 0.0))
        near = with_companions(near, arrays)
        self._same = _SAME * heads.nearest
        for name, columns in groups.items():
            rows = np.flatnonzero((self._alpha[:, columns] != 0).any(axis=1))
            if len(rows):
                ridge = strengths[name] / arrays["weight"][rows]
                own = np.diag(np.linalg.inv(near[np.ix_(rows, rows)] + np.diag(ridge)))
                self._shift[rows, columns] = self._alpha[rows, columns] * (ridge - 1.0 / own)[:, None]

    def __call__(self, near: Vector, values: Vector) -> Vector:
        """See ``Unlearn``."""
        place = int(near.argmax())
        found: Vector = values + self._shift[place] if near[place] >= self._same else values
        return found
