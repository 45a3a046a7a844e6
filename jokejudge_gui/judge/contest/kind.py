"""The contest as a kind of verdict: its request, and the words for its result."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from ...core.events import Event
from ...core.verdict_kinds import Fact, Headline, Subject
from ..judged_kind import JudgedKind, Work
from .judge import ContestJudge
from .screening import screening_lines
from .types import ContestDraft, ContestRequest, ContestResult, RankedEntry, as_given, given_in
from .words import name_of, ranked, remarks, sentence, summary

_MOST_SEARCHED = 200_000
"""Characters of a list that the history's search covers."""


class ContestKind(JudgedKind[ContestRequest, ContestResult, ContestDraft]):
    """The ranking of a list of jokes."""

    name: ClassVar[str] = "contest"
    noun: ClassVar[str] = "contest"
    verb: ClassVar[str] = "Contest"
    deep: ClassVar[bool] = True
    request = ContestRequest
    result = ContestResult
    grows = ContestDraft

    def subjects(self, request: ContestRequest) -> tuple[Subject, ...]:
        """Return one text with the whole list under its name, so that a search for any of its jokes finds it."""
        result = self.empty(request, "")
        lines = [name_of(result), *(entry.text for entry in request.entries)]
        return (Subject(text="\n".join(lines)[:_MOST_SEARCHED]),)

    def given(self, result: ContestResult) -> dict[str, Any]:
        return given_in(result)

    def asked(self, request: ContestRequest) -> dict[str, Any]:
        entries = [
            RankedEntry.model_validate({**as_given(request, place), "error": entry.problem})
            for place, entry in enumerate(request.entries)
        ]
        return {
            "entries": tuple(entries),
            "order": tuple(entry.id for entry in request.entries),
            "screening": request.notes.screening,
            "desk": request.notes.desk,
            "everything_asked": request.ask == "all",
        }

    def run(self, draft: ContestDraft, request: ContestRequest, work: Work) -> Iterator[Event | ContestDraft]:
        # Each stored draft includes the user's notes so far.
        try:
            for step in ContestJudge(draft, request, work).run():
                if step is draft:
                    draft.entries = request.notes.in_entries(draft.entries)
                yield step
        finally:
            draft.entries = request.notes.in_entries(draft.entries)

    def contract(self, result: ContestResult) -> dict[str, Any]:
        return {
            "id": result.id,
            "title": result.title,
            "topic": result.context or None,
            "entries": [entry.model_dump(exclude={"reading"}) for entry in result.entries],
            "top": result.top,
            "duels": len(result.held),
            "rounds": result.rounds,
            "shuffled_rounds": max((chunk.round for chunk in result.scored), default=0),
            "rounds_weight": result.rounds_weight,
            "place_effects": [each.model_dump() for each in result.place_effects],
            "decisive": [each.model_dump() for each in result.decisive],
            "cycles": [list(each) for each in result.cycles],
            "held": [duel.model_dump(include={"a", "b", "p_a", "drafts"}) for duel in result.held],
            "agreement": result.agreement,
            "interval": result.interval,
            "summary": summary(result),
            "screening": result.screening.model_dump(mode="json") if result.screening is not None else None,
            **result.contract_end(),
        }

    def headline(self, result: ContestResult) -> Headline:
        """Return the number of jokes and the number kept. There is no value: contests aren't ranked."""
        n = len(result.entries)
        kept = sum(entry.mark == "keep" for entry in result.entries)
        badge = f"{n}" if n < 1000 else f"{n // 1000}k"
        return Headline(badge=badge, tone="none", sentence=f"{kept:,} kept" if kept else sentence(result))

    def facts(self, result: ContestResult) -> Iterator[Fact]:
        yield Fact(name="List", text=name_of(result))
        for entry in ranked(result):
            yield Fact(name=f"{entry.rank}", text=_line(entry))
        for line in summary(result):
            yield Fact(name="Order", text=line)
        for line in screening_lines(result):
            yield Fact(name="Screening", text=line)

    def columns(self, result: ContestResult) -> dict[str, object]:
        found, kept = ranked(result), result.screening
        return {
            "text_a": name_of(result),
            "jokes": len(result.entries),
            "duels": len(result.held),
            "first": found[0].text if found else None,
            "agreement": result.agreement,
            "promoted": next((e.text for e in found if kept is not None and e.id == kept.promoted), None),
            "votes": len(kept.ballots) if kept is not None else None,
        }


def _line(entry: RankedEntry) -> str:
    known = []
    if entry.percentile is not None:
        known.append(f"funnier than {min(99, max(1, round(entry.percentile)))} in 100")
    if entry.rank_low != entry.rank_high:
        known.append(f"rank {entry.rank_low}–{entry.rank_high}")
    notes = "; ".join((", ".join(known), *remarks(entry))).strip("; ")
    return f"{' '.join(entry.text.split())} ({notes})" if notes else " ".join(entry.text.split())


CONTEST = ContestKind()
