"""How often the embedded model reads a text for its heads, and that the numbers don't depend on anything else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.judge.reader import Predictions, Reader
from jokejudge_gui.session.session import Session

JOKE = "My therapist says I avoid things. I'm seeing her again in spring."
VARIANTS = [
    "My therapist says I avoid things. I'm seeing her again.",
    "My dentist says I avoid things. I'm seeing her again in spring.",
    "My therapist says I avoid things.",
    "I'm seeing her again in spring.",
]


@pytest.fixture(scope="module")
def session(embedded_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    session = Session(Profile.at(tmp_path_factory.mktemp("profile")), Settings(model=str(embedded_model), threads=1))
    list(session.load())
    yield session
    session.close()


@pytest.fixture
def reader(session: Session) -> Reader:
    """One that has read nothing yet."""
    assert session.judge is not None
    session.judge.head = session.judge.head
    return session.judge.reader


def numbers(predicted: Predictions) -> list[float]:
    assert predicted.sense is not None
    assert predicted.features is not None
    return [*predicted.features.scores, *predicted.sense.scores.tolist()]


def test_variants_read_together_have_the_same_numbers_in_any_order_and_after_any_other_text(reader: Reader) -> None:
    first = reader.read_variants(JOKE, VARIANTS)
    reader.read(VARIANTS[1])
    turned = reader.read_variants(JOKE, VARIANTS[::-1])
    assert [each.text for each in first] == [JOKE, *VARIANTS]
    assert numbers(first[0]) == numbers(turned[0])
    assert [numbers(each) for each in first[1:]] == [numbers(each) for each in turned[:0:-1]]


def test_variants_differ_from_a_reading_by_the_noise_alone_and_cost_far_fewer_tokens(reader: Reader) -> None:
    usage = reader.engine.usage
    together = reader.read_variants(JOKE, VARIANTS)
    between = reader.engine.usage
    alone = [reader.read(text) for text in (JOKE, *VARIANTS)]
    after = reader.engine.usage
    for one, other in zip(together, alone, strict=True):
        assert np.allclose(numbers(one), numbers(other), atol=0.3)
    assert between.tokens_evaluated - usage.tokens_evaluated < 0.7 * (after.tokens_evaluated - between.tokens_evaluated)
