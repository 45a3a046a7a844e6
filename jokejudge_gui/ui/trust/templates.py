"""The card of judge templates: a pack, a file of rows, the run, its table, and a row of the history."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QShowEvent

from ...batch.lines import Tally, counted
from ...core.errors import JokeJudgeError
from ...core.files import private_folder, sha256_of
from ...core.pages import Table
from ...engine.base import CancelToken
from ...history.query import HistoryEntry
from ...judge.templates.kind import TEMPLATE
from ...judge.templates.record import TemplateResult
from ...measure.template_run import TemplateFile, TemplateRows, judge_rows, modules_table, summaries
from ...rubric.templates import Pack, find_pack, shipped_packs
from ...session.session import Session
from ..judge_worker import JobSteps, JudgeWorker
from ..look import wording
from ..widgets.controls import ChoiceButton, LinkButton
from ..widgets.dialog import ask_open
from ..widgets.page import FigureTable
from ..widgets.text import Paragraph
from .long_run import GO_ON, Ending, LongRun, RunCard


class TemplatesRun(LongRun):
    """Judges rows with a pack. Results are kept, so a run on the same rows continues where it stopped."""

    job_name = "templates"

    def __init__(self, session: Session, worker: JudgeWorker, side_worker: JudgeWorker, parent: QObject) -> None:
        super().__init__(session, worker, parent, side_worker)
        self._out: Path | None = None
        self.pack = "seeds"
        self.rows: tuple[Pack, Path, str] | None = None
        """The pack, the file of rows, and the file in words."""
        self.table: Table | None = None

    def choose(self, path: Path) -> None:
        """Read a file of rows for the chosen pack."""
        if not self.live:
            self.rows = self.table = None
            self._read(partial(self._look, path), self._take)

    def choose_pack(self, name: str) -> None:
        """Use another pack; rows that were read are read again."""
        if self.live or name == self.pack:
            return
        before, self.pack, self.table = self.rows, name, None
        self.rows = None
        self._set("idle")
        if before is not None:
            self.choose(before[1])

    def _look(self, path: Path) -> tuple[Pack, Path, str]:
        pack = find_pack(self.pack)
        rows = TemplateRows(str(path), pack)
        bad = sum(row.problem is not None for row in rows)
        cannot = f"; {bad:,} of them can't be judged" if bad else ""
        return pack, path, f"{path.name}: {wording.count_of(len(rows), 'row')}{cannot}."

    def _take(self, rows: tuple[Pack, Path, str]) -> None:
        self.rows = rows

    def start(self) -> None:
        """Judge the rows, or go on."""
        if self.rows is not None and not self.live:
            self._submit()

    def _steps(self, token: CancelToken) -> JobSteps:
        return self._judge(token)

    def _judge(self, token: CancelToken) -> Iterator[object]:
        """Judge the rows, and write the results to a file for this model and these rows."""
        assert self.rows is not None
        (pack, path, _), judge = self.rows, self._session.judge
        folder = self._session.profile.templates / "runs"
        try:
            private_folder(folder)
        except OSError as error:
            raise JokeJudgeError(
                "E_WRITE", f"{folder} can't be made: {error.strerror or error}.", "Free some disk space."
            ) from error
        made = "\0".join((pack.version, sha256_of(path), judge.model.sha256 if judge else ""))
        self._out = folder / f"{hashlib.sha256(made.encode()).hexdigest()[:24]}.jsonl"
        # Read again: the file may have changed since it was chosen.
        rows = TemplateRows(str(path), pack)
        with closing(TemplateFile(self._out, pack)) as file:
            tally: Tally = counted(rows, file)
            record = self._session.settings.batch_history
            yield from judge_rows(self._session, rows, file, tally, record=record, cancel=token)

    def _end(self, event: Ending) -> None:
        if self._left or self._out is None or self.rows is None:
            self._settle(event)
            return
        pack, out = self.rows[0], self._out
        self._conclude(event, lambda: modules_table(summaries(pack, out)), self._show)

    def _show(self, table: Table) -> None:
        self.table = table


_ABOUT = (
    "Scores another judge's outputs: 40 points for the expected answer, 40 for four rules, 20 for the reasoning; 70 "
    "points pass. A rule that the model in use can't judge is left open, and the points are given as a range."
)
_NEEDS = "JSON lines with id, module, input, output, expected and reasoning. Nothing leaves this computer."
_OWN = "A pack of your own…"
_CHOOSE = "Choose rows…"


class TemplatesCard(RunCard):
    """The card of a ``TemplatesRun``, and of template verdicts of the history. ``notice`` carries a sentence."""

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
        self.other = LinkButton("Other rows…", act=self.ask_rows)
        self.table = FigureTable("Results of each module's rows")
        self.stored = Paragraph("", 14, token="text", gap=6)
        self.stored.hide()
        self.add(Paragraph(_ABOUT, 14), self.pack)
        self.add_run(self.other)
        self.add(self.table, self.stored)
        self.draw()

    def ask_rows(self) -> None:
        """Ask for a file of rows, and read it."""
        name = ask_open(self, "Choose rows", "JSON lines (*.jsonl);;All files (*)")
        if name:
            self.run.choose(Path(name))

    @property
    def _ready(self) -> bool:
        return self.run.rows is not None and self.run.phase in ("ready", "stopped", "failed")

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
        if self.isVisible():
            self._show_packs()
        self.pack.setEnabled(not self.run.live)
        self.other.setVisible(self._ready)
        self.table.set_tables([self.run.table] if self.run.table is not None else [])

    def open(self, entry: HistoryEntry) -> None:
        """Show a stored verdict."""
        if not isinstance(entry.result, TemplateResult):
            self.notice.emit("This verdict ended before anything of it was stored, so there is nothing to show.")
            return
        page = TEMPLATE.words(entry.result)
        lines = [(f"{row.name}:", row.text) for row in page.rows if row.name]
        self.stored.set_content(wording.labelled([("From the history:", page.headline), *lines]))
        self.stored.show()
        self.opened.emit()

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
        return self.run.rows[2] if self.run.rows is not None else _NEEDS
