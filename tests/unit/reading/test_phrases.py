"""How usual a text's phrases are: the table of counts, what is measured by it, and files that can't be it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from jokejudge_gui.core.errors import ModelError
from jokejudge_gui.heads import features as module
from jokejudge_gui.heads.features import Phrases, must_be_today, phrase_hashes, phrases


def table(**counts: int) -> Phrases:
    """A table of phrases, written with _ between their words."""
    found = {}
    for phrase, count in counts.items():
        words = phrase.replace("_", " ")
        (hashed,) = phrase_hashes(words, len(words.split()))
        found[int(hashed)] = count
    return Phrases(np.array(sorted(found), np.uint32), np.array([found[one] for one in sorted(found)], np.uint8))


def test_the_table_that_ships_knows_how_jokes_begin_and_no_single_one() -> None:
    shipped = phrases()
    assert shipped.counts.min() >= 2  # what one text alone has isn't kept
    stock, odd = (
        shipped.measures("A man walks into a bar."),
        shipped.measures("Sideways plankton alphabetise a gavotte."),
    )
    assert stock[3] == 1.0
    assert odd[3] == 0.0
    assert (stock >= odd).all()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where the program looks for its table."""
    monkeypatch.setattr(module, "models_dir", lambda: tmp_path)
    phrases.cache_clear()
    yield tmp_path
    phrases.cache_clear()


def test_heads_that_learned_with_another_table_are_refused(folder: Path) -> None:
    known = table(walks_into=9)
    np.savez(folder / "phrases.npz", hashes=known.hashes, counts=known.counts)
    must_be_today(known.mark, "new.npz")
    with pytest.raises(ModelError) as error:
        must_be_today("0123abcd", "new.npz")
    assert error.value.code == "E_EDITOR_OLD"
    assert "jokejudge models fit --editor" in error.value.hint
