"""A batch spread over many processes or machines with Dask: each of them has one session, and only this process writes.
Dask is optional (the extra ``[cluster]``), so it is imported when a cluster is opened."""

from __future__ import annotations

import multiprocessing
import re
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, suppress
from functools import partial
from typing import Any

from ..core.config import Settings
from ..core.errors import ErrorInfo, JokeJudgeError, UsageError, info
from ..core.events import Cancelled, Event, Failed, Finished, RowBegun, last_event
from ..core.paths import Profile, how_to_add
from ..core.verdicts import Kind
from ..engine.base import CancelToken
from ..session.session import Session
from .batch import NO_OPTIONS, Options, asker, batch_made_by, row_line
from .build import difference
from .lines import Line, Out, Row, Tally

_LOCAL = re.compile(r"local:([1-9][0-9]{0,3})")
_AHEAD = 256
"""Number of rows that wait with the scheduler."""
_LOOK_S, _WAIT_S, _CLOSE_S = 0.05, 15.0, 10.0
"""Seconds between two looks for answers; to wait for the scheduler; and for closing, or fetching a line."""
Recipe = Callable[[Profile, Settings], Session]


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


class Cluster:
    """``address``: of a Dask scheduler (``tcp://host:8786``), whose workers must have this program; or ``local:N`` for
    N processes on this machine, which end with it and which nobody else can reach. A context manager.

    ``recipe(profile, settings)`` opens a worker's session and must be a function of a module; ``profile`` None: the
    worker's own user's. Raises ``UsageError`` ``E_CLUSTER_DASK`` without Dask, ``E_CLUSTER_ADDRESS`` for an invalid
    address, and on entering ``JokeJudgeError`` ``E_CLUSTER_CONNECT``."""

    def __init__(self, address: str, recipe: Recipe, profile: Profile | None, settings: Settings) -> None:
        self.address, self._opening = address, (recipe, profile, settings)
        self._local, self._stack = local_workers(address), ExitStack()
        try:
            import cryptography  # noqa: F401  # Dask needs it for a local cluster's keys
            import distributed
        except ImportError as error:
            missing = "--cluster needs Dask, which isn't installed."
            raise UsageError("E_CLUSTER_DASK", missing, how_to_add("cluster")) from error
        self._dask: Any = distributed
        self.client: Any = None

    def __enter__(self) -> Cluster:
        try:
            target = self._started() if self._local else self.address
            self.client = self._dask.Client(target, timeout=_WAIT_S, set_as_default=False)
            self._stack.callback(self.client.close, timeout=_CLOSE_S)
            if self._local:
                self.client.register_worker_callbacks(_ignore_ctrl_c)
        except BaseException as error:
            self.__exit__()
            if not isinstance(error, OSError | ValueError | TimeoutError):
                raise
            raise JokeJudgeError(
                "E_CLUSTER_CONNECT",
                f"The cluster at {self.address} can't be reached: {str(error) or type(error).__name__}.",
                "Give the address that the scheduler prints when it starts, or local:N for N processes here.",
            ) from error
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(TimeoutError):  # processes that don't end in time are killed later
            self._stack.close()

    def _started(self) -> Any:
        import dask

        # No HTTP pages, which would be open to everyone on this machine.
        pages: dict[str, Any] = {f"distributed.{part}.http.routes": [] for part in ("scheduler", "worker", "nanny")}
        # A row waits with the scheduler, so that a worker's death affects only the row that it judges.
        rows = {"distributed.scheduler.allowed-failures": 1, "distributed.scheduler.worker-saturation": 1.0}
        self._stack.enter_context(dask.config.set({**pages, **rows}))
        self._stack.callback(_end_processes)
        cluster = self._dask.LocalCluster(
            n_workers=self._local, threads_per_worker=1, host="127.0.0.1", protocol="tls",
            security=self._dask.Security.temporary(), memory_limit=0, silence_logs="CRITICAL",
            dashboard_address="127.0.0.1:0", worker_dashboard_address=None, scheduler_kwargs={"dashboard": False},
            local_directory=self._stack.enter_context(tempfile.TemporaryDirectory(prefix="jokejudge-")),
        )  # fmt: skip
        self._stack.callback(cluster.close, timeout=_CLOSE_S)
        return cluster

    @last_event
    def batch(
        self,
        kind: Kind,
        rows: Iterable[Row],
        out: Out,
        tally: Tally,
        *,
        options: Options = NO_OPTIONS,
        cancel: CancelToken | None = None,
    ) -> Iterator[Event]:
        """Do what ``batch`` does, over the cluster: lines are written as they come, and nothing is stored in a history.
        A row whose worker ends is given to another one, and becomes an error line where that one ends, too."""
        sent, done = dict[Any, Row](), self._dask.as_completed(loop=self.client.loop)
        job = partial(judge_row, *self._opening, kind, dict(options))

        def wait_for(future: Any, row: Row) -> None:
            sent[future] = row
            done.add(future)

        def add(line: Line) -> None:
            out.append(line | {"made_by": made})
            tally.count(line)

        try:
            _, made, error = self._answer(self.client.submit(job, None)) if tally.left else (None, {}, None)
            if error is not None:
                yield Failed(error=error)
                return
            out.check(made)
            todo, began = tally.left, time.monotonic()
            left = (row for row in rows if not out.has(row)) if todo else iter(())
            row = next(left, None)
            while row is not None or sent:
                if cancel is not None and cancel.cancelled:
                    yield Cancelled()
                    return
                while row is not None and len(sent) < _AHEAD:
                    yield RowBegun(id=row.id, done=tally.done, total=todo, seconds=time.monotonic() - began)
                    if row.problem is not None:
                        add(row_line(kind, row, Failed(error=row.problem)))
                    else:
                        wait_for(self.client.submit(job, row, pure=False), row)
                    row = next(left, None)
                returned = done.next_batch(block=False)
                if not returned:
                    time.sleep(_LOOK_S)
                for future in returned:
                    judged = sent.pop(future)
                    try:
                        last, by, error = self._answer(future)
                    except TimeoutError:  # its worker ended before the answer was fetched: it is judged once more
                        wait_for(future, judged)
                        continue
                    if error is not None or last is None:
                        yield Cancelled() if error is None else Failed(error=error)
                        return
                    if by and (what := difference(made, by)) is not None:
                        raise UsageError(
                            "E_CLUSTER_MIXED",
                            f"One of the cluster's workers has another {what} than the others.",
                            "Install the same version, models and heads everywhere, then run the same command again.",
                        )
                    add(row_line(kind, judged, last))
            yield Finished()
        finally:
            for future in sent:
                future.release()  # so that the scheduler forgets it

    def _answer(self, future: Any) -> Answer:
        """Return a worker's answer. Raises ``TimeoutError`` where it can't be fetched yet, and ``JokeJudgeError``."""
        try:
            answer: Answer = future.result(timeout=_CLOSE_S if future.done() else None)
            return answer
        except Exception as fault:
            if self.client.status not in ("running", "connecting") or future.status == "cancelled":
                gone = f"The cluster at {self.address} has gone."
                again = "Start it again, then run the same command again: it goes on from there."
                raise JokeJudgeError("E_CLUSTER_GONE", gone, again) from fault
            if type(fault).__name__ == "KilledWorker":
                dead = "The processes that judged this row ended, one after another."
                hint = "Look whether they ran out of memory; --retry-errors judges the row again."
                return Failed(error=info(JokeJudgeError("E_CLUSTER_WORKER", dead, hint))), {}, None
            if future.status in ("pending", "lost") or isinstance(fault, TimeoutError):
                raise TimeoutError from fault
            raise JokeJudgeError(
                "E_CLUSTER_FAULT",
                f"A worker of the cluster can't judge ({type(fault).__name__}).",
                "Check that every worker has this version of the program installed.",
            ) from fault


