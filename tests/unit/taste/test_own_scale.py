"""A person's own scale: what it learns from few scores, and when it is used."""

from __future__ import annotations

import numpy as np

from jokejudge_gui.learning.taste import FEWEST_SCORES as FEWEST
from jokejudge_gui.learning.taste import OwnScore, fit_scale
from jokejudge_gui.learning.words import scale_lines

CHANCES = np.linspace(0.2, 0.8, 24)


def scored(*scores: float) -> list[OwnScore]:
    return [
        OwnScore(text=str(n), chance=float(p), score=s) for n, (p, s) in enumerate(zip(CHANCES, scores, strict=False))
    ]


def test_too_few_scores_say_nothing() -> None:
    assert fit_scale(scored(*[5.0] * (FEWEST - 1))) is None
    assert "From 20 on" in scale_lines(None, 7)[0]


def test_a_strict_person_gets_lower_chances_and_it_holds_out() -> None:
    scale = fit_scale(scored(*[2.0] * 20, *[8.0] * 4))
    assert scale is not None
    assert scale.kept
    assert (scale.n, scale.good) == (24, 4)
    assert scale.p(0.5) < 0.3
    assert scale.p(0.7) > scale.p(0.3)
    assert "good to you with a chance of 0." in scale_lines(scale, 24)[1]


def test_what_does_not_beat_most_people_s_chances_is_not_used() -> None:
    rng = np.random.default_rng(0)
    # Scores that go by the chances exactly as most people's: there is nothing to learn.
    kept = sum(bool((fit := fit_scale(scored(*(10.0 * (rng.random(24) < CHANCES))))) and fit.kept) for _ in range(60))
    assert kept < 30
    contrary = fit_scale(scored(*[9.0, 1.0] * 12))
    assert contrary is not None
    if not contrary.kept:
        assert "not used" in scale_lines(contrary, 24)[1]
