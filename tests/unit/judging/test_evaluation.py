"""Agreement with people: the arithmetic, the baselines, and what is said about them."""

from __future__ import annotations

import itertools
import math
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jokejudge_gui.judging import baselines
from jokejudge_gui.judging.evaluation import draw, measure_pairs, measure_ratings
from jokejudge_gui.judging.evaluation_types import (
    Evaluation,
    LabelledPair,
    LabelledText,
    PairAnswer,
    PairsReport,
    TextAnswer,
)
from jokejudge_gui.judging.report_html import page
from jokejudge_gui.judging.statistics import (
    bins,
    difference,
    expected_calibration_error,
    fraction,
    log_loss,
    one_against_the_others,
    pearson,
    ranks,
    spearman,
    wilson,
)
from jokejudge_gui.judging.validation import in_words, macro, validation
from jokejudge_gui.models import DuelResult, ModelRef, RatingResult

ANIMALS = ("horse", "duck", "parrot", "goat", "llama", "newt", "heron", "badger")


def pairs(count: int = 40, *, votes: bool = True) -> list[LabelledPair]:
    """People always like the one with the punning penguin in it, whichever side it stands on."""
    rows = []
    for number in range(count):
        animal, other = ANIMALS[number % 8], ANIMALS[(number + 3) % 8]
        funny = f"A punning penguin and a {animal} walk into bar {number}."
        plain = f"A {other} and another {animal} walk past bar number {number + 100} in silence."
        side = "A" if number % 3 else "B"
        a, b = (funny, plain) if side == "A" else (plain, funny)
        counted = (5.0, 0.0) if number % 2 else (2.0, 1.0)
        rows.append(
            LabelledPair(a, b, "A" if side == "A" else "B", *(counted if side == "A" else counted[::-1]))
            if votes
            else LabelledPair(a, b, "A" if side == "A" else "B")
        )
    return rows


def told(rows: list[LabelledPair], p: float) -> dict[int, PairAnswer]:
    """Answers that give people's winner probability ``p``."""
    return {
        place: PairAnswer(p_a=p if row.winner == "A" else 1 - p, consistent=True, position_bias=0.1)
        for place, row in enumerate(rows)
    }


def measured(rows: list[LabelledPair], answers: dict[int, PairAnswer]) -> PairsReport:
    return measure_pairs("made-up.csv", rows, answers)


# -- statistics ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("right", "n", "low", "high"),
    [(0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (5, 10, 0.2366, 0.7634), (69, 100, 0.5937, 0.7722)],
)
def test_wilson_gives_the_textbook_interval(right: int, n: int, low: float, high: float) -> None:
    assert wilson(right, n) == pytest.approx((low, high), abs=1e-4)


@given(st.integers(1, 500), st.floats(0, 1))
def test_wilson_holds_the_share_and_stays_in_bounds(n: int, part: float) -> None:
    right = round(part * n)
    low, high = wilson(right, n)
    assert 0 <= low <= right / n + 1e-12
    assert right / n - 1e-12 <= high <= 1


def test_nothing_counted_is_no_share() -> None:
    assert fraction([]).share is None
    assert wilson(0, 0) == (0.0, 1.0)


def test_equal_values_share_their_rank() -> None:
    assert ranks(np.array([3.0, 1.0, 3.0, 2.0])).tolist() == [3.5, 1.0, 3.5, 2.0]
    assert ranks(np.array([])).tolist() == []


def test_correlations_of_known_numbers() -> None:
    assert pearson([1, 2, 3, 4], [2, 4, 6, 8]).value == pytest.approx(1.0)
    assert spearman([1, 2, 3, 4, 5], [1, 4, 9, 16, 1000]).value == pytest.approx(1.0)
    assert spearman([1, 2, 3, 4, 5], [5, 4, 3, 2, 1]).value == pytest.approx(-1.0)
    assert spearman([1, 2, 3, 4, 5], [2, 1, 4, 3, 5]).value == pytest.approx(0.8)


@pytest.mark.parametrize("values", [([], []), ([1.0], [2.0]), ([1.0, 1.0, 1.0], [1.0, 2.0, 3.0])])
def test_a_correlation_that_cannot_be_told_is_none_and_never_zero(values: tuple[list[float], list[float]]) -> None:
    assert pearson(*values).value is None
    assert spearman(*values).value is None


