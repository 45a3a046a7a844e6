"""A contest's request and its record."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self

from pydantic import AfterValidator, BeforeValidator, Field, InstanceOf, model_validator

from ...core.errors import ErrorInfo, InputError, JokeJudgeError, UsageError, info
from ...core.texts import clean_context, clean_generator, clean_text, without_controls
from ...core.verdict_kinds import MadeBy, Request, repeated
from ...core.verdicts import Frozen, Heard, Sense, Span, VerdictResult, having
from ..duel.record import Pair

MOST_ENTRIES = 20_000
MOST_TITLE = 200
MOST_ROUNDS = 20
_GENERATORS = ("generator", "model")

IntervalOf = Literal["people", "judge"]
Scale = Literal["humor", "relevance", "originality"]
SCALES: tuple[Scale, ...] = ("humor", "relevance", "originality")
"""The scales of a shuffled round, each from 1 to 10."""

# -- What the user adds: marks, stars and tags, the limits and votes of a screening, the place of the reading --------


class Thresholds(Frozen):
    """Chances 0…1: rejected below ``reject``, high from ``high``, promoted without a vote from ``promote``. The
    defaults are the seeds' (llm_as_judge_research, pre-filtering)."""

    reject: float = 0.70
    high: float = 0.85
    promote: float = 0.90

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if not 0.0 <= self.reject <= self.high <= self.promote <= 1.0:
            sentence = "The thresholds must lie between 0 and 1, reject below high below promote."
            raise UsageError("E_SCREEN_THRESHOLDS", sentence, "Without them they are 0.70, 0.85 and 0.90.")
        return self


class Ballot(Frozen):
    """One person's choice among jokes seen side by side, blind: ``choice`` (an id), ``among``: the ids of all,
    ``when``, and the ``voter``'s name if given. ``texts``: a digest of these jokes, so that a vote isn't counted for
    another list with the same ids."""

    choice: str
    among: tuple[str, ...]
    when: datetime
    voter: str = ""
    texts: str = ""


