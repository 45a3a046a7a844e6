"""packaging/run.py and test.py: what they decide, without a network and without installing anything."""

from __future__ import annotations

import os
import shutil
import sys
from types import ModuleType

import pytest

from .conftest import fail_if_called, make_ready


def test_an_environment_that_is_up_to_date_is_started_at_once_with_every_argument(
    run: ModuleType,
    started: list[tuple[list[str], dict[str, str]]],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    make_ready(run)
    for name in ("make_environment", "install_requirements", "prepare_model", "build_packages", "install_packages"):
        monkeypatch.setattr(run, name, fail_if_called)
    assert run.main(["rate", "Two  spaces, “quotes” and $HOME", "--json"]) == 0
    [(argv, env)] = started
    assert argv == [str(run.PYTHON), "-m", "jokejudge_gui", "rate", "Two  spaces, “quotes” and $HOME", "--json"]
    assert env["OMP_WAIT_POLICY"] == os.environ.get("OMP_WAIT_POLICY", "passive")
    assert capfd.readouterr().out == ""


def test_a_first_start_does_each_step_once_in_order_and_says_so_on_stderr_only(
    run: ModuleType,
    started: list[tuple[list[str], dict[str, str]]],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    steps: list[str] = []
    names = ["make_environment", "install_requirements", "link_checkout", "prepare_model"]
    for name in names:
        monkeypatch.setattr(run, name, lambda name=name: steps.append(name))
    assert run.main(["--setup-only"]) == 0
    assert steps == names
    assert started == []
    assert run.read_stamp() == run.wanted_stamp()
    out, err = capfd.readouterr()
    assert out == ""
    assert "happens once" in err


def test_a_step_that_fails_says_what_to_do_leaves_no_stamp_and_exits_1(
    run: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("make_environment", "link_checkout", "prepare_model"):
        monkeypatch.setattr(run, name, list)
    monkeypatch.setattr(run, "build_packages", lambda compiled=True: [])

    def full() -> None:
        code = "import sys; print('error: No space left on device (os error 28)'); sys.exit(2)"
        run.step("Installing the libraries", [sys.executable, "-S", "-c", code])

    monkeypatch.setattr(run, "install_requirements", full)
    assert run.main(["--setup-only"]) == 1
    err = capsys.readouterr().err
    assert "Installing the libraries failed (exit status 2). The disk is full" in err
    assert "No space left on device" in err
    assert not run.STAMP.exists()


def test_an_extra_that_a_fresh_checkout_asks_for_is_still_wanted_when_the_environment_is_made(
    run: ModuleType, started: list[tuple[list[str], dict[str, str]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    installed: list[list[str]] = []
    monkeypatch.setattr(run, "install_requirements", lambda: installed.append([lock.name for lock in run.locks()]))
    for name in ("step", "link_checkout", "prepare_model"):
        monkeypatch.setattr(run, name, lambda *_: None)
    run.VENV.mkdir()
    (run.VENV / "left over").touch()
    assert run.main(["--setup-only", "--pictures"]) == 0
    assert installed == [["requirements.lock", "compiled.lock", "pictures.lock"]]
    assert not (run.VENV / "left over").exists()
    assert started == []


@pytest.mark.parametrize("extra", ["agents", "cluster", "pictures"])
def test_what_an_extra_needs_is_installed_once_it_was_asked_for_and_stays(
    run: ModuleType, started: list[tuple[list[str], dict[str, str]]], monkeypatch: pytest.MonkeyPatch, extra: str
) -> None:
    make_ready(run)
    installed: list[list[str]] = []
    monkeypatch.setattr(run, "install_requirements", lambda: installed.append([lock.name for lock in run.locks()]))
    for name in ("make_environment", "link_checkout", "prepare_model"):
        monkeypatch.setattr(run, name, lambda: None)
    assert run.main(["--setup-only"]) == 0
    assert installed == []
    assert run.main(["--setup-only", f"--{extra}"]) == 0
    assert installed == [["requirements.lock", "compiled.lock", f"{extra}.lock"]]
    assert run.main(["--setup-only"]) == 0
    assert run.is_ready()
    assert len(installed) == 1
    run.lock_of(f"--{extra}").write_text("changed", "utf-8")
    assert not run.is_ready()


@pytest.fixture
def library(run: ModuleType, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """A machine that the prebuilt llama.cpp fits, with an installer that leaves what it would; what it was told."""
    packages = run.VENV / "lib" / "python3.11" / "site-packages"
    calls: list[list[str]] = []

    def install(what: str, command: list[str], *_: object, **__: object) -> None:
        if what != "Installing the libraries":
            return
        calls.append(command)
        prebuilt = str(run.PREBUILT_LOCK) in command
        assert prebuilt != (str(run.COMPILED_LOCK) in command)
        for name in ("llama_cpp", "xllamacpp"):
            shutil.rmtree(packages / name, ignore_errors=True)
        file = packages / (run.PREBUILT if prebuilt else "llama_cpp/lib/libllama.so")
        file.parent.mkdir(parents=True)
        file.write_bytes(b"prebuilt" if prebuilt else b"compiled")

    run.PYTHON.parent.mkdir(parents=True)
    run.PYTHON.write_text("#!/bin/sh\n")
    run.PYTHON.chmod(0o755)
    monkeypatch.setattr(run, "why_not_prebuilt", lambda: "")
    monkeypatch.setattr(run, "step", install)
    monkeypatch.setattr(run, "build_packages", lambda compiled=True: ["g++"] if compiled else [])
    monkeypatch.setattr(run, "install_packages", lambda packages: calls.append(list(packages)))
    for name in ("make_environment", "link_checkout"):
        monkeypatch.setattr(run, name, lambda: None)
    return calls


def _library(run: ModuleType) -> bytes:
    [file] = (run.VENV / "lib/python3.11/site-packages").rglob("*.so")
    return file.read_bytes()  # type: ignore[no-any-return]


def test_nothing_is_compiled_unless_it_is_asked_for_and_that_can_be_undone(
    run: ModuleType, library: list[list[str]]
) -> None:
    assert run.main(["--setup-only"]) == 0
    assert ["g++"] not in library
    assert _library(run) == b"prebuilt"
    assert run.main(["--compile"]) == 0
    assert library[1] == ["g++"]
    assert _library(run) == b"compiled"
    assert run.main(["--setup-only"]) == 0
    assert _library(run) == b"compiled"
    assert run.main(["--prebuilt"]) == 0
    assert _library(run) == b"prebuilt"


@pytest.mark.parametrize("status", [1, -4])
def test_a_prebuilt_library_that_reads_nothing_here_is_replaced_by_a_compiled_one(
    run: ModuleType,
    library: list[list[str]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    status: int,
) -> None:
    _fail_to_prepare(run, monkeypatch, status)
    assert run.main(["--setup-only"]) == 0
    assert "The prebuilt llama.cpp doesn't work here" in capsys.readouterr().err
    assert _library(run) == b"compiled"
    assert run.is_ready()


def _fail_to_prepare(run: ModuleType, monkeypatch: pytest.MonkeyPatch, status: int) -> None:
    """Let the embedded model be prepared by a compiled library only."""
    install = run.step

    def step(what: str, *rest: object, **options: object) -> None:
        if what == "Preparing the embedded model" and _library(run) == b"prebuilt":
            error = run.SetupError(f"{what} failed (exit status {status}).")
            error.status = status
            raise error
        install(what, *rest, **options)

    monkeypatch.setattr(run, "step", step)
