"""Processes that read the texts of a list ahead of the judge, each with its own copy of the model and its heads.

``python -m jokejudge_gui.session.reading_ahead`` is such a process; a bundle runs ``jokejudge --read-ahead`` instead.
It ends when its standard input does, so none outlives the program."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Container, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from ..core.config import Settings
from ..core.paths import Profile, is_package, models_dir
from ..engine.address_space import free_memory
from ..engine.base import ChatFrame, EngineInfo
from ..judge.reader import Reader
from ..judge.reading_pool import Key, ReadingPool
from .judge_files import JudgeFiles

_LEAST = 24
"""Least number of texts for which such processes are started: loading a model costs as much as reading some ten."""
_MEMORY = 200 << 20
"""Memory in bytes that a process needs beside the model, which it keeps in a form of its own for its processor."""
_CONTEXT = 1024
"""Context size in tokens: it takes memory, and longer texts are read by the judge."""


@contextmanager
def reading_ahead(
    profile: Profile, settings: Settings, reader: Reader, keys: Iterator[Key], count: int, skipped: Container[Key]
) -> Iterator[ReadingPool | None]:
    """Open the pool for a list of about ``count`` texts: with this process, as many as ``settings.jobs`` says, or
    (0) one for each of ``settings.threads`` or of the physical cores, as far as they fit in memory; None for a short
    list, or on a GPU."""
    from ..engine.loader import physical_cores

    info = reader.engine.info
    fitting = free_memory() // (2 * info.bytes + _MEMORY)
    processes = settings.jobs or min(settings.threads or physical_cores(), 1 + fitting)
    if count < _LEAST or info.build.endswith("GPU"):
        yield None
        return
    start = partial(_started, profile, info, reader.engine.frame, reader.is_brief)
    reader.engine.read_with(int(processes > 1))
    try:
        with ReadingPool(start, processes - 1, reader.identity, keys, skipped).open() as pool:
            yield pool
    finally:
        reader.engine.read_with(0)


def _started(profile: Profile, info: EngineInfo, frame: ChatFrame, brief: bool) -> subprocess.Popen[bytes]:
    command = [sys.executable, "--read-ahead"] if is_package() else [sys.executable, "-m", __name__]
    root = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join(filter(None, (os.environ.get("PYTHONPATH"), root)))
    # Ctrl-C, which a terminal sends to all processes that it started, is this process's business.
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": path},
        start_new_session=True,
    )
    assert process.stdin is not None
    pickle.dump((profile, info, frame, brief), process.stdin)
    process.stdin.flush()
    return process


def run_child() -> int:
    """Load the model that the program has loaded, and answer until there are no more texts."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a library prints is no answer
    questions = sys.stdin.buffer
    profile, info, frame, brief = pickle.load(questions)
    from ..engine.loader import load_engine

    engine = load_engine(
        Path(info.path), name=info.name, sha256=info.sha256, context=min(info.context, _CONTEXT), threads=1, frame=frame
    )
    reader, _ = JudgeFiles(profile, models_dir()).reader(engine)
    reader = reader.brief() if brief else reader
    answer: object = reader.identity
    while True:
        pickle.dump(answer, answers, protocol=5)
        answers.flush()
        try:
            answer = reader.read_apart(pickle.load(questions))
        except EOFError:
            return 0


if __name__ == "__main__":
    sys.exit(run_child())
