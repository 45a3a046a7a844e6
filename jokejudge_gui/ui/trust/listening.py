"""Which listeners the model in use can be asked for, and measuring those of whom that isn't known yet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QObject

from ...engine.base import CancelToken
from ...events import Event, Failed, Finished, StageProgress
from ...judging.rating.listeners import ALL, who_is_asked
from ...rubric.audiences import Listener
from ...session import Session
from ..frame.judge_worker import JobStart, JudgeWorker
from .long_run import Ending, LongRun


class Listening(LongRun):
    """Measures behind the verdicts that are asked for: a verdict goes first, and the measurement begins anew after it.
    ``changed``: something to draw."""

    job_name = "listeners"

    def __init__(self, session: Session, worker: JudgeWorker, parent: QObject) -> None:
        super().__init__(session, worker, parent)
        self._wanted: tuple[str, ...] = ()
        self.progress: StageProgress | None = None

    def known(self, wanted: Sequence[str] = (ALL,)) -> tuple[tuple[Listener, str], ...]:
        """The listeners that these names and descriptions mean, each with the reason why it isn't asked (empty: it is);
        none while no model is loaded. Raises ``CriteriaError``."""
        judge = self._session.judge
        return who_is_asked(judge, wanted) if judge is not None else ()

    def measure(self, wanted: Sequence[str] = ()) -> None:
        """Measure these listeners, without any all that there are."""
        if not self.live and self._session.judge is not None:
            self._wanted = tuple(wanted)
            self._submit()

    def _clear(self) -> None:
        self.progress = None

    def _steps(self) -> JobStart:
        wanted = self._wanted

        def start(token: CancelToken) -> Iterator[Event]:
            yield from self._session.measure_listeners(wanted, cancel=token)

        return start

    def _follow(self, event: object) -> None:
        if isinstance(event, StageProgress):
            self.progress = event
            self._going_on()

    def _end(self, event: Ending) -> None:
        self.progress = None
        if isinstance(event, Failed):
            self.error = event.error
            self._set("failed")
        else:
            self._set("idle" if isinstance(event, Finished) else "stopped")
