"""Deep mode of a rating over the fake engine."""

from __future__ import annotations

from jokejudge_gui.core.events import Cancelled, Finished, Stage, StageProgress
from jokejudge_gui.core.verdicts import Budget
from jokejudge_gui.engine.base import CancelToken
from jokejudge_gui.judge.rating.kind import RATING
from jokejudge_gui.judge.rating.record import RatingRequest, RatingResult
from jokejudge_gui.judge.rating.words import summary
from jokejudge_gui.session.session import Session
from tests.known_calibration import MakeSession

JOKE = "I used to be a banker, but I lost interest."


def deep(session: Session, budget: Budget | None = None, text: str = JOKE) -> RatingResult:
    request = RatingRequest(text=text, mode="deep", ask="all", explain=False, budget=budget or Budget())
    last = list(session.run(RATING, request))[-1]
    assert isinstance(last, Finished), last
    assert isinstance(last.result, RatingResult)
    return last.result


def test_a_model_that_is_unsure_is_asked_again_in_other_ways(make_session: MakeSession) -> None:
    found = deep(make_session())  # a model that answers every level alike
    assert found.tree is not None
    opened = [node for node in found.tree.opened if node.kind == "factor"]
    assert opened
    assert all("nearly even" in node.doubts[0] for node in opened)
    assert all(len({branch.how for branch in node.branches}) == len(node.branches) >= 2 for node in opened)
    assert found.tree.used_branches == sum(len(node.branches) for node in found.tree.nodes)
    assert "further readings" in summary(found.tree)


def test_the_same_joke_gets_the_same_tree(make_session: MakeSession) -> None:
    session = make_session()
    one, other = deep(session), deep(session)
    assert one.tree is not None
    assert other.tree is not None
    assert one.tree.nodes == other.tree.nodes
    assert one.tree.used_tokens == other.tree.used_tokens


def test_a_budget_bounds_it(make_session: MakeSession) -> None:
    found = deep(make_session(), Budget(branches=5))
    assert found.tree is not None
    assert (found.tree.used_branches, found.tree.ended) == (5, "branches")
    assert RATING.request_of(found).budget == Budget(branches=5)


def test_stop_in_a_branch_keeps_what_is_known(make_session: MakeSession) -> None:
    session, token = make_session(), CancelToken()
    last = None
    for last in session.run(RATING, RatingRequest(text=JOKE, mode="deep", ask="all", explain=False), cancel=token):
        if isinstance(last, StageProgress) and last.stage is Stage.REASONING:
            token.cancel()
    assert isinstance(last, Cancelled)
    assert isinstance(last.result, RatingResult)
    assert last.result.tree is not None
    assert last.result.tree.ended == "stopped"
    assert last.result.tree.used_branches > 0
    kept = session.store.get(last.result.id).result
    assert isinstance(kept, RatingResult)
    assert kept.tree == last.result.tree


def test_a_kind_whose_factors_are_all_missing_leads_back(make_session: MakeSession) -> None:
    def nothing_in_it(prompt: str, question: str, label: str) -> float:
        if label in "012345":
            return 6.0 if label == "0" else 0.0
        return 3.0 if label.strip() == "pun" else 0.0

    found = deep(make_session(nothing_in_it))
    assert found.tree is not None
    chosen = [kind.name for kind in found.categories if kind.chosen]
    if chosen:
        assert found.tree.contradictions
        assert all(node.loops <= 2 for node in found.tree.nodes)
