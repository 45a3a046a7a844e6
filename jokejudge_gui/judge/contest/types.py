"""A contest as it is asked for, and as it comes out."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self

from pydantic import AfterValidator, Field, InstanceOf, model_validator

from ...core.errors import ErrorInfo, InputError, JokeJudgeError, UsageError, info, unusable
from ...core.statistics import Z95, logit, sigmoid
from ...core.texts import clean_context, clean_generator, clean_text, without_controls
from ...core.verdict_kinds import Draft, MadeBy, Request, repeated
from ...core.verdicts import Frozen, Mode, Sense, Span, VerdictResult

# -- what is kept of a list's screening: its limits, the votes of people, and one person's own scores -----------------


class Thresholds(Frozen):
    """Chances 0…1: rejected below ``reject``, high from ``high``, promoted without a vote from ``promote``. The
    defaults are the seeds' (llm_as_judge_research, pre-filtering)."""

    reject: float = 0.70
    high: float = 0.85
    promote: float = 0.90

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if not 0.0 <= self.reject <= self.high <= self.promote <= 1.0:
            raise UsageError(
                "E_SCREEN_THRESHOLDS",
                "The thresholds must lie between 0 and 1, reject below high below promote.",
                "Without them they are 0.70, 0.85 and 0.90.",
            )
        return self


class Ballot(Frozen):
    """One person's choice among jokes that they saw side by side, blind: ``choice`` (an id), ``among`` which, ``when``,
    and who (``voter``) where they gave a name. ``texts``: a digest of the jokes that they chose among, so that a vote
    isn't counted for another list with the same ids; empty in votes of earlier versions."""

    choice: str
    among: tuple[str, ...]
    when: datetime
    voter: str = ""
    texts: str = ""


