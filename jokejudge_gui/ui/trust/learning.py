"""The cards that teach the program about the current model: reading jokes with it, and fitting its audience estimate to
people."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from ...core.events import ModelReady
from ...core.texts import listed
from ...engine.base import CancelToken
from ...learning.fitting import HeadFitted, HeadRemoved, InUse
from ...learning.learner import Learned, in_words
from ...learning.teacher import Part
from ...session.session import Session
from ..judge_worker import JobEvent, JobSteps, JudgeWorker
from ..widgets.controls import LinkButton
from ..widgets.text import Paragraph
from .runs import GO_ON, Run, RunCard


class Learning(Run):
    """Trains reading heads. ``learned``: verdicts use a new part. The run starts only while the worker is idle, and
    continues after a restart of the program."""

    learned = Signal()

    def __init__(self, session: Session, worker: JudgeWorker, parent: QObject) -> None:
        super().__init__(session, worker, parent, "learn", lambda token: session.fit_editor(cancel=token))
        self._wanted = False
        self.gained: list[str] = []
        """Sentences on the worth of each part learned with the current model."""
        self.ended.connect(self.learned)
        worker.busy_changed.connect(self._when_idle)
        worker.happened.connect(self._watch)

    @property
    def live(self) -> bool:
        """Whether a run is in progress or waiting."""
        return super().live or self._wanted

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

    def stop(self) -> None:
        """Stop; the texts read so far are kept."""
        if self._wanted:
            self._wanted = False
            self._set("stopped")
        super().stop()

    def leave(self) -> None:
        """Start nothing any more, since the window closes."""
        super().leave()
        self._wanted = False

    def _watch(self, item: JobEvent) -> None:
        if isinstance(item.event, ModelReady) and self._job is None:
            self.take_up()

    def take_up(self) -> None:
        """Resume a run that was started with the current model before the program was closed, otherwise reset."""
        self._wanted = False
        self.gained = []
        if self.missing and self.begun:
            self._submit()
        else:
            self.forget()

    def _queue(self) -> None:
        self._wanted = True
        self._when_idle(self._worker.busy)

    def _when_idle(self, busy: bool) -> None:
        if self._wanted and not busy and not self._worker.busy and self._session.model is not None:
            self._wanted = False
            super()._queue()

    def _take(self, event: object) -> None:
        if isinstance(event, Learned):
            self.gained.append(in_words(event))
            self.learned.emit()


TEACH, MEASURE = "Teach it to read jokes", "Measure what asking adds"
_TEXTS: dict[Part, str] = {
    "editor": "some 900 texts that an editor read",
    "drafts": "some 280 jokes in several drafts",
    "sense": "some 1,600 texts around 150 jokes, many of which only look like one",
}
"""The training data of each part."""


class LearnCard(RunCard):
    """The card of a ``Learning``."""

    def __init__(self, learning: Learning) -> None:
        super().__init__(
            "What is read, and what is asked", learning, "Learning to read jokes",
            first="Verdicts go first; closing the program only pauses it.", kept="What was read is kept.",
        )  # fmt: skip
        self.add_run()
        self.draw()

    def _at_rest(self) -> str:
        if not self._usable:
            return ""
        offer = ""
        if texts := [_TEXTS[part] for part in self.run.missing if part in _TEXTS]:
            offer = (
                f"With this model the program can learn to read jokes as an editor does, from {listed(texts)}. "
                "Each is read once, in the background; the time left is shown once that has begun. "
                "Parts that are too near to chance aren't kept."
            )
        elif self.run.missing:
            offer = "It wasn't measured yet how much asking this model adds to reading with it."
        return " ".join([*self.run.gained, offer]).strip() or "All that can be learned for this model is there."

    def _offer(self) -> str:
        missing = self.run.missing
        if not missing:
            return ""
        return GO_ON if self.run.begun else MEASURE if missing == ("plan",) else TEACH


FIT = "Fit to people"
_OFFER = (
    "An estimate can be fitted here, from rated jokes that come with the program and from your own votes. Every text "
    "is read once, which takes minutes, with a large model an hour. It is kept only if it agrees with people more "
    "often than length, wording and chance do, on votes held out."
)
_HAS: dict[InUse, str] = {
    "none": "This model has no estimate yet.",
    "shipped": "This model's estimate comes with the program; one that is fitted here must beat it, too.",
    "own": "This model's estimate was fitted on this computer.",
}


class FitCard(RunCard):
    """Draws the run that fits a head to people or deletes the fitted one, and its outcome."""

    def __init__(self, session: Session, worker: JudgeWorker, parent: QObject) -> None:
        def steps(token: CancelToken, removing: bool = False) -> JobSteps:
            return session.remove_head(cancel=token) if removing else session.fit(cancel=token)

        run = Run(session, worker, parent, "fit", steps)
        super().__init__(
            "Audience estimate", run, "Fitting to people", kept="Nothing was fitted, and nothing was changed."
        )
        self._own = False
        self._has = ""
        self.facts = Paragraph("", 13)
        self.remove_link = LinkButton("Delete the one fitted here", act=lambda: run.start(True))
        self.add(self.facts)
        self.add_run(self.remove_link)
        self.draw()

    def show_head(self, in_use: InUse, agreement: float | None, usable: bool) -> None:
        """Show the model's head. ``agreement``: 0…1, of one fitted here; ``usable``: it is the current model."""
        self._own, self._has = in_use == "own", _HAS[in_use]
        if self._own and agreement is not None:
            self._has += f" It agrees with people in {100 * agreement:.0f} of 100 pairs that were held out."
        self.set_usable(usable)

    def draw(self) -> None:
        """Draw the state of the run."""
        super().draw()
        self.remove_link.setVisible(self._usable and self._own and not self.run.live)
        # The offer explains fitting until a run has left a note.
        self.facts.set_content(self._has if self.note.text() or not self._usable else f"{self._has} {_OFFER}".strip())

    def _at_rest(self) -> str:
        match self.run.outcome:
            case HeadFitted(report=report):
                return " ".join(report.sentences)
            case HeadRemoved(sentence=sentence):
                return sentence
        return ""

    def _offer(self) -> str:
        return FIT

    def _begin(self) -> None:
        self.run.start()
