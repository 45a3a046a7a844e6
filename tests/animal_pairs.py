"""Labelled pairs and texts about animals: people like the one with the penguin in it."""

from __future__ import annotations

from typing import Any

from jokejudge_gui.measure.evaluation import Answer
from jokejudge_gui.measure.labelled import Labelled

BLANK: Answer = {"id": "", "model": None, "mode": "quick", "program": "", "error": None, "people": None}
ANIMALS = ("horse", "duck", "parrot", "goat", "llama", "newt", "heron", "badger")


def pairs(count: int = 40, *, votes: bool = True) -> list[Labelled]:
    """Pairs in which people always prefer the text with the punning penguin, on either side."""
    rows = []
    for number in range(count):
        animal, other = ANIMALS[number % 8], ANIMALS[(number + 3) % 8]
        funny = f"A punning penguin and a {animal} walk into bar {number}."
        plain = f"A {other} and another {animal} walk past bar number {number + 100} in silence."
        side = "A" if number % 3 else "B"
        a, b = (funny, plain) if side == "A" else (plain, funny)
        counted = (5.0, 0.0) if number % 2 else (2.0, 1.0)
        rows.append(
            Labelled((a, b), "A" if side == "A" else "B", counted if side == "A" else counted[::-1])
            if votes
            else Labelled((a, b), "A" if side == "A" else "B")
        )
    return rows


def texts(count: int = 20) -> list[Labelled]:
    return [Labelled((f"joke {'x' * n} number {n}",), rating=float(n), is_humor=n % 4 != 0) for n in range(count)]


def duel_answer(
    p_a: float, parts: dict[str, float] | None = None, controlled: float | None = None, **more: Any
) -> Answer:
    """A judge's answer on a pair. ``parts``: log-odds for A of its measurements."""
    shares = [{"name": name, "share": 0.5, "log_odds_a": odds} for name, odds in (parts or {}).items()]
    length = {"p_a": controlled} if controlled is not None else None
    texts = {"text_a": "a", "text_b": "b"}
    asked = {"consistent": None, "position_bias": None, **more}
    return {**BLANK, **texts, "p_a": p_a, "shares": shares, "length_controlled": length, **asked}


def text_answer(admissible: bool, score: float | None = None, audience: float | None = None) -> Answer:
    """A judge's answer on a text."""
    estimate = {"percentile": audience, "score": 0.0} if audience is not None else None
    return {**BLANK, "text": "t", "admissible": admissible, "mean_score": score, "estimate": estimate}
