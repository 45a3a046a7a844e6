"""The worth of each item of a verdict on a model by its source, asked of the model, read from its states, or both, and
the resulting choice of items to ask and to show (METHODS, f)."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import Field, model_validator

from ...core.statistics import wilson
from ...core.verdicts import Frozen
from ...heads.editor_file import EditorCard
from ...rubric.xml_parser import kind_today
from .explanation import Flaw, contradicts, flaws, holds_turn, skeleton
from .question_keys import QuestionKeys

# -- The prose test: sentences that are the same for every joke, or repeat the joke, are of no use to a writer (METHODS,
# f)

LEAST_TURN = 0.60
"""Least share of the sentences that hold words of the joke's turn in the reference reading."""
MOST_ALIKE = 3
"""The most sentences of the test that may have the same skeleton."""


class ProseFigures(Frozen):
    """The prose test of a model: over ``texts`` jokes the share of sentences that hold words of the ``turn``, the count
    of the commonest skeleton (``alike``), and the number of texts in which a sentence repeats the joke (``echoes``),
    contradicts its neighbour (``contradictions``), breaks off (``broken``) or quotes words that aren't there
    (``untrue``)."""

    texts: int = Field(ge=0, le=10**6)
    turn: float = Field(ge=0, le=1)
    alike: int = Field(ge=0, le=10**6)
    echoes: int = Field(ge=0, le=10**6)
    contradictions: int = Field(ge=0, le=10**6)
    broken: int = Field(ge=0, le=10**6)
    untrue: int = Field(default=0, ge=0, le=10**6)

    @property
    def passed(self) -> bool:
        """Whether the model's prose is good enough to be shown beside the editor's note."""
        clean = not (self.echoes or self.contradictions or self.broken)
        return self.texts > 0 and self.turn >= LEAST_TURN and self.alike <= MOST_ALIKE and clean

    @property
    def in_words(self) -> str:
        """For example ``failed: 37 in 100 name what the joke turns on, the commonest form came 12 times, 3 of 30 give
        the joke back``."""
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
    """Return the test's results. ``rows``: for each joke its text, its turn, and the sentences about it: first why it
    works, then what weakens it."""
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


Kind = Literal["check", "kind", "factor", "fault", "turn", "duel", "prose"]
Source = Literal["asked", "read", "both"]
Measured = Literal["r", "auc", "share"]
"""The measure of a worth: a correlation −1…1 (chance 0), an area under the curve 0…1 (chance ½), or a share of pairs or
of sentences 0…1 (chance ½)."""

LEAST_GAIN = 0.03
"""Least worth that asking must add for its tokens."""
LEAST_SHOWN: dict[Measured, float] = {"r": 0.35, "auc": 0.70, "share": 0.60}
"""Least worth at which an item is shown; its interval must also lie above chance. A share is that of the prose test, or
of drafts and pairs."""
CHANCE: dict[Measured, float] = {"r": 0.0, "auc": 0.5, "share": 0.5}

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

    @classmethod
    def of(cls, value: float, low: float, high: float, n: int) -> Worth:
        """Return rounded figures, within −1…1, with an interval that holds the value."""
        value, low, high = (round(max(-1.0, min(1.0, float(part))), 4) for part in (value, low, high))
        return cls(value=value, low=min(low, value), high=max(high, value), n=n)

    def moved(self, by: Worth) -> Worth:
        """Return these figures plus a gain."""
        return Worth.of(self.value + by.value, self.value + by.low, self.value + by.high, by.n)


class JoinWeights(Frozen):
    """Weights of an answer and a reading in their sum: ``asked``·answer + ``read``·reading + ``constant``; weights ≥ 0.
    Terms and sum are scores 0…5 or log-odds. ``sd``: spread of the readers' scores about the sum; ``usual`` and
    ``spread``: its mean and deviation over the texts that it was measured on."""

    asked: float = Field(ge=0, le=1e6, allow_inf_nan=False)
    read: float = Field(ge=0, le=1e6, allow_inf_nan=False)
    constant: float = Field(default=0.0, ge=-1e6, le=1e6, allow_inf_nan=False)
    sd: float = Field(default=1.0, gt=0, le=1e6, allow_inf_nan=False)
    usual: float = Field(default=0.0, ge=-1e6, le=1e6, allow_inf_nan=False)
    spread: float = Field(default=1.0, gt=0, le=1e6, allow_inf_nan=False)

    def sum(self, asked: float, read: float | None) -> float | None:
        """Return the item's value; None where a reading is needed and missing."""
        if read is None:
            return None if self.read else self.asked * asked + self.constant
        return math.fsum((self.asked * asked, self.read * read, self.constant))


