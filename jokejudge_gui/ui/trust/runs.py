"""What can be run with the model in use: an audit, learning to read, a fit to people. Each is a job in the judge's
thread that lets verdicts go first and then goes on."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, ClassVar

from PySide6.QtCore import Signal

from ...core.events import Cancelled, Failed, Finished, ModelReady, Stage, StageProgress, StageStarted
from ...core.texts import listed
from ...engine.base import CancelToken
from ...judge.audit.record import MOST_ASKED, AuditRequest, Readings
from ...judge.audit.words import AUDIT
from ...learning import words as learned
from ...learning.fitting import HeadReport, InUse
from ...learning.teacher import Learned, Part
from ...measure.audit import SHIPPED, audit, shipped_cases
from ...session.session import Session
from ..judge_worker import Job, JobSteps, JudgeWorker
from ..look import wording
from ..notices import show_progress, watched
from ..verdict.tab import VerdictState
from ..widgets.cards import Card
from ..widgets.controls import SecondaryButton
from ..widgets.layout import HBox
from ..widgets.line import ProgressLine
from ..widgets.text import Paragraph

GO_ON, STOP = "Go on", "Stop"


class RunCard(Card):
    """Starts, stops and shows one job at a time with the model in use. ``ended`` carries its last event, ``notice``
    that it ended unwatched.

    A verdict that is requested goes first (``give_way``): the run stops after the current step and is submitted again,
    which puts it behind the verdict. Its results so far must be stored by then."""

    ended = Signal(object)
    notice = Signal(str)
    NAME: ClassVar[str]
    """The job's name."""
    TITLE: ClassVar[str]
    DOING: ClassVar[str]
    """The name of the progress line."""
    KEPT: ClassVar[str]
    """What is said after a stop."""
    GOES_ON: ClassVar[bool] = True
    """Whether a stopped run goes on where it was."""
    STAGES: ClassVar[Collection[Stage]] = tuple(Stage)
    """The stages whose progress is shown."""

    def __init__(self, session: Session, worker: JudgeWorker) -> None:
        super().__init__(self.TITLE, padding=16)
        self._session, self._worker = session, worker
        self._arguments: tuple[Any, ...] = ()
        self._job: Job | None = None
        self._again = False
        self.state = VerdictState()
        self.outcome: object = None
        """The last event that is neither progress nor the end."""
        self.note, self.line = Paragraph("", 13), ProgressLine(name=self.DOING)
        self.button = SecondaryButton("", act=self._act)
        self.add(self.note, self.line, HBox(self.button, 1))
        self.draw()

    def steps(self, token: CancelToken, *arguments: Any) -> JobSteps:
        """Return the steps of a run with the arguments of ``start``."""
        raise NotImplementedError

    def about(self) -> str:
        """Return what is said while nothing runs."""
        raise NotImplementedError

    def offer(self) -> str:
        """Return the button's caption then; empty: there is nothing to start."""
        raise NotImplementedError

    def take(self, event: object) -> None:
        """Note an event that is neither progress nor the end."""
        self.outcome = event

    # The run

    @property
    def live(self) -> bool:
        """Whether a run is in progress or waiting."""
        return self._job is not None

    def start(self, *arguments: Any) -> None:
        """Start, or continue a stopped run: its stored results come at once."""
        if not self.live and self._session.model is not None:
            self._arguments = arguments
            self._submit()

    def stop(self) -> None:
        """Stop after the current step; the results so far are kept."""
        if self._job is not None:
            self._again = False
            self._worker.cancel(self._job)

    def give_way(self) -> None:
        """Let a verdict go first."""
        if self._job is not None and not self._job.token.cancelled:
            self._again = True
            self._worker.cancel(self._job)

    def leave(self) -> None:
        """Start nothing any more, since the window closes."""
        self._again = False

    def reset(self) -> None:
        """Begin anew, since another model is in use."""
        if not self.live:
            self.state = VerdictState()
            self.draw()

    def _submit(self) -> None:
        self._again = False
        self.state, self.outcome = VerdictState("waiting"), None
        self._job = self._worker.submit(
            self.NAME, lambda token: self.steps(token, *self._arguments), self._on_event, gives_way=True
        )
        self.draw()

    def _on_event(self, job: Job, event: object) -> None:
        state = self.state
        if job is not self._job:
            return
        if isinstance(event, Finished | Failed | Cancelled):
            self._end(event)
        elif not isinstance(event, StageProgress):
            self.take(event)
        elif event.stage in self.STAGES:
            if event.note != state.note or state.stage is None:
                state.apply(StageStarted(stage=event.stage, total=event.total))
            state.apply(event)
            show_progress(self.window(), state.done, state.total or 0)
            self.draw()

    def _end(self, event: Finished | Failed | Cancelled) -> None:
        self._job = None
        self.state.apply(event)
        if isinstance(event, Cancelled) and self._again:
            self._submit()
            return
        self.draw()
        self.ended.emit(event)
        show_progress(self.window(), 0, 0)
        if isinstance(event, Finished) and not watched(self):
            self.notice.emit(f"{self.TITLE}: done.")

    # Drawing

    def draw(self) -> None:
        """Draw the state of the run. The focus stays on its button."""
        state, focused = self.state, self.button.hasFocus()
        self.note.show_text(self._words())
        self.line.setVisible(self.live and bool(state.total))
        self.line.set_fraction(state.done / (state.total or 1))
        offer = STOP if self.live else GO_ON if state.phase == "stopped" and self.GOES_ON else self.offer()
        self.button.setText(offer)
        self.button.setVisible(bool(offer))
        if focused and not self.button.isHidden():
            self.button.setFocus()

    def _words(self) -> str:
        state = self.state
        if state.phase == "failed":
            return str(state.error)
        if state.phase == "stopped":
            return f"Stopped. {self.KEPT}"
        if not self.live:
            return self.about()
        if not state.total:
            return "Waiting for the model."
        return " · ".join(filter(None, (wording.sentence_case(state.note), state.progress()))) + "."

    def _act(self) -> None:
        if self.live:
            self.stop()
        else:
            self.start(*(self._arguments if self.button.text() == GO_ON else ()))


