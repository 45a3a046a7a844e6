"""The plan of a model: what is asked, what is read, what is shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from jokejudge_gui.judge.asking.question_keys import QuestionKeys
from jokejudge_gui.judge.asking.worth import ItemWorth, JoinWeights, Plan, Worth

SHA = "a" * 64
NOWHERE = Path("nowhere")


def worth(value: float, half: float = 0.05) -> Worth:
    return Worth(value=value, low=max(-1.0, value - half), high=min(1.0, value + half), n=400)


def item(asked: float | None = None, read: float | None = None, both: float | None = None, **more: Any) -> ItemWorth:
    ways = {"asked": asked, "read": read, "both": both}
    found = {name: worth(value) for name, value in ways.items() if value is not None}
    return ItemWorth(**{"kind": "factor", "id": "wit", "measured": "r", "tokens": 12, **found, **more})


def test_a_small_model_is_read_and_not_asked() -> None:
    small = item(asked=0.16, read=0.47, both=0.48)
    assert (small.ask, small.source, small.shown) == (False, "read", True)


def test_a_capable_model_is_asked_where_its_answers_win() -> None:
    capable = item(asked=0.70, read=0.50, both=0.72, weights=JoinWeights(asked=0.6, read=0.2))
    assert (capable.ask, capable.source, capable.shown) == (True, "both", True)
    assert capable.joined(2.0, 1.0) == pytest.approx(1.4)
    alone = item(asked=0.70, both=None, read=0.50)
    assert (alone.source, alone.joined(2.0, None)) == ("asked", 2.0)


def test_a_capable_model_without_heads_is_asked_about_all_that_it_can_tell() -> None:
    plan = Plan(model_sha256=SHA, items=(item(asked=0.6), item(asked=0.02, id="timing")))
    assert plan.of("factor", "wit").shown
    assert "wit" in plan.asked("factor")
    assert not plan.of("factor", "timing").shown
    assert "timing" not in plan.asked("factor")
    assert plan.tokens == 12


@pytest.mark.parametrize(("both", "ask"), [(0.50, False), (0.529, False), (0.531, True)])
def test_asking_must_add_three_hundredths(both: float, ask: bool) -> None:
    assert item(asked=0.3, read=0.5, both=both).ask is ask


@pytest.mark.parametrize(
    ("measured", "value", "half", "shown"),
    [
        ("r", 0.35, 0.05, True), ("r", 0.34, 0.05, False), ("r", 0.40, 0.41, False),
        ("auc", 0.70, 0.05, True), ("auc", 0.69, 0.05, False), ("auc", 0.80, 0.31, False),
    ],
)  # fmt: skip
def test_an_item_is_shown_from_its_least_worth_and_above_chance(
    measured: str, value: float, half: float, shown: bool
) -> None:
    found = ItemWorth.model_validate(
        {"kind": "fault", "id": "padding", "measured": measured, "read": worth(value, half).model_dump()}
    )
    assert found.shown is shown


def test_a_reworded_question_leaves_the_reading() -> None:
    plan = Plan(model_sha256=SHA, items=(
        item(asked=0.7, read=0.5, question="score:wit:1"), item(asked=0.7, id="timing", question="score:timing:1"),
    ))  # fmt: skip
    first = QuestionKeys(scores={"wit": "score:wit:1", "timing": "score:timing:1"})
    assert plan.today(None, first) == plan
    later = plan.today(None, QuestionKeys(scores={"wit": "score:wit:2"}))
    assert [(one.id, one.source) for one in later.items] == [("wit", "read")]


def test_an_interval_holds_its_value() -> None:
    with pytest.raises(ValidationError):
        Worth(value=0.5, low=0.6, high=0.7, n=10)
