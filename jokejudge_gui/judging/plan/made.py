"""A model's plan, made of what its heads' card says of reading and what was measured of asking."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from ...statistics import wilson
from ..reading.editor_card import EditorCard
from .question_keys import QuestionKeys
from .worth import ItemWorth, Kind, Measured, Plan, PlanFiles, Worth

_SECTIONS: tuple[tuple[Kind, Measured], ...] = (("check", "auc"), ("factor", "r"), ("kind", "auc"), ("fault", "auc"))
TURN = "turn"
EXPLANATION = "explanation"
"""The one item of the kind ``prose``: sentences about a joke that is rated."""


def plan_for(sha256: str, card: EditorCard | None, files: PlanFiles, keys: QuestionKeys | None = None) -> Plan:
    """What is known of a model whose editor's heads have this ``card`` (None: no heads), under the questions that
    ``keys`` names (None: whatever they were)."""
    found = files.load(sha256).today()
    if keys is not None:
        found = found.under(questions_of(keys))
    return found.beside(read_plan(sha256, card))


def read_plan(sha256: str, card: EditorCard | None) -> Plan:
    """What the heads' card says: every item with what reading it is worth."""
    if card is None:
        return Plan(model_sha256=sha256)
    return Plan(model_sha256=sha256, heads=heads_key(card), items=tuple(_items(card))).today()


def heads_key(card: EditorCard | None) -> str:
    """Which heads these are, as a plan remembers them: 16 hex digits, empty without heads."""
    return hashlib.sha256(card.text().encode("utf-8")).hexdigest()[:16] if card is not None else ""


def questions_of(keys: QuestionKeys) -> frozenset[str]:
    """All keys that stand in a plan."""
    single = keys.duel, keys.prose, keys.references
    return frozenset((*keys.checks.values(), *keys.categories.values(), *keys.scores.values(), *single))


def _items(card: EditorCard) -> Iterator[ItemWorth]:
    for kind, measured in _SECTIONS:
        for id, figure in card.items.get(kind, {}).items():
            low, high = min(figure.low, figure.worth), max(figure.high, figure.worth)
            read = Worth(value=figure.worth, low=low, high=high, n=figure.n)
            yield ItemWorth(kind=kind, id=id, measured=measured, read=read)
    turn, n = card.figures.turn, card.readings
    low, high = wilson(turn * n, n)
    read = Worth(value=turn, low=min(low, turn), high=max(high, turn), n=n)
    yield ItemWorth(kind="turn", id=TURN, measured="share", read=read)
