"""``jokejudge models plan``: what each part of a verdict is worth, without a model being loaded."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from jokejudge_gui.core.paths import models_dir
from jokejudge_gui.heads.editor_file import EditorCard
from jokejudge_gui.judge.asking.measured import MeasuredFiles
from jokejudge_gui.judge.asking.worth import ItemWorth, Plan, Worth, heads_key
from jokejudge_gui.library.embedded import EMBEDDED_SHA256

if TYPE_CHECKING:
    from .conftest import Run


def test_a_model_without_heads_isnt_planned(run: Run) -> None:
    outcome = run("models", "plan", "qwen3-4b-instruct")
    assert outcome.status == 0
    assert "has no plan yet: everything is asked" in outcome.out
    found = run("models", "plan", "qwen3-4b-instruct", "--json").object
    assert (found["planned"], found["items"]) == (False, [])


def test_a_plan_of_ones_own_goes_before_the_card(run: Run, tmp_path: Path) -> None:
    asked, reading = Worth(value=0.9, low=0.8, high=0.95, n=300), Worth(value=0.5, low=0.4, high=0.6, n=300)
    item = ItemWorth(kind="factor", id="surprise", measured="r", asked=asked, read=reading, tokens=120)
    card = EditorCard.load(models_dir() / "editor" / f"{EMBEDDED_SHA256[:16]}.json")
    plan = Plan(model_sha256=EMBEDDED_SHA256, heads=heads_key(card), texts=300, items=(item,))
    MeasuredFiles(tmp_path / "none", tmp_path / "profile" / "models").save_plan(plan)
    found = run("models", "plan", "--json").object
    rows = [row for row in found["items"] if (row["section"], row["id"]) == ("factor", "surprise")]
    assert [(row["source"], row["worth"], row["tokens"]) for row in rows] == [("asked", 0.9, 120)]
    assert "120 tokens" in run("models", "plan").out


def test_damaged_heads_are_told_and_the_rest_is_shown(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "profile" / "editor"
    folder.mkdir(parents=True)
    for suffix in ("npz", "json"):
        (folder / f"{EMBEDDED_SHA256[:16]}.{suffix}").write_text("\x1b[2J", encoding="utf-8")
    outcome = run("models", "plan")
    assert outcome.status == 0
    assert "is damaged" in outcome.out
    assert "Audience" in outcome.out
    assert run("models", "plan", "--json").object["error"]["code"] == "E_FILE_DAMAGED"
