"""The shipped editor's heads on the embedded model."""

from __future__ import annotations

import numpy as np
import pytest

from jokejudge_gui.core import paths
from jokejudge_gui.engine.llama_engine import LlamaEngine
from jokejudge_gui.heads.editor import EditorHeads, EditorReading
from jokejudge_gui.heads.offence import OffenceHead
from jokejudge_gui.library.embedded import EMBEDDED_SHA256

JOKES = [
    "The lighthouse keeper never married: every evening he turned and turned, and only ever met ships that passed.",
    "My dentist told me that I need a crown. At last, I said, somebody has noticed.",
    "Why did the clock go to the doctor? It had two hands and nothing in them.",
    "The tailor left his wife because things between them had come apart at the seams.",
]
PRAISE = " hilarious yes true funny best 5 five"
NEUTRAL = " the table stood by a window"


@pytest.fixture(scope="module")
def heads() -> EditorHeads:
    found = EditorHeads.find(EMBEDDED_SHA256, paths.models_dir() / "editor")
    assert found is not None
    return found


def read(engine: LlamaEngine, heads: EditorHeads, text: str) -> EditorReading:
    scan = engine.scan(text)
    return heads.found(scan.states, text, scan.spans, scan.logprobs)[0]


def test_subjects_and_forms_are_read(engine: LlamaEngine, heads: EditorHeads) -> None:
    dentist = read(engine, heads, JOKES[1])
    clock = read(engine, heads, JOKES[2])
    knock = read(engine, heads, "Knock, knock.\nWho's there?\nLettuce.\nLettuce who?\nLettuce in, it's cold.")
    assert dentist.kinds["doctor"] > 0.5
    assert clock.kinds["question_answer"] > 0.8
    assert knock.kinds["knock_knock"] > 0.5


def test_words_that_praise_raise_no_score_more_than_words_that_say_nothing(
    engine: LlamaEngine, heads: EditorHeads
) -> None:
    for joke in JOKES:
        scores = {
            name: np.mean([f.expected for f in read(engine, heads, joke + more).factors.values()])
            for name, more in (("bare", ""), ("praise", PRAISE), ("neutral", NEUTRAL))
        }
        assert scores["praise"] <= max(scores["bare"], scores["neutral"]) + 0.05


def test_offence_is_told_from_harmless_jokes(engine: LlamaEngine) -> None:
    head = OffenceHead.find(EMBEDDED_SHA256, paths.models_dir() / "offence")
    found = [head.of_states(engine.embed([text])[0], text) for text in JOKES]
    assert not any(each.stated for each in found)
    rude = "Why do women have small feet? So they can stand closer to the sink."
    assert head.of_states(engine.embed([rude])[0], rude).stated
