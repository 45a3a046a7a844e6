"""A joke in versions, over the fake engine."""

from __future__ import annotations

import pytest

from jokejudge_gui.core.errors import InputError
from jokejudge_gui.core.events import Cancelled, Interim
from jokejudge_gui.core.verdicts import Status
from jokejudge_gui.engine.base import CancelToken
from jokejudge_gui.history.query import HistoryQuery
from jokejudge_gui.judge.duel.record import Pair
from jokejudge_gui.judge.versions import (
    WORKSHOP,
    Version,
    WorkshopRequest,
    WorkshopResult,
    chance_words,
)
from jokejudge_gui.session.session import Session
from tests.ends import finished

FIRST = "I bought some really nice shoes from a drug dealer. I was tripping all day. Get it?"
SECOND = "I bought shoes from a drug dealer. I was tripping all day. Get it?"
THIRD = "I bought shoes from a drug dealer. I was tripping all day."


def worked(session: Session, request: WorkshopRequest) -> WorkshopResult:
    return finished(session.run(WORKSHOP, request))


def test_each_version_is_read_once_and_all_pairs_give_one_order(session: Session) -> None:
    found = worked(session, WorkshopRequest.of(FIRST, SECOND, THIRD))
    assert [version.parent for version in found.versions] == [None, "1", "2"]
    assert [(pair.a, pair.b) for pair in found.pairs] == [("1", "2"), ("1", "3"), ("2", "3")]
    kinds = [row.kind for row in session.store.search(HistoryQuery(parent=found.id))]
    assert (kinds.count("rate"), kinds.count("duel")) == (3, 3)
    assert sorted(one.id for one in found.order) == ["1", "2", "3"]
    assert (found.order[0].place, found.order[0].p_best, found.order[-1].p_next) == (1, None, None)


def test_versions_of_another_joke_add_nothing(session: Session) -> None:
    other = worked(session, WorkshopRequest.of("A gossip is someone with a sense of rumor.", "A gossip has rumor."))
    found = worked(session, WorkshopRequest.of(FIRST, SECOND, known=other))
    assert sorted(one.id for one in found.order) == ["1", "2"]


def in_order(*chances: float) -> WorkshopResult:
    """Versions 1, 2 and 3 with the chances of 1 against 2, of 1 against 3, and of 2 against 3."""
    names = (("1", "2"), ("1", "3"), ("2", "3"))
    return WorkshopResult(
        id="x",
        versions=tuple(Version(id=id, text=f"Version {id}.", rating=id) for id in "123"),
        pairs=tuple(Pair(a=a, b=b, p_a=p, verdict="d") for (a, b), p in zip(names, chances, strict=True)),
    )


def test_the_order_has_the_chance_between_neighbours_and_names_the_best() -> None:
    found = in_order(0.3, 0.1, 0.2)
    assert [(one.id, one.place) for one in found.order] == [("3", 1), ("2", 2), ("1", 3)]
    assert [one.p_next for one in found.order] == pytest.approx([0.8, 0.7, None])
    assert [one.p_best for one in found.order] == pytest.approx([None, 0.2, 0.1])
    shown = WORKSHOP.words(found)
    assert shown.headline == "3 versions; version 3 is the best"
    assert [chance_words(found, id) for id in "1234"] == [
        "1 in 10 to be better", "2 in 10 to be better", "best so far", ""
    ]  # fmt: skip
    assert shown.rows[0].text == "3 (80 in 100), then 2 (70 in 100), then 1."
    assert [row.rows[0].text for row in shown.rows[1:]] == [f"{chance_words(found, id)}." for id in "123"]


def test_versions_that_are_too_close_share_a_place_and_none_is_called_the_best() -> None:
    found = in_order(0.55, 0.9, 0.85)
    assert [(one.id, one.place) for one in found.order] == [("1", 1), ("2", 1), ("3", 3)]
    shown = WORKSHOP.words(found)
    assert shown.headline == "3 versions; 1 and 2 are too close to call"
    assert [chance_words(found, id) for id in "123"] == ["among the best", "among the best", "1 in 10 to be better"]
    assert shown.rows[0].text == "1 and 2 (too close), then 3."
    fields = WORKSHOP.contract(found)
    assert (fields["best"], fields["versions"][2]["since_first"]) == (None, {"against": "1", "p_better": 1 - 0.9})


def test_a_circle_is_a_tie() -> None:
    shown = WORKSHOP.words(in_order(0.62, 0.29, 0.65))
    assert shown.headline == "3 versions; 1, 2 and 3 are too close to call"
    assert "in 100" not in shown.rows[0].text
    assert [row.rows[0].text for row in shown.rows[1:]] == ["among the best."] * 3


def test_words_that_others_stand_for_are_changed_and_not_left_out() -> None:
    first = Version(id="1", text="I don't trust stairs. They're always up to something.")
    second = Version(id="2", text="I do not trust stairs. They're up to something.", parent="1")
    row = WORKSHOP.words(WorkshopResult(id="x", versions=(first, second))).rows[-1]
    assert [(of.name, of.text) for of in row.rows] == [("Changed", "“don't” to “do not”"), ("Left out", "“always”")]


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
    assert len(session.store.search(HistoryQuery(parent=first.id))) == len(before) + 2 + 3  # ratings, and duels
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
    assert [version.rating is not None for version in last.result.versions] == [True, False, False]
    kept = session.store.get(last.result.id).result
    assert isinstance(kept, WorkshopResult)
    whole = worked(session, WorkshopRequest.going_on(kept))
    assert whole.versions[0] == kept.versions[0]
    assert all(version.rating is not None for version in whole.versions)


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
