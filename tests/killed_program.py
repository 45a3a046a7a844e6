"""The program over a fake engine that knows the shipped packs of judge templates, killed while it writes:
``python -m tests.killed_program template run …``. JOKEJUDGE_TESTS_KILL names the line (from 1) of a growing file in the
middle of which the process kills itself with SIGKILL, as ``kill -9`` does; without it nothing is killed."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from jokejudge_gui.batch.lines import LinesFile
from jokejudge_gui.cli.main import main
from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.judge.asking.measured import MeasuredFiles
from jokejudge_gui.judge.main_judge import MainJudge
from jokejudge_gui.session.session import Session
from tests.fake_engine import FakeEngine
from tests.known_calibration import known
from tests.template_engine import knowing, quoting


def kill_in_line(number: int) -> None:
    """Kill this process when half of the ``number``th line that it writes is in the file."""
    write, written = LinesFile._write, 0

    def counted(file: LinesFile, data: bytes) -> None:
        nonlocal written
        written += 1
        if written == number:
            os.write(file._stream.fileno(), data[: len(data) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
        write(file, data)

    LinesFile._write = counted  # type: ignore[method-assign]


def open_fake(profile: Profile, settings: Settings) -> Session:
    """Open a session as the program does, with a fake engine."""
    fake = FakeEngine(knowing, write=quoting)
    profile.data.mkdir(parents=True, exist_ok=True)
    files = MeasuredFiles(Path("nowhere"), profile.models)
    files.save_calibration(known(MainJudge(fake, files)))
    return Session(profile, settings, loader=lambda _file, _settings, _cancel: fake)


if __name__ == "__main__":
    if "JOKEJUDGE_TESTS_KILL" in os.environ:
        kill_in_line(int(os.environ["JOKEJUDGE_TESTS_KILL"]))
    sys.exit(main(open_session=open_fake))
