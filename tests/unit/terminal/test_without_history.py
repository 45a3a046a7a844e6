"""``--no-history`` needs no history: whatever has become of its file, a verdict comes, and the file stays as it is."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .conftest import Run

Spoil = Callable[[Path], AbstractContextManager[None]]


def newer(path: Path) -> AbstractContextManager[None]:
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA user_version = 99")
    database.close()
    return nullcontext()


def older(path: Path) -> AbstractContextManager[None]:
    """It would be set aside as soon as it is opened."""
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA user_version = 4")
    database.close()
    return nullcontext()


def damaged(path: Path) -> AbstractContextManager[None]:
    path.write_bytes(b"not a database" * 100)
    return nullcontext()


def a_folder(path: Path) -> AbstractContextManager[None]:
    path.unlink()
    path.mkdir()
    return nullcontext()


@contextmanager
def read_only(path: Path) -> Iterator[None]:
    """Even for the super-user, whom a file's mode doesn't stop."""
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE IF NOT EXISTS held (x)")
    database.close()
    path.chmod(0o400)
    path.parent.chmod(0o500)
    try:
        yield
    finally:
        path.parent.chmod(0o700)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA journal_mode = DELETE")
    database.execute("BEGIN EXCLUSIVE")
    try:
        yield
    finally:
        database.close()


@pytest.mark.parametrize("spoil", [newer, older, damaged, a_folder, read_only, locked])
@pytest.mark.parametrize("command", [["rate", "a joke"], ["duel", "one", "two"], ["batch"]])
def test_a_verdict_needs_no_history(run: Run, tmp_path: Path, out: Path, spoil: Spoil, command: list[str]) -> None:
    path = tmp_path / "profile" / "history.sqlite3"
    run("history", "list")
    assert path.exists()
    if command == ["batch"]:
        (tmp_path / "in.txt").write_text("one joke\n", encoding="utf-8")
        command = ["rate", "--batch", str(tmp_path / "in.txt"), "--out", str(out)]
    with spoil(path):
        before = path.read_bytes() if path.is_file() else None
        outcome = run(*command, "--no-history")
        assert outcome.status == 0, outcome.err
        assert "istory" not in outcome.err
        assert (path.read_bytes() if path.is_file() else None) == before


def test_an_unusable_history_stops_a_verdict_that_is_to_be_kept(run: Run, tmp_path: Path) -> None:
    run("history", "list")
    newer(tmp_path / "profile" / "history.sqlite3")
    outcome = run("rate", "a joke", "--json")
    assert outcome.status == 1
    assert outcome.object["error"]["code"] == "E_HISTORY_NEWER"
