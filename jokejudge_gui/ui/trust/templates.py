"""The card of judge templates: a pack, a file of rows, the run, and its table and failures."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from ...batch.batch import Tally, counted
from ...batch.build import made_by
from ...core.errors import JokeJudgeError
from ...core.events import Cancelled, Failed, Finished, RowBegun
from ...core.files import private_folder, sha256_of
from ...core.pages import Table
from ...engine.base import CancelToken
from ...history.query import HistoryEntry
from ...judge.templates.kind import TEMPLATE
from ...judge.templates.types import TemplateResult, text_of
from ...measure.template_run import Group, ModuleSummary, TemplateFile, TemplateResults, TemplateRows, judge_rows
from ...measure.template_stages import StageRows, read_stage_readings, shipped_readings, stage_rows
from ...rubric.templates import Pack, find_pack, shipped_packs
from ...session.session import Session
from ..judge_worker import JobSteps, JudgeWorker
from ..look import wording
from ..widgets.controls import ChoiceButton, LinkButton, SecondaryButton
from ..widgets.dialog import ask_open
from ..widgets.layout import HBox, VBox
from ..widgets.text import Label, Paragraph
from .cards import Rows
from .long_run import GO_ON, Ending, LongRun, RunCard
from .tables import FigureTable

# Judged rows one by one: those that failed, the undecided ones, or all.

_MOST = 600
"""Greatest number of characters shown of an input, an output or a reasoning; history and file have all of it."""


_GROUPS: dict[Group, str] = {
    "failed": "Failed",
    "untold": "Not told",
    "passed": "Passed",
    "errors": "Not judged",
}


class TemplatesBrowser(QWidget):
    """Shows one row of a run at a time."""

    def __init__(self) -> None:
        super().__init__()
        self._results: TemplateResults | None = None
        self.stored = False
        """Whether a verdict of the history is shown."""
        self._groups: list[Group] = []
        self._group = 0
        self._place = 0
        self.choice = ChoiceButton("Rows to look at")
        self.choice.chosen.connect(self._choose)
        self.before = SecondaryButton("Previous", act=lambda: self._step(-1))
        self.after = SecondaryButton("Next", act=lambda: self._step(1))
        self.where = Label("", 13)
        self.heading = Paragraph("", 15, 500, "text")
        self.parts = Rows()
        VBox(
            self.choice,
            HBox(self.before, self.after, self.where, 1, gap=8),
            self.heading,
            self.parts,
            parent=self,
            gap=10,
        )

    def set_results(self, results: TemplateResults) -> None:
        """Show the first row of the first group that isn't empty; failures come first."""
        if self._results is results:
            return
        self._results, self.stored = results, False
        self._groups = [group for group in _GROUPS if results.count(group)]
        self._choose(0)

    def show_stored(self, line: dict[str, Any]) -> None:
        """Show a verdict of the history; ``line``: in the form that a run writes."""
        self._results, self.stored = None, True
        self._show(line)
        for widget in (self.choice, self.before, self.after):
            widget.hide()
        self.where.setText("From the history")
        self.show()

    def _choose(self, group: int) -> None:
        assert self._results is not None
        self._group, self._place = group, 0
        names = [f"{_GROUPS[name]} ({self._results.count(name):,})" for name in self._groups]
        self.choice.set_options(names, group)
        self._draw()

    def _step(self, by: int) -> None:
        self._place += by
        self._draw()
        if not (self.before if by < 0 else self.after).isEnabled():
            (self.after if by < 0 else self.before).setFocus()

    def _draw(self) -> None:
        self.setVisible(bool(self._groups))
        if not self._groups:
            return
        assert self._results is not None
        group = self._groups[self._group]
        count = self._results.count(group)
        for widget in (self.choice, self.before, self.after):
            widget.show()
        self.before.setEnabled(self._place > 0)
        self.after.setEnabled(self._place + 1 < count)
        self.where.setText(f"{self._place + 1:,} of {count:,}")
        try:
            line = self._results.row(group, self._place)
        except JokeJudgeError as error:  # the file was deleted since it was read
            self.heading.set_content("This row can't be shown.")
            self.parts.set_items([_paragraph("", str(error))])
            return
        self._show(line)

    def _show(self, line: dict[str, Any]) -> None:
        self.heading.set_content(f"{line.get('id') or 'Without an id'} · {line.get('module') or 'no module'}")
        self.parts.set_items([_paragraph(name, text) for name, text in _parts(line) if text])


