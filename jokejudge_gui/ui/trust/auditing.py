"""Auditing the model in use: a job in the judge's thread that lets verdicts go first and goes on after them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from PySide6.QtCore import QObject, Signal

from ...audit.drift import Drift
from ...audit.pairs import SHIPPED, own_cases, shipped_cases
from ...audit.report_html import page
from ...engine.base import CancelToken
from ...events import Cancelled, Failed, Finished, Stage, StageProgress
from ...files import atomic_write
from ...judging.audit.kind import AUDIT
from ...judging.audit.types import MOST_ASKED, AuditRequest, AuditResult
from ...judging.audit.words import Names
from ...rubric.perturbations import parse_perturbations
from ...runs.audit import audit
from ...session import Session
from ...verdicts import ErrorInfo
from ..frame.judge_worker import Job, JobEvent, JobStart, JudgeWorker

Phase = Literal["idle", "waiting", "running", "stopping", "stopped", "failed"]


class Auditor(QObject):
    """``changed``: something to draw; ``audited`` carries a whole audit, which is in the history then."""

    changed = Signal()
    audited = Signal(object)

    def __init__(self, session: Session, worker: JudgeWorker, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._worker = worker
        self._job: Job | None = None
        self._again = False
        self._pairs: Path | None = None
        self._whole: AuditResult | None = None
        self.phase: Phase = "idle"
        self.progress: StageProgress | None = None
        self.error: ErrorInfo | None = None

    @property
    def live(self) -> bool:
        """Whether an audit goes on or waits."""
        return self._job is not None

    def start(self, pairs: Path | None = None) -> None:
        """Audit on the jokes that come with the program, or on the ``pairs`` of a labelled file."""
        if not self.live and self._session.model is not None:
            self._pairs = pairs
            self._submit()

    def go_on(self) -> None:
        """Begin again, with what was read kept."""
        self.start(self._pairs)

    def stop(self) -> None:
        """Stop; what was read is kept."""
        if self._job is not None:
            self._again = False
            self._worker.cancel(self._job)
            self._set("stopping")

    def give_way(self) -> None:
        """Let a verdict go first."""
        if self._job is not None and self.phase in ("waiting", "running"):
            self._again = True
            self._worker.cancel(self._job)

    def leave(self) -> None:
        """The window closes."""
        self._again = False

    def forget(self) -> None:
        """Another model is in use: there is nothing to go on with."""
        if not self.live:
            self.progress = self.error = None
            self._set("idle")

    def _submit(self) -> None:
        session, source = self._session, self._pairs
        self._again = False
        self.progress = self.error = None

        def start(token: CancelToken) -> Iterator[object]:
            cases = shipped_cases() if source is None else own_cases(str(source))
            ask = "all" if session.settings.ask_everything else "plan"
            given = {"cases": cases, "source": SHIPPED if source is None else source.name, "ask": ask}
            given["most_asked"] = MOST_ASKED
            return iter(audit(session, AuditRequest.model_validate(given), cancel=token))

        self._job = self._worker.submit("audit", start, self._on_event, gives_way=True)
        self._set("waiting")

    def _on_event(self, item: JobEvent) -> None:
        if item.job is not self._job:
            return
        event = item.event
        if isinstance(event, StageProgress):
            if event.stage in (Stage.READING, Stage.DUELS, Stage.SCORES, Stage.CALIBRATION):
                self.progress = event
                if self.phase != "stopping":
                    self._set("running")
        elif isinstance(event, Finished | Failed | Cancelled):
            self._end(event)

    def _end(self, event: Finished | Failed | Cancelled) -> None:
        self._job = None
        if isinstance(event, Failed):
            self.error = event.error
            self._set("failed")
        elif isinstance(event, Cancelled):
            if self._again:
                self._submit()
            else:
                self._set("stopped")
        else:
            self.progress = None
            self._set("idle")
            if isinstance(event.result, AuditResult):
                self.audited.emit(event.result)

    def _set(self, phase: Phase) -> None:
        self.phase = phase
        self.changed.emit()


class AuditWritten:
    """A report lies at ``path``."""

    def __init__(self, path: Path) -> None:
        self.path = path


def audit_report_job(result: AuditResult, path: Path, against: Drift | None = None) -> JobStart:
    """Writes an audit's report: JSON where the name ends so (as ``jokejudge audit --json`` does), else one HTML page.
    ``against``: what changed since an earlier audit."""

    def start(_token: CancelToken) -> Iterator[object]:
        as_json = path.suffix.lower() == ".json"
        if as_json:
            drifted = {"against": against.model_dump(mode="json")} if against is not None else {}
            found = AUDIT.contract(result) | drifted | {"error": None}
            text = json.dumps(found, ensure_ascii=False, allow_nan=False, indent=1) + "\n"
        else:
            text = page(result, Names(parse_perturbations()), against)
        atomic_write(path, text)
        yield AuditWritten(path)

    return start
