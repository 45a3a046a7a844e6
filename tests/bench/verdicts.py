"""Figures for verdicts on a real model: python -m tests.bench.verdicts [--model PATH|NAME] [--threads N].

Prints seconds and tokens of the first and the tenth rating and duel, in a fresh profile and after a restart on the same
one, and asserts nothing.
"""

from __future__ import annotations

import argparse
import itertools
import platform
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.events import Event, Finished, Stage, StageFinished
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.core.verdicts import DuelResult, RatingResult
from jokejudge_gui.engine.loader import physical_cores
from jokejudge_gui.rubric.xml_parser import load_criteria
from jokejudge_gui.session.session import Session


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default=None)
    parser.add_argument("--threads", type=int, default=0)
    options = parser.parse_args()
    settings = Settings(model=options.model, threads=options.threads)
    jokes = load_criteria().contrast.baseline[:11]
    print(f"machine: {processor()}, {physical_cores()} cores; threads: {options.threads or 'by itself'}")
    with tempfile.TemporaryDirectory() as folder:
        profile = Profile.at(Path(folder))
        for start in ("first start", "restart, states on disk"):
            session = Session(profile, settings)
            begin = time.perf_counter()
            list(session.load())
            assert session.info is not None
            print(f"\n{start}: {session.info.name}, loaded in {time.perf_counter() - begin:.2f} s")
            if start == "first start":
                list(session.rate(jokes[0], explain=False, record=False)) if not calibrated(session) else None
            for explain in (True, False):
                words = "with explanation" if explain else "without explanation"
                assert session.judge is not None
                session.judge.head = session.judge.head  # makes a new reader, without cached jokes
                report(f"rating {words}", (session.rate(joke, explain=explain) for joke in jokes[:10]))
                pairs = itertools.pairwise(jokes)
                session.judge.head = session.judge.head
                report(f"duel {words}", (session.duel(a, b, explain=explain) for a, b in pairs))
            session.close()


def calibrated(session: Session) -> bool:
    return session.judge is not None and session.judge.calibration.rates


def report(what: str, jobs: Iterable[Iterator[Event]]) -> None:
    for number, job in enumerate(jobs, start=1):
        begin = time.perf_counter()
        events = list(job)
        seconds = time.perf_counter() - begin
        measuring = sum(
            e.seconds or 0.0 for e in events if isinstance(e, StageFinished) and e.stage is Stage.CALIBRATION
        )
        last = events[-1]
        if number not in (1, 2, 10) or not isinstance(last, Finished) or last.result is None:
            continue
        result = last.result
        assert isinstance(result, RatingResult | DuelResult)
        usage = result.usage
        stages = ", ".join(f"{name} {value:.2f}" for name, value in result.stage_seconds.items())
        print(
            f"  {what:28} no. {number:2}: {seconds - measuring:6.2f} s, evaluated {usage.tokens_evaluated:5,}, "
            f"reused {usage.tokens_reused:6,} ({stages})"
        )


def processor() -> str:
    """The processor's name, if the system reports it."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


if __name__ == "__main__":
    main()
