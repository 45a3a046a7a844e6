"""The worker: order, one last event for each job, merging, cancelling, stopping."""

from __future__ import annotations

import functools
import gc
import os
import sys
import threading
import weakref
from collections.abc import Callable, Iterator

import pytest
import shiboken6
from PySide6.QtCore import QObject, Qt, QThread, Signal
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from jokejudge_gui.core import errors
from jokejudge_gui.core.events import Cancelled, Failed, Finished, Stage, StageProgress, TextPiece, is_last
from jokejudge_gui.engine.base import CancelToken
from jokejudge_gui.ui import judge_worker
from jokejudge_gui.ui.judge_worker import Collector, Job, JobEvent, JudgeWorker, merge_events


class Log:
    """What a worker said."""

    def __init__(self, worker: JudgeWorker) -> None:
        self.items: list[JobEvent] = []
        worker.happened.connect(self.items.append)

    def of(self, job: Job) -> list[object]:
        return [item.event for item in self.items if item.job is job]

    def ended(self, job: Job) -> bool:
        return any(isinstance(event, Finished | Failed | Cancelled) for event in self.of(job))


def test_a_job_runs_in_the_workers_thread_and_its_events_arrive_outside(qtbot: QtBot, worker: JudgeWorker) -> None:
    ran: list[int] = []
    here: list[bool] = []
    worker.happened.connect(lambda _item: here.append(QThread.currentThread() is worker.thread()))

    def start(_token: CancelToken) -> Iterator[object]:
        ran.append(threading.get_ident())
        yield "step"
        yield Finished()

    log = Log(worker)
    job = worker.submit("any", start)
    qtbot.waitUntil(lambda: log.ended(job))
    assert ran != [threading.get_ident()]
    assert here == [True, True]
    assert log.of(job) == ["step", Finished()]
    assert not worker.busy


def test_jobs_run_in_the_order_in_which_they_were_submitted(qtbot: QtBot, worker: JudgeWorker) -> None:
    log = Log(worker)
    jobs = [worker.submit("any", lambda _token: iter([Finished()])) for _ in range(5)]
    qtbot.waitUntil(lambda: log.ended(jobs[-1]))
    assert [item.job for item in log.items] == jobs


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


def test_an_expected_error_ends_the_job_as_failed(qtbot: QtBot, worker: JudgeWorker) -> None:
    log = Log(worker)
    job = worker.submit("any", _raise(errors.InputError("E_INPUT_EMPTY", "There is no text.", "Type one.")))
    qtbot.waitUntil(lambda: log.ended(job))
    last = log.of(job)[-1]
    assert isinstance(last, Failed)
    assert (last.error.code, last.error.hint) == ("E_INPUT_EMPTY", "Type one.")


@pytest.mark.parametrize(("error", "code"), [(MemoryError(), "E_MEMORY"), (OSError(28, "No space left"), "E_SYSTEM")])
def test_what_the_system_refuses_ends_the_job_in_words(
    qtbot: QtBot, worker: JudgeWorker, error: Exception, code: str
) -> None:
    log = Log(worker)
    job = worker.submit("any", _raise(error))
    qtbot.waitUntil(lambda: log.ended(job))
    last = log.of(job)[-1]
    assert isinstance(last, Failed)
    assert last.error.code == code


def test_a_stop_raised_in_the_job_is_no_error(qtbot: QtBot, worker: JudgeWorker) -> None:
    log = Log(worker)
    job = worker.submit("any", _raise(errors.Cancelled()))
    qtbot.waitUntil(lambda: log.ended(job))
    assert isinstance(log.of(job)[-1], Cancelled)


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


def test_a_job_without_a_last_event_gets_one(qtbot: QtBot, worker: JudgeWorker) -> None:
    log = Log(worker)
    job = worker.submit("any", lambda _token: iter(["step"]))
    qtbot.waitUntil(lambda: log.ended(job))
    assert log.of(job) == ["step", Finished()]


def test_nothing_follows_the_last_event_and_the_generator_is_closed(qtbot: QtBot, worker: JudgeWorker) -> None:
    closed = threading.Event()

    def start(_token: CancelToken) -> Iterator[object]:
        try:
            yield Finished()
            yield "late"
        finally:
            closed.set()

    log = Log(worker)
    job = worker.submit("any", start)
    qtbot.waitUntil(lambda: log.ended(job))
    qtbot.waitUntil(closed.is_set)
    assert log.of(job) == [Finished()]


def test_a_waiting_job_that_is_cancelled_never_starts(qtbot: QtBot, worker: JudgeWorker) -> None:
    gate, began = threading.Event(), threading.Event()

    def block(_token: CancelToken) -> Iterator[object]:
        yield "step"
        gate.wait(20)

    def start(_token: CancelToken) -> Iterator[object]:
        began.set()
        yield Finished()

    log = Log(worker)
    first = worker.submit("any", block)
    second = worker.submit("any", start)
    worker.cancel(second)
    gate.set()
    qtbot.waitUntil(lambda: log.ended(second))
    assert log.of(second) == [Cancelled()]
    assert log.of(first)[-1] == Finished()
    assert not began.is_set()


def test_the_window_is_never_blocked_while_the_judge_is(qtbot: QtBot, worker: JudgeWorker) -> None:
    gate = threading.Event()

    def block(_token: CancelToken) -> Iterator[object]:
        gate.wait(20)
        yield Finished()

    log = Log(worker)
    job = worker.submit("any", block)
    assert worker.busy
    qtbot.wait(50)
    assert not log.ended(job)
    gate.set()
    qtbot.waitUntil(lambda: log.ended(job))


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


