"""Many names in little memory: 8 bytes each, for runs over millions of rows."""

from __future__ import annotations

import hashlib
from array import array

import numpy as np
import numpy.typing as npt


def name_hash(name: str) -> int:
    """64 bits of a digest of a name."""
    return int.from_bytes(hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


class NameSet:
    """Which names were added, by 64 bits of a digest: of a million names two have the same with a chance of 3 in 10⁸.
    Adding and asking may alternate, but each change costs the next question a sort."""

    def __init__(self) -> None:
        self._hashes = array("Q")
        self._sorted: npt.NDArray[np.uint64] | None = None

    def __len__(self) -> int:
        return len(self._hashes)

    def add(self, name: str) -> None:
        """Add a name, which may be there already."""
        self._hashes.append(name_hash(name))
        self._sorted = None

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str):
            return False
        ordered = self._in_order()
        wanted = np.uint64(name_hash(name))
        place = int(np.searchsorted(ordered, wanted))
        return place < len(ordered) and bool(ordered[place] == wanted)

    def doubles(self) -> frozenset[int]:
        """Hashes of the names that were added more than once."""
        ordered = self._in_order()
        return frozenset(int(value) for value in ordered[1:][ordered[1:] == ordered[:-1]])

    def _in_order(self) -> npt.NDArray[np.uint64]:
        if self._sorted is None:
            self._sorted = np.sort(np.frombuffer(self._hashes.tobytes(), dtype=np.uint64))
        return self._sorted
