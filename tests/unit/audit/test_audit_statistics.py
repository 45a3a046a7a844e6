"""The figures of an audit against ones that were computed by hand."""

from __future__ import annotations

import math

import pytest

from jokejudge_gui.judge.audit.findings import (
    discoveries,
    pull,
    strength,
)
from jokejudge_gui.judge.audit.record import AuditPair, AuditResult, VoiceAudit
from jokejudge_gui.judge.audit.words import AUDIT, FEW, headline, summary


def test_a_pull_is_a_mean_with_the_error_of_a_mean() -> None:
    found = pull([1.0, 2.0, 3.0, 4.0])
    # sd = 1.2910, error = .6455, z = 3.8730
    assert (found["n"], found["value"]) == (4, 2.5)
    assert found["p"] == pytest.approx(math.erfc(3.87298 / math.sqrt(2)), rel=1e-4)
    assert found["low"] < 2.5 < found["high"]
    assert pull([]) is None


def test_false_discoveries_are_those_of_benjamini_and_hochberg() -> None:
    # .01·4/1 = .04, .02·4/2 = .04, .03·4/3 = .04, .5·4/4 = .5; in any order
    assert discoveries([0.5, 0.01, 0.03, 0.02]) == pytest.approx([0.5, 0.04, 0.04, 0.04])
    assert discoveries([]) == []


def test_only_what_is_sure_above_the_floor_and_wrong_is_told() -> None:
    assert strength(0.3, 0.01, floor=0.1, strong=0.5) == "some"
    assert strength(0.6, 0.01, floor=0.1, strong=0.5) == "strong"
    assert strength(-0.3, 0.01, floor=0.1, strong=0.5, flips=0.2) == "strong"
    assert strength(0.3, 0.2, floor=0.1, strong=0.5) == "none"
    assert strength(0.1, 0.01, floor=0.1, strong=0.5) == "none"
    assert strength(-0.6, 0.01, floor=0.1, strong=0.5, toward=True) == "none"


def test_a_probe_without_a_case_is_named_and_not_taken_for_no_bias() -> None:
    figures = dict.fromkeys(("form", "q", "beyond", "kept", "pull"))
    finding = {**figures, "probe": "sentiment", "role": "bias", "strength": "none"}
    voice = VoiceAudit(voice="editor", n=1, spread=1.0, findings=(finding,))
    pairs = tuple(AuditPair(id=str(n), text_a="a", text_b="b") for n in range(FEW))
    result = AuditResult(id="a1", voices=(voice,), pairs=pairs)
    assert {"authority", "broken"} <= {*AUDIT.contract(result)["not_run"]}
    assert "sentiment" not in AUDIT.contract(result)["not_run"]
    assert headline(result)[1] == "No sign of a bias in the probes that were run"
    assert "broken punchline" in summary(result)[-1]
