"""A contest that is cut off by a kill -9 loses nothing and comes to the same ranking, to the last bit."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from jokejudge_gui.batch.contest import ContestFile, contest
from jokejudge_gui.core.events import Failed, Finished
from jokejudge_gui.judge.contest.record import ContestRequest
from tests.known_calibration import MakeSession

JOKES = tuple(f"A horse of {number} words walks into bar {number % 3}." for number in range(6))

CHILD = """
import json, os, signal, sys
from pathlib import Path
from jokejudge_gui.core.config import Settings
from tests.fake_engine import FakeEngine
from jokejudge_gui.core.events import Finished
from jokejudge_gui.judge.contest.record import ContestRequest
from jokejudge_gui.judge.main_judge import MainJudge
from jokejudge_gui.judge.asking.measured import MeasuredFiles
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.batch.contest import contest
from jokejudge_gui.batch.contest import ContestFile
from jokejudge_gui.session.session import Session
from tests.known_calibration import known

folder, killed_at, jokes = Path(sys.argv[1]), int(sys.argv[2]), json.loads(sys.argv[3])
calls = 0

def gate(method):
    global calls
    calls += 1
    if calls == killed_at:
        os.kill(os.getpid(), signal.SIGKILL)

profile = Profile.at(folder / "profile")
files = MeasuredFiles(Path("nowhere"), profile.models)
files.save_calibration(known(MainJudge(FakeEngine(), files)))
session = Session(profile, Settings(), loader=lambda *_: FakeEngine(gate=gate))
file = ContestFile(folder / "run.jsonl", "")
for event in contest(session, ContestRequest.of_texts(jokes), file):
    pass
assert isinstance(event, Finished), event
session.close()
print(json.dumps([[e.id, e.score, e.low, e.high, e.rank, e.rank_low, e.rank_high] for e in event.result.entries]))
"""


def child(folder: Path, killed_at: int) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", CHILD, str(folder), str(killed_at), json.dumps(JOKES)],
        capture_output=True, text=True, check=False, timeout=120, cwd=Path(__file__).parents[3],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])},
    )  # fmt: skip


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_killed_again_and_again_it_comes_to_the_same_ranking(tmp_path: Path) -> None:
    whole = child(tmp_path / "whole", 0)
    assert whole.returncode == 0, whole.stderr
    before: list[str] = []
    kills = 0
    for killed_at in (1, 4, 2, 5, 9, 3, 7):
        found = child(tmp_path / "killed", killed_at)
        if found.returncode == 0:
            break
        assert found.returncode == -signal.SIGKILL, found.stderr
        kills += 1
        now = lines(tmp_path / "killed" / "run.jsonl")
        assert now[: len(before)] == before  # nothing that was known is lost
        assert len(now) >= len(before)
        before = now
    assert kills >= 5
    found = child(tmp_path / "killed", 0)
    assert found.returncode == 0, found.stderr
    assert found.stdout == whole.stdout


def test_what_the_file_holds_is_not_asked_again(make_session: MakeSession, tmp_path: Path) -> None:
    asked: list[str] = []
    session = make_session(gate=asked.append)
    for _ in range(2):
        file = ContestFile(tmp_path / "run.jsonl", "")
        *_, last = contest(session, ContestRequest.of_texts(JOKES), file)
        file.close()
        assert isinstance(last, Finished)
        asked_before, asked[:] = len(asked), []
    assert asked_before == 0
    assert len(lines(tmp_path / "run.jsonl")) == 1 + 6 + 15


def test_a_file_of_another_model_is_not_added_to(make_session: MakeSession, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    file = ContestFile(path, "")
    list(contest(make_session(), ContestRequest.of_texts(JOKES, budget=0), file))
    file.close()
    before = path.read_bytes()
    file = ContestFile(path, "")
    *_, last = contest(make_session(sha256="e" * 64), ContestRequest.of_texts(JOKES, budget=0), file)
    file.close()
    assert isinstance(last, Failed)
    assert last.error.code == "E_BATCH_MIXED"
    assert path.read_bytes() == before
