"""Verdicts of the release before, kept with their numbers: what isn't changed on purpose says the same today.

``python -m tests.live.stored_verdicts`` wrote them. Where the build of llama.cpp, the CPU's features and numpy are the
same, so is every word, and every number but for the last digits: numpy's BLAS chooses its kernels by the processor's
maker. Elsewhere llama.cpp rounds otherwise too, and a log-odds or a score may differ by the noise floor.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from tests.live.stored_verdicts import FILE, RUNS, TEXTS, build, judge

from .conftest import NewProfile

LAST_DIGITS = 1e-5
NOISE = 0.2
"""Nats of a log-odds, and points of a score from 0 to 5."""
BEFORE = json.loads(FILE.read_text(encoding="utf-8"))
PLACES = [(run, place) for run in RUNS for place in range(len(BEFORE[run]))]


@pytest.fixture(scope="module")
def found(new_profile: NewProfile, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    rows = {run: [{name: row[name] for name in TEXTS if name in row} for row in BEFORE[run]] for run in RUNS}
    return judge(rows, tmp_path_factory.mktemp("before"), new_profile("before").data)


@pytest.mark.parametrize(("run", "place"), PLACES, ids=[f"{run}-{place}" for run, place in PLACES])
def test_a_verdict_is_what_it_was(found: dict[str, list[dict[str, Any]]], run: str, place: int) -> None:
    then, now = BEFORE[run][place], found[run][place]
    if build() == BEFORE["build"]:
        assert list(differences(then, now)) == []
        return
    scores_then, scores_now = dict(scores(then)), dict(scores(now))
    shared = scores_then.keys() & scores_now.keys()
    assert len(shared) > len(scores_then) / 2
    for name in sorted(shared):
        assert math.isclose(scores_now[name], scores_then[name], rel_tol=0, abs_tol=NOISE), name


def differences(then: Any, now: Any, place: str = "verdict") -> Iterator[str]:
    """Where two verdicts differ by more than the last digits of a number."""
    if isinstance(then, dict) and isinstance(now, dict) and then.keys() == now.keys():
        for name in then:
            yield from differences(then[name], now[name], f"{place}.{name}")
    elif isinstance(then, list) and isinstance(now, list) and len(then) == len(now):
        for number, (one, other) in enumerate(zip(then, now, strict=True)):
            yield from differences(one, other, f"{place}[{number}]")
    elif isinstance(then, float) and isinstance(now, float):
        if not math.isclose(then, now, rel_tol=0, abs_tol=LAST_DIGITS):
            yield f"{place}: {then} before, {now} now"
    elif then != now:
        yield f"{place}: {then} before, {now} now"


def scores(verdict: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """Scores and log-odds by name. A percentile is left out: near the middle it moves much where its score doesn't."""
    for name, factor in verdict.get("factors", {}).items():
        yield f"factor {name}", factor
    for group in ("categories", "checks", "orders"):
        for name, p in verdict.get(group, {}).items():
            yield f"{group} {name}", log_odds(p)
    audience = verdict["audience"] or {}
    if "score" in audience:
        yield "audience", audience["score"]
    for name, p in (
        ("p_a", verdict.get("p_a")),
        ("audience", audience.get("p_a")),
        ("offence", verdict.get("offence")),
    ):
        if p is not None:
            yield f"{name} (log-odds)", log_odds(p)


def log_odds(p: float) -> float:
    clipped = min(max(p, 1e-6), 1 - 1e-6)
    return math.log(clipped / (1 - clipped))
