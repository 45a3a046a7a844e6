"""Audits of the current model in the Trust tab, and judge templates, with which other judges' outputs are scored."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QShowEvent

from ...batch.lines import counted
from ...core.errors import HistoryError, JokeJudgeError
from ...core.events import Finished, Stage
from ...core.files import atomic_write, private_folder, sha256_of
from ...core.pages import Table, as_html
from ...core.paths import models_dir
from ...core.texts import json_line
from ...core.verdicts import ModelRef
from ...engine.base import CancelToken
from ...history.query import HistoryEntry
from ...judge.audit.kind import AUDIT
from ...judge.audit.record import MOST_ASKED, AuditRequest, AuditResult, audit_for
from ...judge.templates.kind import TEMPLATE
from ...judge.templates.record import TemplateResult
from ...measure.audit import SHIPPED, audit, own_cases, shipped_cases
from ...measure.template_run import TemplateFile, TemplateRows, judge_rows, modules_table, summaries
from ...rubric.templates import Pack, find_pack, shipped_packs
from ...session.session import Session
from ..judge_worker import JobSteps, JudgeWorker
from ..look import wording
from ..widgets.controls import ChoiceButton, LinkButton
from ..widgets.dialog import ask_file, ask_open
from ..widgets.layout import HBox
from ..widgets.page import FigureTable, PageView
from ..widgets.text import Paragraph
from .runs import GO_ON, Ending, FileRun, Run, RunCard

BEGIN, AGAIN = "Audit this model", "Audit it again"
OFFER = (
    "200 pairs of jokes are read with one of them changed: longer, by a famous author, with likes, in capitals, with "
    "an order to the judge and so on. That takes a small model some minutes. Verdicts go first, and the audit is kept "
    "in the history."
)
_EFFECTS = ("some", "strong")
"""Only these effects are shown here; the report has everything that was tried."""
_REPORTS = {"Web page (*.html)": ".html", "JSON (*.json)": ".json"}


def audit_run(session: Session, worker: JudgeWorker, parent: QObject) -> Run:
    """Return a run that audits the current model on the shipped jokes, or on the pairs of a labelled file or of an
    earlier audit. A complete audit is stored in the history."""

    def steps(token: CancelToken, source: Path | AuditRequest | None = None) -> JobSteps:
        if isinstance(source, AuditRequest):
            return audit(session, source, cancel=token)
        cases = shipped_cases() if source is None else own_cases(str(source))
        name = SHIPPED if source is None else source.name
        return audit(session, session.request(AUDIT, cases=cases, source=name, most_asked=MOST_ASKED), cancel=token)

    stages = (Stage.READING, Stage.DUELS, Stage.SCORES, Stage.CALIBRATION)
    return Run(session, worker, parent, "audit", steps, stages)


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
        self.page = PageView()
        self.own_link = LinkButton("On my own pairs…", act=self.choose_pairs)
        self.save_link = LinkButton("Save report…", act=self.save_report)
        self.add(self.page)
        self.add_run(self.own_link)
        self.add(HBox(self.save_link, 1, gap=12))
        self.draw()

    def show_model(self, model: ModelRef | None, usable: bool) -> None:
        """Show a model's audit, if there is one. ``usable``: it is the current model; no other can be audited."""
        self._model = model
        self.setVisible(model is not None)
        self.shown = self._of(model) if model is not None else None
        self.page.setVisible(self.shown is not None)
        if self.shown is not None:
            page = AUDIT.words(self.shown)
            tables = (
                replace(table, head=table.head[:3], rows=tuple(row[:3] for row in table.rows if row[1] in _EFFECTS))
                for table in page.tables
            )
            self.page.show_page(replace(page, tables=tuple(replace(table, brief=True) for table in tables)))
        self.set_usable(usable)

    def draw(self) -> None:
        """Draw the run's state and the actions on the audit that is shown."""
        super().draw()
        live = self.run.live and self._usable
        self.own_link.setVisible(self._usable and not live)
        self.save_link.setVisible(self.shown is not None and not live)

    def _at_rest(self) -> str:
        if self.shown is not None:
            return ""
        return f"This model hasn't been audited. {OFFER if self._usable else ''}".strip()

    def _offer(self) -> str:
        return GO_ON if self.run.phase == "stopped" else BEGIN if self.shown is None else AGAIN

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


# Judge templates

_ABOUT = (
    "Scores another judge's outputs: 40 points for the expected answer, 40 for four rules, 20 for the reasoning; 70 "
    "points pass. A rule that the model in use can't judge is left open, and the points are given as a range."
)
_NEEDS = "JSON lines with id, module, input, output, expected and reasoning. Nothing leaves this computer."
_OWN_PACK = "A pack of your own…"


