"""A part of a long run, for one of several processes or machines; together the parts hold every row once."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from ..errors import UsageError

_FORM = re.compile(r"([0-9]{1,6})/([0-9]{1,6})")


@dataclass(frozen=True)
class Shard:
    """Part ``k`` (from 1) of ``n``. Which part a row is in depends on its name alone, not on where it stands."""

    k: int
    n: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """From ``K/N``. Raises ``UsageError`` ``E_SHARD``."""
        found = _FORM.fullmatch(text.strip())
        k, n = (int(found[1]), int(found[2])) if found else (0, 0)
        if not 1 <= k <= n:
            raise UsageError(
                "E_SHARD", f"{text!r} is no part of a run.", "Give it as K/N with K from 1 to N, such as --shard 2/8."
            )
        return cls(k, n)

    def holds(self, name: str | None) -> bool:
        """Whether a row of this name (its id, or its text) belongs to this part; rows without one go to the first."""
        if name is None:
            return self.k == 1
        digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()
        return int.from_bytes(digest[:8], "big") % self.n == self.k - 1
