"""The workshop as a kind of verdict: its request, and the words for its result."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Any, ClassVar

from ...core.errors import Cancelled, InputError, JokeJudgeError, info
from ...core.events import Event, Interim, Stage, StageProgress
from ...core.verdict_kinds import Fact, Headline, Subject, of_audience
from ..duel.kind import DUEL
from ..duel.record import DuelRequest, DuelResult, side_of
from ..judged_kind import JudgedKind, Work, staged, without_events
from ..rating.kind import RATING
from ..rating.record import RatingRequest, RatingResult
from .types import (
    Change,
    ReadVersion,
    Version,
    WorkshopDraft,
    WorkshopRequest,
    WorkshopResult,
    change_between,
)

# -- A joke's versions in words

_MOST_FACTORS = 2


def headline_sentence(result: WorkshopResult) -> str:
    """Return a sentence with the number of versions and the best so far."""
    n = len(result.versions)
    count = f"{n} version{'' if n == 1 else 's'}"
    if len(result.versions) < 2 or result.best is None:
        return count
    if result.best == result.versions[0].id:
        return f"{count}; the first is still the best"
    return f"{count}; the best so far is version {result.best}"


def verdict_of(change: Change) -> str:
    """Return whether the change improved the joke, in words."""
    better = side_of(change.p_better)
    if better == "tie":
        return f"about as good as version {change.against}"
    word, p = ("better", change.p_better) if better == "A" else ("worse", 1.0 - change.p_better)
    return f"{word} than version {change.against} (with probability {p:.2f})"


def voices_of(change: Change) -> list[str]:
    """Return a sentence about a change for each estimate: the editor's, the audience's, the faults and the factors."""
    lines = []
    if change.p_editor is not None:
        right = f", right in {100 * change.agreement:.0f} of 100 pairs of drafts" if change.agreement else ""
        lines.append(f"Editor: {_prefers(change.p_editor, 'prefers')}{right}.")
        if change.fault and side_of(change.p_editor) != "tie":
            fault = change.fault_name or change.fault.replace("_", " ")
            lines.append(f"Fault of the weaker version: {fault[:1].lower()}{fault[1:]}.")
    if change.p_audience is not None:
        lines.append(f"Audience: {_prefers(change.p_audience, 'would vote for')}.")
    if change.faults_gone:
        lines.append(f"No longer found: {', '.join(change.faults_gone).lower()}.")
    if change.faults_new:
        lines.append(f"Newly found: {', '.join(change.faults_new).lower()}.")
    moved = [each for each in change.factors if each.beyond_doubt][:_MOST_FACTORS]
    for each in moved:
        lines.append(f"{each.name}: {each.before:.1f} → {each.after:.1f} (± {each.sd:.1f}).")
    if change.factors and not moved:
        lines.append("No factor moved by more than its uncertainty.")
    return lines


def _prefers(p: float, verb: str) -> str:
    better = side_of(p)
    if better == "tie":
        return "hardly sees a difference" if verb == "prefers" else "would hardly see a difference"
    return f"{verb} {'this one' if better == 'A' else 'the other'} with probability {max(p, 1.0 - p):.2f}"


def percentile_of(version: ReadVersion) -> str:
    """Return the percentile as "61 (38–80)", or empty where there is no estimate."""
    audience = version.audience
    if audience is None or not audience.heard:
        return ""
    place = str(round(audience.percentile))
    if audience.low is None or audience.high is None:
        return place
    return f"{place} ({round(audience.low)}–{round(audience.high)})"


def made_from(version: ReadVersion) -> str:
    """Return a version's origin in words."""
    if version.parent is None:
        return "the first version"
    if version.origin == "program":
        done = f" ({version.change})" if version.change else ""
        return f"the program's edit of version {version.parent}{done}"
    if version.origin == "model":
        return f"the model's rewrite of version {version.parent}"
    return f"made from version {version.parent}"


# -- Each version is rated, and compared with the one that it was made from, the first, and the best so far

Step = Event | WorkshopDraft

OTHER_MODEL = (
    "The earlier versions were read by another model or another version of the program, so they were read again."
)


