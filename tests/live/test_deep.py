"""Deep mode and versions of a joke on the embedded model: as they come, and every path, forced. One file, so that one
process reads the long prompts once."""

from __future__ import annotations

from jokejudge_gui.core.events import Cancelled as WasCancelled
from jokejudge_gui.core.events import Interim
from jokejudge_gui.engine.base import CancelToken
from jokejudge_gui.judge.rating.deep_judge import NOTHING_MORE
from jokejudge_gui.judge.rating.kind import RATING
from jokejudge_gui.judge.rating.listeners import WORTHLESS
from jokejudge_gui.judge.rating.record import RatingRequest, RatingResult
from jokejudge_gui.judge.versions import WORKSHOP, WorkshopRequest
from jokejudge_gui.session.session import Session
from tests.ends import finished

JOKE = "My wife told me to stop impersonating a flamingo. I had to put my foot down."
SHOES = "I bought some shoes from a drug dealer. I was tripping all day."


def rated(session: Session, **options: object) -> RatingResult:
    return finished(session.ask(RATING, (JOKE,), record=False, explain=False, **options))  # type: ignore[arg-type]


def test_where_nothing_is_worth_asking_deep_says_so_and_costs_nothing_more(session: Session) -> None:
    quick, deep = rated(session), rated(session, mode="deep")
    assert deep.tree.ended == "nothing to ask"
    assert NOTHING_MORE in deep.warnings
    assert deep.usage.tokens_evaluated <= quick.usage.tokens_evaluated
    assert (deep.audience, deep.factors, deep.categories) == (quick.audience, quick.factors, quick.categories)


def test_with_everything_asked_branches_are_read_within_the_budget_and_again_alike(session: Session) -> None:
    one, again = (rated(session, mode="deep", ask="all", budget=4) for _ in range(2))
    assert one.tree.ended == "branches"
    assert one.tree.used_branches == 4
    assert any(branch.value is not None for node in one.tree.opened for branch in node.branches)
    assert one.tree.nodes == again.tree.nodes


def test_versions_are_told_apart_by_an_editor(session: Session) -> None:
    padded = f"So, this is really very funny. {JOKE} Get it? A flamingo!"
    last = finished(session.run(WORKSHOP, WorkshopRequest.of(padded, JOKE)))
    assert last.best == "2"
    assert last.pairs[0].p_a < 0.5


def test_listeners_are_not_asked_where_answers_have_no_worth(session: Session) -> None:
    request = RatingRequest(text=JOKE, mode="deep", explain=False, listeners=("students", "workplace"))
    last = finished(session.run(RATING, request))
    voices = last.listeners
    assert [voice.name for voice in voices] == ["Students", "Workplace"]
    assert all(voice.p is None and voice.reason == WORTHLESS for voice in voices)


def test_a_workshop_that_was_stopped_goes_on_in_its_row(session: Session) -> None:
    token, last = CancelToken(), None
    for last in session.run(WORKSHOP, WorkshopRequest.of(f"Now listen. {SHOES} Get it?", SHOES), cancel=token):
        if isinstance(last, Interim):
            token.cancel()
    assert isinstance(last, WasCancelled)
    read = sum(version.rating is not None for version in last.result.versions)
    assert 0 < read < 2
    after = finished(session.run(WORKSHOP, WorkshopRequest.going_on(last.result)))
    assert after.id == last.result.id
    assert all(version.rating is not None for version in after.versions)
