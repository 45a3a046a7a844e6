"""Reading ahead: other processes read the texts of a list while this one judges those before them."""

from __future__ import annotations

import os
import pickle
import queue
import sys
import threading
from collections.abc import Callable, Container, Iterable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager, suppress
from itertools import count, islice
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from typing import Any, TypeAlias

from ..core.paths import is_package

Process: TypeAlias = "Popen[bytes]"
Key: TypeAlias = tuple[str, str]
"""A cleaned text and its context."""
Batch: TypeAlias = "tuple[list[Key], Future[list[Any]]]"
"""Texts that are read together, and their answers."""

_LOOK_S = 0.05
_TOGETHER, _LAST = 6, 2
"""Number of texts that a process reads together, and at the end of a list, so that all end at the same time."""
_AHEAD = 2 * _TOGETHER
"""Number of texts, for each process, that wait or have been read."""
_LATE = 32
"""A text that wasn't asked for after so many further ones is dropped: its row needed no reading."""


def started(*what: object) -> Process:
    """Start a process that reads ahead, and send it what it begins with."""
    own = ["-m", f"{__package__.partition('.')[0]}.session.reading_ahead"]
    command = [sys.executable, *(["--read-ahead"] if is_package() else own)]
    root = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join(filter(None, (os.environ.get("PYTHONPATH"), root)))
    environment = {**os.environ, "PYTHONPATH": path}
    # Ctrl-C, which a terminal sends to all processes that it started, is this process's business.
    process = Popen(command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, env=environment, start_new_session=True)
    send(process, what)
    return process


def send(process: Process, what: object) -> None:
    """Send a process a value."""
    assert process.stdin is not None
    pickle.dump(what, process.stdin)
    process.stdin.flush()


class ReadingPool:
    """Processes that read texts, and what they have read. Its methods are called by the thread that judges, which
    reads texts, too: the one that it needs, or others while it waits for it. Nothing depends on who reads a text: a
    process that ends, or has other heads than this one (``identity``), leaves it to this one.

    ``start``: starts a process that sends its identity, then reads lists of keys and sends lists of answers, as
    pickles; ``keys``: the texts in the order in which they will be needed, taken one by one, about ``left`` of them;
    ``skipped``: those that are known already."""

    def __init__(
        self,
        start: Callable[[], Process],
        processes: int,
        identity: object,
        keys: Iterable[Key],
        skipped: Container[Key],
        left: int = 0,
    ) -> None:
        self._keys, self._skipped, self._numbers, self._left = iter(keys), skipped, count(), left
        self._start, self._identity = start, identity
        self._most = _AHEAD * (processes + 1)
        self._ahead: dict[Key, tuple[int, Batch]] = {}
        self._waiting: queue.SimpleQueue[Batch | None] = queue.SimpleQueue()
        self._running: list[Process] = []
        self._closed = threading.Event()
        self._threads = [threading.Thread(target=self._serve, daemon=True) for _ in range(processes)]

    @contextmanager
    def open(self) -> Iterator[ReadingPool]:
        """Run the processes; at the end none of them is left."""
        for thread in self._threads:
            thread.start()
        try:
            yield self
        finally:
            self._closed.set()
            for process in self._running:
                process.kill()
            for _ in self._threads:
                self._waiting.put(None)
            for thread in self._threads:
                thread.join()

    def taken(self, key: Key, read: Callable[[list[Key]], list[Any]], check: Callable[[], None]) -> Any:
        """Return the answer for a text, by another process or by ``read``, which reads texts here; None: it can't be
        read. ``check`` raises to stop the waiting."""
        while True:
            self._fill()
            check()
            number, (keys, answers) = self._ahead.get(key, (0, ([], None)))
            if answers is not None and answers.done() and not answers.cancelled():
                del self._ahead[key]
                self._ahead = {other: one for other, one in self._ahead.items() if one[0] >= number - _LATE}
                return answers.result()[keys.index(key)] if answers.exception() is None else read([key])[0]
            mine = [key] if answers is None else keys if answers.cancel() else []
            if answers is None or not mine:
                mine = mine + next((keys for _, (keys, other) in self._ahead.values() if other.cancel()), [])
            if mine:
                done: Future[list[Any]] = Future()
                done.set_result(read(mine))
                self._ahead |= {one: (self._ahead.get(one, (number,))[0], (mine, done)) for one in mine}
            elif answers is not None:
                wait([answers], _LOOK_S)

    def _fill(self) -> None:
        """Have more texts wait, up to the most."""
        while len(self._ahead) < self._most and (some := list(islice(self._keys, self._together()))):
            self._left -= len(some)
            keys = [key for key in dict.fromkeys(some) if key not in self._ahead and key not in self._skipped]
            batch: Batch = keys, Future()
            self._ahead |= {key: (next(self._numbers), batch) for key in keys}
            self._waiting.put(batch)

    def _together(self) -> int:
        """Return how many of the texts that are left are read together; more may come after the last one."""
        share = self._left // (2 * (len(self._threads) + 1))
        return min(_TOGETHER, max(_LAST, share)) if self._left > 0 else _TOGETHER

    def _serve(self) -> None:
        """Have one process read the texts that wait, until it ends or the pool is closed."""
        with suppress(OSError, EOFError, pickle.UnpicklingError):
            process = self._start()
            self._running.append(process)
            assert process.stdout is not None
            with process:
                try:
                    same = not self._closed.is_set() and pickle.load(process.stdout) == self._identity
                    while same and (batch := self._waiting.get()) is not None and not self._closed.is_set():
                        keys, answers = batch
                        if not answers.set_running_or_notify_cancel():
                            continue  # it is read here
                        try:
                            send(process, keys)
                            answers.set_result(pickle.load(process.stdout))
                        except BaseException as error:
                            answers.set_exception(error)
                            raise
                finally:
                    process.kill()
