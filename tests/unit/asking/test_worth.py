"""The plan of a model: what is asked, what is read, what is shown."""

from __future__ import annotations

from typing import Any

import pytest

from jokejudge_gui.judge.asking.measured import ItemWorth, Plan, Worth

SHA = "a" * 64


def worth(value: float, half: float = 0.05) -> Worth:
    return Worth(value=value, low=max(-1.0, value - half), high=min(1.0, value + half), n=400)


def item(asked: float | None = None, read: float | None = None, **more: Any) -> ItemWorth:
    ways = {"asked": asked, "read": read}
    found = {name: worth(value) for name, value in ways.items() if value is not None}
    return ItemWorth(**{"kind": "factor", "id": "wit", "measured": "r", "tokens": 12, **found, **more})


@pytest.mark.parametrize(("asked", "ask"), [(0.50, False), (0.549, False), (0.551, True)])
def test_an_answer_must_be_worth_surely_more_than_the_reading(asked: float, ask: bool) -> None:
    assert item(asked=asked, read=0.5).ask is ask


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
    first = {"scores": {"wit": "score:wit:1", "timing": "score:timing:1"}}
    assert plan.today(None, first) == plan
    later = plan.today(None, {"scores": {"wit": "score:wit:2"}})
    assert [(one.id, one.source) for one in later.items] == [("wit", "read")]
