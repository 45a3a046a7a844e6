"""The second meaning of a pun, by the embedded model."""

from __future__ import annotations

import numpy as np
import pytest

from jokejudge_gui.core.paths import models_dir
from jokejudge_gui.engine.llama_engine import LlamaEngine
from jokejudge_gui.heads.editor import EditorHeads
from jokejudge_gui.heads.sense import SenseHeads
from jokejudge_gui.heads.wordplay import WordplayHead
from jokejudge_gui.judge.reader import Reader

PUN = "My uncle runs a bakery because he kneads the dough."


def test_it_is_the_same_to_the_last_bit_and_costs_two_dozen_tokens(engine: LlamaEngine) -> None:
    sha256 = engine.info.sha256
    editor = EditorHeads.find(sha256, models_dir() / "editor")
    wordplay = WordplayHead.find(sha256, models_dir() / "wordplay")
    assert wordplay is not None

    before = engine.usage
    first = Reader(engine, editor=editor, wordplay=wordplay).read(PUN).wordplay
    cost = engine.usage - before
    engine.scan("Something else in between.")
    again = Reader(engine, editor=editor, wordplay=wordplay).read(PUN).wordplay

    assert first.said.second == "needs"
    assert first == again
    assert len(engine.scan(PUN).spans) < cost.tokens_evaluated <= len(engine.scan(PUN).spans) + 36


@pytest.mark.parametrize(
    ("text", "alone", "said"),
    [
        ("The miller came every Friday and stood at her door with a bunch of flours.", "unsure", "joke"),
        ("My father walked me down the isle in the end: we stopped for lunch in Newport.", "unsure", "joke"),
        ("The bus was late again this morning, so I walked to the office.", "no turn", "no turn"),
    ],
)
def test_where_a_second_meaning_is_named_something_turns(engine: LlamaEngine, text: str, alone: str, said: str) -> None:
    sha256 = engine.info.sha256
    sense = SenseHeads.find(sha256, models_dir() / "sense")
    without = Reader(engine, sense=sense).read(text).sense
    found = Reader(
        engine,
        sense=sense,
        editor=EditorHeads.find(sha256, models_dir() / "editor"),
        wordplay=WordplayHead.find(sha256, models_dir() / "wordplay"),
    ).read(text)

    assert (without.sense.said, found.sense.sense.said) == (alone, said)
    assert found.sense.sense.joke == without.sense.joke
    assert (found.wordplay is not None and found.wordplay.said is not None) == (alone != said)
    assert (found.sense.short == 0) == (said == "joke")


def test_rows_times_states_are_logits(engine: LlamaEngine) -> None:
    scan = engine.scan(PUN)
    rows = engine.output_rows([PUN])[0]
    others = engine.output_rows([" giraffe"])[0][:1]

    own = (scan.states[:-1] * rows[1:]).sum(axis=1) - scan.logprobs[1:]
    assert rows.shape == scan.states.shape
    # What a logit exceeds its log-probability by is the place's normaliser, larger than any other word's logit.
    assert (own >= (scan.states[:-1] @ others[0]) - 1.0).all()
    assert np.isfinite(own).all()
