"""Factors that a model wrote for jokes that no known factor fits, kept for later jokes: what served several of them is
offered to the user's own criteria."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path

from pydantic import Field, ValidationError

from ..errors import CriteriaError
from ..files import alone, atomic_write, read_json
from ..verdicts import FactorRef, Frozen
from .own_file import OwnFile

LEAST_JOKES = 3
"""Jokes that a factor must have served before it is offered."""
_MOST, _MOST_JOKES = 200, 50
_FORMAT = 1
_DEFINED = ("name", "explanation", "zero", "five", "good", "bad")


class Offered(Frozen):
    """A factor that a model wrote. ``jokes``: digests of those that it was used for, the first ones at most;
    ``removed``: the user doesn't want it; ``promoted``: it is one of the user's own."""

    id: str = Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")
    name: str = Field(min_length=1, max_length=40)
    explanation: str = Field(max_length=200)
    zero: str = Field(max_length=100)
    five: str = Field(max_length=100)
    good: str = Field(max_length=300)
    bad: str = Field(max_length=300)
    jokes: tuple[str, ...] = Field(default=(), max_length=_MOST_JOKES)
    removed: bool = False
    promoted: bool = False

    @property
    def open(self) -> bool:
        """Whether it may be used for further jokes and offered."""
        return not (self.removed or self.promoted)

    @property
    def fields(self) -> dict[str, str]:
        """What a factor of the user's own consists of."""
        return {name: getattr(self, name) for name in _DEFINED}

    def ref(self) -> FactorRef:
        """As a factor to be scored."""
        return FactorRef(
            id=self.id, name=self.name, origin="dynamic", explanation=self.explanation, zero=self.zero,
            five=self.five, good_example=self.good, bad_example=self.bad,
        )  # fmt: skip


class OfferedFile:
    """What models wrote, in the folder of the user's own criteria. A file that can't be read is as good as none: it
    holds nothing that the user made."""

    def __init__(self, folder: Path) -> None:
        """``folder``: ``Profile.criteria``; nothing is created until a factor is kept."""
        self._path, self._lock = folder / "offered_factors.json", folder / "offered_factors.lock"

    def load(self) -> tuple[Offered, ...]:
        """All that is known, those that the user removed or promoted as well."""
        try:
            data = read_json(self._path)
        except (OSError, ValueError, RecursionError):
            return ()
        rows = data.get("factors") if isinstance(data, dict) and data.get("format") == _FORMAT else None
        found: dict[str, Offered] = {}
        for row in rows[:_MOST] if isinstance(rows, list) else ():
            try:
                item = Offered.model_validate(row)
            except (ValidationError, RecursionError):
                continue
            found.setdefault(item.id, item)
        return tuple(found.values())

    def known(self) -> tuple[FactorRef, ...]:
        """Those that may be used for further jokes, what served most first."""
        return tuple(item.ref() for item in sorted(self.load(), key=lambda item: -len(item.jokes)) if item.open)

    def promoted(self) -> frozenset[str]:
        """Ids of those that the user made their own."""
        return frozenset(item.id for item in self.load() if item.promoted)

    def offers(self) -> tuple[Offered, ...]:
        """What served enough jokes to be offered."""
        return tuple(item for item in self.load() if item.open and len(item.jokes) >= LEAST_JOKES)

    def served(self, factor: FactorRef, joke: str) -> None:
        """Count that a factor was used for a joke; one that isn't known yet is kept. Raises ``SettingsError``."""
        mark = hashlib.sha256(joke.encode("utf-8", "surrogatepass")).hexdigest()[:16]

        def change(items: dict[str, Offered]) -> None:
            item = items.get(factor.id)
            if item is None:
                if len(items) >= _MOST:
                    least = min(items.values(), key=lambda each: (not each.open, len(each.jokes)))
                    del items[least.id]
                item = Offered(
                    id=factor.id, name=factor.name, explanation=factor.explanation, zero=factor.zero,
                    five=factor.five, good=factor.good_example, bad=factor.bad_example,
                )  # fmt: skip
            if mark not in item.jokes and len(item.jokes) < _MOST_JOKES:
                item = item.replaced(jokes=(*item.jokes, mark))
            items[factor.id] = item

        self._change(change)

    def remove(self, id: str) -> None:
        """Never use or offer a factor again. Raises ``CriteriaError``, ``SettingsError``."""
        self._mark(id, removed=True)

    def promote(self, id: str, own: OwnFile, fields: dict[str, str] | None = None) -> None:
        """Make a factor one of the user's own, with these ``fields`` in place of what the model wrote. Raises
        ``CriteriaError``, ``SettingsError``."""
        item = next((each for each in self.load() if each.id == id and each.open), None)
        if item is None:
            raise _no_such(id)
        own.set_item("factor", id, {**item.fields, **(fields or {})}, new=True)
        self._mark(id, promoted=True)

    def _mark(self, id: str, **marks: bool) -> None:
        def change(items: dict[str, Offered]) -> None:
            if id not in items or not items[id].open:
                raise _no_such(id)
            items[id] = items[id].replaced(**marks)

        self._change(change)

    def _change(self, change: Callable[[dict[str, Offered]], None]) -> None:
        with alone(self._lock):
            items = {item.id: item for item in self.load()}
            change(items)
            rows = [item.model_dump(mode="json") for item in items.values()]
            atomic_write(self._path, json.dumps({"format": _FORMAT, "factors": rows}, ensure_ascii=False) + "\n")


def id_of(name: str) -> str:
    """The id of a factor with this name: small letters and underlines."""
    letters = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
    return f"own_{letters}"[:40].rstrip("_") if letters else "own_factor"


def _no_such(id: str) -> CriteriaError:
    return CriteriaError(
        "E_CRITERIA_OWN",
        f"No factor “{id[:60]}” is offered.",
        "`jokejudge criteria offered` shows those that are.",
    )
