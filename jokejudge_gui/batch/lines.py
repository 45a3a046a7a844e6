"""Long runs: rows in, a line of JSON for each in a file that any stop leaves whole and the same call continues.

``RowsFile`` is the file, which knows which rows have their line; ``each_row`` asks about the others, one after another;
``Shard`` divides the rows among processes or machines.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, TypeVar

from .. import __version__
from ..core.errors import ErrorInfo, OutputError, UsageError
from ..core.events import Cancelled, Event, Failed, Finished, Last, RowBegun, last_event, last_of
from ..core.files import atomic_writer, locked, parse_json
from ..core.outputs import write_export
from ..core.texts import json_line

Line = dict[str, Any]
_SYNC_LINES = 20
_SYNC_S = 5.0
_MOST_LINE = 16 << 20
_WORDS = {
    "build": "build of the program",
    "plan": "plan of what is asked",
    "criteria": "criteria or prompts",
    "pack": "pack of judge templates",
    "asked": "choice of questions",
    "listeners": "choice of listeners",
}
"""Each name in words, where these differ."""
_OPENING = b'{"id": null, "run": "'


def difference(one: Mapping[str, str], other: Mapping[str, str]) -> str | None:
    """Return in words the first difference between two results of ``made_by`` in the keys that both have; None where
    they agree."""
    for name, value in one.items():
        if name in other and other[name] != value:
            return _WORDS.get(name, name)
    return None


class Out:
    """The output of a run over rows; this one keeps nothing: the lines go with the events alone."""

    def has(self, row: Any) -> bool:
        """Whether the row has its line."""
        return False

    def earlier(self, row: Any) -> Line:
        """Return the line of a row that has one."""
        raise KeyError(row.id)

    def check(self, made_by: Mapping[str, Any], *, adding: bool = True) -> None:
        """Raise ``UsageError`` where earlier lines depend on anything else than ``made_by``. Where no line is added
        (``adding``), another build of the program doesn't matter."""

    def append(self, line: Line) -> None:
        """Add a line."""

    def close(self) -> None:
        """Close it after the last line."""


class StandardOut(Out):
    """Standard output, which can't be continued."""

    def append(self, line: Line) -> None:
        write_export(Path("-"), [json_line(line)])


DUPLICATE = "E_BATCH_DUPLICATE_ID"


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a list. ``problem``: why it can't be judged, known before any model is asked; ``generator``: the model
    that wrote its texts, empty where unknown; ``context``: their topic or scene; ``columns``: all other columns."""

    line: int
    id: str | None
    texts: tuple[str | None, ...]
    problem: ErrorInfo | None = None
    generator: str = ""
    context: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)


def row_key(id: str, texts: Sequence[str | None], context: str = "") -> int:
    """Return a number that stands for a row's id, texts and context, whatever the form of their line ends."""
    plain = ((text or "").replace("\r\n", "\n").replace("\r", "\n").strip().lstrip("\ufeff").strip() for text in texts)
    return short_key("\0".join((id, *plain, " ".join(context.split()))))


def _key(id: str | None, texts: Sequence[str | None], context: str, error: ErrorInfo | None) -> int:
    """Return the key of a row's line: an error line of a row without an id of its own is known by its sentence."""
    if id is None or (error is not None and error.code == DUPLICATE):
        return short_key(f"{id or ''}\0{error.sentence if error else ''}")
    return row_key(id, texts, context)


def short_key(text: str) -> int:
    """Return 64 bits of a digest of a text: there may be millions of them."""
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


