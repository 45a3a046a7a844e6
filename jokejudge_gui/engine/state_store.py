"""States of constant prefixes on disk: found again after a restart, checked, bounded, replaceable at any time.

A file holds a magic number, a CRC-32 of what follows, a length-prefixed key text and the state. The key names all that
the state depends on (model hash, context settings, llama.cpp build, tokens); its digest is the file's name.
"""

from __future__ import annotations

import hashlib
import logging
import os
import struct
import zlib
from collections.abc import Sequence
from pathlib import Path

from ..errors import SettingsError
from ..files import atomic_writer
from .state_folder import SUFFIX, shrink

_log = logging.getLogger(__name__)
_MAGIC = b"JJST0001"
_HEADER = struct.Struct("<8sIQQ")


class StateStore:
    """A folder of saved states, at most ``limit`` bytes, the least recently used files out first."""

    def __init__(self, folder: Path, limit: int, *, context_key: str) -> None:
        self._folder = folder
        self._limit = limit
        self._context_key = context_key
        self._writable = limit > 0

    def load(self, pieces: Sequence[tuple[int, ...]]) -> bytes | None:
        """The state of a prefix, or None. A damaged or foreign file is removed and counts as not there."""
        key = self._key(pieces)
        path = self._path(key)
        try:
            data = path.read_bytes()
        except OSError:
            return None
        state = _checked(data, key)
        if state is None:
            _log.info("replacing a damaged saved state: %s", path.name)
            path.unlink(missing_ok=True)
            return None
        try:
            os.utime(path)
        except OSError:
            _log.debug("the saved state %s can't be touched", path.name)
        return state

    def save(self, pieces: Sequence[tuple[int, ...]], state: bytes) -> None:
        """Save a state and drop the oldest ones over the limit. A folder that can't be written is left alone."""
        key = self._key(pieces)
        size = len(state) + len(key) + _HEADER.size
        if not self._writable or size > self._limit:
            return
        body_crc = zlib.crc32(state, zlib.crc32(key))
        try:
            with atomic_writer(self._path(key)) as stream:
                stream.write(_HEADER.pack(_MAGIC, body_crc, len(key), len(state)))
                stream.write(key)
                stream.write(state)
            shrink(self._folder, self._limit)
        except (SettingsError, OSError) as error:
            # A cache that can't be written costs time, not the verdict.
            _log.info("states are not saved: %s", error)
            self._writable = False

    def holds(self, pieces: Sequence[tuple[int, ...]]) -> bool:
        """Whether a file for this prefix lies there (not whether it is sound)."""
        return self._path(self._key(pieces)).is_file()

    def _key(self, pieces: Sequence[tuple[int, ...]]) -> bytes:
        tokens = "|".join(",".join(map(str, piece)) for piece in pieces)
        return f"{self._context_key}\n{tokens}".encode()

    def _path(self, key: bytes) -> Path:
        return self._folder / (hashlib.sha256(key).hexdigest()[:40] + SUFFIX)


def _checked(data: bytes, key: bytes) -> bytes | None:
    """The state in a file's bytes if they are whole and belong to ``key``."""
    if len(data) < _HEADER.size:
        return None
    magic, crc, key_length, state_length = _HEADER.unpack_from(data)
    body = memoryview(data)[_HEADER.size :]
    if magic != _MAGIC or len(body) != key_length + state_length or body[:key_length] != key:
        return None
    if zlib.crc32(body) != crc:
        return None
    return bytes(body[key_length:])
