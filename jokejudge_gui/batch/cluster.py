"""A batch spread over many processes or machines with Dask: each of them has one session, and only this process writes.
Dask is optional (the extra ``[cluster]``), so it is imported when a cluster is opened."""

from __future__ import annotations

import multiprocessing
import re
import signal
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

from ..core.config import Settings
from ..core.errors import EngineError, JokeJudgeError, UsageError, info
from ..core.events import Cancelled, Event, Failed, Finished, Last, last_event
from ..core.paths import Profile, how_to_add
from ..core.verdicts import Kind
from ..engine.base import CancelToken
from ..session.session import Session
from .batch import Options, asker, batch_made_by, row_line
from .lines import Out, Row, Tally, difference, each_row

_LOCAL = re.compile(r"local:([1-9][0-9]{0,3})")
_AHEAD = 256
"""Number of rows that wait with the scheduler."""
_LOOK_S, _WAIT_S, _CLOSE_S, _ALONE_S = 0.05, 15.0, 10.0, 60.0
"""Seconds between two looks for answers; to wait for the scheduler; for closing, or fetching a line; and for an answer,
before it is seen whether there are workers."""
_MOST_FAULTS = 20
"""The most times that a line may fail to be fetched for another reason than time."""
_AGAIN = "Start it again, then run the same command again: it goes on from there."
Recipe = Callable[[Profile, Settings], Session]
"""Opens a worker's session; a function of a module."""
Answer = tuple[Last, dict[str, str]]
"""The last event of a row's verdict, and what it depends on."""


def local_workers(address: str) -> int:
    """Return N of ``local:N``; 0 for another address. Raises ``UsageError`` ``E_CLUSTER_ADDRESS``."""
    if local := _LOCAL.fullmatch(address.strip()):
        return int(local[1])
    if ":" in address and not address.strip().startswith("local"):
        return 0
    raise UsageError(
        "E_CLUSTER_ADDRESS",
        f"{address!r} is no address of a cluster.",
        "Give local:N for N processes on this machine, or a scheduler's address, such as tcp://node1:8786.",
    )


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """Yield a client of a Dask scheduler (``tcp://host:8786``) whose workers have this program; or of ``local:N``,
    N processes on this machine, which end with it and which nobody else can reach. Raises ``UsageError``
    ``E_CLUSTER_DASK`` without Dask, ``E_CLUSTER_ADDRESS`` for an invalid address, and ``JokeJudgeError``
    ``E_CLUSTER_CONNECT``."""
    local = local_workers(address)
    try:
        import cryptography  # noqa: F401  # Dask needs it for a local cluster's keys
        import distributed
    except ImportError as error:
        missing = "--cluster needs Dask, which isn't installed."
        raise UsageError("E_CLUSTER_DASK", missing, how_to_add("cluster")) from error
    with ExitStack() as stack:
        try:
            target = _started(local, stack) if local else address
            client: Any = distributed.Client(target, timeout=_WAIT_S, set_as_default=False)
            stack.callback(_close, client)
            if local:
                client.register_worker_callbacks(_ignore_ctrl_c)
        except (OSError, ValueError, TimeoutError) as error:
            raise JokeJudgeError(
                "E_CLUSTER_CONNECT",
                f"The cluster at {address} can't be reached: {str(error) or type(error).__name__}.",
                "Give the address that the scheduler prints when it starts, or local:N for N processes here.",
            ) from error
        yield client


def _started(count: int, stack: ExitStack) -> Any:
    import dask
    import distributed

    # No HTTP pages, which would be open to everyone on this machine.
    pages: dict[str, Any] = {f"distributed.{part}.http.routes": [] for part in ("scheduler", "worker", "nanny")}
    # A row waits with the scheduler, so that a worker's death affects only the row that it judges.
    rows = {"distributed.scheduler.allowed-failures": 1, "distributed.scheduler.worker-saturation": 1.0}
    stack.enter_context(dask.config.set({**pages, **rows}))
    stack.callback(_end_processes)
    cluster = distributed.LocalCluster(
        n_workers=count, threads_per_worker=1, host="127.0.0.1", protocol="tls",
        security=distributed.Security.temporary(), memory_limit=0, silence_logs="CRITICAL",
        dashboard_address="127.0.0.1:0", worker_dashboard_address=None, scheduler_kwargs={"dashboard": False},
        local_directory=stack.enter_context(tempfile.TemporaryDirectory(prefix="jokejudge-")),
    )  # fmt: skip
    stack.callback(_close, cluster)
    return cluster


def _end_processes() -> None:
    for process in multiprocessing.active_children():
        process.kill()


def _close(resource: Any) -> None:
    with suppress(TimeoutError):  # processes that don't end in time are killed later
        resource.close(timeout=_CLOSE_S)


