"""Processes that read the texts of a list ahead of the judge, each with its own copy of the model and its heads.

``python -m jokejudge_gui.session.reading_ahead`` is such a process; a bundle runs ``jokejudge --read-ahead`` instead.
It ends when its standard input does, so none outlives the program. It loads the model while the program does."""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Container, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ..core.config import Settings
from ..core.paths import Profile, models_dir
from ..engine.address_space import free_memory
from ..engine.base import ChatFrame
from ..judge.reader import Reader
from ..judge.reading_pool import Key, Process, ReadingPool, send, started
from ..library.finder import ModelFile
from .judge_files import JudgeFiles

_LEAST = 24
"""Least number of texts for which such processes are started: loading a model costs as much as reading some ten."""
_MEMORY = 200 << 20
"""Memory in bytes that a process needs beside the model, which it keeps in a form of its own for its processor."""
_CONTEXT = 1024
"""Context size in tokens: it takes memory, and longer texts are read by the judge."""


class Helpers:
    """The processes of one session. ``expected``: about how many texts the next list has."""

    def __init__(self, profile: Profile, settings: Settings, files: JudgeFiles) -> None:
        self._profile, self._settings, self._files = profile, settings, files
        self._begun, self.expected = list[Process](), 0

    def read_ahead(self, file: ModelFile, sha256: str, frame: ChatFrame) -> None:
        """Start what is done while this process loads a model: the reading of its heads' files, and the processes for
        the expected list, which load it, too."""
        from ..engine.binding import can_offload

        self._files.read_ahead(sha256)
        self.close()
        wanted, self.expected = self.expected >= _LEAST and not can_offload(), 0
        with suppress(OSError):  # where none can be started this process reads all
            for _ in range(self._others(file.path.stat().st_size) if wanted else 0):
                self._begun.append(started(self._profile, file.path, file.name, sha256, self._settings.context, frame))

    def close(self) -> None:
        """End the processes that no list has taken."""
        while self._begun:
            with self._begun.pop() as process:
                process.kill()

    @contextmanager
    def pool(
        self, reader: Reader, keys: Iterator[Key], count: int, skipped: Container[Key]
    ) -> Iterator[ReadingPool | None]:
        """Open the pool for a list of about ``count`` texts; None for a short list, or on a GPU."""
        info = reader.engine.info
        if count < _LEAST or info.build.endswith("GPU"):
            yield None
            return

        def start() -> Process:
            model = Path(info.path), info.name, info.sha256, info.context, reader.engine.frame
            process = self._begun.pop() if self._begun else started(self._profile, *model)
            send(process, reader.is_brief)
            return process

        others = len(self._begun) or self._others(info.bytes)
        reader.engine.read_with(int(others > 0))
        try:
            with ReadingPool(start, others, reader.identity, keys, skipped, count).open() as pool:
                yield pool
        finally:
            reader.engine.read_with(0)

    def _others(self, size: int) -> int:
        """Return the number of processes beside this one for a model of ``size`` bytes: by ``settings.jobs``, or (0)
        one for each of ``settings.threads`` or of the physical cores, as far as they fit in memory."""
        from ..engine.loader import physical_cores

        fitting = free_memory() // (2 * size + _MEMORY)
        return (self._settings.jobs or min(self._settings.threads or physical_cores(), 1 + fitting)) - 1


def run_child() -> int:
    """Load the model that the program loads, and answer until there are no more texts."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a library prints is no answer
    questions = sys.stdin.buffer
    profile, path, name, sha256, context, frame = pickle.load(questions)
    from ..engine.loader import load_engine

    files, context = JudgeFiles(profile, models_dir()), min(context, _CONTEXT)
    engine = load_engine(path, name=name, sha256=sha256, context=context, threads=1, frame=frame)
    reader, _ = files.reader(engine)
    with suppress(EOFError):
        reader = reader.brief() if pickle.load(questions) else reader
        answer: object = reader.identity
        while True:
            pickle.dump(answer, answers, protocol=5)
            answers.flush()
            answer = reader.read_apart(pickle.load(questions))
    return 0


if __name__ == "__main__":
    sys.exit(run_child())
