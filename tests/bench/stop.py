"""Seconds from Stop to the end of a job: python -m tests.bench.stop [--model PATH|NAME] [--threads N].

A rating of a long text is stopped while its prompt is read, and one of a short text while its explanation is written;
each a few times, after different waits. Prints, asserts nothing.
"""

from __future__ import annotations

import argparse
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.events import Cancelled, Event, Stage, StageStarted
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.engine.base import CancelToken
from jokejudge_gui.judge.plan.calibration import CalibrationFiles
from jokejudge_gui.rubric.xml_parser import load_criteria
from jokejudge_gui.session.session import Session

from .contenders.ours import rough_calibration
from .verdicts import processor

LONG = "A duck walks into a shop and asks the man whether he has any bread, and the man says no. " * 70
WAITS = (0.2, 0.5, 0.9, 1.4)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.stop", description=__doc__)
    parser.add_argument("--model")
    parser.add_argument("--threads", type=int, default=0)
    options = parser.parse_args()
    jokes = load_criteria().contrast.baseline
    with tempfile.TemporaryDirectory() as folder:
        profile = Profile.at(Path(folder))
        session = Session(profile, Settings(model=options.model, threads=options.threads))
        list(session.load())
        judge = session.judge
        assert judge is not None
        if not judge.calibration.rates:
            files = CalibrationFiles(profile.calibrations, profile.calibrations)
            files.save(rough_calibration(judge, jokes[:4]))
            list(session.load())
            assert session.judge is not None
        print(f"machine: {processor()}; model: {judge.model.name}")
        list(session.warm())
        for what, text in (("reading a text of 1,600 tokens", LONG), ("writing an explanation", jokes[0])):
            found = [stopped(session, text, wait, written=text is not LONG) for wait in WAITS]
            print(f"{what}: {', '.join('ended before' if s is None else f'{s:.2f} s' for s in found)}")
        session.close()


def stopped(session: Session, text: str, wait: float, *, written: bool) -> float | None:
    """Seconds from Stop to the last event; Stop comes ``wait`` seconds after the beginning, or, if ``written``, after
    the beginning of the explanation. None: it ended before."""
    token, pressed = CancelToken(), [0.0]

    def press() -> None:
        pressed[0] = time.perf_counter()
        token.cancel()

    timer = threading.Timer(wait, press)
    last: Event | None = None
    events: Iterator[Event] = session.rate(text, force=True, explain=True, record=False, cancel=token)
    if not written:
        timer.start()
    for last in events:
        if (
            written
            and isinstance(last, StageStarted)
            and last.stage is Stage.EXPLANATION
            and not timer.is_alive()
            and not pressed[0]
        ):
            timer = threading.Timer(wait / 4, press)
            timer.start()
    ended = time.perf_counter()
    timer.cancel()
    return ended - pressed[0] if isinstance(last, Cancelled) else None


if __name__ == "__main__":
    main()
