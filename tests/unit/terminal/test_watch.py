"""``jokejudge rate --watch``: the files of a folder, judged as they come and change."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from jokejudge_gui.batch.watch import BESIDE, FileJudged, LinesOutput, VerdictFiles, Waiting, watch
from jokejudge_gui.core.errors import ErrorInfo
from jokejudge_gui.core.events import Event, Failed, Finished
from jokejudge_gui.engine.base import CancelToken
from tests.known_calibration import MakeSession

from .conftest import lines

if TYPE_CHECKING:
    from .conftest import Run, Stage

Step = Callable[[], None]
Watch = Callable[..., list[Event]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "drafts"
    made.mkdir()
    return made


def put(folder: Path, name: str, text: str | bytes, age: float = 60.0) -> Path:
    """A file that was last changed so many seconds ago."""
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    when = path.stat().st_mtime - age
    os.utime(path, (when, when))
    return path


@pytest.fixture
def watched(make_session: MakeSession, folder: Path) -> Watch:
    """Watch the folder; before each further look the next of ``steps`` is taken, after the last one it ends."""

    def run(*steps: Step, out: Path | None = None, **how: Any) -> list[Event]:
        cancel, left, found = CancelToken(), iter(steps), []
        verdicts = LinesOutput(out) if out is not None else VerdictFiles(folder)
        for event in watch(make_session(), folder, verdicts, record=False, cancel=cancel, look_s=0.001, **how):
            found.append(event)
            if isinstance(event, Waiting):
                step = next(left, None)
                step() if step is not None else cancel.cancel()
        verdicts.close()
        return found

    return run


def names(events: list[Event]) -> list[str]:
    return [event.name for event in events if isinstance(event, FileJudged)]


def test_new_and_changed_files_are_judged_and_done_ones_skipped(watched: Watch, folder: Path) -> None:
    put(folder, "b.txt", "A horse walks into a bar.\n")
    put(folder, "a.md", "Parallel lines.")
    for other in ("notes.pdf", ".hidden.txt", "x.txt.verdict.json.bak"):
        put(folder, other, "no joke")
    (folder / "sub.txt").mkdir()

    def changed() -> None:
        put(folder, "b.txt", "A duck walks into a bar.", age=30)
        put(folder, "c.txt", "One more.")

    found = watched(changed, lambda: None)
    assert names(found) == ["a.md", "b.txt", "b.txt", "c.txt"]
    assert isinstance(found[-1], Finished)
    verdict = json.loads((folder / f"b.txt{BESIDE}").read_text(encoding="utf-8"))
    assert (verdict["id"], verdict["text"], verdict["error"]) == ("b.txt", "A duck walks into a bar.", None)
    again = watched()
    assert names(again) == []
    assert [event.skipped for event in again if isinstance(event, Waiting)] == [3]
    put(folder, "a.md", "Parallel lines.", age=5)  # touched, and the same
    assert names(watched()) == []


def test_one_file_holds_every_verdict_and_is_gone_on_with(watched: Watch, folder: Path, out: Path) -> None:
    put(folder, "a.txt", "One.")
    watched(lambda: put(folder, "a.txt", "Another.", age=30) and None, out=out)
    assert [(line["id"], line["text"]) for line in lines(out)] == [("a.txt", "One."), ("a.txt", "Another.")]
    assert names(watched(out=out)) == []
    assert not list(folder.glob(f"*{BESIDE}"))


def test_a_file_that_is_being_written_is_left_for_the_next_look(make_session: MakeSession, folder: Path) -> None:
    put(folder, "a.txt", "Half a jo", age=-5)
    put(folder, "b.txt", "whole", age=0)
    cancel = CancelToken()
    found: list[Event] = []
    for event in watch(make_session(), folder, VerdictFiles(folder), record=False, cancel=cancel, look_s=3600.0):
        found.append(event)
        if isinstance(event, Waiting):
            cancel.cancel()
    assert names(found) == ["a.txt"]  # a clock that is behind must not leave a file for ever


def test_a_file_that_cannot_be_judged_says_so_until_it_changes(watched: Watch, folder: Path) -> None:
    put(folder, "a.txt", b"\x00\x01\x02\x00" * 50)
    put(folder, "b.txt", "  \n")
    found = watched(lambda: None, lambda: put(folder, "b.txt", "Now a joke.", age=30) and None)
    errors = [event.line["error"] and event.line["error"]["code"] for event in found if isinstance(event, FileJudged)]
    assert errors == ["E_INPUT_NUL", "E_INPUT_EMPTY", None]
    assert names(watched()) == []


def test_what_another_program_wrote_is_not_replaced(watched: Watch, folder: Path) -> None:
    put(folder, "a.txt", "One.")
    other = put(folder, f"a.txt{BESIDE}", "my own notes")
    last = watched()[-1]
    assert isinstance(last, Failed)
    assert last.error.code == "E_OUT_FOREIGN"
    assert other.read_text() == "my own notes"


def test_a_folder_that_goes_ends_it_in_a_sentence(watched: Watch, folder: Path) -> None:
    last = watched(folder.rmdir)[-1]
    assert isinstance(last, Failed)
    assert isinstance(last.error, ErrorInfo)
    assert last.error.code == "E_WATCH_FOLDER"


# -- as it is typed ----------------------------------------------------------------------------------------------------


@pytest.fixture
def interrupted_at_the_first_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl+C while nothing is to be done."""

    def wait(token: CancelToken, _seconds: float) -> bool:
        signal.raise_signal(signal.SIGINT)
        return token.cancelled

    monkeypatch.setattr(CancelToken, "wait", wait)


@pytest.mark.usefixtures("interrupted_at_the_first_wait")
def test_the_terminal_watches_until_it_is_stopped(run: Run, stage: Stage, folder: Path) -> None:
    put(folder, "a.txt", "A horse walks into a bar.")
    found = run("rate", "--watch", str(folder), "--context", "Farms", "--no-history")
    assert found.status == 0, found.err
    assert "a.txt:" in found.err
    assert "1 judged, 0 had their verdict." in found.err
    assert stage.asked[0].request.context == "Farms"
    assert stage.asked[0].record is False
    again = run("rate", "--watch", str(folder), "--json").object
    assert again == {"judged": 0, "skipped": 1, "error": None}


def test_ctrl_c_in_the_middle_of_a_joke_leaves_none_half_done(run: Run, stage: Stage, folder: Path) -> None:
    put(folder, "a.txt", "first")
    put(folder, "b.txt", "second")
    stage.hook = lambda text, _method: signal.raise_signal(signal.SIGINT) if text == "second" else None
    assert run("rate", "--watch", str(folder)).status == 0
    assert (folder / f"a.txt{BESIDE}").exists()
    assert not (folder / f"b.txt{BESIDE}").exists()


@pytest.mark.parametrize(
    "arguments",
    [("missing",), ("FOLDER", "a joke"), ("FOLDER", "--batch", "x"), ("FOLDER", "--out", "-"),
     ("FOLDER", "--out", "x.csv"), ("FOLDER", "--shard", "1/2"), ("FOLDER", "--retry-errors")],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(run: Run, folder: Path, arguments: tuple[str, ...]) -> None:
    found = run("rate", "--watch", *(str(folder) if each == "FOLDER" else each for each in arguments))
    assert found.status in (1, 2)
    assert found.err
