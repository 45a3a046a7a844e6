"""The offence head: predicts whether some people would take offence at a joke, from a model's hidden states and the
joke's wording, with one linear map.

It was trained on the ratings of twenty people for each text, from 0 (no offence) to 5. Some take offence if the mean is
1 or more. It says nothing about how funny a joke is, and no score depends on it.
"""

from __future__ import annotations

import math
from typing import Annotated

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


class OffenceMeta(Meta):
    """The calibration of the score to log-odds; ``correlation`` with the raters' mean on held-out texts."""

    bias: Annotated[float, Field(ge=-10.0, le=10.0)]
    slope: Annotated[float, Field(ge=0.0, le=1e3)]
    offset: Annotated[float, Field(ge=-1e3, le=1e3)]
    correlation: Share


class OffenceHead(Head[OffenceMeta]):
    """The head for one model."""

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

    def of_states(self, states: FloatArray, text: str) -> Offence:
        """Return the estimate from the final hidden states (tokens, size) of a cleaned text and its wording."""
        meta, a = self.meta, self.arrays
        score = float(states_row(pool(states, text), a["centre"], a["scale"]) @ a["weights"]) + meta.bias
        counted = grams(text, BUCKETS)
        if counted:
            places, weights = weigh(counted, a["rarity"])
            score += float(a["words"][places] @ weights)
        odds = max(-30.0, min(30.0, meta.slope * score + meta.offset))
        p = 1.0 / (1.0 + math.exp(-odds))
        return Offence(p=p, trust=meta.correlation, stated=p >= STATED)


def states_row(values: Vector, centre: Vector, scale: Vector) -> Vector:
    """Return the output of ``audience.pool`` as the map takes it: standardised, with a length of about 1."""
    return np.asarray(np.clip((values - centre) / scale, -CLIP, CLIP) / math.sqrt(len(values)))
