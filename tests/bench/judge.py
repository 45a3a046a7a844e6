"""A judge in a throw-away profile, for programs that print figures of its questions."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.judge.main_judge import MainJudge
from jokejudge_gui.session.session import Session

from .verdicts import processor


def model_parser(description: str | None) -> argparse.ArgumentParser:
    """A parser with --model and --threads."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--model")
    parser.add_argument("--threads", type=int, default=0)
    return parser


@contextmanager
def open_judge(options: argparse.Namespace) -> Iterator[MainJudge]:
    """Open the judge on the model of ``model_parser``'s options; print machine, model and version of the prompts."""
    with open_session(options) as session:
        assert session.judge is not None
        yield session.judge


@contextmanager
def open_session(options: argparse.Namespace) -> Iterator[Session]:
    """Open a session that has loaded the model of ``model_parser``'s options."""
    with tempfile.TemporaryDirectory() as folder:
        session = Session(Profile.at(Path(folder)), Settings(model=options.model, threads=options.threads))
        try:
            list(session.load())
            assert session.judge is not None
            print(f"machine: {processor()}; model: {session.judge.model.name}; prompts {session.judge.prompts.version}")
            yield session
        finally:
            session.close()
