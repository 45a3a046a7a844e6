"""The plan of a model: what is asked, what is read, what is shown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from jokejudge_gui.judge.plan.worth import ItemWorth, JoinWeights, Plan, PlanFiles, Worth

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


def test_kinds_of_before_are_planned_as_what_they_are_now() -> None:
    rows = (("kind", "deadpan", 0.9), ("kind", "dry", 0.8), ("kind", "spoonerism", 0.7), ("factor", "deadpan", 0.6))
    plan = Plan(model_sha256=SHA, items=tuple(item(read=value, kind=kind, id=id) for kind, id, value in rows)).today()
    known = {(found.kind, found.id): found.read.value for found in plan.items if found.read is not None}
    assert known == {("kind", "dry"): 0.8, ("kind", "slip"): 0.7, ("factor", "deadpan"): 0.6}


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
    assert plan.under(frozenset({"score:wit:1", "score:timing:1"})) == plan
    later = plan.under(frozenset({"score:wit:2"}))
    assert [(one.id, one.source) for one in later.items] == [("wit", "read")]


def test_an_interval_holds_its_value() -> None:
    with pytest.raises(ValidationError):
        Worth(value=0.5, low=0.6, high=0.7, n=10)


# -- files -----------------------------------------------------------------------------------------------------------


def test_a_plan_made_here_comes_before_the_one_that_ships(tmp_path: Path) -> None:
    shipped, own = tmp_path / "shipped", tmp_path / "own"
    PlanFiles(NOWHERE, shipped).save(Plan(model_sha256=SHA, items=(item(read=0.4), item(read=0.5, id="timing"))))
    files = PlanFiles(shipped, own)
    files.save(Plan(model_sha256=SHA, items=(item(read=0.6),)))
    found = files.load(SHA)
    assert {one.id: one.read.value for one in found.items if one.read} == {"wit": 0.6}
    assert files.load("b" * 64).items == ()


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff", b"[" * 100_000, b'{"format": 1}', b"null"])
def test_a_damaged_plan_counts_as_not_there(tmp_path: Path, content: bytes) -> None:
    files = PlanFiles(NOWHERE, tmp_path)
    files.save(Plan(model_sha256=SHA, items=(item(read=0.6),))).write_bytes(content)
    assert files.load(SHA) == Plan(model_sha256=SHA)


@pytest.mark.parametrize(
    "odd",
    [5, None, [], {"kind": "factor"}, {"read": {"value": float("nan"), "low": 0, "high": 1, "n": 1}}, {"id": "\u202e"},
     {"tokens": -1}, {"read": {"value": 1e308, "low": 0, "high": 1, "n": 1}}, {"more": 1}, {"kind": "other"}],
)  # fmt: skip
def test_an_odd_item_is_passed_over_alone(tmp_path: Path, odd: Any) -> None:
    files = PlanFiles(NOWHERE, tmp_path)
    path = files.save(Plan(model_sha256=SHA, items=(item(read=0.6), item(read=0.5, id="timing"))))
    data = json.loads(path.read_text(encoding="utf-8"))
    data["items"][0] = {**data["items"][0], **odd} if isinstance(odd, dict) and odd != {"kind": "factor"} else odd
    path.write_text(json.dumps(data), encoding="utf-8")
    assert [one.id for one in files.load(SHA).items] == ["timing"]
