"""Versions of one joke: each is read once, all are compared in pairs, and the pairs give one order with its ties."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Annotated, Any, ClassVar, Self

from pydantic import AfterValidator, Field, computed_field, model_validator

from ..core.errors import ErrorInfo, InputError
from ..core.events import Event
from ..core.languages import NOT_ENGLISH, is_english
from ..core.pages import Mark, MarkedText, Page, Row
from ..core.texts import clean_context, clean_text, listed
from ..core.verdict_kinds import MadeBy, Request, Subject, foot_of, notes_of, repeated
from ..core.verdicts import Audience, Frozen, Sense, VerdictResult
from ..core.words import changed_places, differing
from .duel.kind import DUEL
from .duel.record import DECIDED, DuelResult, Pair
from .duel.words import chance_in_100
from .judged_kind import JudgedKind, Work, part_by_part, without_events
from .rating.kind import RATING
from .rating.record import FaultScore, RatingResult, Trial

MOST_VERSIONS = 30
OTHER_MODEL = (
    "The earlier versions were read by another model or another version of the program, so they were read again."
)


class Placed(Frozen):
    """A version in the order, the best first. ``place``: 1 and the number of versions that fewer others beat with
    ``DECIDED`` or more, so that ties share a place. ``p_next``: probability that it is better than the next one in the
    order, None for the last one; ``p_best``: that it is better than the first one in the order, None for that one."""

    id: str
    place: int
    p_next: float | None = None
    p_best: float | None = None


class Version(Frozen):
    """A version of a joke, as given and with its findings. ``parent``: id of the version that it was made from, None
    for the first one; ``origin`` and ``change`` are those of a version that a person wrote. ``rating``: id of its own
    verdict, None before it is read; ``proposals``: edits that its rating tried and shows, the best first."""

    id: str
    text: Annotated[str, AfterValidator(clean_text)]
    parent: str | None = None
    origin: str = "writer"
    change: str = ""
    rating: str | None = None
    audience: Audience | None = None
    sense: Sense | None = None
    faults: tuple[FaultScore, ...] = ()
    proposals: tuple[Trial, ...] = ()
    error: ErrorInfo | None = None

    @property
    def given(self) -> Version:
        """The version without its findings."""
        return Version(id=self.id, text=self.text, parent=self.parent)


class WorkshopResult(VerdictResult):
    """The versions in the order in which they were added, and all ``pairs`` of them, the one that was written first as
    ``a``. The order of the best follows from these."""

    kind: ClassVar[str] = "workshop"
    versions: tuple[Version, ...] = ()
    pairs: tuple[Pair, ...] = ()
    context: str = ""
    everything_asked: bool = False
    made_by: MadeBy = MadeBy()

    @model_validator(mode="before")
    @classmethod
    def _older(cls, values: Any) -> Any:
        """The order is stored for those who read a row, and follows from the pairs again."""
        return {name: value for name, value in values.items() if name != "order"} if "order" in values else values

    def version(self, id: str | None) -> Version | None:
        """Return the version with this id; None if there is none."""
        return next((version for version in self.versions if version.id == id), None)

    @property
    def chances(self) -> dict[tuple[str, str | None], float]:
        """The probability that one version is better than another, by their ids."""
        chances = dict[tuple[str, str | None], float]()
        for pair in self.pairs:
            chances |= {(pair.a, pair.b): pair.p_a, (pair.b, pair.a): 1.0 - pair.p_a}
        return chances

    @computed_field  # type: ignore[prop-decorator]
    @property
    def order(self) -> tuple[Placed, ...]:
        """The versions that were read, the best first: by the number of those that are better with ``DECIDED`` or more,
        then by the mean chance against all others, then as they were written."""
        ids, chances = [version.id for version in self.versions if version.rating], self.chances
        own = {id: [chances[id, other] for other in ids if (id, other) in chances] for id in ids}
        lost = {id: sum(1.0 - p >= DECIDED for p in own[id]) for id in ids}
        place = {id: 1 + sum(fewer < lost[id] for fewer in lost.values()) for id in ids}
        order = sorted(ids, key=lambda id: (place[id], -sum(own[id]) / max(1, len(own[id]))))
        return tuple(
            Placed(id=id, place=place[id], p_next=chances.get((id, after)), p_best=chances.get((id, order[0])))
            for id, after in zip(order, [*order[1:], None], strict=False)
        )

    @property
    def first(self) -> list[str]:
        """Ids of the versions that share the first place, as they were written."""
        first = {one.id for one in self.order if one.place == 1}
        return [version.id for version in self.versions if version.id in first]

    @property
    def best(self) -> str | None:
        """Id of the best version; None where several share the first place."""
        first = self.first
        return first[0] if len(first) == 1 else None


class WorkshopRequest(Request):
    """Versions of one joke, the first one first. ``known``: an earlier run's results for some of them; used only with
    the same model and heads and the same ``context``."""

    versions: tuple[Version, ...] = Field(default=())
    context: Annotated[str, AfterValidator(clean_context)] = ""
    known: WorkshopResult | None = None

    @model_validator(mode="after")
    def _checked(self) -> Self:
        earlier: dict[str, str] = {}
        for version in self.versions:
            if version.text in earlier.values():
                sentence = "This version is there already, word for word."
                raise InputError("E_WORKSHOP_SAME", sentence, "Change something in it first.")
            if version.parent not in (earlier or [None]):
                sentence = f"Version {version.id} isn't made from an earlier version of this joke."
                raise InputError("E_WORKSHOP_PARENT", sentence, "Name the number of an earlier version.")
            earlier[version.id] = version.text
        if len(earlier) > MOST_VERSIONS:
            sentence = f"A joke can have at most {MOST_VERSIONS} versions here."
            raise InputError("E_WORKSHOP_TOO_MANY", sentence, "Begin anew with the best of them.")
        return self

    @classmethod
    def of(cls, *texts: str, **options: Any) -> Self:
        """Make a request from a joke and further versions, each made from the one before it. Raises the fields'
        errors."""
        return cls.model_validate({"versions": _added((), texts), **options})

    @classmethod
    def going_on(
        cls, result: WorkshopResult, texts: Sequence[str] = (), *, parent: str | None = None, **options: Any
    ) -> Self:
        """Make a request from the versions of ``result`` and more of them, the first made from ``parent`` (None: from
        the last one) and each further from the one before it. Raises the fields' errors."""
        versions = _added([version.given for version in result.versions], texts, parent)
        given = {"versions": versions, "known": result, "continues": result.id}
        return cls.model_validate({**repeated(cls, result), **given, **options})


