"""A long run of the Trust tab: a job in the judge's thread that lets verdicts go first and goes on behind them."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Collection, Sequence
from typing import Any, Literal, TypeVar

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from ...core.errors import ErrorInfo, JokeJudgeError, info
from ...core.events import Cancelled, Failed, Finished, RowBegun, Stage, StageProgress
from ...core.texts import pace
from ...engine.base import CancelToken
from ...judge.rating.listeners import ALL, who_is_asked
from ...rubric.audiences import Listener
from ...session.session import Session
from ..judge_worker import Job, JobEvent, JobSteps, JudgeWorker
from ..look import wording
from ..widgets.bars import ProgressLine
from ..widgets.cards import Card
from ..widgets.controls import SecondaryButton
from ..widgets.layout import HBox
from ..widgets.text import Paragraph

Phase = Literal["idle", "reading", "ready", "waiting", "running", "stopping", "measuring", "stopped", "failed"]
Ending = Finished | Failed | Cancelled
T = TypeVar("T")
_MOMENTS, _LEAST_S = 40, 5.0
"""How long it still takes is told by the last steps, since what was kept is found again at once."""


class LongRun(QObject):
    """One job at a time. ``changed``: something to draw.

    A verdict that is asked for goes first (``give_way``): the run stops after the step in hand and is submitted again,
    which puts it behind the verdict. What it had found must be kept by then. A run of its own kind says what its job
    does (``_steps``), what its events mean (``_follow``) and, where anything does, what follows its end (``_end``).
    One over files reads them (``_read``) and works out its result (``_conclude``) in the thread of ``side_worker``."""

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
        """What is done before there is progress."""

    @property
    def live(self) -> bool:
        """Whether a run is going on or waiting."""
        return self._job is not None or self.phase == "measuring"

    def stop(self) -> None:
        """Stop after the step in hand; what there is so far is kept."""
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
        """The window closes: nothing is begun any more."""
        self._again, self._left = False, True

    # What each kind of run says for itself

    def _clear(self) -> None:
        """Forget how far an earlier run had come."""
        self.progress, self.note = None, ""

    def _steps(self, token: CancelToken) -> JobSteps:
        """What the job does, in the judge's thread."""
        raise NotImplementedError

    def _follow(self, event: object) -> None:
        """Take in an event that isn't the last: rows, and what is done before the first."""
        if isinstance(event, RowBegun):
            self.progress, self.note = event, ""
            self._going_on()
        elif isinstance(event, StageProgress):
            share = f" ({event.done:,} of {event.total:,})" if event.total and event.stage is Stage.CALIBRATION else ""
            self.note = f"{event.note}{share}"
            self.changed.emit()

    def how_far(self) -> str:
        """What is done now, or how many rows there are, and how long the rest takes."""
        rows = self.progress
        if self.note or not isinstance(rows, RowBegun):
            return wording.sentence_case(f"{self.note}…") if self.note else ""
        speed = pace(rows.done, rows.total, rows.seconds).strip()
        return f"{rows.done:,} of {rows.total:,}" + (f" · {speed}" if speed else "")

    def _end(self, event: Ending) -> None:
        """The run has ended and isn't to go on by itself."""
        self._settle(event)

    # What is the same for all

    def _read(self, act: Callable[[], T], take: Callable[[T], object]) -> None:
        """Read what was chosen; ``take`` gets it, unless something else was chosen meanwhile."""
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
        """Work out what came of a run that ended so; ``take`` gets it."""
        self._set("measuring")

        def done(found: T) -> None:
            take(found)
            self._settle(event)

        def failed(error: JokeJudgeError) -> None:
            self._settle(event if isinstance(event, Failed) else Failed(error=info(error)))

        self._side_worker.call("result", act, done, failed)

    def _settle(self, event: Ending) -> None:
        """Show how it ended."""
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
        """Put the job behind what is asked of the model."""
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
        """It is seen to move; where it is to stop, it stays shown as stopping."""
        self._set(self.phase if self.phase == "stopping" else "running")

    def _set(self, phase: Phase) -> None:
        self.phase = phase
        self.changed.emit()


