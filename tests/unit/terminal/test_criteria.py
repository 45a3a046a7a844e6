"""``jokejudge criteria``: what jokes are judged by, from the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .conftest import Run

ADD = [
    "criteria", "add", "factor", "politeness", "--name", "Politeness", "--explanation", "It is kind.",
    "--zero", "rude", "--five", "kind", "--good", "Do laugh, if you please.", "--bad", "Laugh, you.", "--kinds", "pun",
]  # fmt: skip


def test_a_factor_is_added_shown_changed_weighed_and_takes_part(run: Run) -> None:
    assert run(*ADD).status == 0
    shown = run("criteria", "show", "factor", "politeness", "--json").object
    assert shown["item"]["origin"] == "own"
    assert shown["item"]["read"] is False
    assert any("score for Politeness is" in line for line in shown["asked"])
    assert "--ask all" in shown["effect"]
    assert run("criteria", "edit", "factor", "politeness", "--five", "kind to all", "--always", "yes").status == 0
    assert run("criteria", "weights", "politeness=0.5", "wit=0.5").status == 0
    verdict = run("rate", "a joke", "--json").object
    assert "Politeness" in [factor["name"] for factor in verdict["factors"]]
    assert verdict["weights"]["politeness"] == 0.5
    assert verdict["weighted_score"] is not None
    assert "by your weights" in run("rate", "a joke").out


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["add", "fault", "dull", "--name", "Dull"], 1, "“What it does” of the fault “dull” is empty"),
        (["add", "kind", "office", "--zero", "none"], 2, "has no field “zero”"),
        (["edit", "kind", "pun"], 2, "Nothing was given"),
        (["edit", "kind", "nonsense", "--name", "x"], 1, "There is no kind “nonsense”"),
        (["show", "factor", "nonsense"], 1, "There is no factor"),
        (["weights", "wit"], 2, "are weights"),
        (["weights", "wit=0.4"], 1, "sum to 0.4"),
        (["reset"], 2, "Which one"),
        (["import", "nowhere.xml"], 1, "can't be read"),
    ],
)
def test_what_cannot_be_done_is_a_sentence(run: Run, arguments: list[str], status: int, said: str) -> None:
    outcome = run("criteria", *arguments)
    assert outcome.status == status
    assert said in outcome.err


def test_a_fault_is_added_shown_and_asked_about(run: Run) -> None:
    fault = run("criteria", "add", "fault", "dull", "--name", "Dull", "--says", "puts one to sleep")
    assert fault.status == 0
    assert "never a finding" in fault.err
    shown = run("criteria", "show", "fault", "dull", "--json").object
    assert any("Fault: it puts one to sleep" in line for line in shown["asked"])
    voice = run("rate", "a joke", "--json").object["own_faults"][0]
    assert (voice["name"], voice["p"] is None) == ("Dull", bool(voice["reason"]))
    assert "Dull:" in run("rate", "a joke").out