class TemplatesCard(RunCard):
    """The card of judge templates: a pack, a file of rows, the run, its table, and template verdicts of the history.
    Results are kept, so a run on the same rows continues where it stopped. ``notice`` carries a sentence."""

    notice = Signal(str)
    opened = Signal()
    tab = "trust"

    def __init__(self, session: Session, worker: JudgeWorker, side_worker: JudgeWorker, parent: QObject) -> None:
        self._session = session
        self._out: Path | None = None
        run = FileRun(session, worker, side_worker, parent, "templates", self._judge, self._conclude)
        super().__init__("Judge templates", run, "Rows judged", kept="What was judged is kept.")
        self._usable = True
        self.pack_name = "seeds"
        self._path: Path | None = None
        self.pack = ChoiceButton("Pack")
        self.pack.chosen.connect(self._choose_pack)
        self.other = LinkButton("Other rows…", act=self.ask_rows)
        self.table = FigureTable("Results of each module's rows")
        run.result.connect(lambda table: self.table.set_tables([table] if table is not None else []))
        self.stored = PageView()
        self.stored.hide()
        self.add(Paragraph(_ABOUT, 14), self.pack)
        self.add_run(self.other)
        self.add(self.table, self.stored)
        self.draw()

    def choose(self, path: Path) -> None:
        """Read a file of rows for the chosen pack."""
        if self.run.live:
            return
        self._path = path
        self.table.set_tables([])
        name = self.pack_name

        def look() -> tuple[Pack, Path, str]:
            pack = find_pack(name)
            rows = TemplateRows(str(path), pack)
            bad = sum(row.problem is not None for row in rows)
            cannot = f"; {bad:,} of them can't be judged" if bad else ""
            return pack, path, f"{path.name}: {wording.count_of(len(rows), 'row')}{cannot}."

        self.run.read(look)

    def ask_rows(self) -> None:
        """Ask for a file of rows, and read it."""
        name = ask_open(self, "Choose rows", "JSON lines (*.jsonl);;All files (*)")
        if name:
            self.choose(Path(name))

    def _judge(self, token: CancelToken) -> Iterator[object]:
        """Judge the rows, and write the results to a file for this model and these rows."""
        (pack, path, _), judge = self.run.files, self._session.judge
        folder = self._session.profile.templates / "runs"
        try:
            private_folder(folder)
        except OSError as error:
            raise JokeJudgeError(
                "E_WRITE", f"{folder} can't be made: {error.strerror or error}.", "Free some disk space."
            ) from error
        made = "\0".join((pack.version, sha256_of(path), judge.model.sha256 if judge else ""))
        self._out = folder / f"{hashlib.sha256(made.encode()).hexdigest()[:24]}.jsonl"
        rows = TemplateRows(str(path), pack)  # read again: the file may have changed since it was chosen
        with closing(TemplateFile(self._out, pack)) as file:
            record = self._session.settings.batch_history
            yield from judge_rows(self._session, rows, file, counted(rows, file), record=record, cancel=token)

    def _conclude(self, _event: Ending) -> Table | None:
        return None if self._out is None else modules_table(summaries(self.run.files[0], self._out))

    @property
    def _ready(self) -> bool:
        return self.run.files is not None and self.run.phase in ("ready", "stopped", "failed")

    def _offer(self) -> str:
        return GO_ON if self.run.phase == "stopped" else "Judge the rows" if self._ready else "Choose rows…"

    def _begin(self) -> None:
        if self._ready:
            self.run.start()
        else:
            self.ask_rows()

    def _at_rest(self) -> str:
        return self.run.files[2] if self.run.files is not None else _NEEDS

    def draw(self) -> None:
        """Draw the state of the run."""
        super().draw()
        if self.isVisible():
            self._show_packs()
        self.pack.setEnabled(not self.run.live)
        self.other.setVisible(self._ready)

    def open(self, entry: HistoryEntry) -> None:
        """Show a stored verdict."""
        if not isinstance(entry.result, TemplateResult):
            self.notice.emit("This verdict ended before anything of it was stored, so there is nothing to show.")
            return
        self.stored.show_page(TEMPLATE.words(entry.result))
        self.stored.show()
        self.opened.emit()

    def run_again(self, entry: HistoryEntry) -> None:
        """Show the terminal command that judges a single row again."""
        self.notice.emit(f"The window judges files of rows. This one alone: jokejudge history rerun {entry.row.id[:8]}")

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._show_packs()  # their files are read when first needed

    def _show_packs(self) -> None:
        packs = shipped_packs()
        place = next((at for at, pack in enumerate(packs) if pack.source == self.pack_name), len(packs))
        own = [Path(self.pack_name).name] if place == len(packs) else []
        self.pack.set_options([*(pack.name for pack in packs), *own, _OWN_PACK], place)

    def _choose_pack(self, place: int) -> None:
        packs, name = shipped_packs(), self.pack_name
        if place < len(packs):
            name = packs[place].source
        elif self.pack.options[place] == _OWN_PACK:
            name = ask_open(self, "Choose a pack", "XML (*.xml);;All files (*)") or name
        if name != self.pack_name and not self.run.live:
            self.pack_name = name
            if self._path is not None:
                self.choose(self._path)
        self.draw()
