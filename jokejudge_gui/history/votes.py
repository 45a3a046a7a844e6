"""What the user finds funny: votes on verdicts, kept beside them in the same file."""

from __future__ import annotations

import csv
import io
import json
import uuid
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from sqlite_utils import Database

from ..errors import UsageError
from ..files import atomic_writer
from ..verdicts import Frozen, Kind, Measure, ModelRef
from .database import Pool
from .export import csv_cell
from .records import plain, stamp

Choice = Literal["up", "down", "A", "B"]
CHOICES: dict[Kind, tuple[Choice, Choice]] = {"rate": ("up", "down"), "duel": ("A", "B")}
COLUMNS = (
    "id", "verdict_id", "kind", "created", "choice", "blind", "measure", "value", "model_name", "model_sha256",
    "prompt_version", "criteria_version", "text_a", "text_b",
)  # fmt: skip
_SELECT = f"SELECT {', '.join(COLUMNS)} FROM votes"
_INSERT = f"INSERT INTO votes ({', '.join(COLUMNS)}) VALUES ({', '.join(':' + name for name in COLUMNS)})"
_REPLACE = ", ".join(f"{name} = excluded.{name}" for name in COLUMNS if name != "verdict_id")


class Vote(Frozen):
    """One vote. ``value`` is the judge's own number at the time, of the kind that ``measure`` names; ``blind``: given
    before the verdict was seen. ``verdict_id`` may name a verdict that is gone; the texts are the vote's own."""

    id: str
    verdict_id: str | None
    kind: Kind
    created: datetime
    choice: Choice
    blind: bool
    measure: Measure
    value: float
    model: ModelRef
    prompt_version: str
    criteria_version: str
    text_a: str
    text_b: str | None = None


class Votes:
    """The votes in a history's file. Raises what ``HistoryStore`` raises."""

    def __init__(self, pool: Pool, clock: Callable[[], datetime]) -> None:
        self._pool = pool
        self._clock = clock

    def add(
        self,
        *,
        verdict_id: str | None,
        kind: Kind,
        choice: Choice,
        blind: bool,
        measure: Measure,
        value: float,
        model: ModelRef,
        prompt_version: str,
        criteria_version: str,
        text_a: str,
        text_b: str | None,
    ) -> Vote:
        """Keep a vote. Another one on the same verdict takes its place."""
        if choice not in CHOICES[kind]:
            raise UsageError(
                "E_VOTE_CHOICE",
                f"A {'rating' if kind == 'rate' else 'duel'} isn't voted on with {choice}.",
                f"Choose {' or '.join(CHOICES[kind])}.",
            )
        vote = Vote(
            id=uuid.uuid4().hex, verdict_id=verdict_id, kind=kind, created=self._clock(), choice=choice, blind=blind,
            measure=measure, value=value, model=model, prompt_version=prompt_version,
            criteria_version=criteria_version, text_a=plain(text_a), text_b=None if text_b is None else plain(text_b),
        )  # fmt: skip
        with self._pool.write() as database:
            database.execute(f"{_INSERT} ON CONFLICT (verdict_id) DO UPDATE SET {_REPLACE}", _record(vote))
        return vote

    def get(self, verdict_id: str) -> Vote | None:
        """The vote on a verdict, if there is one."""
        found = self._read(f"{_SELECT} WHERE verdict_id = ?", plain(verdict_id))
        return found[0] if found else None

    def remove(self, id: str) -> bool:
        """Take back the vote with this id, or on the verdict with this id; False where there is none."""
        with self._pool.write() as database:
            _secure(database)
            sql = "DELETE FROM votes WHERE verdict_id = :id OR id = :id"
            return bool(database.execute(sql, {"id": plain(id)}).rowcount)

    def count(self, *, but_for: str | None = None) -> int:
        """How many there are: all, or those on other models' verdicts than this one's (its SHA-256)."""
        with self._pool.read() as database:
            sql = "SELECT count(*) FROM votes WHERE model_sha256 IS NOT ?"
            return int(database.execute(sql, (but_for,)).fetchone()[0])

    def find(self, model_sha256: str | None = None) -> list[Vote]:
        """Votes, oldest first: all, or those on one model's verdicts."""
        if model_sha256 is None:
            return self._read(f"{_SELECT} ORDER BY created, seq")
        return self._read(f"{_SELECT} WHERE model_sha256 = ? ORDER BY created, seq", model_sha256)

    def models(self) -> list[ModelRef]:
        """The models whose verdicts were voted on, the last used first."""
        # SQLite takes the bare column from the row that has the maximum.
        sql = "SELECT model_name, model_sha256, max(seq) AS last FROM votes GROUP BY model_sha256 ORDER BY last DESC"
        with self._pool.read() as database:
            return [ModelRef(name=name, sha256=sha256) for name, sha256, _ in database.execute(sql)]

    def delete_all(self) -> tuple[Vote, ...]:
        """Remove every vote, and return them: ``restore`` puts them back. The texts are overwritten in the file."""
        with self._pool.write() as database:
            _secure(database)
            gone = tuple(map(_vote, database.execute(f"{_SELECT} ORDER BY created, seq")))
            database.execute("DELETE FROM votes")
        return gone

    def restore(self, votes: Iterable[Vote]) -> None:
        """Put back what ``delete_all`` returned; a vote that was given since stays."""
        with self._pool.write() as database:
            for vote in votes:
                database.execute(f"{_INSERT} ON CONFLICT DO NOTHING", _record(vote))

    def _read(self, sql: str, *parameters: str) -> list[Vote]:
        with self._pool.read() as database:
            return [_vote(values) for values in database.execute(sql, parameters).fetchall()]


