"""Measurements of the current model on labelled files: reading them, the run in the judge's worker, and reports."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QFileDialog

from ...core.events import Finished
from ...core.files import atomic_write
from ...core.pages import as_html
from ...core.tables import read_bytes
from ...core.verdicts import Mode, ModelRef
from ...engine.base import CancelToken
from ...measure.evaluating import AnswersFile, Plan, ask, items_csv
from ...measure.kept import KeptEvaluation, KeptEvaluations
from ...measure.labelled import labels_of, read_pairs, read_ratings, read_reference
from ...measure.words import evaluation_pages
from ...session.session import Session
from ..judge_worker import JobSteps, JudgeWorker
from ..look import wording
from ..widgets.controls import LinkButton, Segmented
from ..widgets.dialog import last_folder
from ..widgets.text import Caption, Paragraph
from .long_run import GO_ON, Ending, LongRun, RunCard

_KINDS = ("pairs", "ratings", "readings")


@dataclass(frozen=True)
class Labelled:
    """A usable labelled file: the number of ``rows``, and of ``ties`` and ``bad`` rows, which are excluded."""

    path: Path
    kind: Literal["pairs", "ratings", "readings"]
    rows: int
    ties: int = 0
    bad: int = 0


def _look(path: Path) -> Labelled:
    if path.suffix.lower() in (".jsonl", ".ndjson"):
        readings = read_reference(str(path))
        return Labelled(path, "readings", len(readings.rows), 0, len(readings.bad))
    if labels_of(str(path)) == "pairs":
        pairs = read_pairs(str(path))
        return Labelled(path, "pairs", len(pairs.rows), pairs.ties, len(pairs.bad))
    ratings = read_ratings(str(path))
    return Labelled(path, "ratings", len(ratings.rows), 0, len(ratings.bad))


@dataclass
class _Run:
    """A run's plan, model, mode and file stem, each set once it is known."""

    plan: Plan | None = None
    model: ModelRef | None = None
    mode: Mode = "quick"
    stem: str = ""


def write_report(kept: KeptEvaluation, path: Path, store: KeptEvaluations) -> str:
    """Write a report: JSON for ``.json``, the table of its rows for ``.csv``, else one HTML page. Return a sentence for
    the user."""
    match path.suffix.lower():
        case ".csv":
            atomic_write(path, store.items(kept.stem))
        case ".json":
            atomic_write(path, kept.found.model_dump_json(indent=1) + "\n")
        case _:
            atomic_write(path, as_html(evaluation_pages(kept.found), "How far to trust this judge"))
    return f"The report is in {path}."


class Measurer(LongRun):
    """One measurement at a time: the judge's worker collects the answers, the other one fits the baselines and stores
    the result, which ``measured`` carries."""

    measured = Signal(object)
    job_name = "trust"

    def __init__(
        self, session: Session, kept: KeptEvaluations, worker: JudgeWorker, side_worker: JudgeWorker, parent: QObject
    ) -> None:
        super().__init__(session, worker, parent, side_worker)
        self._kept = kept
        self._run = _Run()
        self.files: tuple[Labelled, ...] = ()
        self.limit: int | None = None

    @property
    def name(self) -> str:
        """The names of the chosen files."""
        return ", ".join(file.path.name for file in self.files)

    def choose(self, *paths: Path) -> None:
        """Read labelled files."""
        wanted = tuple(dict.fromkeys(paths))
        self._read(lambda: tuple(map(_look, wanted)), self._take)

    def _take(self, files: tuple[Labelled, ...]) -> None:
        self.files = files

    def start(self, limit: int | None) -> None:
        """Measure on at most ``limit`` rows of each chosen file; None: all."""
        if not self.files or self.live:
            return
        self.limit = limit
        self._submit()

    def _clear(self) -> None:
        super()._clear()
        self._run = _Run()

    def _steps(self, token: CancelToken) -> JobSteps:
        files, run = self.files, self._run
        # Read again: a file may have changed since it was chosen.
        names = {kind: [str(file.path) for file in files if file.kind == kind] for kind in _KINDS}
        run.plan = Plan.read(names["pairs"], names["ratings"], self.limit, 1, names["readings"])
        content = b"\0".join(read_bytes(str(file.path)) for file in files)

        def answers(session: Session) -> AnswersFile:
            run.stem = self._kept.stem_for(session, content)
            # Another model may be in use by the time that the answers are measured.
            run.model, run.mode = session.model, session.settings.mode
            return self._kept.answers(run.stem)

        return ask(self._session, run.plan, answers=answers, cancel=token)

    def _end(self, event: Ending) -> None:
        if self._left or not self.files:
            self._settle(event)
        else:
            measure = partial(self._measure, self._run, self.name, whole=isinstance(event, Finished))
            self._conclude(event, measure, self._tell)

    def _measure(self, run: _Run, name: str, *, whole: bool) -> KeptEvaluation | None:
        """Compute and store the results of a run's answers so far, in the other worker's thread."""
        if run.plan is None or not run.stem:
            return None
        found = run.plan.measured(run.model, run.mode, whole=whole)
        return self._kept.save(run.stem, found, name, b"".join(items_csv(run.plan.items()))) if found.judged else None

    def _tell(self, kept: KeptEvaluation | None) -> None:
        if kept is not None:
            self.measured.emit(kept)


