"""Log-probabilities from one row of logits, summed in double precision: a vocabulary may have 200,000 entries."""

from __future__ import annotations

import numpy as np

from .base import FloatArray


def log_softmax(logits: FloatArray) -> FloatArray:
    """Log-probabilities (nats) of a row, of its shape."""
    top = logits.max()
    total = np.exp(logits - top).sum(dtype=np.float64)
    return np.asarray(logits - (top + np.log(total)), dtype=np.float32)


def logprob(logits: FloatArray, token: int) -> float:
    """Log-probability (nats) of one token of the row."""
    top = logits.max()
    return float(logits[token] - top) - float(np.log(np.exp(logits - top).sum(dtype=np.float64)))
