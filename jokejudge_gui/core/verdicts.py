"""The types shared by all layers: verdicts and their parts."""

from __future__ import annotations

import math
import re
from enum import StrEnum
from typing import Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from .errors import ErrorInfo
from .languages import is_english


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
    """The result of one model of a panel. ``verdict``: the id of its own verdict; ``worth``: share of held-out pairs of
    this kind of text that it puts in people's order, None if not measured; ``weight`` 0…1: its share in the main
    finding (the audience of a rating, the answer of a duel), 1 over all members; ``headline``: its verdict in a
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
    """Number of models (``agree``) that agree with a panel's finding, ``of`` those that gave one. ``voice``: the kind
    of finding; ``finding``: as a sentence without its full stop."""

    voice: Voice
    finding: str
    agree: int
    of: int


class PanelFindings(Frozen):
    """A verdict given by several models together. ``votes``: effective number of independent models, from the
    correlation of their errors (``correlation``, −1…1); ``measured``: whether that correlation was measured for all of
    them or is partly taken from other models."""

    name: str
    members: tuple[PanelMember, ...]
    votes: float = 1.0
    correlation: float | None = None
    measured: bool = False
    dissent: tuple[Dissent, ...] = ()


# -- the tree of a deep verdict: its doubtful questions, their further readings, and the results ---------------------

NodeKind = Literal["check", "kind", "factor", "verdict"]
How = Literal[
    "as in quick mode", "another wording", "another form", "other examples", "written steps", "a strict reader",
    "without its turn", "another listener",
]  # fmt: skip
"""The way in which a branch reads its node again."""
Ended = Literal["settled", "branches", "tokens", "seconds", "stopped", "nothing to ask"]
"""Why no further branch was opened: all doubts are settled, a budget is spent, the user stopped it, or no further
reading is worth its cost on this model."""


class Budget(Frozen):
    """Limits of reasoning beyond quick mode. ``tokens``: of all prompts, including those whose state is cached, so that
    the tree of a joke doesn't depend on the cache; ``seconds``: wall time, which depends on the machine; None: no
    limit."""

    branches: int = Field(default=48, ge=0, le=1000)
    tokens: int = Field(default=60_000, ge=0, le=10**8)
    seconds: float | None = Field(default=None, ge=0.0, le=86_400.0)


class Branch(Frozen):
    """One independent reading of a node. ``value`` on the node's scale; None if the model gave no answer (label
    ``mass`` 0…1 under one half). ``distribution``: of the levels 0…5, for factors. ``reason``: the model's text after
    "because"; empty if it fails its checks or the model may not write one. ``counts``: whether it is averaged into the
    node; a branch that isn't shows the effect of the part that was removed (``taken``), asked in the same way as the
    branch ``beside`` it. ``listener``: the listener in question."""

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
"""Ids of the nodes of the audience's estimate and of the model's answers on who would laugh."""


class Node(Frozen):
    """A question with its readings. ``before`` and ``after``: its value in quick mode and now: a factor 0…5, checks and
    kinds as log-odds (nats), the verdict as a percentile 0…100, who laughs as a probability in 100. ``error``: standard
    error of ``after`` over the branches, None for fewer than two. ``doubts``: why it was opened, in words; ``loops``:
    number of times that a contradiction led back to it. ``power`` 0…1: weight of the branches, from the answers on the
    joke's mirror; the remaining weight is that of ``usual``, the model's answer on jokes in general."""

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
    """All nodes in the order of their stages. ``contradictions``: reasons for which an earlier stage was reopened, in
    words; ``used_…``: branches, tokens and seconds beyond quick mode."""

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


class CategoryScore(Frozen):
    """One category. Asked: ``p`` is the probability of the standardised log-odds, ``chosen`` if z ≥ 1 and among the
    top. Read: ``p`` is calibrated (of those stated at .8, eight in ten are right), ``chosen`` if over one half; ``z``
    is 0 then. ``trust``: AUC against the reference readings, out of fold; None if not measured."""

    id: str
    name: str
    p: float
    z: float
    chosen: bool
    source: Source = "asked"
    trust: float | None = None


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


STRONG, WEAK = 0.85, 0.15
"""Standings among jokes from which a factor is strong, and up to which it is weak."""
SAID_OF_EVERY_TEXT = ("clarity", "accessibility", "daring")
"""Factors that are high (the first two) or low in nearly every text, so they don't characterise any."""


class FactorScore(Frozen):
    """A scored factor. ``score`` 0…5 reported, ``expected`` and ``sd`` of the label distribution, ``entropy`` in 0…1,
    ``probabilities`` of 0…5, ``label_mass`` in 0…1, ``separates``: whether the model distinguishes jokes on it (None:
    not measured). ``score`` is None if the model gave no answer (label mass under .5). ``trust``: correlation with the
    reference readings, out of fold; None if not measured. ``standing`` 0…1: the share of jokes with a lower score; None
    if it was asked. ``own``: it is the user's own, or has a meaning that the user gave it."""

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
        """Whether the joke is in the top or the bottom seventh of jokes on this factor; None if neither, and for
        factors that are high or low in nearly every text."""
        if self.standing is None or self.id in SAID_OF_EVERY_TEXT:
            return None
        return "strong" if self.standing >= STRONG else "weak" if self.standing <= WEAK else None


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


