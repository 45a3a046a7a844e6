"""A text read once: its states, what the model expected, and where its tokens lie."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from jokejudge_gui.engine.base import Question, Segment
from jokejudge_gui.engine.llama_engine import LlamaEngine
from jokejudge_gui.engine.loader import load_engine
from jokejudge_gui.library.embedded import EMBEDDED_SHA256

JOKE = "A duck walks into a bar and orders “a pint of bread”."
OTHER = "My bank called about unusual activity: I had gone outside. 🦆"
NOISE = 0.2


@pytest.fixture(scope="module")
def engine(embedded_model: Path) -> Iterator[LlamaEngine]:
    engine = load_engine(embedded_model, sha256=EMBEDDED_SHA256, threads=2)
    yield engine
    engine.close()


def test_a_scan_holds_the_states_and_spans_of_the_same_text(engine: LlamaEngine) -> None:
    for text in (JOKE, OTHER, "bread " * 520):
        scan = engine.scan(text)
        assert np.array_equal(scan.states, engine.embed([text])[0])
        assert list(scan.spans) == engine.spans(text)
        assert scan.logprobs.shape == (len(scan.spans),)
        assert scan.logprobs[0] == 0
        assert (scan.logprobs[1:] < 0).all()


def test_a_token_is_as_likely_as_the_model_says_when_it_is_asked(engine: LlamaEngine) -> None:
    scan = engine.scan("A duck walks into a bar")
    [choice] = engine.choose((Segment("A duck walks into"),), [Question((Segment(" a"),), (" bar",))])
    assert scan.logprobs[-1] == pytest.approx(choice.logprobs[0], abs=NOISE)


def test_texts_scanned_together_differ_by_the_noise_alone(engine: LlamaEngine) -> None:
    together = engine.scan_together([JOKE, OTHER])
    for text, scan in zip((JOKE, OTHER), together, strict=True):
        alone = engine.scan(text)
        assert scan.spans == alone.spans
        assert np.allclose(scan.logprobs, alone.logprobs, atol=2 * NOISE)
        assert scan.states.shape == alone.states.shape
