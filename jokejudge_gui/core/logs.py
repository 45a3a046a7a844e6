"""The program's log: actions and errors by category, in a file of the cache folder.

Loggers are named ``jokejudge.<category>``: session, model, history, runs, terminal, window. No user text is logged:
messages hold codes, ids, counts, hashes and times, and for an unexpected error only its class and the place where it
was raised, because its message may quote a text. The same applies to the sentence of an expected error.
"""

from __future__ import annotations

import logging
import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import IO, Any

from .files import private_folder
from .paths import Profile

_ROOT = "jokejudge"
logging.getLogger(_ROOT).addHandler(logging.NullHandler())  # without it, Python would print errors to stderr by itself
_MOST_BYTES = 1 << 20
_OLDER = 3
_MOST_CAUSES, _MOST_FRAMES = 10, 100
_FORMAT = "%(asctime)s %(levelname)-7s %(name)s %(message)s"


def log(category: str) -> logging.Logger:
    """Return the logger of a category."""
    return logging.getLogger(f"{_ROOT}.{category}")


def report_of(error: BaseException) -> str:
    """Return a report of an unexpected error that a person may pass on: the classes and places of it and of its
    causes, the innermost last. It has no messages, since they may quote a text, and no folders, since they may hold a
    name."""
    parts: list[str] = []
    cause: BaseException | None = error
    while cause is not None and len(parts) < _MOST_CAUSES:
        frames = traceback.extract_tb(cause.__traceback__)
        places = [f"  {Path(frame.filename).name}:{frame.lineno} in {frame.name}" for frame in frames[-_MOST_FRAMES:]]
        parts.append("\n".join([f"{type(cause).__module__}.{type(cause).__qualname__}, raised at", *places]))
        cause = cause.__cause__ or (None if cause.__suppress_context__ else cause.__context__)
    return "\n\nwhich led to\n\n".join(reversed(parts))


@contextmanager
def logging_to(profile: Profile, *, debug: bool = False) -> Iterator[None]:
    """Log to the profile's file while the block runs; with ``debug`` all messages, and to stderr as well. A file that
    can't be written is ignored."""
    root = logging.getLogger(_ROOT)
    level, root.propagate = root.level, False
    root.setLevel(logging.DEBUG if debug else logging.INFO)
    logging.raiseExceptions = False  # a log that can't be written is ignored
    handlers: list[logging.Handler] = [logging.StreamHandler()] if debug and sys.stderr is not None else []
    with suppress(OSError):
        private_folder(profile.log.parent)
        handlers.append(_PrivateFile(profile.log, maxBytes=_MOST_BYTES, backupCount=_OLDER, encoding="utf-8"))
    for handler in handlers:
        handler.setFormatter(logging.Formatter(_FORMAT))
        root.addHandler(handler)
    try:
        yield
    finally:
        for handler in handlers:
            root.removeHandler(handler)
            with suppress(OSError, ValueError):
                handler.close()
        root.setLevel(level)
        root.propagate = True


class _PrivateFile(RotatingFileHandler):
    """A log file readable by its user alone, whatever the umask."""

    def _open(self) -> IO[Any]:  # type: ignore[override]
        descriptor = os.open(self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        os.fchmod(descriptor, 0o600)
        return open(descriptor, "a", encoding="utf-8", errors="replace")
