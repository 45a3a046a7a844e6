"""Factors that a model writes: tested, kept, used again, offered, promoted, dismissed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jokejudge_gui.core.errors import CriteriaError
from jokejudge_gui.core.events import Finished
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.judge.rating.record import RatingResult
from jokejudge_gui.rubric.offered import LEAST_JOKES, OfferedFile, id_of
from jokejudge_gui.rubric.own_file import OwnFile
from jokejudge_gui.session.session import Session
from tests.known_calibration import MakeSession
from tests.rating_helpers import admit

MOON = [f"The moon number {number} bowed and left by the window." for number in range(LEAST_JOKES + 1)]
WRITTEN = {
    "name": "lunar manners",
    "explanation": "How politely the moon behaves.",
    "zero": "a moon that only shines",
    "five": "a moon with a butler",
    "good_example": "The moon bowed and left by the window.",
    "bad_example": "The moon is a satellite of the Earth.",
}
ID = "own_lunar_manners"


def moonstruck(prompt: str, question: str, label: str) -> float:
    """No known factor matters; the written one is high where the moon bows."""
    if "Matters for this joke?" in question:
        return 9.0 if "no" in label.lower() else 0.0
    if "lunar manners" in question.lower():
        return 6.0 if label == ("5" if "bowed" in prompt.split("Joke: ")[-1] else "1") else 0.0
    return admit(prompt, question, label)


class Pen:
    """Writes the factor, and counts how often."""

    def __init__(self) -> None:
        self.written = 0

    def __call__(self, prompt: str, branch: str) -> str:
        self.written += "You answer in JSON" in prompt
        return json.dumps(WRITTEN)


def rated(session: Session, text: str) -> RatingResult:
    *_, last = session.rate(text, ask="all", force=True, explain=False)
    assert isinstance(last, Finished)
    assert isinstance(last.result, RatingResult)
    return last.result


def test_a_written_factor_is_kept_used_again_offered_and_promoted(make_session: MakeSession, profile: Profile) -> None:
    pen = Pen()
    session, offered = make_session(moonstruck, write=pen), OfferedFile(profile.criteria)
    for number, text in enumerate(MOON):
        assert [len(each.jokes) for each in offered.offers()] == ([number] if number >= LEAST_JOKES else [])
        result = rated(session, text)
        assert result.pathway == "dynamic"
        assert [(factor.id, factor.origin) for factor in result.factors] == [(ID, "dynamic")]
    assert pen.written == 1  # written for the first joke, used again for the others
    rated(session, MOON[0])
    (offer,) = offered.offers()
    assert (offer.id, offer.five, len(offer.jokes)) == (ID, "a moon with a butler", len(MOON))
    own = OwnFile(profile.criteria)
    offered.promote(ID, own, {"five": "a moon that curtsies"})
    item = own.load().item("factor", ID)
    assert item is not None
    assert item.fields["five"] == "a moon that curtsies"
    assert offered.offers() == ()
    assert offered.known() == ()
    assert session.criteria_changed
    list(session.take_up_criteria())
    assert session.judge is not None
    assert ID in {factor.id for factor in session.judge.criteria.factors}
    result = rated(session, MOON[1])
    assert result.pathway == "independent"
    assert result.factors[0].id == ID
    assert {factor.origin for factor in result.factors} == {"shared"}
    assert len(result.factors) == 3  # filled up as a built-in one's would be
    plain = rated(session, "My cat pays rent in mice.")
    assert (plain.pathway, pen.written) == ("independent", 2)  # it doesn't fit, and what was written is a copy of it
    own.reset_item("factor", ID)
    list(session.take_up_criteria())
    assert ID not in {factor.id for factor in rated(session, MOON[1]).factors}  # what was removed stays away


def test_a_dismissed_factor_is_neither_used_nor_offered(make_session: MakeSession, profile: Profile) -> None:
    session, offered = make_session(moonstruck, write=Pen()), OfferedFile(profile.criteria)
    rated(session, MOON[0])
    offered.remove(ID)
    result = rated(session, MOON[1])
    assert result.pathway == "independent"
    assert {factor.origin for factor in result.factors} == {"shared"}
    assert offered.known() == ()
    with pytest.raises(CriteriaError, match="is offered"):
        offered.promote(ID, OwnFile(profile.criteria))


def test_a_written_factor_that_copies_a_known_one_is_not_used(make_session: MakeSession, profile: Profile) -> None:
    def copying(prompt: str, question: str, label: str) -> float:
        if "lunar manners" in question.lower() or "score for Wit" in question:
            joke = prompt.split("Joke: ")[-1]
            level = 5 if "bowed" in joke else 1 if "satellite" in joke else len(joke) % 6
            return 9.0 if label == str(level) else 0.0
        return moonstruck(prompt, question, label)

    session = make_session(copying, write=Pen())
    assert rated(session, MOON[0]).pathway == "independent"
    assert OfferedFile(profile.criteria).load() == ()


def test_what_was_kept_survives_damage_and_strange_names(tmp_path: Path) -> None:
    offered = OfferedFile(tmp_path)
    assert offered.load() == ()
    (tmp_path / "offered_factors.json").write_text('{"format": 1, "factors": [{"id": "../x"}, 7]}', encoding="utf-8")
    assert offered.load() == ()
    assert [id_of(name) for name in ("Lunar manners!", "Ärger", "…")] == [ID, "own_rger", "own_factor"]


def test_a_line_end_in_what_was_written_is_taken_and_a_text_without_words_is_not(
    make_session: MakeSession, profile: Profile
) -> None:
    offered = OfferedFile(profile.criteria)
    empty = json.dumps({**WRITTEN, "zero": ",  , ;"})
    assert rated(make_session(moonstruck, write=lambda _p, _b: empty), MOON[0]).pathway == "independent"
    broken = json.dumps({**WRITTEN, "zero": "a moon|that only shines"}).replace("|", "\n")
    assert rated(make_session(moonstruck, write=lambda _p, _b: broken), MOON[0]).pathway == "dynamic"
    assert [each.zero for each in offered.load()] == ["a moon that only shines"]