def export_votes(votes: Iterable[Vote], path: Path) -> int:
    """Write votes to ``path`` and return how many; its ending says how. ``.csv`` is for spreadsheets (UTF-8 with a byte
    order mark, texts that begin like a formula get an apostrophe), ``.jsonl`` for scripts. What was there before stays
    until all is written. Raises ``UsageError`` ``E_EXPORT_FORMAT``, ``SettingsError`` ``E_WRITE``."""
    writer = {".csv": _csv, ".jsonl": _jsonl}.get(path.suffix.lower())
    if writer is None:
        raise UsageError(
            "E_EXPORT_FORMAT",
            f"The name {path.name} doesn't say which format is wanted.",
            "End it in .csv or .jsonl.",
        )
    votes = list(votes)
    with atomic_writer(path) as stream:
        for piece in writer(votes):
            stream.write(piece)
    return len(votes)


def _csv(votes: Iterable[Vote]) -> Iterator[bytes]:
    buffer = io.StringIO(newline="")
    lines = csv.writer(buffer)
    lines.writerow(COLUMNS)
    for vote in votes:
        record = _record(vote) | {"blind": "yes" if vote.blind else "no"}
        lines.writerow([csv_cell(record[name]) for name in COLUMNS])
    yield b"\xef\xbb\xbf" + buffer.getvalue().encode("utf-8")


def _jsonl(votes: Iterable[Vote]) -> Iterator[bytes]:
    for vote in votes:
        record = _record(vote) | {"blind": vote.blind}
        yield json.dumps(record, ensure_ascii=False, allow_nan=False).encode("utf-8") + b"\n"


def _record(vote: Vote) -> dict[str, Any]:
    record = vote.model_dump(exclude={"model"})
    return record | {
        "created": stamp(vote.created),
        "blind": int(vote.blind),
        "model_name": vote.model.name,
        "model_sha256": vote.model.sha256,
    }


def _vote(values: tuple[Any, ...]) -> Vote:
    record = dict(zip(COLUMNS, values, strict=True))
    model = ModelRef(name=record.pop("model_name"), sha256=record.pop("model_sha256"))
    return Vote.model_validate(record | {"model": model, "blind": bool(record["blind"])})


def _secure(database: Database) -> None:
    database.execute("PRAGMA secure_delete = ON")
