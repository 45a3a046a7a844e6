"""The editor's note: said of what was found where it was measured to be right often enough, and of nothing else."""

from __future__ import annotations

import pytest

from jokejudge_gui.core.verdicts import Span
from jokejudge_gui.heads.editor import EditorReading
from jokejudge_gui.heads.editor_file import NoteFigure
from jokejudge_gui.judge.rating.note import LEAST_CASES, Findings, compose, find, misses_its_name, sayings
from jokejudge_gui.judge.rating.record import Remark
from jokejudge_gui.rubric.notes import PARTS, NoteRules, parse_notes

JOKE = "My kettle resigned. It couldn't handle the steam."
GOOD = NoteFigure(least=0.4, right=0.86, cases=50)


@pytest.fixture(scope="module")
def rules() -> NoteRules:
    return parse_notes()


def span(words: str, text: str = JOKE) -> tuple[int, int]:
    start = text.index(words)
    return start, start + len(words)


def said(rules: NoteRules, findings: Findings, **figures: NoteFigure) -> list[str]:
    return [remark.text for remark in compose(rules, findings, figures)]


def test_a_sentence_says_where_its_words_stand_and_how_often_it_is_right(rules: NoteRules) -> None:
    found = Findings(JOKE, kinds={"pun": 0.9}, turn=span("handle the steam"))
    start, end = span("handle the steam")
    expected = Remark(
        text="“handle the steam” has a second meaning here.", about="heard", right=0.86, start=start, end=end
    )
    assert compose(rules, found, {"pun": GOOD}) == (expected,)


@pytest.mark.parametrize(
    "figure",
    [
        None,
        GOOD.replaced(right=0.74),
        GOOD.replaced(cases=LEAST_CASES - 1),
        GOOD.replaced(least=0.95),
    ],
)
def test_what_is_seldom_right_or_hardly_measured_or_weakly_found_is_not_said(
    rules: NoteRules, figure: NoteFigure | None
) -> None:
    found = Findings(JOKE, kinds={"pun": 0.9}, turn=span("steam"))
    assert said(rules, found, **({"pun": figure} if figure else {})) == []


def test_of_each_part_one_is_said_the_one_that_is_right_most_often(rules: NoteRules) -> None:
    found = Findings(
        JOKE, kinds={"pun": 0.99, "insult": 0.8, "swifty": 0.9}, faults={"tail": 0.9}, turn=span("couldn't handle")
    )
    figures = {"pun": GOOD, "insult": GOOD.replaced(right=0.9), "tail": GOOD, "swifty": GOOD}
    assert said(rules, found, **figures) == [
        "“couldn't handle” is an insult.", "“the steam” comes after the punchline.", "A familiar form: a Tom Swifty."
    ]  # fmt: skip


def test_where_nothing_may_turn_no_words_are_quoted_as_the_turn() -> None:
    rules = parse_notes()
    turn = Span(start=0, end=9, text=JOKE[:9], p=0.8)

    def found(no_turn: float, turn: Span = turn) -> Findings:
        read = EditorReading(
            factors={}, kinds={"pun": 0.9, "sport": 0.9}, faults={"no_turn": no_turn, "mean": 0.3},
            turn=None, cuts=(), joke=0.9, complete=0.9,
        )  # fmt: skip
        return find(rules, JOKE, read, kinds={"pun"}, faults={"mean"}, turn=turn)

    assert (found(0.4).turn, found(0.4).suspected) == (None, {"no_turn"})
    fine = found(0.1)
    assert (fine.turn, fine.turn_p, dict(fine.kinds), dict(fine.faults)) == ((0, 9), 0.8, {"pun": 0.9}, {"mean": 0.3})
    # A turn that the user chose is one.
    assert found(0.4, turn.replaced(p=1.0)).turn == (0, 9)


def test_every_sentence_can_be_said(rules: NoteRules) -> None:
    text = "The steam rose. It couldn't handle the steam, they said."
    for part in PARTS:
        for rule in rules.parts[part]:
            kinds = dict.fromkeys((*rule.kinds, *rule.any), 0.9)
            turn = (text.rindex("handle"), text.rindex("steam") + 5)
            found = Findings(text, kinds=kinds, faults=dict.fromkeys(rule.faults, 0.9), turn=turn)
            assert rule.id in [said.id for said, *_ in sayings(rules, part, found)], rule.id


@pytest.mark.parametrize(("turn", "misses"), [("It's wide open", True), ("Bjorn in a barn", False), ("", True)])
def test_a_knock_knock_joke_plays_on_its_name(turn: str, misses: bool) -> None:
    text = "Knock, knock.\nWho's there?\nBjorn.\nBjorn who?\nBjorn in a barn, were you? It's wide open."
    assert misses_its_name(text, span(turn, text) if turn else None) is misses
    assert not misses_its_name(JOKE, span("handle the steam"))
