"""A topic or scene given with a joke: kept with the verdict, and read again with it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from .conftest import lines

if TYPE_CHECKING:
    from .conftest import Run, Stage


def contexts(stage: Stage) -> list[str]:
    return [getattr(asked.request, "context", "") for asked in stage.asked]


def test_the_scene_of_a_batch_is_for_rows_that_name_none(run: Run, stage: Stage, out: Path, tmp_path: Path) -> None:
    rows = tmp_path / "in.jsonl"
    rows.write_text('{"text": "I said moose.", "context": "A zoo."}\n{"text": "Going up?"}\n', encoding="utf-8")
    found = run("rate", "--batch", str(rows), "--out", str(out), "--context", "A lift.")
    assert found.status == 0, found.err
    assert contexts(stage) == ["A zoo.", "A lift."]
    assert [line["context"] for line in lines(out)] == ["A zoo.", "A lift."]
    run("rate", "--batch", str(rows), "--out", str(out), "--context", "A stairwell.")
    assert contexts(stage)[2:] == ["A stairwell."]


def test_captions_of_a_batch_are_judged_as_one_by_one_and_in_parts(run: Run, tmp_path: Path) -> None:
    captions = ("I said moose.", "Going up?", "It was on the menu.", "He is with me.")
    rows = tmp_path / "in.csv"
    rows.write_text("text,context\n" + "".join(f'"{text}","A moose in a lift, {n}."\n' for n, text in
                    enumerate(captions)), encoding="utf-8")  # fmt: skip
    parts = [str(tmp_path / f"{k}.jsonl") for k in (1, 2)]
    for k, part in enumerate(parts, start=1):
        assert run("rate", "--batch", str(rows), "--shard", f"{k}/2", "--out", part).status == 0
    whole = tmp_path / "all.jsonl"
    assert run("merge", *parts, "--out", str(whole)).status == 0
    found = {line["text"]: line for line in lines(whole)}
    assert len(found) == 4
    for number, text in enumerate(captions):
        scene = f"A moose in a lift, {number}."
        alone = run("rate", text, "--context", scene, "--json").object
        assert found[text]["context"] == scene
        for field in ("audience", "factors", "categories", "mean_score", "admissible"):
            assert found[text][field] == alone[field]
