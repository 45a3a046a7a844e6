"""What a shell, a system or a user can do to the program ends in a sentence and an exit status, never in a fault."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .conftest import Run

FULL = Path("/dev/full")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="there's no /dev/full here")


def shell(line: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """The program in a shell of its own; ``jj`` in the line is the program with a profile in ``folder``."""
    program = f"'{sys.executable}' -m jokejudge_gui"
    return subprocess.run(
        ["sh", "-c", line.replace("jj", f"{program} --data-dir '{folder / 'profile'}'")],
        input=b"",
        capture_output=True,
        timeout=120,
        check=False,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
    )


def said(done: subprocess.CompletedProcess[bytes]) -> str:
    err = done.stderr.decode()
    assert "Traceback" not in err
    assert "Exception ignored" not in err
    return err


@needs_full
@pytest.mark.parametrize("options", ["", "--json"])
def test_a_full_stdout_is_a_sentence(tmp_path: Path, options: str) -> None:
    done = shell(f"jj models list {options} > /dev/full", tmp_path)
    assert done.returncode == 1
    assert "Standard output can't be written: No space left on device." in said(done)


def test_c1_controls_do_not_reach_a_terminal_raw_through_json(run: Run) -> None:
    outcome = run("rate", "a joke \x85 \x9b31m \u2028 \x7f end", "--json", "--no-history")
    assert not any("\x7f" <= c <= "\x9f" or c == "\u2028" for c in outcome.out)
    assert "\x9b31m" in outcome.object["text"]


@pytest.mark.parametrize(
    "arguments",
    [("history", "tag", "last", "a\udcff"), ("history", "note", "last", "\udcff"), ("history", "search", "\udcff")],
)
def test_words_that_are_not_utf8_are_a_usage_error(run: Run, arguments: tuple[str, ...]) -> None:
    outcome = run(*arguments)
    assert outcome.status == 2
    assert "isn't UTF-8 text" in outcome.err


def test_without_a_home_folder_the_sentence_says_what_to_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = (
        "import os, pwd, sys\n"
        "def gone(*_): raise KeyError('no such user')\n"
        "pwd.getpwuid = gone\n"
        "for name in ('HOME', 'XDG_DATA_HOME', 'XDG_CONFIG_HOME', 'XDG_CACHE_HOME'): os.environ.pop(name, None)\n"
        "from jokejudge_gui.cli.main import main\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )

    def call(*arguments: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [sys.executable, "-c", code, *arguments], capture_output=True, check=False, cwd=tmp_path, timeout=120,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )  # fmt: skip

    done = call("history", "list")
    assert done.returncode == 1
    assert "no home folder" in said(done)
    assert list(tmp_path.iterdir()) == []
    assert call("models", "find", "--data-dir", "profile").returncode == 0


def test_the_log_says_what_went_wrong_but_holds_no_text(run: Run, tmp_path: Path, monkeypatch: Any) -> None:
    def fault(*_: object) -> None:
        raise KeyError("the horse joke")

    run("rate", "the horse joke")
    monkeypatch.setattr("jokejudge_gui.cli.context.load_settings", fault)
    assert run("rate", "the horse joke", "--debug").status == 1
    log = tmp_path / "profile" / "cache" / "jokejudge.log"
    content = log.read_text(encoding="utf-8")
    assert "builtins.KeyError, raised at" in content
    assert "horse" not in content
    assert stat.S_IMODE(log.stat().st_mode) == 0o600


def test_a_locale_without_the_texts_characters_is_named(process: Callable[..., Any]) -> None:
    plain = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    for command in (("rate", "Café"), ("history", "search", "Café")):
        assert b"set LC_ALL=C.UTF-8" in process(*command, **plain).stderr
