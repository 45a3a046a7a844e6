"""Long runs of the Trust tab: jobs in the judge's thread that let verdicts go first and continue after them, and the
card that starts, stops and shows one."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Collection
from typing import Any, Literal, TypeVar

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from ...core.errors import ErrorInfo, JokeJudgeError, info
from ...core.events import Cancelled, Failed, Finished, RowBegun, Stage, StageProgress
from ...core.texts import pace
from ...session.session import Session
from ..judge_worker import Job, JobEvent, JobSteps, JudgeWorker
from ..look import wording
from ..widgets.cards import Card
from ..widgets.controls import SecondaryButton
from ..widgets.labels import ProgressLine
from ..widgets.layout import HBox
from ..widgets.text import Paragraph

Phase = Literal["idle", "reading", "ready", "waiting", "running", "stopping", "measuring", "stopped", "failed"]
Ending = Finished | Failed | Cancelled
T = TypeVar("T")
_MOMENTS, _LEAST_S = 40, 5.0
"""The remaining time is estimated from the last ``_MOMENTS`` steps, once they took ``_LEAST_S``: stored results come at
once."""


class Run(QObject):
    """One job at a time. ``steps`` gets a cancel token and the arguments of ``start``; ``stages``: those whose progress
    is shown. ``changed``: redraw; ``ended`` carries the last event.

    A requested verdict goes first (``give_way``): the run stops after the current step and is submitted again, which
    puts it behind the verdict. Its results so far must be stored by then."""

    changed = Signal()
    ended = Signal(object)

    def __init__(
        self,
        session: Session,
        worker: JudgeWorker,
        parent: QObject,
        name: str,
        steps: Callable[..., JobSteps],
        stages: Collection[Stage] = tuple(Stage),
    ) -> None:
        super().__init__(parent)
        self._session, self._worker = session, worker
        self._name, self._steps, self._stages = name, steps, stages
        self._arguments: tuple[Any, ...] = ()
        self._moments: deque[tuple[float, int]] = deque(maxlen=_MOMENTS)
        self._job: Job | None = None
        self._again = self._left = False
        self.phase: Phase = "idle"
        self.error: ErrorInfo | None = None
        self.progress: RowBegun | StageProgress | None = None
        self.note = ""
        """The activity before there is progress."""
        self.outcome: object = None
        """The last event that is neither progress nor the end."""

    @property
    def live(self) -> bool:
        """Whether a run is in progress or waiting."""
        return self._job is not None or self.phase == "measuring"

    def start(self, *arguments: Any) -> None:
        """Start, or continue a stopped run: its stored results come at once."""
        if not self.live and self._session.model is not None:
            self._arguments = arguments
            self._submit()

    def go_on(self) -> None:
        """Start again with the last arguments."""
        self.start(*self._arguments)

    def stop(self) -> None:
        """Stop after the current step; the results so far are kept."""
        if self._job is not None:
            self._again = False
            self._worker.cancel(self._job)
            self._set("stopping")

    def give_way(self) -> None:
        """Let a verdict go first."""
        if self._job is not None and self.phase in ("waiting", "running"):
            self._again = True
            self._worker.cancel(self._job)

    def leave(self) -> None:
        """Start nothing any more, since the window closes."""
        self._again, self._left = False, True

    def forget(self) -> None:
        """Reset, since another model is in use."""
        if not self.live:
            self.progress = self.error = None
            self._set("idle")

    def how_far(self) -> str:
        """Return the current activity in words, with the remaining time where it is known."""
        progress, words = self.progress, wording.sentence_case(self.note)
        if progress is None or not progress.total:
            return f"{words}…" if words else ""
        speed = ""
        if isinstance(progress, RowBegun):
            speed = pace(progress.done, progress.total, progress.seconds).strip()
        elif self._moments:
            (began, first), (now, done) = self._moments[0], self._moments[-1]
            if now - began >= _LEAST_S:
                speed = pace(done - first, progress.total - first, now - began).strip()
        return " · ".join(filter(None, (words, f"{progress.done:,} of {progress.total:,}", speed))) + "."

    def _submit(self) -> None:
        self._again = False
        self.error = self.progress = self.outcome = None
        self.note = ""
        self._queue()
        self._set("waiting")

    def _queue(self) -> None:
        """Submit the job behind the requests to the model."""

        def steps(token: Any) -> JobSteps:
            return self._steps(token, *self._arguments)

        self._job = self._worker.submit(self._name, steps, self._on_event, gives_way=True)

    def _on_event(self, item: JobEvent) -> None:
        if item.job is not self._job:
            return
        event = item.event
        if isinstance(event, Finished | Failed | Cancelled):
            self._job = None
            if isinstance(event, Cancelled) and self._again:
                self._submit()
            else:
                self._end(event)
        elif isinstance(event, RowBegun):
            self._proceed(event, "")
        elif not isinstance(event, StageProgress):
            self._take(event)
        elif event.stage in self._stages:
            if self.note != event.note:
                self._moments.clear()
            self._moments.append((time.monotonic(), event.done))
            self._proceed(event, event.note)

    def _proceed(self, progress: RowBegun | StageProgress, note: str) -> None:
        self.progress, self.note = progress, note
        self._set(self.phase if self.phase == "stopping" else "running")

    def _take(self, event: object) -> None:
        self.outcome = event

    def _end(self, event: Ending) -> None:
        """Process the end of a run that isn't to be resubmitted."""
        if isinstance(event, Finished):
            self.progress = None
        self._settle(event)

    def _settle(self, event: Ending) -> None:
        if isinstance(event, Failed):
            self.error = event.error
        self._set("failed" if isinstance(event, Failed) else "stopped" if isinstance(event, Cancelled) else "idle")
        self.ended.emit(event)

    def _set(self, phase: Phase) -> None:
        self.phase = phase
        self.changed.emit()


