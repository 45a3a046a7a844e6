"""The user's own taste: what the fit finds in votes, when it is kept, and that swapping the jokes swaps it."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from typing import Any

import pytest

from jokejudge_gui.core.verdict_kinds import VoteScore
from jokejudge_gui.core.verdicts import Audience, VerdictResult
from jokejudge_gui.judge.duel.kind import DUEL
from jokejudge_gui.judge.duel.record import DuelResult, ProbabilityA
from jokejudge_gui.judge.rating.kind import RATING
from jokejudge_gui.judge.rating.record import RatingResult
from jokejudge_gui.learning.taste import FEWEST, NEWEST, PRIOR, Taste, TasteVote, fit


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
    values: dict[str, Any] = {"id": "d", "text_a": "One.", "text_b": "Two.", "winner": winner}
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
    assert taste.g is not None
    assert taste.g_low is not None
    assert taste.g_high is not None
    assert taste.g == pytest.approx(PRIOR, abs=0.2)
    assert taste.g_low < PRIOR < taste.g_high


@pytest.mark.parametrize("thumbs", [0.0, 1.0])
def test_agreeing_raises_g_and_disagreeing_turns_it_with_more_votes_further(thumbs: float) -> None:
    found = [fit(user(number, g, thumbs=thumbs)).g for g in (3.0, -3.0) for number in (20, 200)]
    few, many, few_against, many_against = found
    assert few is not None
    assert many is not None
    assert few_against is not None
    assert many_against is not None
    assert PRIOR < few < many
    assert many_against < few_against < PRIOR
    assert many_against < 0


def test_both_kinds_of_votes_speak_of_one_g() -> None:
    apart = [fit(user(100, 1.5, thumbs=thumbs)) for thumbs in (0.0, 1.0)]
    both = fit(user(100, 1.5, thumbs=0.0) + user(100, 1.5, seed=2, thumbs=1.0))
    assert both.g is not None
    assert all(one.g is not None and both.g > one.g for one in apart)
    widths = [(taste.g_high or 0) - (taste.g_low or 0) for taste in (*apart, both)]
    assert widths[2] < min(widths[:2])


def test_votes_by_the_toss_of_a_coin_are_hardly_ever_kept_and_a_shared_taste_nearly_always() -> None:
    assert kept_share(0.0, 60) <= 0.1
    assert kept_share(0.0, 60, thumbs=1.0, habit=1.5) <= 0.1
    assert kept_share(1.5, 60) >= 0.9
    assert kept_share(1.5, 60, thumbs=0.5) >= 0.9


def test_a_user_who_likes_everything_shows_no_taste() -> None:
    answers = [TasteVote(MEAN, 2.0 + 0.1 * (place % 7), True, (str(place),)) for place in range(40)]
    taste = fit(answers)
    assert taste.habit is not None
    assert taste.habit > 1
    assert taste.coin_loss is not None
    assert taste.coin_loss < 0.3
    assert not taste.kept


def test_the_losses_are_those_of_votes_left_out() -> None:
    answers = user(24, 1.0, thumbs=0.5)
    taste = fit(answers)
    total = 0.0
    for place, answer in enumerate(answers):
        # The scales stay those of all votes, since they know nothing of what was chosen.
        total += _loss_of(taste, answers[:place] + answers[place + 1 :], answer)
    assert taste.loss == pytest.approx(total / len(answers), abs=1e-6)


def _loss_of(taste: Taste, rest: list[TasteVote], left_out: TasteVote) -> float:
    """By plain gradient ascent, as a second way to the same number."""

    def row(answer: TasteVote) -> tuple[float, float]:
        scale, sign = taste.scales[answer.scale], 1.0 if answer.positive else -1.0
        x = sign * (answer.value - scale.middle) / scale.sd
        return x, sign if not answer.centred else 0.0

    g, habit = PRIOR, 0.0
    rows = [row(answer) for answer in rest]
    for _ in range(4000):
        slope_g, slope_habit = -(g - PRIOR) / 0.25**2, -habit
        for x, thumb in rows:
            wrong = 1 / (1 + math.exp(g * x + habit * thumb))
            slope_g += wrong * x
            slope_habit += wrong * thumb
        g, habit = g + 0.02 * slope_g, habit + 0.02 * slope_habit
        if abs(slope_g) + abs(slope_habit) < 1e-10:
            break
    x, thumb = row(left_out)
    return math.log1p(math.exp(-(g * x + habit * thumb)))


def test_repeated_votes_on_one_question_are_left_out_together() -> None:
    once = user(20, 1.0)
    repeated = [answer for answer in once for _ in range(3)]
    apart = [replace(a, question=(*a.question, str(place))) for place, a in enumerate(repeated)]
    together, alone = fit(repeated), fit(apart)
    assert together.g == alone.g
    assert together.loss is not None
    assert alone.loss is not None
    assert together.loss > alone.loss


def test_swapped_jokes_give_the_same_taste_and_the_opposite_answer_to_the_last_bit() -> None:
    answers = user(60, 2.0, thumbs=0.4)
    swapped = [replace(a, value=-a.value, positive=not a.positive) if a.centred else a for a in answers]
    taste = fit(answers)
    assert taste == fit(swapped) == fit(list(answers))
    assert taste.kept
    one, other = taste.estimate(standing_of(duel(1.7, "A"))), taste.estimate(standing_of(duel(1.7, "B")))
    assert one is not None
    assert other is not None
    assert (one.log_odds, one.low, one.high) == (-other.log_odds, -other.high, -other.low)
    assert one.p + other.p == 1.0
    tie = taste.estimate(standing_of(duel(1.0, "tie")))
    assert tie is not None
    assert (tie.p, tie.interval) == (0.5, (0.5, 0.5))


def test_an_estimate_follows_the_judge_and_says_how_sure_it_is() -> None:
    taste = fit(user(80, 2.0, thumbs=0.5, habit=1.0))
    low, high = taste.estimate(standing_of(rating(2.1))), taste.estimate(standing_of(rating(2.9)))
    assert low is not None
    assert high is not None
    assert low.p < high.p
    for found in (low, high):
        below, above = found.interval
        assert 0 < below < found.p < above < 1
    assert taste.estimate(standing_of(RatingResult(id="r", text="Unscored."))) is None


def test_a_measure_that_few_votes_know_gets_no_estimate() -> None:
    taste = fit([*user(40, 3.0), *user(4, 3.0, seed=2, thumbs=1.0)])
    assert taste.kept
    assert taste.estimate(standing_of(duel(1.5))) is not None
    assert taste.estimate(standing_of(rating(2.5))) is None
    assert taste.estimate(standing_of(duel(1.5, audience=ProbabilityA(p_a=0.6)))) is None


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


def test_seventeen_of_twenty_five_has_wilsons_interval() -> None:
    taste = fit([duelled(1.0, place < 17, (str(place),)) for place in range(25)])
    assert taste.agreement.low == pytest.approx(0.484, abs=0.001)
    assert taste.agreement.high == pytest.approx(0.828, abs=0.001)


def test_only_the_newest_votes_count() -> None:
    old, new = user(NEWEST, 3.0), user(NEWEST, -3.0, seed=2)
    assert fit(old + new) == fit(new)


@pytest.mark.parametrize("value", [0.0, 1e-9, 1e6])
def test_verdicts_that_are_all_alike_or_wild_do_no_harm(value: float) -> None:
    answers = [duelled(value, place % 3 > 0, (str(place), "b")) for place in range(30)]
    taste = fit([*answers, *[TasteVote(MEAN, value, True, (str(place),)) for place in range(30)]])
    assert taste.g is not None
    assert math.isfinite(taste.g)
    assert taste.loss is not None
    assert math.isfinite(taste.loss)


@pytest.mark.parametrize(
    ("result", "found"),
    [
        (duel(2.0, "A"), ("odds", math.log(2))),
        (duel(2.0, "B", audience=ProbabilityA(p_a=0.2)), ("odds_audience", -math.log(2))),
        (duel(1.0, "tie"), ("odds", 0.0)),
        (DuelResult(id="d", text_a="One.", text_b="Two."), None),
        (rating(3.1), ("mean", 3.1)),
        (
            RatingResult(id="r", text="x", mean_score=3.0, audience=Audience(percentile=60, score=0.4)),
            ("audience", 0.4),
        ),
        (RatingResult(id="r", text="x", admissible=False), None),
    ],
)
def test_what_a_vote_is_held_against(result: Any, found: tuple[str, float] | None) -> None:
    vote_score = standing_of(result)
    assert (None if vote_score is None else vote_score.value) == (None if found is None else found[1])
    if vote_score is not None and found is not None:
        assert vote_score.scale.startswith(found[0])
        assert vote_score.centred == isinstance(result, DuelResult)
