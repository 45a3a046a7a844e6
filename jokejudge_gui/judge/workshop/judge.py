"""The workshop: every version of a joke is rated, and set beside the one that it was made from, the first, and the best
so far."""

from __future__ import annotations

from collections.abc import Generator, Iterator

from ...core.errors import Cancelled, InputError, JokeJudgeError, info
from ...core.events import Event, Stage, StageProgress
from ...core.verdicts import DuelResult, RatingResult, side_of
from ..duel.kind import DUEL, DuelRequest
from ..judged_kind import Work, staged, without_events
from ..rating.kind import RATING, RatingRequest
from .types import Change, MadeBy, ReadVersion, WorkshopDraft, WorkshopRequest, WorkshopResult, change_between

Step = Event | WorkshopDraft

OTHER_MODEL = (
    "The earlier versions were read by another model or another version of the program, so they were read again."
)


class VersionRead(Event):
    """What is known so far: a version was read and compared."""

    result: WorkshopResult


class WorkshopJudge:
    """One joke's versions. Yields events, and the draft whenever a version is done; at the end it is complete."""

    def __init__(self, draft: WorkshopDraft, request: WorkshopRequest, work: Work) -> None:
        self._draft = draft
        self._request = request
        self._work = work

    def run(self) -> Iterator[Step]:
        """Read what isn't known yet. A version that can't be read has an error of its own; what would stop every other
        one too is raised, and ``InputError`` ``E_WORKSHOP_EMPTY`` where there is none."""
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
            yield VersionRead(result=self._draft.freeze())

    def _recall(self) -> None:
        """Take over what an earlier run found, if the same judge made it."""
        draft, known, judge = self._draft, self._request.known, self._work.judge
        draft.calibrated = True
        draft.made_by = MadeBy(
            model=judge.model.sha256,
            head=judge.reader.version,
            prompts=judge.prompts.version,
            criteria=judge.criteria.version,
        )
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
        # The best so far holds only where all that came before is known.
        draft.best = known.best if known.best in found else None

    def _read(self, id: str) -> None:
        """Rate a version, and compare it."""
        version = self._version(id)
        try:
            rating: RatingResult = without_events(self._work.child(RATING, self._rating(version.text)))
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
        """With its changes against others filled in; says in the draft if it is the best now."""
        first = self._draft.versions[0]
        best = self._version(self._draft.best) if self._draft.best is not None else None
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

        parent = self._version(version.parent) if version.parent is not None else None
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
        asked = self._request
        request = DuelRequest(
            text_a=version.text, text_b=other.text, context=asked.context, mode=asked.mode, seed=asked.seed,
            explain=False, ask=asked.ask,
        )  # fmt: skip
        duel: DuelResult = without_events(self._work.child(DUEL, request))
        if duel.p_a is None:
            return None
        names = {fault.id: fault.name for fault in self._work.judge.words.faults}
        return change_between(version, other, duel, names)

    def _rating(self, text: str) -> RatingRequest:
        asked = self._request
        # A writer who works on a text means it as a joke, whatever a check says.
        return RatingRequest(
            text=text, context=asked.context, forced=True, mode=asked.mode, seed=asked.seed, explain=asked.explain,
            ask=asked.ask,
        )  # fmt: skip

    def _version(self, id: str) -> ReadVersion:
        return next(each for each in self._draft.versions if each.id == id)
