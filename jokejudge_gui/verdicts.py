"""The types that every layer speaks: verdicts and their parts."""

from __future__ import annotations

import math
import re
from enum import StrEnum
from typing import Any, ClassVar, Literal

from pydantic import Field

from .errors import ErrorInfo as ErrorInfo
from .frozen import Frozen as Frozen
from .model_ref import ModelRef as ModelRef
from .panel_findings import Dissent as Dissent
from .panel_findings import PanelFindings as PanelFindings
from .panel_findings import PanelMember as PanelMember
from .reasoned import Budget, ReasoningTree

Kind = Literal["rate", "duel"]
Mode = Literal["quick", "deep"]
Asked = Literal["plan", "all"]
Side = Literal["A", "B"]
Winner = Literal["A", "B", "tie"]
Pathway = Literal["standard", "independent", "dynamic"]
Source = Literal["asked", "read", "both"]
"""Where a number comes from: the model's own answer, its hidden states, or both."""
Band = Literal["nearly identical", "slight", "clear", "strong", "overwhelming"]


CHECKS = ("intent", "completeness", "appropriateness", "coherence", "accessibility")


class Usage(Frozen):
    """What a call or a verdict cost. ``tokens_evaluated``: went through the model, prompt and text alike.
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
        """What came after ``earlier``."""
        return Usage(
            tokens_evaluated=self.tokens_evaluated - earlier.tokens_evaluated,
            tokens_reused=self.tokens_reused - earlier.tokens_reused,
            seconds=self.seconds - earlier.seconds,
        )


class CheckResult(Frozen):
    """One admissibility check. ``p_admit`` in 0…1 (calibrated); ``reliable``: has power on this model."""

    check: str
    p_admit: float
    passed: bool
    reliable: bool
    source: Source = "asked"


class CategoryScore(Frozen):
    """One category. Asked: ``p`` is the probability of the standardised log-odds, ``chosen`` if z ≥ 1 and among the
    top. Read: ``p`` is calibrated (of those stated at .8, eight in ten are right), ``chosen`` if it is likelier than
    not; ``z`` is 0 then. ``trust``: AUC against the reference readings, out of fold; None where it wasn't measured."""

    id: str
    name: str
    p: float
    z: float
    chosen: bool
    source: Source = "asked"
    trust: float | None = None


class FactorRef(Frozen):
    """A factor to be scored; ``origin`` dynamic: written by the model, for this joke or an earlier one that no known
    factor fits; ``zero`` and ``five``: what a joke is like that scores so."""

    id: str
    name: str
    origin: Literal["shared", "dynamic"] = "shared"
    explanation: str = ""
    zero: str = ""
    five: str = ""
    good_example: str = ""
    bad_example: str = ""


class FactorScore(Frozen):
    """A scored factor. ``score`` 0…5 reported, ``expected`` and ``sd`` of the label distribution, ``entropy`` in 0…1,
    ``probabilities`` of 0…5, ``label_mass`` in 0…1, ``separates``: whether this model tells jokes apart on it
    (None: not measured). ``score`` is None when the model gave no answer (label mass under .5). ``trust``: correlation
    with the reference readings, out of fold; None where it wasn't measured."""

    id: str
    name: str
    origin: Literal["shared", "dynamic"]
    score: int | None
    expected: float | None
    sd: float | None
    entropy: float | None = None
    probabilities: tuple[float, ...] = ()
    label_mass: float = 1.0
    separates: bool | None = None
    source: Source = "asked"
    trust: float | None = None


class Audience(Frozen):
    """Estimate learned from people's votes: percentile 0…100 among jokes that people voted on, and the head's score.
    ``low`` and ``high``: where people would put it, eight times in ten; ``kind``: the kind of text that it was taken
    for ("one-liners"), empty where it is of none that was learned; ``agreement``: share of held-out pairs of that kind
    put in people's order, None where it wasn't measured; ``heard``: False where the text is so unlike all that people
    voted on that the percentile should be shown to nobody."""

    percentile: float
    score: float
    low: float | None = None
    high: float | None = None
    kind: str = ""
    agreement: float | None = None
    heard: bool = True


class FaultScore(Frozen):
    """Something that holds a text back, with its calibrated probability; only those that are shown are kept."""

    id: str
    name: str
    p: float
    trust: float | None = None


