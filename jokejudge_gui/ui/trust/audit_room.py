"""Audits in the Trust tab: the card, the run behind it, files, and rows of the history."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from ...errors import HistoryError, JokeJudgeError
from ...events import Failed
from ...history.query import HistoryEntry
from ...judging.audit.kind import AUDIT
from ...judging.audit.saved import audit_for
from ...judging.audit.types import AuditResult
from ...paths import models_dir
from ...session import Session
from ...verdicts import ModelRef
from ..frame.judge_worker import JobEvent, JudgeWorker
from ..widgets.saving import ask_file, ask_open
from .audit_card import AuditCard
from .audit_files import AuditWritten, Compared, audit_report_job, drift_job
from .auditing import Auditor

_REPORTS = {"Web page (*.html)": ".html", "JSON (*.json)": ".json"}


class AuditRoom(QObject):
    """``failed`` carries an error, ``said`` something worth knowing, ``opened`` a model whose audit is to be shown;
    ``stored``: the history has a new row."""

    failed = Signal(object)
    said = Signal(str)
    opened = Signal(object)
    stored = Signal()
    kind = AUDIT.name
    tab = "trust"

    def __init__(self, session: Session, worker: JudgeWorker, side_worker: JudgeWorker, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self._side_worker = side_worker
        self._parent = parent
        self._model: ModelRef | None = None
        self._usable = False
        self._known: dict[str, AuditResult | None] = {}
        self.auditor = Auditor(session, worker, self)
        self.auditor.audited.connect(self._on_audited)
        self.card = AuditCard(self.auditor)
        self.card.choose_asked.connect(self.choose_pairs)
        self.card.save_asked.connect(self.save_report)
        self.card.compare_asked.connect(self.choose_earlier)

    @property
    def live(self) -> bool:
        """Whether an audit goes on or waits."""
        return self.auditor.live

    def give_way(self) -> None:
        """Let a verdict go first."""
        self.auditor.give_way()

    def leave(self) -> None:
        """The window closes."""
        self.auditor.leave()

    def stop(self) -> None:
        """Stop the audit that is going on, if any."""
        if self.live:
            self.auditor.stop()

    def forget(self) -> None:
        """Another model is in use."""
        self.auditor.forget()

    def show_model(self, model: ModelRef | None, usable: bool) -> None:
        """Show what is known of a model; ``usable``: it is the one in use."""
        self._model, self._usable = model, usable
        self.card.setVisible(model is not None)
        self.card.show_audit(self._of(model) if model is not None else None, usable)

    def _of(self, model: ModelRef) -> AuditResult | None:
        """The newest audit of a model on this computer, else the shipped one; read once."""
        if model.sha256 not in self._known:
            shelf = (self._session.profile.audits, models_dir() / "audits")
            found = audit_for(model.sha256, *shelf)
            if found is not None:
                with suppress(HistoryError):  # its jokes are in the history alone
                    stored = self._session.store.get(found.id).result
                    found = stored if isinstance(stored, AuditResult) else found
            self._known[model.sha256] = found
        return self._known[model.sha256]

    # Rows of the history

    def open(self, entry: HistoryEntry) -> None:
        """Show a stored audit."""
        result = entry.result
        if not isinstance(result, AuditResult) or result.model is None:
            self.said.emit("This audit ended before the model was known, so there is nothing to show.")
            return
        self._known[result.model.sha256] = result
        self.opened.emit(result.model)

    def run_again(self, entry: HistoryEntry) -> None:
        """Audit the model in use as a stored audit was asked for."""
        if self.live:
            self.said.emit("An audit is running. Wait for it, or stop it with Esc.")
        else:
            result = entry.result
            self.auditor.start(AUDIT.request_of(result) if isinstance(result, AuditResult) and result.pairs else None)

    # Files

    def choose_pairs(self) -> None:
        """Ask for a labelled file, and audit on its pairs."""
        name = ask_open(self._parent, "Choose pairs that people judged", "Tables (*.csv);;All files (*)")
        if name:
            self.auditor.start(Path(name))

    def choose_earlier(self, result: AuditResult) -> None:
        """Ask for the file of an earlier audit, and say what changed since."""
        name = ask_open(self._parent, "Choose an earlier audit", "Saved audits (*.json);;All files (*)")
        if name:
            self.compare(result, Path(name))

    def compare(self, result: AuditResult, earlier: Path) -> None:
        """Say what changed since the audit in a file."""
        self._side_worker.submit("audit drift", drift_job(result, earlier), self._on_compared)

    def _on_compared(self, item: JobEvent) -> None:
        if isinstance(item.event, Compared):
            self.card.show_drift(item.event.result, item.event.found, item.event.name)
        elif isinstance(item.event, Failed):
            error = item.event.error
            self.failed.emit(JokeJudgeError(error.code, error.sentence, error.hint))

    def save_report(self, result: AuditResult) -> None:
        """Ask for a file and write the report to it, with what changed since an earlier audit if that is shown."""
        path = ask_file(self._parent, "Save report", "audit.html", _REPORTS)
        if path is not None:
            job = audit_report_job(result, path, self.card.drift)
            self._side_worker.submit("audit report", job, self._on_report)

    def _on_report(self, item: JobEvent) -> None:
        if isinstance(item.event, AuditWritten):
            self.said.emit(f"The report is in {item.event.path}.")
        elif isinstance(item.event, Failed):
            error = item.event.error
            self.failed.emit(JokeJudgeError(error.code, error.sentence, error.hint))

    def _on_audited(self, result: AuditResult) -> None:
        if result.model is not None:
            self._known[result.model.sha256] = result
        self.stored.emit()
        if self._model is not None:
            self.show_model(self._model, self._usable)
