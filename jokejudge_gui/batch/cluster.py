"""A batch spread over many processes or machines with Dask: each of them has one session, and only this process writes.
Dask is optional (the extra ``[cluster]``), so it is imported when a cluster is opened."""

from __future__ import annotations

import multiprocessing
import queue
import re
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ..core.config import Settings
from ..core.errors import JokeJudgeError, UsageError, info
from ..core.events import Cancelled, Event, Failed, Finished, RowBegun
from ..core.logs import log
from ..core.paths import Profile, how_to_add
from ..core.verdicts import Kind
from ..engine.base import CancelToken
from .batch import BatchOut, row_line
from .build import difference
from .lines import Row, Tally

if TYPE_CHECKING:
    from .cluster_worker import Recipe, RowResult

_LOG = log("runs")
_LOCAL = re.compile(r"local:([0-9]{1,4})")
_AHEAD = 2
"""Number of rows queued for each worker besides the one that it judges."""
_LOOK_S = 0.2
_WAIT_S = 60.0
"""Seconds that a cluster may be without any worker."""
_CLOSE_S = 10.0
_FETCH_S = 10.0
"""Seconds to wait for a line that a worker has; the worker may have ended before another has judged the row."""
_DEATHS = 1
"""Number of times that a row is given to another worker when its own ended; after that it becomes an error line."""


class Cluster:
    """``address``: of a Dask scheduler (``tcp://host:8786``), whose workers must have this program; or ``local:N`` for
    N processes on this machine, which end with it. A context manager.

    ``recipe(profile, settings)`` opens a worker's session and must be a function of a module; ``profile`` None: the
    worker's own user's. Raises ``UsageError`` ``E_CLUSTER_DASK`` without Dask, ``E_CLUSTER_ADDRESS`` for an invalid
    address, and on entering ``JokeJudgeError`` ``E_CLUSTER_CONNECT``."""

    def __init__(self, address: str, recipe: Recipe, profile: Profile | None, settings: Settings) -> None:
        self.address = address
        self.local = local_workers(address)
        self._recipe, self._profile, self._settings = recipe, profile, settings
        self._stack = ExitStack()
        try:
            import cryptography  # noqa: F401  # Dask needs it for a local cluster's keys
            import distributed
        except ImportError as error:
            raise UsageError(
                "E_CLUSTER_DASK", "--cluster needs Dask, which isn't installed.", how_to_add("cluster")
            ) from error
        self._dask: Any = distributed
        self.client: Any = None

    def __enter__(self) -> Cluster:
        from .cluster_worker import SessionPlugin

        try:
            target = self._started() if self.local else self.address
            self.client = self._dask.Client(target, timeout=_WAIT_S / 4, set_as_default=False)
            self._stack.callback(self.client.close, timeout=_CLOSE_S)
            plugin = SessionPlugin(self._recipe, self._profile, self._settings, deaf=bool(self.local))
            self.client.register_plugin(plugin)
        except BaseException as error:
            self.__exit__(None, None, None)
            if not isinstance(error, OSError | ValueError | TimeoutError):
                raise
            raise JokeJudgeError(
                "E_CLUSTER_CONNECT",
                f"The cluster at {self.address} can't be reached: {str(error) or type(error).__name__}.",
                "Give the address that the scheduler prints when it starts, or local:N for N processes here.",
            ) from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(TimeoutError):  # processes that don't end in time are killed later
            self._stack.close()

    def workers(self) -> int:
        """Return the present number of workers."""
        return len(self.client.scheduler_info(n_workers=-1)["workers"])

    def _started(self) -> Any:
        """Return a cluster of processes on this machine that only this process can reach."""
        import dask

        folder = self._stack.enter_context(tempfile.TemporaryDirectory(prefix="jokejudge-"))
        given = {
            "distributed.scheduler.allowed-failures": _DEATHS,
            # A row waits with the scheduler, not with a worker, so that a worker's death affects only its one row.
            "distributed.scheduler.worker-saturation": 1.0,
            "distributed.comm.timeouts.connect": "30s",
            # HTTP pages would be open to everyone on this machine.
            "distributed.scheduler.http.routes": [],
            "distributed.worker.http.routes": [],
            "distributed.nanny.http.routes": [],
        }
        self._stack.enter_context(dask.config.set(given))
        self._stack.callback(_end_processes)
        cluster = self._dask.LocalCluster(
            n_workers=self.local,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            protocol="tls",
            # Keys for this cluster alone, kept in memory: nobody else on this machine can join it or give it work.
            security=self._dask.Security.temporary(),
            dashboard_address="127.0.0.1:0",  # without one it would still ask for a fixed port
            scheduler_kwargs={"dashboard": False},
            worker_dashboard_address=None,
            memory_limit=0,
            local_directory=str(Path(folder)),
            silence_logs="CRITICAL",
        )
        self._stack.callback(cluster.close, timeout=_CLOSE_S)
        return cluster


