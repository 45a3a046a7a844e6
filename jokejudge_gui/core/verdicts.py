"""The types shared by all layers: verdicts and their parts."""

from __future__ import annotations

import math
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from .errors import ErrorInfo


class Frozen(BaseModel):
    """Base of the value types: immutable, unknown fields rejected."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    def replaced(self, **changes: Any) -> Self:
        """Return a copy with some fields changed. Raises ``ValidationError`` for an unknown name or an invalid value;
        pydantic's own ``model_copy`` accepts both."""
        values = {name: getattr(self, name) for name in type(self).model_fields}
        return type(self).model_validate(values | changes)


def having(*names: str) -> AfterValidator:
    """Return the check that a stored object has these fields, so that a damaged one is found where it is read."""

    def checked(value: dict[str, Any]) -> dict[str, Any]:
        if not value.keys() >= {*names}:
            raise ValueError(f"it hasn't all of {', '.join(names)}")
        return value

    return AfterValidator(checked)


class ModelRef(Frozen):
    """The model that gave a verdict."""

    name: str
    sha256: str


class PanelMember(Frozen):
    """The verdict of one of several models. ``verdict``: the id of its own verdict; ``worth``: share of held-out pairs
    of this kind of text that it puts in people's order, None if not measured; ``weight`` 0…1: its share in the joint
    verdict; ``headline``: its verdict in a sentence; ``percentile`` of a rating or ``p_a`` of a duel; ``error``: why it
    has no verdict."""

    model: ModelRef
    verdict: str | None = None
    worth: float | None = None
    weight: float = 0.0
    headline: str = ""
    percentile: float | None = None
    p_a: float | None = None
    error: ErrorInfo | None = None


class PanelFindings(Frozen):
    """The verdicts of several models that judged together. ``dissent``: the joint verdict in a sentence (``finding``),
    and the number of models whose own verdict it is (``agree``), of those that gave one (``of``)."""

    name: str
    members: tuple[PanelMember, ...]
    dissent: tuple[Annotated[dict[str, Any], having("finding", "agree", "of")], ...] = ()


Kind = Literal["rate", "duel"]
Mode = Literal["quick", "deep"]
Asked = Literal["plan", "all"]
Side = Literal["A", "B"]
Winner = Literal["A", "B", "tie"]
Source = Literal["asked", "read", "both"]
"""Source of a number: the model's own answer, its hidden states, or both."""


CHECKS = ("intent", "completeness", "appropriateness", "coherence", "accessibility")


class Usage(Frozen):
    """The cost of a call or a verdict. ``tokens_evaluated``: tokens that the model computed, of prompts and text.
    ``tokens_reused``: prompt tokens whose state was found in memory or on disk. ``seconds``: wall time."""

    tokens_evaluated: int = 0
    tokens_reused: int = 0
    seconds: float = 0.0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            tokens_evaluated=self.tokens_evaluated + other.tokens_evaluated,
            tokens_reused=self.tokens_reused + other.tokens_reused,
            seconds=self.seconds + other.seconds,
        )

    def __sub__(self, earlier: Usage) -> Usage:
        """Return the usage since ``earlier``."""
        return Usage(**{name: value - getattr(earlier, name) for name, value in self})


class CheckResult(Frozen):
    """One admissibility check. ``p_admit`` in 0…1 (calibrated); ``reliable``: whether it has power on this model."""

    check: str
    p_admit: float
    passed: bool
    reliable: bool
    source: Source = "asked"


LEANS = 0.6
"""Odds from which a half of people's votes is stated."""


class Audience(Frozen):
    """The estimate learned from people's votes: percentile 0…100 among jokes that people voted on, and the head's
    score. ``upper``: the odds of the upper half of people's votes, 0…1; ``low`` and ``high``: interval that contains
    people's own percentile eight times in ten; ``kind``: the recognised kind of text ("one-liners"), empty if it is
    none of those learned; ``agreement``: share of held-out pairs of that kind put in people's order, None if not
    measured."""

    percentile: float
    score: float
    upper: float = 0.5
    low: float | None = None
    high: float | None = None
    kind: str = ""
    agreement: float | None = None
    heard: bool = True

    @property
    def said(self) -> Literal["upper", "lower", "unclear"]:
        """The half of people's votes that it leans to; "unclear" where the odds are nearly even."""
        return "upper" if self.upper >= LEANS else "lower" if self.upper <= 1.0 - LEANS else "unclear"


class Span(Frozen):
    """Words of the text: ``start`` and ``end`` in characters, ``p`` the probability that they have the claimed
    property."""

    start: int
    end: int
    text: str
    p: float


class Laugh(Frozen):
    """The chance ``p`` that people laugh after a sentence: its ``start`` and ``end`` in characters of the text."""

    start: int
    end: int
    p: float

    @property
    def mark(self) -> Literal["likely", "maybe", ""]:
        """What is said of it."""
        return "likely" if self.p >= LIKELY else "maybe" if self.p >= MAYBE else ""


LIKELY, MAYBE = 0.55, 0.48
"""Least chances of a laugh at which it is said to be likely, and to be possible."""


