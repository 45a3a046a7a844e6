"""What each item of a verdict is worth on a model, by how it is got: asked of the model, read off its states, or both;
and what follows for what is asked and what is shown (METHODS, f)."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError, model_validator

from ...core.files import read_model_file, write_model_file
from ...core.statistics import wilson
from ...core.verdicts import Frozen
from ...heads.editor_file import EditorCard
from ...rubric.xml_parser import kind_today
from ..asking.explanation import Flaw, contradicts, flaws, holds_turn, skeleton
from .question_keys import QuestionKeys

# -- The prose test: a model whose sentences say the same of every joke, or give the joke back, has nothing to tell a
# writer (METHODS, f).

LEAST_TURN = 0.60
"""Share of the sentences that must hold words of what the reference reading says the joke turns on."""
MOST_ALIKE = 3
"""How often the same skeleton may come among the test's sentences."""


class ProseFigures(Frozen):
    """The prose test of a model: over ``texts`` jokes the share of sentences that hold words of the ``turn``, how often
    the commonest skeleton came (``alike``), and in how many texts a sentence gives the joke back (``echoes``),
    contradicts its neighbour (``contradictions``), breaks off (``broken``) or quotes what isn't there (``untrue``)."""

    texts: int = Field(ge=0, le=10**6)
    turn: float = Field(ge=0, le=1)
    alike: int = Field(ge=0, le=10**6)
    echoes: int = Field(ge=0, le=10**6)
    contradictions: int = Field(ge=0, le=10**6)
    broken: int = Field(ge=0, le=10**6)
    untrue: int = Field(default=0, ge=0, le=10**6)

    @property
    def passed(self) -> bool:
        """Whether the model's prose is worth showing beside the editor's note."""
        clean = not (self.echoes or self.contradictions or self.broken)
        return self.texts > 0 and self.turn >= LEAST_TURN and self.alike <= MOST_ALIKE and clean

    @property
    def in_words(self) -> str:
        """``failed: 37 in 100 name the turn, one form came 12 times, 3 of 30 give the joke back``."""
        found = [f"{100 * self.turn:.0f} in 100 name what the joke turns on"]
        if self.alike > 1:
            found.append(f"the commonest form came {self.alike} times")
        counted = (
            (self.echoes, "give the joke back"),
            (self.contradictions, "contradict themselves"),
            (self.broken, "break off"),
            (self.untrue, "quote what isn't there"),
        )
        found += [f"{count} of {self.texts} {what}" for count, what in counted if count]
        return f"{'passed' if self.passed else 'failed'}: {', '.join(found)}"


def figures(rows: Sequence[tuple[str, str, Sequence[str]]]) -> ProseFigures:
    """The test's figures. ``rows``: of each joke its text, its turn, and the sentences about it: first what works,
    then what weakens."""
    shapes = [Counter(skeleton(sentences[at], joke) for joke, _, sentences in rows) for at in (0, 1)]
    wrong = [frozenset[Flaw]().union(*(flaws(sentence, joke) for sentence in said)) for joke, _, said in rows]
    held = sum(holds_turn(sentences[0], turn) for _, turn, sentences in rows)
    return ProseFigures(
        texts=len(rows),
        turn=round(held / len(rows), 4) if rows else 0.0,
        alike=max((count for shape in shapes for count in shape.values()), default=0),
        echoes=sum("echo" in found for found in wrong),
        contradictions=sum(contradicts(said[0], said[1]) for _, _, said in rows),
        broken=sum("broken" in found for found in wrong),
        untrue=sum("untrue" in found for found in wrong),
    )


Kind = Literal["check", "sense", "kind", "factor", "fault", "turn", "duel", "prose"]
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
    """How an answer and a reading are summed: ``asked``·answer + ``read``·reading + ``constant``; weights ≥ 0. What
    goes in is a score 0…5 or log-odds, and so is what comes out. ``sd``: spread of the readers' scores about that;
    ``usual`` and ``spread``: where it lies for the texts that it was measured on."""

    asked: float = Field(ge=0, le=1e6, allow_inf_nan=False)
    read: float = Field(ge=0, le=1e6, allow_inf_nan=False)
    constant: float = Field(default=0.0, ge=-1e6, le=1e6, allow_inf_nan=False)
    sd: float = Field(default=1.0, gt=0, le=1e6, allow_inf_nan=False)
    usual: float = Field(default=0.0, ge=-1e6, le=1e6, allow_inf_nan=False)
    spread: float = Field(default=1.0, gt=0, le=1e6, allow_inf_nan=False)

    def sum(self, asked: float, read: float | None) -> float | None:
        """The item's value; None where a reading is needed and there is none."""
        if read is None:
            return None if self.read else self.asked * asked + self.constant
        return math.fsum((self.asked * asked, self.read * read, self.constant))


