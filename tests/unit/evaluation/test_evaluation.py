"""What an evaluation makes of answers: pairs, ratings, the table, the report."""

from __future__ import annotations

import pytest

from jokejudge_gui.core.pages import as_html
from jokejudge_gui.core.verdicts import ModelRef
from jokejudge_gui.measure.evaluation import (
    Answer,
    Report,
    draw,
    macro,
    measure_pairs,
    measure_ratings,
    validation,
)
from jokejudge_gui.measure.labelled import Labelled
from jokejudge_gui.measure.words import evaluation_pages, in_words
from tests.animal_pairs import duel_answer, pairs, text_answer, texts


def told(rows: list[Labelled], p: float) -> dict[int, Answer]:
    """Answers that give people's winner probability ``p``."""
    return {
        place: duel_answer(p_a=p if row.winner == "A" else 1 - p, consistent=True, position_bias=0.1)
        for place, row in enumerate(rows)
    }


def measured(rows: list[Labelled], answers: dict[int, Answer]) -> Report:
    return measure_pairs("made-up.csv", rows, answers)


def test_a_judge_that_is_always_right_is_told_so_beside_its_baselines() -> None:
    rows = pairs(40)
    report = measured(rows, told(rows, 0.9))
    everything, clear = report["agreement"]
    assert (everything["judge"]["share"], everything["judge"]["n"]) == (1.0, 40)
    assert everything["length"]["share"] == 0.0
    assert everything["ngrams"]["share"] is not None
    assert (clear["margin"], clear["judge"]["n"]) == ("clear", 20)
    assert report["trust"]["ece"] == pytest.approx(0.1)
    assert report["position_bias"] == pytest.approx(0.1)
    assert report["flips"]["share"] == 0.0
    assert report["one_person"]["share"] == pytest.approx(100 / 120)


def test_swapping_all_pairs_changes_no_figure_of_the_judge() -> None:
    rows = pairs(30)
    answers = {place: duel_answer(p_a=0.3 + 0.013 * place, parts={"pair": 0.1 * place - 1}) for place in range(30)}
    turned = [Labelled(r.texts[::-1], "B" if r.winner == "A" else "A", r.votes and r.votes[::-1]) for r in rows]
    other = {p: duel_answer(1 - a["p_a"], {"pair": -a["shares"][0]["log_odds_a"]}) for p, a in answers.items()}
    first, second = measured(rows, answers), measured(turned, other)
    assert first["agreement"][0]["judge"] == second["agreement"][0]["judge"]
    assert first["parts"] == second["parts"]
    assert first["trust"]["log_loss"] == pytest.approx(second["trust"]["log_loss"])
    assert first["length"]["raw"]["value"] == pytest.approx(second["length"]["raw"]["value"])


def test_the_sample_is_random_repeatable_and_grows_from_its_beginning() -> None:
    assert draw(100, 10, 1) == draw(100, 50, 1)[:10]
    assert draw(100, 10, 1) != draw(100, 10, 2)
    assert sorted(draw(7, None, 3)) == list(range(7))
    assert draw(3, 10, 1) == draw(3, None, 1)


def test_scores_are_held_against_ratings_on_the_files_own_scale() -> None:
    answers = {n: text_answer(admissible=True, score=n / 4, audience=100 - 5.0 * n) for n in range(21)}
    report = measure_ratings("r.csv", "rating", texts(21), answers)
    assert report["score"]["mae"] == pytest.approx(0.0)
    assert report["score"]["pearson"]["value"] == pytest.approx(1.0)
    assert report["audience"]["spearman"]["value"] == pytest.approx(-1.0)
    assert report["audience"]["mae"] == pytest.approx(2 * sum(abs(n - 10) for n in range(21)) / 20 / 21)
    assert report["length"]["value"] == pytest.approx(1.0)


def test_rejections_are_counted_against_what_people_took_for_humour() -> None:
    answers = {n: text_answer(admissible=n >= 2, score=2.0) for n in range(20)}
    admission = measure_ratings("r.csv", "rating", texts(20), answers)["admission"]
    counts = {name: (share["right"], share["n"]) for name, share in admission.items()}
    assert counts == {"false_reject": (1, 15), "false_accept": (4, 5), "funny_rejected": (0, 10)}


def test_the_validation_table_has_the_thresholds_and_says_what_was_not_measured() -> None:
    rows = pairs(20)
    table = validation([measured(rows, told(rows, 0.9))], [])
    assert [(row["threshold"], row["at_least"], row["passed"]) for row in table] == [
        (0.70, True, True), (0.15, False, None), (0.60, True, None), (0.20, False, None), (0.10, False, None)
    ]  # fmt: skip


def test_the_agreement_is_said_in_words_with_its_interval_and_what_it_beats() -> None:
    rows = pairs(40)
    words = in_words(measured(rows, told(rows, 0.9)))
    assert words.startswith("It agrees with most people in 100 of 100 pairs (91 to 100); one person agrees")
    assert "Choosing the longer text is right in 0, a coin in 50" in words
    assert "surely beats chance and length" in words
    few = pairs(2)
    assert "isn't surely better" in in_words(measured(few, told(few, 0.9)))


def test_the_html_report_says_whether_it_is_whole_and_escapes_names() -> None:
    rows, rated = pairs(30), texts(20)
    model = ModelRef(name="<b>model</b> & co", sha256="ab" * 32)
    answers = {n: text_answer(admissible=True, score=n / 5, audience=5.0 * n) for n in range(20)}
    names = (("<script>alert(1)</script>.csv", 0.9), ("b.csv", 0.4))
    reports = [measure_pairs(name, rows, told(rows, p)) for name, p in names]
    ratings = [measure_ratings("r.csv", "rating", rated, answers)]
    found = {
        "model": model.model_dump(), "mode": "quick", "seed": 1, "limit": 30, "whole": False, "pairs": reports,
        "ratings": ratings, "macro": macro(reports), "validation": validation(reports, ratings),
    }  # fmt: skip
    html = as_html(evaluation_pages(found), "Report")
    assert "<script" not in html
    assert "<b>model" not in html
    assert "Not finished" in html
    assert "://" not in html
