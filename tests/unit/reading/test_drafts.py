"""Two drafts of one joke: recognised, compared, and the same whichever stands first."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from jokejudge_gui.core import paths
from jokejudge_gui.engine.base import Scan
from jokejudge_gui.heads.drafts import DraftHeads, DraftReading, reading
from jokejudge_gui.heads.near_duplicates import same_joke
from jokejudge_gui.learning.drafts_fit import load_drafts
from jokejudge_gui.library.embedded import EMBEDDED_SHA256

SIZE = 576
DRAFTS = paths.models_dir() / "drafts"
JOKES = load_drafts(DRAFTS / "drafts.jsonl")
BEST = "My umbrella and I have an understanding: it stays at home, and I get wet."
VERSIONS = [
    BEST,
    "My umbrella and I have an understanding: it stays at home, and I get wet, as umbrellas are easily lost.",
    "I get wet. My umbrella and I have an understanding: it stays at home.",
    "My umbrella and I have a sort of understanding: it stays somewhere, and I get wet.",
]


def invented(text: str) -> DraftReading:
    """States and log-probabilities that depend on the text alone, as a model's do, with no sense in them."""
    spans = tuple((place, min(place + 4, len(text))) for place in range(0, len(text), 4))
    chance = np.random.default_rng(list(text.encode()))
    states = chance.normal(size=(len(spans), SIZE)).astype(np.float32)
    return reading(text, Scan(states, -chance.exponential(4.0, len(spans)).astype(np.float32), spans))


@pytest.fixture(scope="module")
def heads() -> DraftHeads:
    found = DraftHeads.find(EMBEDDED_SHA256, DRAFTS)
    assert found is not None
    return found


def test_edits_of_a_joke_are_drafts_of_it() -> None:
    edits = [(joke.best, text) for joke in JOKES for text, _ in joke.worse]
    assert np.mean([same_joke(*pair) for pair in edits]) >= 0.99


def test_different_jokes_are_no_drafts_of_each_other() -> None:
    others = [(first.best, second.best) for first, second in itertools.combinations(JOKES[:120], 2)]
    assert np.mean([same_joke(*pair) for pair in others]) < 0.001


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (
            "How many poets does it take to change a light bulb? One, and it's worse.",
            "How many cats does it take to change a light bulb? It takes a nap.",
        ),
        ("A duck walks into a bar.", "A horse walks into a bar."),
        ("Knock knock. Who's there? Lettuce.", "Knock knock. Who's there? Olive."),
        ("Old bakers never die, they just go stale.", "Old sailors never die, they just drift away."),
    ],
)
def test_a_stock_form_that_two_jokes_share_makes_them_no_drafts(a: str, b: str) -> None:
    assert not same_joke(a, b)


def test_exchanged_drafts_get_exactly_the_opposite_verdict(heads: DraftHeads) -> None:
    for a, b in itertools.combinations([*VERSIONS, "?", "A", "!" * 300], 2):
        there, back = heads.compare(invented(a), invented(b)), heads.compare(invented(b), invented(a))
        assert there.p_a == 1.0 - back.p_a
        assert back.p_a == 1.0 - there.p_a
        assert there.log_odds_a == -back.log_odds_a
        assert there.controlled_a == -back.controlled_a
        assert (there.faults, there.fault, there.agreement) == (back.faults, back.fault, back.agreement)
        assert sum(there.faults.values()) == pytest.approx(1.0)


def test_a_draft_beside_itself_is_even_and_has_no_fault(heads: DraftHeads) -> None:
    found = heads.compare(invented(BEST), invented(BEST))
    assert (found.p_a, found.log_odds_a, found.controlled_a, found.fault) == (0.5, 0.0, 0.0, None)