@last_event
def cluster_batch(
    address: str,
    job: Callable[[Row | None], Answer],
    kind: Kind,
    rows: Iterable[Row],
    out: Out,
    tally: Tally,
    cancel: CancelToken,
) -> Iterator[Event]:
    """Do what ``batch`` does, over the cluster at this address: the next rows are with its workers already, and nothing
    is stored in a history. ``job``: ``judge_row`` with its first arguments. A row whose worker ends is given to another
    one, and becomes an error line where that one ends, too. Raises what ``connected`` raises."""
    sent: dict[int, Any] = {}
    with connected(address) as client:

        def answer(row: Row | None) -> Answer:
            future = sent.pop(row.line) if row is not None else client.submit(job, None)
            begin, faults = time.monotonic(), 0
            while not cancel.cancelled:
                done = future.done()
                try:
                    return _answer(client, future, _CLOSE_S if done else _LOOK_S)
                except TimeoutError as fault:
                    if done or future.status == "lost":  # its worker ended before: it is judged once more
                        future = client.submit(job, row, pure=False)
                    faults += not isinstance(fault.__cause__, TimeoutError)
                    if faults > _MOST_FAULTS and fault.__cause__ is not None:
                        raise _unable(fault.__cause__) from fault
                    if time.monotonic() - begin > _ALONE_S:
                        begin = time.monotonic()
                        _check_workers(client, address)
            return Cancelled(), {}

        last, made = answer(None) if tally.left else (Finished(), {})
        if not isinstance(last, Finished):
            yield last
            return
        out.check(made, adding=tally.left > 0)

        def ahead() -> Iterator[Row]:
            soon = deque[Row]()
            for row in rows if tally.left else ():
                soon.append(row)
                if row.problem is None and not out.has(row):
                    sent[row.line] = client.submit(job, row, pure=False)
                while len(sent) >= _AHEAD:
                    yield soon.popleft()
            yield from soon

        def ask(row: Row) -> Iterator[Event]:
            last, by = answer(row)
            if by and (what := difference(made, by)) is not None:
                raise UsageError(
                    "E_CLUSTER_MIXED",
                    f"One of the cluster's workers has another {what} than the others.",
                    "Install the same version, models and heads everywhere, then run the same command again.",
                )
            yield last

        try:
            yield from each_row(ahead(), ask, lambda row, last: row_line(kind, row, last, made), out, tally)
        finally:
            for future in sent.values():
                future.release()  # so that the scheduler forgets it


def _answer(client: Any, future: Any, wait_s: float) -> Answer:
    """Return a worker's answer. Raises ``TimeoutError`` where it can't be fetched yet, and ``JokeJudgeError``."""
    try:
        answer: Answer = future.result(timeout=wait_s)
        return answer
    except Exception as fault:
        if client.status not in ("running", "connecting") or future.status == "cancelled":
            raise JokeJudgeError("E_CLUSTER_GONE", "The cluster has gone.", _AGAIN) from fault
        if type(fault).__name__ == "KilledWorker":
            dead = "The processes that judged this row ended, one after another."
            hint = "Look whether they ran out of memory; --retry-errors judges the row again."
            return Failed(error=info(EngineError("E_CLUSTER_WORKER", dead, hint))), {}
        if future.status != "error":  # fetching it failed, as it does in many ways while a worker ends
            raise TimeoutError from fault
        raise _unable(fault) from fault


def _unable(fault: BaseException) -> JokeJudgeError:
    return JokeJudgeError(
        "E_CLUSTER_FAULT",
        f"A worker of the cluster can't judge ({type(fault).__name__}).",
        "Check that every worker has this version of the program installed.",
    )


def _check_workers(client: Any, address: str) -> None:
    """Raise ``JokeJudgeError`` ``E_CLUSTER_WORKERS`` where no worker is there to answer."""
    if not client.scheduler_info()["workers"]:
        nobody = f"The cluster at {address} has no workers."
        raise JokeJudgeError("E_CLUSTER_WORKERS", nobody, _AGAIN.replace("it again", "some (dask worker ADDRESS)"))


# In the workers

_alone = threading.Lock()
_sessions: dict[str, Session] = {}


def judge_row(
    recipe: Recipe, profile: Profile | None, settings: Settings, kind: Kind, options: Options, row: Row | None
) -> Answer:
    """Judge one row in a worker, whose session stays for the next rows; None: only load the model. ``profile`` None:
    the worker's own user's."""
    name = f"{recipe.__qualname__} {profile} {settings}"
    with _alone:
        try:
            session = _sessions.get(name) or recipe(profile or Profile.default(), settings)
            _sessions[name] = session
            if session.model is None:
                *_, loaded = session.load()
                if not isinstance(loaded, Finished):
                    assert isinstance(loaded, Last)
                    return loaded, {}
            made = batch_made_by(session, kind, options)
            # A verdict is stored in the history of the machine where it was asked for, so workers store none.
            *_, last = asker(session, kind, options, record=False)(row) if row else (Finished(),)
        except JokeJudgeError as error:
            return Failed(error=info(error)), {}
    assert isinstance(last, Last)
    return last, made


def _ignore_ctrl_c() -> None:
    """Leave Ctrl-C, which a terminal sends to every process that it started, to the writing process."""
    with suppress(ValueError):  # not the process's main thread
        signal.signal(signal.SIGINT, signal.SIG_IGN)
