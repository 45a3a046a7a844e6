"""One verdict as Quick gives it and as Deep goes on from there, by the judges themselves."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, NoReturn

from pydantic import Field

from ..engine.base import CancelToken
from ..judging.duel.kind import DUEL, DuelRequest
from ..judging.main_judge import MainJudge
from ..judging.rating.draft import RatingDraft
from ..judging.rating.kind import RATING, RatingRequest
from ..verdicts import Asked, Frozen, Mode


class Side(Frozen):
    """What one mode found and had cost by then. ``factors``: scores 0…5; ``kinds``: probabilities 0…1 of those that
    the verdict names; ``tokens`` that went through the model; ``seconds``;
    ``questions``: asked, where they were counted."""

    factors: dict[str, float] = Field(default_factory=dict)
    kinds: dict[str, float] = Field(default_factory=dict)
    chosen: tuple[str, ...] = ()
    tokens: int = 0
    seconds: float = 0.0
    questions: int = 0


class Both(Frozen):
    """A rating by both modes; Deep's cost includes Quick's. ``branches``: further readings that Deep made."""

    quick: Side
    deep: Side
    branches: int = 0

    @property
    def moved(self) -> bool:
        """Whether Deep changed a score or which kinds are shown."""
        return (self.quick.factors, set(self.quick.chosen)) != (self.deep.factors, set(self.deep.chosen))


class BothDuels(Frozen):
    """A duel by both modes: probability 0…1 that the first text is the funnier one, None without an answer."""

    quick: float | None
    deep: float | None
    quick_tokens: int = 0
    deep_tokens: int = 0
    quick_seconds: float = 0.0
    deep_seconds: float = 0.0


@dataclass(frozen=True)
class _Work:
    judge: MainJudge
    cancel: CancelToken | None

    def child(self, kind: object, request: object) -> Generator[Any, None, NoReturn]:
        raise AssertionError("ratings and duels have no verdicts of their own")


def rate_both(
    judge: MainJudge,
    text: str,
    ask: Asked,
    cancel: CancelToken | None = None,
    *,
    seed: int = 1,
    questions: Callable[[], int] = lambda: 0,
) -> Both:
    """Rate a text in deep mode, without words, and note what quick mode had found before it went on. ``questions``:
    how many were asked so far, all verdicts together. Raises what the engine raises."""
    request = RatingRequest(text=text, mode="deep", ask=ask, explain=False, forced=True, seed=seed)
    draft = RATING.draft(request, "measured")
    before, began, asked = judge.engine.usage, time.perf_counter(), questions()

    def side() -> Side:
        spent = judge.engine.usage - before
        return _side(draft, spent.tokens_evaluated, time.perf_counter() - began, questions() - asked)

    quick = Side()
    for _ in RATING.run(draft, request, _Work(judge, cancel)):
        if draft.tree is None:
            quick = side()
    branches = draft.tree.used_branches if draft.tree is not None else 0
    return Both(quick=quick, deep=side(), branches=branches)


def duel_both(judge: MainJudge, first: str, second: str, cancel: CancelToken | None = None) -> BothDuels:
    """Compare two texts in both modes, without words. What Quick read isn't read again, so Deep's cost is that of
    both. Raises what the engine raises."""
    before, began = judge.engine.usage, time.perf_counter()
    found: list[tuple[float | None, int, float]] = []
    modes: tuple[Mode, ...] = ("quick", "deep")
    for mode in modes:
        request = DuelRequest(text_a=first, text_b=second, mode=mode, explain=False)
        draft = DUEL.draft(request, "measured")
        for _ in DUEL.run(draft, request, _Work(judge, cancel)):
            pass
        spent = judge.engine.usage - before
        found.append((draft.p_a, spent.tokens_evaluated, time.perf_counter() - began))
    (quick, tokens, seconds), (deep, all_tokens, all_seconds) = found
    return BothDuels(
        quick=quick,
        deep=deep,
        quick_tokens=tokens,
        deep_tokens=all_tokens,
        quick_seconds=seconds,
        deep_seconds=all_seconds,
    )


def _side(draft: RatingDraft, tokens: int, seconds: float, questions: int) -> Side:
    return Side(
        factors={f.id: f.expected for f in draft.factors if f.expected is not None and f.origin == "shared"},
        kinds={kind.id: kind.p for kind in draft.categories},
        chosen=tuple(kind.id for kind in draft.categories if kind.chosen),
        tokens=tokens,
        seconds=seconds,
        questions=questions,
    )
