"""A cache of decoded prefixes: in memory, from token sequences to the state of their KV cache; and saved states on
disk."""

from __future__ import annotations

import hashlib
import logging
import os
import struct
import zlib
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from ..core.errors import JokeJudgeError
from ..core.files import atomic_writer
from .prompts import Tokens


class PrefixTree:
    """States of token prefixes, each prefix a path of pieces (a prompt's segments). The least recently used states are
    dropped when more than ``limit`` bytes are cached; the newest one always stays."""

    def __init__(self, limit: int) -> None:
        self._states: OrderedDict[tuple[Tokens, ...], bytes] = OrderedDict()
        self._limit = limit

    @property
    def size(self) -> int:
        """Bytes of all cached states."""
        return sum(map(len, self._states.values()))

    def longest(self, pieces: Sequence[Tokens]) -> tuple[int, bytes | None]:
        """Return the number of pieces and the state of the longest cached prefix of ``pieces``; 0 and None if there is
        none."""
        for depth in range(len(pieces), 0, -1):
            prefix = tuple(pieces[:depth])
            if prefix in self._states:
                self._states.move_to_end(prefix)
                return depth, self._states[prefix]
        return 0, None

    def keep(self, pieces: Sequence[Tokens], state: bytes) -> None:
        """Cache the state of the prefix ``pieces``, replacing an older one."""
        self.forget(pieces)
        self._states[tuple(pieces)] = state
        while self.size > self._limit and len(self._states) > 1:
            self._states.popitem(last=False)

    def forget(self, pieces: Sequence[Tokens]) -> None:
        """Drop the state of one prefix, if it is cached."""
        self._states.pop(tuple(pieces), None)

    def clear(self) -> None:
        self._states.clear()


# The folder of saved states: limiting it. Needs no engine.

_SUFFIX = ".state"


def shrink(folder: Path, limit: int) -> None:
    """Remove the least recently used files until at most ``limit`` bytes are left; 0 empties the folder.

    States only save time, and a file in use has been read whole, so any may be removed at any time. Raises ``OSError``
    if a file can't be removed."""
    files = sorted(_files(folder))
    total = sum(size for _, size, _ in files)
    for _, size, path in files:
        if total <= limit:
            return
        path.unlink(missing_ok=True)
        total -= size


def _files(folder: Path) -> Iterator[tuple[int, int, Path]]:
    """Yield time of last use (ns), size and path of each state."""
    paths: list[Path] = []
    with suppress(OSError):
        paths += folder.glob(f"*{_SUFFIX}")
    for path in paths:
        with suppress(FileNotFoundError):  # removed by another process
            facts = path.stat()
            yield facts.st_mtime_ns, facts.st_size, path


# States of constant prefixes on disk: kept across restarts, checked, limited in size, removable at any time. A file
# holds a magic number, a CRC-32 of the rest, a length-prefixed key text and the state. The key lists everything that
# the state depends on (model hash, context settings, llama.cpp build, tokens); its digest is the file's name.

_log = logging.getLogger(__name__)
_MAGIC = b"JJST0002"
_REST = len(_MAGIC) + 4


class StateStore:
    """A folder of saved states, at most ``limit`` bytes; the least recently used files are removed first."""

    def __init__(self, folder: Path, limit: int, *, context_key: str) -> None:
        self._folder = folder
        self._limit = limit
        self._context_key = context_key

    def load(self, pieces: Sequence[Tokens]) -> bytes | None:
        """Return the state of a prefix, or None. A damaged or foreign file is removed and counts as missing."""
        path, key = self._place(pieces)
        with suppress(OSError):  # there is none, or the folder can't be written
            data = path.read_bytes()
            crc = struct.pack("<I", zlib.crc32(memoryview(data)[_REST:]))
            if data.startswith(_MAGIC + crc + key):
                with suppress(OSError):
                    os.utime(path)
                return data[_REST + len(key) :]
            _log.info("replacing a damaged saved state: %s", path.name)
            path.unlink()
        return None

    def save(self, pieces: Sequence[Tokens], state: bytes) -> None:
        """Save a state and remove the oldest ones over the limit. A folder that can't be written is ignored."""
        path, key = self._place(pieces)
        if _REST + len(key) + len(state) > self._limit:
            return
        try:
            with atomic_writer(path) as stream:
                stream.write(_MAGIC + struct.pack("<I", zlib.crc32(state, zlib.crc32(key))) + key)
                stream.write(state)
            shrink(self._folder, self._limit)
        except (JokeJudgeError, OSError) as error:
            # A cache that can't be written costs time, not the verdict.
            _log.info("states are not saved: %s", error)
            self._limit = 0

    def _place(self, pieces: Sequence[Tokens]) -> tuple[Path, bytes]:
        tokens = "|".join(",".join(map(str, piece)) for piece in pieces)
        key = f"{self._context_key}\n{tokens}".encode()
        return self._folder / (hashlib.sha256(key).hexdigest()[:40] + _SUFFIX), struct.pack("<Q", len(key)) + key
