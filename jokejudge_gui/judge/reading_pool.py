"""Reading ahead: other processes read the texts of a list while this one judges those before them."""

from __future__ import annotations

import pickle
import threading
from collections import deque
from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import contextmanager, suppress
from subprocess import Popen
from typing import IO, Any, TypeAlias

from ..core.errors import JokeJudgeError

Key: TypeAlias = tuple[str, str]
"""A cleaned text and its context."""
Start: TypeAlias = "Callable[[], Popen[bytes]]"

_LOOK_S = 0.05
_AHEAD = 4
"""Number of texts, for each process, that wait or have been read."""
_LATE = 16
"""A text that wasn't asked for after so many further ones is dropped: its row needed no reading."""


class ReadingPool:
    """Processes that read texts, and what they have read. Its methods are called by the thread that judges, which
    reads texts, too, while it waits for one. Nothing depends on who reads a text: a process that ends, has other heads
    than this one (``identity``), or can't read a text leaves it to this one.

    ``start``: starts a process that sends its identity, then reads keys and sends the answer for each, as pickles;
    ``keys``: the texts in the order in which they will be needed, taken one by one; ``skipped``: those that are known
    already."""

    def __init__(
        self, start: Start, processes: int, identity: object, keys: Iterable[Key], skipped: Container[Key]
    ) -> None:
        self._keys, self._skipped = enumerate(keys), skipped
        self._start, self._identity = start, identity
        self._most = _AHEAD * (processes + 1)
        self._changed = threading.Condition()
        self._waiting: deque[tuple[int, Key]] = deque()
        self._being_read: set[Key] = set()
        self._answers: dict[Key, tuple[int, Any]] = {}
        self._running: list[Popen[bytes]] = []
        self._closed = False
        self._threads = [threading.Thread(target=self._serve, daemon=True) for _ in range(processes)]

    @contextmanager
    def open(self) -> Iterator[ReadingPool]:
        """Run the processes; at the end none of them is left."""
        for thread in self._threads:
            thread.start()
        try:
            yield self
        finally:
            with self._changed:
                self._closed = True
                self._changed.notify_all()
                for process in self._running:
                    process.kill()
            for thread in self._threads:
                thread.join()

    def taken(self, key: Key, read: Callable[[Key], Any], check: Callable[[], None]) -> Any:
        """Return the answer for a text that another process has read; None: it is to be read here. While it is being
        read, texts behind it are read here by ``read``. ``check`` raises to stop the waiting."""
        while True:
            with self._changed:
                self._fill()
                if key in self._answers:
                    number, answer = self._answers.pop(key)
                    self._answers = {k: one for k, one in self._answers.items() if one[0] >= number - _LATE}
                    return answer
                if key not in self._being_read:
                    self._waiting = deque(entry for entry in self._waiting if entry[1] != key)
                    return None
                number, ahead = self._waiting.popleft() if self._waiting else (0, None)
                if ahead is None:
                    self._changed.wait(_LOOK_S)
            check()
            if ahead is not None:
                answer = None
                with suppress(JokeJudgeError):
                    answer = read(ahead)
                with self._changed:
                    if answer is not None:
                        self._answers[ahead] = number, answer

    def _fill(self) -> None:
        """Have more texts wait, up to the most."""
        while len(self._waiting) + len(self._being_read) + len(self._answers) < self._most:
            number, key = next(self._keys, (0, None))
            if key is None:
                return
            waits = any(key == other for _, other in self._waiting)
            if not (waits or key in self._being_read or key in self._answers or key in self._skipped):
                self._waiting.append((number, key))
                self._changed.notify()

    def _serve(self) -> None:
        """Have one process read the texts that wait, until it ends or the pool is closed."""
        with suppress(OSError, EOFError, pickle.UnpicklingError):
            with self._changed:
                if self._closed:
                    return
                process = self._start()
                self._running.append(process)
            assert process.stdin is not None
            assert process.stdout is not None
            with process:
                try:
                    same = pickle.load(process.stdout) == self._identity
                    while same and (entry := self._next()) is not None:
                        self._have_read(*entry, process.stdin, process.stdout)
                finally:
                    process.kill()

    def _have_read(self, number: int, key: Key, questions: IO[bytes], answers: IO[bytes]) -> None:
        answer = None
        try:
            pickle.dump(key, questions)
            questions.flush()
            answer = pickle.load(answers)
        finally:
            with self._changed:
                self._being_read.discard(key)
                if answer is not None:
                    self._answers[key] = number, answer
                self._changed.notify_all()

    def _next(self) -> tuple[int, Key] | None:
        with self._changed:
            while not self._waiting and not self._closed:
                self._changed.wait()
            if self._closed:
                return None
            entry = self._waiting.popleft()
            self._being_read.add(entry[1])
            return entry
