"""The registry of all kinds of verdict. A kind is added by its package and its line here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

from ..core.verdicts import VerdictResult
from .judged_kind import JudgedKind

_PLACES = {
    "rate": "rating.kind:RATING",
    "duel": "duel.kind:DUEL",
    "contest": "contest.kind:CONTEST",
    "workshop": "versions:WORKSHOP",
    "set": "set.kind:SET",
    "audit": "audit.words:AUDIT",
    "template": "templates.words:TEMPLATE",
}
"""Each kind is imported on first use, so that a rating needn't wait for contests."""
REGISTRY: dict[str, JudgedKind[Any, Any]] = {}
"""The kinds used so far."""


class _Kinds(Mapping[str, JudgedKind[Any, Any]]):
    def __getitem__(self, name: str) -> JudgedKind[Any, Any]:
        if name not in REGISTRY:
            module, _, kind = _PLACES[name].partition(":")
            REGISTRY[name] = getattr(import_module(f".{module}", __package__), kind)
        return REGISTRY[name]

    def __iter__(self) -> Iterator[str]:
        return iter(_PLACES | REGISTRY)

    def __len__(self) -> int:
        return len(_PLACES | REGISTRY)


KINDS: Mapping[str, JudgedKind[Any, Any]] = _Kinds()


def kind_of(result: VerdictResult) -> JudgedKind[Any, Any]:
    return KINDS[result.kind]


def contract(result: VerdictResult) -> dict[str, Any]:
    """Return a verdict's JSON object."""
    return kind_of(result).contract(result)
