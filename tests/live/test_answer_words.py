"""All forms of an answer on the embedded model: understood, and asked beside each other without harm."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from jokejudge_gui.core.paths import models_dir
from jokejudge_gui.engine.loader import load_engine
from jokejudge_gui.judge.main_judge import MainJudge
from jokejudge_gui.judge.plan.answer_words import alone_words
from jokejudge_gui.judge.plan.calibration import CalibrationFiles
from jokejudge_gui.library.embedded import EMBEDDED_SHA256

JOKES = ("I keep my clock fast, so that I can be late early.", "Parallel lines have so much in common.")


@pytest.fixture(scope="module")
def judge(embedded_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[MainJudge]:
    engine = load_engine(embedded_model, sha256=EMBEDDED_SHA256, threads=1, state_folder=None, state_limit=0)
    own = tmp_path_factory.mktemp("words")
    yield MainJudge(engine, CalibrationFiles(models_dir() / "calibrations", own))
    engine.close()


def test_the_shipped_forms_are_answered_and_the_chosen_one_is_asked(judge: MainJudge) -> None:
    words = judge.calibration.alone_words
    assert words is not None
    assert [form.form for form in words.forms] == [form.name for form in judge.prompts.forms("alone", "verdict")]
    answers = judge.measure.alone_in_all_forms(JOKES[0])
    assert answers[words.form].mass > 0.3
    assert answers["yes/no"].mass > 0.8
    # Alone and among others a form's answer differs by the numerical noise, and by no more.
    (alone,) = judge.measure.alone(JOKES[:1])
    assert alone.value == pytest.approx(answers[words.form].value, abs=1.0)


def test_what_was_measured_is_measured_again_to_the_bit(judge: MainJudge) -> None:
    first = judge.measure.alone_in_all_forms(JOKES[0])
    judge.measure.alone(JOKES)
    judge.measure.checks(JOKES[1])
    assert judge.measure.alone_in_all_forms(JOKES[0]) == first


def test_a_choice_is_the_same_when_it_is_made_again_and_is_unsure_on_few_texts(judge: MainJudge) -> None:
    (*_, words), (*_, again) = (list(alone_words(judge.measure, texts=8)) for _ in range(2))
    assert words == again
    assert words is not None
    assert words.texts == 8
    assert all(0.0 < form.mass <= 1.0 for form in words.forms)
    assert max(half.error for form in words.forms for half in form.power) > 0.15
