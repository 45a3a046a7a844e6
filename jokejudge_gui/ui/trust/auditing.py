"""Auditing the model in use: a job in the judge's thread that lets verdicts go first and goes on after them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from ...audit.pairs import SHIPPED, own_cases, shipped_cases
from ...engine.base import CancelToken
from ...events import Finished, Stage
from ...judging.audit.kind import AUDIT
from ...judging.audit.types import MOST_ASKED, AuditRequest, AuditResult
from ...runs.audit import audit
from ...session import Session
from ..frame.judge_worker import JobStart, JudgeWorker
from .long_run import Ending, StagedRun


class Auditor(StagedRun):
    """``audited`` carries a whole audit, which is in the history then."""

    job_name = "audit"
    told = (Stage.READING, Stage.DUELS, Stage.SCORES, Stage.CALIBRATION)
    audited = Signal(object)

    def __init__(self, session: Session, worker: JudgeWorker, parent: QObject) -> None:
        super().__init__(session, worker, parent)
        self._pairs: Path | AuditRequest | None = None

    def start(self, pairs: Path | AuditRequest | None = None) -> None:
        """Audit on the jokes that come with the program, or on the ``pairs`` of a labelled file or of an audit that is
        asked for again."""
        if not self.live and self._session.model is not None:
            self._pairs = pairs
            self._submit()

    def go_on(self) -> None:
        """Begin again, with what was read kept."""
        self.start(self._pairs)

    def _steps(self) -> JobStart:
        session, source = self._session, self._pairs

        def start(token: CancelToken) -> Iterator[object]:
            if isinstance(source, AuditRequest):
                return iter(audit(session, source, cancel=token))
            cases = shipped_cases() if source is None else own_cases(str(source))
            name = SHIPPED if source is None else source.name
            request = session.request(AUDIT, cases=cases, source=name, most_asked=MOST_ASKED)
            return iter(audit(session, request, cancel=token))

        return start

    def _end(self, event: Ending) -> None:
        super()._end(event)
        if isinstance(event, Finished) and isinstance(event.result, AuditResult):
            self.audited.emit(event.result)
