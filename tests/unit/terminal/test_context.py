"""A topic or scene given with a joke: kept with the verdict, and read again with it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from jokejudge_gui.core.events import Finished
from jokejudge_gui.judge.duel.kind import DUEL
from jokejudge_gui.judge.judged_kind import JudgedKind
from jokejudge_gui.judge.rating.kind import RATING
from tests.known_calibration import MakeSession

from .conftest import lines

if TYPE_CHECKING:
    from .conftest import Run, Stage


@pytest.mark.parametrize(
    ("kind", "texts"), [(RATING, {"text": "I said moose."}), (DUEL, {"text_a": "I said moose.", "text_b": "Going up?"})]
)
def test_a_scene_stays_with_the_verdict_and_its_rerun(
    make_session: MakeSession, kind: JudgedKind[Any, Any], texts: dict[str, str]
) -> None:
    request = kind.request.model_validate({**texts, "context": " A moose \n in a lift. ", "explain": False})
    *_, last = make_session().run(kind, request, record=False)
    assert isinstance(last, Finished)
    assert last.result is not None
    assert kind.request_of(last.result).context == "A moose in a lift."


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


@pytest.mark.parametrize("name", ["in.csv", "in.jsonl", "in.json"])
def test_pairs_of_every_form_carry_their_scene(run: Run, stage: Stage, out: Path, tmp_path: Path, name: str) -> None:
    row = {"id": "1", "text_a": "I said moose.", "text_b": "Going up?", "context": "A moose in a lift."}
    text = json.dumps(row)
    if name == "in.csv":
        text = ",".join(row) + "\n" + ",".join(row.values())
    elif name == "in.json":
        text = f"[{text}]"
    (tmp_path / name).write_text(text + "\n", encoding="utf-8")
    found = run("duel", "--batch", str(tmp_path / name), "--out", str(out))
    assert found.status == 0, found.err
    assert contexts(stage) == ["A moose in a lift."]
    assert lines(out)[0]["context"] == "A moose in a lift."


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
