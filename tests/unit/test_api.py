"""The judge for other Python programs."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import jokejudge_gui
from jokejudge_gui import JokeJudge
from jokejudge_gui.engine.fake_engine import FakeEngine
from jokejudge_gui.errors import EngineError, InputError, JokeJudgeError
from jokejudge_gui.history.query import HistoryQuery
from jokejudge_gui.history.store import HistoryStore
from jokejudge_gui.judging.kinds import KINDS
from jokejudge_gui.verdicts import DuelResult, RatingResult

JOKE = "I told my doctor I broke my arm in two places. He told me to stop going to those places."
Open = Callable[..., JokeJudge]


@pytest.fixture
def open_judge(tmp_path: Path) -> Open:
    def call(**options: object) -> JokeJudge:
        return JokeJudge(data_dir=tmp_path / "data", loader=lambda _file, _settings, _cancel: FakeEngine(), **options)

    return call


def kept(tmp_path: Path) -> list[str]:
    store = HistoryStore(tmp_path / "data" / "history.sqlite3", KINDS)
    try:
        return [row.text_a for row in store.search(HistoryQuery())]
    finally:
        store.close()


def test_a_joke_is_rated_and_kept(open_judge: Open, tmp_path: Path) -> None:
    with open_judge() as judge:
        result = judge.rate_joke(JOKE)
    assert isinstance(result, RatingResult)
    assert result.text == JOKE
    assert result.error is None
    assert kept(tmp_path) == [JOKE]


def test_two_jokes_are_compared_and_swapping_them_swaps_the_answer(open_judge: Open) -> None:
    with open_judge() as judge:
        one, other = judge.compare_jokes(JOKE, "A short one."), judge.compare_jokes("A short one.", JOKE)
    assert isinstance(one, DuelResult)
    assert one.confidence_factor == other.confidence_factor
    assert {one.winner, other.winner} in ({"A", "B"}, {"tie"})


def test_without_history_nothing_is_kept(open_judge: Open, tmp_path: Path) -> None:
    with open_judge(history=False) as judge:
        judge.rate_joke(JOKE)
    assert kept(tmp_path) == []


@pytest.mark.parametrize("text", ["", "   ", "a\0b", "\ud800", "x" * 100_000])
def test_a_text_that_cannot_be_judged_raises_with_code_and_hint(open_judge: Open, text: str) -> None:
    with open_judge() as judge, pytest.raises(InputError) as caught:
        judge.rate_joke(text)
    assert caught.value.code.startswith("E_INPUT_")
    assert caught.value.sentence


def test_the_judge_is_usable_after_an_error(open_judge: Open) -> None:
    with open_judge() as judge:
        with pytest.raises(JokeJudgeError):
            judge.rate_joke("")
        assert judge.rate_joke(JOKE).error is None


def test_a_list_is_ranked_in_shuffled_rounds_on_wish(open_judge: Open) -> None:
    with open_judge(history=False) as judge:
        found = judge.rank_jokes([JOKE, "A short one."], duels=0, rounds=2)
    assert max(chunk.round for chunk in found.scored) <= 2
    assert all(entry.rounds for entry in found.entries)


def test_a_failure_of_the_engine_raises(tmp_path: Path) -> None:
    def gate(_method: str) -> None:
        raise EngineError("E_DECODE", "The model stopped.", "Try again.")

    judge = JokeJudge(data_dir=tmp_path, loader=lambda _file, _settings, _cancel: FakeEngine(gate=gate))
    with judge, pytest.raises(JokeJudgeError) as caught:
        judge.rate_joke(JOKE)
    assert caught.value.code == "E_DECODE"


def test_settings_come_from_the_given_file(tmp_path: Path) -> None:
    config = tmp_path / "mine.json"
    config.write_text('{"explain": false, "seed": 7}', encoding="utf-8")
    judge = JokeJudge(config, data_dir=tmp_path / "data", loader=lambda _file, _settings, _cancel: FakeEngine())
    with judge:
        result = judge.rate_joke(JOKE)
    assert result.explanation is None
    assert result.seed == 7


def test_a_damaged_settings_file_raises(tmp_path: Path) -> None:
    config = tmp_path / "mine.json"
    config.write_text("{", encoding="utf-8")
    with pytest.raises(JokeJudgeError) as caught:
        JokeJudge(config, data_dir=tmp_path / "data")
    assert caught.value.code == "E_SETTINGS_DAMAGED"


def test_a_model_that_is_not_there_raises(tmp_path: Path) -> None:
    judge = JokeJudge(data_dir=tmp_path / "data", model=str(tmp_path / "missing.gguf"))
    with judge, pytest.raises(JokeJudgeError) as caught:
        judge.rate_joke(JOKE)
    assert caught.value.code == "E_MODEL_MISSING"


def test_the_package_offers_its_judge_without_loading_it() -> None:
    code = (
        "import sys, jokejudge_gui;"
        "assert 'jokejudge_gui.session' not in sys.modules and 'numpy' not in sys.modules;"
        "from jokejudge_gui import JokeJudge;"
        "assert JokeJudge.__module__ == 'jokejudge_gui.api'"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def test_an_unknown_name_of_the_package_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nothing"):
        _ = jokejudge_gui.nothing


def test_a_list_is_ranked_and_bad_texts_say_why(open_judge: Open) -> None:
    with open_judge() as judge:
        result = judge.rank_jokes([JOKE, "A short one.", "  ", "Parallel lines have so much in common."], duels=2)
    assert [entry.rank for entry in result.entries] == [1, 2, 3, None]
    assert {entry.id for entry in result.entries} == {"1", "2", "3", "4"}
    assert result.entries[3].error is not None
    assert len(result.held) == 2


def test_completion_finds_the_judge_in_the_package() -> None:
    assert "JokeJudge" in dir(jokejudge_gui)
