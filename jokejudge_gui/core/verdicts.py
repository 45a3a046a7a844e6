"""The types that every layer speaks: verdicts and their parts."""

from __future__ import annotations

import math
import re
from enum import StrEnum
from typing import Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from .errors import ErrorInfo
from .languages import is_english


class Frozen(BaseModel):
    """Base of every value here: immutable, strict about unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    def replaced(self, **changes: Any) -> Self:
        """A copy with some fields changed. Raises ``ValidationError`` for a name that it doesn't have or a value that
        it can't have; pydantic's own ``model_copy`` takes both."""
        known = {name: getattr(self, name) for name in type(self).model_fields}
        return type(self).model_validate(known | changes)


class ModelRef(Frozen):
    """The model that gave a verdict."""

    name: str
    sha256: str


class PanelMember(Frozen):
    """What one model of a panel said. ``verdict``: the id of its own verdict; ``worth``: share of held-out pairs of
    this kind of text that it puts in people's order, None where that wasn't measured; ``weight`` 0…1: its part in what
    leads (the audience of a rating, the answer of a duel), 1 over all members; ``headline``: its verdict in a
    sentence; ``percentile`` of a rating or ``p_a`` of a duel; ``error``: why it has no verdict."""

    model: ModelRef
    verdict: str | None = None
    worth: float | None = None
    weight: float = 0.0
    headline: str = ""
    percentile: float | None = None
    p_a: float | None = None
    error: ErrorInfo | None = None


Voice = Literal["audience", "editor", "admission", "verdict"]


class Dissent(Frozen):
    """How many of the models that said anything of it side with a panel's finding. ``voice``: whose finding it is;
    ``finding``: as a sentence without its stop."""

    voice: Voice
    finding: str
    agree: int
    of: int


class PanelFindings(Frozen):
    """A verdict that several models gave together. ``votes``: as how many independent ones they count, from how far
    their errors correlate (``correlation``, −1…1); ``measured``: whether that correlation was measured for all of them
    or some of it is taken from other models."""

    name: str
    members: tuple[PanelMember, ...]
    votes: float = 1.0
    correlation: float | None = None
    measured: bool = False
    dissent: tuple[Dissent, ...] = ()


# -- the tree of a deep verdict: what was doubted, how it was read again, and what that came to ----------------------

NodeKind = Literal["check", "kind", "factor", "verdict"]
How = Literal[
    "as in quick mode", "another wording", "another form", "other examples", "written steps", "a strict reader",
    "without its turn", "another listener",
]  # fmt: skip
"""How a branch reads its node anew."""
Ended = Literal["settled", "branches", "tokens", "seconds", "stopped", "nothing to ask"]
"""Why no further branch was opened: all doubt was settled, a budget was spent, the user stopped it, or no further
reading is worth anything on this model."""


class Budget(Frozen):
    """How far reasoning may go beyond quick mode. ``tokens``: of all prompts, those included whose state is kept, so
    that the same joke gets the same tree whatever is kept; ``seconds``: wall time, which depends on the machine; None:
    no limit."""

    branches: int = Field(default=48, ge=0, le=1000)
    tokens: int = Field(default=60_000, ge=0, le=10**8)
    seconds: float | None = Field(default=None, ge=0.0, le=86_400.0)


class Branch(Frozen):
    """One independent reading of a node. ``value`` on the node's scale; None where the model gave no answer (label
    ``mass`` 0…1 under one half). ``distribution``: of the levels 0…5, for factors. ``reason``: what the model wrote
    after "because", empty where it wrote nothing that holds, or isn't let to. ``counts``: it is averaged into the node;
    a branch that doesn't tells what hangs on the part that was taken away (``taken``), asked in the same way as the
    branch ``beside`` it. ``listener``: who was asked for."""

    how: How
    value: float | None = None
    mass: float = 1.0
    distribution: tuple[float, ...] = ()
    reason: str = ""
    counts: bool = True
    taken: str = ""
    beside: How | None = None
    listener: str = ""


AUDIENCE, LAUGHS = "verdict:audience", "verdict:laughs"
"""The nodes of the audience's estimate, and of who would laugh as the model answers."""