@given(st.lists(st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6)), max_size=30))
def test_correlations_lie_between_minus_one_and_one(points: list[tuple[float, float]]) -> None:
    for found in (pearson(*_columns(points)), spearman(*_columns(points))):
        assert found.value is None or -1 <= found.value <= 1
        if found.value is not None and found.low is not None and found.high is not None:
            assert found.low <= found.value <= found.high


def _columns(points: list[tuple[float, float]]) -> tuple[list[float], list[float]]:
    return [a for a, _ in points], [b for _, b in points]


def test_the_log_loss_of_a_coin_is_ln_two_and_a_sure_mistake_stays_finite() -> None:
    assert log_loss(np.array([0.5, 0.5]), np.array([1.0, 0.0])) == pytest.approx(math.log(2))
    wrong = log_loss(np.array([1.0]), np.array([0.0]))
    assert wrong is not None
    assert math.isfinite(wrong)
    assert log_loss(np.array([]), np.array([])) is None


def test_a_probability_that_means_what_it_says_has_no_calibration_error() -> None:
    stated, hits = np.full(10, 0.8), np.array([1.0] * 8 + [0.0] * 2)
    assert expected_calibration_error(bins(stated, hits, (0.5, 0.75, 1.0))) == pytest.approx(0.0)
    assert expected_calibration_error(bins(stated, 1 - hits, (0.5, 0.75, 1.0))) == pytest.approx(0.6)
    assert expected_calibration_error(()) is None


def test_bins_hold_their_edges_and_leave_out_empty_ones() -> None:
    found = bins(np.array([0.5, 0.75, 1.0]), np.ones(3), (0.5, 0.6, 0.75, 1.0))
    assert [(part.low, part.found.n) for part in found] == [(0.5, 1), (0.75, 2)]


def test_few_rows_are_never_surely_better() -> None:
    few = difference(np.ones(2), np.zeros(2))
    many = difference(np.ones(50), np.zeros(50))
    assert few is not None
    assert many is not None
    assert few.low < 0 < many.low
    assert (few.value, many.value) == (1.0, 1.0)
    assert difference(np.array([]), np.array([])) is None


@pytest.mark.parametrize(
    ("votes", "expected"),
    [((5, 0), (5, 5)), ((4, 1), (4, 5)), ((3, 2), (0, 2)), ((2, 1), (0, 1)), ((1, 0), (0, 0)), ((2, 2), (0, 4))],
)
def test_one_voter_is_held_against_the_majority_of_the_others(
    votes: tuple[int, int], expected: tuple[int, int]
) -> None:
    assert one_against_the_others(*votes) == expected


# -- baselines -------------------------------------------------------------------------------------------------------


def test_longer_is_funnier_chooses_the_longer_text() -> None:
    assert baselines.longer(["abc", "a", "ab"], ["a", "abc", "ab"]).tolist() == [1.0, -1.0, 0.0]


def test_the_ridge_finds_wording_that_people_like_in_texts_that_it_never_saw() -> None:
    rows = pairs(60)
    truth = np.array([1.0 if row.winner == "A" else -1.0 for row in rows])
    found = baselines.pair_scores([(r.text_a, r.text_b) for r in rows], truth, np.arange(60), seed=1)
    assert np.mean(np.sign(found) == truth) > 0.9


def test_the_ridge_turns_with_the_pair() -> None:
    rows = pairs(40)
    truth = np.array([1.0 if row.winner == "A" else -1.0 for row in rows])
    straight = baselines.pair_scores([(r.text_a, r.text_b) for r in rows], truth, np.arange(40), seed=1)
    turned = baselines.pair_scores([(r.text_b, r.text_a) for r in rows], -truth, np.arange(40), seed=1)
    assert np.sign(straight) == pytest.approx(-np.sign(turned))


