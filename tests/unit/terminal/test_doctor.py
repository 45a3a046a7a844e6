"""The check-up from the terminal."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from jokejudge_gui.cli import doctor
from jokejudge_gui.library.finder import ModelFile

if TYPE_CHECKING:
    from .conftest import Run


@pytest.fixture
def quick_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Facts:
        quantisation = "Q8_0"
        size_bytes = 145_000_000
        slow_kernels = False

    monkeypatch.setattr(doctor, "resolve_model", lambda _spec, _profile: ModelFile(tmp_path / "m.gguf", "Mine"))
    monkeypatch.setattr(doctor, "read_gguf", lambda _path: Facts())
    monkeypatch.setattr(doctor, "probe", lambda *_, **__: {})


@pytest.mark.usefixtures("quick_model")
def test_the_doctor_names_what_is_wrong_with_ones_own_criteria_and_its_line(run: Run, tmp_path: Path) -> None:
    def criteria() -> dict[str, str]:
        checks = run("doctor", "--json").object["checks"]
        found: dict[str, str] = next(check for check in checks if check["name"] == "criteria")
        return found

    assert "none of your own" in criteria()["detail"]
    (tmp_path / "mine.xml").write_text('<own_criteria version="1"><kind id="pun" name="Quibble"/></own_criteria>')
    assert run("criteria", "import", str(tmp_path / "mine.xml")).status == 0
    assert "1 of your own or changed, sound" in criteria()["detail"]
    path = Path(run("criteria", "check", "--json").object["path"])
    path.write_text(path.read_text(encoding="utf-8").replace('name="Quibble"', 'name=""'), encoding="utf-8")
    found = criteria()
    assert found["state"] == "failed"
    assert "own_criteria.xml, line 5" in found["detail"]


@pytest.mark.usefixtures("quick_model")
def test_the_doctor_names_every_part_and_its_state(run: Run) -> None:
    run("rate", "text")
    report = run("doctor", "--json").object
    assert report["ok"] is True
    assert [check["name"] for check in report["checks"]] == [
        "program", "folders", "settings", "criteria", "history", "model",
    ]  # fmt: skip
    details = {check["name"]: check["detail"] for check in report["checks"]}
    assert "1 verdicts" in details["history"]
    assert "145 MB, answers" in details["model"]
    for_people = run("doctor")
    assert for_people.status == 0
    assert "All is well." in for_people.out


@pytest.mark.usefixtures("quick_model")
def test_the_doctor_finds_what_is_damaged_and_goes_on(run: Run, tmp_path: Path) -> None:
    profile = tmp_path / "profile"
    profile.mkdir()
    (profile / "history.sqlite3").write_bytes(b"no database" * 50)
    (profile / "settings.json").write_text("{")
    outcome = run("doctor", "--json")
    states = {check["name"]: check["state"] for check in outcome.object["checks"]}
    assert outcome.status == 1
    assert outcome.object["ok"] is False
    assert (states["history"], states["settings"], states["model"]) == ("failed", "failed", "ok")
    assert "Something needs to be fixed" in run("doctor").out


@pytest.mark.parametrize("broken", ["None", "Path(__file__)"])
def test_the_doctor_starts_where_llama_cpp_is_missing_or_broken(tmp_path: Path, broken: str) -> None:
    code = (
        "import sys\nfrom pathlib import Path\nfrom jokejudge_gui.engine import llama_cpp\n"
        f"llama_cpp.find_library = lambda: {broken.replace('__file__', repr(__file__))}\n"
        "from jokejudge_gui.cli.main import main\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    call = [sys.executable, "-c", code, "doctor", "--json", "--data-dir", str(tmp_path)]
    path = os.pathsep.join(sys.path)
    done = subprocess.run(call, capture_output=True, check=False, timeout=120, env={**os.environ, "PYTHONPATH": path})
    assert done.returncode == 1, done.stderr
    states = {check["name"]: check["state"] for check in json.loads(done.stdout)["checks"]}
    assert (states["program"], states["model"], states["settings"]) == ("failed", "failed", "ok")
