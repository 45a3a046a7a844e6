"""Evaluations as jobs over a session, and what is kept of them in the profile."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.errors import ModelError
from jokejudge_gui.core.events import Event, Failed, Finished, Last, ModelReady, RowBegun
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.core.verdicts import ModelRef
from jokejudge_gui.engine.base import CancelToken
from jokejudge_gui.history.query import HistoryQuery
from jokejudge_gui.library.embedded import EMBEDDED_SHA256
from jokejudge_gui.measure.evaluating import AnswersFile, Plan, ask
from jokejudge_gui.measure.evaluation import Report, judged
from jokejudge_gui.measure.model.figures import ModelTrust, measured_models
from jokejudge_gui.measure.model.words import line
from jokejudge_gui.session.session import Session
from tests.fake_engine import FakeEngine

PAIRS = "text_a,text_b,winner\n" + "".join(f"first joke {n},second one {n},{'AB'[n % 2]}\n" for n in range(6))
Open = Callable[..., Session]


class Evaluated(Event):
    found: Report


def evaluate(session: Session, plan: Plan, **how: Any) -> Iterator[Event]:
    """What ``ask`` yields, and before its last event the figures."""
    for event in ask(session, plan, **how):
        if isinstance(event, Last):
            whole = isinstance(event, Finished)
            yield Evaluated(found=plan.measured(session.model, session.settings.mode, whole=whole))
        yield event


@pytest.fixture
def open_session(profile: Profile) -> Iterator[Open]:
    sessions: list[Session] = []

    def make(**engine: Any) -> Session:
        session = Session(profile, Settings(), loader=lambda _file, _settings, _cancel: FakeEngine(**engine))
        sessions.append(session)
        return session

    yield make
    for session in sessions:
        session.close()


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    file = tmp_path / "votes.csv"
    file.write_text(PAIRS, encoding="utf-8")
    return file


def plan_of(file: Path, limit: int | None = None) -> Plan:
    return Plan.read([str(file)], [], limit, 1)


def found_in(events: list[Event]) -> Report:
    (found,) = [event.found for event in events if isinstance(event, Evaluated)]
    return found


def test_rows_are_told_before_they_are_judged_and_the_report_comes_before_the_end(
    open_session: Open, pairs: Path
) -> None:
    session = open_session()
    events = list(evaluate(session, plan_of(pairs), cancel=CancelToken()))
    assert [(e.done, e.total) for e in events if isinstance(e, RowBegun)] == [(n, 6) for n in range(6)]
    assert [type(event) for event in events[-3:]] == [RowBegun, Evaluated, Finished]
    assert any(isinstance(event, ModelReady) for event in events)
    found = found_in(events)
    assert (found["whole"], judged(found), found["model"]) == (True, 6, session.model.model_dump())
    assert session.store.search(HistoryQuery()) == []


def test_what_was_answered_is_never_asked_again(open_session: Open, pairs: Path, tmp_path: Path) -> None:
    def run(limit: int | None) -> list[Event]:
        out = AnswersFile(tmp_path / "answers.jsonl")
        return list(evaluate(open_session(), plan_of(pairs, limit), out=out, cancel=CancelToken()))

    first, second = run(4), run(None)
    assert [event.total for event in second if isinstance(event, RowBegun)] == [2, 2]
    assert (judged(found_in(first)), judged(found_in(second))) == (4, 6)


# -- what is known of a model ----------------------------------------------------------------------------------------


EMBEDDED = ModelRef(name="SmolLM2", sha256=EMBEDDED_SHA256)


def test_the_shipped_card_is_found(profile: Profile) -> None:
    trust = ModelTrust(EMBEDDED, profile)
    assert not trust.card.own
    assert EMBEDDED_SHA256 in [model.sha256 for model in measured_models(profile)]
    assert line(trust.card) == "agrees with most people in 66 of 100 pairs of one-liners"
    assert line(ModelTrust(ModelRef(name="", sha256="e" * 64), profile).card) == ""


def test_with_a_head_of_ones_own_the_shipped_card_only_says_how_it_tells_jokes_from_other_texts(
    profile: Profile,
) -> None:
    shipped = ModelTrust(EMBEDDED, profile).card
    profile.heads.mkdir(parents=True)
    (profile.heads / f"{EMBEDDED_SHA256[:16]}.npz").write_bytes(b"")
    found = ModelTrust(EMBEDDED, profile)
    assert (found.card, found.own_head) == (None, True)
    profile.cards.mkdir()
    card = {"model": EMBEDDED.model_dump(), "agreement": 0.61}
    (profile.cards / f"{EMBEDDED_SHA256[:16]}.json").write_text(json.dumps(card), encoding="utf-8")
    own = ModelTrust(EMBEDDED, profile).card
    assert (own.own, own.agreement, own.kinds) == (True, 0.61, ())
    assert own.joke == shipped.joke is not None


def test_a_model_that_does_not_load_ends_the_run_as_failed(profile: Profile, pairs: Path) -> None:
    def broken(*_: Any) -> FakeEngine:
        raise ModelError("E_MODEL_MISSING", "There's no model.", "Get one.")

    session = Session(profile, Settings(), loader=broken)
    events = list(evaluate(session, plan_of(pairs), cancel=CancelToken()))
    session.close()
    assert isinstance(events[-1], Failed)
    assert judged(found_in(events)) == 0
