"""Audits in the Trust tab: the card, its run, files, and rows of the history."""

from __future__ import annotations

import json
from contextlib import suppress
from functools import partial
from itertools import groupby
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from ...core.errors import HistoryError
from ...core.events import Finished, Stage
from ...core.files import atomic_write
from ...core.pages import Table
from ...core.paths import models_dir
from ...core.verdicts import ModelRef
from ...engine.base import CancelToken
from ...history.query import HistoryEntry
from ...judge.audit.judge import answers_left, left_lines
from ...judge.audit.kind import AUDIT, STRENGTH, VOICE, Names, effect_rows, summary
from ...judge.audit.types import ADMISSIONS, MOST_ASKED, AuditRequest, AuditResult, audit_for, read_audit
from ...measure.audit import audit
from ...measure.audit_pairs import SHIPPED, own_cases, shipped_cases
from ...measure.drift import Drift, drift, drift_lines
from ...measure.report.html import audit_page
from ...rubric.perturbations import parse_perturbations
from ...session.session import Session
from ..judge_worker import JobSteps, JudgeWorker
from ..widgets.controls import LinkButton
from ..widgets.dialog import ask_file, ask_open
from ..widgets.layout import HBox
from ..widgets.text import Caption, Paragraph
from .cards import Rows
from .long_run import GO_ON, Ending, RunCard, StagedRun
from .tables import FigureTable


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


# The card of a model's audit: which irrelevant changes affect its verdicts.

BEGIN, AGAIN = "Audit this model", "Audit it again"
OFFER = (
    "200 pairs of jokes are read with one of them changed: longer, by a famous author, with likes, in capitals, with "
    "an order to the judge and so on. That takes a small model some minutes. Verdicts go first, and the audit is kept "
    "in the history."
)
_MOST_FLIPS = 3
"""Number of changed pairs shown for each voice; the report has all."""
_NONE = "This model hasn't been audited."
_REPORTS = {"Web page (*.html)": ".html", "JSON (*.json)": ".json"}