class FaultVoice(Frozen):
    """What a model says of a fault of the user's own, which is never a finding. ``p``: probability that the text has
    it, as the model answers (not calibrated), ``usual``: the same of usual jokes; ``p`` is None for the ``reason``."""

    id: str
    name: str
    p: float | None
    usual: float | None = None
    reason: str = ""


class Span(Frozen):
    """Words of the text: ``start`` and ``end`` in characters, ``p`` the probability that they are what is claimed."""

    start: int
    end: int
    text: str
    p: float


class ListenerVoice(Frozen):
    """What a model says for one listener. ``id``: empty for one of the user's own; ``p``: probability that the listener
    would laugh, as the model answers (not calibrated), ``anyone``: the same for an ordinary listener; both None where
    the listener wasn't asked for the ``reason``. ``why``: the model's own words for its answer, from models that passed
    the prose test; else empty."""

    id: str
    name: str
    p: float | None
    anyone: float | None
    reason: str = ""
    why: str = ""


class Offence(Frozen):
    """Whether some people would take offence. ``p``: the calibrated probability that they would; ``trust``: correlation
    of the head with what people said, on texts that it hadn't learned from; ``stated``: it is likely enough to be said
    (of texts of which it is said, at least six in ten are such)."""

    p: float
    trust: float
    stated: bool


class Reference(Frozen):
    """Something that a text speaks of and a reader must know: ``start`` and ``end`` in characters. ``why``: ``name``, a
    person, work, place or thing by name; ``time``, a year, which dates the joke. ``source``: found by how it is
    written, or named by the model; that one says what the words point at (``name``), of which ``kind`` that is ("film")
    and of which ``year``, None where it has none."""

    text: str
    start: int
    end: int
    why: Literal["name", "time"]
    source: Literal["text", "model"] = "text"
    name: str = ""
    kind: str = ""
    year: int | None = None


class Trial(Frozen):
    """An edit that the program made and read again. ``kind``: cut, end on the turn, without the explanation;
    ``change``: the words that went or moved; ``p_better``: probability that an editor prefers it to the text as it is;
    ``percentile``: the audience's for it, None without an audience."""

    kind: str
    text: str
    change: str
    p_better: float
    percentile: float | None = None


class EditorNote(Frozen):
    """What an editor would say, a sentence or two each, empty where nothing was found; the edits that were worth
    showing, the best one first."""

    works: str = ""
    weakens: str = ""
    apart: str = ""
    trials: tuple[Trial, ...] = ()


class Prose(Frozen):
    """The model's own sentences about a joke. ``passed``: whether this model passed the prose test, None where it
    wasn't made; ``revised``: they went through a critique and were written anew."""

    text: str
    passed: bool | None = None
    revised: bool = False

    @property
    def mark(self) -> str:
        """What a reader should know of them."""
        how = "Written by the model and revised once" if self.revised else "Written by the model"
        if self.passed is None:
            return f"{how}; what its sentences are worth wasn't measured."
        if self.passed:
            return f"{how}. It passed the prose test."
        return f"{how}. It failed the prose test: don't rely on it."


class VerdictResult(Frozen):
    """What a verdict of any kind holds, whole or (when stopped or failed) as far as it came. ``kind``: the name of its
    kind; ``stage_seconds``: wall time of the stages that took one of their own, by ``Stage``; ``head_version``: of the
    audience head that was heard, empty without one; ``ask`` and ``explain``: as it was asked for, None where an older
    version of the program didn't say."""

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
    calibrated: bool = False
    error: ErrorInfo | None = None

    @property
    def seconds(self) -> float:
        """What the whole took, never less than its stages: those of ``usage`` are the engine's alone."""
        return max(self.usage.seconds, math.fsum(self.stage_seconds.values()))

    def contract_end(self) -> dict[str, Any]:
        """What every kind's JSON object ends with."""
        return {
            "explanation": self.explanation,
            "warnings": list(self.warnings),
            "usage": self.usage.model_dump(),
            "model": self.model.model_dump() if self.model else None,
            "error": self.error.model_dump() if self.error else None,
        }


