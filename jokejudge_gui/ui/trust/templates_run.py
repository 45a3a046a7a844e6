"""A run over judge templates in the window: reading rows, judging them in the judge's thread, and what came of it."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject

from ...engine.base import CancelToken
from ...errors import JokeJudgeError
from ...events import Cancelled, Failed, Finished, Stage, StageProgress, is_last
from ...files import private_folder, sha256_of
from ...rubric.template_types import Pack
from ...rubric.templates import find_pack
from ...runs.batch import RowBegun, Tally, counted
from ...runs.made import made_by
from ...runs.template_results import TemplateResults
from ...runs.template_rows import TemplateFile, TemplateRows
from ...runs.template_run import judge_rows
from ...runs.template_stages import StageRows, read_stage_readings, shipped_readings, stage_rows
from ...session import Session
from ..frame.judge_worker import Job, JobEvent, JobStart, JudgeWorker
from .long_run import Ending, LongRun, Phase

_READINGS = 40
"""Texts that rows of the program's own stages are made of: minutes with a small model."""


@dataclass(frozen=True)
class RowsRead:
    """A file of ``count`` rows, ``bad`` of which can't be judged."""

    pack: Pack
    path: Path
    count: int
    bad: int


@dataclass(frozen=True)
class ResultsRead:
    """What a run wrote."""

    results: TemplateResults


def rows_job(pack: str, path: Path) -> JobStart:
    """Reads a pack and a file of rows."""

    def start(_token: CancelToken) -> Iterator[object]:
        found = find_pack(pack)
        with TemplateRows(str(path), found) as rows:
            yield RowsRead(found, path, len(rows), sum(row.problem is not None for row in rows))

    return start


def results_job(pack: Pack, path: Path) -> JobStart:
    """Reads what a run wrote."""

    def start(_token: CancelToken) -> Iterator[object]:
        yield ResultsRead(TemplateResults(pack, path))

    return start


class TemplatesRun(LongRun):
    """Rows judged by a pack, or made for it of the program's own stages. What was judged or made is kept, so the same
    rows go on where they stopped."""

    job_name = "templates"

    def __init__(self, session: Session, worker: JudgeWorker, side_worker: JudgeWorker, parent: QObject) -> None:
        super().__init__(session, worker, parent)
        self._side_worker = side_worker
        self._side_job: Job | None = None
        self._out: Path | None = None
        self.making = False
        self._ended: Phase = "idle"
        self.pack = "seeds"
        self.read: RowsRead | None = None
        self.results: TemplateResults | None = None
        self.progress: RowBegun | None = None
        self.note = ""

    def choose(self, path: Path) -> None:
        """Read a file of rows for the pack that is chosen."""
        if self.live:
            return
        self.read = self.results = self.error = None
        self.making = False
        self._set("reading")
        self._side_job = self._side_worker.submit("rows", rows_job(self.pack, path), self._on_side)

    def choose_pack(self, name: str) -> None:
        """Judge by another pack: rows that were read are read again."""
        if self.live or name == self.pack:
            return
        before, self.pack = self.read, name
        self.read = self.results = self.error = None
        self.making = False
        self._set("idle")
        if before is not None:
            self.choose(before.path)

    def start(self) -> None:
        """Judge the rows, or go on making them."""
        if (self.read is not None or self.making) and not self.live:
            self._submit()

    def make(self) -> None:
        """Have the model in use judge texts that were read with the rubric in hand, and make rows of what it found."""
        if not self.live:
            self.read = self.results = None
            self.making = True
            self._submit()

    def _clear(self) -> None:
        self.progress, self.note = None, ""

    def _steps(self) -> JobStart:
        if self.making:
            return self._stages
        read = self.read
        assert read is not None

        def steps(token: CancelToken) -> Iterator[object]:
            judge = self._session.judge
            folder = self._folder()
            with TemplateRows(str(read.path), read.pack) as rows:
                # Read again: the file may have changed since it was looked at.
                made = "\0".join((read.pack.version, sha256_of(read.path), judge.model.sha256 if judge else ""))
                out = folder / f"{hashlib.sha256(made.encode()).hexdigest()[:24]}.jsonl"
                file = TemplateFile(out, read.pack)
                try:
                    self._out = out
                    tally: Tally = counted(rows, file)
                    record = not self._session.settings.batch_no_history
                    yield from judge_rows(self._session, rows, file, tally, record=record, cancel=token)
                finally:
                    file.close()

        return steps

    def _folder(self) -> Path:
        folder = self._session.profile.templates / "runs"
        try:
            private_folder(folder)
        except OSError as error:
            raise JokeJudgeError(
                "E_WRITE", f"{folder} can't be made: {error.strerror or error}.", "Free some disk space."
            ) from error
        return folder

    def _stages(self, token: CancelToken) -> Iterator[object]:
        """Makes rows in a file of the model's own, and reads them."""
        session, began = self._session, time.monotonic()
        if session.model is None:
            for event in session.load(cancel=token):
                if isinstance(event, Failed | Cancelled):
                    yield event
                    return
        readings = read_stage_readings(shipped_readings(), _READINGS)
        made = hashlib.sha256(json.dumps(made_by(session)).encode()).hexdigest()[:24]
        out = self._folder() / f"stages-{made}.jsonl"
        record = not session.settings.batch_no_history
        for event in stage_rows(session, readings, out, record=record, cancel=token):
            if isinstance(event, StageRows):
                yield RowBegun(id=None, done=event.done, total=event.total, seconds=time.monotonic() - began)
            elif isinstance(event, Finished):
                yield from rows_job(self.pack, out)(token)
                yield event
            else:
                yield event

    def _follow(self, event: object) -> None:
        if isinstance(event, RowsRead):
            self.read = event
        elif isinstance(event, RowBegun):
            self.progress, self.note = event, ""
            self._going_on()
        elif isinstance(event, StageProgress) and event.stage is Stage.CALIBRATION:
            self.note = f"{event.note} ({event.done:,} of {event.total or 0:,})"
            self.changed.emit()

    def _end(self, event: Ending) -> None:
        if isinstance(event, Failed):
            self.error = event.error
        self._ended = "failed" if self.error else "stopped" if isinstance(event, Cancelled) else "ready"
        if self.making:
            self.making = self.read is None
            self._set(self._ended)
            return
        if self._left or self._out is None or self.read is None:
            self._set(self._ended)
            return
        self._side_job = self._side_worker.submit("results", results_job(self.read.pack, self._out), self._on_side)
        self._set("showing")

    def _on_side(self, item: JobEvent) -> None:
        if item.job is not self._side_job:
            return
        event = item.event
        if isinstance(event, RowsRead):
            self.read = event
            self._set("ready")
        elif isinstance(event, ResultsRead):
            self.results = event.results
            self._set(self._ended)
        elif isinstance(event, Failed):
            self.error = self.error or event.error
            self._set("failed")
        if is_last(event):  # type: ignore[arg-type]
            self._side_job = None
