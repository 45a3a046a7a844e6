"""One model's verdict with what the model is worth on its texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from ...verdicts import ModelRef, VerdictResult
from ..main_judge import MainJudge

R = TypeVar("R", bound=VerdictResult)


@dataclass(frozen=True)
class Said(Generic[R]):
    """A verdict of the ``model``; ``worth``: share of held-out pairs of this kind of text that the model puts in
    people's order, None where that wasn't measured."""

    model: ModelRef
    result: R
    worth: float | None


def worth_of(judge: MainJudge, texts: Sequence[str], context: str) -> float | None:
    """What a model is worth on these texts, which it has read already: the audience head's agreement with people on
    texts of their kind, or what its answers in duels are worth; the mean over the texts."""
    found = []
    if judge.head is not None:
        for text in texts:
            audience = judge.reader.audience(judge.reader.read(text, context=context))
            if audience is not None and audience.agreement is not None:
                found.append(audience.agreement)
    if not found:
        item = judge.plan.of("duel", "pair")
        if item is not None and item.worth is not None:
            found.append(item.worth.value)
    return sum(found) / len(found) if found else None
