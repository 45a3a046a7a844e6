"""How a verdict is told to people that was read, not asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from jokejudge_gui.cli.console import Console, Style
from jokejudge_gui.cli.verdicts import show_verdict
from jokejudge_gui.core.verdicts import Audience, CheckResult, Sense, Span, Usage
from jokejudge_gui.core.words import facts_of
from jokejudge_gui.judge.rating.record import (
    Branch,
    CategoryScore,
    EditorNote,
    FactorScore,
    FaultScore,
    Node,
    RatingResult,
    ReasoningTree,
    Remark,
    Trial,
)

from .conftest import rating

if TYPE_CHECKING:
    from .conftest import Run, Stage

JOKE = "I told my plants a joke.\nThey were rooting for me."
TURN = Span(start=JOKE.index("rooting"), end=JOKE.index("rooting") + len("rooting for"), text="rooting for", p=0.9)
AUDIENCE = Audience(percentile=91.2, score=1.3, low=70.0, high=98.0, kind="one-liners", agreement=0.66)


def factor(name: str, expected: float) -> FactorScore:
    return FactorScore(
        id=name.lower(), name=name, origin="shared", score=round(expected), expected=expected, sd=0.5, source="read"
    )


def read(**changes: Any) -> RatingResult:
    """A rating of one reading."""
    values: dict[str, Any] = {
        "admissibility": (
            CheckResult(check="intent", p_admit=0.93, passed=True, reliable=True, source="read"),
            CheckResult(check="coherence", p_admit=0.5, passed=True, reliable=False, source="read"),
        ),
        "categories": (
            CategoryScore(id="pun", name="Pun", p=0.91, z=0, chosen=True, source="read"),
            CategoryScore(id="deadpan", name="Deadpan", p=0.55, z=0, chosen=True, source="read"),
        ),
        "factors": tuple(factor(f"Factor{i}", 4.5 - i / 4) for i in range(16)),
        "audience": AUDIENCE,
        "faults": (FaultScore(id="padding", name="Padding", p=0.85), FaultScore(id="stock", name="Stock form", p=0.6)),
        "turn": TURN,
        "note": EditorNote(
            works="One word works two shifts.",
            weakens="It has words that could go.",
            apart="A crowd may like it better than an editor does.",
            trials=(Trial(kind="cut", text="My plants root for me.", change="a joke", p_better=0.7, percentile=93.0),),
        ),
        "explanation": "Works. One word works two shifts.",
    }
    return rating("v1", changes.pop("text", JOKE), **(values | changes))


def shown(result: Any, capsys: pytest.CaptureFixture[str], *, colour: bool = False, unicode: bool = True) -> str:
    console = Console()
    console.style = Style(colour=colour, unicode=unicode)
    capsys.readouterr()
    show_verdict(console, result)
    return capsys.readouterr().out


def test_the_audience_leads_with_its_half_and_how_often_it_is_right(capsys: pytest.CaptureFixture[str]) -> None:
    lines = shown(read(), capsys).splitlines()
    assert lines[0] == "Probably in the upper half"
    assert lines[1] == "People would put it between 70 and 98 of 100."
    assert lines[2] == "On one-liners it picks the funnier of two 66 times in 100."
    wide = shown(read(audience=AUDIENCE.replaced(low=41.0)), capsys)
    assert wide.startswith("Can't tell\nPeople would put it between 41 and 98 of 100.\n")


def test_no_end_of_an_interval_claims_all_or_none(capsys: pytest.CaptureFixture[str]) -> None:
    out = shown(read(audience=AUDIENCE.replaced(low=0.1, high=99.9)), capsys)
    assert "between 1 and 99 of 100" in out


def test_a_factor_of_the_users_own_stands_first(capsys: pytest.CaptureFixture[str]) -> None:
    plain = read().factors
    mine = FactorScore(id="calm", name="Calm", origin="shared", score=1, expected=1.2, sd=0.4, own=True)
    lines = shown(read(factors=(*plain, mine)), capsys).splitlines()
    (first,) = [line for line in lines if "Calm" in line]
    assert first.endswith("your own")
    others = [line for line in lines if any(line.startswith(f"  {factor.name} ") for factor in plain)]
    assert others
    assert lines.index(first) < min(map(lines.index, others))


def test_of_a_kind_of_text_that_was_never_learned_it_says_that_it_cant_tell(
    capsys: pytest.CaptureFixture[str],
) -> None:
    unheard = Audience(percentile=60.0, score=0.1, low=10.0, high=90.0, agreement=0.564, heard=False)
    said = shown(read(audience=unheard), capsys).split("\n\n")[0].splitlines()
    assert said == [
        "Can't tell", "It hasn't learned this kind of text.",
        "On such texts it picks the funnier of two 56 times in 100.",
    ]  # fmt: skip


def test_without_an_audience_the_warning_and_the_mean_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    nothing = read(audience=None, mean_score=None, max_score=None, warnings=("This text doesn't seem to be English.",))
    out = shown(nothing, capsys)
    assert out.startswith("Note: This text doesn't seem to be English.\n\nNo audience estimate\n")
    with_mean = shown(read(audience=None), capsys)
    assert with_mean.startswith("3.7 of 5")
    assert "No audience estimate" in with_mean


def test_the_mean_is_shown_beside_the_audience_only_where_scores_were_asked_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert "of 5" not in shown(read(), capsys)
    assert "Mean        3.7 of 5" in shown(read(everything_asked=True), capsys)


def test_the_turn_is_marked_with_colours_and_without(capsys: pytest.CaptureFixture[str]) -> None:
    assert "They were «rooting for» me.\n" in shown(read(), capsys)
    assert "They were <<rooting for>> me.\n" in shown(read(), capsys, unicode=False)
    assert "They were \x1b[4mrooting for\x1b[0m me.\n" in shown(read(), capsys, colour=True)


def test_a_turn_over_two_lines_is_underlined_on_both(capsys: pytest.CaptureFixture[str]) -> None:
    start, end = JOKE.index("joke"), JOKE.index(" were")
    turn = Span(start=start, end=end, text=JOKE[start:end], p=0.9)
    out = shown(read(turn=turn), capsys, colour=True)
    assert "a \x1b[4mjoke.\x1b[0m\n\x1b[4mThey\x1b[0m were" in out


def test_marks_in_the_text_itself_are_no_turn(capsys: pytest.CaptureFixture[str]) -> None:
    out = shown(read(text="one \ue000two\ue001", turn=None), capsys, colour=True)
    assert "\x1b[4m" not in out
    assert "one \ufffdtwo\ufffd" in out


def test_remarks_are_told_with_how_often_they_are_right_and_the_edit_below(capsys: pytest.CaptureFixture[str]) -> None:
    remarks = (
        Remark(text="“rooting for” has a second meaning here.", about="heard", right=0.86),
        Remark(text="“a joke” could go.", about="edit", right=0.9, trial=0),
        Remark(text="It is about plants.", about="form"),
    )
    out = shown(read(remarks=remarks), capsys)
    assert "Works       “rooting for” has a second meaning here. (right in 8 of 10)\n" in out
    assert "Try         “a joke” could go. (right in 9 of 10)\n            My plants root for me.\n" in out
    assert "Form        It is about plants.\n" in out
    assert "two shifts" not in out


def test_a_note_of_before_is_told_without_figures(capsys: pytest.CaptureFixture[str]) -> None:
    out = shown(read(), capsys)
    assert "Works       One word works two shifts.\n" in out
    assert "Weakens     It has words that could go.\n" in out
    assert "Try         My plants root for me.\n" in out


def test_facts_stand_below_the_joke_and_doubt_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    out = shown(read(sense=Sense(joke=0.3, whole=0.9, said="unsure")), capsys)
    facts = " · ".join(facts_of(JOKE, TURN).lines())
    assert f"\n{facts}\n" in out
    assert "It is doubtful whether this works as a joke" in out
    nothing = shown(read(turn=None, note=None, sense=Sense(joke=0.1, whole=0.9, said="no turn"), audience=None), capsys)
    assert "no turn found" in nothing


def test_factors_are_shown_where_they_stand_out_among_jokes(capsys: pytest.CaptureFixture[str]) -> None:
    places = {"Wit": 0.91, "Clarity": 0.99, "Truth": 0.1}
    out = shown(read(factors=tuple(factor(name, 3.0).replaced(standing=at) for name, at in places.items())), capsys)
    assert "stronger than in 9 of 10 jokes" in out
    assert "weaker than in 9 of 10 jokes" in out
    assert "Clarity" not in out
    assert "No factor stands out" in shown(read(factors=(factor("Wit", 3.0).replaced(standing=0.5),)), capsys)


def test_of_a_kind_that_was_not_learned_only_the_users_own_factors_are_shown(
    capsys: pytest.CaptureFixture[str],
) -> None:
    heard = read(factors=(factor("Wit", 4.5).replaced(standing=0.95), factor("Swing", 4.0).replaced(own=True)))
    assert heard.audience is not None
    assert "Wit" in shown(heard, capsys)
    out = shown(heard.replaced(audience=heard.audience.replaced(heard=False)), capsys)
    assert "Swing" in out
    assert "Wit" not in out
    assert "Kinds" not in out


def test_kinds_are_told_in_words_and_only_checks_that_tell_something(capsys: pytest.CaptureFixture[str]) -> None:
    out = shown(read(), capsys)
    assert "Kinds       surely Pun  probably Deadpan\n" in out
    assert "Admission   intent 0.93\n" in out
    assert "Path" not in out


def test_the_strongest_and_weakest_factors_are_shown_and_the_rest_counted(capsys: pytest.CaptureFixture[str]) -> None:
    out = shown(read(), capsys)
    names = [line.split()[0] for line in out.splitlines() if line.startswith("  Factor")]
    assert names == ["Factor0", "Factor1", "Factor2", "Factor14", "Factor15"]
    assert "and 11 more (--json shows all)" in out
    few = shown(read(factors=tuple(factor(f"Factor{i}", 3.0) for i in range(5))), capsys)
    assert few.count("  Factor") == 5
    assert "more (--json" not in few


def test_a_factor_without_an_answer_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert "no answer" in shown(rating("v1", "text"), capsys)


@pytest.mark.parametrize(
    ("command", "everything"),
    [
        (["rate", "a joke"], False),
        (["rate", "a joke", "--ask", "plan"], False),
        (["rate", "a joke", "--ask", "all"], True),
        (["duel", "one", "two", "--ask", "all"], True),
        (["duel", "one", "two", "--orders"], True),
    ],
)
def test_a_call_says_whether_everything_is_asked(run: Run, stage: Stage, command: list[str], everything: bool) -> None:
    assert run(*command).status == 0
    assert stage.asked[0].request.ask == ("all" if everything else "plan")


def test_a_batch_can_ask_everything_too(run: Run, stage: Stage, tmp_path: Any) -> None:
    (tmp_path / "in.txt").write_text("one joke\n", encoding="utf-8")
    out = str(tmp_path / "out.jsonl")
    assert run("rate", "--batch", str(tmp_path / "in.txt"), "--out", out, "--ask", "all").status == 0
    assert stage.asked[0].request.ask == "all"


def test_the_call_goes_before_what_is_set(run: Run, stage: Stage, tmp_path: Any) -> None:
    (tmp_path / "profile").mkdir()
    (tmp_path / "profile" / "settings.json").write_text('{"ask_everything": true}', encoding="utf-8")
    run("rate", "a joke")
    run("rate", "a joke", "--ask", "plan")
    assert [asked.request.ask for asked in stage.asked] == ["all", "plan"]


def test_warnings_come_before_the_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    show_verdict(Console(), rating("r", "A joke.", warnings=("This model can't tell.",)))
    out = capsys.readouterr().out
    assert out.index("Note: This model can't tell.") < out.index("of 5")


def test_the_tree_of_a_deep_verdict_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    node = Node(
        id="factor:wit", kind="factor", name="Wit", before=2.0, after=3.0, error=0.4,
        doubts=("its answer is nearly even between the levels",),
        branches=(Branch(how="another wording", value=3.4), Branch(how="a strict reader", value=None)),
    )  # fmt: skip
    turn = Node(
        id="verdict:audience", kind="verdict", name="Audience", before=80.0, after=80.0,
        branches=(Branch(how="without its turn", value=31.0, counts=False),),
    )  # fmt: skip
    tree = ReasoningTree(nodes=(node, turn), contradictions=("It was taken for pun, but wit 0.2.",), used_branches=3)
    show_verdict(Console(), rating("r", "A joke.", tree=tree))
    out = capsys.readouterr().out
    assert "3 further readings of 2 things; nothing was in doubt any more." in out
    assert "Wit: 2.0 of 5 → 3.0 of 5 ± 0.4" in out
    assert "Another wording: 3.4 of 5" in out
    assert "A strict reader: no answer" in out
    assert "Without its turn the audience's estimate falls from 80 to 31 in 100." in out
    assert "Contradiction: It was taken for pun, but wit 0.2." in out


def test_the_time_of_a_verdict_is_no_shorter_than_that_of_its_stages(capsys: pytest.CaptureFixture[str]) -> None:
    result = read(stage_seconds={"reading": 2.0, "explanation": 1.5}, usage=Usage(tokens_evaluated=9, seconds=0.4))
    show_verdict(Console(), result)
    assert " 3.5 s · 9 tokens evaluated" in capsys.readouterr().out
