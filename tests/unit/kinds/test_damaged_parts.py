"""A stored verdict one of whose parts lacks a field is refused where it is read, not where it is shown."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from jokejudge_gui.core.verdicts import Frozen, PanelFindings
from jokejudge_gui.judge.audit.record import VoiceAudit
from jokejudge_gui.judge.contest.record import ContestResult, RankedEntry
from jokejudge_gui.judge.duel.record import DuelResult


@pytest.mark.parametrize(
    ("of", "given"),
    [
        (RankedEntry, {"id": "1", "text": "a", "rounds": [{"scalf": "humor", "mean": 5.0, "sd": None, "times": 1}]}),
        (ContestResult, {"id": "c", "place_effects": [{"scale": "humor"}]}),
        (DuelResult, {"id": "d", "text_a": "a", "text_b": "b", "shares": [{"name": "pair", "share": 1.0}]}),
        (PanelFindings, {"name": "two", "members": [], "dissent": [{"finding": "a", "agree": 1}]}),
        (VoiceAudit, {"voice": "editor", "n": 1, "spread": 1.0, "findings": [{"probe": "sentiment"}]}),
    ],
)
def test_a_part_without_a_field_is_refused(of: type[Frozen], given: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match="it hasn't all of"):
        of.model_validate(given)
