"""``jokejudge screen`` as it is typed, on a model with an audience head."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from jokejudge_gui.core.paths import Profile
from jokejudge_gui.core.verdict_kinds import Subject
from jokejudge_gui.core.verdicts import ModelRef, Status
from jokejudge_gui.history.store import HistoryStore
from jokejudge_gui.judge.contest.record import ContestMadeBy, ContestResult, RankedEntry, Reading
from jokejudge_gui.judge.kinds import KINDS

Run = Callable[..., Any]


@pytest.fixture
def jokes(tmp_path: Path) -> str:
    path = tmp_path / "jokes.txt"
    path.write_text("I bought running shoes.\nI used to be indecisive.\nParallel lines.\n", encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    "arguments",
    [(), ("LIST", "--reject", "0.9", "--high", "0.5"), ("LIST", "--vote", "1"), ("LIST", "--reject", "much")],
)
def test_what_makes_no_sense_is_a_usage_error(run: Run, jokes: str, arguments: tuple[str, ...]) -> None:
    assert run("screen", *(jokes if word == "LIST" else word for word in arguments)).status == 2


@pytest.fixture
def stored(tmp_path: Path) -> ContestResult:
    """A contest in the history of the profile that ``run`` uses: thirty jokes, the first ones clearly best."""
    entries = tuple(
        RankedEntry(
            id=str(n),
            text=f"Joke {n}.",
            rank=n,
            reading=Reading(value=0.0, percentile=99.0 - 3.0 * n, agreement=0.85),
        )
        for n in range(1, 31)
    )
    model = ModelRef(name="small", sha256="ab" * 32)
    result = ContestResult(id="c1", entries=entries, model=model, made_by=ContestMadeBy(model=model.sha256, head="h"))
    with closing(HistoryStore(Profile.at(tmp_path / "profile").database, KINDS)) as store:
        store.begin(
            id="c1", kind="contest", subjects=(Subject(text="list"),), mode="quick", model=model,
            prompt_version="", criteria_version="", seed=1,
        )  # fmt: skip
        store.end("c1", Status.FINISHED, result)
    return result


def test_a_contest_of_the_history_is_screened_and_keeps_its_votes(run: Run, stored: ContestResult) -> None:
    first = run("screen", "--of", "last", "--json", "--reject", "0.6").object
    assert [entry["id"] for entry in first["entries"] if entry["decision"] == "show"] == ["1", "2", "3"]
    for voter in ("Ann", "Bob", "Cy"):
        value = run("screen", "--of", "c1", "--vote", "2", "--voter", voter, "--json").object
    assert value["votes"]["count"] == 3
    assert value["votes"]["leader"] == "2"
    assert value["thresholds"]["reject"] == 0.6
    kept = run("history", "show", "c1", "--json").object["result"]["screening"]
    assert [ballot["voter"] for ballot in kept["ballots"]] == ["Ann", "Bob", "Cy"]
    assert kept["thresholds"]["reject"] == 0.6


@pytest.mark.parametrize(("choice", "why"), [("99", "No joke of this list"), ("9", "isn't among those")])
def test_only_what_is_shown_can_be_voted_for(run: Run, stored: ContestResult, choice: str, why: str) -> None:
    found = run("screen", "--of", "c1", "--vote", choice)
    assert found.status == 1
    assert why in found.err
    assert run("screen", "--of", "c1", "--json").object["votes"]["count"] == 0
