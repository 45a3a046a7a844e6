"""The card of judge templates: a pack, a file of rows, the run, and its table and failures."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from ...history.query import HistoryEntry
from ...judging.templates.kind import TEMPLATE
from ...judging.templates.types import TemplateResult
from ...rubric.templates import shipped_packs
from ...runs.pace import pace
from ...runs.template_results import TemplateResults
from ...runs.template_run import ModuleSummary
from ...session import Session
from ..frame.judge_worker import JudgeWorker
from ..look import wording
from ..widgets.button_row import ButtonRow
from ..widgets.cards import Card
from ..widgets.choice import ChoiceButton
from ..widgets.controls import LinkButton, PrimaryButton, SecondaryButton
from ..widgets.progress import ProgressLine
from ..widgets.saving import ask_open
from ..widgets.text import Paragraph
from .plan_table import PlanGroup, PlanRow, PlanTable
from .templates_browser import TemplatesBrowser
from .templates_run import TemplatesRun

_ABOUT = (
    "Another judge's outputs are held against what was expected, four rules each and their reasoning: 40, 40 and 20 "
    "points, 70 to pass. A rule that the model in use can't tell is left open, and the points are given as a range."
)
_NEEDS = "JSON lines with id, module, input, output, expected and reasoning. Nothing leaves this computer."
_OWN = "A pack of your own…"
_CHOOSE = "Choose rows…"


class TemplatesCard(Card):
    """Draws a ``TemplatesRun``, and template verdicts of the history. ``said`` carries something worth knowing."""

    said = Signal(str)
    opened = Signal()
    tab = "trust"

    def __init__(self, session: Session, worker: JudgeWorker, side_worker: JudgeWorker) -> None:
        super().__init__("Judge templates")
        self.run = TemplatesRun(session, worker, side_worker, self)
        packs = shipped_packs()
        self._names = [pack.source for pack in packs]
        self._titles = [pack.name for pack in packs]
        self.pack = ChoiceButton("Pack")
        self.pack.chosen.connect(self._choose_pack)
        self.text = Paragraph("", 14)
        self.note = Paragraph("", 13)
        self.line = ProgressLine(name="Rows judged")
        self.button = PrimaryButton(_CHOOSE)
        self.button.clicked.connect(self._act)
        self.stop_button = SecondaryButton("Stop", "stop")
        self.stop_button.clicked.connect(self.run.stop)
        self.other = LinkButton("Other rows…")
        self.other.clicked.connect(self.ask_rows)
        self.own = LinkButton("This program's own stages")
        self.own.setToolTip("Judges 40 texts that were read with the rubric in hand, and makes rows of what it found.")
        self.own.clicked.connect(self.run.make)
        self.table = PlanTable(name="What became of each module's rows")
        self.browser = TemplatesBrowser()
        for widget in (self.text, self.pack, self.note, self.line):
            self.add(widget)
        self.add_layout(ButtonRow(self.button, self.stop_button, self.other, self.own))
        self.add(self.table)
        self.add(self.browser)
        self.run.changed.connect(self.draw)
        self.draw()

    def controls(self) -> list[QWidget]:
        """What the Tab key visits."""
        return [self.pack, self.button, self.stop_button, self.other, self.own, *self.browser.controls()]

    def ask_rows(self) -> None:
        """Ask for a file of rows, and read it."""
        name = ask_open(self, "Choose rows", "JSON lines (*.jsonl);;All files (*)")
        if name:
            self.run.choose(Path(name))

    def draw(self) -> None:
        """Say where the run stands; the keyboard's focus goes from Judge to Stop and back."""
        run = self.run
        focused = self.button.hasFocus() or self.stop_button.hasFocus()
        usable = run.read is not None or run.making
        ready = usable and run.phase in ("ready", "stopped", "failed")
        self.own.setVisible(run.pack == "stages" and not run.live and not ready)
        place = self._names.index(run.pack) if run.pack in self._names else -1
        own = [Path(run.pack).name] if place < 0 else []
        self.pack.set_options([*self._titles, *own, _OWN], place if place >= 0 else len(self._titles))
        self.pack.setEnabled(not run.live)
        text, note = self._words()
        self.text.set_content(text)
        self.note.set_content(note)
        self.note.setVisible(bool(note))
        self.line.setVisible(run.live and run.progress is not None)
        if run.progress is not None:
            self.line.set_fraction(run.progress.done / max(1, run.progress.total))
        done = ready and run.phase == "ready" and run.results is not None
        self.button.setText("Go on" if run.phase == "stopped" else "Judge the rows" if ready and not done else _CHOOSE)
        self.button.setVisible(not run.live)
        self.button.setEnabled(run.phase not in ("reading", "showing"))
        self.stop_button.setVisible(run.live)
        self.stop_button.setEnabled(run.phase != "stopping")
        self.other.setVisible(ready and not done)
        self.table.setVisible(run.results is not None)
        self.browser.setVisible(run.results is not None or self.browser.stored)
        if run.results is not None:
            self.table.set_groups([PlanGroup("Module, points, and rows", _rows(run.results))])
            self.browser.set_results(run.results)
        if focused:
            (self.stop_button if run.live else self.button).setFocus()

    def open(self, entry: HistoryEntry) -> None:
        """Show a stored verdict."""
        if isinstance(entry.result, TemplateResult):
            self.browser.show_stored(TEMPLATE.contract(entry.result))
            self.opened.emit()
        else:
            self.said.emit("This verdict ended before anything of it was stored, so there is nothing to show.")

    def run_again(self, entry: HistoryEntry) -> None:
        """Say how a single row is judged again."""
        self.said.emit(f"The window judges files of rows. This one alone: jokejudge history rerun {entry.row.id[:8]}")

    def _act(self) -> None:
        if (self.run.read is not None or self.run.making) and self.button.text() != _CHOOSE:
            self.run.start()
        else:
            self.ask_rows()

    def _choose_pack(self, place: int) -> None:
        if place < len(self._names):
            self.run.choose_pack(self._names[place])
        elif self.pack.options[place] == _OWN:
            name = ask_open(self, "Choose a pack", "XML (*.xml);;All files (*)")
            if name:
                self.run.choose_pack(name)
        self.draw()

    def _words(self) -> tuple[str, str]:
        run = self.run
        match run.phase:
            case "reading":
                return "Reading the rows…", ""
            case "waiting":
                return "It begins when the model is free.", run.note
            case "running" | "stopping":
                if run.phase == "stopping":
                    return "Stopping after what is in hand.", ""
                rows = run.progress
                done = f"{rows.done:,} of {rows.total:,} {pace(rows.done, rows.total, rows.seconds)}" if rows else ""
                words = "Judging texts whose readings are known." if run.making else "Judging the rows."
                return words, run.note or done.strip()
            case "showing":
                return "Reading what came of it…", ""
            case "failed" if run.error is not None:
                return f"{run.error.sentence} {run.error.hint}".strip(), _NEEDS
            case "stopped":
                return "Stopped. What was judged is kept, and judging goes on from there.", ""
            case _:
                return _ABOUT, self._found() if run.read is not None else _NEEDS

    def _found(self) -> str:
        read = self.run.read
        assert read is not None
        bad = f"; {read.bad:,} of them can't be judged" if read.bad else ""
        return f"{read.path.name}: {wording.count_of(read.count, 'row')}{bad}."


def _rows(results: TemplateResults) -> tuple[PlanRow, ...]:
    names = {module.id: f"{module.id} {module.name}" for module in results.pack.modules}
    return tuple(_row(found, names.get(found.module, "Without a module")) for found in results.modules)


def _row(found: ModuleSummary, name: str) -> PlanRow:
    points = "" if found.least is None or found.most is None else f"{found.least:.0f}–{found.most:.0f}"
    if found.least == found.most and found.least is not None:
        points = f"{found.least:.0f}"
    counts = [
        f"{found.passed:,} passed" if found.passed else "",
        f"{found.failed:,} failed" if found.failed else "",
        f"{found.untold:,} not told" if found.untold else "",
        f"{found.errors:,} not judged" if found.errors else "",
    ]
    said = ", ".join(part for part in counts if part)
    return PlanRow(name, points, said, "", True)
