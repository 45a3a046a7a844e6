"""A fake engine that can be asked as well as read, and a folder of readings and drafts for training."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jokejudge_gui.core.vote_sets import Rated, VoteSet
from jokejudge_gui.engine.base import FloatArray
from tests.editor_engine import EditorEngine, knack, texts, turn_of
from tests.fake_engine import random_of

TEXT = re.compile(r"(?:My|On day)[^\n]*?\.(?=\s|$)")


@cache
def level_of(text: str) -> int:
    """An editor's level of a text, 0…5, on every factor."""
    return int(np.clip(round(2.5 + knack(text)), 0, 5))


@cache
def fog_of(text: str) -> float:
    return float(random_of(text, "fog").normal())


def families(count: int = 75) -> list[dict[str, Any]]:
    """Jokes and texts that only look like one, of five writers; nothing in the wording distinguishes a joke from plain
    texts."""
    mixed = sorted(texts(2000 + 4 * count)[2000:], key=knack)
    every = iter(mixed[place] for place in np.random.default_rng(1).permutation(len(mixed)))
    found = []
    for number in range(count):
        best, plain, flat, lost = (next(every) for _ in range(4))
        of_type = {"plain": plain, "flat": flat, "lost_word": lost, "torso": best[: best.rindex(" ")]}
        found.append({
            "id": f"c{'abcde'[number % 5]}{number}", "best": best, "funny": 70,
            "variants": [{"type": kind, "text": text, "funny": 10, "works": 0} for kind, text in of_type.items()],
        })  # fmt: skip
    return found


def folder_to_learn_from(folder: Path, count: int = 240, jokes: int = 60) -> Path:
    """A ``models`` folder with readings of ``count`` texts, ``jokes`` in drafts, and families."""
    lines = []
    for text in texts(count):
        level = level_of(text)
        joke = int(random_of(text, "joke").random() > 0.1)
        lines.append({
            "text": text, "joke": joke, "complete": 1, "kinds": ["pun"] if level >= 3 else ["irony"],
            "core": [level] * 16, "turn": turn_of(text), "faults": ["padding"] if level <= 2 else [],
        })  # fmt: skip
    drafts = [
        {
            "id": f"d{number}", "best": text, "equal": text.replace("and", "then"), "turn": turn_of(text),
            "worse": [{"text": f"Well, really quite {text}", "fault": "padding"}],
        }
        for number, text in enumerate(texts(1000 + jokes)[1000:])
    ]  # fmt: skip
    for name, file, rows in (
        ("readings", "readings", lines),
        ("drafts", "drafts", drafts),
        ("contrasts", "families", families()),
    ):
        path = folder / name / f"{file}.jsonl"
        path.parent.mkdir(parents=True)
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (folder / "contrasts" / "harmless.txt").write_text("It was a Tuesday.\nWe went home.\n", encoding="utf-8")
    return folder


def learn_from(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let sessions find such a ``models`` folder, and votes on the same texts."""
    models = folder_to_learn_from(folder)
    monkeypatch.setattr("jokejudge_gui.session.session.models_dir", lambda: models)
    votes = VoteSet("rated", ratings=tuple(Rated(text, knack(text)) for text in texts(1400)[1200:]))
    monkeypatch.setattr("jokejudge_gui.learning.learner.shipped_votes", lambda: votes)


class LearningEngine(EditorEngine):
    """``knows``: how well its states predict an editor's labels (1: nearly all, 0: nothing); ``answers``: whether its
    answers to questions do."""

    def __init__(
        self,
        *,
        knows: float = 1.0,
        answers: bool = False,
        gate: Callable[[str], None] | None = None,
        reading: Callable[[int], None] | None = None,
    ) -> None:
        super().__init__(reading=reading)
        self._knows = knows
        self.asked = 0
        gate = gate or (lambda _method: None)

        def count(method: str) -> None:
            self.asked += method == "choose"
            gate(method)

        self._gate = count
        if answers:
            self._bias = _well

    def states_of(self, text: str) -> FloatArray:
        states = super().states_of(text)
        states[:, 0] += np.float32(3.0 * (1.0 / max(self._knows, 1e-3) - 1.0) * fog_of(text))
        return states


@lru_cache(maxsize=64)
def _asked_about(prompt: str) -> str:
    """The last text in a prompt."""
    return next(reversed(TEXT.findall(prompt)), "")


def _well(prompt: str, question: str, label: str) -> float:
    """Favour the editor's level and kind of a text."""
    text = _asked_about(prompt)
    if not text:
        return 0.0
    level = level_of(text)
    if label.strip().isdigit():
        return 8.0 if label.strip() == str(level) else 0.0
    if question.endswith("Kind of joke:"):
        return 8.0 if label.strip() == ("pun" if level >= 3 else "irony") else 0.0
    return 0.0