def digest_of(texts: Sequence[str]) -> str:
    """What stands for some texts, in any order, where the texts themselves needn't be kept: 16 hex digits."""
    return hashlib.sha256("\0".join(sorted(texts)).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def belongs(ballot: Ballot, texts: Mapping[str, str]) -> bool:
    """Whether a vote was given on jokes of this list (``texts`` by id)."""
    if ballot.choice not in texts or any(id not in texts for id in ballot.among):
        return False
    return not ballot.texts or ballot.texts == digest_of([texts[id] for id in ballot.among])


class OwnScale(Frozen):
    """The chance of a joke for one person, from jokes that they scored 0…10 themselves: with q the uncalibrated chance,
    logit p = ``slope``·logit q + ``shift``, with the ``covariance`` of both (slope², slope·shift, shift²). ``n`` jokes
    were scored; those with ``good_from`` and more (``good`` of them) are good ones. Losses are mean log-losses in nats:
    ``loss`` and ``share_loss`` of jokes left out of the fit (``share_loss``: by the share of good ones alone),
    ``plain_loss`` of the uncalibrated chance."""

    n: int = Field(ge=1)
    good: int
    good_from: int
    slope: float
    shift: float
    covariance: tuple[float, float, float]
    loss: float
    plain_loss: float
    share_loss: float

    @property
    def kept(self) -> bool:
        """Whether it holds out better than the uncalibrated chance; only then is it used."""
        return self.loss < self.plain_loss

    def p(self, chance: float) -> float:
        """The person's chance for an uncalibrated one, both 0…1."""
        return sigmoid(self.slope * logit(chance) + self.shift)

    def interval(self, chance: float) -> tuple[float, float]:
        """Its 95 % interval."""
        x = logit(chance)
        of_slope, of_both, of_shift = self.covariance
        half = Z95 * math.sqrt(max(0.0, of_slope * x * x + 2 * of_both * x + of_shift))
        middle = self.slope * x + self.shift
        return sigmoid(middle - half), sigmoid(middle + half)


class ListScreening(Frozen):
    """How a list was screened, and what came of it. ``own``: the scale of the person whose own scores are used;
    ``promoted``: id of the joke that needs no vote, or that won its vote."""

    thresholds: Thresholds = Thresholds()
    length_penalty: bool = False
    ballots: tuple[Ballot, ...] = ()
    own: OwnScale | None = None
    promoted: str | None = None


class DeskState(Frozen):
    """Where the reading of a list was left: ``at``: id of the joke that was shown, empty where all are read; ``cut``:
    how many the cut keeps, None: as many as it begins with; ``blind``: places are hidden until enough jokes have been
    kept or binned."""

    at: str = ""
    cut: int | None = Field(default=None, ge=0)
    blind: bool = False


# -- what the user says of a contest's entries: keep, bin, later, star, tags, and versions that they wrote ------------

Mark = Literal["keep", "bin", "later"]


class EntryNote(NamedTuple):
    """What the user says of one entry. ``read``: they have seen it long enough; ``back``: it was left out and is to be
    read after all; ``chosen``: of its twins it is the one that stays."""

    mark: Mark | None = None
    starred: bool = False
    tags: tuple[str, ...] = ()
    read: bool = False
    back: bool = False
    chosen: bool = False


NOTHING = EntryNote()


class Notes:
    """The user's notes, by an entry's id, the versions that they wrote, how the list was screened (``screening``) and
    where its reading was left (``desk``); None changes nothing of what is kept. One thread may write while others read:
    the note on an entry is replaced whole. A contest that runs puts them into all that it keeps."""

    def __init__(self, notes: dict[str, EntryNote] | None = None) -> None:
        self._notes = dict(notes or {})
        self._versions: dict[str, RankedEntry] = {}
        self.screening: ListScreening | None = None
        self.desk: DeskState | None = None

    @classmethod
    def of(cls, result: ContestResult) -> Notes:
        """What a result holds."""
        found = cls({entry.id: note for entry in result.entries if (note := _note_of(entry)) != NOTHING})
        found.screening, found.desk = result.screening, result.desk
        return found

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Notes) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]

    def __getitem__(self, id: str) -> EntryNote:
        return self._notes.get(id, NOTHING)

    def __setitem__(self, id: str, note: EntryNote) -> None:
        if note == NOTHING:
            self._notes.pop(id, None)
        else:
            self._notes[id] = note

    @property
    def kept(self) -> int:
        """How many entries are marked to be kept."""
        return sum(note.mark == "keep" for note in list(self._notes.values()))

    @property
    def decided(self) -> int:
        return sum(note.mark in ("keep", "bin") for note in list(self._notes.values()))

    def tags(self) -> tuple[str, ...]:
        found: dict[str, str] = {}
        for note in list(self._notes.values()):
            for tag in note.tags:
                found.setdefault(tag.casefold(), tag)
        return tuple(sorted(found.values(), key=str.casefold))

    def add_version(self, version: RankedEntry) -> None:
        """Keep an entry that is a new version of another one; it isn't ranked yet."""
        self._versions[version.id] = version

    def on(self, result: ContestResult) -> ContestResult:
        entries = self.in_entries(result.entries)
        screening, desk = self.screening or result.screening, self.desk or result.desk
        if entries is result.entries and screening == result.screening and desk == result.desk:
            return result
        return result.replaced(entries=entries, screening=screening, desk=desk)

    def in_entries(self, entries: tuple[RankedEntry, ...]) -> tuple[RankedEntry, ...]:
        """Entries with all of the user's notes; they themselves where nothing is new."""
        there = {entry.id for entry in entries}
        noted = [_with(entry, self[entry.id]) for entry in entries]
        added = [_with(each, self[each.id]) for each in list(self._versions.values()) if each.id not in there]
        if not added and all(one is other for one, other in zip(noted, entries, strict=True)):
            return entries
        return (*noted, *added)


def new_id(result: ContestResult) -> str:
    """The number of an entry that is added to a result."""
    ids = [entry.id for entry in result.entries]
    return str(max([len(ids), *(int(id) for id in ids if id.isdecimal() and len(id) < 19)]) + 1)


def waiting(entries: Sequence[RankedEntry]) -> int:
    return sum(entry.rank is None and entry.error is None for entry in entries)


def _note_of(entry: RankedEntry) -> EntryNote:
    return EntryNote(entry.mark, entry.starred, entry.tags, entry.read, entry.back, entry.chosen)


def _with(entry: RankedEntry, note: EntryNote) -> RankedEntry:
    if _note_of(entry) == note:
        return entry
    return entry.replaced(**note._asdict())


MOST_ENTRIES = 20_000
MOST_TITLE = 200
MOST_ROUNDS = 20

IntervalOf = Literal["people", "judge"]
"""What a contest's intervals speak of: where people would put a joke, or how consistent the judge is."""

_GENERATORS = ("generator", "model")

