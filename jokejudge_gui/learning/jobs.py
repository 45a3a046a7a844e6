"""Functions that all training jobs share.

Texts are read, or asked about, one after another, and those too long for the model are left out; results are kept in
files, so that a stopped job continues where it was; heads are written with their card."""

from __future__ import annotations

import datetime
import hashlib
import json
import zipfile
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, TypeVar

import numpy as np
from pydantic import TypeAdapter, ValidationError

from ..core.errors import EngineError, InputError, ModelError, SettingsError
from ..core.events import Event, Stage, StageProgress
from ..core.files import atomic_write, atomic_writer, parse_json
from ..engine.base import CancelToken, Engine, Scan

T = TypeVar("T")
W = TypeVar("W")
TOGETHER = 10
"""Number of texts read in one call: some 200 tokens fill a batch, and Stop and the progress bar react soon."""
TOO_MUCH = ("E_CONTEXT", "E_EMPTY")
"""Codes of the errors that concern one text only."""


def digest(text: str) -> str:
    """Return 32 hex digits that identify a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def kept_path(cache: Path, sha256: str, job: str) -> Path:
    """Return the file of the results that a job has ``ResultCache`` for a model."""
    return cache / f"{sha256[:16]}-{job}.jsonl"


def mixed(texts: Sequence[str]) -> list[int]:
    """Return the indices of texts in an order independent of their content."""
    return sorted(range(len(texts)), key=lambda place: digest(texts[place]))


def today() -> str:
    """Return today's date in UTC, as on cards."""
    return datetime.datetime.now(datetime.UTC).date().isoformat()


def progress(done: int, total: int, note: str) -> StageProgress:
    """Return a progress event."""
    return StageProgress(stage=Stage.FITTING, done=done, total=total, note=note)


def too_few(read: str, purpose: str, least: int) -> InputError:
    """Return an error. ``read``: a number of texts, in words; ``purpose``: the thing that they are too few for."""
    return InputError(
        "E_FIT_FEW",
        f"The model could read {read}: too few to {purpose}.",
        f"It takes at least {least}; choose a model with a larger context.",
    )


def shipped_lines(path: Path, what: str, read: Callable[[Any], T]) -> list[T]:
    """Return the result of ``read`` for each JSON line of a file that comes with the program. Raises ``ModelError``
    ``E_VOTES_DAMAGED``."""
    try:
        found = [read(parse_json(line)) for line in path.read_text("utf-8").splitlines() if line.strip()]
        if not found:
            raise ValueError("it is empty")
        return found
    except (OSError, ValueError, KeyError, TypeError, AttributeError, InputError) as error:
        raise ModelError(
            "E_VOTES_DAMAGED", f"The {what} in {path.name} can't be read ({error}).", "Install the program again."
        ) from error


def save_head(
    heads: Path, cards: Path, sha256: str, write: Callable[[IO[bytes]], None], card: Mapping[str, Any]
) -> None:
    """Write heads and their card to two folders, both or neither. Raises ``SettingsError``."""
    stem = sha256[:16]
    # The inner file is renamed first: if that fails, the outer one isn't.
    with atomic_writer(cards / f"{stem}.json") as outer, atomic_writer(heads / f"{stem}.npz") as inner:
        write(inner)
        outer.write((json.dumps(card, indent=1, ensure_ascii=False) + "\n").encode("utf-8"))


# -- one text after another --------------------------------------------------------------------------------------------


def read_each(
    read: Callable[[Sequence[str], CancelToken], Sequence[T]], texts: Sequence[str], token: CancelToken
) -> list[T | None]:
    """Return the result of ``read`` for each text; None for one that is too long for the model, or has no token. Raises
    all other errors of ``read``."""
    try:
        return [*read(texts, token)]
    except EngineError as error:
        if error.code not in TOO_MUCH:
            raise
        return [None] if len(texts) == 1 else [read_each(read, [text], token)[0] for text in texts]


def read_texts(
    texts: Sequence[str],
    read: Callable[[Sequence[str], CancelToken], Sequence[T | None]],
    use: Callable[[str, T], W | None],
    note: str,
    token: CancelToken,
) -> Generator[Event, None, list[W | None]]:
    """Return the result of ``use`` for each text and the result of ``read``; None for one that can't be read."""
    found: list[W | None] = []
    for start in range(0, len(texts), TOGETHER):
        token.check()
        part = texts[start : start + TOGETHER]
        for text, each in zip(part, read(part, token), strict=True):
            found.append(None if each is None else use(text, each))
        yield progress(len(found), len(texts), note)
    return found


def ask_each(
    items: Iterable[W],
    ask: Callable[[W], T],
    note: str,
    wanted: int,
    token: CancelToken,
    after: Callable[[list[tuple[W, T]]], bool] = lambda _found: False,
) -> Generator[Event, None, list[tuple[W, T]]]:
    """Ask about items in turn, without those too long for the model, and return the first ``wanted``, each with its
    answer; ends earlier where ``after``, called with the answers so far, returns True."""
    found: list[tuple[W, T]] = []
    for item in items:
        token.check()
        try:
            found.append((item, ask(item)))
        except EngineError as error:
            if error.code not in TOO_MUCH:
                raise
            continue
        yield progress(len(found), wanted, note)
        if len(found) >= wanted or after(found):
            break
    return found


