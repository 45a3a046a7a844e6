"""Long runs of the Trust tab: jobs in the judge's thread that let verdicts go first and continue after them, and the
card that starts, stops and shows one."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Collection
from typing import Any, Literal

from PySide6.QtCore import QObject, Signal

from ...core.errors import ErrorInfo
from ...core.events import Cancelled, Failed, Finished, RowBegun, Stage, StageProgress
from ...core.texts import pace
from ...session.session import Session
from ..judge_worker import Job, JobEvent, JobSteps, JudgeWorker
from ..look import wording
from ..widgets.cards import Card
from ..widgets.controls import LinkButton, SecondaryButton
from ..widgets.labels import ProgressLine
from ..widgets.layout import HBox
from ..widgets.text import Paragraph

Phase = Literal["idle", "waiting", "running", "stopping", "stopped", "failed"]
Ending = Finished | Failed | Cancelled
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
        self, session: Session, worker: JudgeWorker, parent: QObject, name: str, steps: Callable[..., JobSteps],
        stages: Collection[Stage] = tuple(Stage),
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self._session, self._worker = session, worker
        self._name, self._steps, self._stages = name, steps, stages
        self._arguments: tuple[Any, ...] = ()
        self._moments: deque[tuple[float, int]] = deque(maxlen=_MOMENTS)
        self._job: Job | None = None
        self._again = False
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
        return self._job is not None

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
        self._again = False

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
        left = "the time left is known after some of them"
        if isinstance(progress, RowBegun):
            left = pace(progress.done, progress.total, progress.seconds).strip() or left
        elif self._moments:
            (began, first), (now, done) = self._moments[0], self._moments[-1]
            if now - began >= _LEAST_S:
                left = pace(done - first, progress.total - first, now - began).strip() or left
        return " · ".join(filter(None, (words, f"{progress.done:,} of {progress.total:,}", left))) + "."

    def _submit(self) -> None:
        self._again = False
        self.error = self.progress = self.outcome = None
        self.note = ""

        def steps(token: Any) -> JobSteps:
            return self._steps(token, *self._arguments)

        self._job = self._worker.submit(self._name, steps, self._on_event, gives_way=True)
        self._set("waiting")

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
        if isinstance(event, Finished):
            self.progress = None
        elif isinstance(event, Failed):
            self.error = event.error
        self._set("failed" if isinstance(event, Failed) else "stopped" if isinstance(event, Cancelled) else "idle")
        self.ended.emit(event)

    def _set(self, phase: Phase) -> None:
        self.phase = phase
        self.changed.emit()


GO_ON, STOP = "Go on", "Stop"
_WAITING = "It goes on when nothing else is asked of the model."


class RunCard(Card):
    """Starts, stops and draws a run with the model in use. ``doing`` names its line; ``kept``: what is said after it
    was stopped; ``links`` stand beside its button while it can be started.

    A subclass defines the text while nothing runs (``about``), the button's caption then (``offer``; empty: there is
    nothing to start) and, if it isn't to start the run, the button's action (``begin``)."""

    def __init__(self, title: str, run: Run, doing: str, kept: str, *links: LinkButton) -> None:
        super().__init__(title, padding=16)
        self.run: Any = run
        self.usable = False
        self._kept, self._links = kept, links
        self.note = Paragraph("", 13)
        self.line = ProgressLine(name=doing)
        self.button = SecondaryButton("", act=self._act)
        self.add(self.note, self.line, HBox(self.button, *links, 1, gap=12))
        run.changed.connect(self.draw)

    def set_usable(self, usable: bool) -> None:
        """Set whether the model that is shown is the current one; only that one can be measured."""
        self.usable = usable
        self.draw()

    def draw(self) -> None:
        """Draw the state of the run. The focus stays on its button."""
        live, progress = self.run.live, self.run.progress
        focused = self.button.hasFocus()
        self.note.show_text(self._words() if self.usable else "Only the model in use can be measured and taught.")
        self.line.setVisible(live and self.usable and progress is not None)
        if progress is not None:
            self.line.set_fraction(progress.done / progress.total if progress.total else 0.0)
        offer = STOP if live else GO_ON if self.run.phase == "stopped" and self.run.progress else self.offer()
        self.button.setText(offer)
        self.button.setVisible(self.usable and bool(offer))
        for link in self._links:
            link.setVisible(self.usable and not live and self.wants(link))
        if focused and not self.button.isHidden():
            self.button.setFocus()

    def about(self) -> str:
        raise NotImplementedError

    def offer(self) -> str:
        raise NotImplementedError

    def begin(self) -> None:
        self.run.start()

    def wants(self, link: LinkButton) -> bool:
        """Whether a link can be used now."""
        return True

    def _words(self) -> str:
        run = self.run
        match run.phase:
            case "failed" if run.error is not None:
                return str(run.error)
            case "waiting":
                return _WAITING
            case "running" | "stopping":
                return run.how_far() or _WAITING
            case "stopped":
                return f"Stopped. {self._kept}"
            case _:
                return self.about()

    def _act(self) -> None:
        if self.run.live:
            self.run.stop()
        elif self.button.text() == GO_ON:
            self.run.go_on()
        else:
            self.begin()