Scale = Literal["humor", "relevance", "originality"]
SCALES: tuple[Scale, ...] = ("humor", "relevance", "originality")
"""What a shuffled round asks of each joke, from 1 to 10."""


def _in_one_line(title: str) -> str:
    return without_controls(" ".join(title.split()))[:MOST_TITLE]


class Entry(Frozen):
    """A joke that takes part. ``problem``: why it can't be read, known before any model is asked; ``version_of``: id of
    the entry of which the user wrote this as a new version; ``columns``: what else its list says of it (model, author,
    prompt …), by name."""

    id: str
    text: str
    version_of: str | None = None
    problem: ErrorInfo | None = None
    columns: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _cleaned(cls, given: Any) -> Any:
        if not isinstance(given, dict) or not isinstance(given.get("text"), str) or given.get("problem") is not None:
            return given
        try:
            clean_context(str(dict(given.get("columns") or {}).get("context", "")))
            return {**given, "text": clean_text(given["text"])}
        except JokeJudgeError as error:
            text = given["text"].encode("utf-8", "replace").decode("utf-8").replace("\0", "")
            return {**given, "text": text, "problem": info(error)}


def generator_of(entry: Entry) -> str:
    """The model that wrote an entry, as the column "generator" of its list says, or "model" where there is none; empty
    where neither is there."""
    return next((entry.columns[name].strip() for name in _GENERATORS if entry.columns.get(name, "").strip()), "")


