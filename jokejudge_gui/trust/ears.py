"""How far an audience estimate can be trusted by kind of text, from the head's card."""

from __future__ import annotations

from ..judging.reading.audience import AudienceHead
from ..judging.reading.estimate import Ear, Ears
from .card import TrustCard
from .words import kind_name

_STRANGERS = frozenset({"other"})
"""What a head's gate calls texts that are of none of the kinds with votes enough."""
UNKNOWN = "texts of a kind that it hasn't learned"


def with_context(ears: Ears, head: AudienceHead | None) -> Ears:
    """The same, and the kinds of text that a head for texts behind a topic or scene knows."""
    if head is None:
        return ears
    more = {kind: Ear(kind_name(kind), share, low) for kind, (share, low) in head.kind_agreement.items()}
    return Ears(known={**ears.known, **more}, unknown=ears.unknown, strangers=ears.strangers)


def ears_of(card: TrustCard | None) -> Ears:
    """Agreement by kind: among real jokes where that was measured, for jokes and plain statements mixed flatter. On
    kinds that weren't learned: the mean of what it reached on each kind without having learned from it."""
    if card is None:
        return Ears()
    known = {}
    for kind in card.kinds:
        found = kind.head.get("jokes") or kind.head.get("all")
        if found is not None:
            known[kind.name] = Ear(kind_name(kind.name), found.value, found.low)
    across = [kind.head_across["all"].value for kind in card.kinds if "all" in kind.head_across]
    unknown = Ear(UNKNOWN, sum(across) / len(across)) if across else None
    return Ears(known=known, unknown=unknown, strangers=_STRANGERS)
