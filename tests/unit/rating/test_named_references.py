"""References that a model names: only where it was measured to tell them, and only what words of the text point at."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jokejudge_gui.core.paths import Profile
from jokejudge_gui.core.verdicts import Reference
from jokejudge_gui.judge.asking.named_references import KNOWN, ReferenceAsker, reference_prompts
from jokejudge_gui.judge.main_judge import MainJudge
from jokejudge_gui.judge.plan.calibration import CalibrationFiles
from jokejudge_gui.judge.plan.worth import ItemWorth, Plan, PlanFiles, Worth
from jokejudge_gui.judge.rating.kind import RATING
from jokejudge_gui.judge.rating.references import references_in_words
from jokejudge_gui.learning.editor_data import readings_of
from jokejudge_gui.learning.plan_prose import LEAST_REFERENCE_TEXTS as LEAST_TEXTS
from jokejudge_gui.learning.plan_prose import reference_items
from jokejudge_gui.rubric.audiences import parse_common_names
from tests.fake_engine import FakeEngine
from tests.known_calibration import MakeSession
from tests.rating_helpers import pun, rate, result_of

JOKE = "My uncle teaches judo in Leeds. He says: be water, my friend, and then he leaks, as in 1974."
NAMED = {"words": "be water, my friend", "name": "Enter the Dragon", "kind": "film", "year": 1973}


def writing(*found: dict[str, object]) -> str:
    return json.dumps({"references": list(found)})


def asked(*found: dict[str, object], text: str = JOKE) -> tuple[Reference, ...]:
    engine = FakeEngine(write=lambda _prompt, _branch: writing(*found))
    return ReferenceAsker(engine, parse_common_names()).ask(text, 1)


def test_words_of_the_text_point_at_what_is_named() -> None:
    (found,) = asked(NAMED)
    assert JOKE[found.start : found.end] == found.text == "be water, my friend"
    assert (found.name, found.kind, found.year, found.source) == ("Enter the Dragon", "film", 1973, "model")
    assert references_in_words([found]) == "A reader must know Enter the Dragon (film, 1973)."


@pytest.mark.parametrize(
    "wrong",
    [
        NAMED | {"words": "may the force be with you"},
        NAMED | {"words": "my"},
        NAMED | {"words": "wate"},
        NAMED | {"words": "(.*)"},
    ],
)
def test_what_nothing_points_at_is_left_out(wrong: dict[str, object]) -> None:
    assert asked(wrong) == ()


def test_a_name_that_stands_in_the_text_needs_no_other_words_and_comes_once() -> None:
    judo = {"words": "a sport", "name": "Judo", "kind": "thing", "year": 0}
    found = asked(NAMED, judo, judo | {"words": "judo"})
    assert [(each.text, each.name, each.year) for each in found] == [
        ("judo", "Judo", None), ("be water, my friend", "Enter the Dragon", 1973),
    ]  # fmt: skip


BROKEN = ("", '{"references": [{"words"', "[]", '{"references": 3}', writing(NAMED | {"year": -4}))


@pytest.mark.parametrize("said", BROKEN)
def test_nothing_that_a_model_writes_breaks_it(said: str) -> None:
    engine = FakeEngine(write=lambda _prompt, _branch: said)
    found = ReferenceAsker(engine, parse_common_names()).ask(JOKE, 1)
    assert all(each.year is None for each in found)


def planned(profile: Profile, gain: float) -> None:
    def worth(value: float) -> Worth:
        return Worth(value=value, low=value - 0.01, high=value + 0.01, n=40)

    item = ItemWorth(
        kind="reference", id=KNOWN, measured="auc", asked=worth(0.6 + gain), read=worth(0.6), added=worth(gain),
        question=f"references:{reference_prompts().version}",
    )  # fmt: skip
    PlanFiles(Path("nowhere"), profile.plans).save(Plan(model_sha256="f" * 64, items=(item,)))


def test_a_model_that_can_is_asked_and_one_that_cannot_is_not(make_session: MakeSession, profile: Profile) -> None:
    planned(profile, 0.2)
    found = result_of(rate(make_session(pun, write=lambda _p, _b: writing(NAMED)), JOKE))
    assert [(each.text, each.source) for each in found.references] == [
        ("be water, my friend", "model"), ("1974", "text"),
    ]  # fmt: skip
    assert RATING.contract(found)["references"][0]["year"] == 1973
    said = next(fact.text for fact in RATING.facts(found) if fact.name == "References")
    assert said.startswith("A reader must know Enter the Dragon (film, 1973).")
    planned(profile, 0.01)
    found = result_of(rate(make_session(pun, write=lambda _p, _b: writing(NAMED)), JOKE))
    assert all(each.source == "text" for each in found.references)


def readings_with(count: int) -> dict[str, list[dict[str, object]]]:
    rows = {}
    for number in range(count):
        for needed in (True, False):
            text = f"the {'secret' if needed else 'plain'} duck number {number} plays the zukertort opening"
            rows[text] = [
                {"text": text, "joke": 1, "complete": 1, "kinds": ["pun"], "core": [2] * 16, "turn": "duck",
                 "faults": ["insider"] if needed else []}
            ]  # fmt: skip
    return rows


def measured(write: str, count: int = 20) -> tuple[ItemWorth, ...]:
    def said(prompt: str, _branch: str) -> str:
        knows = write == "knows" and "Joke: the secret duck" in prompt
        game = {"words": "zukertort opening", "name": "Zukertort", "kind": "game", "year": 1883}
        return writing(game) if knows or write == "all" else writing()

    judge = MainJudge(FakeEngine(write=said), CalibrationFiles(Path("nowhere"), Path("nowhere")))
    steps = reference_items(judge, readings_of(readings_with(count)))
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]


def test_it_is_measured_whether_a_model_can() -> None:
    (good,) = measured("knows")
    assert good.ask
    assert good.asked is not None
    assert good.asked.value == 1.0
    assert not measured("nothing")[0].ask
    assert not measured("all")[0].ask
    assert measured("knows", LEAST_TEXTS - 1) == ()
    # It says nothing of the questions that a rating is made of.
    plan = Plan(model_sha256="a" * 64, items=(good,))
    assert not plan.planned
    assert not plan.asks_of_ratings
