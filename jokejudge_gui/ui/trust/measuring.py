"""The card that measures the current model on the user's labelled files, and the measurements that are kept."""

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
from ...core.texts import json_line
from ...core.verdicts import Mode, ModelRef
from ...engine.base import CancelToken
from ...measure.evaluating import AnswersFile, Plan, ask
from ...measure.evaluation import judged
from ...measure.kept import KeptEvaluation, KeptEvaluations
from ...measure.labelled import labels_of, read_pairs, read_ratings
from ...measure.words import evaluation_pages
from ...session.session import Session
from ..judge_worker import JobSteps, JudgeWorker
from ..look import wording
from ..widgets.cards import Card
from ..widgets.controls import ChoiceButton, LinkButton, SecondaryButton, Segmented
from ..widgets.dialog import ask_file, last_folder
from ..widgets.layout import HBox
from ..widgets.page import PagesView
from ..widgets.text import Caption, Paragraph
from .runs import GO_ON, Ending, FileRun, RunCard


@dataclass(frozen=True)
class Labelled:
    """A usable labelled file: the number of ``rows``, and of ``ties`` and ``bad`` rows, which are excluded."""

    path: Path
    kind: Literal["pairs", "ratings"]
    rows: int
    ties: int = 0
    bad: int = 0

    @property
    def line(self) -> str:
        """The file in words."""
        noun = "pair" if self.kind == "pairs" else "text"
        counts = (
            wording.count_of(self.ties, "tie") if self.ties else "",
            f"{self.bad:,} unusable" if self.bad else "",
        )
        out = " and ".join(filter(None, counts))
        return f"{self.path.name}: {wording.count_of(self.rows, noun)}" + (f"; {out} left out." if out else ".")


def _look(path: Path) -> Labelled:
    if labels_of(str(path)) == "pairs":
        pairs = read_pairs(str(path))
        return Labelled(path, "pairs", len(pairs.rows), pairs.ties, len(pairs.bad))
    ratings = read_ratings(str(path))
    return Labelled(path, "ratings", len(ratings.rows), 0, len(ratings.bad))


@dataclass
class _Measurement:
    """A run's plan, model, mode and file stem, each set once it is known."""

    plan: Plan | None = None
    model: ModelRef | None = None
    mode: Mode = "quick"
    stem: str = ""


_LIMITS = [("100", "100"), ("300", "300"), ("1000", "1,000"), ("all", "All")]
_WIDTHS = {"100": "about 10 of 100", "300": "6", "1000": "3"}
"""Half the width of the 95 % interval of an agreement near 60 %, in pairs of 100, by number of rows."""
_NEEDS = (
    "Tables as CSV: text_a, text_b and winner (A, B or tie) or votes_a, votes_b; or text and rating. "
    "Several files are measured each and together. Nothing leaves this computer, and nothing goes into the history."
)