# -- kept results ------------------------------------------------------------------------------------------------------

_MOST_BYTES = 8 << 20


class ResultCache:
    """Results by name, in a file with one JSON line each; a file with another ``mark`` isn't used. A line that was cut
    off, or is invalid, is ignored."""

    def __init__(self, path: Path, mark: str) -> None:
        self._path, self._mark = path, mark
        self._rows: dict[str, Any] = {}
        self._begun = False
        try:
            first, *lines = path.read_bytes().split(b"\n") if path.stat().st_size <= _MOST_BYTES else [b"{}"]
            self._begun = parse_json(first) == {"mark": mark}
        except (OSError, ValueError):
            return
        for line in lines if self._begun else ():
            try:
                row: Any = parse_json(line)
                self._rows[row["of"]] = row["found"]
            except (ValueError, KeyError, TypeError):
                continue

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self._rows)

    def get(self, name: str, kind: TypeAdapter[T], find: Callable[[], T]) -> T:
        """Return the result kept under a name; if there is none, the result of ``find``, which is kept. Raises what it
        raises, and ``SettingsError`` ``E_WRITE``."""
        if name in self._rows:
            try:
                return kind.validate_python(self._rows[name])
            except ValidationError:
                pass
        found = find()
        self._rows[name] = kind.dump_python(found, mode="json")
        self._add({"of": name, "found": self._rows[name]})
        return found

    def drop(self) -> None:
        """Delete the file: the job is done."""
        self._path.unlink(missing_ok=True)

    def _add(self, row: Mapping[str, object]) -> None:
        try:
            # Another run for the same model may have finished, and deleted it.
            if not self._begun or not self._path.is_file():
                self._path.parent.mkdir(parents=True, exist_ok=True)
                atomic_write(self._path, json.dumps({"mark": self._mark}) + "\n")
                self._begun = True
            # A line that was cut off when the program ended isn't whole; the next one begins on a line of its own.
            with self._path.open("r+b") as stream:
                end = stream.seek(0, 2)
                stream.seek(max(0, end - 1))
                broken = stream.read(1) not in (b"\n", b"")
                stream.write((b"\n" if broken else b"") + json.dumps(row).encode("utf-8") + b"\n")
        except OSError as error:
            raise SettingsError(
                "E_WRITE", f"{self._path} can't be written ({error.strerror or error}).", "Free some disk space."
            ) from error


def scans(engine: Engine, folder: Path, texts: Sequence[str], token: CancelToken) -> list[Scan | None]:
    """Return the model's scan of each text, from the folder if it is there; None for one that it can't read."""
    path = folder / f"{digest(chr(0).join(texts))}.npz"
    kept = _load(path, len(texts), engine.info.embedding_size)
    if kept is None:
        kept = read_each(engine.scan_together, texts, token)
        folder.mkdir(parents=True, exist_ok=True)
        with atomic_writer(path) as stream:
            np.savez(stream, allow_pickle=False, **_arrays(kept, engine.info.embedding_size))
    return kept


def _arrays(scans: Sequence[Scan | None], size: int) -> dict[str, Any]:
    read = [scan for scan in scans if scan is not None]
    return {
        "lengths": np.array([0 if scan is None else len(scan.spans) for scan in scans], dtype=np.int32),
        "states": np.concatenate([np.zeros((0, size), np.float32), *(scan.states for scan in read)]),
        "logprobs": np.concatenate([np.zeros(0, np.float32), *(scan.logprobs for scan in read)]).astype(np.float32),
        "spans": np.array([span for scan in read for span in scan.spans], dtype=np.int32).reshape(-1, 2),
    }


def _load(path: Path, count: int, size: int) -> list[Scan | None] | None:
    """Return the scans of ``count`` texts; None where the file is missing or can't be used."""
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as shard:
            lengths, states = shard["lengths"], shard["states"]
            logprobs, spans = shard["logprobs"], shard["spans"]
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None
    if lengths.shape != (count,) or lengths.dtype != np.int32 or (lengths < 0).any():
        return None
    total = int(lengths.sum())
    if (states.shape, logprobs.shape, spans.shape) != ((total, size), (total,), (total, 2)):
        return None
    if (states.dtype, logprobs.dtype, spans.dtype) != (np.float32, np.float32, np.int32):
        return None
    found: list[Scan | None] = []
    ends = np.cumsum(lengths)
    for end, length in zip(ends, lengths, strict=True):
        some = slice(end - length, end)
        places = tuple((int(first), int(last)) for first, last in spans[some])
        found.append(Scan(states[some], logprobs[some], places) if length else None)
    return found
