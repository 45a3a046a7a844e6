"""``jokejudge models plan``: what each part of a verdict is worth, without a model being loaded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from jokejudge_gui.core.paths import models_dir
from jokejudge_gui.heads.editor_file import EditorCard
from jokejudge_gui.judge.asking.measured import MeasuredFiles
from jokejudge_gui.judge.asking.worth import ItemWorth, Plan, Worth, heads_key
from jokejudge_gui.library.embedded import EMBEDDED_SHA256

if TYPE_CHECKING:
    from .conftest import Run, Stage


def test_a_model_with_heads_has_every_item_with_its_worth(run: Run, stage: Stage) -> None:
    outcome = run("models", "plan")
    assert outcome.status == 0
    assert "reads the joke once and asks nothing" in outcome.out
    for section in ("Audience", "Checks", "Factors", "Kinds", "Faults", "Turn"):
        assert f"\n{section}" in outcome.out
    assert "not shown" in outcome.out
    assert stage.opened == 0


def test_the_json_object_holds_each_item_once(run: Run) -> None:
    found = run("models", "plan", "embedded", "--json").object
    assert (found["planned"], found["line"], found["error"], found["tokens"]) == (True, None, None, 0)
    assert found["model"]["sha256"] == EMBEDDED_SHA256
    keys = [(row["section"], row["id"]) for row in found["items"]]
    assert len(keys) == len(set(keys))
    surprise = next(row for row in found["items"] if (row["section"], row["id"]) == ("factor", "surprise"))
    assert surprise["source"] == "read"
    assert surprise["low"] < surprise["worth"] < surprise["high"]
    assert surprise["shown"]


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


def test_a_damaged_draft_card_leaves_the_drafts_out(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "profile" / "drafts"
    folder.mkdir(parents=True)
    (folder / f"{EMBEDDED_SHA256[:16]}.npz").write_bytes(b"")
    card = folder / f"{EMBEDDED_SHA256[:16]}.json"
    no_number = {"model": {"sha256": EMBEDDED_SHA256}, "figures": {"edited": {"share": "x"}}}
    for text in ("[", "[]", json.dumps(no_number)):
        card.write_text(text, encoding="utf-8")
        sections = {row["section"] for row in run("models", "plan", "--json").object["items"]}
        assert "drafts" not in sections
        assert "audience" in sections
