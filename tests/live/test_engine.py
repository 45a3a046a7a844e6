"""The engine on the embedded model: answers are the same to the last bit whatever is cached; a text is read once into
its states, what the model expected, and where its tokens lie."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest

from jokejudge_gui.core.errors import EngineError
from jokejudge_gui.engine.base import Question, Sampling, Segment
from jokejudge_gui.engine.llama_engine import LlamaEngine
from jokejudge_gui.engine.loader import load_engine
from jokejudge_gui.judge.rating.factor_analyzer import GRAMMAR, TOKENS, WRITTEN

from .engine_helpers import JOKE, OTHER, SHORT, ask, load, prompt, questions

NOISE = 0.2


def test_a_text_too_long_to_share_a_batch_with_its_questions_is_answered_the_same_too(
    embedded_model: Path, tmp_path: Path
) -> None:
    story = "A duck walks into a shop and asks the man for bread. " * 20
    engine = load(embedded_model, tmp_path)
    cold = ask(engine, story, SHORT)
    assert ask(engine, story, SHORT) == cold
    between = ask(engine, JOKE, SHORT)
    assert ask(engine, story, SHORT) == cold
    engine.close()
    restored = load(embedded_model, tmp_path)
    assert ask(restored, JOKE, SHORT) == between
    assert ask(restored, story, SHORT) == cold
    restored.close()


def test_prompts_asked_together_are_the_same_again_and_near_what_each_gives_alone(engine: LlamaEngine) -> None:
    cases = [(prompt(engine, joke), questions(engine)[:2]) for joke in (JOKE, OTHER)]
    together = engine.choose_each(cases)
    constant = engine.count(prompt(engine, JOKE)[:4])
    before = engine.usage
    ask(engine, "Something else.")
    reused = engine.usage.tokens_reused
    assert engine.choose_each(cases) == together
    assert engine.usage.tokens_reused - reused == constant
    assert engine.usage.tokens_evaluated - before.tokens_evaluated < 200
    for (text, asked), answers in zip(cases, together, strict=True):
        for one, other in zip(engine.choose(text, asked), answers, strict=True):
            assert one.logprobs == pytest.approx(other.logprobs, abs=0.6)


def test_a_damaged_saved_state_changes_no_answer(embedded_model: Path, tmp_path: Path) -> None:
    engine = load(embedded_model, tmp_path)
    sound = ask(engine, JOKE, SHORT)
    engine.close()
    files = list(tmp_path.glob("*.state"))
    assert files
    for file in files:
        file.write_bytes(file.read_bytes()[:-1000])
    engine = load(embedded_model, tmp_path)
    assert ask(engine, JOKE, SHORT) == sound
    engine.close()


def test_control_tokens_in_a_joke_are_plain_characters(engine: LlamaEngine) -> None:
    frame = engine.frame
    inside = engine.count((Segment("<|im_end|>"),))
    assert inside > engine.count((Segment("<|im_end|>", markup=True),))
    assert "<|im_start|>" in frame.before_user


def test_labels_that_are_the_same_tokens_are_refused(engine: LlamaEngine) -> None:
    question = Question((Segment("Answer:"),), (" yes", " yes"))
    with pytest.raises(EngineError) as caught:
        engine.choose(prompt(engine, JOKE), [question])
    assert caught.value.code == "E_LABELS"


def test_generation_stops_at_its_stop(engine: LlamaEngine) -> None:
    branch = (Segment(engine.frame.before_answer, markup=True), Segment("The joke is"))
    sampling = Sampling(max_tokens=20, temperature=0.9, seed=5, stop=(".",))
    assert "." not in "".join(piece.text for piece in engine.generate(prompt(engine, JOKE), [branch], sampling))


def test_the_grammar_of_a_factor_gives_valid_json(engine: LlamaEngine) -> None:
    branch = (Segment(engine.frame.before_answer, markup=True),)
    sampling = Sampling(max_tokens=TOKENS, grammar=GRAMMAR, temperature=0.5)
    pieces = engine.generate(prompt(engine, JOKE), [branch], sampling)
    assert json.loads("".join(piece.text for piece in pieces), strict=False).keys() == WRITTEN.keys()


def test_texts_that_share_a_batch_differ_by_noise_alone_and_leave_nothing_behind(engine: LlamaEngine) -> None:
    sound = ask(engine, JOKE)
    texts = [JOKE, "word " * 520, OTHER, *(f"Joke number {number} is short." for number in range(60))]
    scans = engine.scan_together(texts)
    together = [scan.states for scan in scans]
    assert len(together) == len(texts)
    for text, scan, states in zip(texts[:8], scans, together, strict=False):
        alone = engine.embed([text])[0]
        assert states.shape == alone.shape
        assert scan.spans == engine.scan(text).spans
        likeness = (states * alone).sum(axis=1) / np.linalg.norm(states, axis=1) / np.linalg.norm(alone, axis=1)
        assert likeness.min() > 0.99
    assert np.array_equal(engine.scan_together(texts)[2].states, together[2])
    short = [JOKE, OTHER, "Hi.", "I", "word " * 70, "I said moose.", ". Moose."]
    apart = engine.scan_apart(short)
    shared = [read is not None for read in apart]
    assert shared in ([True, True, True, False, False, True, True], [False] * len(short))  # as the build allows
    for read, text in zip(apart, short, strict=True):
        if read is not None:
            assert np.array_equal(read[0].states, engine.scan(text).states)
            assert np.array_equal(read[0].logprobs, engine.scan(text).logprobs)
    assert ask(engine, JOKE) == sound
    assert engine.scan_together([]) == []
    for bad, code in (("", "E_EMPTY"), ("word " * 5000, "E_CONTEXT")):
        before = engine.usage.tokens_evaluated
        with pytest.raises(EngineError) as raised:
            engine.scan_together([JOKE, bad])
        assert (raised.value.code, engine.usage.tokens_evaluated) == (code, before)


def test_the_number_of_threads_changes_no_bit_of_an_answer(embedded_model: Path) -> None:
    answers = []
    for threads in (1, 2, 3):
        engine = load_engine(embedded_model, sha256="0" * 64, threads=threads)
        answers.append([ask(engine, JOKE), ask(engine, OTHER)])
        engine.close()
    assert answers[0] == answers[1] == answers[2]


def test_every_state_of_a_text_has_its_span_of_characters(engine: LlamaEngine) -> None:
    for text in (JOKE, OTHER, "Ein Käse für 5 €: 🧀👩‍🚀 naïve\n\n\t“done”. 漢字", "   spaces   "):
        spans = engine.scan(text).spans
        assert len(spans) == len(engine.embed([text])[0])
        assert (spans[0][0], spans[-1][1]) == (0, len(text))
        for (begin, end), (after, _) in itertools.pairwise(spans):
            assert begin < end
            assert after in (end, end - 1)
    words = [JOKE[begin:end] for begin, end in engine.scan(JOKE).spans]
    assert "".join(words) == JOKE


def test_states_behind_a_prompt_are_of_the_text_alone_and_the_same_however_they_are_asked_for(
    engine: LlamaEngine,
) -> None:
    scene = (Segment("A cat sits at a bar. ", constant=True),)
    tokens = len(engine.scan(JOKE).spans)
    alone = engine.embed([JOKE], prompt=scene)[0]
    assert alone.shape == (tokens, engine.info.embedding_size)
    second = engine.embed([OTHER, JOKE], prompt=scene)[1]
    engine.warm(prompt(engine, OTHER))
    ask(engine, OTHER)
    third = engine.embed([JOKE], prompt=scene)[0]
    assert np.array_equal(alone, second)
    assert np.array_equal(alone, third)
    assert not np.array_equal(alone, engine.embed([JOKE])[0])


def test_a_scan_holds_the_states_and_spans_of_the_same_text(engine: LlamaEngine) -> None:
    for text in (JOKE, OTHER, "bread " * 520):
        scan = engine.scan(text)
        assert np.array_equal(scan.states, engine.embed([text])[0])
        assert scan.logprobs.shape == (len(scan.spans),)
        assert scan.logprobs[0] == 0
        assert (scan.logprobs[1:] < 0).all()


def test_a_token_is_as_likely_as_the_model_says_when_it_is_asked(engine: LlamaEngine) -> None:
    scan = engine.scan("A duck walks into a bar")
    [choice] = engine.choose((Segment("A duck walks into"),), [Question((Segment(" a"),), (" bar",))])
    assert scan.logprobs[-1] == pytest.approx(choice.logprobs[0], abs=NOISE)
