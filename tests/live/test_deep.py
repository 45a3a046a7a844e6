"""Deep mode and versions of a joke on the embedded model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.events import Finished
from jokejudge_gui.core.verdicts import AUDIENCE, Budget, RatingResult
from jokejudge_gui.judge.rating.deep_judge import NOTHING_MORE
from jokejudge_gui.judge.rating.kind import RATING
from jokejudge_gui.judge.workshop.kind import WORKSHOP
from jokejudge_gui.judge.workshop.types import WorkshopRequest, WorkshopResult
from jokejudge_gui.session.session import Session

from .conftest import NewProfile

JOKE = "My wife told me to stop impersonating a flamingo. I had to put my foot down."


def turn_drop(result: RatingResult) -> float | None:
    """By how many places of 100 the audience's estimate falls without the joke's turn; None where that wasn't read."""
    nodes = result.tree.nodes if result.tree is not None else ()
    node = next((node for node in nodes if node.id == AUDIENCE), None)
    if node is None or node.before is None or not node.branches or node.branches[0].value is None:
        return None
    return node.before - node.branches[0].value


@pytest.fixture(scope="module")
def session(embedded_model: Path, new_profile: NewProfile) -> Iterator[Session]:
    made = Session(new_profile("deep"), Settings(model=str(embedded_model), threads=1))
    yield made
    made.close()


def rated(session: Session, **options: object) -> RatingResult:
    *_, last = session.ask(RATING, (JOKE,), record=False, explain=False, **options)  # type: ignore[arg-type]
    assert isinstance(last, Finished), last
    assert isinstance(last.result, RatingResult)
    return last.result


def test_where_nothing_is_worth_asking_deep_says_so_and_costs_one_reading_more(session: Session) -> None:
    quick, deep = rated(session), rated(session, mode="deep")
    assert deep.tree is not None
    assert deep.tree.ended == "nothing to ask"
    assert NOTHING_MORE in deep.warnings
    assert deep.usage.tokens_evaluated <= 2 * quick.usage.tokens_evaluated
    assert turn_drop(deep) is not None
    assert (deep.audience, deep.factors, deep.categories) == (quick.audience, quick.factors, quick.categories)


def test_with_everything_asked_branches_are_read_within_the_budget_and_again_alike(session: Session) -> None:
    one, again = (rated(session, mode="deep", ask="all", budget=Budget(branches=4)) for _ in range(2))
    assert one.tree is not None
    assert again.tree is not None
    assert one.tree.ended == "branches"
    assert one.tree.used_branches == 4
    assert any(branch.value is not None for node in one.tree.opened for branch in node.branches)
    assert one.tree.nodes == again.tree.nodes


def test_versions_are_told_apart_by_an_editor(session: Session) -> None:
    padded = f"So, this is really very funny. {JOKE} Get it? A flamingo!"
    *_, last = session.run(WORKSHOP, WorkshopRequest.of(padded, JOKE))
    assert isinstance(last, Finished)
    assert isinstance(last.result, WorkshopResult)
    change = last.result.versions[1].since_parent
    assert last.result.best == "2"
    assert change is not None
    assert change.p_editor is not None
    assert change.p_editor > 0.5