def _end_processes() -> None:
    """End the worker processes that outlived their cluster, so that they don't keep this process from ending."""
    for process in multiprocessing.active_children():
        process.kill()


def local_workers(address: str) -> int:
    """Return N of ``local:N``; 0 for another address. Raises ``UsageError`` ``E_CLUSTER_ADDRESS``."""
    found = _LOCAL.fullmatch(address.strip())
    if found is None and not address.strip().startswith("local"):
        if ":" in address:
            return 0
    elif found is not None and int(found[1]) > 0:
        return int(found[1])
    raise UsageError(
        "E_CLUSTER_ADDRESS",
        f"{address!r} is no address of a cluster.",
        "Give local:N for N processes on this machine, or a scheduler's address, such as tcp://node1:8786.",
    )


def cluster_batch(
    cluster: Cluster,
    kind: Kind,
    rows: Iterable[Row],
    file: BatchOut,
    tally: Tally,
    *,
    force: bool = False,
    listeners: tuple[str, ...] | None = None,
    cancel: CancelToken | None = None,
) -> Iterator[Event]:
    """``batch`` over a cluster: its workers judge the rows that have no line in ``file`` yet, and their lines are
    written as they come. Nothing is stored in a history.

    A row whose worker ends is given to another one, and becomes an error line where that one ends too. Yields
    ``RowBegun`` when a row is sent, and one last event as ``batch`` does; also ``Failed`` where the cluster has gone,
    or where workers differ in the things that a verdict depends on."""
    work = _Work(cluster, kind, file, tally, (force, listeners), cancel)
    _LOG.info("batch %s over a cluster: %d rows, %d of them have a line", kind, tally.rows, tally.skipped)
    try:
        yield from work.run(rows)
    except JokeJudgeError as error:
        _LOG.warning("batch: %s after %d rows", error.code, tally.done)
        yield Failed(error=info(error))
    finally:
        work.drop()


