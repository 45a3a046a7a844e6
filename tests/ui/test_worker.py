"""The worker: order, one last event for each job, merging, cancelling, stopping."""

from __future__ import annotations

import functools
import os
import sys
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator

import pytest
import shiboken6
from PySide6.QtCore import QObject, Qt, QThread, Signal
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from jokejudge_gui.core import errors
from jokejudge_gui.core.events import Cancelled, Failed, Finished
from jokejudge_gui.engine.base import CancelToken
from jokejudge_gui.ui import judge_worker
from jokejudge_gui.ui.judge_worker import Collector, Job, JudgeWorker


class Log:
    """What a worker said."""

    def __init__(self, worker: JudgeWorker) -> None:
        self.items: list[tuple[Job, object]] = []
        worker.happened.connect(lambda job, event: self.items.append((job, event)))

    def of(self, job: Job) -> list[object]:
        return [event for its, event in self.items if its is job]

    def ended(self, job: Job) -> bool:
        return any(isinstance(event, Finished | Failed | Cancelled) for event in self.of(job))


def submit(qtbot: QtBot, worker: JudgeWorker, start: Callable[[CancelToken], Iterable[object]]) -> list[object]:
    """The events of a job, after its end."""
    log = Log(worker)
    job = worker.submit("any", start)
    qtbot.waitUntil(lambda: log.ended(job), timeout=20_000)
    return log.of(job)


def test_jobs_run_in_order_in_the_workers_thread_and_their_events_arrive_outside(
    qtbot: QtBot, worker: JudgeWorker
) -> None:
    ran: list[int] = []
    here: list[bool] = []
    worker.happened.connect(lambda *_item: here.append(QThread.currentThread() is worker.thread()))

    def start(_token: CancelToken) -> Iterator[object]:
        ran.append(threading.get_ident())
        yield "step"

    log = Log(worker)
    jobs = [worker.submit("any", start) for _ in range(3)]
    qtbot.waitUntil(lambda: log.ended(jobs[-1]))
    assert threading.get_ident() not in ran
    assert here == [True] * 6
    assert [job for job, _event in log.items] == [job for job in jobs for _ in range(2)]
    assert log.of(jobs[0]) == ["step", Finished()]  # the last event of a job that sends none itself
    assert not worker.busy


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a thread has no number of its own to be set by")
def test_a_job_gives_way_to_the_window_where_processors_are_few(qtbot: QtBot, worker: JudgeWorker) -> None:
    found: list[int] = []
    here = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
    worker.call("any", lambda: os.getpriority(os.PRIO_PROCESS, threading.get_native_id()), found.append)
    qtbot.waitUntil(lambda: bool(found))
    assert found[0] > here or here == 19
    assert os.getpriority(os.PRIO_PROCESS, threading.get_native_id()) == here


def _raise(error: BaseException) -> Callable[[CancelToken], Iterator[object]]:
    def start(_token: CancelToken) -> Iterator[object]:
        yield "step"
        raise error

    return start


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.InputError("E_INPUT_EMPTY", "There is no text.", "Type one."), "E_INPUT_EMPTY"),
        (MemoryError(), "E_MEMORY"),
        (OSError(28, "No space left"), "E_SYSTEM"),
    ],
)
def test_an_expected_error_ends_the_job_as_failed_and_a_stop_is_none(
    qtbot: QtBot, worker: JudgeWorker, error: Exception, code: str
) -> None:
    last = submit(qtbot, worker, _raise(error))[-1]
    assert isinstance(last, Failed)
    assert last.error.code == code
    assert isinstance(submit(qtbot, worker, _raise(errors.Cancelled()))[-1], Cancelled)


