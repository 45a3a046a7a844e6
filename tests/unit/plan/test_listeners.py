"""Listeners: asked only on models that tell them apart, beside the verdict, never in it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jokejudge_gui.core.errors import CriteriaError, UsageError
from jokejudge_gui.core.events import Failed, Finished
from jokejudge_gui.core.paths import models_dir
from jokejudge_gui.judge.plan.listeners import ASTRAY, OWN, SAME, ListenerWorth, area_of, listener_version
from jokejudge_gui.judge.plan.listeners import LISTENERS_UNMEASURED as UNMEASURED
from jokejudge_gui.judge.rating.kind import RATING
from jokejudge_gui.rubric.audiences import parse_audiences
from jokejudge_gui.session.session import Session
from tests.known_calibration import MakeSession
from tests.rating_helpers import JOKE, pun, rate, result_of

AUDIENCES = parse_audiences()
WORK = next(each for each in AUDIENCES.listeners if each.id == "workplace")


def knows_work(prompt: str, question: str, label: str) -> float:
    """A model that knows what colleagues laugh at, and answers for all others as for anyone."""
    if "Listener:" not in question:
        return pun(prompt, question, label)
    laughs = 3.0 if WORK.words in question and any(text in prompt for text in WORK.likes) else 0.0
    # Noise over jokes, so that spreads can be compared; more of it where the listener is known.
    laughs += 0.05 * (len(prompt) % 7) * (AUDIENCES.anyone[1] in question)
    laughs += 0.8 * (len(prompt) % 5) * (WORK.words in question)
    yes = "yes" in label.lower()
    return laughs if yes != ("cold" in question) else 0.0


def measured(session: Session) -> None:
    *_, last = session.measure_listeners()
    assert isinstance(last, Finished), last


def voices(session: Session, *wanted: str) -> dict[str, tuple[float | None, str]]:
    found = result_of(asked(session, wanted))
    return {voice.name: (voice.p, voice.reason) for voice in found.listeners}


def asked(session: Session, wanted: tuple[str, ...]) -> list[object]:
    return list(session.ask(RATING, (JOKE,), listeners=wanted))


def test_what_was_not_measured_is_not_asked(make_session: MakeSession) -> None:
    found = voices(make_session(knows_work), "Workplace", "people who keep bees")
    assert found == {"Workplace": (None, UNMEASURED), "people who keep bees": (None, UNMEASURED)}


def test_only_a_listener_that_the_model_knows_is_asked(make_session: MakeSession) -> None:
    session = make_session(knows_work)
    measured(session)
    found = voices(session, "all", "people who keep bees")
    assert len(found) == len(AUDIENCES.listeners) + 1
    assert found["Workplace"][0] is not None
    assert not found["Workplace"][1]
    assert {reason for name, (_, reason) in found.items() if name != "Workplace"} == {SAME, OWN}
    assert all(p is None for name, (p, _) in found.items() if name != "Workplace")


def test_listeners_change_nothing_in_the_verdict(make_session: MakeSession) -> None:
    session = make_session(knows_work)
    measured(session)
    plain, heard = result_of(rate(session, JOKE)), result_of(asked(session, ("workplace",)))  # type: ignore[arg-type]
    assert len(heard.listeners) == 1
    changed = {"id", "listeners", "asked_listeners", "usage", "stage_seconds"}
    assert heard.model_dump(exclude=changed) == plain.model_dump(exclude=changed)
    assert RATING.contract(heard)["listeners"] == [heard.listeners[0].model_dump()]
    assert RATING.request_of(heard).listeners == ("workplace",)
    assert any("Workplace" in fact.name for fact in RATING.facts(heard))


def test_a_measurement_of_other_listeners_counts_for_nothing(make_session: MakeSession) -> None:
    session = make_session(knows_work)
    measured(session)
    (path,) = session.profile.listeners.glob("*.json")
    path.write_text(json.dumps({**json.loads(path.read_text()), "version": "another"}))
    assert voices(session, "workplace") == {"Workplace": (None, UNMEASURED)}
    path.write_text("[" * 50_000)
    assert voices(session, "workplace") == {"Workplace": (None, UNMEASURED)}


def test_too_many_listeners_are_refused_with_a_sentence(make_session: MakeSession) -> None:
    *_, last = asked(make_session(pun), tuple(f"people of town {n}" for n in range(30)))
    assert isinstance(last, Failed)
    assert last.error.code == "E_LISTENERS"
    assert UsageError(last.error.code, last.error.sentence, last.error.hint)


@pytest.mark.parametrize(
    ("ratio", "low", "reason"), [(1.0, 0.9, SAME), (3.0, 0.4, ASTRAY), (3.0, 0.6, ""), (1.0, 0.4, SAME)]
)
def test_spread_and_direction_are_both_needed(ratio: float, low: float, reason: str) -> None:
    assert ListenerWorth(ratio=ratio, area=0.9, low=low).reason == reason


def test_the_area_under_the_curve() -> None:
    assert area_of([3.0, 4.0], [1.0, 2.0]) == (1.0, 1.0)
    area, low = area_of([1.0, 3.0], [2.0, 4.0, 0.0])
    assert area == pytest.approx(0.5)
    assert low < 0.5


def test_a_listener_that_stands_twice_is_an_error(tmp_path: Path) -> None:
    listener = '<listener id="a" name="A" group="audience"><is>x</is><likes>y</likes></listener>'
    path = tmp_path / "audiences.xml"
    path.write_text(f'<audiences version="1"><anyone><is>a</is><is>b</is></anyone>{listener * 2}</audiences>')
    (tmp_path / "audiences.rng").write_bytes((Path(__file__).parents[3] / "criteria" / "audiences.rng").read_bytes())
    with pytest.raises(CriteriaError) as caught:
        parse_audiences(path)
    assert caught.value.code == "E_CRITERIA_DUPLICATE"


def test_what_ships_was_measured_with_the_listeners_and_prompts_that_ship() -> None:
    files = list((models_dir() / "listeners").glob("*.json"))
    assert files
    for file in files:
        assert json.loads(file.read_text())["version"] == listener_version()


def test_every_shipped_listener_has_texts_of_its_own() -> None:
    texts = [text for each in AUDIENCES.listeners for text in each.likes]
    assert len(texts) == len(set(texts))
    assert all(len(each.likes) >= 4 for each in AUDIENCES.listeners)
