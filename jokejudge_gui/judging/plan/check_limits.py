"""What a model answers to the checks about jokes that people liked: hardly one of them may be rejected.

The contrast texts of a check are clear cases, short and plain; jokes are stranger than the good ones among them. By
those alone Qwen2.5-Coder 1.5B rejected one funny joke in six (tests/bench/README.md)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...engine.base import CancelToken
from ...errors import ModelError
from ...vote_sets import shipped_votes
from ..asking.answers import deviation, mean
from ..asking.questions import Measure
from .verbalisers import extremes

RATED = 60
"""Rated texts that are read, the funniest; beside them the varied jokes of the criteria."""
SPREADS = 4.0
"""Standard deviations under the mean of jokes in which a check leaves every text alone. Jokes from other places lie
lower: with three, up to six of sixty would still be rejected (tests/bench/README.md)."""


def liked_jokes(baseline: Sequence[str]) -> tuple[str, ...]:
    """The varied jokes of the criteria, and the funniest of the rated texts that come with the program, if they can be
    read."""
    try:
        funny, _ = extremes(shipped_votes().ratings, 2 * RATED)
    except ModelError:
        return tuple(baseline)
    return (*baseline, *(row.text for row in funny))


def check_limits(
    measure: Measure, checks: Sequence[str], cancel: CancelToken | None = None
) -> Iterator[dict[str, float] | None]:
    """For each of ``checks`` the log-odds (nats) over which nothing is rejected. Yields None after each text that was
    read, and the limits last."""
    found: dict[str, list[float]] = {check: [] for check in checks}
    for text in liked_jokes(measure.criteria.contrast.baseline):
        odds = measure.checks(text, cancel)
        for check, values in found.items():
            values.append(odds[check].value)
        yield None
    yield {check: min(*values, mean(values) - SPREADS * deviation(values)) for check, values in found.items()}
