"""A duel over the fake engine: exactly symmetric, honest about disagreement, and never more sure than it may be."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jokejudge_gui.core.events import Interim, Stage, StageStarted
from jokejudge_gui.history.query import HistoryQuery
from jokejudge_gui.judge.asking.calibration import DuelCalibration
from jokejudge_gui.judge.asking.explanation import TOO_CLOSE
from jokejudge_gui.judge.duel.confidence_scorer import ConfidenceScorer, Weights, band_of
from jokejudge_gui.judge.duel.record import DuelResult
from jokejudge_gui.session.session import Session
from tests.ends import finished
from tests.known_calibration import MakeSession

A, B = "Parallel lines have so much in common.", "I’m reading a book on anti-gravity."
KNOWN = DuelCalibration(mean_bias=0.3, sd_pair=0.7, sd_alone=0.9, gamma=0.4, length_sd=30.0)


def duel(session: Session, a: str, b: str, **options: object) -> DuelResult:
    return finished(session.duel(a, b, **options))  # type: ignore[arg-type]


@pytest.mark.parametrize(("a", "b"), [(A, B), ("x y", "x z"), ("Ä", "a"), ("long " * 50, "short"), ("😀 ha", "ha 😀")])
def test_swapped_jokes_give_an_exact_mirror_image(make_session: MakeSession, a: str, b: str) -> None:
    session = make_session()
    one, two = duel(session, a, b), duel(session, b, a)
    mirror = {"A": "B", "B": "A", "tie": "tie"}
    assert two.winner == mirror[one.winner or ""]
    assert two.p_a == 1.0 - one.p_a
    for field in ("confidence_factor", "measured_factor", "band", "consistent", "position_bias", "explanation"):
        assert getattr(one, field) == getattr(two, field), field
    assert two.length_controlled.p_a == 1.0 - one.length_controlled.p_a
    swapped = {(mirror[order.first], 1.0 - order.p_a) for order in two.orders}
    assert {(order.first, order.p_a) for order in one.orders} == swapped
    assert {(order.first, order.log_odds_a) for order in one.orders} == {
        (mirror[order.first], -order.log_odds_a) for order in two.orders
    }


def test_a_joke_against_itself_is_a_tie_of_exactly_one(make_session: MakeSession) -> None:
    result = duel(make_session(), A, f"  {A}\r\n")
    assert result.winner == "tie"
    assert result.p_a == 0.5
    assert result.confidence_factor == 1.0
    assert result.band == "nearly identical"
    assert result.explanation == "The two texts are the same, so neither is funnier."


def test_a_model_that_always_prefers_the_first_place_is_found_out_and_capped(make_session: MakeSession) -> None:
    def first(_prompt: str, question: str, label: str) -> float:
        return 8.0 if "Funnier" in question and label == "1" else 0.0

    result = duel(make_session(first), A, B)
    assert result.consistent is False
    assert result.position_bias > 0.45
    assert result.confidence_factor <= 2.0


@pytest.fixture
def close(make_session: MakeSession, monkeypatch: pytest.MonkeyPatch) -> Callable[[list[str]], Session]:
    """A session over a model so noisy that no difference counts; what is asked of its engine goes into a list."""
    noisy = partial(ConfidenceScorer, noise=9.0)
    monkeypatch.setattr("jokejudge_gui.judge.duel.duel_judge.ConfidenceScorer", noisy)
    return lambda methods: make_session(gate=methods.append)


def test_no_reasons_are_written_where_the_answer_is_too_close_to_call(close: Callable[[list[str]], Session]) -> None:
    methods: list[str] = []
    session = close(methods)
    events = list(session.duel(A, B))
    last = finished(events)
    assert last.within_noise
    assert last.winner == "tie"
    assert last.explanation == TOO_CLOSE
    assert "generate" not in methods
    assert Stage.EXPLANATION not in {event.stage for event in events if isinstance(event, StageStarted)}
    # The window needn't wait for words that don't come, and the history keeps the sentence.
    measured = [event.result for event in events if isinstance(event, Interim)]
    assert [result.explanation for result in measured] == [TOO_CLOSE]
    stored = session.store.get(last.id)
    assert stored.result == last
    assert [row.id for row in session.store.search(HistoryQuery(text="too close to call"))] == [last.id]


odds = st.floats(min_value=-30, max_value=30)


@given(odds, odds, odds, st.none() | odds, st.booleans(), st.none() | st.floats(min_value=-2000, max_value=2000))
def test_scoring_is_antisymmetric_for_any_measurements(
    first: float, second: float, alone: float, head: float | None, consistent: bool, length: float | None
) -> None:
    scorer = ConfidenceScorer(KNOWN, Weights(pair=0.3, alone=0.5, audience=0.2))
    one = scorer.score(first, second, alone, head, consistent=consistent, length_difference=length)
    two = scorer.score(
        -second,
        -first,
        -alone,
        None if head is None else -head,
        consistent=consistent,
        length_difference=None if length is None else -length,
    )
    assert one["confidence_factor"] == two["confidence_factor"] >= 1.0
    assert one["p_a"] == 1.0 - two["p_a"]
    assert one["log_odds"] == -two["log_odds"]
    assert one["confidence_factor"] <= 2.0 or consistent or head is not None
    assert one["measured_factor"] >= one["confidence_factor"] * (1 - 1e-12)


def test_disagreeing_orders_cap_their_own_part_and_not_the_audience() -> None:
    scorer = ConfidenceScorer(KNOWN, Weights(pair=5.0, alone=0.0, audience=1.0))
    result = scorer.score(9.0, -8.0, 0.0, 3.0, consistent=False)
    assert 3.0 < result["log_odds"] <= math.log(2.0) + 3.0


@pytest.mark.parametrize(
    ("factor", "band"),
    [
        (1.0, "nearly identical"),
        (1.0999, "nearly identical"),
        (1.1, "slight"),
        (2.0, "clear"),
        (4.99, "clear"),
        (5.0, "strong"),
        (10.0, "overwhelming"),
        (1e9, "overwhelming"),
    ],
)
def test_bands_begin_at_their_limits(factor: float, band: str) -> None:
    assert band_of(factor) == band
