"""The registry: every kind of verdict that the program gives. A kind is added by its room and its line here."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from .duel.kind import DUEL
from .judged_kind import JudgedKind
from .rating.kind import RATING

KINDS: Mapping[str, JudgedKind[Any, Any, Any]] = MappingProxyType({kind.name: kind for kind in (RATING, DUEL)})