class StagedRun(LongRun):
    """A run that says how far it has come as judges do, by stages. ``steps`` gets what ``start`` was given; ``stages``:
    those that are shown. ``ended`` carries the event with which it ended."""

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
        """The last event that said something else than how far it has come."""

    def start(self, *asked: Any) -> None:
        """Begin, or go on: what was found before it was stopped is found again at once where it is kept."""
        if not self.live and self._session.model is not None:
            self._asked = asked
            self._submit()

    def go_on(self) -> None:
        """Begin again what was begun last."""
        self.start(*self._asked)

    def forget(self) -> None:
        """Another model is in use: there is nothing to go on with."""
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


class ListenerMeasurer(StagedRun):
    """Which listeners the model in use can be asked for, and measuring those about which that isn't known yet."""

    def __init__(self, session: Session, worker: JudgeWorker, parent: QObject) -> None:
        super().__init__(session, worker, parent, "listeners", self._measured)

    def _measured(self, token: CancelToken, *wanted: str) -> JobSteps:
        return self._session.measure_listeners(wanted, cancel=token)

    def known(self, wanted: Sequence[str] = (ALL,)) -> tuple[tuple[Listener, str], ...]:
        """The listeners that these names and descriptions mean, each with the reason why it isn't asked (empty: it is);
        none while no model is loaded. Raises ``CriteriaError``."""
        judge = self._session.judge
        return who_is_asked(judge, wanted) if judge is not None else ()

    def measure(self, wanted: Sequence[str] = ()) -> None:
        """Measure these listeners, without any all that there are."""
        if self._session.judge is not None:
            self.start(*wanted)


# A card from which a long run is begun and stopped: how far it has come in words and as a line, and its button.

GO_ON, STOP = "Go on", "Stop"
_WAITING = "It goes on when nothing else is asked of the model."


class RunCard(Card):
    """Draws a run. ``doing`` names its line, ``first`` is said after how far it has come, ``kept`` of one
    that was stopped.

    A card of its own kind says what stands there while nothing runs (``_at_rest``), what its button offers then
    (``_offer``) and, where that isn't to start the run, what the button does (``_begin``)."""

    def __init__(self, title: str, run: LongRun, doing: str, *, first: str = "", kept: str = "") -> None:
        super().__init__(title)
        self._run = run
        self._usable = False
        self._first, self._kept = first, kept
        self.note = Paragraph("", 13)
        self.line = ProgressLine(name=doing)
        self.button = SecondaryButton("", act=self._act)

    def add_run(self, *beside: QWidget) -> None:
        """Put the note, the line and the button under what is there, ``beside`` at the right of the button."""
        self.add(self.note, self.line, HBox(self.button, *beside, 1, gap=12))
        self._run.changed.connect(self.draw)

    def draw(self) -> None:
        """Say where the run stands."""
        live, progress = self._run.live and self._usable, self._run.progress
        focused = self.button.hasFocus() or self.hasFocus()
        if focused:
            # A button that is disabled or hidden would give the keyboard to whatever comes next in the window.
            self.setFocus()
        self.note.show_text(self._words())
        self.line.setVisible(live and progress is not None)
        if progress is not None:
            self.line.set_fraction(progress.done / progress.total if progress.total else 0.0)
        offer = STOP if live else self._offer()
        self.button.setVisible(self._usable and bool(offer))
        self.button.setText(offer)
        self.button.setEnabled(self._run.phase not in ("reading", "stopping", "measuring"))
        if focused and self.button.isEnabled() and not self.button.isHidden():
            self.button.setFocus()

    # What each card says for itself

    def _at_rest(self) -> str:
        """What is said while nothing runs, and nothing failed or was stopped."""
        raise NotImplementedError

    def _offer(self) -> str:
        """The button's text while nothing runs; empty: there is nothing to begin."""
        raise NotImplementedError

    def _begin(self) -> None:
        """Begin, or go on."""
        assert isinstance(self._run, StagedRun)
        if self._offer() == GO_ON:
            self._run.go_on()
        else:
            self._run.start()

    # What is the same for all

    def _words(self) -> str:
        run = self._run
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
                return "Working out what came of it… A verdict needn't wait for this."
            case "stopped":
                return f"Stopped. {self._kept}"
            case _:
                return self._at_rest()

    def _act(self) -> None:
        if self._run.live:
            self._run.stop()
        else:
            self._begin()
