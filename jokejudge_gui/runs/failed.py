"""Objects of the terminal's contract, of verdicts and of those that never came."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..verdicts import ErrorInfo, VerdictResult

if TYPE_CHECKING:
    from ..judging.judged_kind import JudgedKind


def contract(result: VerdictResult) -> dict[str, Any]:
    """A verdict's JSON object."""
    return kind_named(result.kind).contract(result)


def failed_object(kind: str, texts: tuple[str | None, ...], error: ErrorInfo, id: str | None = None) -> dict[str, Any]:
    """An object of the contract that carries an error: what isn't known is null or empty."""
    return kind_named(kind).unread(texts, error, id)


def no_texts(kind: str) -> tuple[None, ...]:
    """In the place of texts that were never read."""
    return (None,) * len(kind_named(kind).fields)


def kind_named(name: str) -> JudgedKind[Any, Any, Any]:
    """The kind of this name."""
    # Imported here: help and complaints about arguments come without the judges, and so at once.
    from ..judging.kinds import KINDS

    return KINDS[name]
