"""The workshop's request, its versions, their comparisons and the result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from ...core.errors import ErrorInfo, InputError
from ...core.texts import clean_context, clean_text
from ...core.verdict_kinds import Draft, MadeBy, Request, repeated
from ...core.verdicts import Audience, Frozen, Span, VerdictResult
from ..duel.record import DuelResult
from ..rating.record import FactorScore, FaultScore, Trial

MOST_VERSIONS = 200

Origin = Literal["writer", "program", "model"]
"""A version's author: the writer; the program, by an edit that it tried; the model, by a rewrite."""


class Version(Frozen):
    """A version as given. ``parent``: id of the version that it was made from, None for the first one; ``change``: the
    program's change in words, empty where a person wrote it."""

    id: str
    text: Annotated[str, AfterValidator(clean_text)]
    parent: str | None = None
    origin: Origin = "writer"
    change: str = ""


class FactorChange(Frozen):
    """A factor 0…5 before and after. ``sd``: uncertainty of one reading of it."""

    id: str
    name: str
    before: float
    after: float
    sd: float

    @property
    def beyond_doubt(self) -> bool:
        """Whether it changed by more than a reading's uncertainty."""
        return abs(self.after - self.before) > self.sd


class Change(Frozen):
    """The comparison of a version with another one, ``against`` (an id). ``p_better``: probability that this version is
    the better joke, with everything that has weight in a duel. ``p_editor`` and ``p_audience``: the same by the draft
    heads alone (None where the two don't read as drafts of one joke, or there are no draft heads) and by the audience
    head alone. ``agreement``: share of unseen drafts on which the draft heads are right; ``fault`` (an id, and its
    name): the weaker version's fault, with its probability. ``factors``: those scored in both; ``faults_gone`` and
    ``faults_new``: names of faults found in only one of them. ``verdict``: id of the duel."""

    against: str
    p_better: float
    p_editor: float | None = None
    p_audience: float | None = None
    p_length_controlled: float | None = None
    agreement: float | None = None
    fault: str | None = None
    fault_name: str = ""
    fault_p: float | None = None
    factors: tuple[FactorChange, ...] = ()
    faults_gone: tuple[str, ...] = ()
    faults_new: tuple[str, ...] = ()
    verdict: str | None = None


class ReadVersion(Version):
    """A version and its findings. ``rating``: id of its own verdict; ``proposals``: edits that the program tried and an
    editor would prefer, the best first; ``since_parent``, ``since_first``, ``since_best``: comparisons with the version
    that it was made from, the first one, and the best one before it (None where that is one of the others)."""

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
    def read(self) -> bool:
        """Whether it has been judged."""
        return self.rating is not None

    @property
    def changes(self) -> tuple[Change, ...]:
        """Its comparisons with other versions."""
        return tuple(each for each in (self.since_parent, self.since_first, self.since_best) if each is not None)


class WorkshopResult(VerdictResult):
    """The versions in the order in which they were added; ``best``: id of the best so far, None before any was read."""

    kind: ClassVar[str] = "workshop"
    versions: tuple[ReadVersion, ...] = ()
    best: str | None = None
    context: str = ""
    everything_asked: bool = False
    made_by: MadeBy = MadeBy()

    def version(self, id: str) -> ReadVersion:
        """The version with this id. Raises ``KeyError``."""
        return {each.id: each for each in self.versions}[id]


class WorkshopDraft(Draft[WorkshopResult], WorkshopResult, frozen=False):
    """A ``WorkshopResult`` in progress."""


