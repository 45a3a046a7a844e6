"""The folder of kept states can be measured, bounded and emptied, and nothing else in it is touched."""

from __future__ import annotations

import os
from pathlib import Path

from jokejudge_gui.engine.prefix_cache import StateStore, measure, shrink


def fill(folder: Path, *sizes: int) -> list[Path]:
    """Files of these sizes, the first one the longest unused; and one that is none of ours."""
    folder.mkdir(parents=True)
    files = []
    for age, size in enumerate(sizes):
        files.append(folder / f"{age:040x}.state")
        files[-1].write_bytes(b"x" * size)
        os.utime(files[-1], (1_000_000 + age, 1_000_000 + age))
    (folder / "notes.txt").write_text("mine")
    return files


def test_the_longest_unused_go_first(tmp_path: Path) -> None:
    files = fill(tmp_path / "states", 10, 20, 30)
    shrink(tmp_path / "states", 50)
    assert [file.exists() for file in files] == [False, True, True]


def test_clearing_leaves_other_files_alone_and_a_store_goes_on(tmp_path: Path) -> None:
    folder = tmp_path / "states"
    store = StateStore(folder, 10_000, context_key="model")
    store.save([(1,)], b"state")
    (folder / "notes.txt").write_text("mine")
    shrink(folder, 0)
    assert measure(folder).files == 0
    assert (folder / "notes.txt").read_text() == "mine"
    assert store.load([(1,)]) is None
    store.save([(1,)], b"again")
    assert store.load([(1,)]) == b"again"