# The card to measure the current model on the user's own files.

_LIMITS = [("100", "100"), ("300", "300"), ("1000", "1,000"), ("all", "All")]
_USUAL = "300"
_NEEDS = (
    "Tables as CSV: text_a, text_b and winner (A, B or tie) or votes_a, votes_b; or text and rating. Or an editor's "
    "readings as JSON lines. Several files are measured each and together. Nothing leaves "
    "this computer, and nothing goes into the history."
)
_WIDTHS = {"100": "about 10 of 100", "300": "6", "1000": "3"}
"""Half the width of the 95 % interval of an agreement near 60 %, in pairs of 100, by number of rows."""


class MeasureCard(RunCard):
    """The card of a ``Measurer``."""

    run: Measurer

    def __init__(self, measurer: Measurer) -> None:
        super().__init__(
            "Measure it on your own file", measurer, "Rows judged",
            kept="What was judged is kept, and measuring it again goes on from there.",
        )  # fmt: skip
        self._usable = True
        self.text = Paragraph("", 14)
        self.limit_label = Caption("Rows to judge")
        self.limit = Segmented(_LIMITS, "Rows to judge", 13)
        self.limit.changed.connect(self._want)
        self._wanted = _USUAL
        self._offered: tuple[tuple[Labelled, ...], list[str]] = ((), [])
        self.other_link = LinkButton("Other files…", act=self.choose_files)
        self.add(self.text, self.limit_label, (self.limit, 0, Qt.AlignmentFlag.AlignLeft))
        self.add_run(self.other_link)
        self.draw()

    def set_usable(self, usable: bool) -> None:
        """Set whether the model that is shown is the current one; no other can be measured."""
        self._usable = usable
        self.draw()

    @property
    def _ready(self) -> bool:
        return self.run.phase in ("ready", "stopped") and bool(self.run.files)

    def _offer(self) -> str:
        return GO_ON if self.run.phase == "stopped" else "Measure" if self._ready else "Measure on your own file…"

    def _begin(self) -> None:
        key = self.limit.current()
        if self._ready:
            self.run.start(None if key == "all" else int(key))
        else:
            self.choose_files()

    def choose_files(self) -> None:
        """Ask for labelled files, and read them."""
        filters = "Tables and readings (*.csv *.jsonl);;All files (*)"
        names, _ = QFileDialog.getOpenFileNames(self, "Choose files that people judged", last_folder.begin(), filters)
        if names:
            last_folder.remember(names[0])
            self.run.choose(*map(Path, names))

    def draw(self) -> None:
        """Draw the state of the measurement."""
        self._offer_limits()
        super().draw()
        self.text.set_content(self._about())
        ready = self._ready and self._usable
        for widget in (self.limit_label, self.limit):
            widget.setVisible(ready and bool(self._offered[1]))
        self.other_link.setVisible(ready)

    def _offer_limits(self) -> None:
        """Offer the limits below the size of the largest file; a choice stays for other files while it is offered."""
        files = self.run.files
        if files == self._offered[0]:
            return
        most = max((file.rows for file in files), default=0)
        keys = [key for key, _ in _LIMITS if key != "all" and int(key) < most]
        self._offered = files, keys
        self.limit.offer([*keys, "all"])
        self.limit.blockSignals(True)
        self.limit.set_current(self._wanted if self._wanted in keys else "all")
        self.limit.blockSignals(False)

    def _want(self, key: str) -> None:
        self._wanted = key

    def _widths(self) -> str:
        """Return the precision for each number of rows; empty where there is no choice."""
        names = dict(_LIMITS)
        first, *more = [(names[key], _WIDTHS[key]) for key in self._offered[1]] or [("", "")]
        others = "".join(f", of {rows} to within {width}" for rows, width in more)
        if not first[0]:
            return ""
        return (
            f"Chosen at random, of each file. Of {first[0]} pairs the agreement is known to within {first[1]}{others}."
        )

    def _at_rest(self) -> str:
        if not self._usable:
            return ""
        return self._widths() if self._ready else _NEEDS

    def _about(self) -> str:
        """Return the text on the files that are measured or can be."""
        if not self._usable:
            return "Only the model in use can be measured. Choose this one in the model menu first."
        if self.run.phase == "failed":
            return _NEEDS
        if self.run.phase == "ready":
            return self._found()
        if self.run.files and self.run.phase != "idle":
            return f"The model in use on {self.run.name}."
        return "Measure the model in use on jokes that people have judged."

    def _found(self) -> str:
        return " ".join(self._of_file(found) for found in self.run.files)

    def _of_file(self, found: Labelled) -> str:
        noun = "pair" if found.kind == "pairs" else "text"
        left = [
            wording.count_of(found.ties, "tie") if found.ties else "",
            f"{found.bad:,} unusable" if found.bad else "",
        ]
        out = " and ".join(part for part in left if part)
        return f"{found.path.name}: {wording.count_of(found.rows, noun)}" + (f"; {out} left out." if out else ".")