def written_by(generator: str, entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """The entries, with the model that wrote those that don't say it; as they are where ``generator`` is empty. Raises
    what ``clean_generator`` raises."""
    name = clean_generator(generator)
    if not name:
        return entries
    return tuple(
        entry if generator_of(entry) else entry.replaced(columns={**entry.columns, "generator": name})
        for entry in entries
    )


def scene_of(entry: Entry) -> str:
    """What an entry itself is about, as the column "context" of its list says; empty where it says nothing."""
    return clean_context(entry.columns.get("context", ""))


class Reading(Frozen):
    """What is known of a joke by itself. ``value``: log-odds that people find it funny, in the judge's weight;
    ``audience``: the audience head's own score, as a rating of the joke has it; ``percentile`` 0…100 among jokes that
    people voted on, with where people would put it (``percentile_low``, ``percentile_high``), and ``low``, ``high`` the
    same on the scale of ``value``; ``unit``: a standard deviation of the audience's scores on that scale.
    ``agreement``: share of pairs of its ``kind`` on which the audience head agrees with people; None where that isn't
    known. ``joke``: whether it seems to be meant as a joke at all; ``stock``: probability that the joke is an old one;
    ``fresh``: share of jokes that a reader finds less original, 0…1;
    ``english``: whether it can be judged by what was learned from English; ``scene``: what the joke itself is about
    and was read behind, empty where that was the list's topic; ``turn``: the words on which it turns, None where they
    aren't known well enough to be shown; ``sense``: whether it works as a joke, None where no head was heard;
    ``reason``: why it is no joke ("a heading", "no turn found"), empty where it may be one; ``note``: what a rating of
    it would say, in words, empty where it says nothing."""

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
    fresh: float | None = None
    english: bool = True
    scene: str = ""
    turn: Span | None = None
    sense: Sense | None = None
    reason: str = ""
    note: str = ""


class HeldDuel(Frozen):
    """A duel between two entries: ``p_a`` is the probability that ``a`` (an id) is the better one; ``drafts``: they are
    two versions of one joke and were judged as such; ``verdict``: id of the duel's own verdict."""

    a: str
    b: str
    p_a: float
    drafts: bool = False
    verdict: str | None = None


class ScoredChunk(Frozen):
    """Jokes that were shown together in a shuffled round, in their order (``ids``), and the score 1…10 that the model
    gave each, by scale; None: it gave none. ``words``: version of the questions; ``round`` from 1."""

    round: int
    ids: tuple[str, ...]
    scores: dict[Scale, tuple[float | None, ...]]
    words: str = ""


class ScaleMean(Frozen):
    """What shuffled rounds gave a joke on a scale: the mean score 1…10, effects of place taken out, and its standard
    deviation over rounds (None after a single one); ``times``: in how many rounds it was scored."""

    scale: Scale
    mean: float
    sd: float | None = None
    times: int = 1


class PlaceEffects(Frozen):
    """How many points each place in a chunk added to a score, the first place first; about 0 on the whole."""

    scale: Scale
    effects: tuple[float, ...]


class Decisive(Frozen):
    """A duel without which ``first`` (an id) would be in the first place."""

    a: str
    b: str
    first: str


class RankedEntry(Frozen):
    """An entry in its place. ``score`` (log-odds) with its interval, ``rank`` from 1 with the first and last rank that
    it may have; None until it was read. ``percentile`` as a rating of the joke alone shows it. ``originality`` 0…1:
    read off the joke, and shared among its versions in the list; ``relevance`` 0…1 to the topic: the model's own
    answers in shuffled rounds; None where nothing is known. ``rounds``: what shuffled rounds gave it, scale by scale.
    ``group``: entries of one group can't be told apart; ``p_top``: probability that it belongs to the first ``top``.
    ``like``: ids of other entries that seem to be versions of the same joke; ``same_as``: id of the entry with the very
    same text. ``duels``: how many it took part in. ``sense``: whether it works as a joke, None where no head was heard;
    ``reason``: why it is left out of what people read ("a heading", "a refusal"), empty where it isn't; ``note``: what
    a rating of it would say. ``seen``: id of an earlier verdict about it or about another version of it. ``mark``,
    ``starred``, ``tags``, ``read``, ``back`` and ``chosen`` are the user's (``EntryNote``), and ``version_of`` is the
    id of the entry of which they wrote this as a new version; ``columns``: the other columns of its list."""

    id: str
    text: str
    score: float | None = None
    low: float | None = None
    high: float | None = None
    rank: int | None = None
    rank_low: int | None = None
    rank_high: int | None = None
    percentile: float | None = None
    percentile_low: float | None = None
    percentile_high: float | None = None
    relevance: float | None = None
    originality: float | None = None
    rounds: tuple[ScaleMean, ...] = ()
    group: int | None = None
    p_top: float | None = None
    joke: bool | None = None
    sense: Sense | None = None
    reason: str = ""
    note: str = ""
    stock: float | None = None
    like: tuple[str, ...] = ()
    same_as: str | None = None
    duels: int = 0
    seen: str | None = None
    mark: Mark | None = None
    starred: bool = False
    tags: tuple[str, ...] = ()
    read: bool = False
    back: bool = False
    chosen: bool = False
    version_of: str | None = None
    reading: Reading | None = None
    columns: dict[str, str] = Field(default_factory=dict)
    error: ErrorInfo | None = None


class ContestMadeBy(MadeBy):
    """The same with the weights of a duel."""

    weights: str = ""
    everything_asked: bool = False


class ContestResult(VerdictResult):
    """A ranking, whole or as far as it came. ``entries``: best first, those without a score last. ``top``: how many are
    to be found; ``budget``: most duels, None: as many as are worth it. ``rounds`` of duels; ``held``: every duel;
    ``shuffled``: how many shuffled rounds were asked for, None: as the model's weights say; ``scored``: every chunk of
    them; ``place_effects``: what was taken out of their scores; ``rounds_weight``: log-odds for a point of their humor;
    ``decisive``, ``cycles`` (three ids, each of which beat the next): what the order hangs on. ``agreement``: share of
    the list's pairs that people would put in this order; ``interval``: what intervals speak of; ``screening``: how the
    list was screened for a vote, if it was; ``desk``: where its reading was left; ``order``: ids of the entries as the
    list had them."""

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
    place_effects: tuple[PlaceEffects, ...] = ()
    rounds_weight: float = 0.0
    decisive: tuple[Decisive, ...] = ()
    cycles: tuple[tuple[str, str, str], ...] = ()
    agreement: float | None = None
    interval: IntervalOf = "people"
    made_by: ContestMadeBy = ContestMadeBy()
    everything_asked: bool = False
    screening: ListScreening | None = None
    desk: DeskState | None = None
    order: tuple[str, ...] = ()


class ContestDraft(Draft[ContestResult], ContestResult, frozen=False):
    """``ContestResult`` while it grows."""


class Known(Frozen):
    """What an earlier run found: readings by text, duels, and chunks of shuffled rounds. Used only if they were
    ``made_by`` the same model and heads about the same ``context``, duels if they were held in the same ``mode`` (None:
    not known)."""

    made_by: ContestMadeBy = ContestMadeBy()
    context: str = ""
    mode: Mode | None = None
    readings: dict[str, Reading] = Field(default_factory=dict)
    duels: tuple[tuple[str, str, HeldDuel], ...] = ()
    """The texts of both sides, and the duel."""
    chunks: tuple[tuple[tuple[str, ...], ScoredChunk], ...] = ()
    """The texts in their order, and what they were given."""


class ContestRequest(Request):
    """A list of jokes to be ranked; ``context``: the topic or scene that all are about. Entries that can't be read have
    a ``problem`` and stay out of the ranking. ``shuffled``: shuffled rounds to be asked, None: as many as the model's
    weights say are worth it. ``notes``: what the user says of entries, before it runs and meanwhile; ``seen``: id of an
    earlier verdict on the same joke, by text."""

    entries: tuple[Entry, ...] = Field(default=(), title="texts")
    context: Annotated[str, AfterValidator(clean_context)] = Field(default="", title="topic")
    title: Annotated[str, AfterValidator(_in_one_line)] = ""
    top: int = Field(default=3, ge=1, le=10**9)
    budget: int | None = Field(default=None, ge=0, le=10**9, title="duels")
    shuffled: int | None = Field(default=None, ge=0, le=MOST_ROUNDS, title="rounds")
    known: Known = Known()
    notes: InstanceOf[Notes] = Field(default_factory=Notes)
    seen: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _checked(self) -> Self:
        if len(self.entries) > MOST_ENTRIES:
            raise InputError(
                "E_CONTEST_TOO_MANY",
                f"The list has {len(self.entries):,} jokes; at most {MOST_ENTRIES:,} can be ranked at once.",
                "Rank it in parts, and then the best of each part.",
            )
        ids = [entry.id for entry in self.entries]
        if len(set(ids)) != len(ids):
            double = next(id for id in ids if ids.count(id) > 1)
            raise InputError(
                "E_CONTEST_ID", f"Two entries have the id {double!r}.", "Give every joke an id of its own."
            )
        return self

    @classmethod
    def of_texts(cls, texts: Sequence[str], **options: Any) -> Self:
        """Texts numbered from 1. Raises ``InputError`` for too many, and what the other fields raise."""
        if isinstance(texts, str | bytes) or not isinstance(texts, Iterable):
            raise unusable("“texts”", "should be a list of texts", texts)
        entries = [{"id": str(number), "text": text} for number, text in enumerate(texts, start=1)]
        return cls.model_validate({"entries": entries, **options})

    @classmethod
    def going_on(
        cls,
        result: ContestResult,
        added: Sequence[str] = (),
        *,
        columns: Sequence[Mapping[str, str]] = (),
        **options: Any,
    ) -> Self:
        """A contest taken up where ``result`` stopped, with more jokes at its end: what was read isn't read again.
        ``columns``: of each of the ``added``, or none."""
        first, given = int(new_id(result)), given_in(result)
        given["entries"] += [
            {"id": str(first + at), "text": text, "columns": columns[at] if columns else {}}
            for at, text in enumerate(added)
        ]
        return cls.model_validate({**repeated(cls, result), **given, "known": known_from(result), **options})


def as_given(request: ContestRequest, place: int) -> dict[str, Any]:
    """What an entry is before it is read: as the list and the user have it."""
    entry = request.entries[place]
    known = {name: getattr(entry, name) for name in ("id", "text", "version_of", "columns")}
    return {**known, "seen": request.seen.get(entry.text), **request.notes[entry.id]._asdict()}


def given_in(result: ContestResult) -> dict[str, Any]:
    """What a contest was asked about, its entries in the order of their list. What couldn't be read for its model's
    sake may be readable for another's."""
    places = {id: place for place, id in enumerate(result.order)}
    listed = sorted(result.entries, key=lambda entry: places.get(entry.id, len(places)))
    return {
        "entries": [entry.model_dump(include={"id", "text", "version_of", "columns"}) for entry in listed],
        "notes": Notes.of(result),
        "seen": {entry.text: entry.seen for entry in listed if entry.seen},
    }


def known_from(result: ContestResult) -> Known:
    texts = {entry.id: entry.text for entry in result.entries}
    return Known(
        made_by=result.made_by,
        context=result.context,
        mode=result.mode,
        readings={entry.text: entry.reading for entry in result.entries if entry.reading is not None},
        duels=tuple((texts[duel.a], texts[duel.b], duel) for duel in result.held),
        chunks=tuple((tuple(texts[id] for id in chunk.ids), chunk) for chunk in result.scored),
    )
