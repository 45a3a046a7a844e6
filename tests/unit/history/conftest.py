"""Verdicts to put into a history, and a clock that ticks by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from jokejudge_gui.core.verdict_kinds import Subject
from jokejudge_gui.core.verdicts import Audience, ModelRef, Status, Usage, VerdictResult
from jokejudge_gui.history.store import HistoryStore
from jokejudge_gui.judge.duel.record import DuelResult
from jokejudge_gui.judge.kinds import KINDS
from jokejudge_gui.judge.rating.record import FactorScore, RatingResult

MODEL = ModelRef(name="test-model", sha256="ab" * 32)


class Clock:
    """One second later at each look."""

    def __init__(self) -> None:
        self.now = datetime(2025, 5, 1, 12, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


class Book:
    """A store with short ways to fill it."""

    def __init__(self, store: HistoryStore) -> None:
        self.store = store

    def begin(self, id: str, text_a: str = "A joke.", text_b: str | None = None, parent: str | None = None) -> None:
        pair = (Subject(label="A", text=text_a), Subject(label="B", text=text_b)) if text_b is not None else ()
        self.store.begin(
            id=id, kind="rate" if text_b is None else "duel", subjects=pair or (Subject(text=text_a),), parent=parent,
            mode="quick", model=MODEL, prompt_version="p1", criteria_version="c1", seed=7,
        )  # fmt: skip

    def rating(
        self,
        id: str,
        text: str = "A joke.",
        *,
        mean: float | None = None,
        percentile: float | None = None,
        explanation: str | None = None,
        **factors: float,
    ) -> RatingResult:
        scores = tuple(
            FactorScore(id=name, name=name.title(), origin="shared", score=round(value), expected=value, sd=0.75)
            for name, value in factors.items()
        )
        return RatingResult(
            id=id,
            text=text,
            admissible=True,
            factors=scores,
            mean_score=mean,
            audience=None if percentile is None else Audience(percentile=percentile, score=percentile / 100),
            explanation=explanation,
            usage=Usage(tokens_evaluated=10, tokens_reused=100, seconds=1.25),
            model=MODEL,
            seed=7,
        )

    def rate(self, id: str, text: str = "A joke.", **known: Any) -> RatingResult:
        """A finished rating; ``known`` as in ``rating``."""
        result = self.rating(id, text, **known)
        self.begin(id, text)
        self.store.end(id, Status.FINISHED, result)
        return result

    def duel(self, id: str, text_a: str = "First.", text_b: str = "Second.") -> DuelResult:
        result = DuelResult(
            id=id, text_a=text_a, text_b=text_b, winner="B", p_a=1 / 3, confidence_factor=2.0, band="clear",
            consistent=True, position_bias=0.1, model=MODEL,
        )  # fmt: skip
        self.begin(id, text_a, text_b)
        self.store.end(id, Status.FINISHED, result)
        return result

    def end(self, id: str, status: Status, result: VerdictResult | None = None) -> None:
        self.store.end(id, status, result)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "history.sqlite3"


@pytest.fixture(scope="module")
def book_at() -> Callable[[Path], Book]:
    return lambda path: Book(HistoryStore(path, KINDS, clock=Clock(), busy_timeout=0.2))


@pytest.fixture
def open_book(path: Path, book_at: Callable[[Path], Book]) -> Iterator[Callable[[], Book]]:
    """Opens the history anew at each call; all are closed at the end."""
    opened: list[Book] = []

    def opener() -> Book:
        opened.append(book_at(path))
        return opened[-1]

    yield opener
    for book in opened:
        book.store.close()


@pytest.fixture
def book(open_book: Callable[[], Book]) -> Book:
    return open_book()
