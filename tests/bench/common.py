"""What the programs that print figures share: the options, a session in a throw-away profile, the machine's name."""

from __future__ import annotations

import argparse
import platform
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.session.session import Session


def model_parser(description: str | None) -> argparse.ArgumentParser:
    """A parser with --model and --threads."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--model")
    parser.add_argument("--threads", type=int, default=0)
    return parser


@contextmanager
def open_session(options: argparse.Namespace) -> Iterator[Session]:
    """Open a session that has loaded the model of ``model_parser``'s options; print machine and model."""
    with tempfile.TemporaryDirectory() as folder:
        session = Session(Profile.at(Path(folder)), Settings(model=options.model, threads=options.threads))
        try:
            list(session.load())
            print(f"machine: {processor()}; model: {session.judge.model.name}")
            yield session
        finally:
            session.close()


def processor() -> str:
    """The processor's name, if the system reports it."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
