"""A probability near a half is a tie, wherever it is told."""

from __future__ import annotations

import pytest

from jokejudge_gui.cli.verdicts import _drafts
from jokejudge_gui.core.verdicts import Drafts, side_of


@pytest.mark.parametrize(
    ("p_a", "side"), [(0.475, "B"), (0.477, "tie"), (0.5, "tie"), (0.523, "tie"), (0.525, "A"), (0.0, "B"), (1.0, "A")]
)
def test_from_476_to_524_in_a_thousand_it_is_a_tie(p_a: float, side: str) -> None:
    assert side_of(p_a) == side
    told = _drafts(Drafts(p_a=p_a, agreement=0.86), named=True)
    assert ("hardly prefer either" in told) == (side == "tie")
