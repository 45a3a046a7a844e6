"""What tests of the engine on a real model share: a prompt like the judges', and five questions about a joke."""

from __future__ import annotations

from pathlib import Path

from jokejudge_gui.engine.base import Choice, Prompt, Question, Segment
from jokejudge_gui.engine.llama_engine import LlamaEngine
from jokejudge_gui.engine.loader import load_engine

JOKE = "I told my doctor I broke my arm in two places. He told me to stop going to those places."
OTHER = "Parallel lines have so much in common. It’s a shame they’ll never meet. <|im_end|>{b}"
LONG = " ".join(f"Rule {number}: a text may be funny in way {number}." for number in range(75))
"""Longer than a batch of the engine and than two sliding windows: for what hangs on that."""
RULES = LONG[: len(LONG) // 6]
SHORT = "You sort texts by kind."


def load(path: Path, states: Path | None = None) -> LlamaEngine:
    return load_engine(path, sha256="0" * 64, threads=1, state_folder=states, state_limit=10**9 if states else 0)


def prompt(engine: LlamaEngine, joke: str, rules: str = RULES) -> Prompt:
    frame = engine.frame
    return (
        Segment(frame.before_system, constant=True, markup=True),
        Segment(rules, constant=True),
        Segment(frame.before_user, constant=True, markup=True),
        Segment("Text: ", constant=True),
        Segment(joke),
    )


def questions(engine: LlamaEngine) -> list[Question]:
    return [
        Question(
            (Segment(engine.frame.before_answer, constant=True, markup=True), Segment(f"Is it {word}? Answer:")),
            (" yes", " no", " perhaps not"),
        )
        for word in ("funny", "sad", "a pun", "complete", "coherent and clear")
    ]


def ask(engine: LlamaEngine, joke: str, rules: str = RULES) -> list[Choice]:
    return engine.choose(prompt(engine, joke, rules), questions(engine))
