"""The offence head: predicts whether some people would take offence at a joke, from a model's hidden states and the
joke's wording, with one linear map.

It was trained on the ratings of twenty people for each text, from 0 (no offence) to 5. Some take offence if the mean is
1 or more. It says nothing about how funny a joke is, and no score depends on it.
"""

from __future__ import annotations

import math
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from ..core.statistics import Vector
from ..core.verdicts import Offence
from ..engine.base import FloatArray
from .audience import grams, pool, weigh
from .files import Head, Meta, Share

TAKEN = 1.0
"""Mean rating (0…5) from which some people take offence."""
STATED = 0.6
"""Probability from which it is reported that some would."""
BUCKETS = 1 << 13
CLIP = 8.0
_LENGTHS = 3


class OffenceMeta(Meta):
    """The calibration of the score to log-odds, and the head's accuracy (``correlation``)."""

    bias: Annotated[float, Field(ge=-10.0, le=10.0)]
    slope: Annotated[float, Field(ge=0.0, le=1e3)]
    offset: Annotated[float, Field(ge=-1e3, le=1e3)]
    correlation: Share


class OffenceHead(Head[OffenceMeta]):
    """The head for one model. ``trust``: correlation with the raters' mean on held-out texts."""

    meta_type = OffenceMeta
    most_bytes = 4 * 10**6
    lost = "verdicts don't mention offence"
    schema = f"""
        centre   f4 4*size+3     <=1e4
        scale    f4 4*size+3 >0  <=1e4
        weights  f2 4*size+3     <=1e4
        rarity   f2 {BUCKETS}    <=1e4
        words    f2 {BUCKETS}    <=1e4
        """

    def __init__(self, meta: dict[str, Any], arrays: dict[str, Vector]) -> None:
        self.model_sha256: str = meta["model_sha256"]
        self.trust: float = meta["correlation"]
        self._bias, self._slope, self._offset = meta["bias"], meta["slope"], meta["offset"]
        self._a = arrays

    def of_states(self, states: FloatArray, text: str) -> Offence:
        """Return the estimate from the final hidden states (tokens, size) of a cleaned text and its wording."""
        values = states_row(pool(states, text), self._a["centre"], self._a["scale"])
        score = float(values @ self._a["weights"]) + self._bias
        counted = grams(text, BUCKETS)
        if counted:
            places, weights = weigh(counted, self._a["rarity"])
            score += float(self._a["words"][places] @ weights)
        odds = max(-30.0, min(30.0, self._slope * score + self._offset))
        p = 1.0 / (1.0 + math.exp(-odds))
        return Offence(p=p, trust=self.trust, stated=p >= STATED)


def states_row(values: Vector, centre: Vector, scale: Vector) -> Vector:
    """Return the output of ``audience.pool`` as the map takes it: standardised, with a length of about 1."""
    row: Vector = np.clip((values - centre) / scale, -CLIP, CLIP) / math.sqrt(len(values))
    return row