class MeasureCard(RunCard):
    """Measures the current model. ``measured`` carries the kept result."""

    measured = Signal(object)

    def __init__(
        self, session: Session, kept: KeptEvaluations, worker: JudgeWorker, side_worker: JudgeWorker, parent: QObject
    ) -> None:
        self._session, self._store = session, kept
        self._measurement = _Measurement()
        run = FileRun(session, worker, side_worker, parent, "trust", self._steps, self._conclude)
        super().__init__(
            "Measure it on your own file", run, "Rows judged",
            kept="What was judged is kept, and measuring it again goes on from there.",
        )  # fmt: skip
        run.result.connect(lambda result: self.measured.emit(result) if result is not None else None)
        self._wanted = "300"
        self._offered: list[str] = []
        self._offered_for: tuple[Labelled, ...] = ()
        self.text = Paragraph("", 14)
        self.limit_label = Caption("Rows to judge")
        self.limit = Segmented(_LIMITS, "Rows to judge", 13)
        self.limit.changed.connect(lambda key: setattr(self, "_wanted", key))
        self.other_link = LinkButton("Other files…", act=self.choose_files)
        self.add(self.text, self.limit_label, (self.limit, 0, Qt.AlignmentFlag.AlignLeft))
        self.add_run(self.other_link)
        self._usable = True
        self.draw()

    @property
    def files(self) -> tuple[Labelled, ...]:
        return self.run.files or ()

    def choose(self, *paths: Path) -> None:
        """Read labelled files."""
        wanted = tuple(dict.fromkeys(paths))
        self.run.read(lambda: tuple(map(_look, wanted)))

    def choose_files(self) -> None:
        """Ask for labelled files, and read them."""
        filters = "Tables (*.csv *.jsonl);;All files (*)"
        names, _ = QFileDialog.getOpenFileNames(self, "Choose files that people judged", last_folder.begin(), filters)
        if names:
            last_folder.remember(names[0])
            self.choose(*map(Path, names))

    def _steps(self, token: CancelToken, limit: int | None) -> JobSteps:
        files, self._measurement = self.files, _Measurement()
        run = self._measurement
        # Read again: a file may have changed since it was chosen.
        paths: dict[str, list[str]] = {"pairs": [], "ratings": []}
        for file in files:
            paths[file.kind].append(str(file.path))
        run.plan = Plan.read(paths["pairs"], paths["ratings"], limit, 1)
        content = b"\0".join(read_bytes(str(file.path)) for file in files)

        def answers(session: Session) -> AnswersFile:
            run.stem = self._store.stem_for(session, content)
            # Another model may be in use by the time that the answers are measured.
            run.model, run.mode = session.model, session.settings.mode
            return self._store.answers(run.stem)

        return ask(self._session, run.plan, answers=answers, cancel=token)

    def _conclude(self, event: Ending) -> KeptEvaluation | None:
        """Compute and store the results of the answers so far, in the side worker's thread."""
        run = self._measurement
        if run.plan is None or not run.stem:
            return None
        evaluation = run.plan.measured(run.model, run.mode, whole=isinstance(event, Finished))
        if not judged(evaluation):
            return None
        name = ", ".join(file.path.name for file in self.files)
        return self._store.save(run.stem, evaluation, name)

    @property
    def _ready(self) -> bool:
        return self.run.phase in ("ready", "stopped") and bool(self.files)

    def _offer(self) -> str:
        return GO_ON if self.run.phase == "stopped" else "Measure" if self._ready else "Measure on your own file…"

    def _begin(self) -> None:
        if self._ready:
            key = self.limit.current()
            self.run.start(None if key == "all" else int(key))
        else:
            self.choose_files()

    def draw(self) -> None:
        """Draw the state of the measurement."""
        self._offer_limits()
        super().draw()
        self.text.set_content(self._about())
        ready = self._ready and self._usable
        for widget in (self.limit_label, self.limit):
            widget.setVisible(ready and bool(self._offered))
        self.other_link.setVisible(ready)

    def _offer_limits(self) -> None:
        """Offer the limits below the size of the largest file; a choice stays for other files while it is offered."""
        if self.files == self._offered_for:
            return
        most = max((file.rows for file in self.files), default=0)
        keys = [key for key, _ in _LIMITS if key != "all" and int(key) < most]
        self._offered_for, self._offered = self.files, keys
        self.limit.offer([*keys, "all"])
        self.limit.blockSignals(True)
        self.limit.set_current(self._wanted if self._wanted in keys else "all")
        self.limit.blockSignals(False)

    def _at_rest(self) -> str:
        if not self._usable:
            return ""
        if not self._ready:
            return _NEEDS
        names = dict(_LIMITS)
        widths = [f"of {names[key]} to within {_WIDTHS[key]}" for key in self._offered]
        if not widths:
            return ""
        return f"Chosen at random, of each file. The agreement is known {', '.join(widths)}."

    def _about(self) -> str:
        if not self._usable:
            return "Only the model in use can be measured. Choose this one in the model menu first."
        if self.run.phase == "ready":
            return " ".join(file.line for file in self.files)
        if self.files and self.run.phase not in ("idle", "failed"):
            return f"The model in use on {', '.join(file.path.name for file in self.files)}."
        return "Measure the model in use on jokes that people have judged."


# The user's own measurements

_REPORTS = {"Web page (*.html)": ".html", "JSON (*.json)": ".json"}


def write_report(kept: KeptEvaluation, path: Path) -> str:
    """Write a report: JSON for ``.json``, else one HTML page. Return a sentence for the user."""
    if path.suffix.lower() == ".json":
        atomic_write(path, json_line(kept.found, indent=1))
    else:
        atomic_write(path, as_html(evaluation_pages(kept.found), "How far to trust this judge"))
    return f"The report is in {path}."


class OwnCard(Card):
    """The user's own measurements of a model. ``forget_asked`` carries the one that is shown, ``failed`` an error,
    ``notice`` a sentence."""

    forget_asked = Signal(object)
    failed = Signal(object)
    notice = Signal(str)

    def __init__(self, worker: JudgeWorker) -> None:
        super().__init__("Your own measurement")
        self._worker = worker
        self._measured: tuple[KeptEvaluation, ...] = ()
        self.shown: KeptEvaluation | None = None
        self.choice = ChoiceButton("Measurement")
        self.choice.chosen.connect(lambda place: self._show(self._measured[place]))
        self.lead, self.pages = Paragraph("", 13), PagesView()
        self.save_button = SecondaryButton("Save report…", act=self._save)
        self.forget_link = LinkButton("Forget it", act=lambda: self.forget_asked.emit(self.shown))
        self.add(self.choice, self.lead, self.pages, HBox(self.save_button, self.forget_link, 1, gap=12))

    def set_measured(self, measured: tuple[KeptEvaluation, ...]) -> None:
        """Show the newest measurement and let the user choose another."""
        self.setVisible(bool(measured))
        if measured == self._measured:
            return
        self._measured = measured
        self.choice.set_options([f"{kept.source}, {kept.moment[:10]}" for kept in measured], 0)
        self.choice.setVisible(len(measured) > 1)
        self.shown = None
        if measured:
            self._show(measured[0])

    def _show(self, kept: KeptEvaluation) -> None:
        self.shown = kept
        self.lead.set_content(f"{kept.source} · {kept.extent} · {kept.moment[:10]} · version {kept.program}")
        self.pages.show_pages(tuple(evaluation_pages(kept.found)))

    def _save(self) -> None:
        path = ask_file(self, "Save report", "trust.html", _REPORTS)
        if path is not None and self.shown is not None:
            write = partial(write_report, self.shown, path)
            self._worker.call("report", write, self.notice.emit, self.failed.emit)
