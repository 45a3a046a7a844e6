"""Verdicts for people to read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..verdicts import DuelResult, RatingResult, VerdictResult
from .audit_view import show_audit
from .console import Console
from .contest_view import show_contest
from .duel_view import show_duel
from .rating_view import show_rating
from .verdict_lines import heading, label, labelled_items, start_of, tail, warnings, yours
from .workshop_view import show_workshop


def show_verdict(console: Console, result: VerdictResult, taste: str = "") -> None:
    """A verdict on stdout, whole or as far as it came; ``taste``: the user's own line."""
    _SHOWN.get(result.kind, _any)(console, result, taste)


def _any(console: Console, result: VerdictResult, taste: str) -> None:
    """A verdict of a kind that has no view of its own here: what its kind says of it."""
    # Imported here: help and complaints about arguments come without the judges, and so at once.
    from ..judging.kinds import kind_of

    kind = kind_of(result)
    warnings(console, result)
    heading(console, kind.headline(result).sentence)
    console.text("")
    for subject in kind.subjects(kind.request_of(result)):
        label(console, subject.label or "Text", start_of(console, subject.text))
    for fact in kind.facts(result):
        labelled_items(console, fact.name, fact.text)
    yours(console, taste)
    tail(console, result)


_SHOWN: dict[str, Callable[[Console, Any, str], None]] = {
    RatingResult.kind: show_rating,
    DuelResult.kind: show_duel,
    "contest": show_contest,
    "audit": show_audit,
    "workshop": show_workshop,
}
"""How the kinds are shown that have a view of their own."""
