"""Votes laid out for fitting: how much evidence pairs are, what is held out from what, and honest odds."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jokejudge_gui.core.vote_sets import PairVote, Rated, VoteSet
from jokejudge_gui.learning.audience_fit import (
    FOLDS,
    Pairs,
    gather,
    key,
    normal_equations,
    slope_of,
)
from tests.wit_engine import pair_votes, ratings, texts


def pairs(rows: list[tuple[int, int]], weight: float = 1.0) -> Pairs:
    first, second = np.array(rows, dtype=np.int64).reshape(-1, 2).T
    return Pairs(first, second, *[np.full(len(rows), weight)] * 3)


def test_pairs_count_as_many_rows_as_they_are_evidence() -> None:
    assert pairs([(2 * i, 2 * i + 1) for i in range(40)]).rows == pytest.approx(40)
    assert pairs(list(itertools.combinations(range(30), 2))).rows == pytest.approx(15)
    assert pairs([(0, i) for i in range(1, 100)]).rows < 2.01


def test_no_measured_pair_has_a_text_of_another_fold_and_the_funnier_is_first() -> None:
    ballot = gather([VoteSet("rated", ratings=ratings(100)), VoteSet("pairs", pairs=pair_votes(60))])
    found = ballot.held_out()
    assert (ballot.fold[found.first] == ballot.fold[found.second]).all()
    rating = {key(rated.text): rated.value for rated in ratings(100)}
    voted = {(key(vote.winner), key(vote.loser)) for vote in pair_votes(60)}
    names = [(key(ballot.texts[a]), key(ballot.texts[b])) for a, b in zip(found.first, found.second, strict=True)]
    assert all(both in voted or rating[both[0]] > rating[both[1]] for both in names)
    assert voted <= set(names), "pairs that share no text are all measured on"
    assert set(ballot.fold.tolist()) == set(range(FOLDS))


def test_folds_depend_on_the_texts_alone() -> None:
    ahead = gather([VoteSet("rated", ratings=ratings(100))])
    back = gather([VoteSet("rated", ratings=ratings(100)[::-1])])
    fold = dict(zip(ahead.texts, ahead.fold.tolist(), strict=True))
    assert fold == dict(zip(back.texts, back.fold.tolist(), strict=True))


def test_texts_that_all_hang_together_are_dealt_one_by_one() -> None:
    every = texts(60)
    chain = VoteSet("chain", pairs=tuple(itertools.starmap(PairVote, itertools.combinations(every, 2))))
    ballot = gather([chain])
    assert np.bincount(ballot.fold).tolist() == [12] * FOLDS
    assert len(ballot.held_out().first) == FOLDS * math.comb(12, 2)


@pytest.mark.parametrize("text", ["", "   ", "…?!", "a\0b", "x" * 30_000, "\ud800"])
def test_texts_that_cannot_be_judged_have_no_vote(text: str) -> None:
    votes = VoteSet("odd", pairs=(PairVote(text, "a real joke"),), ratings=(Rated(text, 3.0),))
    assert gather([votes]).texts == ()


@given(st.lists(st.floats(-3, 3), min_size=12, max_size=12))
def test_equations_say_what_the_errors_are(scores: list[float]) -> None:
    votes = [
        VoteSet("rated", ratings=ratings(6)),
        VoteSet("pairs", pairs=tuple(PairVote(a, b, 0.5) for a, b in itertools.pairwise(texts(12)[6:]))),
    ]
    ballot = gather(votes)
    inside = np.arange(12)
    left, right = normal_equations(ballot, inside)
    f = np.array(scores)
    first, second, gap, counts, _ = ballot.pairs
    errors = float(counts @ (f[first] - f[second] - gap) ** 2)
    constant = float(counts @ gap**2)
    assert f @ left @ f - 2 * right @ f + constant == pytest.approx(errors, abs=1e-6)


def test_odds_are_honest_where_there_is_much_evidence_and_small_where_there_is_little() -> None:
    random = np.random.default_rng(1)
    x = random.normal(size=4000)
    x = np.where(random.random(4000) < 1 / (1 + np.exp(-x)), x, -x)
    slope, loss = slope_of(x, pairs([(2 * i, 2 * i + 1) for i in range(4000)]))
    assert slope == pytest.approx(1.0, abs=0.1)
    assert loss < math.log(2)
    slope, _ = slope_of(np.ones(4), pairs([(2 * i, 2 * i + 1) for i in range(4)]))
    assert 0 < slope < math.log(3)