class WorkshopJudge:
    """One joke's versions. Yields events, and the draft after each version; at the end it is complete."""

    def __init__(self, draft: WorkshopDraft, request: WorkshopRequest, work: Work) -> None:
        self._draft = draft
        self._request = request
        self._work = work
        same = ("context", "mode", "seed", "ask")
        self._asked = {"explain": False, **{name: getattr(request, name) for name in same}}

    def run(self) -> Iterator[Step]:
        """Read the versions that aren't known yet. A version that can't be read has its own error; an error that would
        stop every other one too is raised, and ``InputError`` ``E_WORKSHOP_EMPTY`` where there are no versions."""
        if not self._request.versions:
            raise InputError("E_WORKSHOP_EMPTY", "There is no joke to work on.", "Give its text.")
        self._recall()
        yield self._draft  # from here on a crash loses no version
        todo = [version.id for version in self._draft.versions if not version.read]
        total = len(self._draft.versions)
        yield from staged(self._draft, Stage.READING, self._read_all(todo, total), total=total)

    def _read_all(self, todo: list[str], total: int) -> Generator[Step, None, None]:
        for done, id in enumerate(todo, start=total - len(todo)):
            yield StageProgress(stage=Stage.READING, done=done, total=total, note="Reading the versions")
            self._read(id)
            yield self._draft
            yield Interim(result=self._draft.freeze())

    def _recall(self) -> None:
        """Reuse the results of an earlier run if the same judge made it."""
        draft, known, judge = self._draft, self._request.known, self._work.judge
        draft.calibrated = True
        draft.made_by = judge.made_by
        if known is None:
            return
        everything = self._request.ask == "all"
        same = (known.made_by, known.context, known.everything_asked)
        if same != (draft.made_by, self._request.context, everything):
            if any(version.read for version in known.versions):
                draft.warn(OTHER_MODEL)
            return
        found = {version.id: version for version in known.versions if version.error is None}
        draft.versions = tuple(
            found[v.id] if v.id in found and found[v.id].text == v.text else v for v in draft.versions
        )
        # The best so far is kept only if its reading is reused.
        draft.best = known.best if known.best in found else None

    def _read(self, id: str) -> None:
        """Rate a version, and compare it."""
        version = self._draft.version(id)
        # A writer who works on a text means it as a joke, whatever a check finds.
        own = {"text": version.text, "forced": True, "explain": self._request.explain}
        asked = RatingRequest.model_validate({**self._asked, **own})
        try:
            rating: RatingResult = without_events(self._work.child(RATING, asked))
            found = {name: getattr(rating, name) for name in ("audience", "factors", "faults", "turn")}
            proposals = rating.note.trials if rating.note else ()
            version = version.replaced(rating=rating.id, proposals=proposals, error=None, **found)
            version = self._compared(version)
        except JokeJudgeError as fault:
            error = info(fault)
            if isinstance(fault, Cancelled) or error.ends_the_run:
                raise
            version = version.replaced(error=error)
        self._draft.versions = tuple(version if each.id == id else each for each in self._draft.versions)

    def _compared(self, version: ReadVersion) -> ReadVersion:
        """The version with its comparisons filled in; also updates the draft's best version."""
        first = self._draft.versions[0]
        best = self._draft.version(self._draft.best) if self._draft.best is not None else None
        if best is None:
            self._draft.best = version.id
            return version
        known: dict[str, Change | None] = {}

        def since(other: ReadVersion | None) -> Change | None:
            if other is None or not other.read or other.id == version.id:
                return None
            if other.id not in known:
                known[other.id] = self._change(version, other)
            return known[other.id]

        parent = self._draft.version(version.parent) if version.parent is not None else None
        against_best = since(best)
        if against_best is not None and side_of(against_best.p_better) == "A":
            self._draft.best = version.id
        by_parent, by_first = since(parent), since(first)
        return version.replaced(
            since_parent=by_parent,
            since_first=None if parent is not None and first.id == parent.id else by_first,
            since_best=None if best.id in (first.id, version.parent) else against_best,
        )

    def _change(self, version: ReadVersion, other: ReadVersion) -> Change | None:
        request = DuelRequest.model_validate({**self._asked, "text_a": version.text, "text_b": other.text})
        duel: DuelResult = without_events(self._work.child(DUEL, request))
        if duel.p_a is None:
            return None
        names = {fault.id: fault.name for fault in self._work.judge.words.faults}
        return change_between(version, other, duel, names)


