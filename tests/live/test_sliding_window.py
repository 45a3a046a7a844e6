"""The engine on a model with sliding-window attention (Gemma 3 270M base), which can't roll back or reuse its cache as
others do. The model is fetched for tests only, never shipped: without it these tests are skipped."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from jokejudge_gui.core.errors import Cancelled
from jokejudge_gui.engine.base import CancelToken, Sampling, Segment
from jokejudge_gui.engine.llama_engine import LlamaEngine

from .engine_helpers import JOKE, OTHER, SHORT, ask, load, prompt, questions

VARIABLE = "JOKEJUDGE_SWA_MODEL"
WINDOW = 512
# Well past the window, so that early tokens have left it when the questions are asked.
RULES = " ".join(f"Rule {number}: a text may be funny in way {number}." for number in range(75))


@pytest.fixture(scope="module")
def model(embedded_model: Path) -> Path:
    """The model that the variable names, or a Gemma 3 in the folder of the user's models."""
    named = os.environ.get(VARIABLE)
    if named:
        path = Path(named)
        assert path.is_file(), f"{VARIABLE} names {named}, which isn't a file"
        return path
    found = sorted(embedded_model.parent.glob("gemma-3-*.gguf"))
    if not found:
        pytest.skip(f"no sliding-window model: name a Gemma 3 GGUF in {VARIABLE}, or put one beside the embedded model")
    return found[0]


@pytest.fixture(scope="module")
def engine(model: Path) -> Iterator[LlamaEngine]:
    engine = load(model)
    yield engine
    engine.close()


def test_the_kind_of_memory_is_recognised_and_the_prompt_is_longer_than_the_window(engine: LlamaEngine) -> None:
    assert engine.info.memory == "sliding-window"
    assert engine.count(prompt(engine, JOKE, RULES)) > 2 * WINDOW


def test_cold_warm_disk_and_after_others_are_equal_to_the_last_bit(model: Path, tmp_path: Path) -> None:
    engine = load(model, tmp_path)
    cold = ask(engine, JOKE, RULES)
    warm = ask(engine, JOKE, RULES)
    between = [ask(engine, OTHER, SHORT), ask(engine, OTHER, RULES)]
    list(engine.generate(prompt(engine, OTHER, SHORT), [(Segment("It is"),), (Segment("So"),)], Sampling(max_tokens=5)))
    engine.embed([OTHER])
    after = ask(engine, JOKE, RULES)
    before = engine.usage
    assert [ask(engine, OTHER, SHORT), ask(engine, OTHER, RULES)] == between
    assert engine.usage.tokens_reused > before.tokens_reused
    engine.close()

    restored = load(model, tmp_path)
    constant = restored.count(prompt(restored, JOKE, RULES)[:4])
    disk = ask(restored, JOKE, RULES)
    assert restored.usage.tokens_reused == constant
    assert restored.usage.tokens_evaluated < 200
    restored.close()
    fresh = load(model)
    again = ask(fresh, JOKE, RULES)
    fresh.close()
    assert cold == warm == after == disk == again
    assert cold != between[1]


def test_a_joke_longer_than_the_window_is_answered_the_same_warm_and_cold(model: Path, tmp_path: Path) -> None:
    long_joke = "So the man said to the duck, and the duck said to the man: no bread today. " * 45
    engine = load(model, tmp_path)
    assert engine.count((Segment(long_joke),)) > WINDOW
    ask(engine, JOKE, SHORT)
    warm = ask(engine, long_joke, SHORT)
    engine.close()
    fresh = load(model)
    assert ask(fresh, long_joke, SHORT) == warm
    fresh.close()


def test_second_question_evaluates_only_the_new_tokens(engine: LlamaEngine) -> None:
    ask(engine, JOKE, RULES)
    constant = engine.count(prompt(engine, JOKE, RULES)[:4])
    before = engine.usage
    ask(engine, OTHER, RULES)
    assert engine.usage.tokens_reused - before.tokens_reused == constant
    assert engine.usage.tokens_evaluated - before.tokens_evaluated < 200


def test_generation_is_the_same_again_after_other_work(engine: LlamaEngine) -> None:
    def write() -> str:
        branches = [(Segment("The joke is"),), (Segment("One could"),)]
        sampling = Sampling(max_tokens=12, temperature=0.9, seed=5)
        pieces = engine.generate(prompt(engine, JOKE, RULES), branches, sampling)
        return "|".join(f"{piece.branch}{piece.text}" for piece in pieces)

    first = write()
    ask(engine, OTHER, SHORT)
    assert write() == first


def test_embedding_does_not_depend_on_what_went_before(engine: LlamaEngine) -> None:
    alone = engine.embed([JOKE])[0]
    ask(engine, OTHER, RULES)
    assert np.array_equal(alone, engine.embed([OTHER, JOKE])[1])


def test_stop_breaks_off_prompt_processing_and_the_engine_stays_sound(engine: LlamaEngine) -> None:
    sound = ask(engine, JOKE, SHORT)
    token = CancelToken()
    timer = threading.Timer(0.2, token.cancel)
    timer.start()
    with pytest.raises(Cancelled):
        engine.choose(prompt(engine, JOKE, "word " * 3500), questions(engine), token)
    timer.join()
    assert ask(engine, JOKE, SHORT) == sound


def test_stop_breaks_off_generation(engine: LlamaEngine) -> None:
    sound = ask(engine, JOKE, SHORT)
    token = CancelToken()
    pieces = engine.generate(prompt(engine, JOKE, SHORT), [(Segment("Once"),)], Sampling(max_tokens=400), token)
    next(pieces)
    token.cancel()
    with pytest.raises(Cancelled):
        list(pieces)
    assert ask(engine, JOKE, SHORT) == sound