class ItemWorth(Frozen):
    """One item. ``asked``, ``read``, ``both``: its worth by source, None where that wasn't measured or isn't available;
    ``weights`` of the sum behind ``both`` or ``asked``. ``added``: the worth that asking adds, measured on the same
    texts with and without the answer; where it is missing, the difference of the worths is used. ``tokens``: cost of
    asking beyond the reading of the joke. ``question``: the key of the question with which ``asked`` and ``both`` were
    measured (``question_keys``). ``prose``: for sentences the result of the prose test, which alone decides whether
    they are written and shown; ``asked`` is then the share that name the turn."""

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

    @property
    def without_asking(self) -> float:
        """The worth without a question: that of the reading, or chance."""
        chance = CHANCE[self.measured]
        return max(chance, self.read.value) if self.read is not None else chance

    @property
    def gain(self) -> float:
        """The worth that asking adds; 0 where that wasn't measured."""
        if self.added is not None:
            return self.added.value
        known = [worth.value for worth in (self.asked, self.both) if worth is not None]
        return max(known) - self.without_asking if known else 0.0

    @property
    def ask(self) -> bool:
        """Whether quick mode asks: asking adds enough, not by chance, and the worth's interval lies above chance."""
        if self.kind == "prose":
            return self.prose is not None and self.prose.passed
        best = self._when_asked
        lucky = self.added is not None and self.added.low <= 0
        return best is not None and self.gain >= LEAST_GAIN and not lucky and best[1].low > CHANCE[self.measured]

    @property
    def source(self) -> Source | None:
        """The item's source in quick mode; None where only asking would give it, which adds too little."""
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
        """Answer and reading together where their gain was measured; else the better of these and the answer alone."""
        ways: list[tuple[Source, Worth]] = []
        if self.both is not None and self.added is not None:
            return "both", self.both
        if self.asked is not None:
            ways.append(("asked", self.asked))
        if self.both is not None:
            ways.append(("both", self.both))
        return max(ways, key=lambda way: way[1].value, default=None)

    def joined(self, asked: float | None, read: float | None) -> float | None:
        """Return the item's value from its source in quick mode; None where that is missing."""
        if self.source == "read":
            return read
        if self.source is None or asked is None:
            return None
        if self.weights is None:
            return asked if self.source == "asked" else None
        return self.weights.sum(asked, read)


