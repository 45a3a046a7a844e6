"""What stands in a branch beside its value: the model's reason, the removed turn, another listener."""

from __future__ import annotations

from pathlib import Path

import pytest

from jokejudge_gui.core.events import Finished
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.core.verdicts import Budget
from jokejudge_gui.judge.asking.measured import MeasuredFiles
from jokejudge_gui.judge.asking.worth import ItemWorth, Plan, ProseFigures, Worth
from jokejudge_gui.judge.rating.kind import RATING
from jokejudge_gui.judge.rating.record import LAUGHS, RatingRequest, ReasoningTree
from jokejudge_gui.judge.rating.words import branch_line, node_line
from jokejudge_gui.session.session import Session
from tests.known_calibration import MakeSession

JOKE = "I used to work on a submarine. I went under twice a year."
SHA256 = "f" * 64
PASSED = ProseFigures(texts=30, turn=0.8, alike=2, echoes=0, contradictions=0, broken=0)


def deep(session: Session, budget: Budget | None = None, explain: bool = True) -> ReasoningTree:
    request = RatingRequest(text=JOKE, mode="deep", ask="all", explain=explain, budget=budget or Budget(branches=400))
    last = list(session.run(RATING, request))[-1]
    assert isinstance(last, Finished), last
    assert last.result.tree is not None
    return last.result.tree  # type: ignore[no-any-return]


def plan_with(profile: Profile, prose: ProseFigures) -> None:
    share = Worth(value=prose.turn, low=0.0, high=1.0, n=30)
    item = ItemWorth(kind="prose", id="explanation", measured="share", asked=share, prose=prose)
    MeasuredFiles(Path("nowhere"), profile.models).save_plan(Plan(model_sha256=SHA256, items=(item,)))


def because(prompt: str, branch: str) -> str:
    """A model that writes; of each factor its name, so that the branches can be told apart."""
    if not branch.endswith("because"):
        return " it ends on a word with two meanings."
    return f" the last word has two senses, after {len(prompt)} and {len(branch)} letters."


def test_a_model_that_passed_the_prose_test_says_why_in_each_branch(
    make_session: MakeSession, profile: Profile
) -> None:
    plan_with(profile, PASSED)
    tree = deep(make_session(write=because))
    asked = [branch for node in tree.opened for branch in node.branches if branch.value is not None]
    assert asked
    for node in tree.opened:
        told = [branch.reason for branch in node.branches if branch.reason]
        assert told
        assert len(set(told)) == len(told)  # none twice of one finding
        assert f"because {told[0]}" in "\n".join(branch_line(node, branch) for branch in node.branches)


@pytest.mark.parametrize("said", [f" {JOKE}", " it quotes “the duck”.", " it breaks off", " so."])
def test_a_reason_that_does_not_hold_is_left_out(make_session: MakeSession, profile: Profile, said: str) -> None:
    plan_with(profile, PASSED)
    tree = deep(make_session(write=lambda _prompt, _branch: said), Budget(branches=6))
    assert not any(branch.reason for node in tree.nodes for branch in node.branches)


def test_listeners_are_branches_where_the_answers_have_worth(make_session: MakeSession, profile: Profile) -> None:
    assert not any(node.id == LAUGHS for node in deep(make_session()).nodes)
    good = Worth(value=0.6, low=0.4, high=0.8, n=80)
    item = ItemWorth(kind="factor", id="wit", measured="r", asked=good)
    MeasuredFiles(Path("nowhere"), profile.models).save_plan(Plan(model_sha256=SHA256, items=(item,)))

    def students_laugh(_prompt: str, question: str, label: str) -> float:
        laughs = "yes" if "laugh?" in question else "no"
        return 4.0 if "university students" in question and label.strip().lower() == laughs else 0.0

    tree = deep(make_session(students_laugh))
    node = next(node for node in tree.nodes if node.id == LAUGHS)
    values = {branch.listener: branch.value or 0.0 for branch in node.branches}
    assert values["Students"] > 90 > values["Programmers"]
    assert node.before is not None
    assert "Would laugh: an ordinary listener" in node_line(node)
    assert branch_line(node, node.branches[2]).startswith("Students: 9")