def test_the_ridge_learns_nothing_from_the_texts_it_is_asked_about() -> None:
    # Labels are a coin and each text has a word of its own: only a leak could be right more often.
    random = np.random.default_rng(3)
    texts = [f"word{number:03d}" for number in range(40)]
    rows = [(a, b) for a, b in itertools.combinations(texts, 2)][::2]
    better = dict(zip(texts, random.permutation(40), strict=True))
    truth = np.array([1.0 if better[a] > better[b] else -1.0 for a, b in rows])
    found = baselines.pair_scores(rows, truth, np.arange(len(rows)), seed=1)
    assert 0.3 < np.mean(np.sign(found) == truth) < 0.7


@pytest.mark.parametrize("count", [0, 1, 2])
def test_with_hardly_anything_to_learn_from_the_ridge_has_no_opinion(count: int) -> None:
    rows = pairs(count)
    found = baselines.pair_scores([(r.text_a, r.text_b) for r in rows], np.ones(count), np.arange(count), seed=1)
    assert found.tolist() == [0.0] * count


def test_the_same_seed_gives_the_same_ridge() -> None:
    texts = [f"{animal} number {n}" for n, animal in enumerate(ANIMALS * 4)]
    ratings = np.array([float("duck" in text) for text in texts])
    first = baselines.rating_scores(texts, ratings, np.arange(32), seed=5)
    assert (first == baselines.rating_scores(texts, ratings, np.arange(32), seed=5)).all()
    assert spearman(first, ratings).value == pytest.approx(0.57, abs=0.2)


def test_more_rows_than_can_be_learned_from_are_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(baselines, "MOST_ROWS", 30)
    rows = pairs(60)
    truth = np.array([1.0 if row.winner == "A" else -1.0 for row in rows])
    found = baselines.pair_scores([(r.text_a, r.text_b) for r in rows], truth, np.arange(50, 60), seed=1)
    assert np.mean(np.sign(found) == truth[50:]) > 0.8


# -- pairs -----------------------------------------------------------------------------------------------------------


def test_a_judge_that_is_always_right_is_told_so_beside_its_baselines() -> None:
    rows = pairs(40)
    report = measured(rows, told(rows, 0.9))
    everything, clear = report.agreement
    assert (everything.judge.share, everything.judge.n) == (1.0, 40)
    assert everything.length.share == 0.0
    assert everything.ngrams.share is not None
    assert (clear.margin, clear.judge.n) == ("clear", 20)
    assert report.trust.ece == pytest.approx(0.1)
    assert report.position_bias == pytest.approx(0.1)
    assert report.flips.share == 0.0
    assert report.one_person is not None
    assert report.one_person.share == pytest.approx(100 / 120)


def test_a_judge_that_cannot_decide_is_half_right() -> None:
    rows = pairs(20)
    report = measured(rows, told(rows, 0.5))
    assert report.agreement[0].judge.share == 0.5
    assert report.trust.log_loss == pytest.approx(math.log(2))


def test_swapping_all_pairs_changes_no_figure_of_the_judge() -> None:
    rows = pairs(30)
    answers = {place: PairAnswer(p_a=0.3 + 0.013 * place, parts={"pair": 0.1 * place - 1}) for place in range(30)}
    turned = [LabelledPair(r.text_b, r.text_a, "B" if r.winner == "A" else "A", r.votes_b, r.votes_a) for r in rows]
    other = {p: PairAnswer(p_a=1 - a.p_a, parts={"pair": -a.parts["pair"]}) for p, a in answers.items()}
    first, second = measured(rows, answers), measured(turned, other)
    assert first.agreement[0].judge == second.agreement[0].judge
    assert first.parts == second.parts
    assert first.trust.log_loss == pytest.approx(second.trust.log_loss)
    assert first.length.raw.value == pytest.approx(second.length.raw.value)


def test_without_votes_there_is_no_margin_and_no_single_voter() -> None:
    rows = pairs(12, votes=False)
    report = measured(rows, told(rows, 0.7))
    assert [row.margin for row in report.agreement] == ["all"]
    assert report.one_person is None


def test_only_answered_pairs_count_and_the_rest_of_the_file_teaches_the_wording() -> None:
    rows = pairs(60)
    report = measured(rows, {place: answer for place, answer in told(rows, 0.8).items() if place < 10})
    assert (report.rows, report.judged, report.agreement[0].judge.n) == (60, 10, 10)
    assert report.agreement[0].ngrams.share == 1.0