class Node(Frozen):
    """A question with its readings. ``before`` and ``after``: its value in quick mode and now: a factor 0…5, checks and
    kinds as log-odds (nats), the verdict as a percentile 0…100, who laughs as a probability in 100. ``error``: standard
    error of ``after`` over the branches, None for fewer than two. ``doubts``: why it was opened, in words; ``loops``:
    how often a contradiction led back to it. ``power`` 0…1: how far the branches count, by what is found in the joke's
    mirror; the rest goes to ``usual``, what the model says of jokes at large."""

    id: str
    kind: NodeKind
    name: str
    before: float | None = None
    after: float | None = None
    error: float | None = None
    doubts: tuple[str, ...] = ()
    branches: tuple[Branch, ...] = ()
    settled: bool = True
    loops: int = 0
    power: float = 1.0
    usual: float | None = None


class ReasoningTree(Frozen):
    """All nodes in the order of their stages. ``contradictions``: what led back to an earlier stage, in words;
    ``used_…``: branches, tokens and seconds beyond quick mode."""

    nodes: tuple[Node, ...] = ()
    contradictions: tuple[str, ...] = ()
    budget: Budget = Budget()
    used_branches: int = 0
    used_tokens: int = 0
    used_seconds: float = 0.0
    ended: Ended = "settled"
    prompts: str = ""

    @property
    def opened(self) -> tuple[Node, ...]:
        """The nodes that have branches."""
        return tuple(node for node in self.nodes if node.branches)

    @property
    def answers(self) -> tuple[Node, ...]:
        """The opened nodes that the model was asked about."""
        return tuple(node for node in self.opened if node.id != AUDIENCE)


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
        return Usage(**{name: value - getattr(earlier, name) for name, value in self})


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


STRONG, WEAK = 0.85, 0.15
"""Standings among jokes from which on a factor is strong, and down to which it is weak."""
SAID_OF_EVERY_TEXT = ("clarity", "accessibility", "daring")
"""Factors that are high (the first two) or low in nearly every text, so that it says nothing of one."""


class FactorScore(Frozen):
    """A scored factor. ``score`` 0…5 reported, ``expected`` and ``sd`` of the label distribution, ``entropy`` in 0…1,
    ``probabilities`` of 0…5, ``label_mass`` in 0…1, ``separates``: whether this model tells jokes apart on it
    (None: not measured). ``score`` is None when the model gave no answer (label mass under .5). ``trust``: correlation
    with the reference readings, out of fold; None where it wasn't measured. ``standing`` 0…1: the share of jokes that
    are given less; None where it was asked. ``own``: it is the user's own, or has a meaning that they gave it."""

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
    standing: float | None = Field(default=None, ge=0.0, le=1.0)
    own: bool = False

    @property
    def stands_out(self) -> Literal["strong", "weak"] | None:
        """Whether the joke is in the top or the bottom seventh of jokes on this factor; None where it isn't, and for
        factors that are high or low in nearly every text."""
        if self.standing is None or self.id in SAID_OF_EVERY_TEXT:
            return None
        return "strong" if self.standing >= STRONG else "weak" if self.standing <= WEAK else None


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

    @property
    def said(self) -> Literal["upper", "lower", "unclear"]:
        """Which half of such jokes it is probably in: only where the whole interval lies on one side of 50."""
        if not self.heard or self.low is None or self.high is None or self.low <= 50.0 <= self.high:
            return "unclear"
        return "upper" if self.low > 50.0 else "lower"


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


class Sense(Frozen):
    """Whether a text works as a joke: ``joke`` and ``whole`` (it isn't broken off; None where that isn't known) are
    calibrated probabilities; ``said``: what the verdict makes of it; ``source``: whether the model was asked."""

    joke: float
    whole: float | None
    said: Literal["joke", "unsure", "no turn"]
    source: Source = "read"


class Support(Frozen):
    """Words of the text that a meaning goes with: ``start`` and ``end`` in characters."""

    start: int
    end: int
    text: str


class Wordplay(Frozen):
    """The second meaning that a text plays on: its words from ``start`` to ``end`` (characters). ``second``: the word
    or phrase that they stand for or sound like; empty where it is the same word in another sense. ``link``: by what the
    two are linked. ``p``: calibrated probability that this is what the text plays on. ``supports``: words of the text
    that the meanings go with, for ``sense`` one for each meaning. ``sentence``: what is played on, in the words of
    criteria/notes.xml, without a full stop."""

    start: int
    end: int
    text: str
    second: str
    link: Literal["sound", "part", "phrase", "sense"]
    p: float
    supports: tuple[Support, ...] = ()
    sentence: str = ""


class Remark(Frozen):
    """One sentence of the editor's note beside the words that it is about. ``about``: what is ``heard`` in the text, a
    ``fault``, an ``edit`` that could be made, or its ``form``. ``right``: share of such sentences that were right on
    texts left out, None where it is always true. ``start`` and ``end``: the words it is about, None for the whole text.
    ``trial``: place of the edit among the note's trials, None where it proposes none."""

    text: str
    about: Literal["heard", "fault", "edit", "form"]
    right: float | None = None
    start: int | None = None
    end: int | None = None
    trial: int | None = None


