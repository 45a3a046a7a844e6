"""``jokejudge screen`` as it is typed, on a model with an audience head."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


@pytest.fixture
def jokes(tmp_path: Path) -> str:
    path = tmp_path / "jokes.txt"
    path.write_text("I bought running shoes.\nI used to be indecisive.\nParallel lines.\n", encoding="utf-8")
    return str(path)


def test_a_model_whose_ear_is_unknown_screens_nothing(run: Run, jokes: str) -> None:
    found = run("screen", jokes)
    assert found.status == 2 or found.status == 1
    assert "Nothing is known of how people take such texts" in found.err


@pytest.mark.parametrize(
    "arguments",
    [(), ("LIST", "--reject", "0.9", "--high", "0.5"), ("LIST", "--vote", "1"), ("LIST", "--reject", "much")],
)
def test_what_makes_no_sense_is_a_usage_error(run: Run, jokes: str, arguments: tuple[str, ...]) -> None:
    assert run("screen", *(jokes if word == "LIST" else word for word in arguments)).status == 2


def test_a_failure_is_an_object_too(run: Run, jokes: str) -> None:
    value = json.loads(run("screen", jokes, "--json").out)
    assert value["error"]["code"] == "E_SCREEN_UNKNOWN"
