"""Deep mode of a rating over the fake engine."""

from __future__ import annotations

import pytest

from jokejudge_gui.core.events import Cancelled, Stage, StageProgress
from jokejudge_gui.engine.base import CancelToken
from jokejudge_gui.judge.rating.deep_judge import with_branch
from jokejudge_gui.judge.rating.kind import RATING
from jokejudge_gui.judge.rating.record import Branch, Node, RatingRequest, RatingResult, ReasoningTree
from jokejudge_gui.judge.rating.words import page
from jokejudge_gui.session.session import Session
from tests.ends import finished
from tests.known_calibration import MakeSession

JOKE = "I used to be a banker, but I lost interest."


def deep(session: Session, budget: int = 48) -> tuple[RatingResult, ReasoningTree]:
    request = RatingRequest(text=JOKE, mode="deep", ask="all", explain=False, budget=budget)
    last = finished(session.run(RATING, request))
    assert last.tree is not None
    return last, last.tree


def lines(result: RatingResult) -> str:
    """What the page says of its tree."""
    tree = next(row for row in page(result).rows if row.name == "Deep")
    return "\n".join([tree.text, *(line.text for node in tree.rows for line in (node, *node.rows))])


def test_a_model_that_is_unsure_is_asked_again_in_other_ways_and_alike_each_time(make_session: MakeSession) -> None:
    session = make_session()  # a model that answers every level alike
    result, tree = deep(session)
    opened = tree.opened
    assert opened
    assert all("nearly even" in node.doubts[0] for node in opened)
    assert all(len({branch.how for branch in node.branches}) == len(node.branches) >= 2 for node in opened)
    assert tree.used_branches == sum(len(node.branches) for node in tree.nodes)
    assert "further readings" in lines(result)
    assert deep(session)[1] == tree


def test_a_budget_bounds_it(make_session: MakeSession) -> None:
    result, tree = deep(make_session(), budget=5)
    assert (tree.used_branches, tree.ended) == (5, "branches")
    assert "the budget of branches was used up" in lines(result)
    assert RATING.request_of(result).budget == 5


def test_stop_in_a_branch_keeps_what_is_known(make_session: MakeSession) -> None:
    session, token = make_session(), CancelToken()
    last = None
    for last in session.run(RATING, RatingRequest(text=JOKE, mode="deep", ask="all", explain=False), cancel=token):
        if isinstance(last, StageProgress) and last.stage is Stage.REASONING:
            token.cancel()
    assert isinstance(last, Cancelled)
    assert last.result.tree.ended == "stopped"
    assert last.result.tree.used_branches > 0
    kept = session.store.get(last.result.id).result
    assert isinstance(kept, RatingResult)
    assert kept.tree == last.result.tree


def test_a_kind_whose_factors_are_all_missing_leads_back(make_session: MakeSession) -> None:
    def nothing_in_it(prompt: str, question: str, label: str) -> float:
        if label in "012345":
            return 6.0 if label == "0" else 0.0
        return 20.0 if label.strip() == "pun" else 0.0

    result, tree = deep(make_session(nothing_in_it))
    assert tree.contradictions
    assert f"Contradiction: {tree.contradictions[0]}" in lines(result)
    assert {node.loops for node in tree.nodes} == {0, 2}
    assert all(branch.how for node in tree.nodes if node.loops for branch in node.branches)


@pytest.mark.parametrize(
    ("values", "settled"),
    [((3.0,), False), ((3.0, 3.1), True), ((0.0, 5.0), False)],
)
def test_agreement_closes_a_node(values: tuple[float, ...], settled: bool) -> None:
    node = Node(id="x", name="X", before=0.2, settled=False)
    for value in values:
        node = with_branch(node, Branch(how="another wording", value=value))
    assert (node.settled, node.after) == (settled, pytest.approx(sum(values) / len(values)))
