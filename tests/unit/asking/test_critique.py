"""Critique and revision of what a model wrote about a joke."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from jokejudge_gui.core.paths import criteria_dir
from jokejudge_gui.judge.asking.explanation import Explainer
from jokejudge_gui.rubric.prompts import PromptBuilder, load_constitution, parse_prompts
from tests.fake_engine import FakeEngine

JOKE = "I used to be a banker, but I lost interest."
SAID = ("it is a clever joke indeed.", "it starts far too slowly.", "end on the strongest word.")
GOOD = " “interest” is both money and care."


def revised(write: Callable[[str, str], str], joke: str = JOKE) -> tuple[str, ...]:
    folder = criteria_dir()
    engine = FakeEngine(write=write)
    rules = "\n".join(load_constitution())
    prompts = parse_prompts(folder / "critique_prompts.xml", folder / "prompts.rng")
    critique = PromptBuilder(prompts, engine.frame, {"constitution": rules})
    return Explainer(engine, critique, 1, critique).revised(joke, SAID)


def answering(fresh: str) -> Callable[[str, str], str]:
    def write(prompt: str, branch: str) -> str:
        assert "no empty praise" in prompt
        if "What is wrong with it" in branch:
            return " it would be true of any joke."
        assert "it would be true of any joke." in prompt
        return fresh if "works because" in branch else " it…"

    return write


def test_a_revision_that_is_sound_takes_the_place_of_what_was_written() -> None:
    assert revised(answering(GOOD)) == (GOOD.strip(), *SAID[1:])


@pytest.mark.parametrize(
    "fresh",
    [
        "",
        " it breaks off in the",
        " I used to be a banker, but I lost interest.",
        " “the bank closed” comes as a surprise.",
        " it isn't slow, it is a surprise, and so on and on",
    ],
)
def test_a_revision_that_is_no_better_is_not_taken(fresh: str) -> None:
    assert revised(answering(fresh)) == SAID