def _paragraph(name: str, text: str) -> QWidget:
    part = Paragraph("", 14, token="text")
    part.set_content([(f"{name}: ", "strong"), (text, "normal")] if name else text)
    return part


def _parts(line: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the parts of a row as pairs of name and text."""
    error = line.get("error")
    if error is not None:
        return [("", f"{error['sentence']} {error.get('hint', '')}".strip())]
    evaluation = line["evaluation"]
    if evaluation is None:
        return [("", "It ended before anything was found."), ("Input", _shown(line["input"]))]
    correct, quality = evaluation["correctness"], evaluation["reasoning_quality"]
    parts = [
        ("", str(line["summary"])),
        ("Input", _shown(line["input"])),
        ("Output", _shown(correct["output_value"])),
        ("Expected", _shown(correct["expected_value"])),
        ("Reasoning", _shown(line["reasoning"])),
        ("Correctness", f"{correct['score']:g} of 40"),
    ]
    for rule in evaluation["rule_compliance"]["rules"]:
        state = {True: "kept", False: "broken", None: "not told"}[rule["compliant"]]
        parts.append((f"{rule['name']}, {state}", rule["evidence"] or rule["why"]))
    if quality["score"] is not None:
        parts.append(("Reasoning quality", f"{quality['score']} of 20"))
    return [*parts, *(("Suggestion", tip) for tip in line["improvement_suggestions"])]


def _shown(value: Any) -> str:
    text = text_of(value)
    return text if len(text) <= _MOST else text[: _MOST - 1] + "…"


# A run with judge templates: reading rows, judging them in the judge's thread, and the results.

_READINGS = 40
"""Number of texts from which rows of the program's own stages are made; takes minutes with a small model."""


@dataclass(frozen=True)
class RowsRead:
    """A file of ``count`` rows, ``bad`` of which can't be judged."""

    pack: Pack
    path: Path
    count: int
    bad: int


def read_rows(pack: str, path: Path) -> RowsRead:
    """Read a pack and a file of rows."""
    found = find_pack(pack)
    with TemplateRows(str(path), found) as rows:
        return RowsRead(found, path, len(rows), sum(row.problem is not None for row in rows))


class TemplatesRun(LongRun):
    """Judges rows with a pack, or makes rows for it from the program's own stages. Results are stored, so a run on the
    same rows continues where it stopped."""

    job_name = "templates"

    def __init__(self, session: Session, worker: JudgeWorker, side_worker: JudgeWorker, parent: QObject) -> None:
        super().__init__(session, worker, parent, side_worker)
        self._out: Path | None = None
        self.making = False
        self.pack = "seeds"
        self.read: RowsRead | None = None
        self.results: TemplateResults | None = None

    def choose(self, path: Path) -> None:
        """Read a file of rows for the chosen pack."""
        if not self.live:
            self._forget()
            self._read(partial(read_rows, self.pack, path), self._take)

    def choose_pack(self, name: str) -> None:
        """Use another pack; rows that were read are read again."""
        if self.live or name == self.pack:
            return
        before, self.pack = self.read, name
        self._forget()
        self._set("idle")
        if before is not None:
            self.choose(before.path)

    def _forget(self) -> None:
        self.read = self.results = self.error = None
        self.making = False

    def _take(self, found: RowsRead | TemplateResults) -> None:
        if isinstance(found, RowsRead):
            self.read = found
        else:
            self.results = found

    def start(self) -> None:
        """Judge the rows, or continue making them."""
        if (self.read is not None or self.making) and not self.live:
            self._submit()

    def make(self) -> None:
        """Have the current model judge texts read with the rubric, and make rows of its results."""
        if not self.live:
            self.read = self.results = None
            self.making = True
            self._submit()

    def _steps(self, token: CancelToken) -> JobSteps:
        return self._stages(token) if self.making else self._rows(token)

    def _rows(self, token: CancelToken) -> Iterator[object]:
        """Judge the rows, and write the results to a file for this model and these rows."""
        read, judge = self.read, self._session.judge
        assert read is not None
        folder = self._folder()
        with TemplateRows(str(read.path), read.pack) as rows:
            # Read again: the file may have changed since it was chosen.
            made = "\0".join((read.pack.version, sha256_of(read.path), judge.model.sha256 if judge else ""))
            self._out = folder / f"{hashlib.sha256(made.encode()).hexdigest()[:24]}.jsonl"
            with closing(TemplateFile(self._out, read.pack)) as file:
                tally: Tally = counted(rows, file)
                record = self._session.settings.batch_history
                yield from judge_rows(self._session, rows, file, tally, record=record, cancel=token)

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
        """Make rows in a file for this model, and read them."""
        session, began = self._session, time.monotonic()
        if session.model is None:
            for event in session.load(cancel=token):
                if isinstance(event, Failed | Cancelled):
                    yield event
                    return
        readings = read_stage_readings(shipped_readings(), _READINGS)
        made = hashlib.sha256(json.dumps(made_by(session)).encode()).hexdigest()[:24]
        out = self._folder() / f"stages-{made}.jsonl"
        record = session.settings.batch_history
        for event in stage_rows(session, readings, out, record=record, cancel=token):
            if isinstance(event, StageRows):
                yield RowBegun(id=None, done=event.done, total=event.total, seconds=time.monotonic() - began)
            elif isinstance(event, Finished):
                yield read_rows(self.pack, out)
                yield event
            else:
                yield event

    def _follow(self, event: object) -> None:
        if isinstance(event, RowsRead):
            self.read = event
        else:
            super()._follow(event)

    def _end(self, event: Ending) -> None:
        if self.making:
            self.making = self.read is None
            self._settle(event)
            if isinstance(event, Finished):
                self._set("ready")
        elif self._left or self._out is None or self.read is None:
            self._settle(event)
        else:
            self._conclude(event, partial(TemplateResults, self.read.pack, self._out), self._take)


_ABOUT = (
    "Scores another judge's outputs: 40 points for the expected answer, 40 for four rules, 20 for the reasoning; 70 "
    "points pass. A rule that the model in use can't judge is left open, and the points are given as a range."
)
_NEEDS = "JSON lines with id, module, input, output, expected and reasoning. Nothing leaves this computer."
_OWN = "A pack of your own…"
_CHOOSE = "Choose rows…"


class TemplatesCard(RunCard):
    """The card of a ``TemplatesRun`` and of template verdicts of the history. ``notice`` carries a sentence."""

    run: TemplatesRun
    notice = Signal(str)
    opened = Signal()
    tab = "trust"

    def __init__(self, session: Session, worker: JudgeWorker, side_worker: JudgeWorker, parent: QObject) -> None:
        run = TemplatesRun(session, worker, side_worker, parent)
        super().__init__("Judge templates", run, "Rows judged", kept="What was judged is kept.")
        self._usable = True
        self.pack = ChoiceButton("Pack")
        self.pack.chosen.connect(self._choose_pack)
        self.text = Paragraph(_ABOUT, 14)
        self.other = LinkButton("Other rows…", act=self.ask_rows)
        self.own = LinkButton(
            "This program's own stages",
            tip="Judges 40 texts for which an editor's readings are known, and makes a row of each result.",
            act=run.make,
        )
        self.table = FigureTable("Results of each module's rows")
        self.browser = TemplatesBrowser()
        self.add(self.text, self.pack)
        self.add_run(self.other, self.own)
        self.add(self.table, self.browser)
        self.draw()

    def ask_rows(self) -> None:
        """Ask for a file of rows, and read it."""
        name = ask_open(self, "Choose rows", "JSON lines (*.jsonl);;All files (*)")
        if name:
            self.run.choose(Path(name))

    @property
    def _ready(self) -> bool:
        usable = self.run.read is not None or self.run.making
        return usable and self.run.phase in ("ready", "stopped", "failed")

    def _offer(self) -> str:
        return GO_ON if self.run.phase == "stopped" else "Judge the rows" if self._ready else _CHOOSE

    def _begin(self) -> None:
        if self._ready:
            self.run.start()
        else:
            self.ask_rows()

    def draw(self) -> None:
        """Draw the state of the run."""
        super().draw()
        run = self.run
        self.own.setVisible(run.pack == "stages" and not run.live and not self._ready)
        if self.isVisible():
            self._show_packs()
        self.pack.setEnabled(not run.live)
        self.other.setVisible(self._ready)
        self.browser.setVisible(run.results is not None or self.browser.stored)
        rows = _rows(run.results) if run.results is not None else ()
        self.table.set_tables([Table("Module, points, and rows", (), rows)])
        if run.results is not None:
            self.browser.set_results(run.results)

    def open(self, entry: HistoryEntry) -> None:
        """Show a stored verdict."""
        if isinstance(entry.result, TemplateResult):
            self.browser.show_stored(TEMPLATE.contract(entry.result))
            self.opened.emit()
        else:
            self.notice.emit("This verdict ended before anything of it was stored, so there is nothing to show.")

    def run_again(self, entry: HistoryEntry) -> None:
        """Show the terminal command that judges a single row again."""
        self.notice.emit(f"The window judges files of rows. This one alone: jokejudge history rerun {entry.row.id[:8]}")

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._show_packs()  # their files are read when first needed

    def _show_packs(self) -> None:
        packs, chosen = shipped_packs(), self.run.pack
        place = next((at for at, pack in enumerate(packs) if pack.source == chosen), len(packs))
        own = [Path(chosen).name] if place == len(packs) else []
        self.pack.set_options([*(pack.name for pack in packs), *own, _OWN], place)

    def _choose_pack(self, place: int) -> None:
        packs = shipped_packs()
        if place < len(packs):
            self.run.choose_pack(packs[place].source)
        elif self.pack.options[place] == _OWN:
            name = ask_open(self, "Choose a pack", "XML (*.xml);;All files (*)")
            if name:
                self.run.choose_pack(name)
        self.draw()

    def _at_rest(self) -> str:
        return self._found() if self.run.read is not None else _NEEDS

    def _found(self) -> str:
        read = self.run.read
        assert read is not None
        bad = f"; {read.bad:,} of them can't be judged" if read.bad else ""
        return f"{read.path.name}: {wording.count_of(read.count, 'row')}{bad}."


def _rows(results: TemplateResults) -> tuple[tuple[str, ...], ...]:
    names = {module.id: f"{module.id} {module.name}" for module in results.pack.modules}
    return tuple(_row(found, names.get(found.module, "Without a module")) for found in results.modules)


def _row(found: ModuleSummary, name: str) -> tuple[str, ...]:
    points = "" if found.least is None or found.most is None else f"{found.least:.0f}–{found.most:.0f}"
    if found.least == found.most and found.least is not None:
        points = f"{found.least:.0f}"
    counts = [
        f"{found.passed:,} passed" if found.passed else "",
        f"{found.failed:,} failed" if found.failed else "",
        f"{found.untold:,} not told" if found.untold else "",
        f"{found.errors:,} not judged" if found.errors else "",
    ]
    return name, points, ", ".join(filter(None, counts))