class Offence(Frozen):
    """Whether some people would take offence. ``p``: the calibrated probability that they would; ``trust``: correlation
    of the head with what people said, on texts that it hadn't learned from; ``stated``: it is likely enough to be said
    (of texts about which it is stated, at least six in ten are such)."""

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
    audience head that was heard, empty without one; ``build``: of llama.cpp that the model was read with, since builds
    round differently; ``ask`` and ``explain``: as it was asked for, None where an older
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
    build: str = ""
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
            "build": self.build,
            "error": self.error.model_dump() if self.error else None,
        }


class PictureLook(Frozen):
    """What became of a picture that was given with a joke. ``sha256``: of its size and pixels; ``projector``: the name
    of the file through which the model saw it, ``tokens``: as many as it took there; ``seen``: whether the model was
    asked anything behind it; ``said``: that in words."""

    sha256: str
    projector: str = ""
    tokens: int = 0
    seen: bool = False
    said: str = ""


class RatingResult(VerdictResult):
    """A rating verdict. ``context``: the topic or scene that the joke is about; ``everything_asked``: every question of
    the pipeline was asked, whatever it is worth on this model; ``weights``: the user's own, of factors that were scored
    (by id; empty: none are set); ``generator``: the model that wrote the text, empty where nobody said; ``panel``: what
    each of several models said that gave it together; ``tree``: of a deep verdict; ``own_faults``: what the model says
    of faults of the user's own; ``remarks``: the note's sentences beside the words that they are about; ``picture``:
    what became of the one that was given; ``asked_listeners``, ``asked_turn`` (characters that the user says it turns
    on) and ``budget``: as they were asked for."""

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
    sense: Sense | None = None
    wordplay: Wordplay | None = None
    remarks: tuple[Remark, ...] = ()
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
    asked_turn: tuple[int, int] | None = None
    picture: PictureLook | None = None
    budget: Budget | None = None

    @property
    def learned(self) -> bool:
        """Whether it is a text of a kind that was learned from."""
        return is_english(self.text) and (self.audience is None or self.audience.heard)

    @property
    def shown_factors(self) -> tuple[FactorScore, ...]:
        """Its factors; of a kind of text that wasn't learned the user's own alone, about which a model was asked."""
        return tuple(factor for factor in self.factors if factor.own or self.learned)


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


Edit = Literal["cut", "added", "moved", "word", "end", "reworded", "different"]
"""How one text comes from another: the one is the other's beginning; has words besides; the same words in another
order; up to three words replaced; another end behind the same beginning; said in other words; another text."""

TIE_FACTOR = 1.1
"""Odds under which two jokes are nearly identical, which is a tie: probabilities from .476 to .524."""


def side_of(p_a: float) -> Winner:
    """Which side a probability that A is the funnier one speaks for; a tie where it hardly speaks for either."""
    low = 1.0 / (1.0 + TIE_FACTOR)
    return "A" if p_a > 1.0 - low else "B" if p_a < low else "tie"


class DuelText(Frozen):
    """What was read in one text of a duel. ``turn``: the words on which it turns; ``said``: whether it works as a joke;
    None where that can't be told. ``kind`` and ``agreement``: as in ``Audience``; ``heard``: False where the text is so
    unlike all that people voted on that nothing is learned of it."""

    turn: Span | None = None
    said: Literal["joke", "unsure", "no turn"] | None = None
    kind: str = ""
    agreement: float | None = None
    heard: bool = True


class DuelResult(VerdictResult):
    """A duel's verdict. ``confidence_factor`` ≥ 1 is the odds of the winner; ``measured_factor`` what was measured
    before a cap on inconsistent orders, or by noise (``within_noise``: the difference is finer than the model's
    numerical noise); ``position_bias`` in probability, positive: the first place is favoured; ``edit``: what tells the
    two texts apart; ``people``: in how many of 100 such pairs people agree with the judge, None where it wasn't
    measured; ``read_a`` and ``read_b``: what was found in each, None where neither was read."""

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
        """The same verdict with A and B exchanged."""
        values = {name: _turned(name, value) for name, value in self.model_dump().items()}
        turned = {
            f"{name}_{side}": values[f"{name}_{other}"] for name in ("text", "read") for side, other in ("ab", "ba")
        }
        return DuelResult.model_validate({**values, **turned})


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
