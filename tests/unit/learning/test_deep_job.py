"""Measuring Deep beside Quick: the real judges over the fake engine."""

from __future__ import annotations

from typing import NoReturn

import numpy as np
import pytest
from pydantic import TypeAdapter

from jokejudge_gui.core.events import Cancelled, Event, Failed, Finished, StageProgress
from jokejudge_gui.core.verdicts import Asked
from jokejudge_gui.engine.base import CancelToken
from jokejudge_gui.judge.plan.deep_worth import DeepWorth, duels_line, verdict_line
from jokejudge_gui.learning.deep_job import (
    RATED,
    DeepMeasured,
    compare_scores,
    compare_shares,
    held_out,
    rate_both,
    table,
)
from jokejudge_gui.learning.jobs import ResultCache
from jokejudge_gui.measure.deep import deep_worth_of
from jokejudge_gui.session.session import Session
from tests.known_calibration import MakeSession
from tests.rating_helpers import JOKE, pun, rate, result_of

LEAST = 20


def measured(session: Session, ask: Asked = "plan") -> DeepWorth:
    events = list(deep_worth_of(session, ask=ask, texts=LEAST))
    assert isinstance(events[-1], Finished), events[-1]
    (found,) = [event.found for event in events if isinstance(event, DeepMeasured)]
    return found


def without_seconds(found: DeepWorth) -> object:
    def plain(value: object) -> object:
        if isinstance(value, dict):
            return {key: plain(each) for key, each in value.items() if key != "seconds"}
        return [plain(each) for each in value] if isinstance(value, list) else value

    return plain(found.model_dump(mode="json"))


def test_ratings_and_duels_are_measured_and_deep_verdicts_say_it(make_session: MakeSession) -> None:
    session = make_session(pun)
    found = measured(session)
    (ratings,) = found.ratings
    assert (ratings.ask, ratings.texts) == ("plan", LEAST)
    assert ratings.branches > 0
    assert ratings.costs.deep.tokens > ratings.costs.quick.tokens > 0
    assert ratings.factors is not None
    assert ratings.counted > 0
    assert found.duels is not None
    assert found.duels.right.n == LEAST
    deep = result_of(rate(session, JOKE, mode="deep"))
    assert verdict_line(found, "plan") in deep.warnings
    assert verdict_line(found, "plan") not in result_of(rate(session, JOKE)).warnings
    *_, last = session.duel(JOKE, "A duck walks into a bar and orders nothing at all.", mode="deep")
    assert isinstance(last, Finished)
    assert last.result is not None
    assert duels_line(found.duels) in last.result.warnings


def test_with_everything_asked_ratings_alone_are_measured_and_the_rest_is_kept(make_session: MakeSession) -> None:
    session = make_session(pun)
    first = measured(session)
    found = measured(session, "all")
    assert [each.ask for each in found.ratings] == ["plan", "all"]
    assert (found.ratings[0], found.duels) == (first.ratings[0], first.duels)


def test_a_stopped_measurement_goes_on_where_it_was_and_comes_to_the_same(make_session: MakeSession) -> None:
    at_once: list[str] = []
    whole = measured(make_session(pun, gate=at_once.append))
    calls: list[str] = []
    session = make_session(pun, gate=calls.append)
    token, seen = CancelToken(), 0
    last: Event | None = None
    for event in deep_worth_of(session, texts=LEAST, cancel=token):
        seen += isinstance(event, StageProgress) and event.note.startswith("rating")
        if seen == 12:
            token.cancel()
        last = event
    assert isinstance(last, Cancelled)
    assert without_seconds(measured(session)) == without_seconds(whole)
    assert len(calls) < 1.2 * len(at_once)  # the prompts are read once more, and no text is
    assert not list(session.profile.texts_read.glob("*-deep.jsonl"))


def not_asked() -> NoReturn:
    raise AssertionError("it is kept")


def test_what_was_kept_under_other_questions_isnt_used(make_session: MakeSession) -> None:
    session = make_session(pun)
    list(session.load())
    judge = session.judge
    assert judge is not None
    path = session.profile.texts_read / "x-deep.jsonl"
    kept = ResultCache(path, "one")
    row = kept.get("plan a", RATED, lambda: rate_both(judge, JOKE, "plan"))
    scores = TypeAdapter(dict[str, float])
    kept.get("scores", scores, lambda: {"a": 0.5})
    with path.open("ab") as stream:
        stream.write(b'{"of": "plan b", "fou')  # cut off
    again = ResultCache(path, "one")
    assert (again.get("plan a", RATED, not_asked), again.get("scores", scores, not_asked)) == (row, {"a": 0.5})
    again.get("plan c", RATED, lambda: row)
    assert ResultCache(path, "one").names == {"plan a", "scores", "plan c"}
    assert not ResultCache(path, "two").names
    path.unlink()  # by another run, which finished first
    again.get("plan d", RATED, lambda: row)
    assert ResultCache(path, "one").names == {"plan d"}


@pytest.mark.parametrize("texts", [0, 5, 100_000])
def test_a_number_of_texts_that_tells_nothing_is_refused_in_a_sentence(make_session: MakeSession, texts: int) -> None:
    *_, last = deep_worth_of(make_session(pun), texts=texts)
    assert isinstance(last, Failed)
    assert last.error.code == "E_TEXTS"
    assert "--limit" in last.error.hint


def test_deep_begins_with_what_quick_found(make_session: MakeSession) -> None:
    session = make_session(pun)
    quick = result_of(rate(session, JOKE, explain=False))
    judge = session.judge
    assert judge is not None
    both = rate_both(judge, JOKE, "plan")
    assert both.quick.factors == {f.id: f.expected for f in quick.factors if f.expected is not None}
    assert both.branches > 0
    assert both.moved
    assert both.deep.seconds >= both.quick.seconds


def test_the_judge_reads_as_before_after_heads_were_held_out(make_session: MakeSession) -> None:
    session = make_session(pun)
    list(session.load())
    judge = session.judge
    assert judge is not None
    before = judge.reader
    with held_out(judge, {JOKE: 1.5, "Another joke.": 0.25}):
        reader = judge.reader
        a, b = reader.read(JOKE), reader.read("Another joke.")
        assert reader.difference(a, b) == 1.25
        assert reader.difference(b, a) == -1.25
    assert judge.reader is before


def test_scores_are_compared_over_the_texts_that_both_have() -> None:
    random = np.random.default_rng(3)
    known = random.normal(size=(60, 3))
    noise = random.normal(size=(60, 3))
    quick, deep = 0.3 * known + noise, known + 0.3 * noise
    quick[:55, 2] = np.nan
    found, counted = compare_scores(quick, deep, known)
    assert counted == 2
    assert found is not None
    assert found.deep > found.quick
    assert found.low > 0
    same, _ = compare_scores(quick, quick, known)
    assert same is not None
    assert (same.difference, same.low, same.high) == (0.0, 0.0, 0.0)
    assert compare_scores(quick[:5], deep[:5], known[:5]) == (None, 0)
    assert np.isnan(table([{"a": 1.0}], ["a", "b"])[0, 1])


def test_shares_are_compared_row_by_row() -> None:
    found = compare_shares(np.array([1.0, 0.0] * 20), np.array([1.0, 0.5] * 20))
    assert found is not None
    assert (found.quick, found.deep, found.n) == (0.5, 0.75, 40)
    assert 0 < found.low < found.high < 0.5
    assert compare_shares(np.zeros(0), np.zeros(0)) is None