def test_a_mistake_is_reported_and_the_next_job_still_runs(
    qtbot: QtBot, worker: JudgeWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported: list[threading.ExceptHookArgs] = []
    monkeypatch.setattr(threading, "excepthook", reported.append)
    log = Log(worker)
    broken = worker.submit("any", _raise(ValueError("oops")))
    sound = worker.submit("any", lambda _token: iter([Finished()]))
    qtbot.waitUntil(lambda: log.ended(sound))
    last = log.of(broken)[-1]
    assert isinstance(last, Failed)
    assert last.error.code == "E_INTERNAL"
    assert len(reported) == 1
    assert str(reported[0].exc_value) == "oops"


def test_nothing_follows_the_last_event_and_the_generator_is_closed(qtbot: QtBot, worker: JudgeWorker) -> None:
    closed = threading.Event()

    def start(_token: CancelToken) -> Iterator[object]:
        try:
            yield Finished()
            yield "late"
        finally:
            closed.set()

    assert submit(qtbot, worker, start) == [Finished()]
    qtbot.waitUntil(closed.is_set)


def test_a_job_blocks_no_window_and_one_that_gives_way_while_it_waits_never_starts(
    qtbot: QtBot, worker: JudgeWorker
) -> None:
    gate, began = threading.Event(), threading.Event()

    def block(_token: CancelToken) -> Iterator[object]:
        yield "step"
        gate.wait(20)

    def start(_token: CancelToken) -> Iterator[object]:
        began.set()
        yield Finished()

    log = Log(worker)
    first = worker.submit("any", block)
    second = worker.submit("any", start, gives_way=True)
    worker.make_way()  # another model is chosen
    qtbot.wait(30)
    assert worker.busy
    assert not log.ended(first)
    gate.set()
    qtbot.waitUntil(lambda: log.ended(second))
    assert log.of(second) == [Cancelled()]
    assert log.of(first)[-1] == Finished()
    assert not began.is_set()


def test_stopping_cancels_everything_runs_the_end_in_the_thread_and_refuses_new_jobs(qtbot: QtBot) -> None:
    ended: list[int] = []
    worker = JudgeWorker(at_end=lambda: ended.append(threading.get_ident()))
    log = Log(worker)

    def until_cancelled(token: CancelToken) -> Iterator[object]:
        pause = threading.Event()
        while not token.cancelled:
            yield "step"
            pause.wait(0.005)
        token.check()

    running = worker.submit("any", until_cancelled)
    waiting = worker.submit("any", until_cancelled)
    qtbot.waitUntil(lambda: bool(log.of(running)))
    with qtbot.waitSignal(worker.stopped, timeout=10_000):
        worker.stop()
        worker.stop()
    assert isinstance(log.of(running)[-1], Cancelled)
    assert log.of(waiting) == [Cancelled()]
    assert len(ended) == 1
    assert ended[0] != threading.get_ident()
    late = worker.submit("any", until_cancelled)
    assert late.token.cancelled
    assert not worker.running


class Hearer(QObject):
    told = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[object] = []

    def take(self, _word: str, _job: Job, event: object) -> None:
        self.heard.append(event)


def test_a_handler_or_a_signal_whose_object_is_gone_is_told_nothing_more(qtbot: QtBot, worker: JudgeWorker) -> None:
    gone, there, go_on, told = Hearer(), Hearer(), threading.Event(), list[object]()

    def start(_token: CancelToken) -> Iterator[object]:
        assert go_on.wait(20)
        yield Finished()

    def refuse() -> None:
        raise errors.HistoryError("E_HISTORY", "The history is closed.", "")

    for hearer in (gone, there):
        hearer.told.connect(told.append)
        worker.submit("any", start, functools.partial(hearer.take, "word"))
        worker.call("any", refuse, hearer.told.emit, hearer.told.emit)
    shiboken6.delete(gone)
    with qtbot.captureExceptions() as caught:
        go_on.set()
        qtbot.waitUntil(lambda: bool(told))
    assert (len(there.heard), len(gone.heard)) == (1, 0)
    assert [str(error) for error in told] == ["The history is closed."]
    assert not caught


class Ring(QObject):
    """Nothing but the garbage collector frees it."""

    def __init__(self) -> None:
        super().__init__()
        self.itself = self


def test_a_job_that_makes_garbage_destroys_nothing_of_the_window(
    qtbot: QtBot,
    worker: JudgeWorker,
    collector: Collector,
) -> None:
    destroyed: list[bool] = []
    kept: list[list[int]] = []
    log = Log(worker)
    Ring().destroyed.connect(
        lambda: destroyed.append(QThread.currentThread() is worker.thread()), Qt.ConnectionType.DirectConnection
    )
    collector.timer.stop()

    def start(_token: CancelToken) -> Iterator[object]:
        kept.extend([n] for n in range(100_000))
        yield Finished()

    job = worker.submit("any", start)
    qtbot.waitUntil(lambda: log.ended(job))
    assert destroyed == []
    collector.timer.start()
    qtbot.waitUntil(lambda: bool(destroyed))
    assert destroyed == [True]


def test_everything_is_looked_through_soon_once_another_program_is_used(
    collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    collected: list[int] = []
    state = Qt.ApplicationState.ApplicationActive
    monkeypatch.setattr(QGuiApplication, "applicationState", lambda: state)
    monkeypatch.setattr(judge_worker.gc, "get_count", lambda: (0, 0, 50))
    monkeypatch.setattr(judge_worker.gc, "collect", collected.append)
    collector.collect()
    assert collected == []
    state = Qt.ApplicationState.ApplicationInactive
    collector.collect()
    assert collected == [2]


def test_what_only_a_job_knows_is_destroyed_in_the_windows_thread(qtbot: QtBot, worker: JudgeWorker) -> None:
    log, gone, here = Log(worker), [], threading.current_thread()

    def submit(number: int) -> Job:
        known = QObject()
        weakref.finalize(known, lambda: gone.append(threading.current_thread()))

        def start(_token: CancelToken) -> Iterator[object]:
            yield f"{number} {known.objectName()}"
            yield Finished()

        return worker.submit("any", start)

    for number in range(3):
        job = submit(number)
        qtbot.waitUntil(lambda job=job: log.ended(job))
        log.items.clear()
        del job
    worker.stop()
    qtbot.waitUntil(lambda: not worker.running)
    qtbot.waitUntil(lambda: len(gone) == 3)
    assert set(gone) == {here}
