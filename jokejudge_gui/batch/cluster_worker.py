"""The worker process of a cluster: it has one session, and judges the rows that it receives, one after another.

The only module besides ``cluster`` that needs Dask (the extra ``[cluster]``); it is imported by name in the workers.
"""

from __future__ import annotations

import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from distributed import WorkerPlugin, get_worker

from ..core.config import Settings
from ..core.errors import ErrorInfo, JokeJudgeError, info
from ..core.events import Cancelled, Failed, Finished
from ..core.paths import Profile
from ..core.verdicts import Kind
from ..session.session import Session
from .batch import asker, batch_made_by, row_line
from .lines import Row

PLUGIN = "jokejudge"
Recipe = Callable[[Profile, Settings], Session]


@dataclass(frozen=True)
class RowResult:
    """The result of a row: its ``line`` with ``made``, or the error that ends the run (``stop``)."""

    line: dict[str, Any] | None
    made: dict[str, str]
    stop: ErrorInfo | None = None


class SessionPlugin(WorkerPlugin):  # type: ignore[misc]  # Dask is optional, so it isn't known to the type checker
    """One session for the whole process, in one thread of its own, whatever the number of the worker's threads."""

    name = PLUGIN

    def __init__(self, recipe: Recipe, profile: Profile | None, settings: Settings, *, deaf: bool = False) -> None:
        """``profile`` None: the folders of the user who runs the worker; ``deaf``: ignore Ctrl-C, which a terminal
        sends to every process that it started: the writing process ends the others."""
        self._deaf = deaf
        self._recipe, self._profile, self._settings = recipe, profile, settings
        self._session: Session | None = None
        self._thread: ThreadPoolExecutor | None = None

    def setup(self, worker: object) -> None:
        """Called by Dask when a worker starts. Nothing is loaded before the first row."""
        if self._deaf:
            with suppress(ValueError):  # not the process's main thread
                signal.signal(signal.SIGINT, signal.SIG_IGN)
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="jokejudge")

    def teardown(self, worker: object) -> None:
        """Called by Dask when a worker ends: the model is freed by the thread that used it."""
        if self._thread is not None:
            self._thread.submit(self._close).result()
            self._thread.shutdown()

    def judge(self, kind: Kind, row: Row, force: bool, listeners: tuple[str, ...] | None = None) -> RowResult:
        """Judge one row."""
        assert self._thread is not None
        return self._thread.submit(self._judge, kind, row, force, listeners).result()

    def _judge(self, kind: Kind, row: Row, force: bool, listeners: tuple[str, ...] | None) -> RowResult:
        try:
            session = self._opened()
            if session.model is None:
                *_, last = session.load()
                if not isinstance(last, Finished):
                    return RowResult(None, {}, last.error if isinstance(last, Failed) else None)
            # A verdict is stored in the history of the machine where it was asked for, so workers store none.
            *_, last = asker(session, kind, force=force, listeners=listeners, record=False)(row)
            made = batch_made_by(session, kind, listeners)
        except JokeJudgeError as error:
            return RowResult(None, {}, info(error))
        if isinstance(last, Cancelled):
            return RowResult(None, made)
        if isinstance(last, Failed) and last.error.ends_the_run:
            return RowResult(None, made, last.error)
        assert isinstance(last, Finished | Failed)
        return RowResult(row_line(kind, row, last), made)

    def _opened(self) -> Session:
        if self._session is None:
            self._session = self._recipe(self._profile or Profile.default(), self._settings)
        return self._session

    def _close(self) -> None:
        if self._session is not None:
            self._session.close()
            self._session = None


def judge_row(kind: Kind, row: Row, force: bool, listeners: tuple[str, ...] | None = None) -> RowResult:
    """Judge one row in a worker: the task that is sent to it."""
    plugin: SessionPlugin = get_worker().plugins[PLUGIN]
    return plugin.judge(kind, row, force, listeners)
