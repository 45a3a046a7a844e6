"""The engine on models whose memory can't branch inside a batch: a recurrent one (Mamba) and a hybrid one (LFM2), both
tiny and of random weights, quantised as real ones are."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from jokejudge_gui.core.errors import Cancelled
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.engine import binding
from jokejudge_gui.engine.base import CancelToken, Sampling, Segment
from jokejudge_gui.engine.llama_engine import LlamaEngine
from jokejudge_gui.engine.quantise import write_q8_0
from jokejudge_gui.library.probe import probe

from . import linear_models
from .engine_helpers import JOKE, LONG, OTHER, SHORT, ask, load, prompt, questions

MAKERS: dict[str, Callable[[Path, Path], Path]] = {
    "recurrent": linear_models.recurrent,
    "hybrid": linear_models.hybrid,
}
BRANCHES = [(Segment("It is"),), (Segment("So the man"),)]


@pytest.fixture(scope="module", params=list(MAKERS))
def model(request: pytest.FixtureRequest, embedded_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("linear")
    plain = MAKERS[request.param](folder / "plain.gguf", embedded_model)
    target = folder / f"{request.param}.gguf"
    write_q8_0(plain, target)
    return target


@pytest.fixture
def engine(model: Path) -> Iterator[LlamaEngine]:
    engine = load(model)
    yield engine
    engine.close()


def write(engine: LlamaEngine, branches: list[tuple[Segment, ...]], tokens: int = 8) -> list[str]:
    texts = [""] * len(branches)
    for piece in engine.generate(prompt(engine, JOKE), branches, Sampling(max_tokens=tokens)):
        texts[piece.branch] += piece.text
    return texts


def test_the_kind_is_recognised_and_its_price_told(model: Path, engine: LlamaEngine, profile: Profile) -> None:
    assert engine.info.memory == model.stem
    assert any("take longer" in note for note in engine.info.notes)
    assert probe(model, profile).facts[model.stem] is True


def test_cold_warm_disk_and_after_others_are_equal_to_the_last_bit(model: Path, tmp_path: Path) -> None:
    engine = load(model, tmp_path)
    cold = ask(engine, JOKE, LONG)
    warm = ask(engine, JOKE, LONG)
    between = [ask(engine, OTHER, SHORT), ask(engine, OTHER, LONG)]
    write(engine, BRANCHES)
    engine.embed([OTHER])
    after = ask(engine, JOKE, LONG)
    assert [ask(engine, OTHER, SHORT), ask(engine, OTHER, LONG)] == between
    engine.close()

    restored = load(model, tmp_path)
    constant = restored.count(prompt(restored, JOKE, LONG)[:4])
    disk = ask(restored, JOKE, LONG)
    assert restored.usage.tokens_reused == constant
    assert restored.usage.tokens_evaluated < constant
    restored.close()
    fresh = load(model)
    again = ask(fresh, JOKE, LONG)
    fresh.close()
    assert cold == warm == after == disk == again
    assert cold != between[1]
    assert len(set(cold)) == len(cold)


def test_company_does_not_change_an_answer(engine: LlamaEngine) -> None:
    together = ask(engine, JOKE)
    alone = [engine.choose(prompt(engine, JOKE), [question])[0] for question in questions(engine)]
    backwards = engine.choose(prompt(engine, JOKE), questions(engine)[::-1])[::-1]
    assert together == alone == backwards


def test_answers_are_those_of_a_plain_decode(model: Path, engine: LlamaEngine) -> None:
    """Prompt, question and label in one sequence and one batch, without forks or saved states."""
    answers = ask(engine, JOKE, LONG)
    native = binding.NativeModel(str(model))
    context = binding.NativeContext(native, context=4096, sequences=1, batch=2048, threads=1, batch_threads=1)
    try:
        head = [token for segment in prompt(engine, JOKE, LONG) for token in tokens_of(native, segment)]
        for question, answer in zip(questions(engine), answers, strict=True):
            asked = [token for segment in question.suffix for token in tokens_of(native, segment)]
            for label, logprob in zip(question.labels, answer.logprobs, strict=True):
                wanted = native.tokenize(label, special=False)
                run = [*head, *asked, *wanted[:-1]]
                first = len(run) - len(wanted)
                context.clear()
                context.decode(run, range(len(run)), [[0]] * len(run), [at >= first for at in range(len(run))])
                rows = [context.logits(first + at).astype(np.float64) for at in range(len(wanted))]
                total = sum(row[token] - np.logaddexp.reduce(row) for row, token in zip(rows, wanted, strict=True))
                # The attention layer of the hybrid one differs by the numerical noise of another batch.
                assert logprob == pytest.approx(total, abs=0.3)
    finally:
        context.close()
        native.close()


def ask_for_ever(engine: LlamaEngine, token: CancelToken) -> None:
    while True:
        engine.choose(prompt(engine, JOKE, "word " * 3500), questions(engine), token)


def tokens_of(native: binding.NativeModel, segment: Segment) -> tuple[int, ...]:
    return native.tokenize(segment.text, special=segment.markup)


def test_branches_do_not_disturb_each_other_and_text_is_the_same_again(engine: LlamaEngine) -> None:
    both = write(engine, BRANCHES)
    ask(engine, OTHER, SHORT)
    assert write(engine, BRANCHES) == both
    assert [write(engine, [branch])[0] for branch in BRANCHES] == both


def test_a_joke_longer_than_a_batch_is_answered_the_same_warm_and_cold(model: Path, engine: LlamaEngine) -> None:
    long_joke = "So the man said to the duck, and the duck said to the man: no bread today. " * 45
    assert engine.count((Segment(long_joke),)) > 512
    ask(engine, JOKE, SHORT)
    warm = ask(engine, long_joke, SHORT)
    fresh = load(model)
    assert ask(fresh, long_joke, SHORT) == warm
    fresh.close()


def test_embedding_does_not_depend_on_what_went_before(engine: LlamaEngine) -> None:
    alone = engine.embed([JOKE])[0]
    ask(engine, OTHER)
    assert np.array_equal(alone, engine.embed([OTHER, JOKE])[1])


def test_stop_leaves_the_engine_sound(engine: LlamaEngine) -> None:
    sound = ask(engine, JOKE, SHORT)
    token = CancelToken()
    pieces = engine.generate(prompt(engine, JOKE, SHORT), BRANCHES, Sampling(max_tokens=400), token)
    next(pieces)
    token.cancel()
    with pytest.raises(Cancelled):
        list(pieces)
    assert ask(engine, JOKE, SHORT) == sound
    token = CancelToken()
    timer = threading.Timer(0.05, token.cancel)
    timer.start()
    with pytest.raises(Cancelled):
        ask_for_ever(engine, token)
    timer.join()
    assert ask(engine, JOKE, SHORT) == sound