class FileRun(Run):
    """A run over the user's files, which are read first, and whose result is computed at the end, both in the thread of
    ``side_worker``. ``conclude`` gets the last event, and returns the result, which ``result`` carries."""

    result = Signal(object)

    def __init__(
        self,
        session: Session,
        worker: JudgeWorker,
        side_worker: JudgeWorker,
        parent: QObject,
        name: str,
        steps: Callable[..., JobSteps],
        conclude: Callable[[Ending], object],
    ) -> None:
        super().__init__(session, worker, parent, name, steps)
        self._side_worker, self._conclude = side_worker, conclude
        self._reading = 0
        self.files: Any = None
        """What was read of the files; None: nothing yet."""

    def read(self, look: Callable[[], object]) -> None:
        """Read the chosen files with ``look``, unless others are chosen meanwhile."""
        if self.live:
            return
        self._reading += 1
        number = self._reading
        self.error = self.files = None
        self._set("reading")

        def done(files: object) -> None:
            if number == self._reading:
                self.files = files
                self._set("ready")

        def failed(error: JokeJudgeError) -> None:
            if number == self._reading:
                self._settle(Failed(error=info(error)))

        self._side_worker.call("read", look, done, failed)

    def start(self, *arguments: Any) -> None:
        if self.files is not None:
            super().start(*arguments)

    def _end(self, event: Ending) -> None:
        if self._left:
            self._settle(event)
            return
        self._set("measuring")

        def done(result: object) -> None:
            self._settle(event)
            self.result.emit(result)

        def failed(error: JokeJudgeError) -> None:
            self._settle(event if isinstance(event, Failed) else Failed(error=info(error)))

        self._side_worker.call("result", lambda: self._conclude(event), done, failed)


GO_ON, STOP = "Go on", "Stop"
_WAITING = "It goes on when nothing else is asked of the model."


class RunCard(Card):
    """Draws a run. ``doing`` names its line; ``first`` is shown after its progress, ``kept`` after it was stopped.

    A subclass defines the text while nothing runs (``_at_rest``), the button's caption then (``_offer``; empty: there
    is nothing to start) and, if it isn't to start the run, the button's action (``_begin``)."""

    def __init__(self, title: str, run: Run, doing: str, *, first: str = "", kept: str = "") -> None:
        super().__init__(title)
        self.run: Any = run
        self._usable = False
        self._first, self._kept = first, kept
        self.note = Paragraph("", 13)
        self.line = ProgressLine(name=doing)
        self.button = SecondaryButton("", act=self._act)

    def add_run(self, *beside: QWidget) -> None:
        """Add the note, the line and the button below the contents, and ``beside`` at the right of the button."""
        self.add(self.note, self.line, HBox(self.button, *beside, 1, gap=12))
        self.run.changed.connect(self.draw)

    def set_usable(self, usable: bool) -> None:
        """Set whether the model that is shown is the current one; only that one can be measured."""
        self._usable = usable
        self.draw()

    def draw(self) -> None:
        """Draw the state of the run."""
        live, progress = self.run.live and self._usable, self.run.progress
        focused = self.button.hasFocus() or self.hasFocus()
        if focused:
            # Disabling or hiding the focused button would move the focus to the next widget in the window.
            self.setFocus()
        self.note.show_text(self._words())
        self.line.setVisible(live and progress is not None)
        if progress is not None:
            self.line.set_fraction(progress.done / progress.total if progress.total else 0.0)
        offer = STOP if live else self._offer()
        self.button.setVisible(self._usable and bool(offer))
        self.button.setText(offer)
        self.button.setEnabled(self.run.phase not in ("reading", "stopping", "measuring"))
        if focused and self.button.isEnabled() and not self.button.isHidden():
            self.button.setFocus()

    def _at_rest(self) -> str:
        raise NotImplementedError

    def _offer(self) -> str:
        raise NotImplementedError

    def _begin(self) -> None:
        if self._offer() == GO_ON:
            self.run.go_on()
        else:
            self.run.start()

    def _words(self) -> str:
        run = self.run
        if not self._usable:
            return self._at_rest()
        match run.phase:
            case "failed" if run.error is not None:
                return str(run.error)
            case "reading":
                return "Reading the file…"
            case "waiting":
                return _WAITING
            case "running" | "stopping":
                return f"{run.how_far()} {self._first}".strip() or _WAITING
            case "measuring":
                return "Computing the result… You can judge jokes meanwhile."
            case "stopped":
                return f"Stopped. {self._kept}"
            case _:
                return self._at_rest()

    def _act(self) -> None:
        if self.run.live:
            self.run.stop()
        else:
            self._begin()
