"""What can be run with the model in use: a measurement on the user's files, an audit, learning to read, a fit to
people."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog

from ...core.events import Finished, ModelReady, Stage
from ...core.tables import read_bytes
from ...core.texts import listed
from ...core.verdicts import ModelRef
from ...engine.base import CancelToken
from ...judge.audit.kind import AUDIT
from ...judge.audit.record import MOST_ASKED, AuditRequest
from ...learning import words as learned
from ...learning.fitting import HeadFitted, HeadRemoved, InUse
from ...learning.learner import Learned
from ...learning.teacher import Part
from ...measure.audit import SHIPPED, audit, own_cases, shipped_cases
from ...measure.evaluating import AnswersFile, Plan, ask
from ...measure.evaluation import judged
from ...measure.kept import KeptEvaluation, KeptEvaluations
from ...measure.labelled import labels_of
from ...measure.words import in_words, ratings_in_words
from ...session.session import Session
from ..judge_worker import JobEvent, JobSteps, JudgeWorker
from ..widgets.controls import LinkButton
from ..widgets.dialog import ask_open, last_folder
from .runs import GO_ON, Ending, RunCard

# A measurement on the user's files

_NEEDS = (
    "On jokes that people have judged: tables as CSV with text_a, text_b and winner (A, B or tie) or votes_a, votes_b; "
    "or with text and rating. Stop whenever you like: what was judged by then is measured. Nothing leaves this "
    "computer, and nothing goes into the history."
)


class MeasureCard(RunCard):
    """Measures the current model on labelled files. ``measured`` carries the kept result, ``failed`` an error."""

    measured = Signal(object)
    failed = Signal(object)
    NAME, TITLE, DOING = "trust", "Measure it on your own file", "Rows judged"
    KEPT = "What was judged is stored, and measuring it again goes on from there."

    def __init__(self, session: Session, kept: KeptEvaluations, worker: JudgeWorker, side_worker: JudgeWorker) -> None:
        self._store, self._side_worker = kept, side_worker
        self._plan: Plan | None = None
        self._model: ModelRef | None = None
        self._name = self._stem = self._result = ""
        self._mode = session.settings.mode
        self.forget_link = LinkButton("Forget what was measured", act=self.forget)
        super().__init__(session, worker, self.forget_link)
        self.ended.connect(self._conclude)
        self.draw()

    def begin(self) -> None:
        """Ask for labelled files, and measure the model on them."""
        filters = "Tables (*.csv);;All files (*)"
        names, _ = QFileDialog.getOpenFileNames(self, "Choose files that people judged", last_folder.begin(), filters)
        if names:
            last_folder.remember(names[0])
            self.start(*dict.fromkeys(names))

    def steps(self, token: CancelToken, *names: str) -> JobSteps:
        paths: dict[str, list[str]] = {"pairs": [], "ratings": []}
        for name in names:
            paths[labels_of(name)].append(name)
        self._plan, self._stem = Plan.read(paths["pairs"], paths["ratings"], None, 1), ""
        self._name = ", ".join(Path(name).name for name in names)
        content = b"\0".join(map(read_bytes, names))

        def answers(session: Session) -> AnswersFile:
            # Another model may be in use by the time that the answers are measured.
            self._model, self._mode = session.model, session.settings.mode
            self._stem = self._store.stem_for(session, content)
            return self._store.answers(self._stem)

        return ask(self._session, self._plan, answers=answers, cancel=token)

    def _conclude(self, event: Ending) -> None:
        """Compute and store the results of the answers so far, in the side worker's thread."""
        plan, stem, name, model, mode = self._plan, self._stem, self._name, self._model, self._mode
        self._result = ""
        if plan is None or not stem:
            return
        self._result = "Computing the result… You can judge jokes meanwhile."
        self.draw()

        def measure() -> KeptEvaluation | None:
            report = plan.measured(model, mode, whole=isinstance(event, Finished))
            return self._store.save(stem, report, name) if judged(report) else None

        self._side_worker.call("result", measure, self._on_measured, self.failed.emit)

    def _on_measured(self, kept: KeptEvaluation | None) -> None:
        self._result = ""
        if kept is not None:
            sentences = [*map(in_words, kept.found["pairs"]), *map(ratings_in_words, kept.found["ratings"])]
            self._result = " ".join(sentences)
            self.measured.emit(kept)
        self.draw()

    def forget(self) -> None:
        """Delete the measurements of the current model with their answers."""
        for kept in self._kept_here():
            self._store.forget(kept.stem)
        self.measured.emit(None)

    def _kept_here(self) -> list[KeptEvaluation]:
        model = self._session.model
        return self._store.of(model.sha256) if model is not None else []

    def about(self) -> str:
        return self._result or _NEEDS

    def offer(self) -> str:
        return "Choose files…"

    def wants(self, link: LinkButton) -> bool:
        return bool(self._kept_here())


# An audit

BEGIN = "Audit this model"
_OFFER = (
    "200 pairs of jokes are read with one of them changed: longer, by a famous author, with likes, in capitals, with "
    "an order to the judge and so on. That takes a small model some minutes. Verdicts go first, and the audit "
    "is stored in the history."
)


