"""The set as a kind of verdict: each of its bits is read once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from ...core.errors import InputError
from ...core.events import Event
from ...core.pages import Page
from ...core.verdict_kinds import Subject, dumped
from ..judged_kind import JudgedKind, Work, part_by_part, without_events
from ..rating.kind import RATING
from ..rating.record import RatingRequest, RatingResult
from ..rating.words import sure_turn
from .record import Bit, SetRequest, SetResult
from .words import bit_fields, glance, name_of, page

Step = Event | SetResult
MOST_BITS = 200


class SetKind(JudgedKind[SetRequest, SetResult]):
    """An ordered list of bits for the stage."""

    name: ClassVar[str] = "set"
    noun: ClassVar[str] = "set"
    verb: ClassVar[str] = "Set"
    request = SetRequest
    result = SetResult

    def subjects(self, request: SetRequest) -> tuple[Subject, ...]:
        """Return one text with all bits under the set's name, so that a search for any of them finds it."""
        lines = [name_of(self.empty(request, "")), *(bit.text for bit in request.bits)]
        return (Subject(text="\n".join(lines)),)

    def given(self, result: SetResult) -> dict[str, Any]:
        return {"bits": tuple(bit.given for bit in result.bits)}

    def run(self, draft: SetResult, request: SetRequest, work: Work) -> Iterator[Step]:
        """Read the bits that aren't known yet. A bit that can't be read has its own error; an error that would stop
        every other one too is raised."""
        if not 1 <= (count := len(request.bits)) <= MOST_BITS:
            raise InputError(
                "E_SET_BITS", f"A set has 1 to {MOST_BITS} bits; this one has {count}.", "Choose its bits."
            )
        draft.calibrated = True
        yield from part_by_part(draft, "bits", "Reading the bits", lambda bit: _rated(bit, request, work))

    def contract(self, result: SetResult) -> dict[str, Any]:
        return {
            **dumped(result, "id", "title", "minutes"),
            "words": result.words,
            "seconds": round(result.spoken),
            "left": None if result.left is None else round(result.left),
            "bits": bit_fields(result),
            **result.contract_end(),
        }

    def words(self, result: SetResult) -> Page:
        return page(result)

    def glance(self, result: SetResult) -> Page:
        return glance(result)

    def columns(self, result: SetResult) -> dict[str, object]:
        return {"text_a": name_of(result), "bits": len(result.bits), "seconds": round(result.spoken)}


def _rated(bit: Bit, request: SetRequest, work: Work) -> Bit:
    # It is going to be told, whatever a check finds, and nobody asks for edits of it here.
    asked = RatingRequest(
        text=bit.text, room=bit.room, forced=True, edits=False, explain=False, mode=request.mode, ask=request.ask,
        seed=request.seed,
    )  # fmt: skip
    rating: RatingResult = without_events(work.child(RATING, asked))
    return bit.replaced(rating=rating.id, punchline=sure_turn(rating), laughs=rating.laughs, error=None)


SET = SetKind()
