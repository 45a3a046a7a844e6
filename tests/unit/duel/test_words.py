"""A duel in words: twelve verdicts as every surface shows them."""

from __future__ import annotations

import pytest

from jokejudge_gui.core.errors import ErrorInfo
from jokejudge_gui.core.pages import Mark, Page
from jokejudge_gui.core.verdicts import Span, Usage
from jokejudge_gui.judge.duel.record import Drafts, DuelResult, DuelText, OrderResult, ProbabilityA
from jokejudge_gui.judge.duel.words import page
from tests import records
from tests.records import A, B

OTHER = "My dog has no nose. How does he smell? Terrible."


def duel(p_a: float = 0.9, **fields: object) -> DuelResult:
    return records.duel("x", p_a, usage=Usage(tokens_evaluated=40, tokens_reused=2, seconds=1.5), **fields)


def rows(found: Page) -> dict[str, str]:
    return {row.name: row.text for row in found.rows}


NO_TURN = DuelText(said="no turn", kind="one-liners")
ASKED = {
    "orders": (OrderResult(first="A", p_a=0.8, log_odds_a=1.4), OrderResult(first="B", p_a=0.7, log_odds_a=0.8)),
    "consistent": True,
    "position_bias": 0.05,
}


def test_a_sure_duel_names_the_winner_its_chance_and_the_difference() -> None:
    found = page(duel())
    assert (found.badge, found.tone, found.headline) == ("A", "A", "A, clearly (90 in 100)")
    assert found.lead == ()  # the marks show it
    assert rows(found)["What is known of such pairs"].replace("\xa0", " ") == (
        "Where drafts differ in their end, people agree with it in 78 of 100."
    )
    assert rows(found)["A"].startswith("14 words · 5 s spoken · turn at word")
    assert rows(found)["Confidence factor"] == "9.00"
    assert found.texts[1].marks == (Mark(50, 54, "differs"), Mark(56, 68, "differs"))
    assert found.foot == ("tiny_model", "1.5 s", "40 tokens evaluated, 2 reused")


def test_no_turn_is_told_of_a_text_in_doubt() -> None:
    turn = Span(start=60, end=77, text="it's behind you", p=0.9)
    assert "turn" not in rows(page(duel(read_a=DuelText(turn=turn, said="unsure"))))["A"]


def test_a_probable_duel_says_so_and_its_mirror_names_the_other() -> None:
    assert page(duel(p_a=0.7)).headline == "A, probably (70 in 100)"
    assert page(duel(p_a=0.3, winner="B")).headline == "B, probably (70 in 100)"
    assert page(duel(p_a=0.995)).headline == "A, clearly (99 in 100)"


@pytest.mark.parametrize("fields", [{"p_a": 0.59}, {"p_a": 0.5}, {"within_noise": True}])
def test_an_unsure_duel_and_one_within_noise_are_too_close(fields: dict[str, object]) -> None:
    found = page(duel(**fields).replaced(winner="tie"))
    assert (found.badge, found.tone, found.headline) == ("=", "middle", "Too close")
    assert "Confidence factor" not in rows(found)


def test_two_jokes_of_a_known_kind_have_the_agreement_of_that_kind() -> None:
    read = DuelText(kind="one-liners", agreement=0.61)
    found = page(duel(text_b=OTHER, edit="different", people=None, read_a=read, read_b=read))
    assert found.lead == ()
    assert not any(text.marks for text in found.texts)
    assert "funnier 61 times in 100" in rows(found)["What is known of such pairs"].replace("\xa0", " ")


@pytest.mark.parametrize(
    ("reads", "sentence"),
    [
        ({"read_a": NO_TURN}, "Nothing turns in A that I can find"),
        ({"read_b": NO_TURN}, "Nothing turns in B that I can find"),
        ({"read_a": NO_TURN, "read_b": NO_TURN}, "Nothing turns in either of them that I can find"),
        (
            {"read_a": NO_TURN, "text_b": "Treffen sich zwei Jäger. Beide sind tot."},
            "This doesn't look like English, and nothing was measured on such texts",
        ),
    ],
)
def test_no_winner_is_named_where_nothing_turns_in_a_text(reads: dict[str, object], sentence: str) -> None:
    found = page(duel(**reads, consistent=False, explanation="A is better."))
    assert (found.badge, found.tone, found.headline) == ("–", "none", sentence)
    assert found.notes == ("The two orders disagree.",)
    assert set(rows(found)) == {"A", "B"}
    assert "no turn found" in rows(found)["A" if "read_a" in reads else "B"]


def test_an_asked_duel_shows_both_orders_and_the_models_reason() -> None:
    found = page(duel(**ASKED, explanation="The preferred joke ends on the surprise."))
    assert rows(found)["Asked in both orders"] == (
        "The chance for A: 80 in 100 with A first, 70 in 100 with B first. Both orders prefer the same one. "
        "The first place gains 5 in 100."
    )
    assert rows(found)["Why"] == "The preferred joke ends on the surprise."


def test_a_note_says_what_follows_from_orders_that_disagree() -> None:
    orders = (OrderResult(first="A", p_a=0.8, log_odds_a=1.4), OrderResult(first="B", p_a=0.4, log_odds_a=-0.4))
    fields = {"orders": orders, "consistent": False, "p_a": 0.66, "warnings": ("Take care.",)}
    found = page(duel(**fields))
    assert found.notes == ("Take care.", "The two orders disagree. A wins only when it comes first.")
    assert "the audience estimate" in page(duel(**fields, audience=ProbabilityA(p_a=0.7))).notes[1]


def test_a_deep_duel_lists_its_measurements_quietly() -> None:
    fields = {"mode": "deep", "length_controlled": ProbabilityA(p_a=0.8)}
    found = page(duel(**ASKED, **fields, audience=ProbabilityA(p_a=0.86), context="Libraries"))
    quiet = {row.name: row.text for row in found.rows if row.quiet}
    assert quiet["Chance for A from people's votes alone"] == "86 in 100"
    assert quiet["Chance for A with length taken out"] == "80 in 100"
    assert quiet["Topic or scene"] == "Libraries"


def test_the_reason_stands_beside_a_winner_alone() -> None:
    drafts = Drafts(p_a=0.9, agreement=0.83, fault="explained", fault_p=0.97)
    found = page(duel(drafts=drafts, people=None, explanation="B gives it away."))
    assert found.lead == ("B gives it away.",)
    assert "prefers in 83 of 100." in rows(found)["What is known of such pairs"].replace("\xa0", " ")
    assert page(duel(drafts=drafts, explanation="B gives it away.", p_a=0.55)).lead == ()


def test_a_failed_duel_has_no_answer_and_says_why() -> None:
    error = ErrorInfo(code="E_MODEL", sentence="The model stopped.", hint="Try again.")
    found = page(DuelResult(id="x", text_a=A, text_b=B, error=error))
    assert (found.badge, found.headline) == ("–", "No answer")
    assert found.notes == ("It ended early: The model stopped. Try again.",)
    assert found.lead == ()
