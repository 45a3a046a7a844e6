"""The editor's note: said of what was found, and of nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from jokejudge_gui.core.errors import CriteriaError
from jokejudge_gui.heads.editor import EditorReading, FactorReading
from jokejudge_gui.judge.rating.note import Findings, compose, find
from jokejudge_gui.rubric.notes import NoteRules, parse_faults, parse_notes
from jokejudge_gui.rubric.xml_parser import load_criteria

PLAY = {"wordplay": 0.9}
JOKE = "My kettle resigned. It couldn't handle the steam."


@pytest.fixture(scope="module")
def rules() -> NoteRules:
    return parse_notes(load_criteria(None), parse_faults())


def span(words: str) -> tuple[int, int]:
    start = JOKE.index(words)
    return start, start + len(words)


def test_nothing_found_says_nothing(rules: NoteRules) -> None:
    note = compose(rules, Findings(JOKE))
    assert (note.works, note.weakens, note.apart) == ("", "", "")


def test_the_turn_is_quoted_from_the_joke(rules: NoteRules) -> None:
    note = compose(rules, Findings(JOKE, kinds={"pun": 0.9}, high=PLAY, turn=span("handle the steam.")))
    assert note.works == "It turns on “handle the steam”, and both meanings fit."


def test_less_sure_findings_are_said_less_surely(rules: NoteRules) -> None:
    note = compose(rules, Findings(JOKE, kinds={"pun": 0.6}, high=PLAY, turn=span("steam")))
    assert note.works == "It turns on “steam”, which can be taken in two ways."


def test_without_its_words_a_sentence_does_without_them(rules: NoteRules) -> None:
    assert compose(rules, Findings(JOKE, kinds={"pun": 0.9}, high=PLAY)).works == "It makes one word do two jobs."


def test_two_findings_together_go_before_one(rules: NoteRules) -> None:
    findings = Findings(JOKE, kinds={"pun": 0.95, "sport": 0.99}, high={**PLAY, "economy": 0.85}, turn=span("steam"))
    assert compose(rules, findings).works.startswith("“steam” works two shifts")


@pytest.mark.parametrize(
    "findings",
    [
        Findings(JOKE, kinds={"pun": 0.95}, turn=(0, 9)),  # no wordplay that stands out
        Findings(JOKE, high=PLAY, turn=(0, 9)),  # no kind of wordplay
        Findings(JOKE, kinds={"pun": 0.95}, high=PLAY, suspected=("no_turn",), turn=(0, 9)),
        Findings(JOKE, kinds={"pun": 0.95}, high=PLAY, weak=0.8, turn=(0, 9)),
    ],
)
def test_two_meanings_are_claimed_only_where_all_speaks_for_them(rules: NoteRules, findings: Findings) -> None:
    assert compose(rules, findings).works == ""


def test_a_text_that_is_weak_as_a_joke_is_told_so_and_not_praised(rules: NoteRules) -> None:
    note = compose(rules, Findings(JOKE, high={"economy": 0.9, "clarity": 0.9}, low={"surprise": 0.9}, weak=0.9))
    assert note.works == ""
    assert note.weakens == "It is weaker than most jokes: its end surprises little, and little hangs on it."


def test_a_kind_that_is_seldom_right_needs_to_be_read_more_surely(rules: NoteRules) -> None:
    assert compose(rules, Findings(JOKE, kinds={"rhyme": 0.65}, turn=span("steam"))).works == ""
    assert "rhyme" in compose(rules, Findings(JOKE, kinds={"rhyme": 0.75}, turn=span("steam"))).works


def reading(standing: float, no_turn: float) -> EditorReading:
    read = FactorReading(expected=5.0 * standing, sd=0.7, standing=standing)
    factors = dict.fromkeys(("surprise", "wit", "punchline", "economy"), read)
    return EditorReading(
        factors=factors, kinds={}, faults={"no_turn": no_turn}, turn=None, cuts=(), joke=0.9, complete=0.9
    )


def test_what_is_found_is_weak_or_suspected_by_the_limits_of_the_file(rules: NoteRules) -> None:
    names = ("surprise", "wit", "punchline", "economy")
    poor = find(rules, JOKE, reading(0.1, 0.4), kinds={}, factors=names, faults={}, turn=span("steam"))
    assert poor.weak == pytest.approx(0.9)
    assert set(poor.low) == set(names)
    assert poor.suspected == {"no_turn"}
    assert poor.turn is None
    fine = find(rules, JOKE, reading(0.9, 0.1), kinds={}, factors=names, faults={}, turn=span("steam"))
    assert (fine.weak, set(fine.high), fine.turn) == (0.0, set(names), span("steam"))
    # Of a model that can't tell all three of them nothing is said about the whole.
    assert find(rules, JOKE, reading(0.1, 0.1), kinds={}, factors=("wit",), faults={}).weak == 0.0


def test_weakens_names_at_most_two_different_things(rules: NoteRules) -> None:
    faults = {"padding": 0.9, "tail": 0.8, "stock": 0.7, "vague": 0.6}
    note = compose(rules, Findings(JOKE, faults=faults, low={"economy": 0.9}))
    assert note.weakens == "It has words to spare, and goes on after its turn. The form is a familiar one."


def test_words_that_could_go_are_named(rules: NoteRules) -> None:
    note = compose(rules, Findings(JOKE, faults={"padding": 0.6}, cut=span("My")))
    assert note.weakens == "“My” could go."


@pytest.mark.parametrize(
    ("text", "turn", "said"),
    [
        ('I told her nobody listens. She said, "Same time next week?"', "time next", "Same time next week"),
        ("We don't serve spirits.\" The Frenchman leaves.", 'serve spirits." The Frenchman', "The Frenchman leaves"),
        ("The loaf sells well. Everyone kneads it.", "kneads", "kneads"),
        ("He hasn't taken his eyes off me since.", "eyes off me", "eyes off"),
    ],
)
def test_a_short_sentence_is_quoted_whole_and_none_across_its_end(
    rules: NoteRules, text: str, turn: str, said: str
) -> None:
    start = text.index(turn)
    note = compose(rules, Findings(text, kinds={"pun": 0.9}, high=PLAY, turn=(start, start + len(turn))))
    assert f"“{said}”" in note.works


@pytest.mark.parametrize(
    ("text", "turn", "said"),
    [
        (
            "Nobody likes Mondays at all.",
            "likes Mondays at",
            "It turns on “likes Mondays”, which can be taken in two ways.",
        ),
        ("A funny cow! LOL!!!", "LOL", "It makes one word do two jobs."),
        ("I gave it to them.", "it to them", "It makes one word do two jobs."),
    ],
)
def test_what_is_quoted_tells_something(rules: NoteRules, text: str, turn: str, said: str) -> None:
    start = text.index(turn)
    assert compose(rules, Findings(text, kinds={"pun": 0.6}, high=PLAY, turn=(start, start + len(turn)))).works == said


def test_a_long_quotation_is_left_out(rules: NoteRules) -> None:
    long = "one two three four five six seven eight nine"
    note = compose(rules, Findings(long, kinds={"pun": 0.9}, high=PLAY, turn=(0, len(long))))
    assert note.works == "It makes one word do two jobs."


def test_braces_and_markup_of_a_joke_stay_what_they_are(rules: NoteRules) -> None:
    text = "I said {cut} and <b>{0}</b>"
    note = compose(rules, Findings(text, kinds={"literalism": 0.9}, turn=(text.index("<b>"), len(text))))
    assert "<b>{0}</b>" in note.works


def test_where_the_crowd_differs_the_reason_is_the_one_that_was_found(rules: NoteRules) -> None:
    known = compose(rules, Findings(JOKE, low={"accessibility": 0.8}, crowd="below"))
    assert known.apart == "A crowd may like it less than an editor does: it needs knowledge."
    assert compose(rules, Findings(JOKE, crowd="above")).apart == "A crowd may like it better than an editor does."
    assert compose(rules, Findings(JOKE, low={"accessibility": 0.8})).apart == ""


def test_every_fault_and_every_wordplay_kind_has_a_sentence(rules: NoteRules) -> None:
    for fault in parse_faults():
        assert compose(rules, Findings(JOKE, faults={fault.id: 0.9}, turn=span("handle"))).weakens, fault.id
    for category in load_criteria(None).categories:
        if category.group == "Wordplay":
            found = Findings(JOKE, kinds={category.id: 0.9}, high=PLAY, turn=span("steam"))
            assert compose(rules, found).works, category.id


@pytest.mark.parametrize(
    ("note", "what"),
    [
        ('<note kinds="pum"><say>It is a pum of some sort.</say></note>', "pum"),
        ('<note faults="stock"><say>It has {joke} in it.</say></note>', "joke"),
        ('<note faults="stock"><say>It has {turn in it.</say></note>', "filled"),
        ("<note><say>It is always so, whatever.</say></note>", "condition"),
    ],
)
def test_a_wrong_note_is_refused_with_its_line(tmp_path: Path, note: str, what: str) -> None:
    from jokejudge_gui.core.paths import criteria_dir

    path = tmp_path / "notes.xml"
    fine = '<note kinds="pun"><say>It is fine as it is.</say></note>'
    path.write_text(
        f'<notes version="1"><works>{note}</works><weakens>{fine}</weakens><apart>{fine}</apart></notes>',
        encoding="utf-8",
    )
    path.with_suffix(".rng").write_bytes((criteria_dir() / "notes.rng").read_bytes())
    with pytest.raises(CriteriaError, match=r"notes\.xml, line 1") as caught:
        parse_notes(load_criteria(None), parse_faults(), path)
    assert what in str(caught.value)
