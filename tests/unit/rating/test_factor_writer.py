"""Factors that a model writes."""

from __future__ import annotations

import json

import pytest

from jokejudge_gui.judge.rating.record import RatingResult
from jokejudge_gui.session.session import Session
from tests.ends import finished
from tests.known_calibration import MakeSession
from tests.rating_helpers import admit

MOON = "The moon bowed twice and left by the window."
WRITTEN = {
    "name": "lunar manners",
    "explanation": "How politely the moon behaves.",
    "zero": "a moon that only shines",
    "five": "a moon with a butler",
    "good_example": "The moon bowed and left by the window.",
    "bad_example": "The moon is a satellite of the Earth.",
}
ID = "own_lunar_manners"


def moonstruck(prompt: str, question: str, label: str) -> float:
    """No known factor matters; the written one is high where the moon bows."""
    if "Matters for this joke?" in question:
        return 9.0 if "no" in label.lower() else 0.0
    if "lunar manners" in question.lower():
        return 6.0 if label == ("5" if "bowed" in prompt.split("Joke: ")[-1] else "1") else 0.0
    return admit(prompt, question, label)


def rated(session: Session, text: str) -> RatingResult:
    return finished(session.rate(text, ask="all", force=True, explain=False))


def test_a_factor_is_written_for_a_joke_that_no_known_one_fits(make_session: MakeSession) -> None:
    session = make_session(moonstruck, write=lambda _prompt, _branch: json.dumps(WRITTEN))
    result = rated(session, MOON)
    assert (result.pathway, [(factor.id, factor.origin) for factor in result.factors]) == ("dynamic", [(ID, "dynamic")])
    plain = rated(session, "My cat pays rent in mice.")
    assert plain.pathway == "dynamic"


def test_a_written_factor_that_cannot_tell_its_examples_apart_is_not_used(make_session: MakeSession) -> None:
    def deaf(prompt: str, question: str, label: str) -> float:
        if "lunar manners" in question.lower():
            return 6.0 if label == ("1" if "bowed" in prompt.split("Joke: ")[-1] else "5") else 0.0
        return moonstruck(prompt, question, label)

    result = rated(make_session(deaf, write=lambda _prompt, _branch: json.dumps(WRITTEN)), MOON)
    assert result.pathway == "independent"
    assert any("could not write" in warning for warning in result.warnings)


@pytest.mark.parametrize("text", ["", "{", '{"factors":[]}', "not json at all"])
def test_broken_written_factors_fall_back_to_the_nearest_known_ones(make_session: MakeSession, text: str) -> None:
    result = rated(make_session(moonstruck, write=lambda _prompt, _branch: text), MOON)
    assert result.mean_score is not None
    assert {factor.origin for factor in result.factors} == {"shared"}
