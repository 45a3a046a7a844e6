"""What each item of a verdict is worth on a model, by how it is got: asked of the model, read off its states, or both;
and what follows for what is asked and what is shown (METHODS, f)."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, model_validator

from ...files import atomic_write
from ...verdicts import Frozen

Kind = Literal["check", "kind", "factor", "fault", "duel", "prose"]
Source = Literal["asked", "read", "both"]
Measured = Literal["r", "auc", "share"]
"""What a worth is: a correlation −1…1 (chance 0), an area under the curve 0…1 (chance ½), or a share of pairs or of
sentences 0…1 (chance ½)."""

LEAST_GAIN = 0.03
"""Worth that asking must add for its tokens."""
LEAST_SHOWN: dict[Measured, float] = {"r": 0.35, "auc": 0.70, "share": 0.60}
"""Worth from which an item is shown; its interval must also lie above chance. A share is that of the prose test, or of
drafts and pairs."""
CHANCE: dict[Measured, float] = {"r": 0.0, "auc": 0.5, "share": 0.5}

FORMAT = 1
_MOST_BYTES = 2 << 20
_MOST_ITEMS = 2000
Id = Annotated[str, Field(min_length=1, max_length=80, pattern=r"^[\w .:/-]+$")]


class Worth(Frozen):
    """Agreement with the reference over ``n`` texts, out of fold, with its 95 % interval (bootstrap over texts)."""

    value: float = Field(ge=-1, le=1, allow_inf_nan=False)
    low: float = Field(ge=-1, le=1, allow_inf_nan=False)
    high: float = Field(ge=-1, le=1, allow_inf_nan=False)
    n: int = Field(ge=0, le=10**9)

    @model_validator(mode="after")
    def _in_order(self) -> Worth:
        if not self.low <= self.value <= self.high:
            raise ValueError("the interval doesn't hold the value")
        return self


class JoinWeights(Frozen):
    """How much an answer and a reading count in their sum, both standardised; ≥ 0."""

    asked: float = Field(ge=0, le=1e6, allow_inf_nan=False)
    read: float = Field(ge=0, le=1e6, allow_inf_nan=False)


class ItemWorth(Frozen):
    """One item. ``asked``, ``read``, ``both``: what it is worth got in that way, None where that wasn't measured or
    can't be had; ``weights`` of the sum behind ``both``. ``tokens``: what asking costs beyond the reading of the joke.
    ``question``: the key of the question that ``asked`` and ``both`` were measured with (``question_keys``)."""

    kind: Kind
    id: Id
    measured: Measured
    asked: Worth | None = None
    read: Worth | None = None
    both: Worth | None = None
    weights: JoinWeights | None = None
    tokens: int = Field(default=0, ge=0, le=10**6)
    question: str = Field(default="", max_length=200)

    @property
    def without_asking(self) -> float:
        """The worth that can be had without a question: that of the reading, or chance."""
        chance = CHANCE[self.measured]
        return max(chance, self.read.value) if self.read is not None else chance

    @property
    def gain(self) -> float:
        """How much more it is worth when the model is asked; 0 where that wasn't measured."""
        known = [worth.value for worth in (self.asked, self.both) if worth is not None]
        return max(known) - self.without_asking if known else 0.0

    @property
    def ask(self) -> bool:
        """Whether quick mode asks: it adds enough, and the answer's own interval lies above chance."""
        best = self._when_asked
        return best is not None and self.gain >= LEAST_GAIN and best[1].low > CHANCE[self.measured]

    @property
    def source(self) -> Source | None:
        """Where the item comes from in quick mode; None where it can't be had but by asking, which adds too little."""
        if self.ask and (best := self._when_asked) is not None:
            return best[0]
        return "read" if self.read is not None else None

    @property
    def worth(self) -> Worth | None:
        """What it is worth in quick mode."""
        source = self.source
        return {"asked": self.asked, "read": self.read, "both": self.both}[source] if source else None

    @property
    def shown(self) -> bool:
        """Whether it is shown as a finding: worth enough, and its interval above chance."""
        worth = self.worth
        return worth is not None and worth.value >= LEAST_SHOWN[self.measured] and worth.low > CHANCE[self.measured]

    @property
    def _when_asked(self) -> tuple[Source, Worth] | None:
        """The better of the answer alone and both together; alone where they are equal."""
        ways: list[tuple[Source, Worth]] = []
        if self.asked is not None:
            ways.append(("asked", self.asked))
        if self.both is not None:
            ways.append(("both", self.both))
        return max(ways, key=lambda way: way[1].value, default=None)

    def joined(self, asked: float | None, read: float | None) -> float | None:
        """The item's value from what it is got from in quick mode, both standardised; None where that is missing."""
        if self.source == "asked":
            return asked
        if self.source == "read":
            return read
        if self.source is None or self.weights is None or asked is None or read is None:
            return None
        return math.fsum((self.weights.asked * asked, self.weights.read * read))

    def without_question(self) -> ItemWorth:
        """The same, as if it had never been asked: its question was reworded since."""
        return self.replaced(asked=None, both=None, weights=None, question="")


