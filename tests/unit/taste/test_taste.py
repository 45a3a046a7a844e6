"""The user's own taste: what the fit finds in votes, when it is kept, and that swapping the jokes swaps it."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest

from jokejudge_gui.core.verdict_kinds import VoteScore
from jokejudge_gui.core.verdicts import VerdictResult
from jokejudge_gui.judge.duel.kind import DUEL
from jokejudge_gui.judge.duel.record import DuelResult
from jokejudge_gui.judge.rating.kind import RATING
from jokejudge_gui.judge.rating.record import RatingResult
from jokejudge_gui.learning.taste import FEWEST, NEWEST, PRIOR, TasteVote, fit
from jokejudge_gui.learning.words import about


def user(
    number: int, g: float, *, seed: int = 1, thumbs: float = 0.0, habit: float = 0.0, blind: float = 0.0
) -> list[TasteVote]:
    """Votes of someone who shares the judge's opinion by ``g``; a share ``thumbs`` of them on ratings."""
    dice = random.Random(seed)
    answers = []
    for place in range(number):
        z = dice.gauss(0.0, 1.0)
        thumb = dice.random() < thumbs
        positive = dice.random() < 1 / (1 + math.exp(-(g * z + (habit if thumb else 0.0))))
        question = (str(place),) if thumb else (str(place), "other")
        seen_before = dice.random() >= blind
        value = 2.5 + 0.3 * z if thumb else 0.4 * z
        answers.append(TasteVote(MEAN if thumb else ODDS, value, positive, question, not seen_before, not thumb))
    return answers


def duel(factor: float, winner: str = "A", **changes: Any) -> DuelResult:
    sure = factor / (1 + factor)
    values: dict[str, Any] = {"id": "d", "text_a": "One.", "text_b": "Two.", "winner": winner}
    values["p_a"] = {"A": sure, "B": 1 - sure}.get(winner, 0.5)
    return DuelResult.model_validate(values | {"confidence_factor": factor} | changes)


def rating(mean: float) -> RatingResult:
    return RatingResult(id="r", text="One.", mean_score=mean)


def standing_of(result: VerdictResult) -> VoteScore | None:
    return DUEL.vote_score(result) if isinstance(result, DuelResult) else RATING.vote_score(result)


ODDS, MEAN = (found.scale for found in map(standing_of, (duel(2.0), rating(2.0))) if found is not None)


def duelled(value: float, positive: bool, question: tuple[str, ...], blind: bool = False) -> TasteVote:
    return TasteVote(ODDS, value, positive, question, blind, centred=True)


def kept_share(g: float, number: int, **options: float) -> float:
    fits = [fit(user(number, g, seed=seed, **options)) for seed in range(30)]  # type: ignore[arg-type]
    return sum(taste.kept for taste in fits) / len(fits)


def test_too_few_votes_are_counted_and_nothing_more() -> None:
    taste = fit(user(FEWEST - 1, 2.0, thumbs=0.5))
    assert (taste.votes, taste.duels + taste.thumbs) == (FEWEST - 1, FEWEST - 1)
    assert not taste.fitted
    assert not taste.kept
    assert taste.estimate(standing_of(duel(3.0))) is None
    assert fit([]).agreement.share is None


@pytest.mark.parametrize("thumbs", [0.0, 0.5, 1.0])
def test_a_user_like_the_prior_gets_about_the_prior(thumbs: float) -> None:
    taste = fit(user(100, PRIOR, seed=3, thumbs=thumbs))
    assert taste.g == pytest.approx(PRIOR, abs=0.2)
    assert (taste.g_low or math.nan) < PRIOR < (taste.g_high or math.nan)


@pytest.mark.parametrize("thumbs", [0.0, 1.0])
def test_agreeing_raises_g_and_disagreeing_turns_it_with_more_votes_further(thumbs: float) -> None:
    few, many, few_against, many_against = (
        fit(user(number, g, thumbs=thumbs)).g or math.nan for g in (3.0, -3.0) for number in (20, 200)
    )
    assert PRIOR < few < many
    assert many_against < few_against < PRIOR
    assert many_against < 0


def test_votes_by_the_toss_of_a_coin_are_hardly_ever_kept_and_a_shared_taste_nearly_always() -> None:
    assert kept_share(0.0, 60) <= 0.1
    assert kept_share(0.0, 60, thumbs=1.0, habit=1.5) <= 0.1
    assert kept_share(1.5, 60) >= 0.9
    assert kept_share(1.5, 60, thumbs=0.5) >= 0.9


def test_a_user_who_likes_everything_shows_no_taste() -> None:
    answers = [TasteVote(MEAN, 2.0 + 0.1 * (place % 7), True, (str(place),)) for place in range(40)]
    taste = fit(answers)
    assert taste.habit > 1
    assert taste.coin_loss < 0.3
    assert not taste.kept


def test_swapped_jokes_give_the_same_taste_and_the_opposite_answer_to_the_last_bit() -> None:
    answers = user(60, 2.0, thumbs=0.4)
    swapped = [a._replace(value=-a.value, positive=not a.positive) if a.centred else a for a in answers]
    taste = fit(answers)
    assert taste == fit(swapped) == fit(list(answers))
    assert taste.kept
    one, other = taste.estimate(standing_of(duel(1.7, "A"))), taste.estimate(standing_of(duel(1.7, "B")))
    assert one is not None
    assert one == (-other[0], -other[2], -other[1])
    assert taste.estimate(standing_of(duel(1.0, "tie"))) == (0.0, 0.0, 0.0)


def test_an_estimate_follows_the_judge_and_says_how_sure_it_is() -> None:
    taste = fit(user(80, 2.0, thumbs=0.5, habit=1.0))
    low, high = taste.estimate(standing_of(rating(2.1))), taste.estimate(standing_of(rating(2.9)))
    assert low < high
    assert all(below < middle < above for middle, below, above in (low, high))
    assert taste.estimate(standing_of(RatingResult(id="r", text="Unscored."))) is None
    assert about(standing_of(duel(1.7, "B")), taste) != about(standing_of(duel(1.7, "A")), taste)


def test_agreement_leaves_ties_out_and_counts_blind_votes_by_themselves() -> None:
    answers = [
        duelled(0.5, True, ("1",), True),
        duelled(-0.5, True, ("2",), True),
        duelled(0.5, True, ("3",)),
        duelled(0.0, True, ("4",)),
        TasteVote(MEAN, 3.0, True, ("5",), True),
    ]
    taste = fit(answers)
    assert (taste.agreement.right, taste.agreement.n) == (2, 3)
    assert (taste.blind_agreement.right, taste.blind_agreement.n) == (1, 2)
    assert (taste.blind, taste.duels, taste.thumbs) == (3, 4, 1)


def test_only_the_newest_votes_count() -> None:
    old, new = user(NEWEST, 3.0), user(NEWEST, -3.0, seed=2)
    assert fit(old + new) == fit(new)