def test_each_measurement_is_told_alone() -> None:
    rows = pairs(4)
    sides = [1.0 if row.winner == "A" else -1.0 for row in rows]
    answers = {
        place: PairAnswer(p_a=0.6, parts={"pair": side, "alone": -side} | ({"audience": side} if place else {}))
        for place, side in enumerate(sides)
    }
    parts = measured(rows, answers).parts
    assert [(name, share.share, share.n) for name, share in parts.items()] == [
        ("pair", 1.0, 4), ("alone", 0.0, 4), ("audience", 1.0, 3)
    ]  # fmt: skip


def test_the_pull_of_length_is_told_with_and_without_the_control() -> None:
    rows = [LabelledPair("x" * (10 + n), "y" * 20, "A" if n % 2 else "B") for n in range(20)]
    answers = {n: PairAnswer(p_a=0.05 + 0.04 * n, controlled_p_a=0.9 - 0.04 * n) for n in range(20)}
    pull = measured(rows, answers).length
    assert pull.raw.value == pytest.approx(1.0)
    assert pull.controlled.value == pytest.approx(-1.0)
    assert pull.people.value is not None


def test_a_file_of_which_nothing_was_judged_has_no_figures() -> None:
    report = measured(pairs(5), {})
    assert report.agreement[0].judge.share is None
    assert (report.trust.ece, report.trust.log_loss, report.position_bias) == (None, None, None)
    assert in_words(report) == "No pair was judged."
    assert macro([report]) is None


def test_answers_are_read_off_verdicts() -> None:
    assert PairAnswer.of(DuelResult(id="", text_a="a", text_b="b")) is None
    assert TextAnswer.of(RatingResult(id="", text="t", admissible=False)) == TextAnswer(admissible=False)


def test_the_sample_is_random_repeatable_and_grows_from_its_beginning() -> None:
    assert draw(100, 10, 1) == draw(100, 50, 1)[:10]
    assert draw(100, 10, 1) != draw(100, 10, 2)
    assert sorted(draw(7, None, 3)) == list(range(7))
    assert draw(3, 10, 1) == draw(3, None, 1)


# -- ratings ---------------------------------------------------------------------------------------------------------


def texts(count: int = 20) -> list[LabelledText]:
    return [LabelledText(f"joke {'x' * n} number {n}", float(n), n % 4 != 0) for n in range(count)]


def test_scores_are_held_against_ratings_on_the_files_own_scale() -> None:
    rows = texts(21)
    answers = {n: TextAnswer(admissible=True, score=n / 4, audience=100 - 5.0 * n) for n in range(21)}
    report = measure_ratings("r.csv", "rating", rows, answers)
    assert report.score.mae == pytest.approx(0.0)
    assert report.score.pearson.value == pytest.approx(1.0)
    assert report.audience is not None
    assert report.audience.spearman.value == pytest.approx(-1.0)
    assert report.audience.mae == pytest.approx(2 * sum(abs(n - 10) for n in range(21)) / 20 / 21)
    assert report.length.value == pytest.approx(1.0)


def test_rejections_are_counted_against_what_people_took_for_humour() -> None:
    rows = texts(20)
    answers = {n: TextAnswer(admissible=n >= 2, score=2.0) for n in range(20)}
    admission = measure_ratings("r.csv", "rating", rows, answers).admission
    assert admission.false_reject is not None
    assert (admission.false_reject.right, admission.false_reject.n) == (1, 15)
    assert admission.false_accept is not None
    assert (admission.false_accept.right, admission.false_accept.n) == (4, 5)
    assert admission.funny_rejected is not None
    assert (admission.funny_rejected.right, admission.funny_rejected.n) == (0, 10)


def test_a_file_that_only_says_what_is_humour_has_no_correlations() -> None:
    rows = [LabelledText("a joke", None, True), LabelledText("a fact", None, False)]
    answers = {0: TextAnswer(admissible=True), 1: TextAnswer(admissible=True)}
    report = measure_ratings("r.csv", None, rows, answers)
    assert (report.score.spearman.value, report.score.mae, report.points) == (None, None, ())
    assert report.admission.funny_rejected is None


