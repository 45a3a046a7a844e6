"""The bench that rates again in other words: its plans, its figures, and going on after a stop."""

from __future__ import annotations

from pathlib import Path

import pytest

from jokejudge_gui.core.errors import Cancelled
from jokejudge_gui.engine.base import CancelToken
from jokejudge_gui.judge.main_judge import MainJudge
from jokejudge_gui.learning.deep_job import Both, Side
from jokejudge_gui.learning.jobs import ResultCache
from jokejudge_gui.rubric.prompts import parse_prompts
from tests.bench.retest import Counted, figures, rated
from tests.bench.retest_plans import PLANS, reworded_folder, reworded_judges
from tests.known_calibration import MakeSession, known
from tests.rating_helpers import JOKE, pun


def folder_of(tmp_path: Path, number: int) -> Path:
    return reworded_folder(tmp_path / str(number), number)


def test_each_plan_asks_in_words_of_its_own_and_deep_keeps_them_all(tmp_path: Path) -> None:
    scoring, reading, further = set(), set(), set()
    for number in range(PLANS):
        folder = folder_of(tmp_path, number)
        prompts = parse_prompts(folder / "prompts.xml")
        deep = parse_prompts(folder / "deep_prompts.xml", folder / "prompts.rng")
        answers = ("ascending", "descending")
        scoring.add(prompts.words("scoring", {}, answers))
        reading.add(prompts.words("reading", {}, ("check", "category")))
        ways = (prompts.prompts["scoring"], deep.prompts["scoring_reworded"], deep.prompts["scoring_strict"])
        further.add(frozenset(way.system for way in ways))
        assert set(prompts.prompts["scoring"].answers) >= {"relevance", "ascending_again", *answers}
    assert (len(scoring), len(reading), len(further)) == (PLANS, PLANS, 1)


def test_a_stopped_bench_goes_on_with_what_was_rated(make_session: MakeSession, tmp_path: Path) -> None:
    session = make_session(pun)
    list(session.load())
    assert session.judge is not None
    judges = reworded_judges(session.judge, tmp_path)
    for judge in judges[1:]:
        judge.calibration = known(judge)
    assert len({judge.questions.scores["surprise"] for judge in judges}) == PLANS
    count = Counted(session.judge.engine)
    path, token = tmp_path / "kept.jsonl", CancelToken()
    texts = [f"{JOKE} And that is number {number}." for number in range(12)]

    def run(judges: list[MainJudge]) -> list[tuple[Both, ...]]:
        kept = ResultCache(path, "mark")
        found = []
        for row in rated(judges, texts, "all", kept, lambda: count.questions, token):
            found.append(row)
        return found

    rows = run(list(judges))
    assert len(rows) == len(texts)
    assert all(len(row) == PLANS and row[0].deep.questions > row[0].quick.questions > 0 for row in rows)
    asked = count.questions
    assert run(list(judges)) == rows
    assert count.questions == asked
    texts.append("One more joke, which was never rated.")
    token.cancel()
    with pytest.raises(Cancelled):
        run(list(judges))
    assert count.questions == asked


def test_a_judge_whose_plans_agree_gets_one_and_noise_gets_less() -> None:
    def row(number: int, plan: int, shaky: bool) -> Side:
        wobble = ((number * 7 + plan * 5) % 11) / 3 if shaky else 0.0
        kinds = {"pun": 0.9, "irony": 0.95 if shaky and (number + plan) % 2 else 0.1}
        chosen = ("pun", "irony") if kinds["irony"] > 0.5 else ("pun",)
        return Side(factors={"wit": number % 5 + wobble}, kinds=kinds, chosen=chosen)

    rows = [tuple(Both(quick=row(n, plan, True), deep=row(n, plan, False)) for plan in range(PLANS)) for n in range(30)]
    found = figures(rows)
    for by in found.values():
        assert by["deep"][0] == pytest.approx(1.0)
        assert by["quick"][0] < 1.0
        assert by["difference"][1] > 0
