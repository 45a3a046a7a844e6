"""Auditing the model in use: a job in the judge's thread that lets verdicts go first and goes on after them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from ...audit.pairs import SHIPPED, own_cases, shipped_cases
from ...engine.base import CancelToken
from ...events import Cancelled, Failed, Stage, StageProgress
from ...judging.audit.types import MOST_ASKED, AuditRequest, AuditResult
from ...runs.audit import audit
from ...session import Session
from ..frame.judge_worker import JobStart, JudgeWorker
from .long_run import Ending, LongRun

_TOLD = (Stage.READING, Stage.DUELS, Stage.SCORES, Stage.CALIBRATION)


class Auditor(LongRun):
    """``audited`` carries a whole audit, which is in the history then."""

    job_name = "audit"
    audited = Signal(object)

    def __init__(self, session: Session, worker: JudgeWorker, parent: QObject) -> None:
        super().__init__(session, worker, parent)
        self._pairs: Path | None = None
        self._whole: AuditResult | None = None
        self.progress: StageProgress | None = None

    def start(self, pairs: Path | None = None) -> None:
        """Audit on the jokes that come with the program, or on the ``pairs`` of a labelled file."""
        if not self.live and self._session.model is not None:
            self._pairs = pairs
            self._submit()

    def go_on(self) -> None:
        """Begin again, with what was read kept."""
        self.start(self._pairs)

    def forget(self) -> None:
        """Another model is in use: there is nothing to go on with."""
        if not self.live:
            self.progress = self.error = None
            self._set("idle")

    def _clear(self) -> None:
        self.progress = None

    def _steps(self) -> JobStart:
        session, source = self._session, self._pairs

        def start(token: CancelToken) -> Iterator[object]:
            cases = shipped_cases() if source is None else own_cases(str(source))
            ask = "all" if session.settings.ask_everything else "plan"
            name = SHIPPED if source is None else source.name
            given = {"cases": cases, "source": name, "ask": ask, "most_asked": MOST_ASKED}
            return iter(audit(session, AuditRequest.model_validate(given), cancel=token))

        return start

    def _follow(self, event: object) -> None:
        if isinstance(event, StageProgress) and event.stage in _TOLD:
            self.progress = event
            self._going_on()

    def _end(self, event: Ending) -> None:
        if isinstance(event, Failed):
            self.error = event.error
            self._set("failed")
        elif isinstance(event, Cancelled):
            self._set("stopped")
        else:
            self.progress = None
            self._set("idle")
            if isinstance(event.result, AuditResult):
                self.audited.emit(event.result)