def _added(versions: Sequence[Version], texts: Sequence[str], parent: str | None = None) -> list[dict[str, Any]]:
    added = [dict(version) for version in versions]
    for text in texts:
        before = parent or (added[-1]["id"] if added else None)
        added.append({"id": str(len(added) + 1), "text": text, "parent": before})
        parent = None
    return added


Step = Event | WorkshopResult


class WorkshopKind(JudgedKind[WorkshopRequest, WorkshopResult]):
    """The versions of one joke, in order."""

    name: ClassVar[str] = "workshop"
    noun: ClassVar[str] = "workshop"
    verb: ClassVar[str] = "Versions"
    deep: ClassVar[bool] = True
    request = WorkshopRequest
    result = WorkshopResult

    def subjects(self, request: WorkshopRequest) -> tuple[Subject, ...]:
        """Return the versions, the first one first, so that a search for any of them finds the joke."""
        return tuple(Subject(text=version.text, label=version.id) for version in request.versions)

    def given(self, result: WorkshopResult) -> dict[str, Any]:
        return {"versions": tuple(version.given for version in result.versions)}

    def asked(self, request: WorkshopRequest) -> dict[str, Any]:
        return {"everything_asked": request.ask == "all"}

    def run(self, draft: WorkshopResult, request: WorkshopRequest, work: Work) -> Iterator[Step]:
        """Read the versions that aren't known yet. A version that can't be read has its own error; an error that would
        stop every other one too is raised."""
        if not request.versions:
            raise InputError("E_WORKSHOP_EMPTY", "There is no joke to work on.", "Give its text.")
        _recall(draft, request, work)
        yield from part_by_part(draft, "versions", "Reading the versions", partial(_read, draft, request, work))

    def contract(self, result: WorkshopResult) -> dict[str, Any]:
        return {
            "id": result.id,
            "text": result.versions[0].text if result.versions else "",
            "topic": result.context or None,
            "best": result.best,
            "order": [one.model_dump() for one in result.order],
            "pairs": [pair.model_dump() for pair in result.pairs],
            "versions": [_fields(result, version) for version in result.versions],
            **result.contract_end(),
        }

    def words(self, result: WorkshopResult) -> Page:
        return page(result)

    def columns(self, result: WorkshopResult) -> dict[str, object]:
        best = result.version(result.best)
        return {
            "text_a": result.versions[0].text if result.versions else "",
            "versions": len(result.versions),
            "best": best.text if best else None,
        }


