"""The program over a fake engine whose answers depend on the text alone: ``python -m tests.cluster_program rate …``.

A worker that gets a text with "kill every process" ends at once, each time; with "kill one process" the first time
only, which a file in the profile records. ``JOKEJUDGE_TESTS_WAIT``: seconds that a cluster may be without workers.
``JOKEJUDGE_TESTS_KILL``: the line (from 1) of a growing file in the middle of which the process kills itself with
SIGKILL, as ``kill -9`` does. ``JOKEJUDGE_TESTS_MODELS``: "template", a model that knows the shipped packs of judge
templates; "by process", every process another one."""

from __future__ import annotations

import os
import signal
import sys
from functools import partial
from pathlib import Path

from jokejudge_gui.batch import cluster
from jokejudge_gui.batch.lines import RowsFile
from jokejudge_gui.cli.main import main
from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.judge.asking.measured import MeasuredFiles
from jokejudge_gui.judge.main_judge import MainJudge
from jokejudge_gui.session.session import Session
from tests.fake_engine import FakeEngine
from tests.known_calibration import known
from tests.template_engine import knowing, quoting


def answer(mark: Path, prompt: str, question: str, label: str) -> float:
    """The fake engine's own answers; some prompts end the process."""
    del question, label
    if "kill every process" in prompt:
        os._exit(1)
    if "kill one process" in prompt and not mark.exists():
        mark.touch()
        os._exit(1)
    return 0.0


def kill_in_line(number: int) -> None:
    """Kill this process when half of the ``number``th line that it writes is in the file."""
    write, written = RowsFile._write, 0

    def counted(file: RowsFile, data: bytes) -> None:
        nonlocal written
        written += 1
        if written == number:
            os.write(file._stream.fileno(), data[: len(data) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
        write(file, data)

    RowsFile._write = counted  # type: ignore[method-assign]


def open_fake(profile: Profile, settings: Settings) -> Session:
    """Open a session as the program does, with a fake engine."""
    told = os.environ.get("JOKEJUDGE_TESTS_MODELS", "")
    sha256 = f"{os.getpid():064x}"[-64:] if told == "by process" else "f" * 64
    profile.data.mkdir(parents=True, exist_ok=True)
    fake = FakeEngine(partial(answer, profile.data / "killed"), sha256=sha256)
    if told == "template":
        fake = FakeEngine(knowing, write=quoting)
    files = MeasuredFiles(Path("nowhere"), profile.models)
    files.save_calibration(known(MainJudge(fake, files)))
    return Session(profile, settings, loader=lambda _file, _settings, _cancel: fake)


if __name__ == "__main__":
    if "JOKEJUDGE_TESTS_KILL" in os.environ:
        kill_in_line(int(os.environ["JOKEJUDGE_TESTS_KILL"]))
    cluster._WAIT_S = float(os.environ.get("JOKEJUDGE_TESTS_WAIT", cluster._WAIT_S))
    cluster._ALONE_S = float(os.environ.get("JOKEJUDGE_TESTS_WAIT", cluster._ALONE_S))
    from tests import cluster_program  # the workers know it by this name

    sys.exit(main(open_session=cluster_program.open_fake))
