"""Files of the program: whole or as before, for their user alone, and never more than what they say they are."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from jokejudge_gui.core.errors import OutputError, SettingsError
from jokejudge_gui.core.files import atomic_write, atomic_writer, parse_json, remembered


@pytest.fixture(params=[0o000, 0o022, 0o077])
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.usefixtures("umask")
def test_what_is_written_is_for_its_user_alone_whatever_the_umask(tmp_path: Path) -> None:
    atomic_write(tmp_path / "one" / "two" / "file.json", "{}")
    assert mode(tmp_path / "one" / "two" / "file.json") == 0o600
    assert mode(tmp_path / "one") == mode(tmp_path / "one" / "two") == 0o700


def test_nothing_but_a_plain_file_is_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (pipe, tmp_path, Path("/dev/null")):
        with pytest.raises(OutputError) as caught:
            atomic_write(path, "new")
        assert caught.value.code == "E_WRITE_KIND"
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_failed_write_leaves_the_old_file_and_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")

    def write_half() -> None:
        with atomic_writer(path) as stream:
            stream.write(b"half")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_half()
    assert [p.name for p in tmp_path.iterdir()] == ["file"]
    assert path.read_text() == "old"


def test_a_killed_write_leaves_nothing_behind(tmp_path: Path) -> None:
    code = (
        "import os, signal, sys; from pathlib import Path; from jokejudge_gui.core.files import atomic_writer\n"
        "with atomic_writer(Path(sys.argv[1])) as stream:\n"
        "    stream.write(b'joke' * 100000); stream.flush(); os.kill(os.getpid(), signal.SIGKILL)"
    )
    killed = subprocess.run([sys.executable, "-c", code, str(tmp_path / "out.csv")], check=False, timeout=120)
    assert killed.returncode == -9
    assert list(tmp_path.iterdir()) == []


def test_the_longest_name_can_be_written_and_a_longer_one_is_a_sentence(tmp_path: Path) -> None:
    atomic_write(tmp_path / ("n" * 255), "new")
    with pytest.raises(SettingsError):
        atomic_write(tmp_path / ("n" * 300), "new")


@pytest.mark.parametrize(
    "data",
    [
        b"[" * 100_000,
        b'{"a":' * 500 + b"1" + b"}" * 500,
        b'{"sd": NaN}',
        b'{"sd": 1e999}',
        b"\xff\xfe",
        b"",
        b"1" * 10_000,
    ],
)
def test_json_that_no_file_of_ours_holds_is_refused(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        parse_json(data)
    path = tmp_path / "memory.json"
    path.write_bytes(data)
    assert remembered(path) == {}
