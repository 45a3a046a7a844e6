"""A rating: its request, its record, and the parts of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from ...core.errors import InputError, UsageError
from ...core.events import Event
from ...core.languages import is_english
from ...core.room import RoomLaugh, into_room
from ...core.texts import clean_context, clean_generator, clean_text
from ...core.verdict_kinds import Request
from ...core.verdicts import (
    Audience,
    CheckResult,
    Earlier,
    Frozen,
    Heard,
    Laugh,
    Offence,
    PanelFindings,
    Sense,
    Source,
    Span,
    VerdictResult,
    Wordplay,
)

MOST_READINGS = 48
"""The most further readings of deep mode, unless the settings say otherwise."""
How = Literal["as in quick mode", "another wording", "another form", "a strict reader"]


class Branch(Frozen):
    """One independent reading of a factor. ``value`` 0…5; None if the model gave no answer (label ``mass`` under one
    half). ``distribution``: of the levels 0…5."""

    how: How
    value: float | None = None
    mass: float = 1.0
    distribution: tuple[float, ...] = ()


class Node(Frozen):
    """A factor with its readings. ``before`` and ``after``: its score 0…5 in quick mode and now; ``error``: standard
    error of ``after``. ``doubts``: why it was opened; ``loops``: number of times that a contradiction led back to
    it."""

    id: str
    name: str
    before: float | None = None
    after: float | None = None
    error: float | None = None
    doubts: tuple[str, ...] = ()
    branches: tuple[Branch, ...] = ()
    settled: bool = True
    loops: int = 0


Ended = Literal["settled", "branches", "stopped", "nothing to ask"]


class ReasoningTree(Frozen):
    """All factors. ``contradictions``: why some were opened again; ``budget``: the most branches; ``ended``: why no
    further branch was opened."""

    nodes: tuple[Node, ...] = ()
    contradictions: tuple[str, ...] = ()
    budget: int = MOST_READINGS
    used_branches: int = 0
    ended: Ended = "settled"
    prompts: str = ""

    @property
    def opened(self) -> tuple[Node, ...]:
        """The nodes that have branches."""
        return tuple(node for node in self.nodes if node.branches)


Pathway = Literal["standard", "independent", "dynamic"]


class CategoryScore(Frozen):
    """One category. Asked: ``p`` is the probability of the standardised log-odds ``z``. Read: ``p`` is calibrated.
    ``trust``: AUC against the reference readings, out of fold; None if not measured. ``sure``: ``p`` reaches a limit of
    the kind's own, from which on it was measured to be right."""

    id: str
    name: str
    p: float
    z: float
    chosen: bool
    source: Source = "asked"
    trust: float | None = None
    sure: bool = False


STRONG, WEAK = 0.85, 0.15
"""Standings among jokes from which a factor is strong, and up to which it is weak."""


class FactorScore(Frozen):
    """A scored factor. ``score`` 0…5, None if the model gave no answer; ``separates``: the model distinguishes jokes on
    it; ``trust``: correlation with the reference readings, out of fold, None if not measured; ``standing``: the share
    of jokes with a lower score, None if it was asked; ``own``: it is the user's own, or has a meaning that the user
    gave it; ``written``: the fields of a factor that the model wrote, as in the user's own criteria."""

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
    written: dict[str, str] = Field(default_factory=dict)


class FaultScore(Frozen):
    """A fault of a text, with its calibrated probability; only faults that are shown are stored."""

    id: str
    name: str
    p: float
    trust: float | None = None


class FaultVoice(Frozen):
    """A model's uncalibrated answer on one of the user's own faults, which is never a finding. ``usual``: the same for
    usual jokes; ``p`` is None for the ``reason``."""

    id: str
    name: str
    p: float | None
    usual: float | None = None
    reason: str = ""


class ListenerVoice(Frozen):
    """A model's uncalibrated answer on whether a listener would laugh. ``id``: empty for one of the user's own;
    ``anyone``: the same for an ordinary listener; both None for the ``reason``. ``why``: empty, kept for scripts."""

    id: str
    name: str
    p: float | None
    anyone: float | None
    reason: str = ""
    why: str = ""


class Trial(Frozen):
    """An edit that the program made and judged. ``kind``: cut, end on the turn, without the explanation; ``change``:
    the words that were removed or moved; ``p_better``: probability that an editor prefers it to the unchanged text."""

    kind: str
    text: str
    change: str
    p_better: float


GOOD = ("carries", "heard")
"""What remarks are about that say what works."""


class Remark(Frozen):
    """A sentence of the editor's note. ``right``: share of such sentences that were right on held-out texts, None if it
    is always true. ``start`` and ``end``: the words in question, None for the whole text. ``trial``: the edit that it
    proposes."""

    text: str
    about: Literal["carries", "cut", "heard", "fault", "form", "weak"]
    right: float | None = None
    start: int | None = None
    end: int | None = None
    trial: Trial | None = None


