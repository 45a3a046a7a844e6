"""A thread that iterates jobs, the delivery of their events to the window, and the collection of garbage meanwhile."""

from __future__ import annotations

import functools
import gc
import os
import queue
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

import shiboken6
from PySide6.QtCore import QObject, Qt, QTimer, Signal, SignalInstance
from PySide6.QtGui import QGuiApplication

from ..core import errors
from ..core.events import Cancelled, Failed, Finished
from ..engine.base import CancelToken
from .widgets.layout import single_shot

JobSteps: TypeAlias = Iterable[object]
JobStart: TypeAlias = Callable[[CancelToken], JobSteps]
EventHandler: TypeAlias = Callable[["Job", object], object]
T = TypeVar("T")

_LAST = (Finished, Failed, Cancelled)
_COALESCE_MS = 25
_NICE = 5
"""Niceness that is added to the worker's thread, so that the window's thread has priority (see nice(2))."""


@dataclass(frozen=True, eq=False)
class Job:
    """Work to iterate in the worker's thread. ``name``: for reports. ``on_event``: called with each of its events, in
    the window's thread. ``gives_way``: it is stopped when another model is chosen."""

    name: str
    start: JobStart
    on_event: EventHandler | None = None
    gives_way: bool = False
    token: CancelToken = field(default_factory=CancelToken)


def _tell(handler: Callable[..., object], *values: object) -> None:
    """Call a handler, unless the object whose method or signal it is has been deleted."""
    method: object = handler
    while isinstance(method, functools.partial):
        method = method.func
    owner = getattr(method, "__self__", None)
    if isinstance(owner, SignalInstance):
        with suppress(RuntimeError):  # "Signal source has been deleted"; exceptions of slots don't arrive here
            handler(*values)
    elif not isinstance(owner, QObject) or shiboken6.isValid(owner):
        handler(*values)