def write_audit(result: AuditResult, path: Path, against: Drift | None = None) -> str:
    """Write an audit's report: JSON for the ending ``.json`` (as ``jokejudge audit --json`` does), else one HTML
    page. ``against``: changes since an earlier audit. Return a sentence for the user."""
    if path.suffix.lower() == ".json":
        drifted = {"against": against.model_dump(mode="json")} if against is not None else {}
        found = AUDIT.contract(result) | drifted | {"error": None}
        text = json.dumps(found, ensure_ascii=False, allow_nan=False, indent=1) + "\n"
    else:
        text = audit_page(result, Names(parse_perturbations()), against)
    atomic_write(path, text)
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
        self._known: dict[str, AuditResult | None] = {}
        self.run.ended.connect(self._on_ended)
        self.shown: AuditResult | None = None
        self.drift: Drift | None = None
        self._names = Names(parse_perturbations())
        self.text = Paragraph("", 14, token="text", gap=6)
        self.own_link = LinkButton("On my own pairs…", act=self.choose_pairs)
        self.save_link = LinkButton("Save report…", act=self.save_report)
        self.compare_link = LinkButton("Compare with an earlier audit…", act=self.choose_earlier)
        self.table = FigureTable("What moves this model")
        self.drift_title = Paragraph("", 13, 600, "text")
        self.drift_text = Paragraph("", 13, token="text")
        self.flips = Rows()
        self.add(self.text, self.table, self.drift_title, self.drift_text, self.flips)
        self.add_run(self.own_link)
        self.add(HBox(*self._files, 1, gap=12))
        self.draw()

    @property
    def _files(self) -> tuple[LinkButton, LinkButton]:
        return self.save_link, self.compare_link

    def show_audit(self, found: AuditResult | None, usable: bool) -> None:
        """Show an audit, or None. ``usable``: the model is the current one; no other can be audited."""
        if found is None or found != self.shown:
            self._set_drift(None)
        self.shown, self._usable = found, usable
        groups = []
        for voice, rows in groupby(effect_rows(found, self._names) if found else (), key=lambda row: row[0]):
            # A pull is in log-odds, or a share of the texts admitted.
            unit = "share of texts admitted" if voice in ADMISSIONS else "log-odds towards the changed joke"
            lines = tuple((name, pull, STRENGTH[strength]) for _, name, pull, strength in rows)
            groups.append(Table(f"{VOICE[voice]} · {unit}", (), lines))
        self.table.set_tables(groups)
        said = (*summary(found, self._names), *left_lines(answers_left(found))) if found is not None else (_NONE,)
        self.text.set_content("\n".join(line for line in said if line))
        self.draw()

    def show_drift(self, result: AuditResult, found: Drift, name: str) -> None:
        """Show the changes since the audit in the file ``name``, if ``result`` is still shown."""
        if result == self.shown:
            self._set_drift(found, name)

    def _set_drift(self, found: Drift | None, name: str = "") -> None:
        self.drift = found
        self.drift_title.set_content(f"Beside the audit in {name}")
        self.drift_text.set_content(" ".join(drift_lines(found)) if found is not None else "")
        rows: list[QWidget] = []
        for voice in found.voices if found is not None else ():
            shown = voice.flips[:_MOST_FLIPS]
            if shown:
                count = f"{len(shown)} of {len(voice.flips):,}" if len(voice.flips) > len(shown) else f"{len(shown):,}"
                rows.append(Caption(f"{VOICE[voice.voice]} · {count} that changed"))
            for flip in shown:
                ahead, behind = (flip.text_a, flip.text_b) if flip.now == "A" else (flip.text_b, flip.text_a)
                rows.append(Paragraph(f"Now ahead: {ahead}\nBefore: {behind}", 13))
        self.flips.set_items(rows)
        for widget in (self.drift_title, self.drift_text):
            widget.setVisible(found is not None)
        self.flips.setVisible(bool(rows))

    def draw(self) -> None:
        """Draw the run's state and the actions on the audit that is shown."""
        super().draw()
        live = self.run.live and self._usable
        self.own_link.setVisible(self._usable and not live)
        for link in self._files:
            link.setVisible(self.shown is not None and not live)

    def _at_rest(self) -> str:
        return self._made() or (OFFER if self._usable else "")

    def _offer(self) -> str:
        if self.run.phase == "stopped":
            return GO_ON
        return BEGIN if self.shown is None else AGAIN

    def _made(self) -> str:
        """Return the number and source of the audit's pairs, and the program's version."""
        if self.shown is None:
            return ""
        return f"On {len(self.shown.pairs):,} pairs: {self.shown.source}. JokeJudge {self.shown.program}."

    def show_model(self, model: ModelRef | None, usable: bool) -> None:
        """Show a model's audit, if there is one. ``usable``: it is the current model."""
        self._model = model
        self.setVisible(model is not None)
        self.show_audit(self._of(model) if model is not None else None, usable)

    def _of(self, model: ModelRef) -> AuditResult | None:
        """Return the newest audit of a model on this computer, else the shipped one, else None; read once."""
        if model.sha256 not in self._known:
            folders = (self._session.profile.audits, models_dir() / "audits")
            found = audit_for(model.sha256, *folders)
            if found is not None:
                with suppress(HistoryError):  # only the history has its jokes
                    stored = self._session.store.get(found.id).result
                    found = stored if isinstance(stored, AuditResult) else found
            self._known[model.sha256] = found
        return self._known[model.sha256]

    # Rows of the history

    def open(self, entry: HistoryEntry) -> None:
        """Show a stored audit."""
        result = entry.result
        if not isinstance(result, AuditResult) or result.model is None:
            self.notice.emit("This audit ended before the model was known, so there is nothing to show.")
            return
        self._known[result.model.sha256] = result
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

    def choose_earlier(self) -> None:
        """Ask for the file of an earlier audit, and show the changes since."""
        name = ask_open(self, "Choose an earlier audit", "Saved audits (*.json);;All files (*)")
        if name and self.shown is not None:
            self.compare(self.shown, Path(name))

    def compare(self, result: AuditResult, earlier: Path) -> None:
        """Show the changes since the audit in a file."""

        def find() -> Drift:
            return drift(read_audit(earlier), result, Names(parse_perturbations()))

        def show(found: Drift) -> None:
            self.show_drift(result, found, earlier.name)

        self._side_worker.call("audit drift", find, show, self.failed.emit)

    def save_report(self) -> None:
        """Ask for a file and write the report to it, with the changes since an earlier audit if they are shown."""
        path = ask_file(self, "Save report", "audit.html", _REPORTS)
        if path is not None and self.shown is not None:
            write = partial(write_audit, self.shown, path, self.drift)
            self._side_worker.call("audit report", write, self.notice.emit, self.failed.emit)

    def _on_ended(self, event: Ending) -> None:
        result = event.result
        if not isinstance(event, Finished) or not isinstance(result, AuditResult):
            return
        if result.model is not None:
            self._known[result.model.sha256] = result
        self.stored.emit()
        if self._model is not None:
            self.show_model(self._model, self._usable)
