"""A cache of decoded prefixes: in memory, a tree from token sequences to the state of their KV cache; and saved states
on disk."""

from __future__ import annotations

import hashlib
import logging
import os
import struct
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from ..core.errors import JokeJudgeError
from ..core.files import atomic_writer
from .prompts import Tokens


@dataclass
class _Node:
    """A piece of a prompt under its parent; ``state`` is set if the prefix that ends here is cached."""

    children: dict[Tokens, _Node] = field(default_factory=dict)
    state: bytes | None = None
    used: int = 0


@dataclass
class DecodedPath:
    """The content of the context's sequence 0: whole pieces, in order."""

    pieces: list[Tokens] = field(default_factory=list)

    @property
    def length(self) -> int:
        return sum(map(len, self.pieces))


class PrefixTree:
    """States of token prefixes, each prefix a path of pieces (a prompt's segments). The least recently used states are
    dropped when more than ``limit`` bytes are cached; the newest one always stays."""

    def __init__(self, limit: int) -> None:
        self._root = _Node()
        self._limit = limit
        self._clock = 0

    @property
    def size(self) -> int:
        """Bytes of all cached states."""
        return sum(len(node.state) for node in self._walk(self._root) if node.state is not None)

    def longest(self, pieces: Sequence[Tokens]) -> tuple[int, bytes | None]:
        """Return the number of pieces and the state of the longest cached prefix of ``pieces``; 0 and None if there is
        none."""
        self._clock += 1
        node, best, cached = self._root, 0, None
        for depth, piece in enumerate(pieces, start=1):
            child = node.children.get(piece)
            if child is None:
                break
            node = child
            if node.state is not None:
                best, cached = depth, node
        if cached is None:
            return 0, None
        cached.used = self._clock
        return best, cached.state

    def keep(self, pieces: Sequence[Tokens], state: bytes) -> None:
        """Cache the state of the prefix ``pieces``, replacing an older one."""
        self._clock += 1
        node = self._root
        for piece in pieces:
            node = node.children.setdefault(piece, _Node())
        node.state, node.used = state, self._clock
        self._shrink(node)

    def forget(self, pieces: Sequence[Tokens]) -> None:
        """Drop the state of one prefix, if it is cached."""
        node: _Node | None = self._root
        for piece in pieces:
            node = node.children.get(piece) if node else None
        if node is not None:
            node.state = None

    def clear(self) -> None:
        self._root = _Node()

    def _shrink(self, newest: _Node) -> None:
        kept = [node for node in self._walk(self._root) if node.state is not None and node is not newest]
        for oldest in sorted(kept, key=lambda node: node.used):
            if self.size > self._limit:
                oldest.state = None

    def _walk(self, node: _Node) -> list[_Node]:
        return [node, *(below for child in node.children.values() for below in self._walk(child))]


# The folder of saved states: measuring, limiting and emptying it. Needs no engine.

SUFFIX = ".state"


@dataclass(frozen=True)
class KeptStates:
    """Number of files in a folder of saved states, and their bytes."""

    files: int
    bytes: int


def measure(folder: Path) -> KeptStates:
    """Measure a folder; zero if there is no such folder or it can't be read."""
    sizes = [size for _, size, _ in _files(folder)]
    return KeptStates(len(sizes), sum(sizes))


def shrink(folder: Path, limit: int) -> None:
    """Remove the least recently used files until at most ``limit`` bytes are left; 0 empties the folder.

    States only save time, and a file in use has been read whole, so any may be removed at any time. Raises ``OSError``
    if a file can't be removed."""
    files = sorted(_files(folder), key=lambda entry: entry[0])
    total = sum(size for _, size, _ in files)
    for _, size, path in files:
        if total <= limit:
            return
        path.unlink(missing_ok=True)
        total -= size


def _files(folder: Path) -> Iterator[tuple[int, int, Path]]:
    """Yield time of last use (ns), size and path of each state."""
    try:
        paths = list(folder.glob(f"*{SUFFIX}"))
    except OSError as error:
        _log.info("the kept states can't be listed: %s", error)
        return
    for path in paths:
        try:
            facts = path.stat()
        except FileNotFoundError:
            continue  # removed by another process
        yield facts.st_mtime_ns, facts.st_size, path


# States of constant prefixes on disk: kept across restarts, checked, limited in size, removable at any time. A file
# holds a magic number, a CRC-32 of the rest, a length-prefixed key text and the state. The key lists everything that
# the state depends on (model hash, context settings, llama.cpp build, tokens); its digest is the file's name.

_log = logging.getLogger(__name__)
_MAGIC = b"JJST0001"
_HEADER = struct.Struct("<8sIQQ")


class StateStore:
    """A folder of saved states, at most ``limit`` bytes; the least recently used files are removed first."""

    def __init__(self, folder: Path, limit: int, *, context_key: str) -> None:
        self._folder = folder
        self._limit = limit
        self._context_key = context_key
        self._writable = limit > 0

    def load(self, pieces: Sequence[tuple[int, ...]]) -> bytes | None:
        """Return the state of a prefix, or None. A damaged or foreign file is removed and counts as missing."""
        key = self._key(pieces)
        path = self._path(key)
        try:
            data = path.read_bytes()
        except OSError:
            return None
        state = _checked(data, key)
        if state is None:
            _log.info("replacing a damaged saved state: %s", path.name)
            with suppress(OSError):  # a folder that can't be written
                path.unlink()
            return None
        try:
            os.utime(path)
        except OSError:
            _log.debug("the saved state %s can't be touched", path.name)
        return state

    def save(self, pieces: Sequence[tuple[int, ...]], state: bytes) -> None:
        """Save a state and remove the oldest ones over the limit. A folder that can't be written is ignored."""
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
        except (JokeJudgeError, OSError) as error:
            # A cache that can't be written costs time, not the verdict.
            _log.info("states are not saved: %s", error)
            self._writable = False

    def _key(self, pieces: Sequence[tuple[int, ...]]) -> bytes:
        tokens = "|".join(",".join(map(str, piece)) for piece in pieces)
        return f"{self._context_key}\n{tokens}".encode()

    def _path(self, key: bytes) -> Path:
        return self._folder / (hashlib.sha256(key).hexdigest()[:40] + SUFFIX)


def _checked(data: bytes, key: bytes) -> bytes | None:
    """Return the state in a file's bytes if they are intact and belong to ``key``."""
    if len(data) < _HEADER.size:
        return None
    magic, crc, key_length, state_length = _HEADER.unpack_from(data)
    body = memoryview(data)[_HEADER.size :]
    if magic != _MAGIC or len(body) != key_length + state_length or body[:key_length] != key:
        return None
    if zlib.crc32(body) != crc:
        return None
    return bytes(body[key_length:])
