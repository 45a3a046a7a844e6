"""The program in a process of its own, on the embedded model."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jokejudge_gui import JokeJudge
from jokejudge_gui.history.query import HistoryQuery
from jokejudge_gui.history.store import HistoryStore
from jokejudge_gui.judge.kinds import KINDS

from .conftest import NewProfile

JOKE = "I told my doctor I broke my arm in two places. He told me to stop going to those places."
Run = Callable[..., subprocess.CompletedProcess[bytes]]


@pytest.fixture(scope="module")
def folder(new_profile: NewProfile, embedded_model: Path) -> Path:
    """A profile for the whole module, with the embedded model in its place already."""
    folder = new_profile("terminal").data
    (folder / "models").mkdir()
    for file in embedded_model.parent.glob(f"{embedded_model.name}*"):
        shutil.copy2(file, folder / "models" / file.name)
    return folder


def command(folder: Path, *arguments: str) -> list[str]:
    return [sys.executable, "-m", "jokejudge_gui", *arguments, "--data-dir", str(folder), "--threads", "1"]


@pytest.fixture
def program(folder: Path) -> Run:
    def call(*arguments: str, stdin: bytes = b"", **environment: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            command(folder, *arguments),
            input=stdin,
            capture_output=True,
            timeout=600,
            check=False,
            env={**os.environ, **environment},
        )

    return call


def object_of(done: subprocess.CompletedProcess[bytes]) -> dict[str, Any]:
    value = json.loads(done.stdout.decode("utf-8"))
    assert isinstance(value, dict)
    return value


def test_a_rating_prints_a_verdict_of_the_contract_and_nothing_else(program: Run) -> None:
    done = program("rate", JOKE, "--json", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(b"\n") == 1
    verdict = object_of(done)
    assert verdict["text"] == JOKE
    assert verdict["error"] is None
    assert verdict["admissible"] is True
    assert 0 <= verdict["mean_score"] <= verdict["max_score"] <= 5
    assert verdict["facts"]["words"] == len(JOKE.split())
    assert verdict["usage"]["tokens_evaluated"] > 0
    assert len(verdict["model"]["sha256"]) == 64
    assert done.stderr == b""


def test_a_rating_asked_twice_is_the_same_and_reuses_what_is_on_the_disk(program: Run) -> None:
    first = object_of(program("rate", JOKE, "--json", "--ask", "all"))
    second = object_of(program("rate", "-", "--json", "--ask", "all", stdin=JOKE.encode() + b"\n"))
    assert second["usage"]["tokens_reused"] > 0
    for verdict in (first, second):
        del verdict["id"], verdict["usage"]
    assert first == second


def test_a_batch_that_is_terminated_half_way_goes_on_without_loss_or_repeats(
    program: Run, folder: Path, tmp_path: Path
) -> None:
    table, out = tmp_path / "in.csv", tmp_path / "out.jsonl"
    rows = [f"{number},{JOKE} ({number})" for number in range(4)]
    table.write_text("id,text\n" + "\n".join(rows) + "\n", encoding="utf-8")
    arguments = ("rate", "--batch", str(table), "--out", str(out), "--no-explain")
    with subprocess.Popen(command(folder, *arguments), stderr=subprocess.PIPE) as running:
        while running.poll() is None and (not out.exists() or out.read_bytes().count(b"\n") < 3):
            os.sched_yield()
        running.send_signal(signal.SIGTERM)
        said = running.communicate(timeout=120)[1]
        assert running.returncode == 130, said
    assert b"same command" in said
    done_before = out.read_bytes()
    assert done_before.endswith(b"\n")
    finished = program(*arguments)
    assert finished.returncode == 0, finished.stderr
    assert out.read_bytes().startswith(done_before)
    lines = [json.loads(line) for line in out.read_bytes().splitlines()][1:]
    assert [line["id"] for line in lines] == [str(number) for number in range(4)]
    assert all(line["error"] is None for line in lines)


def test_a_verdict_that_is_killed_shows_as_interrupted(program: Run, folder: Path) -> None:
    arguments = command(folder, "rate", "A joke that will be killed.")
    with (
        contextlib.closing(HistoryStore(folder / "history.sqlite3", KINDS)) as store,
        subprocess.Popen(arguments, stdout=subprocess.DEVNULL) as running,
    ):
        while running.poll() is None:
            if any(row.text_a == arguments[4] for row in store.search(HistoryQuery(limit=1))):
                running.kill()
                break
            os.sched_yield()
        running.wait(timeout=120)
        assert running.returncode == -signal.SIGKILL
    newest = object_of(program("history", "list", "--limit", "1", "--json"))["rows"][0]
    assert newest["status"] == "interrupted"


SCENE = "A moose in a business suit stands in a lift full of office workers."
CAPTIONS = (
    "I was told there'd be a corner office with grazing rights.",
    "Going up. The antlers, I mean.",
    "He's new. HR said we needed someone with more points.",
    "My last job was in a zoo, so the cubicle is a promotion.",
)


def test_captions_in_their_scene_get_the_verdicts_of_a_batch_one_by_one_too(
    program: Run, folder: Path, tmp_path: Path
) -> None:
    rows, out = tmp_path / "captions.jsonl", tmp_path / "out.jsonl"
    rows.write_text("".join(json.dumps({"text": text, "context": SCENE}) + "\n" for text in CAPTIONS))
    assert program("rate", "--batch", str(rows), "--edits", "--out", str(out), "--no-history").returncode == 0
    many = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()[1:]]
    with JokeJudge(data_dir=folder, threads=1, history=False) as judge:
        alone = [judge.rate_joke(text, context=SCENE).to_dict() for text in CAPTIONS]
        bare = judge.rate_joke(CAPTIONS[0]).to_dict()
    made = {"id", "usage", "made_by", "columns", "context"}  # the last three are of the row
    for line, one in zip(many, json.loads(json.dumps(alone)), strict=True):
        assert {name: value for name, value in line.items() if name not in made} == {
            name: value for name, value in one.items() if name not in made
        }
    assert bare["audience"] != alone[0]["audience"]  # the scene counts
