"""A fresh packaging/run.py in an empty checkout."""

from __future__ import annotations

import importlib.util
import json
import os
from pathlib import Path
from types import ModuleType

import pytest

PACKAGING = Path(__file__).resolve().parents[3] / "packaging"
LOCK = """\
tzdata==2026.6 \\
    --hash=sha256:aa
uv==0.13.9 \\
    --hash=sha256:bb \\
    --hash=sha256:cc
virtualenv==21.0
"""


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, PACKAGING / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A fresh run.py that works in an empty checkout under ``tmp_path``."""
    monkeypatch.syspath_prepend(str(PACKAGING))
    module = load("run")
    venv = tmp_path / ".venv"
    (tmp_path / "packaging").mkdir()
    for name in ("requirements", "build", "agents", "cluster", "pictures", "prebuilt", "compiled"):
        (tmp_path / "packaging" / f"{name}.lock").write_text(LOCK, "utf-8")
    for attribute, value in {
        "ROOT": tmp_path,
        "VENV": venv,
        "LOCK": tmp_path / "packaging" / "requirements.lock",
        "BUILD_LOCK": tmp_path / "packaging" / "build.lock",
        "PYTHON": venv / "bin" / "python",
        "COMMAND": venv / "bin" / "jokejudge",
        "STAMP": venv / "stamp.json",
        "LOG": venv / "log",
        "MUTEX": venv / "lock",
        "PREBUILT_LOCK": tmp_path / "packaging" / "prebuilt.lock",
        "COMPILED_LOCK": tmp_path / "packaging" / "compiled.lock",
        "COMPILE_WANTED": venv / "compile",
        "why_not_prebuilt": lambda: "the processor has no AVX2",
    }.items():
        monkeypatch.setattr(module, attribute, value)
    return module


@pytest.fixture
def started(run: ModuleType, monkeypatch: pytest.MonkeyPatch) -> list[tuple[list[str], dict[str, str]]]:
    """What run.py would have replaced itself with."""
    calls: list[tuple[list[str], dict[str, str]]] = []
    monkeypatch.setattr(os, "execve", lambda path, argv, env: calls.append((argv, env)))
    monkeypatch.setattr(run, "library_packages", lambda window: [])
    monkeypatch.setattr(run, "build_packages", lambda compiled=True: [])
    return calls


def make_ready(run: ModuleType) -> None:
    run.PYTHON.parent.mkdir(parents=True)
    run.PYTHON.touch()
    run.STAMP.write_text(json.dumps(run.wanted_stamp()), "utf-8")


def fail_if_called(*_: object) -> None:
    pytest.fail("an up-to-date environment was set up again")
