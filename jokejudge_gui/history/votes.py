"""The user's votes on verdicts, kept beside them in the same file."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from ..core.errors import UsageError
from ..core.outputs import CsvLines, write_export
from ..core.texts import json_line
from ..core.verdict_kinds import Subject, VoteScore
from ..core.verdicts import ModelRef
from .database import Pool, tables
from .query import BROKEN, WithTexts, plain, stamp

_COLUMNS = (
    "id", "verdict_id", "kind", "created", "choice", "blind", "scale", "value", "centred", "model_name",
    "model_sha256", "prompt_version", "criteria_version", "subjects",
)  # fmt: skip
_SELECT = f"SELECT {', '.join(_COLUMNS)} FROM votes"
_EXPORTED = (
    "id", "verdict_id", "kind", "created", "choice", "blind", "measure", "value", "model_name", "model_sha256",
    "prompt_version", "criteria_version", "text_a", "text_b", "scale",
)  # fmt: skip
"""The columns of an exported table."""


class Vote(WithTexts):
    """One vote. ``value`` is the judge's own number at the time, comparable only with others of its ``scale``
    (``centred`` as in ``VoteScore``); ``blind``: given before the verdict was seen. ``verdict_id`` may name a deleted
    verdict; the texts are the vote's own."""

    id: str
    verdict_id: str | None
    kind: str
    created: datetime
    choice: str
    blind: bool
    scale: str
    value: float
    centred: bool
    model: ModelRef
    prompt_version: str
    criteria_version: str

    @property
    def measure(self) -> str:
        """The measure that the vote is compared with, without its model, head and prompts: "odds" or "odds_audience" of
        a duel, "mean" or "audience" of a rating."""
        return self.scale.partition("/")[0]


class Votes:
    """The votes in a history's file. Raises the errors of ``HistoryStore``."""

    def __init__(self, pool: Pool, clock: Callable[[], datetime]) -> None:
        self._pool = pool
        self._clock = clock

    def add(self, *, vote_score: VoteScore, subjects: Sequence[Subject], **given: Any) -> Vote:
        """Keep a vote, ``given`` as the fields of ``Vote``. It replaces an earlier one on the same verdict."""
        plain_subjects = tuple(Subject(label=plain(one.label), text=plain(one.text)) for one in subjects)
        scored = vote_score.model_dump()
        vote = Vote(id=uuid.uuid4().hex, created=self._clock(), subjects=plain_subjects, **scored, **given)
        with self._pool.write() as database:
            stored = tables(database).table("votes")
            if vote.verdict_id is None:
                stored.insert(_record(vote))
            else:
                stored.upsert(_record(vote), pk="verdict_id")
        return vote

    def get(self, verdict_id: str) -> Vote | None:
        """Return the vote on a verdict, if there is one."""
        return next(iter(self._read("WHERE verdict_id = ?", plain(verdict_id))), None)

    def remove(self, id: str) -> bool:
        """Remove the vote with this id, or on the verdict with this id; False if there is none."""
        with self._pool.write() as database:
            sql = "DELETE FROM votes WHERE verdict_id = :id OR id = :id"
            return bool(database.execute(sql, {"id": plain(id)}).rowcount)

    def count(self, *, but_for: str | None = None) -> int:
        """Return the number of votes: all, or those on the verdicts of other models than this one (its SHA-256)."""
        with self._pool.read() as database:
            sql = "SELECT count(*) FROM votes WHERE model_sha256 IS NOT ?"
            return int(database.execute(sql, (but_for,)).fetchone()[0])

    def find(self, model_sha256: str | None = None) -> list[Vote]:
        """Return votes, oldest first: all, or those on one model's verdicts."""
        given = () if model_sha256 is None else (model_sha256,)
        return self._read(f"{'WHERE model_sha256 = ?' if given else ''} ORDER BY created, seq", *given)

    def models(self) -> list[ModelRef]:
        """Return the models whose verdicts were voted on, the last used first."""
        # SQLite takes the bare column from the row that has the maximum.
        sql = "SELECT model_name, model_sha256, max(seq) AS last FROM votes GROUP BY model_sha256 ORDER BY last DESC"
        with self._pool.read() as database:
            return [ModelRef(name=name, sha256=sha256) for name, sha256, _ in database.execute(sql)]

    def delete_all(self) -> tuple[Vote, ...]:
        """Remove every vote, and return them: ``restore`` puts them back. The texts are overwritten in the file and its
        log. Raises ``E_HISTORY_LOCKED`` if another program keeps the log from being emptied; the votes are removed all
        the same."""
        with self._pool.write() as database:
            gone = _readable(database.execute(f"{_SELECT} ORDER BY created, seq"))
            database.execute("DELETE FROM votes")
        self._pool.forget()
        return gone

    def restore(self, votes: Iterable[Vote]) -> None:
        """Put back the votes that ``delete_all`` returned; a vote given meanwhile stays."""
        with self._pool.write() as database:
            tables(database).table("votes").insert_all(map(_record, votes), ignore=True)

    def _read(self, which: str, *parameters: str) -> list[Vote]:
        with self._pool.read() as database:
            return list(_readable(database.execute(f"{_SELECT} {which}", parameters)))


