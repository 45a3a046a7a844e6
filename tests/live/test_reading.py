"""How often the embedded model reads a text for its heads, and that the numbers don't depend on anything else."""

from __future__ import annotations

import io
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from jokejudge_gui.cli.main import main
from jokejudge_gui.judge.reading_pool import ReadingPool
from jokejudge_gui.session import reading_ahead
from jokejudge_gui.session.session import Session

JOKE = "My therapist says I avoid things. I'm seeing her again in spring."
VARIANTS = [
    "My therapist says I avoid things. I'm seeing her again.",
    "My dentist says I avoid things. I'm seeing her again in spring.",
    "My therapist says I avoid things.",
    "I'm seeing her again in spring.",
]


def test_what_is_widely_told_is_a_joke_whatever_its_last_mark_is(session: Session) -> None:
    for mark in ".!":
        read = session.judge.reader.read(f"My boss told me to have a good day, so I went home{mark}", None)
        assert read.sense.sense.said == "joke"


# -- Lists on several processes. --------------------------------------------------------------------------------------

LIST = [f"{text} {end}" for end in ("", "Twice.", "He said it to nobody.") for text in (JOKE, *VARIANTS[:3])] + [
    f"I bought {number} ladders. It was a step up." for number in range(2, 20)
]


def rated(source: Path, out: Path, profile: Path, jobs: int) -> list[dict[str, Any]]:
    """The lines of a list without what differs from run to run."""
    options = ["--data-dir", str(profile), "--batch", str(source), "--out", str(out), "--jobs", str(jobs)]
    assert main(["rate", *options]) == 0
    lines = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    for line in lines:
        usage = line.get("usage", {})
        line.pop("stage_seconds", None), usage.pop("seconds", None), line.pop("seconds", None)
    return lines


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    """The processes that read ahead."""
    processes: list[subprocess.Popen[bytes]] = []
    send = reading_ahead.send

    def kept(process: subprocess.Popen[bytes], what: object) -> None:
        send(process, what)
        if isinstance(what, bool):
            processes.append(process)
            assert isinstance(process.stdout, io.BufferedReader)
            process.stdout.peek(1)  # it has loaded its model: until then nothing is judged

    monkeypatch.setattr(reading_ahead, "send", kept)
    return processes


def test_a_list_has_the_same_verdicts_on_one_process_and_on_two_of_which_one_is_killed(
    tmp_path: Path, started: list[subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "list.jsonl"
    source.write_text("".join(json.dumps({"text": text}) + "\n" for text in LIST), "utf-8")
    alone = rated(source, tmp_path / "alone.jsonl", tmp_path, 1)
    assert not started
    assert rated(source, tmp_path / "two.jsonl", tmp_path, 2) == alone
    assert len(started) == 1
    taken, texts = ReadingPool.taken, []

    def killing(self: ReadingPool, *asked: Any) -> Any:
        texts.append(asked)
        if len(texts) == 8:
            started[-1].kill()
        return taken(self, *asked)

    monkeypatch.setattr(ReadingPool, "taken", killing)
    assert rated(source, tmp_path / "killed.jsonl", tmp_path, 2) == alone
    assert len(started) == 2
    assert len(texts) == len(LIST)
    assert all(process.poll() is not None for process in started)
