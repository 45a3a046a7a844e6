"""The workshop as a kind of verdict: what is asked for, and what is told of it wherever verdicts are shown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from ...events import Event
from ...verdict_kinds import Fact, Headline, Subject, Tone
from ..judged_kind import JudgedKind, Work
from .judge import WorkshopJudge
from .types import Change, ReadVersion, Version, WorkshopDraft, WorkshopRequest, WorkshopResult
from .words import headline_sentence, made_from, percentile_of, verdict_of


class WorkshopKind(JudgedKind[WorkshopRequest, WorkshopResult, WorkshopDraft]):
    """One joke in its versions: what did each change do, and which is the best so far?"""

    name: ClassVar[str] = "workshop"
    noun: ClassVar[str] = "workshop"
    verb: ClassVar[str] = "Versions"
    deep: ClassVar[bool] = True
    fields: ClassVar[tuple[str, ...]] = ()
    request = WorkshopRequest
    result = WorkshopResult

    def subjects(self, request: WorkshopRequest) -> tuple[Subject, ...]:
        """The versions, the first one first, so that a joke is found by any of them."""
        return tuple(Subject(text=version.text, label=version.id) for version in request.versions)

    def given(self, result: WorkshopResult) -> dict[str, Any]:
        return {"versions": tuple(_given(version) for version in result.versions)}

    def draft(self, request: WorkshopRequest, id: str) -> WorkshopDraft:
        return WorkshopDraft(
            id=id,
            versions=tuple(ReadVersion.model_validate(dict(version)) for version in request.versions),
            context=request.context,
            everything_asked=request.ask == "all",
        )

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
        """The best version's place among jokes; how many versions there are stands in the sentence."""
        best = result.version(result.best) if result.best is not None else None
        sentence = headline_sentence(result)
        if best is None or best.audience is None or not best.audience.heard:
            return Headline(badge=f"{len(result.versions)}×", tone="none", sentence=sentence)
        percentile = best.audience.percentile
        shown = min(99, max(1, round(percentile)))
        tone: Tone = "high" if percentile >= 200 / 3 else "middle" if percentile >= 100 / 3 else "low"
        return Headline(
            badge=str(shown), tone=tone, sentence=f"{sentence}; funnier than {shown} in 100 jokes", value=percentile
        )

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
        "audience": version.audience.model_dump() if version.audience else None,
        "faults": [{"name": fault.name, "p": fault.p} for fault in version.faults],
        "proposals": [trial.model_dump() for trial in version.proposals],
        **{
            name: _change(getattr(version, name))
            for name in ("since_parent", "since_first", "since_best")
        },
        "error": version.error.model_dump() if version.error else None,
    }  # fmt: skip


def _change(change: Change | None) -> dict[str, Any] | None:
    return None if change is None else change.model_dump()


def _line(version: ReadVersion) -> str:
    """A version in a line: the text, and what is known of it."""
    known = [made_from(version)]
    if place := percentile_of(version):
        known.append(f"funnier than {place} in 100")
    if version.since_parent is not None:
        known.append(verdict_of(version.since_parent))
    if version.error is not None:
        known.append(version.error.sentence)
    return f"{' '.join(version.text.split())} ({'; '.join(known)})"


WORKSHOP = WorkshopKind()
