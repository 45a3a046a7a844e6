"""Teaches one model: it reads texts, or is asked about them, one after another; heads are fitted to what was read, and
written with their card. What was read and answered is kept until a lesson is done, so that a job that was stopped or
closed continues where it was."""

from __future__ import annotations

import datetime
import hashlib
import json
import shutil
import zipfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, ClassVar, Generic, Literal, TypeVar

import numpy as np

from ..core.errors import EngineError, InputError, damaged
from ..core.events import Event, Stage, StageProgress, StageStarted
from ..core.files import atomic_write, atomic_writer, parse_json
from ..engine.base import CancelToken, Engine, Scan

T = TypeVar("T")
W = TypeVar("W")
Written = tuple[Callable[[IO[bytes]], None] | None, Mapping[str, Any]]
"""What writes a part's arrays, None where they weren't good enough to keep; and their card."""
Part = Literal["editor", "drafts", "sense", "plan"]
TOGETHER = 10
"""Number of texts read in one call: some 200 tokens fill a batch, and Stop and the progress bar react soon."""
TOO_MUCH = ("E_CONTEXT", "E_EMPTY")
"""Codes of the errors that concern one text only."""


def digest(text: str) -> str:
    """Return 32 hex digits that identify a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


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


def shipped_lines(path: Path, read: Callable[[Any], T]) -> list[T]:
    """Return the result of ``read`` for each JSON line of a file that comes with the program. Raises ``ModelError``
    ``E_FILE_DAMAGED``."""
    try:
        rows = [read(parse_json(line)) for line in path.read_bytes().decode("utf-8").split("\n") if line.strip()]
        if not rows:
            raise ValueError("it is empty")
        return rows
    except (OSError, ValueError, KeyError, TypeError, AttributeError, InputError) as error:
        raise damaged(path, error) from error


def save_head(
    heads: Path, cards: Path, sha256: str, write: Callable[[IO[bytes]], None], card: Mapping[str, Any]
) -> None:
    """Write heads and their card to two folders, both or neither. Raises ``SettingsError``."""
    stem = sha256[:16]
    # The inner file is renamed first: if that fails, the outer one isn't.
    with atomic_writer(cards / f"{stem}.json") as outer, atomic_writer(heads / f"{stem}.npz") as inner:
        write(inner)
        outer.write((json.dumps(card, indent=1, ensure_ascii=False) + "\n").encode("utf-8"))


class Learned(Event):
    """A part was learned; ``card``: its figures, of the plan what it costs; ``kept``: verdicts use it from now on."""

    part: Part
    card: Mapping[str, Any]
    kept: bool = True


class Lesson(ABC, Generic[W]):
    """Heads that are learned from ``texts``. ``note`` is shown while they are read."""

    part: ClassVar[Part]
    note: ClassVar[str]
    texts: Sequence[str]

    @abstractmethod
    def row(self, text: str, scan: Scan) -> W:
        """Return what is kept of a text that the model read."""

    @abstractmethod
    def fit(self, rows: Sequence[W | None], teacher: Teacher) -> Generator[Event, None, Written]:
        """Fit and measure heads. ``rows``: of each text, None for one that the model can't read. Raises ``InputError``
        ``E_FIT_FEW`` for too few."""


class Teacher:
    """One model, and the folder (``cache``) in which states and answers are kept until they aren't needed."""

    def __init__(self, engine: Engine, cache: Path, cancel: CancelToken | None = None) -> None:
        self.engine, self.sha256, self.token = engine, engine.info.sha256, cancel or CancelToken()
        self._cache = cache

    @property
    def folder(self) -> Path:
        return self._cache / self.sha256[:16]

    def teach(self, lesson: Lesson[Any], own: Path) -> Iterator[Event]:
        """Read the lesson's texts, fit, and write heads and card to the folder ``own``, or the card alone; the last
        event is ``Learned``. Raises what the lesson and the engine raise, ``Cancelled``, and ``SettingsError`` when it
        can't be written; a text too long for the model is left out."""
        yield StageStarted(stage=Stage.FITTING, total=len(lesson.texts))
        rows = yield from read_texts(lesson.texts, self.reader(lesson.part), lesson.row, lesson.note, self.token)
        write, card = yield from lesson.fit(rows, self)
        card = {"model": {"name": self.engine.info.name, "sha256": self.sha256}, "date": today(), **card}
        self.token.check()
        if write is not None:
            save_head(own, own, self.sha256, write, card)
        else:
            (own / f"{self.sha256[:16]}.npz").unlink(missing_ok=True)
            atomic_write(own / f"{self.sha256[:16]}.json", json.dumps(card, indent=1, ensure_ascii=False) + "\n")
        self.forget(lesson.part)
        yield Learned(part=lesson.part, card=card, kept=write is not None)

    def reader(self, part: Part) -> Callable[[Sequence[str], CancelToken], list[Scan | None]]:
        """Return a function that scans texts, or takes their scans from the cache."""
        return lambda texts, token: _scans(self.engine, self.folder / part, texts, token)

    def forget(self, part: Part) -> None:
        """Delete what was kept for a part."""
        shutil.rmtree(self.folder / part, ignore_errors=True)
        with suppress(OSError):  # other parts were begun
            self.folder.rmdir()


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
    rows: list[W | None] = []
    for start in range(0, len(texts), TOGETHER):
        token.check()
        part = texts[start : start + TOGETHER]
        for text, result in zip(part, read(part, token), strict=True):
            rows.append(None if result is None else use(text, result))
        yield progress(len(rows), len(texts), note)
    return rows


