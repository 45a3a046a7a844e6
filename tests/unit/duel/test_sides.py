"""A probability near a half is a tie, wherever it is told."""

from __future__ import annotations

import pytest

from jokejudge_gui.judge.duel.record import DuelResult, DuelText, side_of


@pytest.mark.parametrize(
    ("p_a", "side"), [(0.475, "B"), (0.477, "tie"), (0.5, "tie"), (0.523, "tie"), (0.525, "A"), (0.0, "B"), (1.0, "A")]
)
def test_from_476_to_524_in_a_thousand_it_is_a_tie(p_a: float, side: str) -> None:
    assert side_of(p_a) == side


def test_a_mirrored_verdict_exchanges_what_was_read_in_each_text() -> None:
    read = DuelText(said="no turn", kind="one-liners", agreement=0.66)
    result = DuelResult(id="d", text_a="One.", text_b="Two.", winner="A", p_a=0.8, read_a=read)
    turned = result.mirrored()
    assert (turned.read_a, turned.read_b, turned.text_a) == (None, read, "Two.")
    assert turned.mirrored() == result.replaced(p_a=turned.mirrored().p_a)