def _recall(draft: WorkshopResult, request: WorkshopRequest, work: Work) -> None:
    """Reuse the results of an earlier run if the same judge made it."""
    draft.calibrated, draft.made_by = True, work.judge.made_by
    earlier = request.known
    if earlier is None:
        return
    same = (draft.made_by, request.context, request.ask == "all")
    if (earlier.made_by, earlier.context, earlier.everything_asked) != same:
        if any(version.rating for version in earlier.versions):
            draft.warn(OTHER_MODEL)
        return
    read = {repr(version.given): version for version in earlier.versions if version.error is None}
    draft.versions = tuple(read.get(repr(version), version) for version in draft.versions)
    kept = {version.id for version in read.values() if version in draft.versions}
    draft.pairs = tuple(pair for pair in earlier.pairs if {pair.a, pair.b} <= kept)


def _read(draft: WorkshopResult, request: WorkshopRequest, work: Work, version: Version) -> Version:
    """Rate a version, and compare it with those that were read."""
    # A writer who works on a text means it as a joke, whatever a check finds.
    rating: RatingResult = _child(RATING, request, work, text=version.text, forced=True)
    duels = list[Pair]()
    for other in (other for other in draft.versions if other.rating):
        duel: DuelResult = _child(DUEL, request, work, text_a=other.text, text_b=version.text)
        if duel.p_a is not None:
            duels.append(Pair(a=other.id, b=version.id, p_a=duel.p_a, verdict=duel.id))
    draft.pairs = (*draft.pairs, *duels)
    same = {name: getattr(rating, name) for name in ("audience", "sense", "faults")}
    proposals = tuple(remark.trial for remark in rating.remarks if remark.trial is not None)
    return version.replaced(rating=rating.id, proposals=proposals, error=None, **same)


def _child(kind: JudgedKind[Any, Any], request: WorkshopRequest, work: Work, **own: Any) -> Any:
    """The result of a rating or a duel of its own."""
    shared = {name: getattr(request, name) for name in ("context", "mode", "seed", "ask", "explain")}
    return without_events(work.child(kind, kind.request.model_validate(shared | own)))


def _fields(result: WorkshopResult, version: Version) -> dict[str, Any]:
    best, chances = result.order[0].id if result.order else None, result.chances
    others = {"since_parent": version.parent, "since_first": result.versions[0].id, "since_best": best}
    since = {
        name: {"against": other, "p_better": p} if (p := chances.get((version.id, other))) is not None else None
        for name, other in others.items()
    }
    faults = [{"name": fault.name, "p": fault.p} for fault in version.faults]
    return {**version.model_dump(), "faults": faults, **since}


# -- The words ---------------------------------------------------------------------------------------------------------


