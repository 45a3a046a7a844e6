"""What both tabs know of a verdict, live or stored, whatever its kind."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any, Literal

from ...events import Stage
from ...verdicts import ErrorInfo, Status

Phase = Literal["empty", "waiting", "running", "finished", "rejected", "stopped", "interrupted", "failed"]
STORED_PHASES: dict[Status, Phase] = {
    Status.FINISHED: "finished",
    Status.FAILED: "failed",
    Status.CANCELLED: "stopped",
    Status.INTERRUPTED: "interrupted",
    Status.RUNNING: "interrupted",  # by a program that isn't this one
}


@dataclass
class VerdictState:
    """``context``: the topic or scene that the texts were judged behind; ``begun``: on the monotonic clock, when the
    model was there; ``result``: a ``RatingResult`` or ``DuelResult``."""

    phase: Phase = "empty"
    id: str | None = field(default=None, kw_only=True)
    context: str = field(default="", kw_only=True)
    explanation: str = field(default="", kw_only=True)
    result: Any = field(default=None, kw_only=True)
    error: ErrorInfo | None = field(default=None, kw_only=True)
    begun: float | None = field(default=None, kw_only=True)

    @property
    def live(self) -> bool:
        """Whether the job hasn't ended."""
        return self.phase in ("waiting", "running")

    @property
    def unseen(self) -> bool:
        """Whether it runs and no part of the answer has been shown yet."""
        return self.live and self.result is None

    @property
    def so_far(self) -> float | None:
        """Seconds since it began; None before."""
        return None if self.begun is None else time.monotonic() - self.begun

    def as_stored(self, choice: str) -> str:
        """A vote on what is shown as a vote on what is stored, and the other way round."""
        return choice

    def start(self, identity: str) -> None:
        """The verdict has its row in the history."""
        self.id = identity
        self.enter(None)

    def enter(self, stage: Stage | None) -> None:
        """A stage runs; the time counts from the first one that isn't the loading of the model."""
        self.phase = "running"
        if self.begun is None and stage is not Stage.LOADING:
            self.begun = time.monotonic()

    def apply(self, event: object) -> None:
        """Take in one event of the job."""
        raise AssertionError("each kind of verdict has its events")
