"""Verdicts of the first version, kept with all their numbers: what isn't changed on purpose says the same today.

``verdicts_before.json`` was written by the first version with the embedded model and one thread, ratings past any
rejection. It names the build of llama.cpp and the CPU's features: where they are the same, so is every bit; elsewhere
other kernels round otherwise, and a log-odds may differ by the noise floor.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from jokejudge_gui.config import Settings
from jokejudge_gui.engine.binding import build_id
from jokejudge_gui.events import Finished
from jokejudge_gui.judging.duel.kind import DUEL
from jokejudge_gui.judging.rating.kind import RATING
from jokejudge_gui.paths import Profile
from jokejudge_gui.session import Session

NOISE = 0.2
"""Nats of a log-odds, and points of a score from 0 to 5."""
BEFORE = json.loads((Path(__file__).parent / "verdicts_before.json").read_text(encoding="utf-8"))
HEARD = ("audience", "p_a", "confidence_factor", "measured_factor", "band", "winner", "shares", "length_controlled")
"""What depends on the audience head."""
MENDED = {"length_controlled"}  # it was the raw figure wherever the head decided


@pytest.fixture(scope="module")
def session(embedded_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    made = Session(Profile.at(tmp_path_factory.mktemp("before")), Settings(model=str(embedded_model), threads=1))
    list(made.load())
    judge = made.judge
    assert judge is not None
    if (judge.prompts.version, judge.criteria.version) != (BEFORE["prompt_version"], BEFORE["criteria_version"]):
        pytest.skip("prompts or criteria were reworded since: other questions have other answers")
    yield made
    made.close()


def judged(session: Session, before: dict[str, Any]) -> dict[str, Any]:
    # The first version asked everything, whatever it was worth.
    if "text" in before:
        *_, last = session.ask(RATING, (before["text"],), forced=True, ask="all", record=False)
    else:
        *_, last = session.ask(DUEL, (before["text_a"], before["text_b"]), ask="all", record=False)
    assert isinstance(last, Finished)
    assert last.result is not None
    return last.result.model_dump(mode="json")


@pytest.mark.parametrize("place", range(len(BEFORE["ratings"])))
def test_a_rating_is_what_it_was(session: Session, place: int) -> None:
    compare(session, BEFORE["ratings"][place])


@pytest.mark.parametrize("place", range(len(BEFORE["duels"])))
def test_a_duel_is_what_it_was(session: Session, place: int) -> None:
    compare(session, BEFORE["duels"][place])


def compare(session: Session, before: dict[str, Any]) -> None:
    assert session.judge is not None
    head = session.judge.head
    same_head = head is not None and head.version == BEFORE["head_version"]
    found = judged(session, before)
    if build_id() == BEFORE["system"]:
        names = [name for name in before if (same_head or name not in HEARD) and name not in MENDED]
        wanted = {name: before[name] for name in names}
        assert known_then(found, wanted) == wanted
        return
    wanted, got = numbers(before, same_head), numbers(found, same_head)
    for name in wanted.keys() & got.keys():
        assert math.isclose(got[name], wanted[name], rel_tol=0, abs_tol=NOISE), name


def known_then(found: Any, before: Any) -> Any:
    """What is found now, without the fields that a verdict didn't have then."""
    if isinstance(found, dict) and isinstance(before, dict):
        return {name: known_then(found[name], before[name]) for name in before if name in found}
    if isinstance(found, list) and isinstance(before, list) and len(found) == len(before):
        return [known_then(one, then) for one, then in zip(found, before, strict=True)]
    return found


def numbers(result: dict[str, Any], same_head: bool) -> dict[str, float]:
    """Log-odds and scores by name."""
    found = {f"factor {f['id']}": f["expected"] for f in result.get("factors", ()) if f["expected"] is not None}
    found |= {f"order {order['first']}": order["log_odds_a"] for order in result.get("orders", ())}
    if same_head:
        if "mean_score" in result:
            found["audience"] = result["audience"]["score"]
        elif result["audience"] is not None:
            p = result["audience"]["p_a"]
            found["audience"] = math.log(p / (1 - p))
    return found
