"""What set-up finds and lacks on a machine."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from pathlib import Path
from types import ModuleType

import click
import pytest

from jokejudge_gui.cli.main import jokejudge

from .conftest import fail_if_called, load, make_ready


def test_too_little_disk_is_said_before_anything_is_fetched(run: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run.shutil, "disk_usage", lambda path: type("Usage", (), {"free": 5 * 10**8})())
    with pytest.raises(run.SetupError, match=r"0\.5 GB free"):
        run.check_disk()


def test_every_command_of_the_program_is_known_to_be_a_terminal_one(run: ModuleType) -> None:
    assert set(jokejudge.list_commands(click.Context(jokejudge))) == run.TERMINAL_WORDS - {"-h", "--help", "--version"}


@pytest.mark.parametrize(
    ("given", "window"),
    [
        ([], True),
        (["--data-dir", "d"], True),
        (["rate", "x"], False),
        (["--data-dir", "d", "duel", "a", "b"], False),
        (["history", "list"], False),
        (["models", "list"], False),
        (["doctor"], False),
        (["evaluate", "pairs.csv"], False),
        (["votes", "list"], False),
        (["--help"], False),
        (["--version"], False),
    ],
)
def test_the_terminal_form_needs_no_qt_libraries(run: ModuleType, given: list[str], window: bool) -> None:
    assert run.needs_window(given) is window
    assert bool(run.needed_libraries(run.needs_window(given), {})) is window


def test_x11_libraries_are_needed_only_where_qt_draws_on_x11(run: ModuleType) -> None:
    assert "libxcb-cursor.so.0" in run.needed_libraries(True, {"DISPLAY": ":0"})
    assert "libxcb-cursor.so.0" not in run.needed_libraries(True, {"QT_QPA_PLATFORM": "offscreen"})
    assert "libEGL.so.1" in run.needed_libraries(True, {"QT_QPA_PLATFORM": "offscreen"})


def test_missing_libraries_become_debian_packages(run: ModuleType) -> None:
    machine = sys.modules[run.missing_packages.__module__]
    assert run.missing_packages(machine.QT_LIBRARIES, has=lambda library: library != "libEGL.so.1") == ["libegl1"]
    assert machine.loads("libc.so.6")
    assert not machine.loads("libjokejudge-nowhere.so.9")


def test_everything_missing_is_said_at_once_in_the_exact_line_before_the_long_step(
    run: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run, "may_install", lambda: False)
    monkeypatch.setattr(run, "check_disk", lambda: None)
    monkeypatch.setattr(run, "build_packages", lambda compiled=True: ["g++"])
    monkeypatch.setattr(run, "library_packages", lambda window: ["libegl1", "libgl1"] if window else [])
    monkeypatch.setattr(run, "make_environment", fail_if_called)
    assert run.main([]) == 1
    assert capsys.readouterr().err.endswith("\n    sudo apt-get install -y g++ libegl1 libgl1\n")
    assert run.main(["--setup-only"]) == 1
    assert capsys.readouterr().err.endswith("\n    sudo apt-get install -y g++\n")


def test_a_set_up_machine_that_lacks_qts_libraries_opens_no_window_but_runs_the_terminal(
    run: ModuleType, started: list[tuple[list[str], dict[str, str]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    make_ready(run)
    monkeypatch.setattr(run, "may_install", lambda: False)
    monkeypatch.setattr(run, "library_packages", lambda window: ["libegl1"] if window else [])
    assert run.main([]) == 1
    assert started == []
    assert run.main(["rate", "x"]) == 0
    assert len(started) == 1


def test_compilers_and_pythons_venv_part_are_looked_for(run: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    assert run.build_packages() == ["gcc", "g++", f"python{version}-venv"]
    monkeypatch.setattr(shutil, "which", lambda name: name if name.startswith("clang") else None)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())
    assert run.build_packages() == []


def test_where_it_may_it_installs_with_apt(run: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[list[str]] = []
    monkeypatch.setattr(run, "may_install", lambda: True)
    monkeypatch.setattr(run, "step", lambda what, command, env: commands.append(command))
    run.install_packages(["libegl1"])
    assert commands == [["apt-get", "update"], ["apt-get", "install", "-y", "--no-install-recommends", "libegl1"]]


def test_llama_cpp_is_compiled_without_amx_where_the_processor_has_it(
    run: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, with_amx = tmp_path / "plain", tmp_path / "amx"
    plain.write_text("flags\t\t: fpu sse2 avx2\n", "utf-8")
    with_amx.write_text("flags\t\t: fpu avx2 amx_bf16 amx_tile amx_int8\n", "utf-8")
    assert run.compiler_options(plain) == run.compiler_options(tmp_path / "missing") == []
    told = run.compiler_options(with_amx)
    assert sum("-mno-amx-tile -mno-amx-int8 -mno-amx-bf16" in part for part in told) == 2
    # An environment that was made before is brought up to date by the next start.
    monkeypatch.setattr(run, "compiler_options", list)
    before = run.wanted_stamp()
    monkeypatch.setattr(run, "compiler_options", lambda: told)
    assert run.wanted_stamp() != before
    # What was compiled otherwise is replaced; where nothing is installed, nothing has to be.
    assert run.build_options() == told
    (run.VENV / "lib" / "python3.11" / "site-packages" / "llama_cpp").mkdir(parents=True)
    assert run.build_options() == [*told, "--reinstall-package", "llama-cpp-python"]


def test_the_prebuilt_llama_cpp_is_taken_only_where_the_processor_has_what_it_uses(tmp_path: Path) -> None:
    machine = load("machine")
    old, new, arm = tmp_path / "old", tmp_path / "new", tmp_path / "arm"
    old.write_text("flags\t\t: fpu sse2 avx avx2 f16c bmi2\n", "utf-8")  # no FMA
    new.write_text("processor : 0\nflags\t\t: fpu fma f16c avx2 bmi1 bmi2\n", "utf-8")
    arm.write_text("Features\t: fp asimd\n", "utf-8")
    assert machine.why_not_prebuilt(new, "x86_64") == ""
    assert machine.why_not_prebuilt(old, "x86_64") == "the processor has no FMA"
    assert "doesn't say" in machine.why_not_prebuilt(tmp_path / "missing", "x86_64")
    assert machine.why_not_prebuilt(arm, "aarch64") == ""
    assert "riscv64" in machine.why_not_prebuilt(new, "riscv64")


def test_without_a_compiler_only_the_prebuilt_library_s_own_needs_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = load("machine")
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())
    monkeypatch.setattr(machine, "missing_packages", lambda libraries: list(libraries.values()))
    assert machine.build_packages(compiled=False) == ["libgomp1", "libstdc++6"]
    assert machine.build_packages() == ["gcc", "g++"]
