"""Which listeners the model in use can be asked for, and measuring those of whom that isn't known yet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QObject

from ...core.events import Event
from ...engine.base import CancelToken
from ...judge.rating.listeners import ALL, who_is_asked
from ...rubric.audiences import Listener
from ...session.session import Session
from ..judge_worker import JobStart, JudgeWorker
from .long_run import StagedRun


class Listening(StagedRun):
    """Measures behind the verdicts that are asked for: a verdict goes first, and the measurement begins anew after it.
    ``changed``: something to draw."""

    job_name = "listeners"

    def __init__(self, session: Session, worker: JudgeWorker, parent: QObject) -> None:
        super().__init__(session, worker, parent)
        self._wanted: tuple[str, ...] = ()

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

    def _steps(self) -> JobStart:
        wanted = self._wanted

        def start(token: CancelToken) -> Iterator[Event]:
            yield from self._session.measure_listeners(wanted, cancel=token)

        return start
