"""Versions of one joke: each is rated, and compared by duels with the version that it was made from, the first one and
the best so far."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from ..core.errors import Cancelled, ErrorInfo, InputError, JokeJudgeError, info
from ..core.events import Event, Interim, Stage, StageProgress
from ..core.pages import Mark, MarkedText, Page, Row
from ..core.texts import clean_context, clean_text
from ..core.verdict_kinds import MadeBy, Request, Subject, foot_of, notes_of, of_audience, repeated
from ..core.verdicts import Audience, Frozen, Span, VerdictResult
from ..core.words import differing
from .duel.kind import DUEL
from .duel.record import DuelRequest, DuelResult, side_of
from .duel.words import CLEAR, PROBABLE, chance_in_100
from .judged_kind import JudgedKind, Work, staged, without_events
from .rating.kind import RATING
from .rating.record import FactorScore, FaultScore, RatingRequest, RatingResult, Trial

MOST_VERSIONS = 200
OTHER_MODEL = (
    "The earlier versions were read by another model or another version of the program, so they were read again."
)
_MOST_FACTORS = 2
_ABOUT = ("context", "mode", "seed", "ask")
"""The fields of the request that its ratings and duels share."""

Origin = Literal["writer", "program", "model"]
"""A version's author: the writer; the program, by an edit that it tried; the model, by a rewrite."""


class Change(Frozen):
    """The comparison of a version with another one, ``against`` (an id). ``p_better``: probability that this version is
    the better joke; ``p_editor`` and ``p_audience``: the same by the draft heads and by the audience head alone, None
    without them. ``agreement``: share of unseen drafts on which the draft heads are right; ``fault`` (an id, and its
    name): the weaker version's fault, with its probability. ``factors``: those scored in both, by the size of their
    change: ``id``, ``name``, ``before``, ``after`` 0…5, and ``sd`` of one reading; ``faults_gone`` and ``faults_new``:
    names of faults in only one of them. ``verdict``: id of the duel."""

    against: str
    p_better: float
    p_editor: float | None = None
    p_audience: float | None = None
    p_length_controlled: float | None = None
    agreement: float | None = None
    fault: str | None = None
    fault_name: str = ""
    fault_p: float | None = None
    factors: tuple[dict[str, Any], ...] = ()
    faults_gone: tuple[str, ...] = ()
    faults_new: tuple[str, ...] = ()
    verdict: str | None = None


class Version(Frozen):
    """A version of a joke, as given and with its findings. ``parent``: id of the version that it was made from, None
    for the first one; ``change``: the program's change in words, empty where a person wrote it. ``rating``: id of its
    own verdict, None before it is read; ``proposals``: edits that the program tried and an editor would prefer, the
    best first; ``since_parent``, ``since_first``, ``since_best``: comparisons with the version that it was made from,
    the first one, and the best one before it (None where that is one of the others)."""

    id: str
    text: Annotated[str, AfterValidator(clean_text)]
    parent: str | None = None
    origin: Origin = "writer"
    change: str = ""
    rating: str | None = None
    audience: Audience | None = None
    factors: tuple[FactorScore, ...] = ()
    faults: tuple[FaultScore, ...] = ()
    turn: Span | None = None
    proposals: tuple[Trial, ...] = ()
    since_parent: Change | None = None
    since_first: Change | None = None
    since_best: Change | None = None
    error: ErrorInfo | None = None

    @property
    def given(self) -> Version:
        """The version without its findings."""
        return Version(id=self.id, text=self.text, parent=self.parent, origin=self.origin, change=self.change)


class WorkshopResult(VerdictResult):
    """The versions in the order in which they were added; ``best``: id of the best so far, None before any was read."""

    kind: ClassVar[str] = "workshop"
    versions: tuple[Version, ...] = ()
    best: str | None = None
    context: str = ""
    everything_asked: bool = False
    made_by: MadeBy = MadeBy()

    def version(self, id: str | None) -> Version | None:
        """Return the version with this id; None if there is none."""
        return next((version for version in self.versions if version.id == id), None)