class AuditCard(RunCard):
    """Audits the current model on the shipped jokes, or on the pairs of a labelled file or of an earlier audit. A
    complete audit is a row of the history."""

    NAME, TITLE, DOING = "audit", "What moves it though it shouldn't", "Auditing the model"
    KEPT = "What was read is stored."
    STAGES = (Stage.READING, Stage.DUELS, Stage.SCORES, Stage.CALIBRATION)

    def __init__(self, session: Session, worker: JudgeWorker) -> None:
        self.own_link = LinkButton("On my own pairs…", act=self.choose_pairs)
        super().__init__(session, worker, self.own_link)
        self.draw()

    def steps(self, token: CancelToken, source: Path | AuditRequest | None = None) -> JobSteps:
        if isinstance(source, AuditRequest):
            return audit(self._session, source, cancel=token)
        cases = shipped_cases() if source is None else own_cases(str(source))
        name = SHIPPED if source is None else source.name
        request = self._session.request(AUDIT, cases=cases, source=name, most_asked=MOST_ASKED)
        return audit(self._session, request, cancel=token)

    def choose_pairs(self) -> None:
        """Ask for a labelled file, and audit the model on its pairs."""
        if name := ask_open(self, "Choose pairs that people judged", "Tables (*.csv);;All files (*)"):
            self.start(Path(name))

    def about(self) -> str:
        return _OFFER

    def offer(self) -> str:
        return BEGIN


# Learning to read

TEACH, MEASURE = "Teach it to read jokes", "Measure what asking adds"
_TEXTS: dict[Part, str] = {
    "editor": "some 900 texts that an editor read",
    "drafts": "some 280 jokes in several drafts",
    "sense": "some 1,600 texts around 150 jokes, many of which only look like one",
}
"""The training data of each part."""


class LearnCard(RunCard):
    """Trains reading heads. ``learned``: verdicts use a new part. The run continues after a restart of the program."""

    learned = Signal()
    NAME, TITLE, DOING = "learn", "What is read, and what is asked", "Learning to read jokes"
    KEPT = "What was read is stored. Verdicts go first; closing the program only pauses it."

    def __init__(self, session: Session, worker: JudgeWorker) -> None:
        super().__init__(session, worker)
        self.gained: list[str] = []
        """Sentences on the worth of each part learned with the current model."""
        self.ended.connect(self.learned)
        worker.happened.connect(self._watch)
        self.draw()

    def steps(self, token: CancelToken) -> JobSteps:
        return self._session.fit_editor(cancel=token)

    @property
    def missing(self) -> tuple[Part, ...]:
        """The parts that the current model lacks and that could be learned."""
        judge = self._session.judge
        return self._session.learner.missing(judge) if judge is not None else ()

    @property
    def begun(self) -> bool:
        """Whether a run with the current model was started and not finished."""
        judge = self._session.judge
        return judge is not None and self._session.learner.begun(judge.model.sha256)

    def _watch(self, item: JobEvent) -> None:
        if isinstance(item.event, ModelReady) and self._job is None:
            self.take_up()

    def take_up(self) -> None:
        """Resume a run that was started with the current model before the program was closed, otherwise reset."""
        self.gained = []
        if self.missing and self.begun:
            self._submit()
        else:
            self.reset()

    def take(self, event: object) -> None:
        if isinstance(event, Learned):
            self.gained.append(learned.in_words(event))
            self.learned.emit()

    def about(self) -> str:
        offer = ""
        if texts := [_TEXTS[part] for part in self.missing if part in _TEXTS]:
            offer = (
                f"With this model the program can learn to read jokes as an editor does, from {listed(texts)}. "
                "Each is read once, in the background. Parts that are too near to chance aren't used."
            )
        elif self.missing:
            offer = "It wasn't measured yet how much asking this model adds to reading with it."
        return " ".join([*self.gained, offer]).strip() or "All that can be learned for this model is there."

    def offer(self) -> str:
        missing = self.missing
        return GO_ON if missing and self.begun else MEASURE if missing == ("plan",) else TEACH if missing else ""


# A fit to people

FIT = "Fit to people"
_FITS = (
    "An estimate can be fitted here, from rated jokes that come with the program and from your own votes. Every text "
    "is read once, which takes minutes, with a large model an hour. It is used only if it agrees with people more "
    "often than length, wording and chance do, on votes held out."
)
_HAS: dict[InUse, str] = {
    "none": "This model has no estimate yet.",
    "shipped": "This model's estimate comes with the program; one that is fitted here must beat it, too.",
    "own": "This model's estimate was fitted on this computer.",
}


class FitCard(RunCard):
    """Fits a head to people, or deletes the fitted one."""

    NAME, TITLE, DOING = "fit", "Audience estimate", "Fitting to people"
    KEPT = "Nothing was fitted, and nothing was changed."

    def __init__(self, session: Session, worker: JudgeWorker) -> None:
        self._in_use: InUse = "none"
        self.remove_link = LinkButton("Delete the one fitted here", act=lambda: self.start(True))
        super().__init__(session, worker, self.remove_link)
        self.draw()

    def steps(self, token: CancelToken, removing: bool = False) -> JobSteps:
        return self._session.remove_head(cancel=token) if removing else self._session.fit(cancel=token)

    def show_head(self, in_use: InUse, usable: bool) -> None:
        """Show which head the model has."""
        self._in_use = in_use
        self.set_usable(usable)

    def about(self) -> str:
        match self.outcome:
            case HeadFitted(report=report):
                return " ".join(report.sentences)
            case HeadRemoved(sentence=sentence):
                return sentence
        return f"{_HAS[self._in_use]} {_FITS}"

    def offer(self) -> str:
        return FIT

    def wants(self, link: LinkButton) -> bool:
        return self._in_use == "own"
