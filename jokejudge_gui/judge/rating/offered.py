"""Factors that a model wrote for jokes that no known factor fits, offered to the user's own criteria. They are read
from the ratings in the history."""

from __future__ import annotations

from typing import Any

from ...core.errors import CriteriaError
from ...history.store import HistoryStore
from ...rubric.own_file import OwnFile
from .record import RatingResult


def offered(store: HistoryStore, own: OwnFile) -> list[dict[str, Any]]:
    """Return the written factors that aren't among the criteria, those of most jokes first: id, name and the fields of
    a factor of one's own, and ``jokes``, the number of texts that they were written for. Each told its good example
    from its bad one when it was written. Raises ``CriteriaError`` and the history's errors."""
    taken = {item.id for item in own.items()} | {item.name.lower() for item in own.items()}
    factors: dict[str, dict[str, Any]] = {}
    jokes: dict[str, set[str]] = {}
    for entry in store.holding("rate", '"pathway":"dynamic"'):
        if not isinstance(entry.result, RatingResult):
            continue
        for factor in entry.result.factors:
            if factor.written and not {factor.id, factor.name.lower()} & taken:
                factors.setdefault(factor.id, {"id": factor.id, "name": factor.name, **factor.written})
                jokes.setdefault(factor.id, set()).add(entry.result.text)
    ranked = sorted(factors, key=lambda id: (-len(jokes[id]), id))
    return [{**factors[id], "jokes": len(jokes[id])} for id in ranked]


def promote(store: HistoryStore, own: OwnFile, name: str) -> str:
    """Add an offered factor, named by id or name, to the user's own criteria, and return its id. Raises
    ``CriteriaError``, ``SettingsError`` and the history's errors."""
    for factor in offered(store, own):
        if name.strip().lower() in (factor["id"], factor["name"].lower()):
            fields = {key: text for key, text in factor.items() if key not in ("id", "jokes")}
            own.set_item("factor", factor["id"], fields, new=True)
            return str(factor["id"])
    sentence = f"No factor “{name[:60]}” is offered."
    raise CriteriaError("E_CRITERIA_OWN", sentence, "`jokejudge criteria offered` lists those that are.")
