"""Audits in the Trust tab: the card, its run, the report as a file, and rows of the history."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from ...core.errors import HistoryError
from ...core.events import Finished, Stage
from ...core.files import atomic_write
from ...core.pages import as_html
from ...core.paths import models_dir
from ...core.texts import json_line
from ...core.verdicts import ModelRef
from ...engine.base import CancelToken
from ...history.query import HistoryEntry
from ...judge.audit.kind import AUDIT
from ...judge.audit.record import MOST_ASKED, AuditRequest, AuditResult, audit_for
from ...measure.audit import SHIPPED, audit, own_cases, shipped_cases
from ...session.session import Session
from ..judge_worker import JobSteps, JudgeWorker
from ..widgets.controls import LinkButton
from ..widgets.dialog import ask_file, ask_open
from ..widgets.layout import HBox
from ..widgets.page import FigureTable
from ..widgets.text import Paragraph
from .long_run import GO_ON, Ending, RunCard, StagedRun


def audit_run(session: Session, worker: JudgeWorker, parent: QObject) -> StagedRun:
    """Return a run that audits the current model on the shipped jokes, or on the pairs of a labelled file or of an
    earlier audit. A complete audit is stored in the history."""

    def steps(token: CancelToken, source: Path | AuditRequest | None = None) -> JobSteps:
        if isinstance(source, AuditRequest):
            return audit(session, source, cancel=token)
        cases = shipped_cases() if source is None else own_cases(str(source))
        name = SHIPPED if source is None else source.name
        return audit(session, session.request(AUDIT, cases=cases, source=name, most_asked=MOST_ASKED), cancel=token)

    stages = (Stage.READING, Stage.DUELS, Stage.SCORES, Stage.CALIBRATION)
    return StagedRun(session, worker, parent, "audit", steps, stages)


BEGIN, AGAIN = "Audit this model", "Audit it again"
OFFER = (
    "200 pairs of jokes are read with one of them changed: longer, by a famous author, with likes, in capitals, with "
    "an order to the judge and so on. That takes a small model some minutes. Verdicts go first, and the audit is kept "
    "in the history."
)
_NONE = "This model hasn't been audited."
_EFFECTS = ("some", "strong")
"""Only these effects are shown here; the report has everything that was tried."""
_REPORTS = {"Web page (*.html)": ".html", "JSON (*.json)": ".json"}


def write_audit(result: AuditResult, path: Path) -> str:
    """Write an audit's report: JSON for the ending ``.json`` (as ``jokejudge audit --json`` does), else one HTML page.
    Return a sentence for the user."""
    if path.suffix.lower() == ".json":
        atomic_write(path, json_line(AUDIT.contract(result) | {"error": None}, indent=1))
    else:
        atomic_write(path, as_html([AUDIT.words(result)], "JokeJudge: audit"))
    return f"The report is in {path}."


class AuditCard(RunCard):
    """Draws an ``AuditResult`` and the run that makes one, and shows audits of the history. ``failed`` carries an
    error, ``notice`` a sentence, ``opened`` a model whose audit to show; ``stored``: the history has a new row."""

    run: StagedRun
    failed = Signal(object)
    notice = Signal(str)
    opened = Signal(object)
    stored = Signal()
    tab = "trust"

    def __init__(self, session: Session, worker: JudgeWorker, side_worker: JudgeWorker, parent: QObject) -> None:
        super().__init__(
            "What moves it though it shouldn't", audit_run(session, worker, parent), "Auditing the model",
            first="Verdicts go first.", kept="What was read is kept.",
        )  # fmt: skip
        self._session, self._side_worker = session, side_worker
        self._model: ModelRef | None = None
        self._audits: dict[str, AuditResult | None] = {}
        self.run.ended.connect(self._on_ended)
        self.shown: AuditResult | None = None
        self.text = Paragraph("", 14, token="text", gap=6)
        self.own_link = LinkButton("On my own pairs…", act=self.choose_pairs)
        self.save_link = LinkButton("Save report…", act=self.save_report)
        self.table = FigureTable("What moves this model")
        self.add(self.text, self.table)
        self.add_run(self.own_link)
        self.add(HBox(self.save_link, 1, gap=12))
        self.draw()

    def show_audit(self, result: AuditResult | None, usable: bool) -> None:
        """Show an audit, or None. ``usable``: the model is the current one; no other can be audited."""
        self.shown, self._usable = result, usable
        page = AUDIT.words(result) if result is not None else None
        lines = [row.text for row in page.rows if not row.quiet] if page is not None else [_NONE]
        self.text.set_content("\n".join(lines))
        tables = page.tables if page is not None else ()
        moved = (replace(table, rows=tuple(row[:3] for row in table.rows if row[1] in _EFFECTS)) for table in tables)
        self.table.set_tables([replace(table, head=table.head[:3]) for table in moved])
        self.draw()

    def draw(self) -> None:
        """Draw the run's state and the actions on the audit that is shown."""
        super().draw()
        live = self.run.live and self._usable
        self.own_link.setVisible(self._usable and not live)
        self.save_link.setVisible(self.shown is not None and not live)

    def _at_rest(self) -> str:
        if self.shown is not None:
            return AUDIT.words(self.shown).foot[0]
        return OFFER if self._usable else ""

    def _offer(self) -> str:
        if self.run.phase == "stopped":
            return GO_ON
        return BEGIN if self.shown is None else AGAIN

    def show_model(self, model: ModelRef | None, usable: bool) -> None:
        """Show a model's audit, if there is one. ``usable``: it is the current model."""
        self._model = model
        self.setVisible(model is not None)
        self.show_audit(self._of(model) if model is not None else None, usable)

    def _of(self, model: ModelRef) -> AuditResult | None:
        """Return the newest audit of a model on this computer, else the shipped one, else None; read once."""
        if model.sha256 not in self._audits:
            result = audit_for(model.sha256, self._session.profile.audits, models_dir() / "audits")
            if result is not None:
                with suppress(HistoryError):  # only the history has its jokes
                    stored = self._session.store.get(result.id).result
                    result = stored if isinstance(stored, AuditResult) else result
            self._audits[model.sha256] = result
        return self._audits[model.sha256]

    # Rows of the history

    def open(self, entry: HistoryEntry) -> None:
        """Show a stored audit."""
        result = entry.result
        if not isinstance(result, AuditResult) or result.model is None:
            self.notice.emit("This audit ended before the model was known, so there is nothing to show.")
            return
        self._audits[result.model.sha256] = result
        self.opened.emit(result.model)

    def run_again(self, entry: HistoryEntry) -> None:
        """Repeat a stored audit with the current model."""
        if self.run.live:
            self.notice.emit("An audit is running. Wait for it, or stop it with Esc.")
        else:
            result = entry.result
            self.run.start(AUDIT.request_of(result) if isinstance(result, AuditResult) and result.pairs else None)

    # Files

    def choose_pairs(self) -> None:
        """Ask for a labelled file, and audit the model on its pairs."""
        name = ask_open(self, "Choose pairs that people judged", "Tables (*.csv);;All files (*)")
        if name:
            self.run.start(Path(name))

    def save_report(self) -> None:
        """Ask for a file and write the report to it."""
        path = ask_file(self, "Save report", "audit.html", _REPORTS)
        if path is not None and self.shown is not None:
            write = partial(write_audit, self.shown, path)
            self._side_worker.call("audit report", write, self.notice.emit, self.failed.emit)

    def _on_ended(self, event: Ending) -> None:
        result = event.result
        if not isinstance(event, Finished) or not isinstance(result, AuditResult):
            return
        if result.model is not None:
            self._audits[result.model.sha256] = result
        self.stored.emit()
        if self._model is not None:
            self.show_model(self._model, self._usable)
