"""The registry: every kind of verdict that the program gives. A kind is added by its room and its line here."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from ..core.verdicts import VerdictResult
from .audit.kind import AUDIT
from .contest.kind import CONTEST
from .duel.kind import DUEL
from .judged_kind import JudgedKind
from .rating.kind import RATING
from .templates.kind import TEMPLATE
from .workshop.kind import WORKSHOP

REGISTRY: dict[str, JudgedKind[Any, Any, Any]] = {
    kind.name: kind for kind in (RATING, DUEL, CONTEST, WORKSHOP, AUDIT, TEMPLATE)
}
KINDS: Mapping[str, JudgedKind[Any, Any, Any]] = MappingProxyType(REGISTRY)


def kind_of(result: VerdictResult) -> JudgedKind[Any, Any, Any]:
    return KINDS[result.kind]


def contract(result: VerdictResult) -> dict[str, Any]:
    """A verdict's JSON object."""
    return kind_of(result).contract(result)