def _end_processes() -> None:
    for process in multiprocessing.active_children():
        process.kill()


# In the workers

Answer = tuple[Finished | Failed | None, dict[str, str], ErrorInfo | None]
"""The last event of a row's verdict and what it depends on, or the error that ends the run."""
_alone = threading.Lock()
_sessions: dict[str, Session] = {}


def judge_row(
    recipe: Recipe, profile: Profile | None, settings: Settings, kind: Kind, options: Options, row: Row | None
) -> Answer:
    """Judge one row in a worker, whose session stays for the next rows; None: only load the model."""
    name = f"{recipe.__qualname__} {profile} {settings}"
    with _alone:
        try:
            session = _sessions.get(name) or recipe(profile or Profile.default(), settings)
            _sessions[name] = session
            if session.model is None:
                *_, loaded = session.load()
                if not isinstance(loaded, Finished):
                    return None, {}, loaded.error if isinstance(loaded, Failed) else None
            made = batch_made_by(session, kind, options)
            # A verdict is stored in the history of the machine where it was asked for, so workers store none.
            *_, last = asker(session, kind, options, record=False)(row) if row else (None,)
        except JokeJudgeError as error:
            return None, {}, info(error)
    if isinstance(last, Failed) and last.error.ends_the_run:
        return None, made, last.error
    return last if isinstance(last, Finished | Failed) else None, made, None


def _ignore_ctrl_c() -> None:
    """Leave Ctrl-C, which a terminal sends to every process that it started, to the writing process."""
    with suppress(ValueError):  # not the process's main thread
        signal.signal(signal.SIGINT, signal.SIG_IGN)