class RatingResult(VerdictResult):
    """A rating verdict. ``context``: the topic or scene that the joke is about; ``everything_asked``: every question of
    the pipeline was asked, whatever it is worth on this model; ``weights``: the user's own, of factors that were scored
    (by id; empty: none are set); ``generator``: the model that wrote the text, empty where nobody said; ``panel``: what
    each of several models said that gave it together; ``tree``: of a deep verdict; ``own_faults``: what the model says
    of faults of the user's own; ``asked_listeners`` and ``budget``: as they were asked for."""

    kind: ClassVar[str] = "rate"
    text: str
    admissible: bool | None = None
    forced: bool = False
    rejection: str | None = None
    admissibility: tuple[CheckResult, ...] = ()
    pathway: Pathway | None = None
    categories: tuple[CategoryScore, ...] = ()
    factors: tuple[FactorScore, ...] = ()
    max_score: float | None = None
    mean_score: float | None = None
    spread: float | None = None
    weighted_score: float | None = None
    audience: Audience | None = None
    faults: tuple[FaultScore, ...] = ()
    turn: Span | None = None
    cuts: tuple[Span, ...] = ()
    note: EditorNote | None = None
    references: tuple[Reference, ...] = ()
    offence: Offence | None = None
    listeners: tuple[ListenerVoice, ...] = ()
    own_faults: tuple[FaultVoice, ...] = ()
    prose: Prose | None = None
    context: str = ""
    everything_asked: bool = False
    weights: dict[str, float] = Field(default_factory=dict)
    tree: ReasoningTree | None = None
    generator: str = ""
    panel: PanelFindings | None = None
    asked_listeners: tuple[str, ...] = ()
    budget: Budget | None = None


class OrderResult(Frozen):
    """One order of a duel: which joke stood first, and the probability it gave to A."""

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
    """Two versions of one joke, judged by what was learned from an editor's drafts. ``p_a``: probability that an editor
    prefers A; ``agreement``: share of unseen drafts on which the head agrees with the editor; ``fault``: id of what the
    worse one has, None where it can't be told; ``fault_p``: its probability."""

    same_joke: bool = True
    p_a: float
    agreement: float
    fault: str | None = None
    fault_p: float | None = None


TIE_FACTOR = 1.1
"""Odds under which two jokes are nearly identical, which is a tie: probabilities from .476 to .524."""


def side_of(p_a: float) -> Winner:
    """Which side a probability that A is the funnier one speaks for; a tie where it hardly speaks for either."""
    low = 1.0 / (1.0 + TIE_FACTOR)
    return "A" if p_a > 1.0 - low else "B" if p_a < low else "tie"


class DuelResult(VerdictResult):
    """A duel's verdict. ``confidence_factor`` ≥ 1 is the odds of the winner; ``measured_factor`` what was measured
    before a cap on inconsistent orders, or by noise (``within_noise``: the difference is finer than the model's
    numerical noise); ``position_bias`` in probability, positive: the first place is favoured."""

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
    context: str = ""
    everything_asked: bool = False
    generator: str = ""
    panel: PanelFindings | None = None

    def mirrored(self) -> DuelResult:
        """The same verdict with A and B exchanged."""
        values = {name: _turned(name, value) for name, value in self.model_dump().items()}
        return DuelResult.model_validate({**values, "text_a": self.text_b, "text_b": self.text_a})


def _turned(name: str, value: Any) -> Any:
    """A field of a duel's result as it is when A and B are exchanged."""
    match value:
        case dict():
            return {key: _turned(key, part) for key, part in value.items()}
        case tuple():
            return tuple(_turned(name, part) for part in value)
        case float() if name == "p_a":
            return 1.0 - value
        case float() if name == "log_odds_a":
            return -value
        # What a model writes names the jokes by their part ("The preferred joke…") and stays as it is.
        case str() if name in ("winner", "first") or (name in _NAMING_SIDES and not value.startswith("The ")):
            return _SIDE.sub(lambda found: "B" if found.group() == "A" else "A", value)
    return value


_NAMING_SIDES = ("explanation", "headline", "finding")
_SIDE = re.compile(r"\b[AB]\b")

Result = RatingResult | DuelResult


class Status(StrEnum):
    """Where a verdict in the history stands."""

    RUNNING = "running"
    FINISHED = "finished"
    FAILED = "failed"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"