def export_votes(votes: Iterable[Vote], path: Path, *, replace: bool = False) -> int:
    """Write votes to ``path`` and return their number; the ending chooses the format: ``.csv`` for spreadsheets,
    ``.jsonl`` for scripts. An existing file stays until all is written. ``replace``: any file may be replaced. Raises
    ``UsageError`` ``E_EXPORT_FORMAT`` and the errors of ``write_export``."""
    rows = [
        _record(vote)
        | _beside(vote)
        | {"blind": vote.blind, "centred": vote.centred, "subjects": [one.model_dump() for one in vote.subjects]}
        for vote in votes
    ]
    match path.suffix.lower():
        case ".csv":
            lines = CsvLines()
            tables = ({**row, "blind": "yes" if row["blind"] else "no"} for row in rows)
            pieces = [lines.line(_EXPORTED), *(lines.line(row[name] for name in _EXPORTED) for row in tables)]
        case ".jsonl":
            pieces = [json_line(row) for row in rows]
        case _:
            sentence = f"The name {path.name} doesn't say which format is wanted."
            raise UsageError("E_EXPORT_FORMAT", sentence, "End it in .csv or .jsonl.")
    write_export(path, pieces, replace=replace)
    return len(rows)


def vote_object(vote: Vote) -> dict[str, Any]:
    """Return a vote as a JSON object for scripts."""
    return vote.model_dump(mode="json") | _beside(vote)


def _beside(vote: Vote) -> dict[str, Any]:
    """Return the derived fields that scripts and exports get beside the stored ones."""
    return {"measure": vote.measure, "text_a": vote.text_a, "text_b": vote.text_b}


def _record(vote: Vote) -> dict[str, Any]:
    return vote.model_dump(exclude={"model", "subjects"}) | {
        "created": stamp(vote.created),
        "blind": int(vote.blind),
        "centred": int(vote.centred),
        "model_name": vote.model.name,
        "model_sha256": vote.model.sha256,
        "subjects": json.dumps([one.model_dump() for one in vote.subjects], ensure_ascii=False),
    }


def _readable(rows: Iterable[tuple[Any, ...]]) -> tuple[Vote, ...]:
    """Return stored votes, without those that can't be read."""
    votes = []
    for values in rows:
        record = dict(zip(_COLUMNS, values, strict=True))
        with suppress(*BROKEN):
            record["model"] = ModelRef(name=record.pop("model_name"), sha256=record.pop("model_sha256"))
            votes.append(Vote.model_validate(record | {"subjects": json.loads(record["subjects"])}))
    return tuple(votes)