class ItemWorth(Frozen):
    """One item. ``asked``, ``read``, ``both``: what it is worth got in that way, None where that wasn't measured or
    can't be had; ``weights`` of the sum behind ``both`` or ``asked``. ``added``: what asking adds to the worth,
    measured on the same texts with and without the answer; where it is missing, the difference of the worths stands
    for it. ``tokens``: what asking costs beyond the reading of the joke. ``question``: the key of the question that
    ``asked`` and ``both`` were measured with (``question_keys``). ``prose``: of sentences what the prose test found,
    which alone decides whether they are written and shown; ``asked`` is then the share that name the turn. ``no_turn``:
    of a question about sense the probability that a text works as a joke under which it is said that nothing turns."""

    kind: Kind
    id: Id
    measured: Measured
    asked: Worth | None = None
    read: Worth | None = None
    both: Worth | None = None
    added: Worth | None = None
    weights: JoinWeights | None = None
    tokens: int = Field(default=0, ge=0, le=10**6)
    question: str = Field(default="", max_length=200)
    prose: ProseFigures | None = None
    no_turn: float | None = Field(default=None, ge=0, le=1)

    @property
    def without_asking(self) -> float:
        """The worth that can be had without a question: that of the reading, or chance."""
        chance = CHANCE[self.measured]
        return max(chance, self.read.value) if self.read is not None else chance

    @property
    def gain(self) -> float:
        """How much more it is worth when the model is asked; 0 where that wasn't measured."""
        if self.added is not None:
            return self.added.value
        known = [worth.value for worth in (self.asked, self.both) if worth is not None]
        return max(known) - self.without_asking if known else 0.0

    @property
    def ask(self) -> bool:
        """Whether quick mode asks: it adds enough and that isn't luck, and the worth's interval lies above chance."""
        if self.kind == "prose":
            return self.prose is not None and self.prose.passed
        best = self._when_asked
        lucky = self.added is not None and self.added.low <= 0
        return best is not None and self.gain >= LEAST_GAIN and not lucky and best[1].low > CHANCE[self.measured]

    @property
    def source(self) -> Source | None:
        """Where the item comes from in quick mode; None where it can't be had but by asking, which adds too little."""
        if self.ask and (best := self._when_asked) is not None:
            return best[0]
        return "read" if self.read is not None else None

    @property
    def worth(self) -> Worth | None:
        source = self.source
        return {"asked": self.asked, "read": self.read, "both": self.both}[source] if source else None

    @property
    def shown(self) -> bool:
        """Whether it is shown as a finding: worth enough, and its interval above chance."""
        if self.kind == "prose":
            return self.ask
        worth = self.worth
        return worth is not None and worth.value >= LEAST_SHOWN[self.measured] and worth.low > CHANCE[self.measured]

    @property
    def _when_asked(self) -> tuple[Source, Worth] | None:
        """Both together where it was measured what that adds; else the better of that and the answer alone."""
        ways: list[tuple[Source, Worth]] = []
        if self.both is not None and self.added is not None:
            return "both", self.both
        if self.asked is not None:
            ways.append(("asked", self.asked))
        if self.both is not None:
            ways.append(("both", self.both))
        return max(ways, key=lambda way: way[1].value, default=None)

    def joined(self, asked: float | None, read: float | None) -> float | None:
        """The item's value from what it is got from in quick mode; None where that is missing."""
        if self.source == "read":
            return read
        if self.source is None or asked is None:
            return None
        if self.weights is None:
            return asked if self.source == "asked" else None
        return self.weights.sum(asked, read)

    def lowered(self, left: float) -> ItemWorth:
        """The same with ``left`` (0…1) of what asking is worth: of the answer's worth above chance, and of what it adds
        to the reading."""
        least = self.without_asking
        return self.replaced(
            asked=_shrunk(self.asked, CHANCE[self.measured], left),
            both=_shrunk(self.both, least, left),
            added=_shrunk(self.added, 0.0, left),
        )


