"""Watching a folder: each text file in it is a joke, judged when it is new or has changed."""

from __future__ import annotations

import hashlib
import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..core.errors import InputError, JokeJudgeError, info
from ..core.events import Cancelled, Event, Failed, Finished
from ..core.files import atomic_write, parse_json
from ..core.outputs import foreign_file
from ..core.tables import MOST_TEXT, decode_list, read_bytes
from ..core.texts import json_line
from ..engine.base import CancelToken
from ..session.session import Session
from .batch import OutFile, Row, batch_made_by, judged_line
from .build import difference

SUFFIXES = (".txt", ".md")
BESIDE = ".verdict.json"
"""The ending that is appended to a file's whole name for its verdict."""
LOOK_S = 1.0
"""Seconds between two looks at the folder. A file changed more recently is left for the next look, as it may still be
being written."""
_MOST_VERDICT = 16 << 20
_Stamp = tuple[int, int]


class FileJudged(Event):
    """A file was judged. ``line``: its line, with ``error`` where it couldn't be judged; ``done``: the number of files
    so far."""

    name: str
    line: dict[str, Any]
    done: int


class Waiting(Event):
    """All files are judged: ``done`` in this run, ``skipped`` already had their verdict."""

    done: int
    skipped: int


class VerdictFiles:
    """Writes each verdict to a file of its own beside its joke. Raises ``OutputError`` ``E_OUT_FOREIGN`` where another
    program's file has that name, and what writing raises."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def has(self, name: str, text: str, made: dict[str, str]) -> bool:
        """Whether this text has a verdict that would be made the same way now."""
        path = self._path(name)
        try:
            if path.stat().st_size > _MOST_VERDICT:
                raise ValueError("too large")
            found = parse_json(path.read_bytes())
            kept = found["made_by"], found["watched"]["sha256"]
        except FileNotFoundError:
            return False
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise foreign_file(path) from error
        return kept[1] == _digest(text) and difference(_lasting(kept[0]), made) is None

    def put(self, name: str, text: str, line: dict[str, Any]) -> None:
        """Write a verdict."""
        value = line | {"watched": {"file": name, "sha256": _digest(text)}}
        atomic_write(self._path(name), json_line(value))

    def close(self) -> None:
        """Do nothing, as nothing is open."""

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}{BESIDE}"


class LinesOutput(OutFile):
    """Writes all verdicts to one file of lines. For a changed file the last line is its verdict."""

    def __init__(self, path: Path) -> None:
        self._newest: dict[str, str] = {}
        super().__init__(path, "rate")

    def _check(self, value: dict[str, Any]) -> None:
        watched = value.get("watched")
        if isinstance(watched, dict) and isinstance(value["id"], str):
            self._newest[value["id"]] = str(watched.get("sha256"))

    def knows(self, name: str, text: str, made: dict[str, str]) -> bool:
        """Whether this text has a verdict, as ``VerdictFiles.has``. Raises ``UsageError`` ``E_BATCH_MIXED`` where the
        lines were made differently."""
        self.check({key: value for key, value in made.items() if key != "build"})
        return self._newest.get(name) == _digest(text)

    def put(self, name: str, text: str, line: dict[str, Any]) -> None:
        """Add a line."""
        self._newest[name] = _digest(text)
        self.append(line | {"watched": {"file": name, "sha256": _digest(text)}})


def watch(
    session: Session,
    folder: Path,
    verdicts: VerdictFiles | LinesOutput,
    *,
    force: bool = False,
    listeners: tuple[str, ...] | None = None,
    context: str = "",
    generator: str = "",
    record: bool = True,
    cancel: CancelToken,
    look_s: float = LOOK_S,
) -> Iterator[Event]:
    """Judge the folder's files (``SUFFIXES``, not in subfolders) as they come, until ``cancel`` is set, which ends it
    with ``Finished``. Yields the model's loading, ``FileJudged`` and ``Waiting``; ``Failed`` for an error that concerns
    every file. A file that can't be judged gets a verdict with its error, and is tried again when it changes."""
    done = skipped = 0
    seen: dict[str, _Stamp] = {}
    try:
        if session.model is None:
            for event in session.load(cancel=cancel):
                if isinstance(event, Failed | Cancelled):
                    yield event if isinstance(event, Failed) else Finished()
                    return
                if not isinstance(event, Finished):
                    yield event
        made = batch_made_by(session, "rate", listeners)
        while not cancel.cancelled:
            for name, stamp in _files(folder, look_s):
                if seen.get(name) == stamp or cancel.cancelled:
                    continue
                row = _row(folder, name, context, generator)
                text = row.texts[0] or ""
                has = verdicts.has if isinstance(verdicts, VerdictFiles) else verdicts.knows
                if has(name, text, made):
                    seen[name] = stamp
                    skipped += 1
                    continue
                line = judged_line(
                    session, "rate", row, None, force=force, listeners=listeners, record=record, cancel=cancel
                )
                if isinstance(line, Failed):
                    yield line
                    return
                if isinstance(line, Cancelled):
                    break
                verdicts.put(name, text, line | {"made_by": made})
                seen[name] = stamp
                done += 1
                yield FileJudged(name=name, line=line, done=done)
            yield Waiting(done=done, skipped=skipped)
            cancel.wait(look_s)
    except JokeJudgeError as error:
        yield Failed(error=info(error))
        return
    yield Finished()


def _files(folder: Path, look_s: float) -> Iterator[tuple[str, _Stamp]]:
    """Yield names and stamps of the files that haven't changed since the last look, by name."""
    now = time.time()
    try:
        names = sorted(name for name in os.listdir(folder) if name.lower().endswith(SUFFIXES) and name[0] != ".")
    except OSError as error:
        raise InputError(
            "E_WATCH_FOLDER", f"The folder {folder} can't be read: {error.strerror or error}.", "Check its name."
        ) from error
    for name in names:
        try:
            found = (folder / name).stat()
        except OSError:
            continue  # removed meanwhile
        if stat.S_ISREG(found.st_mode) and not 0 <= now - found.st_mtime < look_s:
            yield name, (found.st_mtime_ns, found.st_size)


def _row(folder: Path, name: str, context: str, generator: str) -> Row:
    shown = name.encode("utf-8", "replace").decode("utf-8")
    try:
        text = decode_list(read_bytes(str(folder / name), MOST_TEXT), name).strip()
    except InputError as error:
        return Row(line=1, id=shown, texts=("",), problem=info(error), generator=generator, context=context)
    return Row(line=1, id=shown, texts=(text,), generator=generator, context=context)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _lasting(made: dict[str, str]) -> dict[str, str]:
    """Return ``made`` without the program's build, which alone doesn't make a verdict outdated."""
    return {name: value for name, value in made.items() if name != "build"}