def ask_each(
    items: Iterable[W],
    ask: Callable[[W], T],
    note: str,
    wanted: int,
    token: CancelToken,
    after: Callable[[list[tuple[W, T]]], bool] = lambda _rows: False,
) -> Generator[Event, None, list[tuple[W, T]]]:
    """Ask about items in turn, without those too long for the model, and return the first ``wanted``, each with its
    answer; ends earlier where ``after``, called with the answers so far, returns True."""
    rows: list[tuple[W, T]] = []
    yield StageStarted(stage=Stage.FITTING, total=wanted)
    for item in items:
        token.check()
        try:
            rows.append((item, ask(item)))
        except EngineError as error:
            if error.code not in TOO_MUCH:
                raise
            continue
        yield progress(len(rows), wanted, note)
        if len(rows) >= wanted or after(rows):
            break
    return rows


# -- what is kept ------------------------------------------------------------------------------------------------------


def pack(scans: Sequence[Scan | None], states: type[np.floating] = np.float32) -> dict[str, Any]:
    """Return scans as arrays for a file: ``ends`` of each in the others, None having no length."""
    read = [scan for scan in scans if scan is not None]
    size = read[0].states.shape[1] if read else 0
    return {
        "ends": np.cumsum([0 if scan is None else len(scan.spans) for scan in scans]),
        "states": np.concatenate([np.zeros((0, size), states), *(scan.states.astype(states) for scan in read)]),
        "logprobs": np.concatenate([np.zeros(0, np.float32), *(scan.logprobs for scan in read)]).astype(np.float32),
        "spans": np.array([span for scan in read for span in scan.spans], dtype=np.int32).reshape(-1, 2),
    }


def unpack(arrays: Mapping[str, Any]) -> list[Scan | None]:
    """Return the scans that were packed."""
    states, logprobs, spans, ends = (arrays[name] for name in ("states", "logprobs", "spans", "ends"))
    parts = [slice(int(start), int(end)) for start, end in zip([0, *ends[:-1]], ends, strict=True)]
    return [
        Scan(states[at], logprobs[at], tuple((int(a), int(b)) for a, b in spans[at])) if at.stop > at.start else None
        for at in parts
    ]


def _scans(engine: Engine, folder: Path, texts: Sequence[str], token: CancelToken) -> list[Scan | None]:
    """Return the model's scan of each text, from the folder if it is there; None for one that it can't read."""
    path = folder / f"{digest(chr(0).join(texts))}.npz"
    damage = (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile)
    with suppress(*damage), path.open("rb") as kept, np.load(kept) as shard:
        return unpack(shard)
    scans = read_each(engine.scan_together, texts, token)
    with atomic_writer(path) as stream:
        np.savez(stream, allow_pickle=False, **pack(scans))
    return scans
