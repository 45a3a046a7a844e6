"""Long runs of the Trust tab: jobs in the judge's thread that let verdicts go first and continue after them."""

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
from ...engine.base import CancelToken
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
"""The remaining time is estimated from the last ``_MOMENTS`` steps, once they took ``_LEAST_S``: stored results are
found at once."""


class LongRun(QObject):
    """One job at a time. ``changed``: redraw.

    A requested verdict goes first (``give_way``): the run stops after the current step and is submitted again, which
    puts it behind the verdict. Its results so far must be stored by then. A subclass defines the job (``_steps``), the
    handling of its events (``_follow``) and, if needed, of its end (``_end``). One on files reads them (``_read``) and
    computes its result (``_conclude``) in the thread of ``side_worker``."""

    changed = Signal()
    job_name = ""

    def __init__(
        self, session: Session, worker: JudgeWorker, parent: QObject, side_worker: JudgeWorker | None = None
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._worker = worker
        self._side_worker = side_worker or worker
        self._job: Job | None = None
        self._reading = 0
        self._again = False
        self._left = False
        self.phase: Phase = "idle"
        self.error: ErrorInfo | None = None
        self.progress: RowBegun | StageProgress | None = None
        self.note = ""
        """The activity before there is progress."""

    @property
    def live(self) -> bool:
        """Whether a run is in progress or waiting."""
        return self._job is not None or self.phase == "measuring"

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

    # For subclasses

    def _clear(self) -> None:
        """Reset the progress of an earlier run."""
        self.progress, self.note = None, ""

    def _steps(self, token: CancelToken) -> JobSteps:
        """Run the job, in the judge's thread."""
        raise NotImplementedError

    def _follow(self, event: object) -> None:
        """Process an event that isn't the last: progress in rows, or the activity before the first row."""
        if isinstance(event, RowBegun):
            self.progress, self.note = event, ""
            self._going_on()
        elif isinstance(event, StageProgress):
            share = f" ({event.done:,} of {event.total:,})" if event.total and event.stage is Stage.CALIBRATION else ""
            self.note = f"{event.note}{share}"
            self.changed.emit()

    def how_far(self) -> str:
        """Return the current activity, or the progress in rows with the remaining time."""
        rows = self.progress
        if self.note or not isinstance(rows, RowBegun):
            return wording.sentence_case(f"{self.note}…") if self.note else ""
        speed = pace(rows.done, rows.total, rows.seconds).strip()
        return f"{rows.done:,} of {rows.total:,}" + (f" · {speed}" if speed else "")

    def _end(self, event: Ending) -> None:
        """Process the end of a run that isn't to be resubmitted."""
        self._settle(event)

    # Common to all

    def _read(self, act: Callable[[], T], take: Callable[[T], object]) -> None:
        """Read the chosen files with ``act`` and pass the result to ``take``, unless others were chosen meanwhile."""
        self._reading += 1
        self.error = None
        self._set("reading")
        number = self._reading

        def done(found: T) -> None:
            if number == self._reading:
                take(found)
                self._set("ready")

        def failed(error: JokeJudgeError) -> None:
            if number == self._reading:
                self._settle(Failed(error=info(error)))

        self._side_worker.call("read", act, done, failed)

    def _conclude(self, event: Ending, act: Callable[[], T], take: Callable[[T], object]) -> None:
        """Compute the result of an ended run with ``act`` and pass it to ``take``."""
        self._set("measuring")

        def done(found: T) -> None:
            take(found)
            self._settle(event)

        def failed(error: JokeJudgeError) -> None:
            self._settle(event if isinstance(event, Failed) else Failed(error=info(error)))

        self._side_worker.call("result", act, done, failed)

    def _settle(self, event: Ending) -> None:
        """Set the phase to that of this end."""
        if isinstance(event, Failed):
            self.error = event.error
            self._set("failed")
        else:
            self._set("stopped" if isinstance(event, Cancelled) else "idle")

    def _submit(self) -> None:
        self._again = False
        self.error = None
        self._clear()
        self._queue()
        self._set("waiting")

    def _queue(self) -> None:
        """Submit the job behind the requests to the model."""
        self._job = self._worker.submit(self.job_name, self._steps, self._on_event, gives_way=True)

    def _on_event(self, item: JobEvent) -> None:
        if item.job is not self._job:
            return
        event = item.event
        if not isinstance(event, Finished | Failed | Cancelled):
            self._follow(event)
            return
        self._job = None
        if isinstance(event, Cancelled) and self._again:
            self._submit()
        else:
            self._end(event)

    def _going_on(self) -> None:
        """Set the phase to running, unless the run is stopping."""
        self._set(self.phase if self.phase == "stopping" else "running")

    def _set(self, phase: Phase) -> None:
        self.phase = phase
        self.changed.emit()


class StagedRun(LongRun):
    """A run that reports its progress by stages, as judges do. ``steps`` gets the arguments of ``start``; ``stages``:
    those that are shown. ``ended`` carries the last event."""

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
        super().__init__(session, worker, parent)
        self.job_name, self._work, self._stages = name, steps, stages
        self._asked: tuple[Any, ...] = ()
        self._moments: deque[tuple[float, int]] = deque(maxlen=_MOMENTS)
        self.found: object = None
        """The last event that isn't progress."""

    def start(self, *asked: Any) -> None:
        """Start or continue: stored results of a stopped run are found at once."""
        if not self.live and self._session.model is not None:
            self._asked = asked
            self._submit()

    def go_on(self) -> None:
        """Start again with the last arguments."""
        self.start(*self._asked)

    def forget(self) -> None:
        """Reset, since another model is in use."""
        if not self.live:
            self.progress = self.error = None
            self._set("idle")

    def _steps(self, token: CancelToken) -> JobSteps:
        return self._work(token, *self._asked)

    def _clear(self) -> None:
        super()._clear()
        self.found = None

    def _follow(self, event: object) -> None:
        if not isinstance(event, StageProgress):
            self.found = event
        elif event.stage in self._stages:
            if self.note != event.note:
                self._moments.clear()
            self.progress, self.note = event, event.note
            self._moments.append((time.monotonic(), event.done))
            self._going_on()

    def how_far(self) -> str:
        progress = self.progress
        count = f" · {progress.done:,} of {progress.total:,}" if progress is not None and progress.total else ""
        left = ""
        if count and progress is not None and progress.total and self._moments:
            (began, first), (now, done) = self._moments[0], self._moments[-1]
            if now - began >= _LEAST_S:
                left = pace(done - first, progress.total - first, now - began).strip()
        return f"{wording.sentence_case(self.note)}{count}{f' · {left}' if left else ''}." if self.note or count else ""

    def _end(self, event: Ending) -> None:
        if isinstance(event, Finished):
            self.progress = None
        super()._end(event)
        self.ended.emit(event)


# A card to start and stop a long run: its progress in words and as a line, and its button.

GO_ON, STOP = "Go on", "Stop"
_WAITING = "It goes on when nothing else is asked of the model."


class RunCard(Card):
    """Draws a run. ``doing`` names its line; ``first`` is shown after its progress, ``kept`` after it was stopped.

    A subclass defines the text while nothing runs (``_at_rest``), the button's caption then (``_offer``) and, if it
    isn't to start the run, the button's action (``_begin``)."""

    def __init__(self, title: str, run: LongRun, doing: str, *, first: str = "", kept: str = "") -> None:
        super().__init__(title)
        self.run = run
        self._usable = False
        self._first, self._kept = first, kept
        self.note = Paragraph("", 13)
        self.line = ProgressLine(name=doing)
        self.button = SecondaryButton("", act=self._act)

    def add_run(self, *beside: QWidget) -> None:
        """Add the note, the line and the button below the contents, and ``beside`` at the right of the button."""
        self.add(self.note, self.line, HBox(self.button, *beside, 1, gap=12))
        self.run.changed.connect(self.draw)

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

    # For subclasses

    def _at_rest(self) -> str:
        """Return the text while nothing runs, and nothing failed or was stopped."""
        raise NotImplementedError

    def _offer(self) -> str:
        """Return the button's caption while nothing runs; empty: there is nothing to start."""
        raise NotImplementedError

    def _begin(self) -> None:
        """Start or continue the run."""
        assert isinstance(self.run, StagedRun)
        if self._offer() == GO_ON:
            self.run.go_on()
        else:
            self.run.start()

    # Common to all

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