def page(result: WorkshopResult) -> Page:
    """Return the versions in words, as they were written, with the chance of each against the best; and the order."""
    count = len(result.versions)
    headline = f"{count} version{'' if count == 1 else 's'}"
    if count > 1 and result.best is not None:
        named = "the first" if result.best == result.versions[0].id else f"version {result.best}"
        headline += f"; {named} is the best"
    elif count > 1 and result.first:
        headline += f"; {listed(result.first)} are too close to call"
    return Page(
        headline=headline,
        badge=f"{count}×",
        tone="none",
        notes=(*notes_of(result), *([] if all(is_english(one.text) for one in result.versions) else [NOT_ENGLISH])),
        texts=tuple(_text(result, version) for version in result.versions),
        rows=(
            *((Row(result.context, "Topic or scene", quiet=True),) if result.context else ()),
            *((Row(_order_words(result), "Best first"),) if len(result.order) > 1 else ()),
            *(_row(result, version) for version in result.versions),
        ),
        foot=foot_of(result),
    )


def _order_words(result: WorkshopResult) -> str:
    """ "3, then 1 (70 in 100), then 2 and 4 (too close)"."""
    words = []
    for _, group in itertools.groupby(result.order, key=lambda one: one.place):
        *others, last = group
        p = last.p_next or 0.0
        chance = "too close" if others else chance_in_100(p) if p >= DECIDED else ""
        words.append(listed([*(one.id for one in others), last.id]) + (f" ({chance})" if chance else ""))
    return f"{', then '.join(words)}."


def _text(result: WorkshopResult, version: Version) -> MarkedText:
    """A version; the words that its parent doesn't have are marked."""
    parent = result.version(version.parent)
    spans = differing(version.text, parent.text)[0] if parent is not None else ()
    return MarkedText(version.text, version.id, tuple(Mark(*span, "differs") for span in spans))


def _row(result: WorkshopResult, version: Version) -> Row:
    rows, parent = list[Row](), result.version(version.parent)
    changed = list(changed_places(parent.text, version.text)) if parent is not None else []
    # Where that is most of the text, it tells nothing.
    if parent is not None and 2 * sum(end - start for (start, end), _ in changed) <= len(parent.text):
        pairs = [(parent.text[slice(*old)].strip(), version.text[slice(*new)].strip()) for old, new in changed]
        rows += (Row(f"“{old}” to “{new}”", "Changed") for old, new in pairs if old and new)
        if gone := [f"“{old}”" for old, new in pairs if old and not new]:
            rows.append(Row(", ".join(gone), "Left out"))
    if version.error is not None:
        rows.append(Row(str(version.error), "Not read"))
    if version.sense and version.sense.said == "no turn" and is_english(version.text):
        rows.append(Row("Nothing turns in it that I can find.", "Turn"))
    if len(result.order) > 1 and (chance := chance_words(result, version.id)):
        rows.append(Row(f"{chance}.", "Chance"))
    for number, trial in enumerate(version.proposals):
        name = f"Try {version.id}{chr(ord('a') + number)}"
        rows.append(Row(trial.text, name, f"{trial.kind}; better: {chance_in_100(trial.p_better)}"))
    made = "the first version" if version.parent is None else f"made from version {version.parent}"
    return Row(f"{made}.", f"Version {version.id}", rows=tuple(rows))


BEST = "best so far"


def chance_words(result: WorkshopResult, id: str) -> str:
    """Return a version's chance of being better than the best so far, in a few words; empty where it isn't known."""
    placed = next((one for one in result.order if one.id == id), None)
    if placed is None:
        return ""
    if placed.place == 1:
        return BEST if result.best == id else "among the best"
    if placed.p_best is None or 1.0 - DECIDED < placed.p_best < DECIDED:
        return "too close to the best"
    return f"{math.floor(10 * placed.p_best + 1e-9) or 'under 1'} in 10 to be better"


WORKSHOP = WorkshopKind()
