"""Where a model's editor's heads lie: shipped with the program, or fitted on this machine in the user's folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..files import atomic_writer
from ..judging.reading.editor import EditorHeads, editor_for
from ..judging.reading.editor_card import EditorCard, EditorFigures, ItemFigure
from ..judging.reading.editor_file import FORMAT, write_arrays
from ..verdicts import ModelRef
from .editor_data import CORE
from .editor_fit import Fitted

VERSION = "1"
NOTE = (
    "The readings were made by a large language model with the rubric in hand: an editor's view, not people's votes. "
    "Figures are out of fold over five folds of texts, calibration too; where texts lie (standardising, axes) was "
    "found on all texts without a look at the readings. Intervals: bootstrap over texts."
)


@dataclass(frozen=True)
class EditorFiles:
    """``own``: the user's folder; ``shipped``: the program's. Heads are ``<16 digits>.npz``, their card the same with
    ``.json``."""

    own: Path
    shipped: Path

    def load(self, sha256: str) -> EditorHeads | None:
        """The heads of a model: the user's own before the shipped ones; None if there are none. Raises
        ``ModelError``."""
        return editor_for(sha256, self.own, self.shipped)

    def card(self, sha256: str) -> EditorCard | None:
        """The card of the heads that ``load`` gives. Raises ``ModelError``."""
        for folder in (self.own, self.shipped):
            if (folder / f"{sha256[:16]}.npz").is_file() and (folder / f"{sha256[:16]}.json").is_file():
                card = EditorCard.load(folder / f"{sha256[:16]}.json")
                if card.model.sha256 == sha256:
                    return card
        return None

    def save(self, fitted: Fitted, card: EditorCard) -> None:
        """Write heads and card, both or neither. Raises ``SettingsError``."""
        stem = card.model.sha256[:16]
        self.own.mkdir(parents=True, exist_ok=True)
        # The inner file is put in its place first: if that fails, the outer one isn't.
        with atomic_writer(self.own / f"{stem}.json") as outer, atomic_writer(self.own / f"{stem}.npz") as inner:
            write_arrays(inner, meta_of(fitted, card), fitted.arrays)
            outer.write(card.text().encode("utf-8"))


def meta_of(fitted: Fitted, card: EditorCard) -> dict[str, object]:
    """What the heads' file says of itself."""
    return {
        **fitted.meta,
        "format": FORMAT,
        "factors": list(CORE),
        "version": card.version,
        "model_sha256": card.model.sha256,
    }


def card_of(
    model: tuple[str, str],
    figures: EditorFigures,
    items: dict[str, dict[str, ItemFigure]],
    counts: tuple[int, int],
    date: str,
    *,
    command: str,
) -> EditorCard:
    """The card of heads fitted to ``counts`` texts that were read, and drafts. ``model``: name and sha256."""
    return EditorCard(
        model=ModelRef(name=model[0], sha256=model[1]),
        version=VERSION,
        date=date,
        command=command,
        data="an editor's readings and drafts (models/readings/README.md)",
        readings=counts[0],
        drafts=counts[1],
        note=NOTE,
        figures=figures,
        items=items,
    )