def test_ratings_without_spread_give_no_error_and_no_correlation() -> None:
    rows = [LabelledText(f"joke {n}", 3.0) for n in range(5)]
    report = measure_ratings("r.csv", "rating", rows, {n: TextAnswer(admissible=True, score=1.0 * n) for n in range(5)})
    assert (report.score.mae, report.score.pearson.value) == (None, None)


def test_texts_without_a_score_are_left_out_of_the_correlation_only() -> None:
    rows = texts(10)
    answers = {n: TextAnswer(admissible=n > 2, score=float(n) / 2 if n > 2 else None) for n in range(10)}
    report = measure_ratings("r.csv", "rating", rows, answers)
    assert (report.judged, report.score.spearman.n) == (10, 7)


# -- what it amounts to ----------------------------------------------------------------------------------------------


def test_the_validation_table_has_the_thresholds_and_says_what_was_not_measured() -> None:
    rows = pairs(20)
    table = validation([measured(rows, told(rows, 0.9))], [])
    assert [(row.threshold, row.at_least, row.passed) for row in table] == [
        (0.70, True, True), (0.15, False, None), (0.60, True, None), (0.20, False, None), (0.10, False, None)
    ]  # fmt: skip


def test_the_validation_table_fails_what_misses_its_threshold() -> None:
    rows = texts(20)
    answers = {n: TextAnswer(admissible=True, score=5 - n / 4, audience=5.0 * n) for n in range(20)}
    table = {row.measure: row for row in validation([], [measure_ratings("r.csv", "rating", rows, answers)])}
    assert table["Pearson correlation of the score"].passed is False
    assert table["Pearson correlation of the audience"].passed is True
    assert table["mean absolute error of the audience"].passed is True
    assert table["false rejects"].passed is True
    assert (table["false accepts"].value, table["false accepts"].passed) == (1.0, False)
    assert table["agreement in pairs"].passed is None


def test_files_count_once_each_in_the_mean() -> None:
    right, wrong = pairs(30), pairs(10)
    whole = macro([measured(right, told(right, 0.9)), measured(wrong, told(wrong, 0.1))])
    assert whole is not None
    assert (whole.sets, whole.agreement) == (2, 0.5)


def test_the_agreement_is_said_in_words_with_its_interval_and_what_it_beats() -> None:
    rows = pairs(40)
    words = in_words(measured(rows, told(rows, 0.9)))
    assert words.startswith("It agrees with most people in 100 of 100 pairs (91–100); one person agrees")
    assert "Choosing the longer text is right in 0, a coin in 50" in words
    assert "surely beats chance and length" in words
    few = pairs(2)
    assert "isn't surely better" in in_words(measured(few, told(few, 0.9)))


class _Well(HTMLParser):
    """Every element that is opened is closed, and nothing is loaded from anywhere."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        assert not {"src", "href", "onload", "onclick"} & {name for name, _ in attrs}
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_html_report_is_whole_in_itself_and_escapes_names() -> None:
    rows, rated = pairs(30), texts(20)
    model = ModelRef(name="<b>model</b> & co", sha256="ab" * 32)
    answers = {n: TextAnswer(admissible=True, score=n / 5, audience=5.0 * n) for n in range(20)}
    reports = tuple(
        measure_pairs(name, rows, told(rows, p)) for name, p in (("<script>alert(1)</script>.csv", 0.9), ("b.csv", 0.4))
    )
    ratings = (measure_ratings("r.csv", "rating", rated, answers),)
    found = Evaluation(
        model=model, mode="quick", seed=1, limit=30, whole=False, pairs=reports, ratings=ratings,
        macro=macro(reports), validation=validation(reports, ratings),
    )  # fmt: skip
    html = page(found)
    parser = _Well()
    parser.feed(html)
    assert parser.open == []
    assert parser.seen.count("svg") == 5
    assert "<script" not in html
    assert "<b>model" not in html
    assert "Not finished" in html
    assert "://" not in html


def test_a_report_of_nothing_is_still_a_page() -> None:
    found = Evaluation(model=None, mode="quick", seed=1, limit=None, whole=True, validation=validation([], []))
    assert found.judged == 0
    assert "not measured" in page(found)
