"""A joke in versions, over the fake engine."""

from __future__ import annotations

import pytest

from jokejudge_gui.core.errors import InputError
from jokejudge_gui.core.events import Cancelled, Failed, Finished, Interim
from jokejudge_gui.core.verdicts import Status
from jokejudge_gui.engine.base import CancelToken
from jokejudge_gui.history.query import HistoryQuery
from jokejudge_gui.judge.versions import OTHER_MODEL, WORKSHOP, MadeBy, WorkshopRequest, WorkshopResult
from jokejudge_gui.session.session import Session
from tests.known_calibration import MakeSession

FIRST = "I bought some really nice shoes from a drug dealer. I was tripping all day. Get it?"
SECOND = "I bought shoes from a drug dealer. I was tripping all day. Get it?"
THIRD = "I bought shoes from a drug dealer. I was tripping all day."


@pytest.fixture
def session(make_session: MakeSession) -> Session:
    return make_session()


def worked(session: Session, request: WorkshopRequest) -> WorkshopResult:
    last = list(session.run(WORKSHOP, request))[-1]
    assert isinstance(last, Finished), last
    assert isinstance(last.result, WorkshopResult)
    return last.result


def test_each_version_is_rated_and_set_beside_the_one_before_the_first_and_the_best(session: Session) -> None:
    found = worked(session, WorkshopRequest.of(FIRST, SECOND, THIRD))
    one, two, three = found.versions
    assert (one.parent, two.parent, three.parent) == (None, "1", "2")
    assert one.since_first is one.since_best is None
    assert two.since_parent is not None
    assert (two.since_parent.against, two.since_first, two.since_best) == ("1", None, None)
    assert three.since_parent is not None
    assert three.since_first is not None
    assert (three.since_parent.against, three.since_first.against) == ("2", "1")
    assert found.best in {"1", "2", "3"}
    kinds = [row.kind for row in session.store.search(HistoryQuery(parent=found.id))]
    assert (kinds.count("rate"), kinds.count("duel")) == (3, 3)


def test_a_joke_and_all_its_versions_are_one_row_that_goes_on(session: Session) -> None:
    first = worked(session, WorkshopRequest.of(FIRST))
    before = session.store.search(HistoryQuery(parent=first.id))
    second = worked(session, WorkshopRequest.going_on(first, [SECOND]))
    branch = worked(session, WorkshopRequest.going_on(second, [THIRD], parent="1"))
    assert first.id == second.id == branch.id
    assert [version.text for version in branch.versions] == [FIRST, SECOND, THIRD]
    assert [version.parent for version in branch.versions] == [None, "1", "1"]
    assert branch.versions[0] == first.versions[0]  # read once, and never overwritten
    rows = session.store.search(HistoryQuery())
    assert [(row.id, row.status, row.texts) for row in rows] == [(first.id, Status.FINISHED, (FIRST, SECOND, THIRD))]
    assert len(session.store.search(HistoryQuery(parent=first.id))) == len(before) + 2 * 2
    assert session.store.get(first.id).result == branch
    for words in ("really nice", "Get it", "tripping"):
        assert [row.id for row in session.store.search(HistoryQuery(text=words))] == [first.id]


def test_a_stopped_workshop_keeps_what_it_knows_and_goes_on(session: Session) -> None:
    token = CancelToken()
    events = []
    for event in session.run(WORKSHOP, WorkshopRequest.of(FIRST, SECOND, THIRD), cancel=token):
        events.append(event)
        if isinstance(event, Interim):
            token.cancel()
    last = events[-1]
    assert isinstance(last, Cancelled)
    assert isinstance(last.result, WorkshopResult)
    assert [version.rating is not None for version in last.result.versions] == [True, False, False]
    kept = session.store.get(last.result.id).result
    assert isinstance(kept, WorkshopResult)
    whole = worked(session, WorkshopRequest.going_on(kept))
    assert whole.versions[0] == kept.versions[0]
    assert all(version.rating is not None for version in whole.versions)


def test_versions_read_by_another_model_are_read_again_and_it_is_said(session: Session) -> None:
    first = worked(session, WorkshopRequest.of(FIRST))
    other = first.replaced(made_by=MadeBy(model="another"))
    found = worked(session, WorkshopRequest.going_on(other, [SECOND]))
    assert OTHER_MODEL in found.warnings
    assert found.versions[0].rating != first.versions[0].rating


@pytest.mark.parametrize(
    ("added", "parent", "code"),
    [([FIRST], None, "E_WORKSHOP_SAME"), ([SECOND], "7", "E_WORKSHOP_PARENT"), (["  "], None, "E_INPUT_EMPTY")],
)
def test_what_is_no_new_version_is_refused_in_a_sentence(
    session: Session, added: list[str], parent: str | None, code: str
) -> None:
    first = worked(session, WorkshopRequest.of(FIRST))
    with pytest.raises(InputError) as refused:
        WorkshopRequest.going_on(first, added, parent=parent)
    assert refused.value.code == code


def test_no_joke_and_too_many_versions_are_refused(session: Session) -> None:
    last = list(session.run(WORKSHOP, WorkshopRequest()))[-1]
    assert isinstance(last, Failed)
    assert last.error.code == "E_WORKSHOP_EMPTY"
    with pytest.raises(InputError, match="at most 200"):
        WorkshopRequest.of(*(f"Version {number}." for number in range(201)))


def test_a_version_that_is_no_text_to_read_has_an_error_of_its_own(session: Session) -> None:
    found = worked(session, WorkshopRequest.of(FIRST, "word " * 3500))
    assert found.versions[0].rating
    assert found.versions[1].error is not None
    assert found.best == "1"


def test_a_row_that_was_deleted_meanwhile_is_not_written(session: Session) -> None:
    first = worked(session, WorkshopRequest.of(FIRST))
    session.store.delete([first.id])
    last = list(session.run(WORKSHOP, WorkshopRequest.going_on(first, [SECOND])))[-1]
    assert isinstance(last, Failed)
    assert last.error.code == "E_HISTORY_NOT_FOUND"
    assert session.store.undo_delete() == 1
    kept = session.store.get(first.id)
    assert (kept.row.texts, kept.result) == ((FIRST,), first)
