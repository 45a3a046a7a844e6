"""Faults of the user's own: asked about or told to be unmeasured, never a finding."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jokejudge_gui.judge.rating.kind import RATING
from jokejudge_gui.rubric.own_file import OwnFile
from tests.rating_helpers import JOKE, pun, rate, result_of

if TYPE_CHECKING:
    from jokejudge_gui.core.paths import Profile
    from tests.known_calibration import MakeSession

DULL = {"name": "Dull", "says": "puts one to sleep"}
KEYS = {"id", "own_faults", "usage", "stage_seconds", "criteria_version"}


def finds_it(prompt: str, question: str, label: str) -> float:
    """A model that finds one joke dull, and no other."""
    if "Fault:" not in question:
        return pun(prompt, question, label)
    dull = 3.0 if JOKE in prompt else -3.0
    return dull if ("yes" in label.lower()) != ("free" in question) else 0.0


def test_a_fault_that_is_to_be_asked_about_stands_beside_the_usual_joke(
    make_session: MakeSession, profile: Profile
) -> None:
    plain = result_of(rate(make_session(finds_it)))
    OwnFile(profile.criteria).set_item("fault", "dull", {**DULL, "always": "yes"}, new=True)
    result = result_of(rate(make_session(finds_it), ask="plan"))
    (voice,) = result.own_faults
    assert voice.p > 0.9 > 0.1 > voice.usual
    assert RATING.contract(result)["own_faults"] == [voice.model_dump()]
    (row,) = next(row for row in RATING.words(result).rows if row.name == "Your faults").rows
    assert row.name == "Dull"
    assert "Nobody measured" in row.text
    assert result.model_dump(exclude=KEYS) == plain.model_dump(exclude=KEYS)  # it isn't in the verdict
    assert "dull" not in {fault.id for fault in result.faults}
