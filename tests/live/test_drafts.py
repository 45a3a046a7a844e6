"""The shipped draft heads on the embedded model, on drafts of our own."""

from __future__ import annotations

import pytest

from jokejudge_gui.core import paths
from jokejudge_gui.engine.llama_engine import LlamaEngine
from jokejudge_gui.heads.drafts import DraftHeads, reading
from jokejudge_gui.heads.near_duplicates import same_joke
from jokejudge_gui.library.embedded import EMBEDDED_SHA256
from jokejudge_gui.session.session import Session
from tests.ends import finished

DRAFTS = [
    (
        "My therapist says I avoid things. I'm seeing her again in spring.",
        "My therapist says I avoid things. I'm seeing her again in spring, because I'm avoiding her too, you see.",
    ),
    (
        "The ghost in our flat has started leaving reviews. Two stars: owners never leave.",
        "The ghost that lives in our flat has basically now started leaving some reviews. Two stars: the owners never"
        " really leave at all.",
    ),
    (
        "Grandpa fixed the clock himself. Lunch is at four now, twice.",
        "Grandpa fixed the clock himself. Lunch is at four now, twice, and the rest of us had soup and then a nap.",
    ),
    (
        "I bought a self-help book for procrastinators. It arrives in a month; I chose that.",
        "I bought a book. It arrives sometime; I chose that.",
    ),
    (
        "The gym sent a card: they miss me. So does the sofa, whenever I stand up.",
        "The gym send a card: they misses me. So does the sofa, whenever I stand up.",
    ),
    (
        "Our smart fridge knows what I eat. It has stopped lighting up when I come in.",
        "Our disappointed fridge knows what I eat. It has stopped lighting up when I come in.",
    ),
]


@pytest.fixture(scope="module")
def heads() -> DraftHeads:
    found = DraftHeads.find(EMBEDDED_SHA256, paths.models_dir() / "drafts")
    assert found is not None
    return found


def test_the_cleaner_of_two_drafts_is_preferred(engine: LlamaEngine, heads: DraftHeads) -> None:
    right = 0
    for better, worse in DRAFTS:
        assert same_joke(better, worse)
        right += heads.compare(reading(better, engine.scan(better)), reading(worse, engine.scan(worse))).p_a > 0.5
    assert right >= 5


def test_order_and_what_was_read_before_change_nothing(engine: LlamaEngine, heads: DraftHeads) -> None:
    for a, b in DRAFTS[:3]:
        there = heads.compare(reading(a, engine.scan(a)), reading(b, engine.scan(b)))
        engine.embed(["Something else altogether."])
        back = heads.compare(reading(b, engine.scan(b)), reading(a, engine.scan(a)))
        assert there.p_a == 1.0 - back.p_a
        assert there.faults == back.faults


@pytest.mark.parametrize(
    ("text", "better"),
    [
        (
            "Here is a really funny joke that I heard. I told my doctor I broke my arm in two places. He told me to"
            " stop going to those places.",
            "I told my doctor I broke my arm in two places. He told me to stop going to those places.",
        ),
        (
            DRAFTS[1][1],
            "The ghost that lives in our flat has now started leaving some reviews. Two stars: the owners never really"
            " leave at all.",
        ),
        *((text, None) for text, _ in (*DRAFTS[:2], DRAFTS[3])),
    ],
)
def test_edits_of_a_padded_joke_are_shown_and_none_of_a_lean_one(
    session: Session, text: str, better: str | None
) -> None:
    last = finished(session.rate(text, force=True, explain=True, record=False))
    shown = [remark.trial.text for remark in last.remarks if remark.trial]
    assert shown[:1] == ([better] if better else [])