class WorkshopRequest(Request):
    """Versions of one joke, the first one first. ``known``: an earlier run's results for some of them; used only with
    the same model and heads and the same ``context``."""

    versions: tuple[Version, ...] = Field(default=())
    context: Annotated[str, AfterValidator(clean_context)] = ""
    known: WorkshopResult | None = None

    @model_validator(mode="after")
    def _checked(self) -> Self:
        if len(self.versions) > MOST_VERSIONS:
            raise InputError(
                "E_WORKSHOP_TOO_MANY",
                f"A joke can have at most {MOST_VERSIONS} versions here.",
                "Begin anew with the best of them.",
            )
        known: set[str] = set()
        texts: set[str] = set()
        for version in self.versions:
            if version.id in known:
                raise InputError(
                    "E_WORKSHOP_ID", f"Two versions have the id {version.id!r}.", "Give every version its own."
                )
            if version.text in texts:
                raise InputError(
                    "E_WORKSHOP_SAME", "This version is there already, word for word.", "Change something in it first."
                )
            if (version.parent is None) != (not known) or (version.parent is not None and version.parent not in known):
                raise InputError(
                    "E_WORKSHOP_PARENT",
                    f"Version {version.id} isn't made from an earlier version of this joke.",
                    "Name the number of an earlier version.",
                )
            known.add(version.id)
            texts.add(version.text)
        return self

    @classmethod
    def of(cls, text: str, *more: str, **options: Any) -> Self:
        """Make a request from a joke and further versions, each made from the one before it. Raises the fields'
        errors."""
        versions = [
            {"id": str(number), "text": each, "parent": str(number - 1) if number > 1 else None}
            for number, each in enumerate((text, *more), start=1)
        ]
        return cls.model_validate({"versions": versions, **options})

    @classmethod
    def going_on(
        cls,
        result: WorkshopResult,
        added: Sequence[str] = (),
        *,
        parent: str | None = None,
        origin: Origin = "writer",
        change: str = "",
        **options: Any,
    ) -> Self:
        """Make a request from the versions of ``result`` and more of them, the first made from ``parent`` (None: from
        the last one) and each further from the one before it. Raises the fields' errors."""
        versions: list[dict[str, Any]] = [
            version.model_dump(include=set(Version.model_fields)) for version in result.versions
        ]
        before = parent if parent is not None else versions[-1]["id"] if versions else None
        for text in added:
            id = str(len(versions) + 1)
            versions.append({"id": id, "text": text, "parent": before, "origin": origin, "change": change})
            before = id
        given = {"versions": versions, "known": result, "continues": result.id}
        return cls.model_validate({**repeated(cls, result), **given, **options})


# -- The comparison of two versions, estimate by estimate


def change_between(
    version: ReadVersion, other: ReadVersion, duel: DuelResult, fault_names: Mapping[str, str]
) -> Change:
    """Return the change from ``other`` to ``version``; ``duel`` has ``version`` as A; ``fault_names``: by a fault's
    id."""
    assert duel.p_a is not None
    drafts = duel.drafts
    by_editor = drafts.model_dump(include={"agreement", "fault", "fault_p"}) if drafts else {}
    names = [{fault.name: None for fault in each.faults} for each in (version, other)]
    return Change(
        against=other.id,
        p_editor=drafts.p_a if drafts else None,
        p_better=duel.p_a,
        p_audience=duel.audience.p_a if duel.audience else None,
        p_length_controlled=duel.length_controlled.p_a if duel.length_controlled else None,
        fault_name=fault_names.get(drafts.fault, "") if drafts and drafts.fault else "",
        factors=_factors(version, other),
        faults_gone=tuple(name for name in names[1] if name not in names[0]),
        faults_new=tuple(name for name in names[0] if name not in names[1]),
        verdict=duel.id,
        **by_editor,
    )


def _factors(version: ReadVersion, other: ReadVersion) -> tuple[FactorChange, ...]:
    """Factors of both, by the size of their change relative to its uncertainty."""
    before = {factor.id: factor for factor in other.factors}
    found = []
    for now in version.factors:
        then = before.get(now.id)
        if then is None or then.expected is None or now.expected is None or now.sd is None or now.sd <= 0.0:
            continue
        found.append(
            FactorChange(
                id=now.id, name=now.name, before=then.expected, after=now.expected, sd=max(now.sd, then.sd or 0)
            )
        )
    return tuple(sorted(found, key=lambda each: (-abs(each.after - each.before) / each.sd, each.id)))
