"""Conversion of verdicts to rows of the database and back."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from ..core.errors import ErrorInfo
from ..core.verdict_kinds import Headline, Kinds, Subject
from ..core.verdicts import ModelRef, Status, VerdictResult
from .query import HistoryEntry, HistoryRow

_SUBJECTS = (
    "(SELECT json_group_array(json_array(label, text)) FROM"
    " (SELECT label, text FROM subjects WHERE subjects.seq = v.seq ORDER BY place))"
)
ROW_COLUMNS = (
    "v.id, v.kind, v.created, v.status, v.badge, v.tone, v.sentence, v.value, v.starred, v.tags, v.note, v.model_name,"
    f" v.error, (SELECT id FROM verdicts AS p WHERE p.seq = v.parent), {_SUBJECTS}"
)
_ROW_WIDTH = 15
ENTRY_COLUMNS = (
    f"{ROW_COLUMNS}, v.mode, v.seed, v.prompt_version, v.criteria_version, v.model_sha256, v.error_code, v.error_hint,"
    " r.body"
)
_LONG = tuple(rf"{re.escape(before)}\d{{13}}" for before in ":,[-")
_HUGE = tuple(re.compile(each) for each in (r"e\+?\d\d+[,\]}]", r"E\+?\d\d+[,\]}]", *_LONG))
"""Patterns of numbers that may be too large, in compact JSON: one search for each first letter, as a pattern that
begins with a set of letters takes several times as long."""
_MOST = 1e12
UNREADABLE = "The stored result can't be read."
UNKNOWN_KIND = "This program doesn't know verdicts of this kind; a newer one made it."
BROKEN = (ValueError, TypeError, RecursionError)
"""The errors that reading a damaged row may raise (pydantic's ValidationError is a ValueError)."""


def stamp(moment: datetime) -> str:
    """Return a moment as text of fixed width in UTC, so that texts sort as moments do."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def plain(text: str) -> str:
    """Return text that SQLite can store: lone surrogates replaced, NULs left out."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\x00", "")


def tidy_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Return tags with their spaces tidied, without empty ones and repetitions (whatever their case); order kept."""
    tidy = (" ".join(plain(tag).split()) for tag in tags)
    return tuple({tag.casefold(): tag for tag in reversed([*tidy]) if tag}.values())[::-1]


def headline_columns(headline: Headline) -> dict[str, object]:
    """Return a headline as columns; a value that isn't finite becomes None."""
    value = headline.value if headline.value is not None and math.isfinite(headline.value) else None
    return {
        "badge": plain(headline.badge),
        "tone": headline.tone,
        "sentence": plain(headline.sentence),
        "value": value,
    }


def list_columns(result: VerdictResult, headline: Headline) -> dict[str, object]:
    """Return a result's columns for lists and search; those of the model only if the result names one."""
    columns: dict[str, object] = {"seconds": result.seconds, "explanation": plain(result.explanation or "")}
    if result.model is not None:
        columns.update(model_name=result.model.name, model_sha256=result.model.sha256)
    return columns | headline_columns(headline)


def row_of(values: Sequence[Any]) -> HistoryRow:
    """Return a list row from the values of ``ROW_COLUMNS``. Raises one of ``BROKEN`` if they are damaged."""
    id, kind, created, status, badge, tone, sentence, value, starred, tags, note, model, error, parent = values[:14]
    return HistoryRow(
        id=id,
        kind=kind,
        created=_aware(datetime.fromisoformat(created)),
        status=Status(status),
        subjects=tuple(Subject(label=label, text=text) for label, text in json.loads(values[14])),
        headline=None if badge is None else Headline(badge=badge, tone=tone, sentence=sentence, value=_finite(value)),
        parent=parent,
        starred=bool(starred),
        tags=tuple(tags.split("\n")) if tags else (),
        note=note,
        model_name=model,
        error=error,
    )


def entry_of(values: Sequence[Any], kinds: Kinds, *, lenient: bool = False) -> HistoryEntry:
    """Return a whole verdict from the values of ``ENTRY_COLUMNS``. Raises one of ``BROKEN`` if they are damaged, and
    ``LookupError`` for a kind that isn't among ``kinds``. With ``lenient`` a result that can't be read is left out and
    the row's ``error`` reports it; only a damaged row raises."""
    row = row_of(values[:_ROW_WIDTH])
    mode, seed, prompt_version, criteria_version, sha256, code, hint, body = values[_ROW_WIDTH:]
    result: VerdictResult | None = None
    why = None
    try:
        if body is not None:
            kind = kinds[row.kind]
            found = kind.opened(kind.result.model_validate_json(body))
            _check_sizes(found, body)
            result = found
    except KeyError:
        why = UNKNOWN_KIND
        if not lenient:
            raise
    except BROKEN:
        why = UNREADABLE
        if not lenient:
            raise
    if why is not None:
        row = HistoryRow.model_validate(dict(row) | {"error": row.error or why})
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


def _check_sizes(result: VerdictResult, body: str) -> None:
    """Raise ``ValueError`` if a number is infinite or larger than any that a judge gives: views would fail."""
    suspected = "Infinity" in body or "NaN" in body or any(each.search(body) for each in _HUGE)
    if suspected and any(not abs(number) < _MOST for number in _numbers(result.model_dump())):
        raise ValueError("a number that is too large")


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, float):
        yield value
    elif isinstance(value, dict):
        yield from (number for item in value.values() for number in _numbers(item))
    elif isinstance(value, list | tuple):
        yield from (number for item in value for number in _numbers(item))


def _finite(value: Any) -> Any:
    """Replace infinity and NaN by None: neither JSON nor the order of rows has them."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _aware(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        raise ValueError("a moment without a zone")
    return moment