class RowList(list[Row]):
    """The rows of a run. ``ids``: the first line of each id; ``keys``: their ``row_key``, None: texts aren't
    compared."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: dict[str, int] = {}

    @property
    def keys(self) -> set[int] | None:
        return None


class RowsFile(Out):
    """The file of a run over rows: JSON lines, each written whole or not at all, and synced to the disk every few
    seconds. Its first line names the ``run``, by which it is known as ours; the files of a run's parts may be written
    one behind another. ``fields``: the names of the texts in a line.

    Opening it locks it, reads which rows have their line, and cuts off an unfinished last line. It removes the lines of
    these ``rows`` whose texts have changed, and with ``retry_errors`` their error lines. Raises ``UsageError`` for a
    file of another run or program (``E_BATCH_OUT``), or where most of the verdicts on these ids are on other texts
    (``E_OUT_FOREIGN``): it stays as it is; and ``OutputError`` for one that can't be written, isn't a plain file, or is
    being written by another run."""

    def __init__(
        self,
        path: Path,
        run: str,
        fields: Sequence[str] = (),
        rows: RowList | None = None,
        *,
        retry_errors: bool = False,
    ) -> None:
        self.path, self.run, self._fields, self._rows, self._retries = path, run, fields, rows, retry_errors
        self._head = json.dumps({"id": None, "run": run, "program": __version__, "error": None}).encode() + b"\n"
        self._size, self._unsynced, self._synced = 0, 0, time.monotonic()
        self._made: dict[str, dict[str, Any]] = {}
        self._places: dict[int, int] = {}
        """The places of lines in the file, by their rows' keys."""
        try:
            self._stream = self._opened()
        except (OSError, ValueError) as error:
            raise _unwritable(path, error) from error
        try:
            if dropped := self._recover():
                self._remove(dropped)
        except BaseException as error:
            self._stream.close()
            if isinstance(error, OSError):
                raise _unwritable(path, error) from error
            raise

    def has(self, row: Row) -> bool:
        return _key(row.id, row.texts, row.context, row.problem) in self._places

    def earlier(self, row: Row) -> Line:
        self._stream.seek(self._places[_key(row.id, row.texts, row.context, row.problem)])
        line: Line = parse_json(self._stream.readline())
        return line

    def check(self, made_by: Mapping[str, Any], *, adding: bool = True) -> None:
        made_by = {name: value for name, value in made_by.items() if adding or name != "build"}
        for earlier in self._made.values():
            if (what := difference(earlier, made_by)) is not None:
                raise UsageError(
                    "E_BATCH_MIXED",
                    f"{self.path} holds verdicts of another {what}, which can't be mixed with these.",
                    f"Give --out a new name, or use the same {what} as before.",
                )

    def append(self, line: Line) -> None:
        """Write one line; where the disk is full, nothing of it stays."""
        try:
            if not self._size:
                self._write(self._head)
            self._write(json_line(line))
            self._unsynced += 1
            if self._unsynced >= _SYNC_LINES or time.monotonic() - self._synced > _SYNC_S:
                self._sync()
        except OSError as error:
            raise _unwritable(self.path, error) from error

    def close(self) -> None:
        """Sync and close."""
        try:
            if self._unsynced:
                self._sync()
        except OSError as error:
            raise _unwritable(self.path, error) from error
        finally:
            self._stream.close()

    def _opened(self) -> IO[bytes]:
        """Open the file for reading and appending, and lock it; a new one is private to its user."""
        with suppress(FileNotFoundError):
            if not stat.S_ISREG(self.path.stat().st_mode):
                raise OSError(0, "it isn't a plain file")
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
        stream = os.fdopen(os.open(self.path, flags, 0o600), "ab+")
        if not locked(stream.fileno()):
            stream.close()
            raise OutputError(
                "E_BATCH_BUSY", f"Another batch is writing {self.path}.", "Wait for it, or give --out another name."
            )
        return stream

    def _recover(self) -> set[int]:
        """Read the lines of an earlier run, cut off an unfinished one; return the numbers of those to be removed."""
        self._stream.seek(0)
        self._size, number, dropped = 0, 0, set[int]()
        self._same = self._changed = 0
        while line := self._stream.readline(_MOST_LINE):
            number += 1
            if not line.endswith(b"\n"):
                begun = len(line) > len(_OPENING) and self._head.startswith(line)
                if len(line) == _MOST_LINE or (number == 1 and not begun):
                    raise self._foreign(number)
                break
            try:
                value = parse_json(line)
                if (number == 1 or "run" in value) and value["run"] != self.run:
                    raise ValueError("another run")
                if number > 1 and not self._keeps(value):
                    dropped.add(number)
                elif isinstance(made := value.get("made_by"), dict):
                    self._made.setdefault(json.dumps(made), made)
            except (ValueError, KeyError, TypeError) as fault:
                if line.find(_OPENING + f'{self.run}"'.encode()) <= 0:
                    raise self._foreign(number) from fault
                dropped.add(number)  # the last line of a part that was stopped, cut off, and the next part's first one
            self._size += len(line)
        if self._changed > self._same:
            raise UsageError(
                "E_OUT_FOREIGN",
                f"{self.path} was written for another list: most rows of the same ids have other texts there.",
                "Choose another --out.",
            )
        if os.fstat(self._stream.fileno()).st_size != self._size:
            self._stream.truncate(self._size)
        self._stream.seek(0, os.SEEK_END)
        return dropped

    def _keeps(self, line: Line) -> bool:
        """Take in the line of an earlier run; return False where it is to be removed. Raises ``ValueError``,
        ``KeyError`` or ``TypeError`` for a line of anything else."""
        if "run" in line:
            return False  # of another part
        id, texts, context = line["id"], [line[name] for name in self._fields], line.get("context") or ""
        error = None if line["error"] is None else ErrorInfo.model_validate(line["error"])
        if not isinstance(id, str | None) or not all(isinstance(text, str | None) for text in texts):
            raise ValueError("it has no id, or no texts")
        if self._rows is not None and id in self._rows.ids:
            keys = self._rows.keys
            changed = keys is not None and row_key(id or "", texts, context) not in keys
            self._same += not changed
            self._changed += changed and error is None
            if changed or (self._retries and error is not None):
                return False
        self._places[_key(id, texts, context, error)] = self._size
        return True

    def _foreign(self, number: int) -> UsageError:
        what = f"Line {number} of {self.path} isn't a line of such a run, so nothing was written to the file."
        return UsageError("E_BATCH_OUT", what, "Give --out a new name.")

    def _remove(self, dropped: set[int]) -> None:
        self._stream.seek(0)
        with atomic_writer(self.path) as fresh:
            fresh.writelines(line for number, line in enumerate(self._stream, start=1) if number not in dropped)
        self._stream.close()
        self._stream = self._opened()
        self._recover()

    def _write(self, data: bytes) -> None:
        descriptor = self._stream.fileno()
        done = 0
        try:
            while done < len(data):
                done += os.write(descriptor, data[done:])
        except OSError:
            with suppress(OSError):
                os.ftruncate(descriptor, self._size)
            raise
        self._size += len(data)

    def _sync(self) -> None:
        os.fsync(self._stream.fileno())
        self._unsynced, self._synced = 0, time.monotonic()


