"""The card of a long run in the Trust tab: a job in the judge's thread that lets verdicts go first and then goes on."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Collection
from typing import Any, ClassVar, Literal

from PySide6.QtCore import Signal

from ...core.errors import ErrorInfo
from ...core.events import Cancelled, Failed, Finished, RowBegun, Stage, StageProgress
from ...core.texts import pace
from ...session.session import Session
from ..judge_worker import Job, JobEvent, JobSteps, JudgeWorker
from ..look import wording
from ..taskbar import show_progress, watched
from ..widgets.cards import Card
from ..widgets.controls import LinkButton, SecondaryButton
from ..widgets.labels import ProgressLine
from ..widgets.layout import HBox
from ..widgets.text import Paragraph

Phase = Literal["idle", "waiting", "running", "stopping", "stopped", "failed"]
Ending = Finished | Failed | Cancelled
GO_ON, STOP = "Go on", "Stop"
_WAITING = "It goes on when nothing else is asked of the model."
_MOMENTS, _LEAST_S = 40, 5.0
"""The remaining time is estimated from the last ``_MOMENTS`` steps, once they took ``_LEAST_S``: stored results come at
once."""


class RunCard(Card):
    """Starts, stops and shows one job at a time with the model in use. ``ended`` carries its last event,
    ``notice`` that it ended unwatched. ``links``
    stand beside the button while the run can be started.

    A verdict that is requested goes first (``give_way``): the run stops after the current step and is submitted again,
    which puts it behind the verdict. Its results so far must be stored by then.

    A subclass defines the steps, the text while nothing runs (``about``), the button's caption then (``offer``; empty:
    there is nothing to start), and the names below."""

    ended = Signal(object)
    notice = Signal(str)
    NAME: ClassVar[str]
    """The job's name."""
    TITLE: ClassVar[str]
    DOING: ClassVar[str]
    """The name of the progress line."""
    KEPT: ClassVar[str]
    """What is said after a stop."""
    STAGES: ClassVar[Collection[Stage]] = tuple(Stage)
    """The stages whose progress is shown."""

    def __init__(self, session: Session, worker: JudgeWorker, *links: LinkButton) -> None:
        super().__init__(self.TITLE, padding=16)
        self._session, self._worker, self._links = session, worker, links
        self._arguments: tuple[Any, ...] = ()
        self._moments: deque[tuple[float, int]] = deque(maxlen=_MOMENTS)
        self._job: Job | None = None
        self._again = False
        self.usable = False
        """Whether the model that is shown is the current one; only that one can be measured."""
        self.phase: Phase = "idle"
        self.error: ErrorInfo | None = None
        self.progress: RowBegun | StageProgress | None = None
        self.doing = ""
        """The activity before there is progress."""
        self.outcome: object = None
        """The last event that is neither progress nor the end."""
        self.note, self.line = Paragraph("", 13), ProgressLine(name=self.DOING)
        self.button = SecondaryButton("", act=self._act)
        self.add(self.note, self.line, HBox(self.button, *links, 1, gap=12))

    def steps(self, token: Any, *arguments: Any) -> JobSteps:
        """Return the steps of a run with the arguments of ``start``."""
        raise NotImplementedError

    def about(self) -> str:
        raise NotImplementedError

    def offer(self) -> str:
        raise NotImplementedError

    def begin(self) -> None:
        """Start a run as the button asks for it."""
        self.start()

    def wants(self, link: LinkButton) -> bool:
        """Whether a link can be used now."""
        return True

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
            self._set("stopping")

    def give_way(self) -> None:
        """Let a verdict go first."""
        if self._job is not None and self.phase in ("waiting", "running"):
            self._again = True
            self._worker.cancel(self._job)

    def leave(self) -> None:
        """Start nothing any more, since the window closes."""
        self._again = False

    def reset(self) -> None:
        """Begin anew, since another model is in use."""
        if not self.live:
            self.progress = self.error = None
            self._set("idle")

    def _submit(self) -> None:
        self._again = False
        self.error = self.progress = self.outcome = None
        self.doing = ""
        self._job = self._worker.submit(
            self.NAME, lambda token: self.steps(token, *self._arguments), self._on_event, gives_way=True
        )
        self._set("waiting")

    def _on_event(self, item: JobEvent) -> None:
        if item.job is not self._job:
            return
        event = item.event
        if isinstance(event, Finished | Failed | Cancelled):
            self._job = None
            if isinstance(event, Cancelled) and self._again:
                self._submit()
                return
            self.progress = None if isinstance(event, Finished) else self.progress
            self.error = event.error if isinstance(event, Failed) else None
            self._set("failed" if isinstance(event, Failed) else "stopped" if isinstance(event, Cancelled) else "idle")
            self.ended.emit(event)
            show_progress(self.window(), 0, 0)
            if isinstance(event, Finished) and not watched(self):
                self.notice.emit(f"{self.TITLE}: done.")
        elif isinstance(event, StageProgress | RowBegun):
            note = event.note if isinstance(event, StageProgress) else ""
            if isinstance(event, StageProgress) and event.stage not in self.STAGES:
                return
            if note != self.doing:
                self._moments.clear()
            self._moments.append((time.monotonic(), event.done))
            self.progress, self.doing = event, note
            show_progress(self.window(), event.done, event.total or 0)
            self._set(self.phase if self.phase == "stopping" else "running")
        else:
            self.take(event)

    def _set(self, phase: Phase) -> None:
        self.phase = phase
        self.draw()

    # Drawing

    def set_usable(self, usable: bool) -> None:
        self.usable = usable
        self.draw()

    def draw(self) -> None:
        """Draw the state of the run. The focus stays on its button."""
        progress, focused = self.progress, self.button.hasFocus()
        self.note.show_text(self._words() if self.usable else "Only the model in use can be measured and taught.")
        self.line.setVisible(self.live and self.usable and progress is not None)
        if progress is not None:
            self.line.set_fraction(progress.done / progress.total if progress.total else 0.0)
        offer = STOP if self.live else GO_ON if self.phase == "stopped" and progress else self.offer()
        self.button.setText(offer)
        self.button.setVisible(self.usable and bool(offer))
        for link in self._links:
            link.setVisible(self.usable and not self.live and self.wants(link))
        if focused and not self.button.isHidden():
            self.button.setFocus()

    def _words(self) -> str:
        match self.phase:
            case "failed" if self.error is not None:
                return str(self.error)
            case "waiting" | "running" | "stopping":
                return self._how_far() or _WAITING
            case "stopped":
                return f"Stopped. {self.KEPT}"
            case _:
                return self.about()

    def _how_far(self) -> str:
        """Return the current activity in words, with the remaining time where it is known."""
        progress, words = self.progress, wording.sentence_case(self.doing)
        if progress is None or not progress.total:
            return f"{words}…" if words else ""
        left = ""
        if isinstance(progress, RowBegun):
            left = pace(progress.done, progress.total, progress.seconds).strip()
        elif self._moments and (took := self._moments[-1][0] - self._moments[0][0]) >= _LEAST_S:
            first, done = self._moments[0][1], self._moments[-1][1]
            left = pace(done - first, progress.total - first, took).strip()
        left = left or "the time left is known after some of them"
        return " · ".join(filter(None, (words, f"{progress.done:,} of {progress.total:,}", left))) + "."

    def _act(self) -> None:
        if self.live:
            self.stop()
        elif self.button.text() == GO_ON:
            self.start(*self._arguments)
        else:
            self.begin()