class Plan(Frozen):
    """What is known of a model's items. An item that isn't in it isn't planned: where the model was never asked, all is
    asked, and what comes of it isn't shown as a finding. ``heads``: the editor's heads beside which the model was asked
    (``heads_key``), empty without such; ``texts``: on how many texts it was asked, 0 for never."""

    model_sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    heads: str = Field(default="", max_length=64)
    texts: int = Field(default=0, ge=0, le=10**6)
    items: tuple[ItemWorth, ...] = ()

    @property
    def planned(self) -> bool:
        """Whether it was measured what asking the model is worth."""
        return any(item.asked is not None and item.kind != "prose" for item in self.items)

    @property
    def decides(self) -> bool:
        """Whether it tells what a rating is made of: a factor is worth showing, or asking was tried."""
        return self.planned or any(item.kind == "factor" and item.shown for item in self.items)

    def of(self, kind: Kind, item: str) -> ItemWorth | None:
        """One item; None where it isn't planned."""
        return next((known for known in self.items if (known.kind, known.id) == (kind, item)), None)

    def asked(self, kind: Kind) -> tuple[str, ...]:
        """Ids of the items of a kind that quick mode asks about."""
        return tuple(item.id for item in self.items if (item.kind, item.ask) == (kind, True))

    @property
    def asks_of_ratings(self) -> bool:
        """Whether quick mode asks the model anything about a joke that is rated, before there is something to write."""
        return any(item.ask and item.kind in ("check", "sense", "kind", "factor") for item in self.items)

    @property
    def prose(self) -> ProseFigures | None:
        """What the prose test found of the model's sentences about a joke; None where it wasn't made."""
        return next((item.prose for item in self.items if item.kind == "prose"), None)

    @property
    def tokens(self) -> int:
        return sum(item.tokens for item in self.items if item.ask)

    def under(self, questions: Collection[str]) -> Plan:
        """The plan under today's questions: of an item whose question was reworded only the reading counts, and one
        that has none isn't planned any more. Those about sense are held against their words when they are asked."""
        found = []
        for item in self.items:
            kept = item
            if item.kind != "sense" and item.question and item.question not in questions:
                kept = item.replaced(asked=None, both=None, added=None, weights=None, question="", prose=None)
            if kept.read is not None or kept.asked is not None or kept.both is not None:
                found.append(kept)
        return self.replaced(items=tuple(found))

    def today(self) -> Plan:
        """The plan with its kinds under their ids of today. Of two that are one now the one stays that has that id,
        else the first."""
        there = {item.id for item in self.items if item.kind == "kind"}
        found: dict[tuple[str, str], ItemWorth] = {}
        for item in self.items:
            id = kind_today(item.id) if item.kind == "kind" else item.id
            if id == item.id or id not in there:
                found.setdefault((item.kind, id), item.replaced(id=id))
        return self.replaced(items=tuple(found.values()))

    def without(self, unread: Mapping[str, Collection[str]]) -> Plan:
        """The plan without items of the user's own and those whose meaning the user changed (ids by kind): what was
        measured of such an item was measured of its earlier meaning."""
        if not unread:
            return self
        return self.replaced(items=tuple(item for item in self.items if item.id not in unread.get(item.kind, ())))

    def beside(self, read: Plan) -> Plan:
        """The plan with the readings of ``read``, which are those of the heads in use. What was measured beside other
        heads is left out."""
        if self.heads != read.heads:
            return read
        mine = {(item.kind, item.id): item for item in self.items}
        found = []
        for item in read.items:
            own = mine.pop((item.kind, item.id), None)
            found.append(own.replaced(read=item.read) if own is not None else item)
        return self.replaced(items=(*found, *mine.values()))


def _shrunk(worth: Worth | None, towards: float, left: float) -> Worth | None:
    """A worth with ``left`` of its distance from ``towards``; one that lies below that stays."""
    if worth is None or worth.value <= towards:
        return worth
    value, low, high = (towards + left * (each - towards) for each in (worth.value, worth.low, worth.high))
    return Worth(value=value, low=min(low, value), high=max(high, value), n=worth.n)


class PlanFiles:
    """Plans that ship with the program and those made on this machine, which go first."""

    def __init__(self, shipped: Path, own: Path) -> None:
        self._shipped = shipped
        self._own = own

    def load(self, sha256: str) -> Plan:
        """What is known of a model: its plan from this machine, else the shipped one. Items that can't be true are
        passed over, each by itself."""
        own = _read(self._own, sha256)
        return own if own.items else _read(self._shipped, sha256)

    def save(self, plan: Plan) -> Path:
        """Write a plan among the user's own and return where. Raises ``SettingsError``."""
        return write_model_file(self._own, {"format": FORMAT, **plan.model_dump(mode="json", exclude_none=True)})


