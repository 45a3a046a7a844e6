"""Queries of the history, their results, and the conversion of verdicts to rows of the database and back."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from sqlite3 import Row
from typing import Literal, get_args

from pydantic import AwareDatetime, Field

from ..core.errors import ErrorInfo
from ..core.files import parse_json
from ..core.pages import Page, Tone
from ..core.verdict_kinds import Kinds, Subject
from ..core.verdicts import Frozen, Mode, ModelRef, Status, VerdictResult

PROGRESS = ("idea", "draft", "tested", "done")
"""How far a joke is: the user's status of it, kept as one of these tags."""
_TITLE = "# "
"""What a note's first line begins with if it is the joke's title."""

Sort = Literal["newest", "oldest", "score_high", "score_low"]


class HistoryQuery(Frozen):
    """A query: which verdicts, in which order, and which page of them.

    ``text``: words that must all occur (the last may be a beginning); empty lists everything. An empty ``kinds`` means
    any. ``starred``: only those with a star. ``tag`` is a whole tag, whatever its case. The score orders go by the
    headline's value; verdicts without one come last in both. ``parent``: list the children of the verdict with this id;
    None: the verdicts without a parent. ``after``: id of the last row of the previous page, for newest and oldest;
    quicker than ``offset`` and not affected by new rows.
    """

    text: str = ""
    kinds: tuple[str, ...] = ()
    starred: bool | None = None
    tag: str | None = None
    sort: Sort = "newest"
    parent: str | None = None
    limit: int = Field(100, ge=0)
    offset: int = Field(0, ge=0)
    after: str | None = None


class WithTexts(Frozen):
    """What is about texts, in the order of their kind's ``fields``."""

    subjects: tuple[Subject, ...]

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts without their labels."""
        return tuple(subject.text for subject in self.subjects)

    @property
    def text_a(self) -> str:
        """The first text."""
        return self.subjects[0].text if self.subjects else ""

    @property
    def text_b(self) -> str | None:
        """The second text, if there is one."""
        return self.subjects[1].text if len(self.subjects) > 1 else None


class HistoryRow(WithTexts):
    """A verdict as a row of a list. ``created`` is aware, in UTC. ``glance`` is None if there is no readable result.
    ``parent``: the id of the parent verdict. ``vote``: the user's choice. ``error`` is a sentence."""

    id: str
    kind: str
    created: AwareDatetime
    status: Status
    glance: Page | None = None
    parent: str | None = None
    starred: bool = False
    tags: tuple[str, ...] = ()
    note: str = ""
    vote: str | None = None
    model_name: str | None = None
    error: str | None = None

    @property
    def title(self) -> str:
        """The user's title: the first line of the note, if it begins with "# "."""
        return split_title(self.note)[0]

    @property
    def progress(self) -> str:
        """How far the joke is, one of ``PROGRESS``; empty where the user didn't say."""
        return next((tag.casefold() for tag in self.tags if tag.casefold() in PROGRESS), "")


class HistoryEntry(Frozen):
    """A verdict with its result. ``result`` is None if the job ended before there was any, or if it can't be read;
    ``error``: the reason why the job failed."""

    row: HistoryRow
    result: VerdictResult | None
    mode: Mode
    seed: int
    prompt_version: str
    criteria_version: str
    model: ModelRef | None
    error: ErrorInfo | None = None


UNREADABLE = "The stored result can't be read."
UNKNOWN_KIND = "This program doesn't know verdicts of this kind; a newer one made it."
BROKEN = (ValueError, TypeError, RecursionError)
"""The errors that reading a damaged row may raise (pydantic's ValidationError is a ValueError)."""
ROWS = "verdicts AS v JOIN words AS w ON w.seq = v.seq"
ENTRIES = f"{ROWS} LEFT JOIN results AS r ON r.seq = v.seq"
ROW_COLUMNS = (
    "v.seq, v.id, v.kind, v.created, v.status, v.starred, v.model_name, v.model_sha256, v.error, v.error_code,"
    " v.error_hint, v.badge, v.tone, v.sentence, v.value, v.mode, v.seed, v.prompt_version, v.criteria_version,"
    " w.tags, w.note, w.texts, w.parts, (SELECT id FROM verdicts AS p WHERE p.seq = v.parent) AS parent,"
    " (SELECT choice FROM votes WHERE verdict_id = v.id) AS vote"
)
ENTRY_COLUMNS = f"{ROW_COLUMNS}, r.body"
_SAME = ("id", "kind", "created", "status", "parent", "starred", "note", "vote", "model_name", "error")
"""The fields of a row that are columns."""


