"""The head for offence: what it says, that no score hears it, and files that it refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jokejudge_gui.heads.audience import grams
from jokejudge_gui.heads.files import FORMAT
from jokejudge_gui.heads.offence import BUCKETS, OffenceHead
from jokejudge_gui.judge.reader import Reader
from tests.fake_engine import FakeEngine

SHA = "ab" * 32
RUDE, POLITE = "You are a blockhead and a fool.", "The tea is ready in the garden."
SIZE = 4 * FakeEngine().info.embedding_size + 3


def parts(**changes: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """A head that takes offence at the words of ``RUDE``."""
    meta = {
        "format": FORMAT,
        "model_sha256": SHA,
        "bias": 0.0,
        "slope": 5.0,
        "offset": -3.0,
        "correlation": 0.68,
    }
    words = np.zeros(BUCKETS)
    words[[place for place in grams(RUDE, BUCKETS) if place not in grams(POLITE, BUCKETS)]] = 1.0
    arrays = {
        "centre": np.zeros(SIZE),
        "scale": np.ones(SIZE),
        "weights": np.zeros(SIZE),
        "rarity": np.ones(BUCKETS),
        "words": words,
    }
    return (
        {**meta, **{k: v for k, v in changes.items() if k in meta}},
        {**arrays, **{k: v for k, v in changes.items() if k in arrays}},
    )


def written(folder: Path, **changes: Any) -> Path:
    path = folder / f"{SHA[:16]}.npz"
    with path.open("wb") as stream:
        OffenceHead.write(stream, *parts(**changes))
    return path


def test_it_says_what_it_learned_and_nothing_else_in_the_reading_changes(tmp_path: Path) -> None:
    written(tmp_path)
    head = OffenceHead.find(SHA, tmp_path)
    assert head is not None
    reader, plain = Reader(FakeEngine(), offence=head), Reader(FakeEngine())
    rude, polite = reader.read(RUDE).offence, reader.read(POLITE).offence
    assert rude.stated
    assert not polite.stated
    assert rude.p > 0.6 > polite.p
    assert rude.trust == pytest.approx(0.68)
    before, after = plain.read(RUDE), reader.read(RUDE)
    assert (before.features, before.editor, before.joke) == (after.features, after.editor, after.joke)