def _read(folder: Path, sha256: str) -> Plan:
    data = read_model_file(folder, sha256, format=FORMAT, most=_MOST_BYTES)
    rows = data.get("items")
    found: dict[tuple[str, str], ItemWorth] = {}
    for row in rows[:_MOST_ITEMS] if isinstance(rows, list) else ():
        try:
            item = ItemWorth.model_validate(row)
        except (ValidationError, RecursionError):
            continue
        found.setdefault((item.kind, item.id), item)
    plan = Plan(model_sha256=sha256, items=tuple(found.values()))
    known = {name: data[name] for name in ("heads", "texts") if name in data}
    try:
        return Plan.model_validate({**dict(plan), **known}, strict=True)
    except ValidationError:
        return plan


# -- A model's plan, made of what its heads' card says of reading and what was measured of asking.

_SECTIONS: tuple[tuple[Kind, Measured], ...] = (("check", "auc"), ("factor", "r"), ("kind", "auc"), ("fault", "auc"))
TURN = "turn"
EXPLANATION = "explanation"
"""The one item of the kind ``prose``: sentences about a joke that is rated."""


def plan_for(sha256: str, card: EditorCard | None, files: PlanFiles, keys: QuestionKeys | None = None) -> Plan:
    """What is known of a model whose editor's heads have this ``card`` (None: no heads), under the questions that
    ``keys`` names (None: whatever they were)."""
    found = files.load(sha256).today()
    if keys is not None:
        by_item = (keys.checks, keys.categories, keys.scores)
        found = found.under({keys.duel, keys.prose, *(key for each in by_item for key in each.values())})
    return found.beside(read_plan(sha256, card))


def read_plan(sha256: str, card: EditorCard | None) -> Plan:
    """What the heads' card says: every item with what reading it is worth."""
    if card is None:
        return Plan(model_sha256=sha256)
    return Plan(model_sha256=sha256, heads=heads_key(card), items=tuple(_items(card))).today()


def heads_key(card: EditorCard | None) -> str:
    """Which heads these are, as a plan remembers them: 16 hex digits, empty without heads."""
    return hashlib.sha256(card.text(notes=False).encode("utf-8")).hexdigest()[:16] if card is not None else ""


def _items(card: EditorCard) -> Iterator[ItemWorth]:
    for kind, measured in _SECTIONS:
        for id, figure in card.items.get(kind, {}).items():
            low, high = min(figure.low, figure.worth), max(figure.high, figure.worth)
            read = Worth(value=figure.worth, low=low, high=high, n=figure.n)
            yield ItemWorth(kind=kind, id=id, measured=measured, read=read)
    turn, n = card.figures.turn, card.readings
    low, high = wilson(turn * n, n)
    read = Worth(value=turn, low=min(low, turn), high=max(high, turn), n=n)
    yield ItemWorth(kind="turn", id=TURN, measured="share", read=read)


# -- Which findings are worth showing on a model: what follows from its plan.


@dataclass(frozen=True)
class Shown:
    """Ids of what is shown, each with its worth: correlation of a factor with the reference readings, area under the
    curve of a kind or fault. ``turn``: whether the words on which it turns are shown."""

    factors: Mapping[str, float] = field(default_factory=dict)
    kinds: Mapping[str, float] = field(default_factory=dict)
    faults: Mapping[str, float] = field(default_factory=dict)
    turn: bool = False

    @classmethod
    def of(cls, plan: Plan) -> Shown:
        """What the plan shows to be worth it."""
        return cls(
            factors=_worth(plan, "factor"),
            kinds=_worth(plan, "kind"),
            faults=_worth(plan, "fault"),
            turn=any(item.kind == "turn" and item.shown for item in plan.items),
        )


def _worth(plan: Plan, kind: Kind) -> dict[str, float]:
    return {
        item.id: item.worth.value
        for item in plan.items
        if (item.kind, item.shown) == (kind, True) and item.worth is not None
    }


# -- What is left of the worth of a model's answers, by kind of item, where something was found that moves them.

ASKED: tuple[Kind, ...] = ("duel", "factor", "check")
"""Kinds of item whose answers are audited by themselves."""


class AnswersLeft(Frozen):
    """Shares 0…1 of the worth above chance that the model's answers keep, by kind of item."""

    duel: float = 1.0
    factor: float = 1.0
    check: float = 1.0

    def of(self, kind: Kind) -> float:
        """The share of one kind; 1 for what isn't audited by itself."""
        return float(getattr(self, kind, 1.0))

    def lowered(self, plan: Plan) -> Plan:
        """The plan with these shares of what asking is worth (``ItemWorth.lowered``)."""
        items = (item.lowered(self.of(item.kind)) if self.of(item.kind) < 1.0 else item for item in plan.items)
        return plan.replaced(items=tuple(items))


NOTHING_FOUND = AnswersLeft()
