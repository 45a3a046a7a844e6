"""Calibrations: the right one is found, a damaged one is measured again."""

from __future__ import annotations

from pathlib import Path

import pytest

from jokejudge_gui.judging.plan.calibration import Calibration, CalibrationFiles, CheckCalibration

CHECKS = {"intent": CheckCalibration(centre=0.0, half=1.0, sd=1.0)}


def calibration(sha256: str = "a" * 64) -> Calibration:
    return Calibration(model_sha256=sha256, prompt_version="p1", criteria_version="c1", checks=CHECKS)


def test_a_calibration_made_here_comes_before_the_shipped_one(tmp_path: Path) -> None:
    CalibrationFiles(Path("none"), tmp_path / "shipped").save(calibration().model_copy(update={"checks": {}}))
    files = CalibrationFiles(tmp_path / "shipped", tmp_path / "own")
    assert files.load("a" * 64, "p1", "c1").checks == {}
    files.save(calibration())
    assert files.load("a" * 64, "p1", "c1").checks == CHECKS


@pytest.mark.parametrize("key", [("b" * 64, "p1", "c1"), ("a" * 64, "p2", "c1"), ("a" * 64, "p1", "c2")])
def test_another_model_prompt_or_criteria_finds_nothing(tmp_path: Path, key: tuple[str, str, str]) -> None:
    files = CalibrationFiles(Path("none"), tmp_path)
    files.save(calibration())
    assert files.load(*key).checks == {}
    assert not files.load(*key).rates


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe", b'{"model_sha256": 5}'])
def test_a_damaged_file_counts_as_not_there(tmp_path: Path, content: bytes) -> None:
    files = CalibrationFiles(Path("none"), tmp_path)
    files.save(calibration()).write_bytes(content)
    assert files.load("a" * 64, "p1", "c1").checks == {}


def test_a_file_renamed_to_another_models_name_is_not_believed(tmp_path: Path) -> None:
    files = CalibrationFiles(Path("none"), tmp_path)
    file = files.save(calibration())
    file.rename(file.with_name(file.name.replace("a" * 16, "a" * 15 + "b")))
    assert files.load("a" * 15 + "b" + "c" * 48, "p1", "c1").checks == {}
