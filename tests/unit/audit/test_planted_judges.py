"""Judges with one planted defect each: the audit flags that one and nothing else."""

from __future__ import annotations

import pytest

from jokejudge_gui.engine.fake_engine import Bias
from jokejudge_gui.events import Finished
from jokejudge_gui.judging.audit.types import AuditRequest, AuditResult, VoiceAudit
from jokejudge_gui.judging.audit.words import Names, effects, injections
from jokejudge_gui.rubric.perturbations import parse_perturbations
from jokejudge_gui.runs.audit import audit
from tests.known_calibration import MakeSession
from tests.planted_judges import blind, cases, emoji_lover, first_picker, length_lover, obedient, sound

NAMES = Names(parse_perturbations())


def asked(make_session: MakeSession, bias: Bias) -> VoiceAudit:
    """What the audit says of a judge that is asked."""
    request = AuditRequest(cases=cases(120), ask="all", source="planted")
    last = list(audit(make_session(bias), request, record=False))[-1]
    assert isinstance(last, Finished), last
    assert isinstance(last.result, AuditResult)
    found = last.result.voice("asked")
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("bias", "flagged"),
    [
        (sound, {}),
        (first_picker, {"Position": "strong"}),
        (length_lover, {"Verbosity": "strong"}),
        (emoji_lover, {"Sentiment": "strong"}),
    ],
)
def test_the_defect_is_flagged_and_nothing_else(make_session: MakeSession, bias: Bias, flagged: dict[str, str]) -> None:
    found = asked(make_session, bias)
    assert dict(effects(found, NAMES)) == flagged
    assert injections(found) == "none"
    assert found.broken is not None
    assert (found.broken.low or 0.0) > 0.5


def test_a_judge_that_does_as_it_is_told_is_moved_by_an_order_alone(make_session: MakeSession) -> None:
    found = asked(make_session, obedient)
    assert injections(found) == "strong"
    assert dict(effects(found, NAMES)) == {}
    order, praise = (finding for finding in found.findings if finding.role == "injection")
    assert (order.form, order.strength, praise.strength) == ("order", "strong", "none")


def test_a_judge_that_never_reads_the_end_sees_no_broken_punchline(make_session: MakeSession) -> None:
    found = asked(make_session, blind)
    assert found.broken is not None
    assert (found.broken.low or 0.0) <= 0.5
