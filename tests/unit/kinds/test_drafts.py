"""Results grow in drafts: the same fields, nothing misspelt, nothing of a wrong type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pydantic import ValidationError

from jokejudge_gui.core.verdict_kinds import Draft
from jokejudge_gui.judge.contest.record import ContestDraft
from jokejudge_gui.judge.duel.record import DuelDraft
from jokejudge_gui.judge.rating.record import RatingDraft

DRAFTS: tuple[Callable[[], Draft[Any]], ...] = (
    lambda: RatingDraft(id="1", text="A joke."),
    lambda: DuelDraft(id="1", text_a="One.", text_b="Two."),
    lambda: ContestDraft(id="1"),
)


@pytest.mark.parametrize("make", DRAFTS)
def test_a_draft_has_the_fields_of_its_result_and_the_same_beginnings(make: Callable[[], Draft[Any]]) -> None:
    draft = make()
    result = draft.freeze()
    assert set(type(draft).model_fields) == set(type(result).model_fields)
    assert (
        result.model_dump()
        == type(result)
        .model_validate({name: value for name, value in dict(draft).items() if name == "id" or name.startswith("text")})
        .model_dump()
    )


@pytest.mark.parametrize("make", DRAFTS)
def test_a_misspelt_field_fails_where_it_is_set(make: Callable[[], Draft[Any]]) -> None:
    draft = make()
    with pytest.raises(ValueError, match="no field"):
        draft.explanaton = "Because."  # type: ignore[attr-defined]


@pytest.mark.parametrize("make", DRAFTS)
def test_a_value_of_a_wrong_type_fails_at_the_freezing(make: Callable[[], Draft[Any]]) -> None:
    draft = make()
    draft.warnings = 3  # type: ignore[assignment]
    with pytest.raises(ValidationError):
        draft.freeze()


def test_what_is_frozen_does_not_change_with_its_draft() -> None:
    draft = RatingDraft(id="1", text="A joke.")
    draft.stage_seconds["scores"] = 1.0
    before = draft.freeze()
    draft.stage_seconds["scores"] = 2.0
    draft.warn("Late.")
    assert before.stage_seconds == {"scores": 1.0}
    assert before.warnings == ()
