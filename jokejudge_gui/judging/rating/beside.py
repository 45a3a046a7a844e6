"""What is said beside a verdict and has no part in it, in words: offence that some would take, and references."""

from __future__ import annotations

from ...verdicts import Offence, RatingResult
from .references import references_in_words


def offence_in_words(offence: Offence | None) -> str:
    """That some would take offence, with what that is worth; empty where it isn't likely enough to be said."""
    if offence is None or not offence.stated:
        return ""
    return (
        f"Some would take offence, with a probability of {min(0.99, offence.p):.2f}. "
        f"Such estimates correlate at {offence.trust:.2f} with what readers said."
    )


def beside(result: RatingResult) -> tuple[str, str]:
    """What is said of offence and of references; each empty where there is nothing to say."""
    return offence_in_words(result.offence), references_in_words(result.references, result.faults)
