"""The head for offence: what it says, and that no score hears it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from jokejudge_gui.heads.audience import grams
from jokejudge_gui.heads.files import FORMAT
from jokejudge_gui.heads.offence import BUCKETS, OffenceHead
from jokejudge_gui.judge.reader import Reader
from tests.fake_engine import FakeEngine
from tests.head_builder import written

SHA = "ab" * 32
RUDE, POLITE = "You are a blockhead and a fool.", "The tea is ready in the garden."
SIZE = 4 * FakeEngine().info.embedding_size + 3


def head_in(folder: Path) -> OffenceHead:
    """A head that takes offence at the words of ``RUDE``."""
    meta = {"format": FORMAT, "model_sha256": SHA, "bias": 0.0, "slope": 5.0, "offset": -3.0, "correlation": 0.68}
    arrays = {name: np.zeros(SIZE) for name in ("centre", "weights")} | {"scale": np.ones(SIZE)}
    arrays |= {"rarity": np.ones(BUCKETS), "words": np.zeros(BUCKETS)}
    arrays["words"][[place for place in grams(RUDE, BUCKETS) if place not in grams(POLITE, BUCKETS)]] = 1.0
    return written(OffenceHead, folder, meta, arrays)


def test_it_says_what_it_learned_and_nothing_else_in_the_reading_changes(tmp_path: Path) -> None:
    reader, plain = Reader(FakeEngine(), offence=head_in(tmp_path)), Reader(FakeEngine())
    rude, polite = reader.read(RUDE).offence, reader.read(POLITE).offence
    assert rude.stated
    assert not polite.stated
    assert rude.p > 0.6 > polite.p
    assert rude.trust == pytest.approx(0.68)
    before, after = plain.read(RUDE), reader.read(RUDE)
    assert (before.features, before.editor, before.joke) == (after.features, after.editor, after.joke)