BEGIN = "Audit this model"


class AuditCard(RunCard):
    """Audits the current model on the shipped jokes, or again as an earlier audit. A complete one is a row of the
    history."""

    NAME, TITLE, DOING = "audit", "What moves it though it shouldn't", "Auditing the model"
    KEPT = "What was read is kept until the window closes."
    STAGES = (Stage.READING, Stage.DUELS, Stage.SCORES, Stage.CALIBRATION)

    def __init__(self, session: Session, worker: JudgeWorker) -> None:
        super().__init__(session, worker)
        self._known: dict[tuple[str, ...], Readings] = {}

    def steps(self, token: CancelToken, again: AuditRequest | None = None) -> JobSteps:
        if again is None:
            cases = shipped_cases()
            again = self._session.request(AUDIT, cases=cases, source=SHIPPED, most_asked=MOST_ASKED)
        return audit(self._session, again.replaced(known=self._known), cancel=token)

    def about(self) -> str:
        return "200 pairs of jokes are read with one of them changed, which takes a small model some minutes."

    def offer(self) -> str:
        return BEGIN


TEACH, MEASURE = "Teach it to read jokes", "Measure what its answers are worth"
_TEXTS: dict[Part, str] = {
    "editor": "some 900 texts that an editor read",
    "drafts": "some 280 jokes in several drafts",
    "sense": "some 1,600 texts around 150 jokes",
}
"""The training data of each part."""


class LearnCard(RunCard):
    """Trains reading heads. ``learned``: verdicts use a new part. The run continues after a restart of the program."""

    learned = Signal()
    NAME, TITLE, DOING = "learn", "What is read, and what is asked", "Learning to read jokes"
    KEPT = "What was read is stored."

    def __init__(self, session: Session, worker: JudgeWorker) -> None:
        self.gained: list[str] = []
        """Sentences on the worth of each part learned with the current model."""
        super().__init__(session, worker)
        worker.happened.connect(self._watch)

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

    def _watch(self, _job: Job, event: object) -> None:
        if isinstance(event, ModelReady) and self._job is None:
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
        texts = [_TEXTS[part] for part in self.missing if part in _TEXTS]
        offer = f"It can learn to read jokes as an editor does, from {listed(texts)}, each read once." if texts else ""
        if self.missing and not texts:
            offer = "What this model's answers are worth wasn't measured yet."
        return " ".join([*self.gained, offer]).strip() or "All that can be learned for this model is there."

    def offer(self) -> str:
        missing = self.missing
        return GO_ON if missing and self.begun else MEASURE if missing == ("plan",) else TEACH if missing else ""


_HAS: dict[InUse, str] = {
    "none": "This model has no estimate yet. One",
    "shipped": "This model's estimate comes with the program. Another one",
    "own": "This model's estimate was fitted on this computer. Another one",
}


class FitCard(RunCard):
    """Fits a head to people."""

    NAME, TITLE, DOING = "fit", "Audience estimate", "Fitting to people"
    KEPT = "Nothing was fitted, and nothing was changed."
    GOES_ON = False

    def steps(self, token: CancelToken) -> JobSteps:
        return self._session.fit(cancel=token)

    def about(self) -> str:
        if isinstance(self.outcome, HeadReport):
            return " ".join(learned.fitted(self.outcome))
        model = self._session.model
        in_use = _HAS[self._session.heads.in_use(model.sha256) if model is not None else "none"]
        fits = "can be fitted from rated jokes that come with the program and your own votes"
        return f"{in_use} {fits}; it is used only if it is better on votes held out."

    def offer(self) -> str:
        return "Fit to people"