class WorkshopRequest(Request):
    """Versions of one joke, the first one first. ``known``: an earlier run's results for some of them; used only with
    the same model and heads and the same ``context``."""

    versions: tuple[Version, ...] = Field(default=())
    context: Annotated[str, AfterValidator(clean_context)] = ""
    known: WorkshopResult | None = None

    @model_validator(mode="after")
    def _checked(self) -> Self:
        if len(self.versions) > MOST_VERSIONS:
            sentence = f"A joke can have at most {MOST_VERSIONS} versions here."
            raise InputError("E_WORKSHOP_TOO_MANY", sentence, "Begin anew with the best of them.")
        for place, version in enumerate(self.versions):
            earlier = self.versions[:place]
            if any(version.text == other.text for other in earlier):
                sentence = "This version is there already, word for word."
                raise InputError("E_WORKSHOP_SAME", sentence, "Change something in it first.")
            if version.parent not in [other.id for other in earlier] and (earlier or version.parent is not None):
                sentence = f"Version {version.id} isn't made from an earlier version of this joke."
                raise InputError("E_WORKSHOP_PARENT", sentence, "Name the number of an earlier version.")
        return self

    @classmethod
    def of(cls, *texts: str, **options: Any) -> Self:
        """Make a request from a joke and further versions, each made from the one before it. Raises the fields'
        errors."""
        return cls.model_validate({"versions": _added((), texts), **options})

    @classmethod
    def going_on(
        cls,
        result: WorkshopResult,
        texts: Sequence[str] = (),
        *,
        parent: str | None = None,
        origin: Origin = "writer",
        change: str = "",
        **options: Any,
    ) -> Self:
        """Make a request from the versions of ``result`` and more of them, the first made from ``parent`` (None: from
        the last one) and each further from the one before it. Raises the fields' errors."""
        versions = _added([version.given for version in result.versions], texts, parent, origin=origin, change=change)
        given = {"versions": versions, "known": result, "continues": result.id}
        return cls.model_validate({**repeated(cls, result), **given, **options})


def _added(
    versions: Sequence[Version], texts: Sequence[str], parent: str | None = None, **made: Any
) -> list[dict[str, Any]]:
    added = [dict(version) for version in versions]
    for text in texts:
        before = parent or (added[-1]["id"] if added else None)
        added.append({"id": str(len(added) + 1), "text": text, "parent": before, **made})
        parent = None
    return added


Step = Event | WorkshopResult


class WorkshopKind(JudgedKind[WorkshopRequest, WorkshopResult]):
    """The versions of one joke: the effect of each change, and the best so far."""

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
        yield draft  # from here on a crash loses no version
        yield from staged(draft, Stage.READING, _read_all(draft, request, work), total=len(draft.versions))

    def contract(self, result: WorkshopResult) -> dict[str, Any]:
        return {
            "id": result.id,
            "text": result.versions[0].text if result.versions else "",
            "topic": result.context or None,
            "best": result.best,
            "versions": [_fields(version) for version in result.versions],
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
            "audience": best.audience.percentile if best and best.audience and best.audience.heard else None,
        }


def _recall(draft: WorkshopResult, request: WorkshopRequest, work: Work) -> None:
    """Reuse the results of an earlier run if the same judge made it."""
    draft.calibrated, draft.made_by = True, work.judge.made_by
    earlier = request.known
    if earlier is None:
        return
    if (earlier.made_by, earlier.context, earlier.everything_asked) != (
        draft.made_by,
        request.context,
        request.ask == "all",
    ):
        if any(version.rating for version in earlier.versions):
            draft.warn(OTHER_MODEL)
        return
    read = {repr(version.given): version for version in earlier.versions if version.error is None}
    draft.versions = tuple(read.get(repr(version), version) for version in draft.versions)
    # The best so far is kept only if its reading is reused.
    draft.best = earlier.best if any(version.id == earlier.best for version in read.values()) else None


def _read_all(draft: WorkshopResult, request: WorkshopRequest, work: Work) -> Generator[Step, None, None]:
    total = len(draft.versions)
    for place, version in enumerate(draft.versions):
        if version.rating:
            continue
        yield StageProgress(stage=Stage.READING, done=place, total=total, note="Reading the versions")
        try:
            read = _compared(draft, _rated(version, request, work), request, work)
        except JokeJudgeError as fault:
            error = info(fault)
            if isinstance(fault, Cancelled) or error.ends_the_run:
                raise
            read = version.replaced(error=error)
        draft.versions = (*draft.versions[:place], read, *draft.versions[place + 1 :])
        yield draft
        yield Interim(result=draft.freeze())


