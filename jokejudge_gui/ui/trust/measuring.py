"""Measuring the model in use on a labelled file: reading it, the run in the judge's worker, and writing a report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from PySide6.QtCore import QObject, Signal

from ...engine.base import CancelToken
from ...evaluation.items import items_csv
from ...evaluation.labelled import labels_of, read_pairs, read_ratings
from ...evaluation.reading_labels import read_reference
from ...evaluation.report_html import page
from ...events import Cancelled, Failed, Finished, Stage, StageProgress, is_last
from ...files import atomic_write
from ...runs.answers import AnswersFile
from ...runs.evaluation import Plan, RowsDone, ask
from ...runs.kept import Kept, KeptEvaluations
from ...session import Session
from ...tables import read_bytes
from ...verdicts import Mode, ModelRef
from ..frame.judge_worker import Job, JobEvent, JobStart, JudgeWorker
from .long_run import Ending, LongRun

_KINDS = ("pairs", "ratings", "readings")


@dataclass(frozen=True)
class Labelled:
    """A labelled file that can be used: ``rows`` of them, ``ties`` and ``bad`` ones left out."""

    path: Path
    kind: Literal["pairs", "ratings", "readings"]
    rows: int
    ties: int = 0
    bad: int = 0


class FilesRead:
    """All the files that were chosen can be used."""

    def __init__(self, files: tuple[Labelled, ...]) -> None:
        self.files = files


class Measured:
    """What was measured is kept; the event before the last."""

    def __init__(self, kept: Kept) -> None:
        self.kept = kept


class ReportWritten:
    """A report, or ``what`` else was asked for, lies at ``path``."""

    def __init__(self, path: Path, what: str = "report") -> None:
        self.path = path
        self.what = what


def labelled_job(paths: Sequence[Path]) -> JobStart:
    """Reads files and says what they hold."""

    def start(_token: CancelToken) -> Iterator[object]:
        yield FilesRead(tuple(_look(path) for path in dict.fromkeys(paths)))

    return start


def _look(path: Path) -> Labelled:
    if path.suffix.lower() in (".jsonl", ".ndjson"):
        readings = read_reference(str(path))
        return Labelled(path, "readings", len(readings.rows), 0, len(readings.bad))
    if labels_of(str(path)) == "pairs":
        pairs = read_pairs(str(path))
        return Labelled(path, "pairs", len(pairs.rows), pairs.ties, len(pairs.bad))
    ratings = read_ratings(str(path))
    return Labelled(path, "ratings", len(ratings.rows), 0, len(ratings.bad))


@dataclass
class _Run:
    """A run's plan, its model and mode, and the name of its files, once they are known."""

    plan: Plan | None = None
    model: ModelRef | None = None
    mode: Mode = "quick"
    stem: str = ""


def measure_job(run: _Run, kept: KeptEvaluations, name: str, *, whole: bool) -> JobStart:
    """Measures what a run has answered so far, and keeps that."""

    def start(_token: CancelToken) -> Iterator[object]:
        if run.plan is not None and run.stem:
            found = run.plan.measured(run.model, run.mode, whole=whole)
            if found.judged:
                items = b"".join(items_csv(run.plan.items()))
                yield Measured(kept.save(run.stem, found, name, items))

    return start


def report_job(kept: Kept, path: Path, store: KeptEvaluations) -> JobStart:
    """Writes a report: JSON where the name ends so, the table of its rows where it ends in ``.csv``, else one HTML
    page."""

    def start(_token: CancelToken) -> Iterator[object]:
        ending = path.suffix.lower()
        if ending == ".csv":
            atomic_write(path, store.items(kept.stem))
        else:
            as_json = ending == ".json"
            atomic_write(path, kept.found.model_dump_json(indent=1) + "\n" if as_json else page(kept.found))
        yield ReportWritten(path)

    return start


class Measurer(LongRun):
    """One measurement at a time: the judge's worker asks, the other one learns the baselines and keeps the result.
    ``measured`` carries what was kept."""

    measured = Signal(object)
    job_name = "trust"

    def __init__(
        self, session: Session, kept: KeptEvaluations, worker: JudgeWorker, side_worker: JudgeWorker, parent: QObject
    ) -> None:
        super().__init__(session, worker, parent)
        self._kept = kept
        self._side_worker = side_worker
        self._reading: Job | None = None
        self._measuring: Job | None = None
        self._ended: Ending = Finished()
        self._run = _Run()
        self.files: tuple[Labelled, ...] = ()
        self.limit: int | None = None
        self.progress: RowsDone | None = None
        self.note = ""

    @property
    def live(self) -> bool:
        """Whether a run is going on or waiting."""
        return self._job is not None or self._measuring is not None

    @property
    def name(self) -> str:
        """The names of the files that were chosen."""
        return ", ".join(file.path.name for file in self.files)

    def choose(self, *paths: Path) -> None:
        """Read labelled files."""
        if self._reading is not None:
            self._side_worker.cancel(self._reading)
        self._set("reading")
        self._reading = self._side_worker.submit("labelled", labelled_job(paths), self._on_read)

    def start(self, limit: int | None) -> None:
        """Measure on at most ``limit`` rows of each file that was chosen; all with None."""
        if not self.files or self.live:
            return
        self.limit = limit
        self._submit()

    def _clear(self) -> None:
        self.progress, self.note = None, ""

    def _steps(self) -> JobStart:
        files, limit = self.files, self.limit
        run = self._run = _Run()

        def start(token: CancelToken) -> Iterator[object]:
            # Read again: a file may have changed since it was looked at.
            names = {kind: [str(file.path) for file in files if file.kind == kind] for kind in _KINDS}
            run.plan = Plan.read(names["pairs"], names["ratings"], limit, 1, names["readings"])
            content = b"\0".join(read_bytes(str(file.path)) for file in files)

            def answers(session: Session) -> AnswersFile:
                run.stem = self._kept.stem_for(session, content)
                # Another model may be in use by the time that the answers are measured.
                run.model, run.mode = session.model, session.mode
                return self._kept.answers(run.stem)

            yield from ask(self._session, run.plan, answers=answers, cancel=token)

        return start

    def _follow(self, event: object) -> None:
        if isinstance(event, RowsDone):
            self.progress, self.note = event, ""
            self._going_on()
        elif isinstance(event, StageProgress):
            share = f" ({event.done:,} of {event.total:,})" if event.total and event.stage is Stage.CALIBRATION else ""
            self.note = f"{event.note}{share}"
            self.changed.emit()

    def _end(self, event: Ending) -> None:
        self._ended = event
        if self._left or not self.files:
            self._settle(self._ended)
        else:
            whole = isinstance(event, Finished)
            job = measure_job(self._run, self._kept, self.name, whole=whole)
            self._measuring = self._side_worker.submit("measure", job, self._on_measured)
            self._set("measuring")

    def _on_read(self, item: JobEvent) -> None:
        if item.job is not self._reading:
            return
        if isinstance(item.event, FilesRead):
            self.files = item.event.files
            self._set("ready")
        elif isinstance(item.event, Failed):
            self.error = item.event.error
            self._set("failed")
        if is_last(item.event):  # type: ignore[arg-type]
            self._reading = None

    def _on_measured(self, item: JobEvent) -> None:
        event = item.event
        if isinstance(event, Measured):
            self.measured.emit(event.kept)
        elif isinstance(event, Finished | Failed | Cancelled):
            self._measuring = None
            if isinstance(event, Failed):
                self._ended = event
            self._settle(self._ended)
