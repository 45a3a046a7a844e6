"""What set-up finds and lacks on a machine."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import click
import pytest

from jokejudge_gui.cli.main import jokejudge

from .conftest import fail_if_called, load


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


def test_everything_missing_is_said_at_once_in_the_exact_line_before_the_long_step(
    run: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run.os, "geteuid", lambda: 1000)
    monkeypatch.setattr(run, "build_packages", lambda compiled=True: ["g++"])
    monkeypatch.setattr(run, "library_packages", lambda window: ["libegl1", "libgl1"] if window else [])
    monkeypatch.setattr(run, "make_environment", fail_if_called)
    assert run.main([]) == 1
    assert capsys.readouterr().err.endswith("\n    sudo apt-get install -y g++ libegl1 libgl1\n")
    assert run.main(["--setup-only"]) == 1
    assert capsys.readouterr().err.endswith("\n    sudo apt-get install -y g++\n")


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