class _Work:
    """One run: the rows sent and the lines received."""

    def __init__(
        self,
        cluster: Cluster,
        kind: Kind,
        file: BatchOut,
        tally: Tally,
        options: tuple[bool, tuple[str, ...] | None],
        cancel: CancelToken | None,
    ) -> None:
        self._cluster, self._kind, self._file, self._tally = cluster, kind, file, tally
        self._options, self._cancel = options, cancel
        self._sent: dict[Any, Row] = {}
        self._back: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._made: dict[str, str] = {}
        self._waiting: list[dict[str, Any]] = []
        self._alone_since: float | None = None
        self._looked = 0.0
        self._room = 0

    def run(self, rows: Iterable[Row]) -> Iterator[Event]:
        todo, began = self._tally.left, time.monotonic()
        left = iter(rows)
        more = todo > 0
        while more or self._sent:
            if self._cancel is not None and self._cancel.cancelled:
                yield Cancelled()
                return
            self._watch()
            while more and len(self._sent) < self._room:
                row = next((row for row in left if not self._file.has(row)), None)
                if row is None:
                    more = False
                    break
                yield RowBegun(id=row.id, done=self._tally.done, total=todo, seconds=time.monotonic() - began)
                self._send(row)
            stop = self._take()
            if stop is not None:
                yield stop
                return
        self._flush()
        yield Finished()

    def drop(self) -> None:
        """Release the rows that were sent and not received."""
        for future in self._sent:
            future.release()  # the scheduler forgets a future without references
        self._sent.clear()

    def _send(self, row: Row) -> None:
        if row.problem is not None:
            self._write(row_line(self._kind, row, Failed(error=row.problem)))
            return
        from .cluster_worker import judge_row

        future = self._cluster.client.submit(judge_row, self._kind, row, *self._options, pure=False)
        self._sent[future] = row
        future.add_done_callback(self._back.put)

    def _take(self) -> Event | None:
        """Write the received lines; return the event that ends the run, or None."""
        try:
            future = self._back.get(timeout=_LOOK_S) if self._sent else None
        except queue.Empty:
            return None
        while future is not None:
            row = self._sent.pop(future, None)
            if row is not None and (stop := self._settle(future, row)) is not None:
                return stop
            try:
                future = self._back.get_nowait()
            except queue.Empty:
                future = None
        return None

    def _settle(self, future: Any, row: Row) -> Event | None:
        if future.status in ("lost", "pending"):
            self._wait_again(future, row)
            return None
        if future.status == "finished":
            try:
                found: RowResult = future.result(timeout=_FETCH_S)
            except Exception as fault:  # Dask raises the row's past error; its status is current
                if future.status == "finished" and not isinstance(fault, TimeoutError):
                    raise
                self._wait_again(future, row)
                return None
            if found.line is None:
                return Failed(error=found.stop) if found.stop is not None else Cancelled()
            self._agree(found.made)
            self._write(found.line)
            return None
        if future.status == "error":
            error = future.exception()
            if type(error).__name__ == "KilledWorker":
                dead = JokeJudgeError(
                    "E_CLUSTER_WORKER",
                    "The processes that judged this row ended, one after another.",
                    "Look whether they ran out of memory; --retry-errors judges the row again.",
                )
                self._write(row_line(self._kind, row, Failed(error=info(dead))))
                return None
            _LOG.warning("a worker's fault: %s", type(error).__name__)
            raise JokeJudgeError(
                "E_CLUSTER_FAULT",
                f"A worker of the cluster can't judge ({type(error).__name__}).",
                "Check that every worker has this version of the program installed.",
            )
        raise _gone(self._cluster.address)  # cancelled: the scheduler has gone

    def _wait_again(self, future: Any, row: Row) -> None:
        """Wait again for a row whose worker ended before its line was fetched: the scheduler has it judged again."""
        self._sent[future] = row
        future.add_done_callback(self._back.put)

    def _agree(self, made: dict[str, str]) -> None:
        """Keep the first line's ``made_by``. Raises ``UsageError`` for a line that differs from it."""
        if not self._made:
            self._file.check(made)
            self._made = made
            self._flush()
            return
        what = difference(self._made, made)
        if what is not None:
            raise UsageError(
                "E_CLUSTER_MIXED",
                f"One of the cluster's workers has another {what} than the others.",
                "Install the same version and the same models and heads everywhere, then run the same command again.",
            )

    def _write(self, line: dict[str, Any]) -> None:
        self._waiting.append(line)
        if self._made:  # its made_by isn't known before the first verdict
            self._flush()

    def _flush(self) -> None:
        for line in self._waiting:
            self._file.append(line | {"made_by": self._made})
            self._tally.count(line)
        self._waiting.clear()

    def _watch(self) -> None:
        """Update the number of rows to send; raise where the cluster has gone."""
        now = time.monotonic()
        if self._room and now - self._looked < 1.0:
            return
        self._looked = now
        if self._cluster.client.status not in ("running", "connecting"):
            raise _gone(self._cluster.address)
        workers = self._cluster.workers()
        self._room = max(1, workers * (1 + _AHEAD))
        if workers:
            self._alone_since = None
        elif self._alone_since is None:
            self._alone_since = now
        elif now - self._alone_since > _WAIT_S:
            raise _gone(self._cluster.address)


def _gone(address: str) -> JokeJudgeError:
    return JokeJudgeError(
        "E_CLUSTER_GONE",
        f"The cluster at {address} has gone, or has no workers.",
        "Start it again, then run the same command again: it goes on from there.",
    )
