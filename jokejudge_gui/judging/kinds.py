"""The registry: every kind of verdict that the program gives. A kind is added by its room and its line here."""

from __future__ import annotations

from types import MappingProxyType

from ..verdict_kinds import Kinds
from .duel.kind import DUEL
from .rating.kind import RATING

KINDS: Kinds = MappingProxyType({kind.name: kind for kind in (RATING, DUEL)})
