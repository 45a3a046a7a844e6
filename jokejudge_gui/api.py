"""The judge for other Python programs."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from .core.config import load_settings
from .core.errors import Cancelled, EngineError, UsageError, restore, unusable
from .core.events import Cancelled as CancelledEvent
from .core.events import Event, Failed, Finished
from .core.paths import Profile
from .core.verdicts import DuelResult, RatingResult, VerdictResult

if TYPE_CHECKING:
    from .judge.contest.types import ContestResult
    from .judge.judged_kind import JudgedKind
    from .session.session import EngineLoader


R = TypeVar("R", bound=VerdictResult)


class JokeJudge:
    """Rates jokes, compares them, and ranks lists of them. A context manager. Threads may share one: their calls take
    turns.

    ``config_path``: a settings file (JSON) in the place of the user's own. ``data_dir``: a folder for everything the
    program keeps, in the place of the user's own. ``model``: path of a GGUF file or a name of the catalogue.
    ``history``: whether verdicts are kept. The model is loaded with the first joke. Every method raises
    ``JokeJudgeError`` (``code``, ``sentence``, ``hint``; its class says what kind) when it can't give a verdict:
    ``E_REQUEST`` for an argument of a wrong type or out of range, ``E_CLOSED`` after ``close``.
    """

    def __init__(
        self,
        config_path: str | Path | None = None,
        *,
        data_dir: str | Path | None = None,
        model: str | None = None,
        history: bool = True,
        loader: EngineLoader | None = None,
    ) -> None:
        from .session.session import Session

        for name, given in (("config_path", config_path), ("data_dir", data_dir), ("model", model)):
            types = (str,) if name == "model" else (str, Path)
            if given is not None and (not isinstance(given, types) or "\0" in str(given)):
                raise unusable(f"“{name}”", "should be a name without NUL characters", given)
        profile = Profile.at(Path(data_dir)) if data_dir is not None else Profile.default()
        settings = load_settings(Path(config_path) if config_path is not None else profile)
        if model is not None:
            settings.model = model
        self._history = history
        self._turn = threading.Lock()
        self._closed = False
        self._session = Session(profile, settings, loader=loader)

    def rate_joke(self, text: str) -> RatingResult:
        """The rating of one joke. A joke that isn't admitted comes back with ``admissible`` False, not as an error."""
        from .judge.rating.kind import RATING

        return self._ask(RATING, (text,), RatingResult)

    def compare_jokes(self, text_a: str, text_b: str) -> DuelResult:
        """Which of two jokes is the funnier one. Swapping them swaps the answer."""
        from .judge.duel.kind import DUEL

        return self._ask(DUEL, (text_a, text_b), DuelResult)

    def rank_jokes(
        self,
        texts: Sequence[str],
        *,
        topic: str = "",
        top: int = 3,
        duels: int | None = None,
        rounds: int | None = None,
    ) -> ContestResult:
        """A list of jokes in their order, best first in ``entries``, each with its rank, the ranks that it may have,
        and its place in the list as ``id`` (from 1). ``topic``: what all are about; ``top``: how many are to be found;
        ``duels``: at most so many, None: as many as are worth it; ``rounds``: in
        so many rounds of shuffled order the model also scores the jokes from 1 to 10 (``rounds`` of each entry), None:
        as many as were measured to be worth it, 0…20. A text that can't be read has its ``error`` there."""
        from .judge.contest.kind import CONTEST
        from .judge.contest.types import ContestRequest, ContestResult

        entries = ContestRequest.of_texts(texts).entries
        given = {"entries": entries, "context": topic, "top": top, "budget": duels, "shuffled": rounds}
        return self._ask(CONTEST, (), ContestResult, **given)

    def close(self) -> None:
        """Free the model and close the history, once a call of another thread has ended. It can't be used again."""
        with self._turn:
            if not self._closed:
                self._closed = True
                self._session.close()

    def __enter__(self) -> Self:
        self._check_open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _check_open(self) -> None:
        if self._closed:
            raise UsageError("E_CLOSED", "This JokeJudge was closed.", "Make another one.")

    def _ask(self, kind: JudgedKind[Any, Any, Any], texts: tuple[str, ...], wanted: type[R], **options: Any) -> R:
        last: Event | None = None
        with self._turn:
            self._check_open()
            for event in self._session.ask(kind, texts, record=self._history, **options):
                last = event
        if isinstance(last, Finished) and isinstance(last.result, wanted):
            return last.result
        if isinstance(last, Failed):
            raise restore(last.error)
        if isinstance(last, CancelledEvent):
            raise Cancelled()
        raise EngineError(
            "E_NO_RESULT", "The job ended without a verdict.", "This is a fault of the program: report it."
        )
