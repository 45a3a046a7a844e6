"""``jokejudge models deep``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jokejudge_gui.judge.plan.deep_worth import DEEP_UNMEASURED as UNMEASURED

if TYPE_CHECKING:
    from .conftest import Run


def test_a_model_that_wasnt_measured_is_said_to_be_so(run: Run) -> None:
    outcome = run("models", "deep", "qwen3-4b-instruct")
    assert outcome.status == 0
    flat = " ".join(outcome.out.split())
    assert UNMEASURED in flat
    assert "models deep --measure" in flat
    found = run("models", "deep", "qwen3-4b-instruct", "--json").object
    assert (found["measured"], found["sentences"], found["error"]) == (None, [UNMEASURED], None)


def test_what_was_measured_is_printed_and_kept(run: Run) -> None:
    outcome = run("models", "deep", "--measure", "--limit", "20")
    assert outcome.status == 0, outcome.err
    assert "measured on 20 jokes that an editor read" in " ".join(outcome.out.split())
    assert "as people voted" in outcome.out
    assert "Difference (95 %)" in outcome.out
    found = run("models", "deep", "--measure", "--limit", "20", "--ask", "all", "--json").object
    assert [each["ask"] for each in found["measured"]["ratings"]] == ["plan", "all"]
    assert len(found["sentences"]) == 3
    assert found["error"] is None


def test_too_few_texts_are_refused_with_what_to_write_instead(run: Run) -> None:
    outcome = run("models", "deep", "--measure", "--limit", "3", "--json")
    assert outcome.status == 1
    assert outcome.object["error"]["code"] == "E_TEXTS"
    assert outcome.object["measured"] is None
