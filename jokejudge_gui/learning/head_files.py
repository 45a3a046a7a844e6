"""Where a model's head lies: fitted on this machine in the user's folders, or shipped with the program."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ModelError, SettingsError
from ..files import atomic_writer
from ..judging.reading.audience import FORMAT, AudienceHead, head_for
from .fit_report import VERSION, HeadReport, InUse
from .head_fit import Map


@dataclass(frozen=True)
class HeadFiles:
    """``own`` and ``cards``: the user's folders of heads and their cards; ``shipped``: the program's heads."""

    own: Path
    cards: Path
    shipped: Path

    def load(self, sha256: str) -> AudienceHead | None:
        """The head that a model's verdicts use: the user's own before the shipped one, which then still says what is a
        joke. Raises ``ModelError``."""
        own = head_for(sha256, self.own)
        if own is None:
            return self.load_shipped(sha256)
        try:
            shipped = self.load_shipped(sha256)
        except ModelError:  # the own head judges without it, as it did when it was fitted
            return own
        return own if shipped is None else own.with_joke_of(shipped)

    def load_shipped(self, sha256: str) -> AudienceHead | None:
        """The model's shipped head. Raises ``ModelError``."""
        return head_for(sha256, self.shipped)

    def has_own(self, sha256: str) -> bool:
        return self._head(sha256).is_file()

    def in_use(self, sha256: str) -> InUse:
        if self.has_own(sha256):
            return "own"
        return "shipped" if (self.shipped / f"{sha256[:16]}.npz").is_file() else "none"

    def save(self, found: Map, report: HeadReport, date: str) -> None:
        """Write a head and its card, both or neither. Raises ``SettingsError``."""
        sha256 = report.model.sha256
        meta = {
            "format": FORMAT,
            "kinds": ["people"],
            "version": VERSION,
            "model_sha256": sha256,
            "agreement": round(report.head.share, 3),
            "one_person": round(report.one_person or 0.0, 3),
        }
        card = json.dumps(report.card(date, len(found.weights)), indent=1, ensure_ascii=False) + "\n"
        # The inner file is put in its place first: if that fails, the outer one isn't.
        with atomic_writer(self._card(sha256)) as outer, atomic_writer(self._head(sha256)) as inner:
            np.savez_compressed(inner, **_arrays(found, meta))
            outer.write(card.encode("utf-8"))

    def remove(self, sha256: str) -> bool:
        """Delete the user's own head and its card; False if there is none. Raises ``SettingsError``."""
        there = self.has_own(sha256)
        try:
            self._head(sha256).unlink(missing_ok=True)
            self._card(sha256).unlink(missing_ok=True)
        except OSError as error:
            raise SettingsError(
                "E_WRITE",
                f"{self._head(sha256)} can't be deleted: {error.strerror or error}.",
                "Delete it by hand, or allow it to be written.",
            ) from error
        return there

    def _head(self, sha256: str) -> Path:
        return self.own / f"{sha256[:16]}.npz"

    def _card(self, sha256: str) -> Path:
        return self.cards / f"{sha256[:16]}.json"


def _arrays(found: Map, meta: dict[str, Any]) -> dict[str, Any]:
    """One kind, which every text is of wholly, and no word groups."""
    size = len(found.weights)
    return {
        "meta": np.frombuffer(json.dumps(meta, sort_keys=True).encode("utf-8"), np.uint8),
        "centre": found.standard.centre.astype(np.float32),
        "scale": found.standard.scale.astype(np.float32),
        "weights": found.weights[None, :].astype(np.float32),
        "bias": np.array([found.bias]),
        "gate": np.zeros((1, size), np.float32),
        "gate_bias": np.zeros(1),
        "grams": np.zeros((1, 0), np.float16),
        "rarity": np.zeros(0, np.float16),
        "quantiles": found.quantiles,
    }
