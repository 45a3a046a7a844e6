"""The files of what was measured: it is found again, and what was reworded is measured once."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jokejudge_gui.core.paths import criteria_dir, models_dir
from jokejudge_gui.judge.asking.calibration import Calibration, CheckCalibration, Keys, question_keys
from jokejudge_gui.judge.asking.measured import ItemWorth, MeasuredFiles, Plan, Worth
from jokejudge_gui.judge.main_judge import MainJudge
from jokejudge_gui.rubric.prompts import parse_prompts
from jokejudge_gui.rubric.xml_parser import load_criteria
from tests.fake_engine import FakeEngine
from tests.known_calibration import known

CHECKS = {"intent": CheckCalibration(centre=0.0, half=1.0, sd=1.0)}
KEYS = {"checks": {"intent": "check:intent:1"}}
NOWHERE = Path("nowhere")
SHA = "a" * 64


def item(read: float, id: str = "wit") -> ItemWorth:
    return ItemWorth(kind="factor", id=id, measured="r", read=Worth(value=read, low=0.1, high=0.9, n=9))


def calibration() -> Calibration:
    return Calibration(model_sha256=SHA, keys=KEYS, checks=CHECKS)


def test_what_was_measured_here_comes_before_what_ships(tmp_path: Path) -> None:
    other = {"intent": CheckCalibration(centre=9.0, half=1.0, sd=1.0)}
    shipped = MeasuredFiles(NOWHERE, tmp_path / "shipped")
    shipped.save_calibration(calibration().model_copy(update={"checks": other}))
    shipped.save_plan(Plan(model_sha256=SHA, items=(item(0.4), item(0.5, id="timing"))))
    files = MeasuredFiles(tmp_path / "shipped", tmp_path / "own")
    assert files.calibration(SHA, KEYS).checks == other
    assert len(files.plan(SHA).items) == 2
    files.save_calibration(calibration())
    files.save_plan(Plan(model_sha256=SHA, items=(item(0.6),)))
    assert files.calibration(SHA, KEYS).checks == CHECKS
    assert [one.read.value for one in files.plan(SHA).items if one.read] == [0.6]
    assert files.plan("b" * 64).items == ()


@pytest.mark.parametrize(("sha256", "keys"), [("b" * 64, KEYS), (SHA, {"checks": {"intent": "check:intent:2"}})])
def test_another_model_or_wording_finds_nothing(tmp_path: Path, sha256: str, keys: Keys) -> None:
    files = MeasuredFiles(NOWHERE, tmp_path)
    files.save_calibration(calibration())
    assert files.calibration(sha256, keys).checks == {}
    assert not files.calibration(sha256, keys).rates


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"\xff\xfe", b'{"model_sha256": 5}', b"[" * 100_000, b'{"format": 3, "calibration": []}'],
)
def test_a_damaged_file_counts_as_not_there(tmp_path: Path, content: bytes) -> None:
    files = MeasuredFiles(NOWHERE, tmp_path)
    files.save_calibration(calibration())
    files.path(SHA).write_bytes(content)
    assert files.calibration(SHA, KEYS).checks == {}
    assert files.plan(SHA) == Plan(model_sha256=SHA)
    files.save_calibration(calibration())
    assert files.calibration(SHA, KEYS).checks == CHECKS


class Counting(FakeEngine):
    """Counts the questions that it is asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0

    def choose(self, prompt: Any, questions: Any, cancel: Any = None) -> Any:
        self.asked += len(questions)
        return super().choose(prompt, questions, cancel)


Odd = Callable[[dict[str, Any], dict[str, str]], None]


ODD: dict[str, Odd] = {
    "a missing factor": lambda entries, keys: entries.pop(keys["score"]),
    "too few levels": lambda entries, keys: entries[keys["score"]].update(ascending=[-1.0, -2.0]),
    "a huge number": lambda entries, keys: entries[keys["category"]].update(mean=1e308),
    "a list for figures": lambda entries, keys: entries.update({keys["relevance"]: [1, 2]}),
}


@pytest.mark.parametrize("odd", ODD)
def test_an_odd_entry_is_refused_alone_and_measured_again_once(odd: str, tmp_path: Path) -> None:
    engine = Counting()
    files = MeasuredFiles(NOWHERE, tmp_path)
    files.save_calibration(known(MainJudge(engine, files)))
    whole = MainJudge(engine, files).calibration
    path = files.path(whole.model_sha256)
    data = json.loads(path.read_text(encoding="utf-8"))
    keys = whole.keys
    chosen = {
        "score": next(iter(keys["scores"].values())),
        "relevance": next(iter(keys["relevance"].values())),
        "category": next(iter(keys["categories"].values())),
    }
    ODD[odd](data["calibration"], chosen)
    path.write_text(json.dumps(data), encoding="utf-8")
    judge = MainJudge(engine, files)
    assert not judge.calibration.rates
    list(judge.calibrate(duel=False))
    assert judge.calibration.rates
    assert engine.asked > 0
    again = MainJudge(engine, files)
    assert again.calibration == judge.calibration
    engine.asked = 0
    assert list(again.calibrate(duel=False)) == []
    assert engine.asked == 0
    # Nothing but the odd one was measured again.
    for name in ("checks", "categories", "relevance", "scores"):
        before, after = getattr(whole, name), getattr(again.calibration, name)
        assert before.keys() == after.keys()
        assert sum(before[item] != after[item] for item in before) <= 1
    assert again.calibration.duel == whole.duel


def test_the_shipped_calibrations_answer_all_of_todays_questions(tmp_path: Path) -> None:
    keys = question_keys(parse_prompts(), load_criteria(criteria_dir()))
    paths = sorted(models_dir().glob("*/measured.json"))
    assert len(paths) == 3
    for path in paths:
        sha256 = json.loads(path.read_text(encoding="utf-8"))["model_sha256"]
        found = MeasuredFiles(models_dir(), tmp_path).calibration(sha256, keys)
        assert found.rates
        assert found.duel is not None
