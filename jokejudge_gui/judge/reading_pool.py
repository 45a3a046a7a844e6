"""Reading ahead: other processes read the texts of a list while this one judges those before them."""

from __future__ import annotations

import pickle
import threading
from collections import deque
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from subprocess import Popen
from typing import IO, Any, TypeAlias

Key: TypeAlias = tuple[str, str]
"""A cleaned text and its context."""
Start: TypeAlias = "Callable[[], Popen[bytes]]"

_LOOK_S = 0.05
_TOGETHER = 6
"""Number of texts that a process reads together."""
_AHEAD = 2 * _TOGETHER
"""Number of texts, for each process, that wait or have been read."""
_LATE = 32
"""A text that wasn't asked for after so many further ones is dropped: its row needed no reading."""


class ReadingPool:
    """Processes that read texts, and what they have read. Its methods are called by the thread that judges, which
    reads texts, too: the one that it needs, or others while it waits for it, each with some of those behind it. Nothing
    depends on who reads a text: a process that ends, or has other heads than this one (``identity``), leaves it to this
    one.

    ``start``: starts a process that sends its identity, then reads lists of keys and sends lists of answers, as
    pickles; ``keys``: the texts in the order in which they will be needed, taken one by one; ``skipped``: those that
    are known already."""

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

    def taken(self, key: Key, read: Callable[[list[Key]], list[Any]], check: Callable[[], None]) -> Any:
        """Return the answer for a text, by another process or by ``read``, which reads texts here; None: it can't be
        read. ``check`` raises to stop the waiting."""
        while True:
            with self._changed:
                self._fill()
                if key in self._answers:
                    number, answer = self._answers.pop(key)
                    self._answers = {k: one for k, one in self._answers.items() if one[0] >= number - _LATE}
                    return answer
                own = [(0, key)] if key not in self._being_read else []
                for entry in [entry for entry in self._waiting if own and entry[1] == key]:
                    self._waiting.remove(entry)
                    own = [entry]
                own += self._some(_TOGETHER - len(own))
                if not own:
                    self._changed.wait(_LOOK_S)
            check()
            if own:
                answers = read([other for _, other in own])
                check()
                with self._changed:
                    self._keep(own, answers)

    def _some(self, most: int) -> list[tuple[int, Key]]:
        return [self._waiting.popleft() for _ in range(min(most, len(self._waiting)))]

    def _keep(self, entries: Sequence[tuple[int, Key]], answers: Sequence[Any]) -> None:
        self._answers |= {key: (number, one) for (number, key), one in zip(entries, answers, strict=True)}

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
                    while same and (entries := self._next()):
                        self._have_read(entries, process.stdin, process.stdout)
                finally:
                    process.kill()

    def _have_read(self, entries: list[tuple[int, Key]], questions: IO[bytes], answers: IO[bytes]) -> None:
        keys = [key for _, key in entries]
        try:
            pickle.dump(keys, questions)
            questions.flush()
            read = pickle.load(answers)
            with self._changed:
                self._keep(entries, read)
        finally:
            with self._changed:
                self._being_read.difference_update(keys)
                self._changed.notify_all()

    def _next(self) -> list[tuple[int, Key]]:
        """Return the texts that another process is to read next; none at the end."""
        with self._changed:
            while not self._waiting and not self._closed:
                self._changed.wait()
            entries = [] if self._closed else self._some(_TOGETHER)
            self._being_read.update(key for _, key in entries)
            return entries
