"""Decoded prefixes kept in memory: a tree from token sequences to the state of their KV cache."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

Tokens = tuple[int, ...]


@dataclass
class _Node:
    """A piece of a prompt under its parent; ``state`` if the prefix that ends here is kept."""

    children: dict[Tokens, _Node] = field(default_factory=dict)
    state: bytes | None = None
    used: int = 0


@dataclass
class DecodedPath:
    """What sequence 0 of the context holds: whole pieces, in order."""

    pieces: list[Tokens] = field(default_factory=list)

    @property
    def length(self) -> int:
        return sum(map(len, self.pieces))


class PrefixTree:
    """States of token prefixes, each prefix a path of pieces (a prompt's segments). The least recently used states
    go first when more than ``limit`` bytes are kept; the newest one always stays."""

    def __init__(self, limit: int) -> None:
        self._root = _Node()
        self._limit = limit
        self._bytes = 0
        self._clock = 0

    @property
    def size(self) -> int:
        """Bytes of all states that are kept."""
        return self._bytes

    def longest(self, pieces: Sequence[Tokens]) -> tuple[int, bytes | None]:
        """The longest kept prefix of ``pieces``: how many pieces it has, and its state (0 and None: nothing kept)."""
        self._clock += 1
        node, best, found = self._root, 0, None
        for depth, piece in enumerate(pieces, start=1):
            child = node.children.get(piece)
            if child is None:
                break
            node = child
            if node.state is not None:
                best, found = depth, node
        if found is None:
            return 0, None
        found.used = self._clock
        return best, found.state

    def keep(self, pieces: Sequence[Tokens], state: bytes) -> None:
        """Keep the state of the prefix ``pieces``, replacing an older one."""
        self._clock += 1
        node = self._root
        for piece in pieces:
            node = node.children.setdefault(piece, _Node())
        self._bytes += len(state) - (len(node.state) if node.state is not None else 0)
        node.state, node.used = state, self._clock
        self._shrink(node)

    def forget(self, pieces: Sequence[Tokens]) -> None:
        """Drop the state of one prefix, if it is kept."""
        node: _Node | None = self._root
        for piece in pieces:
            node = node.children.get(piece) if node else None
        if node is not None and node.state is not None:
            self._bytes -= len(node.state)
            node.state = None

    def clear(self) -> None:
        self._root, self._bytes = _Node(), 0

    def _shrink(self, newest: _Node) -> None:
        while self._bytes > self._limit:
            kept = [node for node in self._walk(self._root) if node.state is not None and node is not newest]
            if not kept:
                return
            oldest = min(kept, key=lambda node: node.used)
            assert oldest.state is not None
            self._bytes -= len(oldest.state)
            oldest.state = None

    def _walk(self, node: _Node) -> list[_Node]:
        return [node, *(below for child in node.children.values() for below in self._walk(child))]