def _rated(version: Version, request: WorkshopRequest, work: Work) -> Version:
    # A writer who works on a text means it as a joke, whatever a check finds.
    own = {"text": version.text, "forced": True, "explain": request.explain}
    asked = RatingRequest.model_validate({name: getattr(request, name) for name in _ABOUT} | own)
    rating: RatingResult = without_events(work.child(RATING, asked))
    findings = {name: getattr(rating, name) for name in ("audience", "factors", "faults", "turn")}
    proposals = rating.note.trials if rating.note else ()
    return version.replaced(rating=rating.id, proposals=proposals, error=None, **findings)


def _compared(draft: WorkshopResult, version: Version, request: WorkshopRequest, work: Work) -> Version:
    """Return the version with its comparisons; updates the draft's best version."""
    best, first = draft.version(draft.best), draft.versions[0]
    if best is None:
        draft.best = version.id
        return version
    others = {"since_best": best, "since_first": first, "since_parent": draft.version(version.parent)}
    changes: dict[str, Change | None] = {}
    for other in others.values():
        if other is not None and other.rating and other.id not in (version.id, *changes):
            changes[other.id] = _change(version, other, request, work)
    since_best = changes.get(best.id)
    if since_best is not None and side_of(since_best.p_better) == "A":
        draft.best = version.id
    shown: dict[str, Change | None] = {}
    for name, other in reversed(others.items()):
        change = changes.get(other.id) if other is not None else None
        shown[name] = None if change in shown.values() else change
    return version.replaced(**shown)


def _change(version: Version, other: Version, request: WorkshopRequest, work: Work) -> Change | None:
    own = {"text_a": version.text, "text_b": other.text, "explain": False}
    asked = DuelRequest.model_validate({name: getattr(request, name) for name in _ABOUT} | own)
    duel: DuelResult = without_events(work.child(DUEL, asked))
    if duel.p_a is None:
        return None
    drafts = duel.drafts
    fault = next((one for one in work.judge.words.faults if drafts is not None and one.id == drafts.fault), None)
    names, others = ([fault.name for fault in one.faults] for one in (version, other))
    return Change(
        against=other.id,
        p_better=duel.p_a,
        p_editor=drafts.p_a if drafts else None,
        p_audience=duel.audience.p_a if duel.audience else None,
        p_length_controlled=duel.length_controlled.p_a if duel.length_controlled else None,
        fault_name=fault.name if fault is not None else "",
        factors=_factors(version, other),
        faults_gone=tuple(name for name in others if name not in names),
        faults_new=tuple(name for name in names if name not in others),
        verdict=duel.id,
        **(drafts.model_dump(include={"agreement", "fault", "fault_p"}) if drafts else {}),
    )


def _factors(version: Version, other: Version) -> tuple[dict[str, Any], ...]:
    """Factors of both, by the size of their change relative to its uncertainty."""
    before = {factor.id: factor for factor in other.factors}
    rows = []
    for now in version.factors:
        then = before.get(now.id)
        if then is not None and then.expected is not None and now.expected is not None and now.sd:
            sd = max(now.sd, then.sd or 0)
            rows.append((-abs(now.expected - then.expected) / sd, now.id, now.name, then.expected, now.expected, sd))
    names = ("id", "name", "before", "after", "sd")
    return tuple(dict(zip(names, row, strict=True)) for _, *row in sorted(rows))


def _fields(version: Version) -> dict[str, Any]:
    faults = [{"name": fault.name, "p": fault.p} for fault in version.faults]
    return {**version.model_dump(exclude={"factors", "turn"}), "faults": faults}


# -- The words ---------------------------------------------------------------------------------------------------------


def page(result: WorkshopResult) -> Page:
    """Return the versions in words: the best so far, and the effect of each change."""
    best = result.version(result.best)
    count = len(result.versions)
    headline = f"{count} version{'' if count == 1 else 's'}"
    if count > 1 and best is not None:
        first = best.id == result.versions[0].id
        headline += "; the first is still the best" if first else f"; the best so far is version {best.id}"
    glance = of_audience(best.audience) if best and best.audience and best.audience.heard else None
    if glance is not None:
        headline += f"; {glance.headline[:1].lower()}{glance.headline[1:]}"
    return Page(
        headline=headline,
        badge=glance.badge if glance else f"{count}×",
        tone=glance.tone if glance else "none",
        value=glance.value if glance else None,
        notes=notes_of(result),
        texts=tuple(_text(result, version) for version in result.versions),
        rows=(
            *((Row(result.context, "Topic or scene", quiet=True),) if result.context else ()),
            *(_row(version, version.id == result.best and count > 1) for version in result.versions),
        ),
        foot=foot_of(result),
    )


