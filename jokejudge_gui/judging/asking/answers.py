"""Reading answers: yes or no, a level from 0 to 5, one of two. Everything from logits, nothing parsed."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...engine.base import Choice, Prompt, Question

YES_NO = (" yes", " no", " Yes", " No")
LEVELS = ("0", "1", "2", "3", "4", "5")
ONE_TWO = ("1", "2")
LEAST_MASS = 0.5
"""Under this label mass the model didn't answer (METHODS, label mass)."""


def yes_no(suffix: Prompt) -> Question:
    return Question(suffix, YES_NO)


def yes_log_odds(choice: Choice) -> float:
    """log p(yes) − log p(no), all spellings together, in nats. Labels alternate: for, against, for, against …"""
    return log_sum(choice.logprobs[::2]) - log_sum(choice.logprobs[1::2])


def log_sum(values: Sequence[float]) -> float:
    """log Σ exp(values)."""
    top = max(values)
    return top + math.log(sum(math.exp(value - top) for value in values))


def mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def deviation(values: Sequence[float]) -> float:
    """Sample standard deviation; 0 for fewer than two values."""
    if len(values) < 2:
        return 0.0
    middle = mean(values)
    return math.sqrt(math.fsum((value - middle) ** 2 for value in values) / (len(values) - 1))