def test_bursts_of_text_and_progress_are_merged_and_nothing_else_is() -> None:
    one, two = Job("a", lambda _token: ()), Job("b", lambda _token: ())

    def progress(done: int, stage: Stage = Stage.SCORES) -> StageProgress:
        return StageProgress(stage=stage, done=done, total=9)

    pending = [
        JobEvent(one, TextPiece(text="a")),
        JobEvent(one, TextPiece(text="b")),
        JobEvent(one, progress(1)),
        JobEvent(one, progress(2)),
        JobEvent(one, progress(3, Stage.PAIR)),
        JobEvent(two, progress(4, Stage.PAIR)),
        JobEvent(two, TextPiece(text="c")),
        JobEvent(one, TextPiece(text="d")),
    ]
    assert [(item.job.name, item.event) for item in merge_events(pending)] == [
        ("a", TextPiece(text="ab")),
        ("a", progress(2)),
        ("a", progress(3, Stage.PAIR)),
        ("b", progress(4, Stage.PAIR)),
        ("b", TextPiece(text="c")),
        ("a", TextPiece(text="d")),
    ]


def test_a_fast_writer_loses_no_text(qtbot: QtBot, worker: JudgeWorker) -> None:
    def write(_token: CancelToken) -> Iterator[object]:
        for number in range(5000):
            yield TextPiece(text=f"{number} ")
        yield Finished()

    log = Log(worker)
    job = worker.submit("any", write)
    qtbot.waitUntil(lambda: log.ended(job), timeout=20_000)
    text = "".join(event.text for event in log.of(job) if isinstance(event, TextPiece))
    assert text == "".join(f"{number} " for number in range(5000))
    assert len(log.of(job)) < 5000
    assert is_last(Finished())


def test_each_job_gives_its_events_to_its_own_handler(qtbot: QtBot, worker: JudgeWorker) -> None:
    heard: dict[str, list[object]] = {"one": [], "two": []}
    for name in heard:
        worker.submit(
            "any", lambda _token, name=name: iter([name, Finished()]), lambda item, name=name: heard[name].append(item)
        )
    qtbot.waitUntil(lambda: not worker.busy)
    assert {name: [item.event for item in items] for name, items in heard.items()} == {
        "one": ["one", Finished()],
        "two": ["two", Finished()],
    }


def test_a_handler_whose_widget_is_gone_hears_nothing_more(qtbot: QtBot, worker: JudgeWorker) -> None:
    class Listener(QObject):
        def __init__(self) -> None:
            super().__init__()
            self.heard: list[JobEvent] = []

        def take(self, _word: str, item: JobEvent) -> None:
            self.heard.append(item)

    listener, alive = Listener(), Listener()
    go_on = threading.Event()

    def start(_token: CancelToken) -> Iterator[object]:
        assert go_on.wait(20)
        yield Finished()

    worker.submit("any", start, functools.partial(listener.take, "gone"))
    worker.submit("any", lambda _token: iter([Finished()]), functools.partial(alive.take, "there"))
    shiboken6.delete(listener)
    go_on.set()
    qtbot.waitUntil(lambda: bool(alive.heard))
    assert not listener.heard


def test_a_signal_whose_object_is_gone_is_told_nothing_more(qtbot: QtBot, worker: JudgeWorker) -> None:
    class Teller(QObject):
        told = Signal(object)

    gone, there, heard = Teller(), Teller(), list[object]()
    for teller in (gone, there):
        teller.told.connect(heard.append)
    go_on = threading.Event()

    def refuse() -> None:
        assert go_on.wait(20)
        raise errors.HistoryError("E_HISTORY", "The history is closed.", "")

    worker.call("any", refuse, gone.told.emit, gone.told.emit)
    worker.call("any", refuse, there.told.emit, there.told.emit)
    shiboken6.delete(gone)
    with qtbot.captureExceptions() as caught:
        go_on.set()
        qtbot.waitUntil(lambda: bool(heard))
    assert [str(error) for error in heard]
    assert not caught


def test_choosing_another_model_stops_only_what_gives_way(qtbot: QtBot, worker: JudgeWorker) -> None:
    go_on = threading.Event()

    def start(_token: CancelToken) -> Iterator[object]:
        assert go_on.wait(20)
        yield Finished()

    stays = worker.submit("any", start)
    yields = worker.submit("any", start, gives_way=True)
    worker.make_way()
    go_on.set()
    qtbot.waitUntil(lambda: not worker.busy)
    assert (stays.token.cancelled, yields.token.cancelled) == (False, True)


class Ring(QObject):
    """Nothing but the garbage collector frees it."""

    def __init__(self) -> None:
        super().__init__()
        self.itself = self


def test_a_job_that_makes_garbage_destroys_nothing_of_the_window(
    qtbot: QtBot,
    worker: JudgeWorker,
    collector: Collector,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(judge_worker, "_MOST", 1_000_000)
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


def test_what_takes_long_to_look_through_waits_until_another_program_is_used(
    collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    destroyed: list[bool] = []
    active, inactive = Qt.ApplicationState.ApplicationActive, Qt.ApplicationState.ApplicationInactive
    monkeypatch.setattr(judge_worker, "_MOST", 0)
    monkeypatch.setattr(QGuiApplication, "applicationState", lambda: active)
    Ring().destroyed.connect(lambda: destroyed.append(True), Qt.ConnectionType.DirectConnection)
    kept = [[n] for n in range(10_000)]
    collector.collect()
    assert len(kept) < gc.get_freeze_count()
    gc.collect()
    assert destroyed == []
    monkeypatch.setattr(QGuiApplication, "applicationState", lambda: inactive)
    collector.collect()
    assert destroyed == [True]


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