class Plan(Frozen):
    """What is known of a model's items. An item that isn't in it isn't planned yet: it is asked, and what comes of it
    isn't shown as a finding."""

    model_sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    items: tuple[ItemWorth, ...] = ()

    def of(self, kind: Kind, item: str) -> ItemWorth | None:
        """One item; None where it isn't planned."""
        return next((known for known in self.items if (known.kind, known.id) == (kind, item)), None)

    def asks(self, kind: Kind, item: str) -> bool:
        """Whether quick mode asks the model about it."""
        known = self.of(kind, item)
        return known is None or known.ask

    def shows(self, kind: Kind, item: str) -> bool:
        """Whether it is shown as a finding."""
        known = self.of(kind, item)
        return known is not None and known.shown

    @property
    def tokens(self) -> int:
        """What quick mode's questions cost together."""
        return sum(item.tokens for item in self.items if item.ask)

    def under(self, questions: frozenset[str]) -> Plan:
        """The plan under today's questions: of an item whose question was reworded only the reading counts, and one
        that has none isn't planned any more."""
        found = []
        for item in self.items:
            kept = item if not item.question or item.question in questions else item.without_question()
            if kept.read is not None or kept.asked is not None or kept.both is not None:
                found.append(kept)
        return self.replaced(items=tuple(found))

    def joined_with(self, other: Plan) -> Plan:
        """This plan's items, and those of ``other`` that it lacks."""
        known = {(item.kind, item.id) for item in self.items}
        rest = tuple(item for item in other.items if (item.kind, item.id) not in known)
        return self.replaced(items=(*self.items, *rest))


class PlanFiles:
    """Plans that ship with the program and those made on this machine, the latter first, item by item."""

    def __init__(self, shipped: Path, own: Path) -> None:
        self._shipped = shipped
        self._own = own

    def load(self, sha256: str) -> Plan:
        """What is known of a model; items that can't be true are passed over, each by itself."""
        return _read(self._own, sha256).joined_with(_read(self._shipped, sha256))

    def save(self, plan: Plan) -> Path:
        """Write a plan among the user's own and return where. Raises ``SettingsError``."""
        content = {"format": FORMAT, **plan.model_dump(mode="json", exclude_none=True)}
        path = self._own / f"{plan.model_sha256[:16]}.json"
        atomic_write(path, json.dumps(content, indent=1, ensure_ascii=False) + "\n")
        return path


def _read(folder: Path, sha256: str) -> Plan:
    path = folder / f"{sha256[:16]}.json"
    none = Plan(model_sha256=sha256)
    try:
        if not path.is_file() or path.stat().st_size > _MOST_BYTES:
            return none
        # Not ``read_json``, which refuses a whole file for one number that isn't finite: here its item alone is.
        data: Any = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return none
    if not isinstance(data, dict) or (data.get("format"), data.get("model_sha256")) != (FORMAT, sha256):
        return none
    rows = data.get("items")
    found: dict[tuple[str, str], ItemWorth] = {}
    for row in rows[:_MOST_ITEMS] if isinstance(rows, list) else ():
        try:
            item = ItemWorth.model_validate(row)
        except (ValidationError, RecursionError):
            continue
        found.setdefault((item.kind, item.id), item)
    return none.replaced(items=tuple(found.values()))
