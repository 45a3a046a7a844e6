"""``Session.run`` gives verdicts of any kind, and verdicts that are made of others."""

from __future__ import annotations

from jokejudge_gui.core.events import Cancelled, Failed, Finished, Started, is_last
from jokejudge_gui.engine.base import CancelToken
from jokejudge_gui.judge.duel.kind import DUEL
from jokejudge_gui.judge.duel.record import DuelRequest
from jokejudge_gui.judge.rating.kind import RATING
from jokejudge_gui.judge.rating.record import RatingRequest
from tests.known_calibration import MakeSession
from tests.unit.kinds.toy_kinds import COUNT, PANEL, CountRequest, CountResult, PanelRequest, PanelResult


def test_a_rating_and_a_duel_run_from_their_requests(make_session: MakeSession) -> None:
    session = make_session()
    for kind, request in (
        (RATING, RatingRequest(text="A joke about a horse.", forced=True, explain=False)),
        (DUEL, DuelRequest(text_a="A joke about a horse.", text_b="A joke about a cow.", explain=False)),
    ):
        *_, last = session.run(kind, request, record=False)  # type: ignore[arg-type, var-annotated]
        assert isinstance(last, Finished)
        assert isinstance(last.result, kind.result)
        again = kind.request_of(last.result)
        # A result doesn't tell whether there are words because they were asked for; and this model has no plan, so it
        # was asked everything, as it would be again.
        untold = {"explain", "ask"}
        assert again.model_dump(exclude=untold) == request.model_dump(exclude=untold)


def test_a_verdict_says_what_it_was_made_with(make_session: MakeSession) -> None:
    session = make_session()
    *_, last = session.run(COUNT, CountRequest(text="one two three"), record=False)
    assert isinstance(last, Finished)
    assert isinstance(last.result, CountResult)
    assert last.result.words == 3
    assert last.result.model == session.model
    assert last.result.criteria_version
    assert last.result.usage.tokens_evaluated > 0


def test_deep_mode_is_not_claimed(make_session: MakeSession) -> None:
    session = make_session()
    *_, last = session.run(COUNT, CountRequest(text="one two", mode="deep"), record=False)
    assert isinstance(last, Finished)
    assert last.result is not None
    assert last.result.warnings == ("Deep mode does no more than quick mode here.",)


def test_a_text_that_cannot_be_judged_is_a_failure_before_any_loading(make_session: MakeSession) -> None:
    events = list(make_session().rate("   "))
    assert [type(event) for event in events] == [Failed]
    assert isinstance(events[0], Failed)
    assert events[0].error.code == "E_INPUT_EMPTY"


def test_children_are_told_in_between_and_only_the_whole_ends_the_job(make_session: MakeSession) -> None:
    session = make_session()
    events = list(session.run(PANEL, PanelRequest(first="A horse.", second="A cow."), record=False))
    whole, *parts = [event for event in events if isinstance(event, Started)]
    assert [event.kind for event in (whole, *parts)] == ["panel", "rate", "rate"]
    assert [is_last(event) for event in events].count(True) == 1
    last = events[-1]
    assert isinstance(last, Finished)
    assert isinstance(last.result, PanelResult)
    assert len(last.result.means) == 2
    assert None not in last.result.means


def test_what_ends_a_child_ends_the_whole(make_session: MakeSession) -> None:
    session = make_session()
    cancel = CancelToken()
    seen = []
    for event in session.run(PANEL, PanelRequest(first="A horse.", second="A cow."), record=False, cancel=cancel):
        seen.append(event)
        if isinstance(event, Started) and event.kind == "rate":
            cancel.cancel()
    assert isinstance(seen[-1], Cancelled)
    assert [is_last(event) for event in seen].count(True) == 1
