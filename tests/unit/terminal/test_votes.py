"""Votes from the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .conftest import Run, Stage


def agree(run: Run, stage: Stage, number: int = 20) -> None:
    """Votes of someone who goes with the judge nearly every time."""
    for place in range(number):
        stage.winner, stage.by = "A" if place % 2 else "B", 0.5 + place % 4
        run("duel", f"left {place}", f"right {place}")
        sign = place % 2 if place % 10 else 1 - place % 2
        assert run("votes", "add", "last", "A" if sign else "B").status == 0
    stage.winner, stage.by = "A", 3.0


def test_a_vote_is_kept_replaced_listed_and_taken_back(run: Run) -> None:
    first_id = run("rate", "an old pun", "--json").object["id"]
    second_id = run("duel", "left", "right", "--json").object["id"]
    assert run("votes", "add", first_id, "up").err == "Counted. 1 vote. After 20 votes JokeJudge learns your taste.\n"
    vote = run("votes", "add", "last", "b", "--blind", "--json").object["vote"]
    assert (vote["choice"], vote["blind"], vote["text_b"]) == ("B", True, "right")
    assert vote["scale"].startswith("odds/")
    assert vote["measure"] == "odds"
    run("votes", "add", first_id, "DOWN")
    first, second = run("votes", "list").out.splitlines()
    assert first.startswith(f"{first_id} ")
    assert "down" in first
    assert first.endswith("an old pun")
    assert "blind" in second
    assert second.endswith("left / right")
    assert run("votes", "undo", "last").status == 0
    assert run("votes", "list", "--json").object["count"] == 1
    assert run("votes", "undo", second_id, "--json").object == {"count": 0, "error": None}
    assert "no votes" in run("votes", "list").err


@pytest.mark.parametrize(
    ("command", "status", "code"),
    [
        (["add", "last", "A"], 2, "E_VOTE_CHOICE"),
        (["add", "last", "maybe"], 2, "E_USAGE"),
        (["add", "last"], 2, "E_USAGE"),
        (["add", "nothing", "up"], 1, "E_HISTORY_NOT_FOUND"),
        (["undo", "nothing"], 1, "E_VOTE_NOT_FOUND"),
        (["undo", "last"], 1, "E_VOTE_NOT_FOUND"),
        (["delete"], 2, "E_VOTES_DELETE"),
        (["export", "votes.txt"], 2, "E_EXPORT_FORMAT"),
    ],
)
def test_what_cannot_be_done_is_said_in_words(run: Run, command: list[str], status: int, code: str) -> None:
    run("rate", "an old pun")
    outcome = run("votes", *command, "--json")
    assert outcome.status == status
    assert outcome.object["error"]["code"] == code
    assert outcome.err


def test_a_taste_that_holds_out_is_said_with_its_figures_and_shown_under_a_verdict(run: Run, stage: Stage) -> None:
    agree(run, stage)
    fitted = run("votes", "fit")
    assert "test-model" in fitted.out
    assert "20 votes" in fitted.out
    assert "also fits votes that it was not learned from" in fitted.out
    assert "You agree with the judge in 18 of 20 duels (95 %: 70 to 97 %)." in fitted.out
    assert "You had seen its verdict" in fitted.out
    (taste,) = run("votes", "fit", "--json").object["tastes"]
    assert (taste["votes"], taste["fitted"], taste["kept"]) == (20, True, True)
    assert taste["g_low"] < taste["g"] < taste["g_high"]
    assert taste["loss"] < min(taste["coin_loss"], taste["prior_loss"])
    assert taste["agreement"]["right"] == 18
    verdict = run("duel", "one", "two")
    (line,) = [line for line in verdict.out.splitlines() if line.startswith("Yours")]
    assert "A, " in line
    assert "from 20 votes" in line
    assert line in run("history", "show", "last").out
