"""Listeners and what stands beside a verdict, from the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jokejudge_gui.judging.plan.listeners import UNMEASURED
from jokejudge_gui.rubric.audiences import parse_audiences

if TYPE_CHECKING:
    from .conftest import Run

JOKE = "I asked Bob for the time, and he quoted Shrek for an hour and a half."


def test_a_listener_that_cannot_be_told_apart_has_the_reason(run: Run) -> None:
    found = run("rate", JOKE, "--listener", "family", "--listener", "people who keep bees", "--json").object
    assert [(voice["name"], voice["p"], voice["reason"]) for voice in found["listeners"]] == [
        ("Family", None, UNMEASURED),
        ("people who keep bees", None, UNMEASURED),
    ]
    assert found["error"] is None
    assert "Family: not asked." in run("rate", JOKE, "--listener", "family").out


def test_nobody_else_is_asked_unless_it_is_wanted(run: Run) -> None:
    assert run("rate", JOKE, "--json").object["listeners"] == []


def test_references_are_printed_with_the_verdict(run: Run) -> None:
    assert "It names Shrek." in run("rate", JOKE).out
    (reference,) = run("rate", JOKE, "--json").object["references"]
    assert (reference["text"], reference["why"]) == ("Shrek", "name")


def test_what_was_measured_of_listeners_is_listed_by_name(run: Run) -> None:
    outcome = run("models", "listeners", "--measure")
    assert outcome.status == 0, outcome.err
    found = run("models", "listeners", "--json").object
    assert [row["name"] for row in found["listeners"]] == [each.name for each in parse_audiences().listeners]
    assert found["error"] is None