def _text(result: WorkshopResult, version: Version) -> MarkedText:
    """A version; the words that its parent doesn't have are marked."""
    parent = result.version(version.parent)
    spans = differing(version.text, parent.text)[0] if parent is not None else ()
    return MarkedText(version.text, version.id, tuple(Mark(*span, "differs") for span in spans))


def _row(version: Version, best: bool) -> Row:
    rows = []
    if version.error is not None:
        rows.append(Row(f"{version.error.sentence} {version.error.hint}".strip(), "Not read"))
    audience = version.audience
    if audience is not None and audience.heard:
        measured = audience.low is not None and audience.high is not None
        between = f" ({round(audience.low or 0)}–{round(audience.high or 0)})" if measured else ""
        rows.append(Row(f"at {round(audience.percentile)}{between} of 100 jokes that people voted on", "Audience"))
    for change in filter(None, (version.since_parent, version.since_first, version.since_best)):
        rows.append(Row(f"{_better(change)}.", "Change", rows=tuple(_sources(change))))
    for number, trial in enumerate(version.proposals):
        name = f"Try {version.id}{chr(ord('a') + number)}"
        rows.append(Row(trial.text, name, f"{trial.kind}; an editor prefers it with {chance_in_100(trial.p_better)}"))
    return Row(f"{_origin(version)}{', the best so far' if best else ''}.", f"Version {version.id}", rows=tuple(rows))


def _origin(version: Version) -> str:
    if version.parent is None:
        return "the first version"
    if version.origin == "program":
        done = f" ({version.change})" if version.change else ""
        return f"the program's edit of version {version.parent}{done}"
    by = "the model's rewrite of" if version.origin == "model" else "made from"
    return f"{by} version {version.parent}"


def _better(change: Change) -> str:
    """As a duel says it: under 65 in 100 nothing can be told."""
    better = change.p_better > 0.5
    p = change.p_better if better else 1.0 - change.p_better
    if round(100 * p) < PROBABLE:
        return f"can't be told from version {change.against}"
    how = "clearly" if round(100 * p) >= CLEAR else "probably"
    return f"{how} {'better' if better else 'worse'} than version {change.against} ({chance_in_100(p)})"


def _sources(change: Change) -> Iterator[Row]:
    """Yield a row for each source of a change: the editor, the audience, the faults and the factors."""
    if change.p_editor is not None:
        right = f", right in {100 * change.agreement:.0f} of 100 pairs of drafts" if change.agreement else ""
        yield Row(f"{_prefers(change.p_editor, 'prefers')}{right}.", "Editor")
        if change.fault and side_of(change.p_editor) != "tie":
            fault = change.fault_name or change.fault.replace("_", " ")
            yield Row(f"{fault[:1].lower()}{fault[1:]}.", "Fault of the weaker version")
    if change.p_audience is not None:
        yield Row(f"{_prefers(change.p_audience, 'would vote for')}.", "Audience")
    for name, faults in (("No longer found", change.faults_gone), ("Newly found", change.faults_new)):
        if faults:
            yield Row(f"{', '.join(faults).lower()}.", name)
    moved = [one for one in change.factors if abs(one["after"] - one["before"]) > one["sd"]][:_MOST_FACTORS]
    for one in moved:
        yield Row(f"{one['before']:.1f} → {one['after']:.1f} (± {one['sd']:.1f}).", one["name"])
    if change.factors and not moved:
        yield Row("No factor moved by more than its uncertainty.")


def _prefers(p: float, verb: str) -> str:
    better = side_of(p)
    if better == "tie":
        return "hardly sees a difference" if verb == "prefers" else "would hardly see a difference"
    return f"{verb} {'this one' if better == 'A' else 'the other'} with {chance_in_100(max(p, 1.0 - p))}"


WORKSHOP = WorkshopKind()
