"""The contest as a kind of verdict."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from ...core.errors import InputError
from ...core.events import Event
from ...core.pages import Page
from ...core.verdict_kinds import Subject, dumped
from ..judged_kind import JudgedKind, Work
from .record import ContestRequest, ContestResult, given_in
from .screening import screen
from .words import glance, name_of, page, screening_sentences, summary

_MOST_SEARCHED = 200_000
"""Characters of a list that the history's search covers."""


class ContestKind(JudgedKind[ContestRequest, ContestResult]):
    """The ranking of a list of jokes."""

    name: ClassVar[str] = "contest"
    noun: ClassVar[str] = "contest"
    verb: ClassVar[str] = "Contest"
    deep: ClassVar[bool] = True
    request = ContestRequest
    result = ContestResult

    def subjects(self, request: ContestRequest) -> tuple[Subject, ...]:
        """Return one text with the whole list under its name, so that a search for any of its jokes finds it."""
        lines = [name_of(self.empty(request, "")), *(entry.text for entry in request.entries)]
        return (Subject(text="\n".join(lines)[:_MOST_SEARCHED]),)

    def given(self, result: ContestResult) -> dict[str, Any]:
        return given_in(result)

    def asked(self, request: ContestRequest) -> dict[str, Any]:
        return {
            "entries": tuple(map(request.unread, request.entries)),
            "order": tuple(entry.id for entry in request.entries),
            "desk": request.notes.desk,
            "everything_asked": request.ask == "all",
        }

    def run(self, draft: ContestResult, request: ContestRequest, work: Work) -> Iterator[Event | ContestResult]:
        from .contest_judge import ContestJudge  # a stored contest is shown without its judge

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
            **dumped(result, "id", "title"),
            "topic": result.context or None,
            "entries": [entry.fields() for entry in result.entries],
            "top": result.top,
            "duels": len(result.held),
            "rounds": result.rounds,
            "shuffled_rounds": max((chunk.round for chunk in result.scored), default=0),
            **dumped(result, "rounds_weight", "place_effects", "decisive"),
            "held": [duel.model_dump(include={"a", "b", "p_a", "drafts"}) for duel in result.held],
            **dumped(result, "agreement", "interval"),
            "summary": summary(result),
            "screening": result.screening.model_dump(mode="json") if result.screening is not None else None,
            **result.contract_end(),
        }

    def words(self, result: ContestResult) -> Page:
        return page(result, _of_screening(result))

    def glance(self, result: ContestResult) -> Page:
        return glance(result)

    def columns(self, result: ContestResult) -> dict[str, object]:
        ranked, screening = result.ranked, result.screening
        return {
            "text_a": name_of(result),
            "jokes": len(result.entries),
            "duels": len(result.held),
            "first": ranked[0].text if ranked else None,
            "agreement": result.agreement,
            "promoted": next((entry.text for entry in ranked if screening and entry.id == screening.promoted), None),
            "votes": len(screening.ballots) if screening is not None else None,
        }


def _of_screening(result: ContestResult) -> list[str]:
    """Return a stored screening in words; empty where there was none."""
    kept = result.screening
    if kept is None:
        return []
    try:
        screening = screen(result, kept.thresholds, ballots=kept.ballots)
    except InputError:
        return []
    names = {entry.id: " ".join(entry.text.split()) for entry in result.entries}
    promoted = [f"Promoted: {names[kept.promoted]}"] if kept.promoted in names else []
    return [*screening_sentences(screening), *promoted]


CONTEST = ContestKind()
