"""The prose test: what is checked in a model's sentences, and what a model that passes or fails it shows."""

from __future__ import annotations

import pytest

from jokejudge_gui.judge.asking.explanation import contradicts, flaws
from jokejudge_gui.judge.asking.question_keys import QuestionKeys
from jokejudge_gui.judge.asking.worth import ItemWorth, Plan, ProseFigures, Worth, figures

JOKE = "I bought a belt in Milan. It's the most committed relationship I have, it's literally attached to my waist."
GOOD = ProseFigures(texts=30, turn=0.7, alike=3, echoes=0, contradictions=0, broken=0)


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [
        ("“attached” is meant both of the heart and of the buckle.", set()),
        ("the word 'committed' is turned into a plain fact of dress.", set()),
        ("it's literally attached to my waist and I bought a belt in Milan.", {"echo"}),
        ("the belt in Milan is the most committed relationship I have, it's literally attached.", {"echo"}),
        ("the belt stands for a lover who never…", {"broken"}),
        ("", {"broken"}),
        ("“the shop in Rome” is a surprise to the reader.", {"untrue"}),
    ],
)
def test_a_sentence_that_echoes_breaks_off_or_quotes_wrongly_is_seen(sentence: str, wrong: set[str]) -> None:
    assert flaws(sentence, JOKE) == wrong


@pytest.mark.parametrize(
    ("one", "other", "against"),
    [
        ("the end is surprising and short.", "the end is not surprising.", True),
        ("it is unexpected.", "it is predictable.", True),
        ("it's funny.", "it is unfunny.", True),
        ("it is clear.", "it lacks clarity at the start.", True),
        ("the end is surprising.", "the start is long.", False),
        ("it isn't predictable.", "it isn't predictable enough to follow.", False),
    ],
)
def test_what_one_sentence_says_and_its_neighbour_denies_is_seen(one: str, other: str, against: bool) -> None:
    assert contradicts(one, other) is against
    assert contradicts(other, one) is against


def test_a_model_that_says_the_same_of_every_joke_fails() -> None:
    same = [
        (f"The {noun} asked for a refund.", f"{noun}", (f"the {noun} is funny to all of us.", "it is a bit long too."))
        for noun in ("duck", "cow", "judge", "baker", "miner", "diver")
    ]
    found = figures(same)
    assert (found.texts, found.turn, found.alike, found.passed) == (6, 1.0, 6, False)
    assert "the commonest form came 6 times" in found.in_words


@pytest.mark.parametrize(
    ("change", "passed"),
    [({}, True), ({"turn": 0.59}, False), ({"alike": 4}, False), ({"echoes": 1}, False), ({"broken": 1}, False),
     ({"contradictions": 1}, False)],
)  # fmt: skip
def test_only_a_model_that_passed_writes_beside_the_note(change: dict[str, float], passed: bool) -> None:
    found = ProseFigures.model_validate({**GOOD.model_dump(), **change})
    share = Worth(value=found.turn, low=0.5, high=0.8, n=30)
    plan = Plan(
        model_sha256="a" * 64,
        items=(
            ItemWorth(kind="prose", id="explanation", measured="share", asked=share, prose=found, question="prose:1"),
        ),
    )
    assert plan.of("prose", "explanation").shown is passed
    assert plan.prose is not None
    assert plan.prose.passed is passed
    assert not plan.planned  # sentences alone say nothing of questions
    assert not plan.asks_of_ratings
    assert plan.today(None, QuestionKeys(prose="prose:2")).prose is None
