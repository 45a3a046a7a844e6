"""Two drafts of one joke in a duel: the draft heads decide, whatever the model answers and whatever people vote for."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from jokejudge_gui.core.events import ModelReady
from jokejudge_gui.heads.drafts import DraftHeads
from jokejudge_gui.judge.duel.confidence_scorer import ConfidenceScorer
from jokejudge_gui.judge.duel.record import DuelResult
from jokejudge_gui.session.session import Session
from tests.bench.damaged_heads import draft_heads
from tests.ends import finished
from tests.known_calibration import MakeSession

BEST = "My umbrella and I have an understanding: it stays at home, and I get wet."
WORSE = "My umbrella and I have an understanding: it stays at home, and I get wet, as umbrellas are lost."
OTHER = "Parallel lines have so much in common."


@pytest.fixture
def session(make_session: MakeSession, tmp_path: Path) -> Session:
    """A session whose judge has draft heads."""
    found: Session = make_session()
    last = list(found.load())
    assert any(isinstance(event, ModelReady) for event in last)
    judge = found.judge
    judge.reader.drafts = DraftHeads.load(draft_heads(tmp_path))
    return found


def duel(session: Session, a: str, b: str) -> DuelResult:
    return finished(session.duel(a, b, explain=False))


def test_two_drafts_are_judged_by_the_draft_heads_and_say_so(session: Session) -> None:
    found = duel(session, BEST, WORSE)
    assert found.p_a == found.drafts.p_a
    assert found.drafts.agreement == 0.8
    assert found.drafts.fault in ("tail", "plain")
    assert found.drafts.fault_p is not None
    shares = {share["name"]: share["share"] for share in found.shares}
    assert shares["drafts"] == 1.0
    assert sum(shares.values()) == 1.0
    assert found.length_controlled.p_a != found.p_a


def test_exchanged_drafts_give_an_exact_mirror_image(session: Session) -> None:
    one, two = duel(session, BEST, WORSE), duel(session, WORSE, BEST)
    assert two.p_a == 1.0 - one.p_a
    assert (one.drafts.fault, one.drafts.fault_p) == (two.drafts.fault, two.drafts.fault_p)
    assert two.length_controlled.p_a == 1.0 - one.length_controlled.p_a


def test_what_the_draft_heads_say_is_neither_capped_nor_mixed() -> None:
    scorer = ConfidenceScorer(None)
    found = scorer.score(5.0, -5.0, 4.0, audience=3.0, drafts=-2.0, consistent=False)
    assert (found["log_odds"], found["confidence_factor"]) == (-2.0, math.exp(2.0))