class Plan(Frozen):
    """The worths of a model's items. An item that isn't in it isn't planned: where the model was never asked,
    everything is asked, and the answers aren't shown as findings. ``heads``: the editor heads with which the model was
    asked (``heads_key``), empty without heads; ``texts``: number of texts about which it was asked, 0 for never."""

    model_sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    heads: str = Field(default="", max_length=64)
    texts: int = Field(default=0, ge=0, le=10**6)
    items: tuple[ItemWorth, ...] = ()

    @property
    def planned(self) -> bool:
        """Whether the worth of asking the model was measured."""
        return any(item.asked is not None and item.kind != "prose" for item in self.items)

    @property
    def decides(self) -> bool:
        """Whether the plan decides a rating's items: a factor is worth showing, or asking was measured."""
        return self.planned or any(item.kind == "factor" and item.shown for item in self.items)

    def of(self, kind: Kind, item: str) -> ItemWorth | None:
        """Return one item; None where it isn't planned."""
        return next((known for known in self.items if (known.kind, known.id) == (kind, item)), None)

    def answer_worth(self, kind: Kind, item: str) -> float | None:
        """Return the worth of the model's own answer on an item; None where it wasn't measured."""
        known = self.of(kind, item)
        return known.asked.value if known is not None and known.asked is not None else None

    def asked(self, kind: Kind) -> tuple[str, ...]:
        """Return the ids of the items of a kind that quick mode asks about."""
        return tuple(item.id for item in self.items if (item.kind, item.ask) == (kind, True))

    @property
    def asks_of_ratings(self) -> bool:
        """Whether quick mode asks the model anything about a rated joke, apart from sentences."""
        return any(item.ask and item.kind in ("check", "kind", "factor") for item in self.items)

    @property
    def prose(self) -> ProseFigures | None:
        """The result of the prose test on the model's sentences about a joke; None where it wasn't made."""
        return next((item.prose for item in self.items if item.kind == "prose"), None)

    @property
    def answers(self) -> bool:
        """Whether the model's answers have worth at all: quick mode asks for some besides sentences."""
        return any(item.ask and item.kind != "prose" for item in self.items)

    @property
    def tokens(self) -> int:
        return sum(item.tokens for item in self.items if item.ask)

    def today(self, card: EditorCard | None, keys: QuestionKeys) -> Plan:
        """Return the plan for the editor heads with this ``card`` (None: no heads) and today's questions: an item whose
        question was reworded keeps only its reading, or is dropped if it has none."""
        by_item = (keys.checks, keys.categories, keys.scores)
        questions = {keys.duel, keys.prose, *(key for of_kind in by_item for key in of_kind.values())}
        found = []
        for item in self.items:
            kept = item
            if item.question and item.question not in questions:
                kept = item.replaced(asked=None, both=None, added=None, weights=None, question="", prose=None)
            if kept.read is not None or kept.asked is not None or kept.both is not None:
                found.append(kept)
        return self.replaced(items=tuple(found)).beside(read_plan(self.model_sha256, card))

    def without(self, unread: Mapping[str, Collection[str]]) -> Plan:
        """Return the plan without the user's own items and those whose meaning the user changed (ids by kind), as their
        worth was measured for the earlier meaning."""
        if not unread:
            return self
        return self.replaced(items=tuple(item for item in self.items if item.id not in unread.get(item.kind, ())))

    def beside(self, read: Plan) -> Plan:
        """Return the plan with the readings of ``read``, which are those of the heads in use. Measurements with other
        heads are left out."""
        if self.heads != read.heads:
            return read
        mine = {(item.kind, item.id): item for item in self.items}
        found = []
        for item in read.items:
            own = mine.pop((item.kind, item.id), None)
            found.append(own.replaced(read=item.read) if own is not None else item)
        return self.replaced(items=(*found, *mine.values()))


_SECTIONS: tuple[tuple[Kind, Measured], ...] = (("check", "auc"), ("factor", "r"), ("kind", "auc"), ("fault", "auc"))
TURN = "turn"
EXPLANATION = "explanation"
"""The one item of the kind ``prose``: sentences about a rated joke."""


def read_plan(sha256: str, card: EditorCard | None) -> Plan:
    """Return the plan of the heads' card alone: every item with the worth of its reading."""
    if card is None:
        return Plan(model_sha256=sha256)
    items: dict[tuple[str, str], ItemWorth] = {}
    of_card = tuple(_items(card))
    kinds = {item.id for item in of_card if item.kind == "kind"}
    for item in of_card:
        # Where two kinds have become one, the item that already has its id stays, else the first.
        id = kind_today(item.id) if item.kind == "kind" else item.id
        if id == item.id or id not in kinds:
            items.setdefault((item.kind, id), item.replaced(id=id))
    return Plan(model_sha256=sha256, heads=heads_key(card), items=tuple(items.values()))


def heads_key(card: EditorCard | None) -> str:
    """Return the identity of heads that a plan stores: 16 hex digits, empty without heads."""
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


# -- The findings to show on a model, by its plan


@dataclass(frozen=True)
class ShownItems:
    """Ids of the findings to show, each with its worth: correlation of a factor with the reference readings, area under
    the curve of a kind or fault. ``turn``: whether the words on which a joke turns are shown."""

    factors: Mapping[str, float] = field(default_factory=dict)
    kinds: Mapping[str, float] = field(default_factory=dict)
    faults: Mapping[str, float] = field(default_factory=dict)
    turn: bool = False

    @classmethod
    def of(cls, plan: Plan) -> ShownItems:
        """Return the findings of a plan whose worth is high enough."""
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
