"""The registry of all kinds of verdict. A kind is added by its package and its line here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, cast

from ..core.verdicts import VerdictResult
from .judged_kind import JudgedKind

_PLACES = {
    "rate": "rating.kind:RATING",
    "duel": "duel.kind:DUEL",
    "contest": "contest.kind:CONTEST",
    "workshop": "versions:WORKSHOP",
    "set": "set.words:SET",
    "audit": "audit.words:AUDIT",
    "template": "templates.words:TEMPLATE",
}
"""Each kind is imported on first use, so that a rating needn't wait for contests."""


class _Kinds(Mapping[str, JudgedKind[Any, Any]]):
    def __getitem__(self, name: str) -> JudgedKind[Any, Any]:
        module, _, kind = _PLACES[name].partition(":")
        place = import_module(f".{module}", __package__)
        return cast("JudgedKind[Any, Any]", getattr(place, kind))

    def __iter__(self) -> Iterator[str]:
        return iter(_PLACES)

    def __len__(self) -> int:
        return len(_PLACES)


KINDS: Mapping[str, JudgedKind[Any, Any]] = _Kinds()


def kind_of(result: VerdictResult) -> JudgedKind[Any, Any]:
    return KINDS[result.kind]


def contract(result: VerdictResult) -> dict[str, Any]:
    """Return a verdict's JSON object."""
    return kind_of(result).contract(result)
