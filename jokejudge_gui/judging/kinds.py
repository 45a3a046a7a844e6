"""The registry: every kind of verdict that the program gives. A kind is added by its room and its line here."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from ..verdict_kinds import Kinds, VerdictKind
from ..verdicts import VerdictResult
from .duel.kind import DUEL
from .rating.kind import RATING

KINDS: Kinds = MappingProxyType({kind.name: kind for kind in (RATING, DUEL)})


def kind_of(result: VerdictResult) -> VerdictKind[Any, Any]:
    """The kind of a result."""
    return next(kind for kind in KINDS.values() if type(result) is kind.result)