def digest_of(texts: Sequence[str]) -> str:
    """Return a digest of texts in any order, for use where the texts themselves aren't stored: 16 hex digits."""
    return hashlib.sha256("\0".join(sorted(texts)).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def belongs(ballot: Ballot, texts: Mapping[str, str]) -> bool:
    """Whether a vote was about jokes of this list (``texts`` by id)."""
    if any(id not in texts for id in (ballot.choice, *ballot.among)):
        return False
    return not ballot.texts or ballot.texts == digest_of([texts[id] for id in ballot.among])


Decision = Literal["promote", "show", "wait", "reject"]
Reason = Literal["", "version", "stock", "joke", "vote"]


class Screened(Frozen):
    """A joke and its decision. ``p``: the chance, None if unknown for texts of its kind; ``reason``: what decided
    beside the chance (``version``: its better twin is in the list, ``stock``: it is widely told, ``joke``: no joke,
    ``vote``: people's vote). ``show``: to be voted on now, ``wait``: later."""

    id: str
    text: str
    p: float | None
    decision: Decision
    reason: Reason = ""


class Screening(Frozen):
    """A list's screening: its ``thresholds``, the ``ballots`` on it, and ``promoted``, the id of the joke that needs no
    vote or has won its vote; the rest follows from these and isn't stored. ``fallback``: none passed, so the best is
    shown anyway. ``missed``: expected number of jokes rejected by their chance that people would find funnier than a
    typical one; ``wasted``: expected number of those that passed and aren't funnier. ``votes``: number of votes on the
    jokes shown, or in the last vote; ``ahead``: its leader; ``decided``: there are enough votes, or enough days have
    passed."""

    thresholds: Thresholds = Thresholds()
    ballots: tuple[Ballot, ...] = ()
    promoted: str | None = None
    entries: tuple[Screened, ...] = Field(default=(), exclude=True)
    fallback: bool = Field(default=False, exclude=True)
    missed: float = Field(default=0.0, exclude=True)
    wasted: float = Field(default=0.0, exclude=True)
    votes: int = Field(default=0, exclude=True)
    ahead: str | None = Field(default=None, exclude=True)
    decided: bool = Field(default=False, exclude=True)

    @property
    def shown(self) -> tuple[Screened, ...]:
        """The jokes to be voted on now."""
        return tuple(entry for entry in self.entries if entry.decision == "show")

    def ballot(self, choice: str, when: datetime, voter: str = "") -> Ballot:
        """Return a vote for one of the jokes shown."""
        among, texts = tuple(row.id for row in self.shown), digest_of([row.text for row in self.shown])
        return Ballot(choice=choice, among=among, when=when, voter=voter, texts=texts)


class DeskState(Frozen):
    """The reader's position in a list. ``at``: id of the joke shown, empty where all are seen; ``cut``: number of jokes
    before the cut, None: the default; ``blind``: ranks are hidden until enough jokes have been kept or binned;
    ``kept``: ids of kept jokes in the user's order."""

    at: str = ""
    cut: int | None = Field(default=None, ge=0)
    blind: bool = False
    kept: tuple[str, ...] = ()


Mark = Literal["keep", "bin", "later"]


class EntryNote(NamedTuple):
    """The user's note on one entry. ``read``: shown long enough to count as seen; ``back``: put back into the list
    after being left out; ``chosen``: the one of its twins that stays."""

    mark: Mark | None = None
    starred: bool = False
    tags: tuple[str, ...] = ()
    read: bool = False
    back: bool = False
    chosen: bool = False


NOTHING = EntryNote()


# -- What was found ----------------------------------------------------------------------------------------------------


class Reading(Frozen):
    """The estimates of a joke by itself. ``value``: log-odds that people find it funny, in the judge's weight, with its
    interval ``low``, ``high`` and ``unit``, a standard deviation of the audience's scores on that scale; ``audience``:
    the head's own score, as in a rating; ``percentile`` with the interval of people's. ``agreement``: share of pairs of
    its ``kind`` on which the audience head agrees with people; ``joke``: it seems to be meant as one; ``heard``: where
    it is told; ``stock``: of earlier versions of the program; ``fresh``: share of jokes that a reader finds less
    original; ``scene``: its own one, behind which it was read; ``reason``: why it is no joke ("a heading"); ``note``: a
    rating's note on it; ``upper``: the odds of the upper half of people's votes; ``device``: what it works by ("pun:
    knead")."""

    value: float
    audience: float | None = None
    percentile: float | None = None
    percentile_low: float | None = None
    percentile_high: float | None = None
    low: float | None = None
    high: float | None = None
    unit: float = 1.0
    kind: str = ""
    agreement: float | None = None
    joke: bool | None = None
    stock: float | None = None
    heard: Heard | None = None
    fresh: float | None = None
    english: bool = True
    scene: str = ""
    turn: Span | None = None
    sense: Sense | None = None
    reason: str = ""
    note: str = ""
    upper: float | None = None
    device: str = ""


UNREAD = Reading(value=0.0)
"""Stands for the reading of an entry that wasn't read."""
_IN_JSON = ("percentile", "percentile_low", "percentile_high", "joke", "sense", "reason", "note", "stock", "heard")
"""The estimates of a joke that its JSON object has."""


class HeldDuel(Pair):
    """A duel between two entries. ``drafts``: they are two versions of one joke and were judged as such."""

    drafts: bool = False


class ScoredChunk(Frozen):
    """Jokes shown together in a shuffled round, in their order, and the model's score 1…10 of each by scale, None: no
    answer. ``words``: version of the questions."""

    round: int
    ids: tuple[str, ...] = ()
    scores: dict[Scale, tuple[float | None, ...]]
    words: str = ""


class RankedEntry(Frozen):
    """An entry of a list. ``columns``: the list's other columns (model, author, prompt …), by name; ``same_as``: id of
    the first entry with the same text; ``error``: why it can't be read; ``user``: the user's note; ``seen``: id of an
    earlier verdict about it; ``version_of``: of earlier versions of the program.

    Once it is read: ``score`` (log-odds) with its interval, ``rank`` from 1 with the first and last rank that it may
    have; ``originality`` 0…1: divided among its versions in the list; ``relevance`` 0…1 to the topic, by the model in
    shuffled rounds; ``rounds``: by ``scale`` the ``mean`` score 1…10, corrected for effects of place, with its
    deviation ``sd`` over the ``times`` that it was scored. ``group``: entries of one group can't be distinguished;
    ``p_top``: probability that it belongs to the first ``top``. ``like``: ids of other versions of the same joke;
    ``duels``: the number that it took part in."""

    id: str
    text: str
    version_of: str | None = None
    columns: dict[str, str] = Field(default_factory=dict)
    seen: str | None = None
    user: EntryNote = NOTHING
    reading: Reading | None = None
    error: ErrorInfo | None = None
    score: float | None = None
    low: float | None = None
    high: float | None = None
    rank: int | None = None
    rank_low: int | None = None
    rank_high: int | None = None
    group: int | None = None
    p_top: float | None = None
    relevance: float | None = None
    originality: float | None = None
    rounds: tuple[Annotated[dict[str, Any], having("scale", "mean", "sd", "times")], ...] = ()
    like: tuple[str, ...] = ()
    same_as: str | None = None
    duels: int = 0

    @property
    def scene(self) -> str:
        """Its own scene, from the column "context" of its list; empty where there is none."""
        return clean_context(self.columns.get("context", ""))

    @property
    def read(self) -> Reading:
        """Its reading, an empty one where it wasn't read."""
        return self.reading or UNREAD

    @property
    def percentile(self) -> float | None:
        """Its place 0…100 among jokes that people voted on, as in a rating of it; None if unknown."""
        return self.read.percentile

    def fields(self) -> dict[str, Any]:
        """Return the entry's JSON object."""
        read = self.read.model_dump(include=set(_IN_JSON))
        return {**self.model_dump(exclude={"reading", "user"}), **read, **self.user._asdict()}


class ContestMadeBy(MadeBy):
    """``MadeBy`` with the weights of a duel."""

    weights: str = ""
    everything_asked: bool = False


class ContestResult(VerdictResult):
    """A ranking, complete or stopped. ``entries``: best first, those without a score last; ``order``: their ids in the
    list's order. ``top``: the number of jokes to find; ``budget``: most duels, None: as many as are useful. ``rounds``
    of duels; ``held``: every duel; ``shuffled``: requested number of shuffled rounds, None: by the model's weights;
    ``scored``: all their chunks; ``place_effects``: by ``scale`` the points (``effects``) that each place in a chunk
    added to the scores, which were subtracted; ``rounds_weight``: log-odds per point of their humor; ``decisive``: of
    earlier versions of the program, else empty; ``agreement``: expected share of the list's pairs that people would put
    in this order; ``interval``: whose intervals these are."""

    kind: ClassVar[str] = "contest"
    title: str = ""
    context: str = ""
    entries: tuple[RankedEntry, ...] = ()
    top: int = 3
    budget: int | None = None
    held: tuple[HeldDuel, ...] = ()
    rounds: int = 0
    shuffled: int | None = None
    scored: tuple[ScoredChunk, ...] = ()
    place_effects: tuple[Annotated[dict[str, Any], having("scale", "effects")], ...] = ()
    rounds_weight: float = 0.0
    decisive: tuple[dict[str, str], ...] = ()
    agreement: float | None = None
    interval: IntervalOf = "people"
    made_by: ContestMadeBy = ContestMadeBy()
    everything_asked: bool = False
    screening: Screening | None = None
    desk: DeskState | None = None
    order: tuple[str, ...] = ()

    @property
    def ranked(self) -> list[RankedEntry]:
        """The entries that have a rank, each text once, best first."""
        return [entry for entry in self.entries if entry.rank is not None and entry.same_as is None]


Texts = tuple[str, ...]


# -- The user's notes -------------------------------------------------------------------------------------------------


@dataclass
class Notes:
    """The user's notes by entry id, and the reader's position (``desk``); None leaves the stored one. One thread may
    write while others read: an entry's note is replaced as a whole. A running contest includes them in every result
    that it stores."""

    by_id: dict[str, EntryNote] = field(default_factory=dict)
    desk: DeskState | None = None

    @classmethod
    def of(cls, result: ContestResult) -> Notes:
        """Return the notes of a result."""
        return cls({entry.id: entry.user for entry in result.entries if entry.user != NOTHING}, result.desk)

    def __getitem__(self, id: str) -> EntryNote:
        return self.by_id.get(id, NOTHING)

    def __setitem__(self, id: str, note: EntryNote) -> None:
        self.by_id[id] = note
        if note == NOTHING:
            del self.by_id[id]

    def count(self, *marks: Mark) -> int:
        """Return the number of entries with one of these marks."""
        return sum(note.mark in marks for note in list(self.by_id.values()))

    @property
    def kept(self) -> int:
        """Number of entries marked to be kept."""
        return self.count("keep")

    def on(self, result: VerdictResult) -> ContestResult:
        """Return a contest's result with the notes."""
        assert isinstance(result, ContestResult)
        entries, desk = self.in_entries(result.entries), self.desk or result.desk
        if (entries, desk) == (result.entries, result.desk):
            return result
        return result.replaced(entries=entries, desk=desk)

    def in_entries(self, entries: tuple[RankedEntry, ...]) -> tuple[RankedEntry, ...]:
        """Return the entries with the user's notes."""
        return tuple(
            entry if entry.user == self[entry.id] else entry.replaced(user=self[entry.id]) for entry in entries
        )


# -- What was asked for ------------------------------------------------------------------------------------------------


def entry_of(
    id: str, text: str, columns: Mapping[str, str] | None = None, fault: JokeJudgeError | None = None
) -> RankedEntry:
    """Return an entry that isn't read yet, its text cleaned; with its error where it can't be read (``fault``: for a
    reason that is known)."""
    its = dict(columns or {})
    try:
        if fault is not None:
            raise fault
        clean_context(its.get("context", ""))
        return RankedEntry(id=id, text=clean_text(text), columns=its)
    except JokeJudgeError as error:
        text = text.encode("utf-8", "replace").decode("utf-8").replace("\0", "")
        return RankedEntry(id=id, text=text, columns=its, error=info(error))


def _entry_given(given: Any) -> Any:
    return entry_of(**given) if isinstance(given, dict) and isinstance(given.get("text"), str) else given


def generator_of(entry: RankedEntry) -> str:
    """Return the name of the model that wrote an entry, from its list's column "generator", or "model" where that is
    missing; empty where both are."""
    return next((entry.columns[name].strip() for name in _GENERATORS if entry.columns.get(name, "").strip()), "")


def written_by(generator: str, entries: tuple[RankedEntry, ...]) -> tuple[RankedEntry, ...]:
    """Return the entries with ``generator`` filled in where it is missing; unchanged where ``generator`` is empty.
    Raises ``clean_generator``'s errors."""
    name = clean_generator(generator)
    if not name:
        return entries
    return tuple(
        entry if generator_of(entry) else entry.replaced(columns={**entry.columns, "generator": name})
        for entry in entries
    )


def _in_one_line(title: str) -> str:
    return without_controls(" ".join(title.split()))[:MOST_TITLE]


class ContestRequest(Request):
    """A list of jokes to rank; ``context``: the topic or scene of all. Entries that can't be read have an ``error`` and
    stay out of the ranking. ``shuffled``: number of shuffled rounds, None: by the model's weights. ``known``: an
    earlier run, whose results are used again if the same model and heads made them for the same ``context``, duels only
    if they were held in the same mode. ``notes``: the user's notes, before and during
    the run; ``seen``: id of an earlier verdict on the same joke, by text."""

    entries: tuple[Annotated[RankedEntry, BeforeValidator(_entry_given)], ...] = Field(default=(), title="texts")
    context: Annotated[str, AfterValidator(clean_context)] = Field(default="", title="topic")
    title: Annotated[str, AfterValidator(_in_one_line)] = ""
    top: int = Field(default=3, ge=1, le=10**9)
    budget: int | None = Field(default=None, ge=0, le=10**9, title="duels")
    shuffled: int | None = Field(default=None, ge=0, le=MOST_ROUNDS, title="rounds")
    known: InstanceOf[ContestResult] | None = None
    screening: Screening | None = None
    notes: InstanceOf[Notes] = Field(default_factory=Notes)
    seen: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _checked(self) -> Self:
        if len(self.entries) > MOST_ENTRIES:
            sentence = f"The list has {len(self.entries):,} jokes; at most {MOST_ENTRIES:,} can be ranked at once."
            raise InputError("E_CONTEST_TOO_MANY", sentence, "Rank it in parts, and then the best of each part.")
        return self

    @classmethod
    def of_texts(cls, texts: Sequence[str], **options: Any) -> Self:
        """Make a request from texts, numbered from 1. Raises ``InputError`` for too many, and the errors of fields."""
        entries = [{"id": str(number), "text": text} for number, text in enumerate(texts, start=1)]
        return cls.model_validate({"entries": entries, **options})

    @classmethod
    def going_on(
        cls, result: ContestResult, added: Iterable[tuple[str, Mapping[str, str]]] = (), **options: Any
    ) -> Self:
        """Make a request that resumes ``result`` with more jokes at its end, each with its list's other columns;
        readings are reused."""
        numbers = (int(entry.id) for entry in result.entries if entry.id.isdecimal() and len(entry.id) < 19)
        first, given = max(len(result.entries), max(numbers, default=0)) + 1, given_in(result)
        given["entries"] += [{"id": str(n), "text": text, "columns": its} for n, (text, its) in enumerate(added, first)]
        return cls.model_validate({**repeated(cls, result), **given, "known": result, **options})

    def unread(self, entry: RankedEntry, error: ErrorInfo | None = None) -> RankedEntry:
        """Return an entry as it is before it is read, with what list and user know of it."""
        seen, user = self.seen.get(entry.text), self.notes[entry.id]
        return entry.replaced(seen=seen, user=user, error=error or entry.error, same_as=None)


def given_in(result: ContestResult) -> dict[str, Any]:
    """Return a contest's input, its entries in the order of their list. Entries with an error are included, as another
    model may be able to read them."""
    places = {id: place for place, id in enumerate(result.order)}
    listed = sorted(result.entries, key=lambda entry: places.get(entry.id, len(places)))
    return {
        "entries": [entry_of(entry.id, entry.text, entry.columns) for entry in listed],
        "notes": Notes.of(result),
        "seen": {entry.text: entry.seen for entry in listed if entry.seen},
    }