class Sense(Frozen):
    """Whether a text works as a joke: ``joke`` and ``whole`` (it isn't broken off; None if unknown) are calibrated
    probabilities; ``said``: the conclusion; ``source``: whether the model was asked."""

    joke: float
    whole: float | None
    said: Literal["joke", "unsure", "no turn"]
    source: Source = "read"


class Wordplay(Frozen):
    """The second meaning of a pun: its words from ``start`` to ``end`` (characters). ``second``: the word or phrase
    that they stand for or sound like; empty for the same word in another sense and for a set phrase taken word by word
    (``literal``). ``link``: the relation between the two. ``p``: calibrated probability that this is the text's
    wordplay. ``supports``: words of the text that support the meanings, for ``sense`` one for each meaning.
    ``sentence``: the finding in the words of criteria/notes.xml, without a full stop."""

    start: int
    end: int
    text: str
    second: str
    link: Literal["sound", "part", "phrase", "sense", "literal"]
    p: float
    supports: tuple[Annotated[dict[str, Any], having("start", "end", "text")], ...] = ()
    sentence: str = ""


WIDE, OFTEN = 3, 5
"""Collections, and times in them, from which a joke is widely told."""


class Heard(Frozen):
    """Where a joke is told. ``where``: in how many collections of jokes, in words; ``likeness`` 0…1 to the telling that
    is nearest; ``same``: what is told, the whole joke or its punchline after another set-up; ``collections``: the
    number of those that have it, of ``of`` that were searched; ``times``: the number of its tellings there."""

    where: str
    likeness: float
    same: Literal["joke", "punchline"] = "joke"
    collections: int = 1
    of: int = 1
    times: int = 1

    @property
    def widely(self) -> bool:
        """Whether it stands in several collections, or many times; a single place may be the only one where it was ever
        told."""
        return self.collections >= WIDE or self.times >= OFTEN

    @property
    def settles(self) -> bool:
        """Whether the text is a joke because it is widely told, and not its punchline alone."""
        return self.widely and self.same == "joke"


class Earlier(Frozen):
    """An earlier text of the user's own, that another one is like. ``id``: of its verdict in the history, made on
    ``day`` of the user's calendar (2026-03-31)."""

    id: str
    day: str
    text: str
    likeness: float


class Offence(Frozen):
    """Whether some people would take offence. ``p``: the calibrated probability; ``trust``: correlation of the head
    with people's judgements, on held-out texts; ``stated``: it is likely enough to be reported (of the texts for which
    it is, at least six in ten offend)."""

    p: float
    trust: float
    stated: bool


class VerdictResult(Frozen, frozen=False):
    """Fields of a verdict of any kind, complete or (when stopped or failed) partial. ``kind``: the name of its kind;
    ``stage_seconds``: wall time by ``Stage``, of stages with a time of their own; ``head_version``: of the audience
    head in use, empty without one; ``build``: of llama.cpp, since builds round differently; ``ask`` and ``explain``: as
    requested, None in verdicts of older versions.

    Its judge fills it field by field, and hands out copies (``freeze``), which nobody changes. An unknown name is an
    error when it is set, a value of a wrong type when it is copied."""

    kind: ClassVar[str]
    id: str
    explanation: str | None = None
    warnings: tuple[str, ...] = ()
    stage_seconds: dict[str, float] = Field(default_factory=dict)
    usage: Usage = Usage()
    model: ModelRef | None = None
    seed: int = 1
    mode: Mode = "quick"
    ask: Asked | None = None
    explain: bool | None = None
    prompt_version: str = ""
    criteria_version: str = ""
    head_version: str = ""
    build: str = ""
    calibrated: bool = False
    error: ErrorInfo | None = None

    def warn(self, sentence: str) -> None:
        """Add a warning; an empty one is none."""
        self.warnings = (*self.warnings, *([sentence] if sentence else []))

    def freeze(self) -> Self:
        """Return a copy with the fields set so far."""
        return type(self).model_validate(dict(self))

    @property
    def seconds(self) -> float:
        """Wall time of the whole verdict, at least the sum of its stages: ``usage`` counts the engine's alone."""
        return max(self.usage.seconds, math.fsum(self.stage_seconds.values()))

    def contract_end(self) -> dict[str, Any]:
        """Return the fields that end every kind's JSON object."""
        return {
            "explanation": self.explanation,
            "warnings": list(self.warnings),
            "usage": self.usage.model_dump(),
            "model": self.model.model_dump() if self.model else None,
            "build": self.build,
            "error": self.error.model_dump() if self.error else None,
        }


Edit = Literal["cut", "added", "moved", "word", "end", "reworded", "different", "explained", "tagged"]
"""The relation of one text to another: its beginning; with additional words; the same words in another order; up to
three words replaced; another end after the same beginning; reworded; another text; a whole joke with an explanation, or
with something else, behind it."""


class Status(StrEnum):
    """State of a verdict in the history."""

    RUNNING = "running"
    FINISHED = "finished"
    FAILED = "failed"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"