def stamp(moment: datetime) -> str:
    """Return a moment as text of fixed width in UTC, so that texts sort as moments do."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def plain(text: str) -> str:
    """Return text that SQLite can store: lone surrogates replaced, NULs left out."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\x00", "")


def tidy_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Return tags with their spaces tidied, without empty ones and repetitions (whatever their case); order kept."""
    tidy: dict[str, str] = {}
    for tag in (" ".join(plain(tag).split()) for tag in tags):
        tidy.setdefault(tag.casefold(), tag)
    return tuple(filter(None, tidy.values()))


def split_title(note: str) -> tuple[str, str]:
    """Return the title that a note begins with, and the rest of the note."""
    first, _, rest = note.partition("\n")
    return (first.removeprefix(_TITLE).strip(), rest) if first.startswith(_TITLE) else ("", note)


def with_title(title: str, note: str) -> str:
    """Return a note that begins with a title."""
    line = " ".join(title.split())
    return f"{_TITLE}{line}\n{note}" if line else note


def with_progress(tags: Iterable[str], progress: str) -> tuple[str, ...]:
    """Return tags with another ``PROGRESS``; empty: with none."""
    return tidy_tags((progress, *(tag for tag in tags if tag.casefold() not in PROGRESS)))


def text_columns(subjects: Sequence[Subject]) -> dict[str, str]:
    """Return the texts of a verdict as columns."""
    stored = [(plain(subject.label), plain(subject.text)) for subject in subjects]
    parts = [(label, len(text)) for label, text in stored]
    alone = len(parts) == 1 and not parts[0][0]
    return {
        "texts": "\n".join(text for _, text in stored),
        "parts": "" if alone else json.dumps(parts, ensure_ascii=False),
    }


def subjects_of(texts: str, parts: str) -> tuple[Subject, ...]:
    """Return the texts from such columns. Raises one of ``BROKEN`` if they are damaged."""
    if not parts:
        return (Subject(text=texts),)
    subjects, start = [], 0
    for label, length in json.loads(parts):
        subjects.append(Subject(label=label, text=texts[start : start + length]))
        start += length + 1
    return tuple(subjects)


def result_columns(result: VerdictResult, glance: Page) -> dict[str, object]:
    """Return a result's columns for lists; those of the model only if the result names one."""
    value = glance.value if glance.value is not None and math.isfinite(glance.value) else None
    model = {"model_name": result.model.name, "model_sha256": result.model.sha256} if result.model else {}
    return {
        **model,
        "seconds": result.seconds,
        "badge": plain(glance.badge),
        "tone": glance.tone,
        "sentence": plain(glance.headline),
        "value": value,
    }


def row_of(values: Row) -> HistoryRow:
    """Return a list row from the values of ``ROW_COLUMNS``. Raises one of ``BROKEN`` if they are damaged."""
    glance, value = None, values["value"]
    if values["badge"] is not None:
        if values["tone"] not in get_args(Tone):
            raise ValueError("an unknown tone")
        finite = None if isinstance(value, float) and not math.isfinite(value) else value
        glance = Page(values["sentence"], values["badge"], values["tone"], finite)
    return HistoryRow.model_validate(
        {
            **{name: values[name] for name in _SAME},
            "subjects": subjects_of(values["texts"], values["parts"]),
            "glance": glance,
            "tags": values["tags"].split("\n") if values["tags"] else (),
        }
    )


def entry_of(values: Row, kinds: Kinds, *, lenient: bool = False) -> HistoryEntry:
    """Return a whole verdict from the values of ``ENTRY_COLUMNS``. Raises one of ``BROKEN`` if they are damaged, and
    ``LookupError`` for a kind that isn't among ``kinds``. With ``lenient`` a result that can't be read is left out and
    the row's ``error`` reports it; only a damaged row raises."""
    row, body = row_of(values), values["body"]
    result: VerdictResult | None = None
    try:
        if body is not None:
            kind = kinds[row.kind]
            if "NaN" in body or "Infinity" in body:
                parse_json(body)  # which has no such numbers: views would fail
            result = kind.result.model_validate_json(body, extra="ignore")  # an older one has more fields
    except (LookupError, *BROKEN):
        if not lenient:
            raise
        row = row.replaced(error=row.error or (UNKNOWN_KIND if row.kind not in kinds else UNREADABLE))
    code, name = values["error_code"], row.model_name
    return HistoryEntry(
        row=row,
        result=result,
        model=ModelRef(name=name, sha256=values["model_sha256"] or "") if name is not None else None,
        error=ErrorInfo(code=code, sentence=row.error or "", hint=values["error_hint"] or "") if code else None,
        **{name: values[name] for name in ("mode", "seed", "prompt_version", "criteria_version")},
    )