class WorkshopKind(JudgedKind[WorkshopRequest, WorkshopResult, WorkshopDraft]):
    """The versions of one joke: the effect of each change, and the best so far."""

    name: ClassVar[str] = "workshop"
    noun: ClassVar[str] = "workshop"
    verb: ClassVar[str] = "Versions"
    deep: ClassVar[bool] = True
    request = WorkshopRequest
    result = WorkshopResult
    grows = WorkshopDraft

    def subjects(self, request: WorkshopRequest) -> tuple[Subject, ...]:
        """Return the versions, the first one first, so that a search for any of them finds the joke."""
        return tuple(Subject(text=version.text, label=version.id) for version in request.versions)

    def given(self, result: WorkshopResult) -> dict[str, Any]:
        return {"versions": tuple(_given(version) for version in result.versions)}

    def asked(self, request: WorkshopRequest) -> dict[str, Any]:
        return {"versions": [dict(version) for version in request.versions], "everything_asked": request.ask == "all"}

    def run(self, draft: WorkshopDraft, request: WorkshopRequest, work: Work) -> Iterator[Event | WorkshopDraft]:
        yield from WorkshopJudge(draft, request, work).run()

    def contract(self, result: WorkshopResult) -> dict[str, Any]:
        return {
            "id": result.id,
            "text": result.versions[0].text if result.versions else "",
            "topic": result.context or None,
            "best": result.best,
            "versions": [_version(version) for version in result.versions],
            **result.contract_end(),
        }

    def headline(self, result: WorkshopResult) -> Headline:
        """Return the best version's percentile among jokes; the sentence contains the number of versions."""
        best = result.version(result.best) if result.best is not None else None
        sentence = headline_sentence(result)
        if best is None or best.audience is None or not best.audience.heard:
            return Headline(badge=f"{len(result.versions)}×", tone="none", sentence=sentence)
        found = of_audience(best.audience)
        return found.replaced(sentence=f"{sentence}; {found.sentence[:1].lower()}{found.sentence[1:]}")

    def facts(self, result: WorkshopResult) -> Iterator[Fact]:
        if result.context:
            yield Fact(name="Topic or scene", text=result.context)
        yield Fact(name="Versions", text=headline_sentence(result))
        for version in result.versions:
            yield Fact(name=f"Version {version.id}", text=_line(version))

    def columns(self, result: WorkshopResult) -> dict[str, object]:
        best = result.version(result.best) if result.best is not None else None
        return {
            "text_a": result.versions[0].text if result.versions else "",
            "versions": len(result.versions),
            "best": best.text if best else None,
            "audience": best.audience.percentile if best and best.audience and best.audience.heard else None,
        }


def _given(version: Version) -> Version:
    return Version(**{name: getattr(version, name) for name in Version.model_fields})


def _version(version: ReadVersion) -> dict[str, Any]:
    return {
        **_given(version).model_dump(),
        "rating": version.rating,
        **version.model_dump(include={"audience"}),
        "faults": [{"name": fault.name, "p": fault.p} for fault in version.faults],
        "proposals": [trial.model_dump() for trial in version.proposals],
        **version.model_dump(include={"since_parent", "since_first", "since_best", "error"}),
    }


def _line(version: ReadVersion) -> str:
    """A version in a line: its text and the results."""
    known = [made_from(version)]
    if place := percentile_of(version):
        known.append(f"funnier than {place} in 100")
    if version.since_parent is not None:
        known.append(verdict_of(version.since_parent))
    if version.error is not None:
        known.append(version.error.sentence)
    return f"{' '.join(version.text.split())} ({'; '.join(known)})"


WORKSHOP = WorkshopKind()
