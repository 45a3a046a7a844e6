"""A head that is damaged costs its own figure, not the verdict."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.paths import Profile, models_dir
from jokejudge_gui.session.judge_files import JudgeFiles
from jokejudge_gui.session.session import Session
from tests import head_builder
from tests.bench import damaged_heads
from tests.ends import finished
from tests.fake_engine import FakeEngine

PARTS = {"the editor's heads": "editor", "the draft heads": "drafts"}


@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)
def test_a_damaged_part_is_named_in_each_verdict_whatever_becomes_of_the_audience_head(
    tmp_path: Path, part: str
) -> None:
    profile = Profile.at(tmp_path)
    engine = FakeEngine()
    damaged = profile.data / part / f"{engine.info.sha256[:16]}.npz"
    for path in (damaged, profile.heads / damaged.name):
        path.parent.mkdir(parents=True)
        path.write_bytes(b"PK\x03\x04 cut off")
    session = Session(profile, Settings(), loader=lambda _file, _settings, _cancel: engine)
    try:
        assert len(faults(session)) == 2
        finished(session.remove_head())
        (left,) = faults(session)
        assert damaged.name in left
        assert "damaged" in left
    finally:
        session.close()


def faults(session: Session) -> list[str]:
    """What a new verdict says of files that had to be done without."""
    last = finished(session.rate("A horse walks into a bar.", force=True))
    return [warning for warning in last.warnings if ".npz" in warning]


def fitted(tmp_path: Path, *, size: int, weight: float) -> Profile:
    """A profile with an audience head for states of ``size`` numbers, whose weights are multiplied by ``weight``."""
    profile = Profile.at(tmp_path)
    arrays = head_builder.parts()
    long = 4 * size + 3
    for name in ("centre", "scale"):
        arrays[name] = np.resize(arrays[name], long)
    for name in ("weights", "gate"):
        arrays[name] = np.resize(arrays[name], (head_builder.KINDS, long)) * np.float32(weight)
    head_builder.save(profile.heads, arrays)
    return profile


def test_heads_that_are_read_ahead_are_those_of_the_judge_and_so_is_what_is_said_of_them(tmp_path: Path) -> None:
    engine = FakeEngine()
    profile = fitted(tmp_path, size=8, weight=0.1)
    damaged = profile.drafts / f"{engine.info.sha256[:16]}.npz"
    damaged.parent.mkdir()
    damaged.write_bytes(b"PK\x03\x04 cut off")
    ahead, plain = (JudgeFiles(profile, models_dir()) for _ in range(2))
    ahead.read_ahead(engine.info.sha256)
    reader = ahead.judge(engine).reader
    assert reader.head is not None
    assert reader.version == plain.judge(engine).reader.version
    assert ahead.faults(engine.info.sha256) == plain.faults(engine.info.sha256)
    assert damaged.name in " ".join(ahead.faults(engine.info.sha256))
    judge = ahead.judge(engine)
    ahead.read_ahead(engine.info.sha256)  # for a model that then can't be loaded
    (profile.heads / damaged.name).unlink()
    ahead.renew(judge)
    assert judge.reader.head is None


@pytest.mark.parametrize("part", ["heads", "drafts"])
def test_no_damaged_file_of_heads_ends_a_verdict_and_doctor_names_it(tmp_path: Path, part: str) -> None:
    """Some of what ``python -m tests.bench.damaged_heads`` tries."""
    count, faults = damaged_heads.run(tmp_path, every=40, parts=(part,))
    assert count > 8
    assert faults == []
