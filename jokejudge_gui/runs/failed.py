"""Objects of the terminal's contract for verdicts that never came."""

from __future__ import annotations

from typing import Any

from ..verdicts import DuelResult, ErrorInfo, Kind, RatingResult, Result


def failed_object(kind: Kind, texts: tuple[str | None, ...], error: ErrorInfo, id: str | None = None) -> dict[str, Any]:
    """An object of the contract that carries an error: what isn't known is null or empty."""
    result: Result
    fields: tuple[str, ...]
    if kind == "rate":
        result, fields = RatingResult(id="", text="", error=error), ("text",)
    else:
        result, fields = DuelResult(id="", text_a="", text_b="", error=error), ("text_a", "text_b")
    return result.contract() | {"id": id} | dict(zip(fields, texts, strict=True))


def no_texts(kind: Kind) -> tuple[None, ...]:
    return (None,) if kind == "rate" else (None, None)
