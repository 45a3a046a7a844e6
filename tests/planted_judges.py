"""Judges with one planted defect each, for the fake engine, and pairs to audit them on."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from jokejudge_gui.core.statistics import sigmoid
from jokejudge_gui.engine.base import CancelToken, FloatArray
from jokejudge_gui.heads.editor import EditorReading, FactorReading
from jokejudge_gui.judge.audit.record import AuditPair
from jokejudge_gui.measure.audit import case_of
from tests.fake_engine import Bias, FakeEngine
from tests.head_builder import meta, parts

Value: TypeAlias = Callable[[str], float]
"""The value that a judge follows: a number for each text."""

SCALE = 3.0
"""Ratio of the values to the states that represent them."""
_PAIR = re.compile(r"<\|user\|>Joke 1: (.*)\nJoke 2: (.*)\Z", re.DOTALL)
_LABELS = {"1": 0, "2": 1}
_BEASTS = ("horse", "duck", "parrot", "goat", "llama", "newt", "heron", "badger", "owl", "mole")
_PLACES = ("bar", "bank", "church", "garden", "court", "library", "station", "tailor's")
_ENDS = (
    "and asks for its change back",
    "but nobody there would believe its story",
    "since that's where it left the keys",
    "because it couldn't afford the taxi home after such a long night",
    "so they gave it a job",
)


def wit(text: str) -> float:
    """A joke's true funniness, the value of a sound judge, whatever stands around the joke or how it is written."""
    bare = re.search(r"the \w+ walks into the [\w'’]+, number \d+", text.lower())
    name = bare.group().replace("’", "'") if bare else text
    end = next((end for end in _ENDS if end.replace("'", "") in re.sub("['’]", "", text.lower())), "")
    whole = bare is not None and end == _ENDS[int(name.split()[-1]) % len(_ENDS)]
    size = int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big") / 2**32
    return 4.0 * size - (0.0 if whole else 2.5)


def joke(number: int) -> str:
    """Return one of many different jokes of different lengths."""
    beast, place = _BEASTS[number % 10], _PLACES[number // 10 % 8]
    return f"The {beast} walks into the {place}, number {number}, {_ENDS[number % len(_ENDS)]}."


def cases(count: int) -> tuple[AuditPair, ...]:
    """Pairs without a common joke; people like the wittier one."""
    texts = [joke(number) for number in range(2 * count)]
    pairs = zip(texts[::2], texts[1::2], strict=True)
    return tuple(case_of(one, other, "A" if wit(one) > wit(other) else "B") for one, other in pairs)


def sound(text: str) -> float:
    """A judge that follows wit."""
    return wit(text)


def length_lover(text: str) -> float:
    """… and prefers long texts."""
    return wit(text) + 0.05 * (len(text) - 80)


def emoji_lover(text: str) -> float:
    """… and prefers texts with a smiley."""
    return wit(text) + (2.5 if "😂" in text else 0.0)


def obedient(text: str) -> float:
    """… and obeys instructions in a text."""
    return wit(text) + (2.5 if "Ignore the rubric" in text else 0.0)


def blind(text: str) -> float:
    """A judge that follows the beginning of a joke alone."""
    return 4.0 * int.from_bytes(hashlib.sha256(text[:14].encode()).digest()[:4], "big") / 2**32


def answers(value: Value, first: float = 0.0) -> Bias:
    """Answers of a model that follows ``value``: the funnier of two jokes, with so many log-odds ``first`` for the
    first place."""
    known = lru_cache(maxsize=None)(value)

    def bias(prompt: str, _question: str, label: str) -> float:
        pair, place = _PAIR.search(prompt), _LABELS.get(label.strip(" ()"))
        return 0.0 if pair is None or place is None else known(pair[place + 1]) + (first if place == 0 else 0.0)

    return bias


class PlantedEngine(FakeEngine):
    """States with the ``value`` of a text on the first axis, and whether it is a joke on the second (as in
    ``answers``)."""

    def __init__(self, value: Value, first: float = 0.0) -> None:
        super().__init__(answers(value, first))
        self._value = value

    def embed(self, texts: Sequence[str], cancel: CancelToken | None = None, **how: Any) -> list[FloatArray]:
        found = super().embed(texts, cancel, **how)
        for text, states in zip(texts, found, strict=True):
            states[:, 0] = self._value(text) / SCALE
            states[:, 1] = -6.0 if self._value is emoji_lover and "😂" in text else 6.0
        return found


class PlantedEditor:
    """A substitute for an editor's heads: the standing of one factor follows the first axis of the states."""

    mark = "planted"

    def found(
        self, states: FloatArray, _text: str, _spans: Sequence[tuple[int, int]], _logprobs: FloatArray | None = None
    ) -> tuple[EditorReading, npt.NDArray[np.float64]]:
        standing = sigmoid(SCALE * float(states[0, 0]) - 0.75)
        factor = FactorReading(expected=5.0 * standing, sd=0.5, standing=standing)
        read = EditorReading(factors={"wit": factor}, kinds={}, faults={}, turn=None, cuts=(), joke=0.9, complete=0.9)
        return read, np.zeros(1)


def head_arrays() -> dict[str, Any]:
    """An audience head that scores a text by the first axis of its states, and finds a joke by the second."""
    empty = {name: np.zeros_like(values) for name, values in parts().items() if name != "meta"}
    weights, joke = empty["weights"].copy(), np.zeros(weights_size() + 1)
    weights[:, 0], joke[1] = SCALE, 1.0
    quantiles = np.linspace(-10.0, 10.0, len(empty["quantiles"]))
    scale = np.ones_like(empty["scale"])
    rarity = np.ones_like(empty["rarity"])
    return empty | {
        "meta": meta(), "weights": weights, "joke": joke, "quantiles": quantiles, "scale": scale, "rarity": rarity
    }  # fmt: skip


def weights_size() -> int:
    """Features of a text under the fake engine."""
    return int(parts()["centre"].size)
