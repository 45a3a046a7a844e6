"""Deep mode and versions of a joke on the embedded model: as they come, and every path, forced. One file, so that one
process reads the long prompts once."""

from __future__ import annotations

from jokejudge_gui.core.events import Cancelled as WasCancelled
from jokejudge_gui.core.events import Finished, Interim
from jokejudge_gui.engine.base import CancelToken
from jokejudge_gui.judge.rating.deep_judge import NOTHING_MORE
from jokejudge_gui.judge.rating.kind import RATING
from jokejudge_gui.judge.rating.listeners import WORTHLESS
from jokejudge_gui.judge.rating.record import RatingRequest, RatingResult
from jokejudge_gui.judge.versions import WORKSHOP, WorkshopRequest, WorkshopResult
from jokejudge_gui.session.session import Session

JOKE = "My wife told me to stop impersonating a flamingo. I had to put my foot down."
SHOES = "I bought some shoes from a drug dealer. I was tripping all day."


def rated(session: Session, **options: object) -> RatingResult:
    *_, last = session.ask(RATING, (JOKE,), record=False, explain=False, **options)  # type: ignore[arg-type]
    assert isinstance(last, Finished), last
    assert isinstance(last.result, RatingResult)
    return last.result


def test_where_nothing_is_worth_asking_deep_says_so_and_costs_nothing_more(session: Session) -> None:
    quick, deep = rated(session), rated(session, mode="deep")
    assert deep.tree is not None
    assert deep.tree.ended == "nothing to ask"
    assert NOTHING_MORE in deep.warnings
    assert deep.usage.tokens_evaluated <= quick.usage.tokens_evaluated
    assert (deep.audience, deep.factors, deep.categories) == (quick.audience, quick.factors, quick.categories)


def test_with_everything_asked_branches_are_read_within_the_budget_and_again_alike(session: Session) -> None:
    one, again = (rated(session, mode="deep", ask="all", budget=4) for _ in range(2))
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
    assert last.result.best == "2"
    assert last.result.pairs[0].p_a < 0.5


def test_listeners_are_not_asked_where_answers_have_no_worth(session: Session) -> None:
    request = RatingRequest(text=JOKE, mode="deep", explain=False, listeners=("students", "workplace"))
    *_, last = session.run(RATING, request)
    assert isinstance(last, Finished)
    assert isinstance(last.result, RatingResult)
    voices = last.result.listeners
    assert [voice.name for voice in voices] == ["Students", "Workplace"]
    assert all(voice.p is None and voice.reason == WORTHLESS for voice in voices)


def test_a_workshop_that_was_stopped_goes_on_in_its_row(session: Session) -> None:
    token, last = CancelToken(), None
    for last in session.run(WORKSHOP, WorkshopRequest.of(f"Now listen. {SHOES} Get it?", SHOES), cancel=token):
        if isinstance(last, Interim):
            token.cancel()
    assert isinstance(last, WasCancelled)
    assert isinstance(last.result, WorkshopResult)
    read = sum(version.rating is not None for version in last.result.versions)
    assert 0 < read < 2
    *_, after = session.run(WORKSHOP, WorkshopRequest.going_on(last.result))
    assert isinstance(after, Finished), after
    assert isinstance(after.result, WorkshopResult)
    assert after.result.id == last.result.id
    assert all(version.rating is not None for version in after.result.versions)
