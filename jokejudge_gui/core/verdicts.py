"""The types shared by all layers: verdicts and their parts."""

from __future__ import annotations

import math
import re
from enum import StrEnum
from typing import Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from .errors import ErrorInfo


class Frozen(BaseModel):
    """Base of the value types: immutable, unknown fields rejected."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    def replaced(self, **changes: Any) -> Self:
        """Return a copy with some fields changed. Raises ``ValidationError`` for an unknown name or an invalid value;
        pydantic's own ``model_copy`` accepts both."""
        known = {name: getattr(self, name) for name in type(self).model_fields}
        return type(self).model_validate(known | changes)


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


class Dissent(Frozen):
    """Number of models (``agree``) whose own verdict is the joint one, of those that gave one (``of``). ``finding``:
    the joint verdict in a sentence."""

    finding: str
    agree: int
    of: int


class PanelFindings(Frozen):
    """The verdicts of several models that judged together."""

    name: str
    members: tuple[PanelMember, ...]
    dissent: tuple[Dissent, ...] = ()


class Budget(Frozen):
    """Limits of reasoning beyond quick mode. ``tokens``: of all prompts, including those whose state is cached, so that
    the tree of a joke doesn't depend on the cache; ``seconds``: wall time, which depends on the machine; None: no
    limit."""

    branches: int = Field(default=48, ge=0, le=1000)
    tokens: int = Field(default=60_000, ge=0, le=10**8)
    seconds: float | None = Field(default=None, ge=0.0, le=86_400.0)


Kind = Literal["rate", "duel"]
Mode = Literal["quick", "deep"]
Asked = Literal["plan", "all"]
Side = Literal["A", "B"]
Winner = Literal["A", "B", "tie"]
Source = Literal["asked", "read", "both"]
"""Source of a number: the model's own answer, its hidden states, or both."""
Band = Literal["nearly identical", "slight", "clear", "strong", "overwhelming"]


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


class FactorRef(Frozen):
    """A factor to be scored; ``origin`` dynamic: written by the model, for this joke or an earlier one that no known
    factor fits; ``zero`` and ``five``: descriptions of a joke with that score."""

    id: str
    name: str
    origin: Literal["shared", "dynamic"] = "shared"
    explanation: str = ""
    zero: str = ""
    five: str = ""
    good_example: str = ""
    bad_example: str = ""


class Audience(Frozen):
    """The estimate learned from people's votes: percentile 0…100 among jokes that people voted on, and the head's
    score. ``low`` and ``high``: interval that contains people's own percentile eight times in ten; ``kind``: the
    recognised kind of text ("one-liners"), empty if it is none of those learned; ``agreement``: share of held-out pairs
    of that kind put in people's order, None if not measured; ``heard``: False if the text is so unlike all texts that
    people voted on that the percentile must not be shown."""

    percentile: float
    score: float
    low: float | None = None
    high: float | None = None
    kind: str = ""
    agreement: float | None = None
    heard: bool = True

    @property
    def said(self) -> Literal["upper", "lower", "unclear"]:
        """The half of such jokes that it is probably in; "unclear" unless the whole interval is on one side of 50."""
        if not self.heard or self.low is None or self.high is None or self.low <= 50.0 <= self.high:
            return "unclear"
        return "upper" if self.low > 50.0 else "lower"


class Span(Frozen):
    """Words of the text: ``start`` and ``end`` in characters, ``p`` the probability that they have the claimed
    property."""

    start: int
    end: int
    text: str
    p: float


class Sense(Frozen):
    """Whether a text works as a joke: ``joke`` and ``whole`` (it isn't broken off; None if unknown) are calibrated
    probabilities; ``said``: the conclusion; ``source``: whether the model was asked."""

    joke: float
    whole: float | None
    said: Literal["joke", "unsure", "no turn"]
    source: Source = "read"


class Support(Frozen):
    """Words of the text that support a meaning: ``start`` and ``end`` in characters."""

    start: int
    end: int
    text: str


class Wordplay(Frozen):
    """The second meaning of a pun: its words from ``start`` to ``end`` (characters). ``second``: the word or phrase
    that they stand for or sound like; empty if it is the same word in another sense. ``link``: the relation between the
    two. ``p``: calibrated probability that this is the text's wordplay. ``supports``: words of the text that support
    the meanings, for ``sense`` one for each meaning. ``sentence``: the finding in the words of criteria/notes.xml,
    without a full stop."""

    start: int
    end: int
    text: str
    second: str
    link: Literal["sound", "part", "phrase", "sense"]
    p: float
    supports: tuple[Support, ...] = ()
    sentence: str = ""


class Offence(Frozen):
    """Whether some people would take offence. ``p``: the calibrated probability; ``trust``: correlation of the head
    with people's judgements, on held-out texts; ``stated``: it is likely enough to be reported (of the texts for which
    it is, at least six in ten offend)."""

    p: float
    trust: float
    stated: bool


