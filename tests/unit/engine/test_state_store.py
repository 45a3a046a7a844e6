"""Saved states are found again, and a damaged, foreign or truncated file is ignored and replaced."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from jokejudge_gui.engine.prefix_cache import StateStore
from tests.full_disk import fail_at, fill_up, without_nameless_files

PIECES = [(1, 2), (3,)]


def store(folder: Path, limit: int = 10_000, key: str = "model-a") -> StateStore:
    return StateStore(folder, limit, context_key=key)


def only_file(folder: Path) -> Path:
    (file,) = folder.glob("*.state")
    return file


def test_other_tokens_another_cut_or_another_model_find_nothing(tmp_path: Path) -> None:
    store(tmp_path).save(PIECES, b"state")
    assert store(tmp_path).load([(1, 2, 3)]) is None
    assert store(tmp_path).load([(1, 2)]) is None
    assert store(tmp_path, key="model-b").load(PIECES) is None


def _flip(data: bytes) -> bytes:
    return data[:-1] + bytes([data[-1] ^ 1])


@pytest.mark.parametrize(
    "damage",
    [lambda _d: b"", lambda d: d[:20], lambda d: d[:-1], lambda d: d + b"x", _flip, lambda d: b"X" + d[1:]],
    ids=["empty", "header cut", "body cut", "longer", "bit flipped", "foreign magic"],
)
def test_a_damaged_file_is_ignored_removed_and_replaced(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    store(tmp_path).save(PIECES, b"state")
    file = only_file(tmp_path)
    file.write_bytes(damage(file.read_bytes()))
    assert store(tmp_path).load(PIECES) is None
    assert not file.exists()
    store(tmp_path).save(PIECES, b"again")
    assert store(tmp_path).load(PIECES) == b"again"


def test_oldest_files_go_when_the_limit_is_passed(tmp_path: Path) -> None:
    kept = store(tmp_path, limit=800)
    for number in range(3):
        kept.save([(number,)], b"x" * 200)
        for file in tmp_path.glob("*.state"):
            os.utime(file, (file.stat().st_mtime - 100,) * 2)
    assert kept.load([(0,)]) is not None
    kept.save([(9,)], b"y" * 200)
    assert kept.load([(1,)]) is None
    assert kept.load([(9,)]) is not None
    assert sum(file.stat().st_size for file in tmp_path.glob("*.state")) <= 800


FULL = [(step, True) for step in ("open", "write", "fsync", "link", "replace")]
FULL += [(step, False) for step in ("open", "write", "fsync", "replace")]


@pytest.mark.parametrize(("step", "nameless"), FULL)
def test_a_disk_that_fills_up_leaves_no_half_file_and_what_was_kept_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, nameless: bool
) -> None:
    if not nameless:
        without_nameless_files(monkeypatch)
    store(tmp_path).save([(9,)], b"before")
    full = store(tmp_path)
    with monkeypatch.context() as disk:
        if step == "write":
            fill_up(disk, tmp_path, room=100)
        else:
            fail_at(disk, step)
        full.save(PIECES, b"state" * 1000)
    assert [*tmp_path.iterdir()] == [only_file(tmp_path)]
    assert (full.load(PIECES), full.load([(9,)])) == (None, b"before")
    store(tmp_path).save(PIECES, b"state")
    assert store(tmp_path).load(PIECES) == b"state"