def _unwritable(path: Path, error: OSError | ValueError) -> OutputError:
    return OutputError(
        "E_BATCH_OUT",
        f"{path} can't be written: {getattr(error, 'strerror', None) or error}.",
        "Choose a folder that you may write to, or free some space; then the batch goes on from there.",
    )


@dataclass
class Tally:
    """Counts of rows. ``skipped``: rows that already had a line; ``errors``: rows whose line is an error."""

    rows: int
    skipped: int = 0
    judged: int = 0
    errors: int = 0

    def count(self, line: Mapping[str, Any]) -> None:
        """Count a line that was written."""
        if line["error"] is None:
            self.judged += 1
        else:
            self.errors += 1

    @property
    def done(self) -> int:
        return self.judged + self.errors

    @property
    def left(self) -> int:
        return self.rows - self.skipped - self.done


R = TypeVar("R", bound=Row)


def counted(rows: Iterable[R], out: Out) -> Tally:
    """Return the number of rows, and of those that have a line."""
    tally = Tally(rows=0)
    for row in rows:
        tally.rows += 1
        tally.skipped += out.has(row)
    return tally


class RowDone(Event):
    """A row has its ``line``."""

    line: Line


@last_event
def each_row(
    rows: Iterable[R],
    ask: Callable[[R], Iterator[Event]],
    line: Callable[[R, Last], Line],
    out: Out,
    tally: Tally,
    *,
    shown: Callable[[Event], bool] = lambda _event: False,
    again: bool = False,
) -> Iterator[Event]:
    """Ask about each row that has no line in ``out``, one after another, and write its line.

    ``ask(row)`` is a job, such as ``Session.ask``: its last event becomes the row's ``line(row, last)``, also where it
    has ``Failed`` by this row's own fault. A row with a ``problem`` isn't asked about. ``tally``, from ``counted``, is
    kept up to date. ``shown``: the events of the jobs to pass on; ``again``: also yield ``RowDone`` for the rows that
    had their line.

    Yields ``RowBegun`` before each row, ``RowDone`` after it, and one last event: ``Finished`` when every row has its
    line, ``Failed`` for an error that concerns all further rows, ``Cancelled``. After the last two the same call with
    the file opened anew continues where this one stopped."""
    todo, began = tally.left, time.monotonic()
    for row in rows if todo or again else ():
        if out.has(row):
            if again:
                yield RowDone(line=out.earlier(row))
            continue
        yield RowBegun(id=row.id, done=tally.done, total=todo, seconds=time.monotonic() - began)
        if row.problem is not None:
            last: Last = Failed(error=row.problem)
        else:
            last = yield from last_of(ask(row), shown)
            if isinstance(last, Cancelled) or (isinstance(last, Failed) and last.error.ends_the_run):
                yield last
                return
        value = line(row, last)
        out.append(value)
        tally.count(value)
        yield RowDone(line=value)
    yield Finished()


_FORM = re.compile(r"([0-9]{1,6})/([0-9]{1,6})")


@dataclass(frozen=True)
class Shard:
    """Part ``k`` (from 1) of ``n``. A row's part depends on its name alone, not on its position."""

    k: int
    n: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Parse ``K/N``. Raises ``UsageError`` ``E_SHARD``."""
        parts = _FORM.fullmatch(text.strip())
        k, n = (int(parts[1]), int(parts[2])) if parts else (0, 0)
        if not 1 <= k <= n:
            raise UsageError(
                "E_SHARD", f"{text!r} is no part of a run.", "Give it as K/N with K from 1 to N, such as --shard 2/8."
            )
        return cls(k, n)

    def holds(self, name: str | None) -> bool:
        """Whether a row with this name (its id, or its text) belongs to this part; rows without one belong to the
        first."""
        if name is None:
            return self.k == 1
        digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()
        return int.from_bytes(digest[:8], "big") % self.n == self.k - 1
