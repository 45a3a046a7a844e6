"""Every command and Python find the same jokes in the same file, whatever kind of file it is, or say the same of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from jokejudge_gui import JokeJudge
from tests.fake_engine import FakeEngine
from tests.kinds_of_file import BAD, KINDS, NOTES, jokes, write

from .conftest import lines

if TYPE_CHECKING:
    from .conftest import Run

pytestmark = pytest.mark.parametrize("kind", KINDS)
SPLIT = "extra commas"
"""The kind whose texts can only be put together where they are last, and alone."""


def test_a_batch_of_ratings(run: Run, tmp_path: Path, out: Path, kind: str) -> None:
    outcome = run("rate", "--batch", str(write(tmp_path, kind)), "--out", str(out))
    assert outcome.status == 0
    assert NOTES.get(kind, "") in outcome.err
    good, bad = lines(out)[:3], lines(out)[3:]
    assert [(line["text"], line["error"]) for line in good] == [(joke, None) for joke in jokes(kind)]
    assert [line["error"]["code"] for line in bad] == ([BAD[kind]] if kind in BAD else [])


def test_a_contest(run: Run, tmp_path: Path, kind: str) -> None:
    outcome = run("contest", str(write(tmp_path, kind)), "--duels", "0", "--json")
    assert outcome.status == 0
    assert NOTES.get(kind, "") in outcome.err
    entries = outcome.object["entries"]
    assert sorted(entry["text"] for entry in entries if entry["rank"] is not None) == sorted(jokes(kind))


def test_python(tmp_path: Path, kind: str) -> None:
    with JokeJudge(data_dir=tmp_path / "data", loader=lambda *_: FakeEngine()) as judge:
        rated = judge.rate_many(write(tmp_path, kind))
        assert NOTES.get(kind, "") in " ".join(rated.notes)
        found = list(rated)
    assert [line["text"] for line in found if line["error"] is None] == jokes(kind)
    assert [line["error"]["code"] for line in found if line["error"]] == ([BAD[kind]] if kind in BAD else [])
