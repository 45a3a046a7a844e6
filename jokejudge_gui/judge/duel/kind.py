"""The duel as a kind of verdict: its request, and the words for its result."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, ClassVar

from ...core.events import Event
from ...core.pages import Page
from ...core.verdict_kinds import Subject, VoteScore, dumped, scale_of
from ...core.words import differing
from ..judged_kind import JudgedKind, Work
from .record import DuelRequest, DuelResult
from .words import page


class DuelKind(JudgedKind[DuelRequest, DuelResult]):
    """The comparison of two jokes."""

    name: ClassVar[str] = "duel"
    noun: ClassVar[str] = "duel"
    verb: ClassVar[str] = "Duel"
    fields: ClassVar[tuple[str, ...]] = ("text_a", "text_b")
    request = DuelRequest
    result = DuelResult
    choices: ClassVar[tuple[str, ...]] = ("A", "B")
    question: ClassVar[str] = "Which is funnier to you?"
    deep: ClassVar[bool] = True

    def subjects(self, request: DuelRequest) -> tuple[Subject, ...]:
        return Subject(text=request.text_a, label="A"), Subject(text=request.text_b, label="B")

    def run(self, draft: DuelResult, request: DuelRequest, work: Work) -> Iterator[Event | DuelResult]:
        from .duel_judge import DuelJudge  # a stored duel is shown without its judge

        yield from DuelJudge(draft, request, work).compare()

    def contract(self, result: DuelResult) -> dict[str, Any]:
        names = ("id", "text_a", "text_b", "winner", "p_a", "confidence_factor", "band", "consistent", "position_bias")
        spans = zip("ab", differing(result.text_a, result.text_b), strict=True)
        return {
            **dumped(result, *names),
            "orders": [{"first": order.first, "p_a": order.p_a} for order in result.orders],
            **dumped(result, "audience", "length_controlled", "drafts", "edit", "people"),
            "differ": {side: [{"start": start, "end": end} for start, end in own] for side, own in spans},
            "generator": result.generator or None,
            **dumped(result, "panel"),
            **result.contract_end(),
        }

    def words(self, result: DuelResult) -> Page:
        return page(result)

    def columns(self, result: DuelResult) -> dict[str, object]:
        named = result.winner in ("A", "B")  # a figure beside a tie would name a winner
        return {
            **dumped(result, "text_a", "text_b", "winner"),
            "confidence_factor": result.confidence_factor if named else None,
            "band": result.band if named else None,
        }

    def vote_score(self, result: DuelResult) -> VoteScore | None:
        """Return the log-odds for A, with an audience head or without one."""
        if result.p_a is None or result.confidence_factor is None:
            return None
        # From the factor, not from p(A): both sides of a swapped duel have the same factor to the last bit.
        size = math.log(max(1.0, result.confidence_factor))
        odds = (size if result.p_a > 0.5 else -size) + 0.0
        measured = "odds_audience" if result.audience else "odds"
        return VoteScore(scale=scale_of(measured, result), value=odds, centred=True)


DUEL = DuelKind()
