"""Which of two drafts of one joke an editor prefers, and by what fault the other one falls behind.

Learned from drafts.jsonl: jokes with five worse drafts, one fault each, and one as good, all by one author. These are
an editor's labels, made by a large language model with care; they aren't people's votes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...engine.base import CancelToken, Engine, Scan
from ...errors import EngineError, ModelError
from ...statistics import sigmoid
from ...texts import clean_text
from .audience import DAMAGE
from .draft_features import Differences, DraftReading, canonical, differences, reading
from .draft_file import read_draft_file
from .same_joke import same_joke
from .wording import Vector

__all__ = ["DraftComparison", "DraftHeads", "heads_for", "kernel", "same_joke"]

STATES_CLIP = 6.0
SHAPE_CLIP = 3.0
"""What was standardised counts no more than this, so that no odd text outweighs everything else."""
_LIGHT = 0.5
"""From this share of common tokens on a draft counts as edited, below as rewritten; the agreement differs."""


@dataclass(frozen=True)
class DraftComparison:
    """``p_a``: probability that an editor prefers A, 0…1; ``log_odds_a`` the same; ``controlled_a``: log-odds with what
    length adds taken out; ``agreement``: share of unseen drafts of this sort on which the heads agree with the editor;
    ``faults``: probability of each fault if the draft that is less liked is the worse one; ``fault``: the likeliest, if
    it is likely enough to be right in most cases, else None."""

    p_a: float
    log_odds_a: float
    controlled_a: float
    agreement: float
    faults: Mapping[str, float]
    fault: str | None


class DraftHeads:
    """Heads for one model. ``agreement``: share of unseen edits of a joke on which they agree with the editor;
    ``agreement_rewritten``: the same where most words differ."""

    def __init__(self, meta: dict[str, Any], arrays: dict[str, Vector]) -> None:
        self.model_sha256: str = meta["model_sha256"]
        self.version: str = meta["version"]
        self.agreement: float = float(meta["agreement"])
        self.agreement_rewritten: float = float(meta["agreement_rewritten"])
        self._least: dict[str, float | None] = meta["faults"]
        self._gain: float = meta["gain"]
        self._fault_gain: float = meta["fault_gain"]
        self._gamma: float = meta["length_gamma"]
        self._length_sd: float = meta["length_sd"]
        self._arrays = arrays

    @property
    def embedding_size(self) -> int:
        """How many numbers a state has of the model that they were made for."""
        return (len(self._arrays["scale"]) - 3) // 5

    @classmethod
    def load(cls, path: Path) -> DraftHeads:
        """Read the heads' file (NumPy's npz, no pickles). Raises ``ModelError`` ``E_DRAFTS_DAMAGED``."""
        try:
            return cls(*read_draft_file(path))
        except DAMAGE as error:
            raise ModelError(
                "E_DRAFTS_DAMAGED",
                f"The draft heads in {path.name} are damaged ({error}).",
                "Delete the file, or install the program again; drafts are judged as any two jokes until then.",
            ) from error

    def read(self, engine: Engine, text: str, cancel: CancelToken | None = None) -> DraftReading:
        """Read a draft with the model that these heads were fitted on. Raises what ``scan`` and ``clean_text`` raise,
        ``EngineError`` ``E_NOT_FINITE``, and ``ModelError`` ``E_HEAD_MODEL`` when the model's states have another
        size."""
        text = clean_text(text)
        return self.heard(engine.scan(text, cancel), text)

    def heard(self, scan: Scan, text: str) -> DraftReading:
        """A cleaned text that the model has read. Raises ``EngineError`` ``E_NOT_FINITE`` and ``ModelError``
        ``E_HEAD_MODEL``."""
        try:
            found = reading(text, scan)
        except ValueError as error:
            raise EngineError(
                "E_NOT_FINITE", f"The model gave no usable numbers: {error}.", "Choose another model."
            ) from error
        if 5 * found.states.shape[1] + 3 != len(self._arrays["scale"]):
            raise ModelError(
                "E_HEAD_MODEL",
                "The draft heads weren't made for this model.",
                "Delete them, or choose the model that they were made for.",
            )
        return found

    def compare_texts(
        self, engine: Engine, a: str, b: str, cancel: CancelToken | None = None
    ) -> DraftComparison | None:
        """Compare two texts if they are two drafts of one joke; None where they are different jokes, or the same text,
        and where the model can't read one of them whole. Raises what ``read`` raises otherwise."""
        if a == b or not same_joke(a, b):
            return None
        try:
            return self.compare(self.read(engine, a, cancel), self.read(engine, b, cancel))
        except EngineError as error:
            if error.code != "E_CONTEXT":
                raise
            return None

    def compare(self, a: DraftReading, b: DraftReading) -> DraftComparison:
        """Compare two drafts. With a and b exchanged, ``log_odds_a`` and ``controlled_a`` turn their signs and ``p_a``
        becomes 1 − p_a, to the last bit."""
        first, second, exchanged = canonical(a, b)
        found = differences(first, second)
        # The less two texts have in common, the less is known of the pair: both score and certainty shrink with it.
        controlled = self._gain * found.overlap * self.score(found)
        length = self._gamma * math.tanh((len(first.text) - len(second.text)) / self._length_sd)
        log_odds = controlled + length
        better, worse = (first, second) if log_odds >= 0 else (second, first)
        faults = self.faults(differences(better, worse))
        fault = max(faults, key=lambda name: faults[name])
        least = self._least[fault]
        shown = least is not None and faults[fault] >= least and log_odds != 0
        sign = -1.0 if exchanged else 1.0
        surer = sigmoid(abs(log_odds))
        return DraftComparison(
            p_a=surer if sign * log_odds >= 0 else 1.0 - surer,
            log_odds_a=sign * log_odds + 0.0,
            controlled_a=sign * controlled + 0.0,
            agreement=self.agreement if found.overlap >= _LIGHT else self.agreement_rewritten,
            faults=faults,
            fault=fault if shown else None,
        )

    def score(self, found: Differences) -> float:
        """How much better the first draft is, in the heads' own unit; 0 for two equal texts."""
        arrays = self._arrays
        states, shape = self._states(found), self._shape(found)
        places = np.array(sorted(found.words), dtype=np.int64)
        counts = np.array([found.words[int(place)] for place in places])
        near = kernel(arrays["rows"], shape) - kernel(arrays["rows"], -shape)
        words = arrays["words"][places] @ counts if len(places) else 0.0
        return float(arrays["weights"] @ states + words + arrays["alpha"] @ near)

    def faults(self, found: Differences) -> dict[str, float]:
        """Probability of each fault in the second draft, given that the first is the better one."""
        arrays = self._arrays
        pairs = len(arrays["rows_even"])
        even = np.clip((found.even - arrays["even_centre"]) / arrays["even_scale"], -SHAPE_CLIP, SHAPE_CLIP)
        near = kernel(
            np.concatenate([arrays["rows"][:pairs], arrays["rows_even"]], axis=1),
            np.concatenate([self._shape(found), even]),
        )
        scores = arrays["fault_bias"] + arrays["fault_weights"] @ self._states(found) + arrays["fault_alpha"] @ near
        if found.words:
            places = np.array(sorted(found.words), dtype=np.int64)
            scores = scores + arrays["fault_words"][:, places] @ [found.words[int(place)] for place in places]
        odds = np.exp(self._fault_gain * (scores - scores.max()))
        return {name: float(p) for name, p in zip(self._least, odds / odds.sum(), strict=True)}

    def _states(self, found: Differences) -> Vector:
        scaled: Vector = np.clip(found.states / self._arrays["scale"], -STATES_CLIP, STATES_CLIP)
        return scaled

    def _shape(self, found: Differences) -> Vector:
        scaled: Vector = np.clip(found.shape / self._arrays["shape_scale"], -SHAPE_CLIP, SHAPE_CLIP)
        return scaled


def kernel(rows: Vector, shape: Vector) -> Vector:
    """How near a pair's shape (features) is to each of the known ones (rows, features): e^−(mean distance), 0…1."""
    near: Vector = np.exp(-np.abs(rows - shape).sum(axis=1) / rows.shape[1])
    return near


def heads_for(sha256: str, *folders: Path) -> DraftHeads | None:
    """The draft heads for the model with this hash, from the first folder that holds some (``<16 digits>.npz``); None
    if none does. Raises ``ModelError`` ``E_DRAFTS_DAMAGED``."""
    for folder in folders:
        path = folder / f"{sha256[:16]}.npz"
        if path.is_file():
            heads = DraftHeads.load(path)
            if heads.model_sha256 == sha256:
                return heads
    return None