class VerdictResult(Frozen):
    """Fields of a verdict of any kind, complete or (when stopped or failed) partial. ``kind``: the name of its kind;
    ``stage_seconds``: wall time by ``Stage``, of stages with a time of their own; ``head_version``: of the audience
    head in use, empty without one; ``build``: of llama.cpp, since builds round differently; ``ask`` and ``explain``: as
    requested, None in verdicts of older versions."""

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


class OrderResult(Frozen):
    """One order of a duel: the joke that stood first, and the resulting probability of A."""

    first: Side
    p_a: float
    log_odds_a: float
    label_mass: float = 1.0


class Share(Frozen):
    """One measurement in a duel: its weight in the sum (0…1) and its own log-odds for A."""

    name: Literal["pair", "alone", "audience", "drafts"]
    share: float
    log_odds_a: float


class ProbabilityA(Frozen):
    """A probability that A is the funnier one."""

    p_a: float


class Drafts(Frozen):
    """Two versions of one joke, judged by a head trained on an editor's drafts. ``p_a``: probability that an editor
    prefers A; ``agreement``: share of held-out drafts on which the head agrees with the editor; ``fault``: id of the
    worse one's fault, None if unknown; ``fault_p``: its probability."""

    same_joke: bool = True
    p_a: float
    agreement: float
    fault: str | None = None
    fault_p: float | None = None


Edit = Literal["cut", "added", "moved", "word", "end", "reworded", "different"]
"""The relation of one text to another: its beginning; with additional words; the same words in another order; up to
three words replaced; another end after the same beginning; reworded; another text."""

TIE_FACTOR = 1.1
"""Odds under which two jokes are nearly identical, which is a tie: probabilities from .476 to .524."""


def side_of(p_a: float) -> Winner:
    """Return the winner by the probability that A is the funnier one; a tie near one half."""
    low = 1.0 / (1.0 + TIE_FACTOR)
    return "A" if p_a > 1.0 - low else "B" if p_a < low else "tie"


class DuelText(Frozen):
    """Findings on one text of a duel. ``turn``: the words on which it turns; ``said``: whether it works as a joke; None
    if unknown. ``kind`` and ``agreement``: as in ``Audience``; ``heard``: False if the text is so unlike all texts that
    people voted on that the head doesn't apply to it."""

    turn: Span | None = None
    said: Literal["joke", "unsure", "no turn"] | None = None
    kind: str = ""
    agreement: float | None = None
    heard: bool = True


class DuelResult(VerdictResult):
    """A duel's verdict. ``confidence_factor`` ≥ 1: the odds of the winner; ``measured_factor``: the same before it was
    limited because of inconsistent orders or noise (``within_noise``: the difference is finer than the model's
    numerical noise); ``position_bias`` in probability, positive: the first place is favoured; ``edit``: the relation of
    the two texts; ``people``: number of such pairs in 100 on which people agree with the judge, None if not measured;
    ``read_a`` and ``read_b``: findings on each text, None if neither was read."""

    kind: ClassVar[str] = "duel"
    text_a: str
    text_b: str
    winner: Winner | None = None
    p_a: float | None = None
    confidence_factor: float | None = None
    measured_factor: float | None = None
    band: Band | None = None
    within_noise: bool = False
    consistent: bool | None = None
    position_bias: float | None = None
    orders: tuple[OrderResult, ...] = ()
    shares: tuple[Share, ...] = ()
    audience: ProbabilityA | None = None
    length_controlled: ProbabilityA | None = None
    drafts: Drafts | None = None
    edit: Edit | None = None
    people: int | None = None
    read_a: DuelText | None = None
    read_b: DuelText | None = None
    context: str = ""
    everything_asked: bool = False
    generator: str = ""
    panel: PanelFindings | None = None

    def mirrored(self) -> DuelResult:
        """Return the same verdict with A and B exchanged."""
        values = {name: _turned(name, value) for name, value in self.model_dump().items()}
        turned = {
            f"{name}_{side}": values[f"{name}_{other}"] for name in ("text", "read") for side, other in ("ab", "ba")
        }
        return DuelResult.model_validate({**values, **turned})


def _turned(name: str, value: Any) -> Any:
    """Return the value of a duel's field with A and B exchanged."""
    match value:
        case dict():
            return {key: _turned(key, part) for key, part in value.items()}
        case tuple():
            return tuple(_turned(name, part) for part in value)
        case float() if name == "p_a":
            return 1.0 - value
        case float() if name == "log_odds_a":
            return -value
        # Text written by a model names the jokes by their role ("The preferred joke…") and stays as it is.
        case str() if name in ("winner", "first") or (name in _NAMING_SIDES and not value.startswith("The ")):
            return _SIDE.sub(lambda found: "B" if found.group() == "A" else "A", value)
    return value


_NAMING_SIDES = ("explanation", "headline", "finding")
_SIDE = re.compile(r"\b[AB]\b")


class Status(StrEnum):
    """State of a verdict in the history."""

    RUNNING = "running"
    FINISHED = "finished"
    FAILED = "failed"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"