class FaultScore(Frozen):
    """A fault of a text, with its calibrated probability; only faults that are shown are stored."""

    id: str
    name: str
    p: float
    trust: float | None = None


class FaultVoice(Frozen):
    """A model's answer on one of the user's own faults, which is never a finding. ``p``: probability that the text has
    it, as the model answers (not calibrated); ``usual``: the same for usual jokes; ``p`` is None for the ``reason``."""

    id: str
    name: str
    p: float | None
    usual: float | None = None
    reason: str = ""


class Span(Frozen):
    """Words of the text: ``start`` and ``end`` in characters, ``p`` the probability that they have the claimed
    property."""

    start: int
    end: int
    text: str
    p: float


class ListenerVoice(Frozen):
    """A model's answer for one listener. ``id``: empty for one of the user's own; ``p``: probability that the listener
    would laugh, as the model answers (not calibrated); ``anyone``: the same for an ordinary listener; both None if the
    listener wasn't asked, for the ``reason``. ``why``: the model's own reason, from models that passed the prose test;
    else empty."""

    id: str
    name: str
    p: float | None
    anyone: float | None
    reason: str = ""
    why: str = ""


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


class Remark(Frozen):
    """A sentence of the editor's note on certain words. ``about``: something found in the text (``heard``), a
    ``fault``, a possible ``edit``, or its ``form``. ``right``: share of such sentences that were right on held-out
    texts, None if it is always true. ``start`` and ``end``: the words in question, None for the whole text. ``trial``:
    index of the edit among the note's trials, None if it proposes none."""

    text: str
    about: Literal["heard", "fault", "edit", "form"]
    right: float | None = None
    start: int | None = None
    end: int | None = None
    trial: int | None = None


class Offence(Frozen):
    """Whether some people would take offence. ``p``: the calibrated probability; ``trust``: correlation of the head
    with people's judgements, on held-out texts; ``stated``: it is likely enough to be reported (of the texts for which
    it is, at least six in ten offend)."""

    p: float
    trust: float
    stated: bool


class Reference(Frozen):
    """A reference to something that a reader must know: ``start`` and ``end`` in characters. ``why``: ``name``, a
    person, work, place or thing by name; ``time``, a year, which dates the joke. ``source``: found by its spelling, or
    named by the model; a model's has the referent's ``name``, ``kind`` ("film") and ``year``, None without one."""

    text: str
    start: int
    end: int
    why: Literal["name", "time"]
    source: Literal["text", "model"] = "text"
    name: str = ""
    kind: str = ""
    year: int | None = None


class Trial(Frozen):
    """An edit that the program made and judged. ``kind``: cut, end on the turn, without the explanation; ``change``:
    the words that were removed or moved; ``p_better``: probability that an editor prefers it to the unchanged text;
    ``percentile``: the audience's for it, None without an audience."""

    kind: str
    text: str
    change: str
    p_better: float
    percentile: float | None = None


class EditorNote(Frozen):
    """An editor's findings, one or two sentences each, empty without a finding; and the edits worth showing, the best
    one first."""

    works: str = ""
    weakens: str = ""
    apart: str = ""
    trials: tuple[Trial, ...] = ()


class Prose(Frozen):
    """The model's own sentences about a joke. ``passed``: whether this model passed the prose test, None if it wasn't
    tested; ``revised``: they were criticised and rewritten."""

    text: str
    passed: bool | None = None
    revised: bool = False

    @property
    def mark(self) -> str:
        """The label that tells readers how far to trust the sentences."""
        how = "Written by the model and revised once" if self.revised else "Written by the model"
        if self.passed is None:
            return f"{how}; how good its sentences are wasn't measured."
        if self.passed:
            return f"{how}. It passed the prose test."
        return f"{how}. It failed the prose test: don't rely on it."


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


class PictureLook(Frozen):
    """The use of a picture that was given with a joke. ``sha256``: of its size and pixels; ``projector``: the name of
    the file through which the model saw it; ``tokens``: number of tokens that it took; ``seen``: whether the model was
    asked anything about it; ``said``: the same in words."""

    sha256: str
    projector: str = ""
    tokens: int = 0
    seen: bool = False
    said: str = ""


class RatingResult(VerdictResult):
    """A rating verdict. ``context``: the topic or scene of the joke; ``everything_asked``: every question of the
    pipeline was asked, whatever it is worth on this model; ``weights``: the user's own, of scored factors (by id;
    empty: none are set); ``generator``: the model that wrote the text, empty if not given; ``panel``: the findings of
    the models of a panel; ``tree``: of a deep verdict; ``own_faults``: the model's answers on the user's own faults;
    ``remarks``: the note's sentences with the words in question; ``picture``: the use of the given picture;
    ``asked_listeners``, ``asked_turn`` (characters of the turn as the user marked it) and ``budget``: as requested."""

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
        """Whether the text is of a kind that the heads were trained on."""
        return is_english(self.text) and (self.audience is None or self.audience.heard)

    @property
    def shown_factors(self) -> tuple[FactorScore, ...]:
        """The factors to show; for a kind of text that the heads weren't trained on, the user's own alone, which a
        model answers."""
        return tuple(factor for factor in self.factors if factor.own or self.learned)


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

Result = RatingResult | DuelResult


class Status(StrEnum):
    """State of a verdict in the history."""

    RUNNING = "running"
    FINISHED = "finished"
    FAILED = "failed"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"