class JudgeWorker(QObject):
    """One thread, which takes jobs from a queue. The object belongs to the window's thread, where it passes each event
    to its job's handler. ``happened`` carries every job and event (such as a loaded model), before its handler gets it.

    Events are collected, so that the window draws at most some 40 times a second. ``stopped`` is emitted once, after
    the last job has ended and ``at_end`` has run in the thread (the engine is freed by its owner)."""

    happened = Signal(object, object)
    busy_changed = Signal(bool)
    stopped = Signal()
    _arrived = Signal()
    _due = Signal(object, object)
    _ended = Signal()

    def __init__(self, at_end: Callable[[], None] | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._queue: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._inbox: deque[tuple[Job, object]] = deque()
        self._open: list[Job] = []
        # Ended jobs wait here for the window's thread: they may hold the last reference to a widget, which must not be
        # destroyed in another one. The last of them may still be referenced in the thread.
        self._spent: deque[Job] = deque()
        self._closing = False
        self._at_end = at_end or (lambda: None)
        self._timer = single_shot(self, self._drain, _COALESCE_MS)
        self._arrived.connect(self._timer.start, Qt.ConnectionType.QueuedConnection)
        # Through signals, so that an exception in one handler is reported and the next event is still handled.
        self._due.connect(lambda job, event: _tell(job.on_event, job, event) if job.on_event is not None else None)
        self._ended.connect(self._on_ended, Qt.ConnectionType.QueuedConnection)
        self._thread = threading.Thread(target=self._run, name="judge worker")
        self._thread.start()

    @property
    def busy(self) -> bool:
        """Whether a job is running or waiting."""
        return bool(self._open)

    @property
    def running(self) -> bool:
        """Whether the thread is running."""
        return self._thread.is_alive()

    # In the window's thread

    def submit(
        self, name: str, start: JobStart, on_event: EventHandler | None = None, *, gives_way: bool = False
    ) -> Job:
        """Add a job at the end of the queue. ``start`` is called and its result iterated in the worker's thread.
        ``on_event`` isn't called after the object whose method it is has been deleted."""
        job = Job(name, start, on_event, gives_way)
        if self._closing:
            job.token.cancel()
            return job
        was_busy = self.busy
        self._open.append(job)
        self._queue.put(job)
        if not was_busy:
            self.busy_changed.emit(True)
        return job

    def call(
        self,
        name: str,
        act: Callable[[], T],
        done: Callable[[T], object],
        failed: Callable[[errors.JokeJudgeError], object] | None = None,
    ) -> Job:
        """Run ``act`` in the worker's thread. Then call, in the window's thread, ``done`` with its result or ``failed``
        with its error, unless the object whose method or signal it is has been deleted."""

        def start(_token: CancelToken) -> Iterator[tuple[T]]:
            yield (act(),)

        def take(_job: Job, event: object) -> None:
            if isinstance(event, tuple):
                _tell(done, event[0])
            elif isinstance(event, Failed) and failed is not None:
                _tell(failed, errors.restore(event.error))

        return self.submit(name, start, take)

    def cancel(self, job: Job | None = None) -> None:
        """Request that one job, or all, stop. Each still ends with its own last event."""
        for stopped in (job,) if job is not None else self._open:
            stopped.token.cancel()

    def make_way(self) -> None:
        """Cancel the jobs with ``gives_way``, since another model was chosen."""
        for job in self._open:
            if job.gives_way:
                job.token.cancel()

    def stop(self) -> None:
        """Cancel everything and let the thread end. Return at once; ``stopped`` is emitted later."""
        if not self._closing:
            self._closing = True
            self.cancel()
            self._queue.put(None)

    def _drain(self) -> None:
        while len(self._spent) > 1:
            self._spent.popleft()
        with self._lock:
            pending = list(self._inbox)
            self._inbox.clear()
        for job, event in pending:
            if isinstance(event, _LAST) and job in self._open:
                self._open.remove(job)
            self.happened.emit(job, event)
            self._due.emit(job, event)
        if pending and not self._open:
            self.busy_changed.emit(False)

    def _on_ended(self) -> None:
        self._thread.join()
        self._timer.stop()
        self._drain()
        self._spent.clear()
        self.stopped.emit()

    # In its own thread

    def _run(self) -> None:
        if sys.platform == "linux":  # where priorities are per thread; threads of llama.cpp inherit this one's
            with suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), os.nice(0) + _NICE)
        while (job := self._queue.get()) is not None:
            self._deliver(job, Cancelled() if job.token.cancelled else self._last_of(job))
            self._spent.append(job)
            job = None
        try:
            self._at_end()
        except Exception as error:  # noqa: BLE001  (a bug goes to the crash dialog; the program still ends)
            _report_bug(error)
        self._ended.emit()

    def _last_of(self, job: Job) -> Finished | Failed | Cancelled:
        """Deliver the events of a job, and return its last one."""
        try:
            steps = iter(job.start(job.token))
            try:
                for event in steps:
                    if isinstance(event, _LAST):
                        return event
                    self._deliver(job, event)
            finally:
                if isinstance(steps, Generator):
                    steps.close()
        except errors.Cancelled:
            return Cancelled()
        except errors.JokeJudgeError as error:
            return Failed(error=errors.info(error))
        except (MemoryError, OSError) as error:
            return Failed(error=errors.info(errors.of_the_system(error)))
        except Exception as error:  # noqa: BLE001  (likewise; the job still gets its one last event)
            _report_bug(error)
            sentence = f"The program made a mistake ({type(error).__name__})."
            hint = "The details are in the report; nothing else is affected."
            return Failed(error=errors.ErrorInfo(code="E_INTERNAL", sentence=sentence, hint=hint))
        return Finished()

    def _deliver(self, job: Job, event: object) -> None:
        with self._lock:
            first = not self._inbox
            self._inbox.append((job, event))
        if first:
            self._arrived.emit()


def _report_bug(error: Exception) -> None:
    # The excepthook of threads shows the crash dialog; the worker itself goes on.
    args = type(error), error, error.__traceback__, threading.current_thread()
    threading.excepthook(threading.ExceptHookArgs(args))


_TURN_S = 0.001
_COLLECT_MS = 500
_DUE = (700, 10, 10)
"""Python's own thresholds; a command sets others for its imports."""
_BUSY = 10
"""How much longer a collection of everything waits while the window is used."""


class Collector(QObject):
    """Runs Python's garbage collector in the window's thread, between two events, while the program runs.

    The automatic collector runs in whichever thread has just made an object. There it would destroy widgets in a cycle
    while the window draws them or sets a style sheet, which ends the process. The interpreter's switch interval is one
    millisecond: with Python's 5 ms the window, which releases the interpreter with every call into Qt, would take
    several times as long to draw.

    A collection of everything holds every thread, for some 80 ms where a list of 1,000 jokes is among the objects, and
    is therefore rare while the window has the keyboard."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        sys.setswitchinterval(_TURN_S)
        gc.disable()
        gc.set_threshold(*_DUE)
        self.timer = QTimer(self)
        self.timer.timeout.connect(self.collect)
        self.timer.start(_COLLECT_MS)

    def collect(self) -> None:
        """Collect the oldest generation that is due."""
        used = QGuiApplication.applicationState() is Qt.ApplicationState.ApplicationActive
        most = [*gc.get_threshold()[:2], gc.get_threshold()[2] * (_BUSY if used else 1)]
        due = [age for age in (2, 1, 0) if gc.get_count()[age] > most[age]]
        if due:
            gc.collect(due[0])
