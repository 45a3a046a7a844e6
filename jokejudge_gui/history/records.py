"""Verdicts as rows of the database, and back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from pydantic import ValidationError

from ..verdicts import DuelResult, ErrorInfo, ModelRef, RatingResult, Result, Status
from .query import HistoryEntry, HistoryRow

ROW_COLUMNS = (
    "v.id, v.kind, v.created, v.status, v.text_a, v.text_b, v.mean_score, v.winner, v.confidence_factor, v.starred,"
    " v.tags, v.note, v.model_name, v.error, v.admissible"
)
_ROW_WIDTH = ROW_COLUMNS.count(",") + 1
ENTRY_COLUMNS = (
    f"{ROW_COLUMNS}, v.mode, v.seed, v.prompt_version, v.criteria_version, v.model_sha256, v.error_code, v.error_hint,"
    " r.body"
)
UNREADABLE = "The stored result can't be read."


def stamp(moment: datetime) -> str:
    """A moment as text of fixed width in UTC, so that texts sort as moments do."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def plain(text: str) -> str:
    """Text that SQLite can store: lone surrogates replaced, NULs left out."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\x00", "")


def tidy_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Tags with their spaces tidied, without empty ones and repetitions (whatever their case); order kept."""
    tidy = (" ".join(plain(tag).split()) for tag in tags)
    return tuple({tag.casefold(): tag for tag in reversed([*tidy]) if tag}.values())[::-1]


def list_columns(result: Result) -> dict[str, object]:
    """What lists and search need of a result; the model only where the result names one."""
    columns: dict[str, object] = {"seconds": result.usage.seconds, "explanation": plain(result.explanation or "")}
    if isinstance(result, RatingResult):
        columns.update(admissible=result.admissible, mean_score=result.mean_score)
    else:
        columns.update(winner=result.winner, confidence_factor=result.confidence_factor)
    if result.model is not None:
        columns.update(model_name=result.model.name, model_sha256=result.model.sha256)
    return columns


def row_of(values: Sequence[Any]) -> HistoryRow:
    """A list row from the values of ``ROW_COLUMNS``."""
    id, kind, created, status, text_a, text_b, mean, winner, factor = values[:9]
    starred, tags, note, model, error, admissible = values[9:]
    return HistoryRow(
        id=id,
        kind=kind,
        created=datetime.fromisoformat(created),
        status=Status(status),
        text_a=text_a,
        text_b=text_b,
        mean_score=mean,
        winner=winner,
        confidence_factor=factor,
        starred=bool(starred),
        tags=tuple(tags.split("\n")) if tags else (),
        note=note,
        model_name=model,
        error=error,
        admissible=None if admissible is None else bool(admissible),
    )


def entry_of(values: Sequence[Any], *, lenient: bool = False) -> HistoryEntry:
    """A whole verdict from the values of ``ENTRY_COLUMNS``. A result that can't be read raises ``ValidationError``, or
    with ``lenient`` is left out and the row says so."""
    row = row_of(values[:_ROW_WIDTH])
    mode, seed, prompt_version, criteria_version, sha256, code, hint, body = values[_ROW_WIDTH:]
    result: Result | None = None
    try:
        if body is not None:
            kind: type[RatingResult] | type[DuelResult] = RatingResult if row.kind == "rate" else DuelResult
            result = kind.model_validate_json(body)
    except ValidationError:
        if not lenient:
            raise
        row = row.model_copy(update={"error": row.error or UNREADABLE})
    return HistoryEntry(
        row=row,
        result=result,
        mode=mode,
        seed=seed,
        prompt_version=prompt_version,
        criteria_version=criteria_version,
        model=ModelRef(name=row.model_name, sha256=sha256 or "") if row.model_name is not None else None,
        error=ErrorInfo(code=code, sentence=row.error or "", hint=hint or "") if code is not None else None,
    )
