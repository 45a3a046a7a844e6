"""``jokejudge workshop`` as it is typed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Run = Callable[..., Any]
FIRST = "I bought some really nice shoes from a drug dealer. I was tripping all day."
SECOND = "I bought shoes from a drug dealer. I was tripping all day."


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["workshop"], "no joke to work on"),
        (["workshop", "A joke.", "--from", "1"], "--from belongs to --resume"),
        (["workshop", "-", "-"], "only one of the versions"),
        (["workshop", "--resume", "last", "A joke."], "holds no workshop"),
    ],
)
def test_what_makes_no_sense_is_said(run: Run, arguments: list[str], said: str) -> None:
    found = run(*arguments)
    assert found.status in (1, 2)
    assert said in found.err


def test_a_joke_goes_on_as_the_call_says_and_else_as_it_was(run: Run, stage: Any) -> None:
    run("workshop", FIRST, "--ask", "all", "--no-explain", "--context", "shoes")
    run("workshop", "--resume", "last", SECOND)
    found = stage.asked[-1].request
    assert (found.ask, found.explain, found.mode) == ("all", False, "quick")
    run("workshop", "--resume", "last", "--mode", "deep", "--ask", "plan", "Shoes from a dealer.")
    found = stage.asked[-1].request
    assert (found.ask, found.mode) == ("plan", "deep")
