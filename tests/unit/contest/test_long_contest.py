"""A contest that is cut off by a kill -9 goes on from the history and comes to the same ranking, to the last bit."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

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
from jokejudge_gui.history.query import HistoryQuery
from jokejudge_gui.judge.contest.kind import CONTEST
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
request = ContestRequest.of_texts(jokes)
for row in session.store.search(HistoryQuery(kinds=("contest",), limit=1)):
    request = ContestRequest.going_on(session.store.get(row.id).result, continues=row.id)
for event in session.run(CONTEST, request):
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


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_killed_again_and_again_it_comes_to_the_same_ranking(tmp_path: Path) -> None:
    whole = child(tmp_path / "whole", 0)
    assert whole.returncode == 0, whole.stderr
    kills = 0
    for killed_at in (1, 4, 2, 5, 9, 3, 7):
        found = child(tmp_path / "killed", killed_at)
        if found.returncode == 0:
            break
        assert found.returncode == -signal.SIGKILL, found.stderr
        kills += 1
    assert kills >= 5
    found = child(tmp_path / "killed", 0)
    assert found.returncode == 0, found.stderr
    assert found.stdout == whole.stdout