class Reference(Frozen):
    """A name that a reader must know, or a year, which dates the joke; ``start`` and ``end`` in characters."""

    text: str
    start: int
    end: int
    why: Literal["name", "time"]


class Prose(Frozen):
    """The model's own sentences about a joke. ``passed``: None, kept for scripts; ``revised``: they were criticised and
    rewritten."""

    text: str
    passed: bool | None = None
    revised: bool = False


class RatingResult(VerdictResult):
    """A rating verdict. ``weights``: the user's own, by a factor's id; ``remarks``: the note's sentences with the words
    in question; ``laughs``: of a longer text, one entry a sentence; ``heard``: where it is told, as far as the program
    knows; ``yours``: the user's own earlier text that it is like; ``asked_listeners``, ``asked_turn``: as requested;
    for the others see ``RatingRequest``."""

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
    references: tuple[Reference, ...] = ()
    offence: Offence | None = None
    sense: Sense | None = None
    heard: Heard | None = None
    yours: Earlier | None = None
    wordplay: Wordplay | None = None
    laughs: tuple[Laugh, ...] = ()
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
    budget: int | None = None
    edits: bool = True
    room: tuple[RoomLaugh, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _older(cls, values: Any) -> Any:
        """Earlier programs' budgets had tokens and seconds too, their trees nodes on other scales than factors', and
        the edits stood apart from the remarks."""
        if isinstance(values, dict) and isinstance(budget := values.get("budget"), dict):
            values = {**values, "budget": budget.get("branches"), "tree": None}
        if isinstance(values, dict) and isinstance(note := values.get("note"), dict):
            trials = dict(enumerate(note.get("trials") or ()))
            remarks = [{**remark, "trial": trials.get(remark.get("trial"))} for remark in values.get("remarks") or ()]
            values = {name: value for name, value in values.items() if name != "note"} | {"remarks": remarks}
        return values

    @property
    def in_doubt(self) -> bool:
        """Whether the text may not work as a joke, and nobody says that it does."""
        return self.sense is not None and self.sense.said == "unsure" and self.asked_turn is None

    @property
    def turns_nowhere(self) -> bool:
        return self.sense is not None and self.sense.said == "no turn"

    @property
    def shown_factors(self) -> tuple[FactorScore, ...]:
        """The factors to show; of a text in another language the user's own alone, which a model answers."""
        return tuple(factor for factor in self.factors if factor.own or is_english(self.text))


MOST_LISTENERS = 24
"""The most listeners of one verdict."""


def clean_listeners(names: Sequence[str]) -> tuple[str, ...]:
    """Return the requested listeners, each once and in one line. Raises ``UsageError`` ``E_LISTENERS`` for too many,
    ``InputError`` for one that can't be read."""
    cleaned = tuple(dict.fromkeys(name for name in map(clean_context, names) if name))
    if len(cleaned) > MOST_LISTENERS:
        raise UsageError("E_LISTENERS", f"At most {MOST_LISTENERS} listeners can be asked for.", "Name fewer of them.")
    return cleaned


class RatingRequest(Request):
    """A joke to rate. ``forced``: continue after a rejection; ``context``: its topic or scene; ``generator``: the model
    that wrote it, if any; ``budget``: most further readings in deep mode; ``listeners``: others who are asked whether
    they would laugh; ``turn``: the words on which it turns, chosen by the user, in characters of the cleaned text
    (None: the heads find them); ``edits``: also read it against itself; ``room``: where a room laughed, from marks in
    the text (``core.room``). Raises ``clean_text``'s errors, and ``E_INPUT_TURN`` for a turn that isn't in the
    text."""

    text: Annotated[str, AfterValidator(clean_text)]
    forced: bool = False
    context: Annotated[str, AfterValidator(clean_context)] = ""
    generator: Annotated[str, AfterValidator(clean_generator)] = ""
    budget: int = Field(default=MOST_READINGS, ge=0, le=1000)
    listeners: Annotated[tuple[str, ...], AfterValidator(clean_listeners)] = ()
    turn: tuple[int, int] | None = None
    edits: bool = True
    room: tuple[RoomLaugh, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _without_marks(cls, given: Any) -> Any:
        return into_room(given)

    @model_validator(mode="after")
    def _inside(self) -> Self:
        if self.turn is not None and not (0 <= self.turn[0] < self.turn[1] <= len(self.text)):
            raise InputError("E_INPUT_TURN", "The words of the turn aren't in the text.", "Select them again.")
        return self


Step = Event | RatingResult
