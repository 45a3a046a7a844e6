"""The shipped head on the embedded model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jokejudge_gui.core import paths
from jokejudge_gui.engine.base import Segment
from jokejudge_gui.engine.llama_engine import LlamaEngine
from jokejudge_gui.heads.audience import AudienceHead
from jokejudge_gui.judge.asking.calibration import contrast as contrast_of
from jokejudge_gui.judge.rating.admissibility_checker import INTENT, REJECT_BELOW
from jokejudge_gui.library.embedded import EMBEDDED_SHA256
from jokejudge_gui.rubric.xml_parser import load_criteria

# Our own sentences: a pun beside a saying. A head tells these apart; a pun beside the same sentence without its pun it
# doesn't, and no test pretends so.
PAIRS = [
    (
        "Two antennas got married: the wedding was dull, but the reception was excellent.",
        "A wise man keeps his counsel, and a fool is known by his many words in public.",
    ),
    (
        "I used to be a banker, but after a while I lost interest in it.",
        "He who sleeps late in the morning will have to run all day.",
    ),
    (
        "The gardener quit because his celery was too low.",
        "The gardener said that a fence makes a good neighbour.",
    ),
    (
        "My friend the baker stopped making doughnuts because he was fed up with the hole business.",
        "The early hours of a quiet day are worth more than the late hours of a loud one.",
    ),
]


@pytest.fixture(scope="module")
def head() -> AudienceHead:
    head = AudienceHead.find(EMBEDDED_SHA256, paths.models_dir() / "heads")
    assert head is not None
    return head


def test_a_head_for_the_embedded_model_ships_with_its_card(head: AudienceHead) -> None:
    assert head.meta.model_sha256 == EMBEDDED_SHA256
    card = json.loads((paths.models_dir() / "cards" / f"{EMBEDDED_SHA256[:16]}.json").read_text(encoding="utf-8"))
    assert card["model"]["sha256"] == EMBEDDED_SHA256
    assert card["version"] == head.version
    assert card["agreement"] == head.meta.agreement
    assert card["one_person"] == head.meta.one_person


def test_the_same_text_gets_the_same_score_to_the_last_bit(engine: LlamaEngine, head: AudienceHead) -> None:
    joke, other = PAIRS[0]
    first = head.read(engine, joke)
    head.read(engine, other)
    again = head.read(engine, joke)
    assert (first.scores, first.kinds) == (again.scores, again.kinds)
    assert head.difference(first, again) == 0.0


def test_puns_stand_above_sayings_whichever_comes_first(engine: LlamaEngine, head: AudienceHead) -> None:
    for joke, saying in PAIRS:
        a, b = head.read(engine, joke), head.read(engine, saying)
        assert head.difference(a, b) > 0 > head.difference(b, a)
        assert head.audience(a).percentile > head.audience(b).percentile


def test_jokes_are_told_from_plain_texts_and_only_clear_ones_rejected(engine: LlamaEngine, head: AudienceHead) -> None:
    contrast = load_criteria().contrast
    jokes = [head.read(engine, text).joke for text in (*contrast.admissible, *contrast.baseline)]
    plain = [head.read(engine, text).joke for text in contrast.inadmissible[INTENT]]
    assert None not in (*jokes, *plain)
    assert min(jokes) > 0 > REJECT_BELOW  # type: ignore[type-var, operator]
    assert contrast_of(jokes, plain).d_prime > 2.0  # type: ignore[arg-type]
    for text in (
        "Success is not final and failure is not fatal: believe in yourself, and never give up on your dreams.",
        "According to a new report, one in five children lives in poverty and has no access to clean drinking water.",
    ):
        odds = head.read(engine, text).joke
        assert odds < REJECT_BELOW


def test_an_adapter_changes_what_is_read_behind_a_scene_and_nothing_else(engine: LlamaEngine) -> None:
    contextual = AudienceHead.find(EMBEDDED_SHA256, paths.models_dir() / "heads" / "context")
    scene, other = (Segment(f"{words}\n", constant=True) for words in ("Two fish in a tank.", "A moose in a lift."))
    texts = ["How do you drive this thing?", "I said moose."]

    def read(*prompt: Segment, adapter: Path | None = contextual.adapter) -> list[list[float]]:
        return [states.ravel().tolist() for states in engine.embed(texts, prompt=prompt, adapter=adapter)]

    plain = read(scene, adapter=None)
    first = read(scene)
    assert first != plain
    engine.read_with(2)
    assert (read(other) != first, read(scene)) == (True, first)
    engine.read_with(0)
    # A scene that is decoded already, or another text before it, changes no bit.
    assert [
        states.ravel().tolist()
        for text in texts[::-1]
        for states in engine.embed([text], prompt=(scene,), adapter=contextual.adapter)
    ] == first[::-1]
    assert read(scene, adapter=None) == plain
