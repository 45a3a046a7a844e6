"""Fitted weights hold for the very model, prompts and head that they were fitted with; else the prior serves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jokejudge_gui.judging.confidence_scorer import Weights
from jokejudge_gui.judging.weights import fitted_weights
from jokejudge_gui.paths import models_dir

SHA256 = "ab" * 32
CONTENT = {
    "model_sha256": SHA256,
    "prompt_version": "p1",
    "head_version": "1",
    "pair": 0.1,
    "alone": 0.0,
    "audience": 0.9,
    "votes": {"ukp": 200},
}


def write(folder: Path, **changes: object) -> Path:
    (folder / f"{SHA256[:16]}.json").write_text(json.dumps({**CONTENT, **changes}), encoding="utf-8")
    return folder


def test_weights_are_read_for_their_model_prompts_and_head(tmp_path: Path) -> None:
    folder = write(tmp_path)
    assert fitted_weights(SHA256, "p1", "1", folder) == Weights(pair=0.1, alone=0.0, audience=0.9)


@pytest.mark.parametrize("asked", [("cd" * 32, "p1", "1"), (SHA256, "p2", "1"), (SHA256, "p1", "own")])
def test_weights_for_something_else_are_not_used(tmp_path: Path, asked: tuple[str, str, str]) -> None:
    assert fitted_weights(*asked, write(tmp_path)) is None


@pytest.mark.parametrize("changes", [{"pair": -0.1}, {"audience": "much"}, {"alone": float("nan")}, {"pair": 1e9}])
def test_weights_that_make_no_sense_are_not_used(tmp_path: Path, changes: dict[str, object]) -> None:
    assert fitted_weights(SHA256, "p1", "1", write(tmp_path, **changes)) is None


def test_a_damaged_file_is_not_used(tmp_path: Path) -> None:
    (tmp_path / f"{SHA256[:16]}.json").write_bytes(b"\xff{")
    assert fitted_weights(SHA256, "p1", "1", tmp_path) is None


def test_weights_that_ship_are_of_a_calibration_that_ships() -> None:
    for path in (models_dir() / "weights").glob("*.json"):
        prompts = json.loads(path.read_text(encoding="utf-8"))["prompt_version"]
        assert list((models_dir() / "calibrations").glob(f"{path.stem}-{prompts}-*.json"))
