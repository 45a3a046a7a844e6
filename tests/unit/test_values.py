"""Values are changed by making new ones, and a new one is checked as the first one was."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from jokejudge_gui.core.verdicts import ModelRef, Usage
from jokejudge_gui.judge.rating.record import RatingResult


def test_a_changed_copy_has_the_change_and_the_rest() -> None:
    one = RatingResult(id="r", text="a joke", usage=Usage(tokens_evaluated=3), warnings=("weak",))
    other = one.replaced(id="s", model=ModelRef(name="m", sha256="a"))
    assert type(other) is RatingResult
    assert (other.id, other.text, other.usage, other.warnings) == ("s", "a joke", one.usage, ("weak",))
    assert (one.id, one.model) == ("r", None)
    assert one.replaced() == one


@pytest.mark.parametrize(
    "changes", [{"explanatoin": "Works."}, {"text": None}, {"mean_score": "much"}, {"mode": "slow"}]
)
def test_a_misspelt_field_and_a_value_that_it_cannot_have_are_refused(changes: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        RatingResult(id="r", text="a joke").replaced(**changes)
